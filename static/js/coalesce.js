// Make an async function that's called whenever something may have changed run one call at a time. Calls during a run
// share one more run after it, so the last run always begins after the last call.
export function coalesce(work) {
  let isRunning = false;
  let isWanted = false;

  return async function run() {
    if (isRunning) {
      isWanted = true;
      return;
    }
    isRunning = true;
    isWanted = false;
    try {
      await work();
    } finally {
      isRunning = false;
      if (isWanted) run();
    }
  };
}
