// Games in a lesson: the countdown of a call, messages shown only for a while, and the way to the player's table.
const target = document.getElementById("screen");

function settle() {
  const table = target.querySelector("[data-go]");
  if (table) {
    location.assign(table.dataset.go);
    return;
  }
  for (const { dataset, firstElementChild: bar } of target.querySelectorAll(".countdown[data-left]")) {
    bar.style.setProperty("--lasts", `${dataset.lasts}s`);
    bar.style.setProperty("--elapsed", `${dataset.left - dataset.lasts}s`);
  }
  for (const each of target.querySelectorAll("[data-fades]")) {
    setTimeout(() => {
      each.hidden = true;
    }, each.dataset.fades * 1000);
  }
}

target.addEventListener("htmx:afterSwap", settle);
// After the browser's back button, this page comes back as it was left, and must lead to the table again.
window.addEventListener("pageshow", settle);
