// Games in a lesson: the countdown of a call, messages shown only for a while, and the way to the player's table.
(() => {
  const target = document.getElementById("screen");
  if (!target) return;

  function settle() {
    const table = target.querySelector("[data-go]");
    if (table) return location.assign(table.dataset.go);
    for (const each of target.querySelectorAll(".countdown[data-left]")) {
      const { lasts, left } = each.dataset;
      each.firstElementChild.style.setProperty("--lasts", `${lasts}s`);
      each.firstElementChild.style.setProperty("--elapsed", `${left - lasts}s`);
    }
    for (const each of target.querySelectorAll("[data-fades]")) {
      setTimeout(() => { each.hidden = true; }, each.dataset.fades * 1000);
    }
  }

  target.addEventListener("htmx:afterSwap", settle);
  // After the browser's back button, this page comes back as it was left, and must lead to the table again.
  window.addEventListener("pageshow", settle);
})();
