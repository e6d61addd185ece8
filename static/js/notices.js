// A notice is about the last request, so the next one clears it.
document.addEventListener("htmx:beforeRequest", () => document.getElementById("notice")?.replaceChildren());
