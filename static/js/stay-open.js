// @ts-check
/**
 * Keep open what the reader has opened, when a fragment is swapped for a newer one: every <details>
 * with an id.
 */

/** @type {Set<string>} */
const opened = new Set();

// “toggle” does not bubble, so it is caught on its way down.
document.addEventListener(
  "toggle",
  (event) => {
    const details = event.target;
    if (!(details instanceof HTMLDetailsElement) || !details.id) return;
    if (details.open) opened.add(details.id);
    else opened.delete(details.id);
  },
  true,
);

document.addEventListener("htmx:load", () => {
  for (const id of opened) {
    const details = document.getElementById(id);
    if (details instanceof HTMLDetailsElement) details.open = true;
  }
});
