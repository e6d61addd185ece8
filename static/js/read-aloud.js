// Read a step's text aloud if the browser has a voice for the page's language.
const { lang } = document.documentElement;

// Voices load after the page, or never; one for the page's language is enough.
function show() {
  const hasVoice = speechSynthesis.getVoices().some((voice) => voice.lang.startsWith(lang.slice(0, 2)));
  for (const button of document.querySelectorAll(".speak-button")) button.hidden = !hasVoice;
}

function speak() {
  const parts = [...document.querySelectorAll("[data-speak] h1, [data-speak] p")];
  const sentences = parts.map((part) => part.textContent.trim().replace(/([^.!?])$/, "$1."));
  speechSynthesis.cancel();
  const speech = new SpeechSynthesisUtterance(sentences.join(" "));
  speech.lang = lang;
  speech.rate = 0.9;
  speechSynthesis.speak(speech);
}

if ("speechSynthesis" in window) {
  speechSynthesis.addEventListener?.("voiceschanged", show);
  document.addEventListener("click", ({ target }) => {
    if (target.closest(".speak-button")) speak();
  });
  document.addEventListener("htmx:afterSwap", show);
  show();
}
