// Read a step's text aloud if the browser has a voice for the page's language.
(() => {
  if (!("speechSynthesis" in window)) return;

  // Voices load after the page, or never; one for the page's language is enough.
  function show() {
    const language = document.documentElement.lang.slice(0, 2);
    const hasVoice = speechSynthesis.getVoices().some((voice) => voice.lang.startsWith(language));
    for (const button of document.querySelectorAll(".speak-button")) button.hidden = !hasVoice;
  }
  speechSynthesis.addEventListener?.("voiceschanged", show);

  document.addEventListener("click", ({ target }) => {
    if (!target.closest(".speak-button")) return;
    const words = [...document.querySelectorAll("[data-speak] h1, [data-speak] p")].map((part) => part.textContent.trim().replace(/([^.!?])$/, "$1."));
    speechSynthesis.cancel();
    const speech = new SpeechSynthesisUtterance(words.join(" "));
    speech.lang = document.documentElement.lang;
    speech.rate = 0.9;
    speechSynthesis.speak(speech);
  });
  document.addEventListener("htmx:afterSwap", show);
  show();
})();
