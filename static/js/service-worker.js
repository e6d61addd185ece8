// Talk to the site's service worker, which keeps pages and answers while there's no network.
const workers = navigator.serviceWorker; // missing outside a secure context

export const isInstalled = () => Boolean(workers?.controller);

export async function install(address) {
  await workers.register(address);
}

// Call a listener with the state of the network and of the kept answers whenever the worker sends it.
export function onState(listener) {
  workers?.addEventListener("message", ({ data }) => listener(data));
  workers?.startMessages();
}

export async function tell(message) {
  const registration = await workers?.ready;
  registration?.active.postMessage(message);
}

// Send a message and wait for its answer.
export async function ask(message) {
  const { active } = await workers.ready;
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = ({ data }) => resolve(data);
    active.postMessage(message, [port2]);
  });
}

// Whether there's a worker that can take an answer now.
export async function canAsk() {
  return Boolean((await workers?.getRegistration())?.active);
}
