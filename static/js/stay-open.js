// @ts-check
/**
 * Keep open what the reader has opened, and shut what they have shut, when a fragment is swapped for a
 * newer one: every <details> with an id. Where the window is narrow, those marked data-narrow="shut"
 * begin shut.
 *
 * A page that follows new figures says which of those marked data-drawn="open" are shut: they come
 * without their content. One that is opened and lacks it has the page asked for anew, as one that
 * shows no figures yet.
 */

/** @type {Map<string, boolean>} */
const left = new Map();

/** @param {HTMLDetailsElement} details */
const lacks = (details) => details.open && details.querySelector(":scope > div > [data-left-out]") !== null;

// “toggle” does not bubble, so it is caught on its way down.
document.addEventListener(
  "toggle",
  (event) => {
    const details = event.target;
    if (!(details instanceof HTMLDetailsElement && details.id)) return;
    left.set(details.id, details.open);
    if (lacks(details)) details.dispatchEvent(new Event("opened", { bubbles: true }));
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

document.addEventListener("htmx:configRequest", (event) => {
  const asked = /** @type {CustomEvent} */ (event).detail;
  /** @type {HTMLDetailsElement[]} */
  const folds = [...asked.elt.querySelectorAll("details[data-drawn='open']")];
  if (folds.length === 0) return;
  asked.headers["Concord-Shut"] = folds.filter((fold) => !fold.open).map((fold) => fold.id).join(" ");
  if (folds.some(lacks)) asked.path = asked.path.replace(/([?&]revision=)[^&]*/, "$1");
});
