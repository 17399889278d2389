// @ts-check
/**
 * Keep open what the reader has opened, and shut what they have shut, when a fragment is swapped for a
 * newer one: every <details> with an id. Where the window is narrow, those marked data-narrow="shut"
 * begin shut.
 */

/** @type {Map<string, boolean>} */
const left = new Map();

// “toggle” does not bubble, so it is caught on its way down.
document.addEventListener(
  "toggle",
  (event) => {
    const details = event.target;
    if (details instanceof HTMLDetailsElement && details.id) left.set(details.id, details.open);
  },
  true,
);

if (matchMedia("(max-width: 40rem)").matches) {
  for (const details of document.querySelectorAll("details[data-narrow='shut']")) details.removeAttribute("open");
}

document.addEventListener("htmx:load", () => {
  for (const [id, isOpen] of left) {
    const details = document.getElementById(id);
    if (details instanceof HTMLDetailsElement) details.open = isOpen;
  }
});
