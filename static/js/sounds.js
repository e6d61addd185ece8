// Optional sounds: each accompanies something that the page also shows in words.
const LOUD = 0.07;
const NEAR = 3000;
// For each note: pitch in hertz, start and fade-out time in seconds.
// biome-ignore format: a line for each sound
const SOUNDS = {
  call: [[587, 0, 0.2]],
  right: [[659, 0, 0.18], [880, 0.1, 0.35]],
  wrong: [[262, 0, 0.25], [233, 0.12, 0.35]],
  near: [[784, 0, 0.08], [784, 0.18, 0.08]],
  turn: [[392, 0, 0.2], [523, 0.12, 0.35]],
};
let audio = null;
let timer = null;

// Browsers allow sound only after the user has interacted with the page.
function wake() {
  audio ??= new AudioContext();
  if (audio.state === "suspended") audio.resume();
}
document.addEventListener("pointerup", wake);
document.addEventListener("keydown", wake);

function play(name) {
  if (!audio) return;
  for (const [pitch, after, fades] of SOUNDS[name]) {
    const begins = audio.currentTime + after;
    const note = audio.createOscillator();
    const volume = audio.createGain();
    note.frequency.value = pitch;
    volume.gain.setValueAtTime(0.0001, begins);
    volume.gain.exponentialRampToValueAtTime(LOUD, begins + 0.02);
    volume.gain.exponentialRampToValueAtTime(0.0001, begins + fades);
    note.connect(volume).connect(audio.destination);
    note.start(begins);
    note.stop(begins + fades);
  }
}

const inputValue = (selector) => document.querySelector(selector)?.value ?? "";

function situation() {
  return {
    // Who called at a table, or that somebody called in a lesson.
    called: document.querySelector(".state")?.dataset.control || Boolean(document.querySelector(".countdown")),
    // What the lesson asks of the user now: a new round, another activity, or their turn.
    round: `${inputValue(".device [name=activity]")} ${inputValue(".device [name=round]")}`.trim(),
    isOwnTurn: Boolean(document.querySelector(".is-own-turn")),
  };
}

let before = situation();

document.addEventListener("told", ({ detail }) => play(detail));
document.addEventListener("htmx:afterSwap", () => {
  const now = situation();
  const isNewRound = now.round !== before.round || now.isOwnTurn !== before.isOwnTurn;
  if (now.called && now.called !== before.called) play("call");
  else if ((now.round || now.isOwnTurn) && isNewRound) play("turn");
  before = now;
  listen();
});

// For a countdown: once, shortly before its end.
function listen() {
  clearTimeout(timer);
  const bar = document.querySelector(".countdown-bar");
  const clock = bar?.getAnimations()[0];
  const left = clock ? clock.effect.getComputedTiming().endTime - clock.currentTime : 0;
  if (left <= NEAR) return;
  timer = setTimeout(() => {
    if (bar.isConnected) play("near");
  }, left - NEAR);
}
listen();
