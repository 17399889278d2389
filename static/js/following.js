// @ts-check
/**
 * Pages of figures follow new ratings: what is marked data-follows asks for newer figures as soon as it has some.
 * The server answers when there are any, or after some seconds that there are none. Where it answers at once, for
 * it has no room for who waits, the next question comes half a second after the last.
 *
 * A page that nobody sees asks nothing: browsers keep six connections to a server, and as many of its tabs
 * would leave none to others.
 */

const AT_ONCE = 500; // milliseconds

/** @type {WeakMap<Element, {request: XMLHttpRequest | null, at: number}>} */
const asked = new WeakMap();

/** @param {Element} figures */
const follow = (figures) => {
  if (document.hidden || !figures.isConnected || asked.get(figures)?.request) return;
  figures.dispatchEvent(new Event("follow"));
};

/** @param {Event} event */
const following = (event) => {
  const { elt, xhr } = /** @type {CustomEvent} */ (event).detail;
  return elt instanceof Element && elt.matches("[data-follows]") ? { figures: elt, xhr } : null;
};

document.addEventListener("htmx:configRequest", (event) => {
  const { elt, headers, triggeringEvent } = /** @type {CustomEvent} */ (event).detail;
  if (elt.matches("[data-follows]") && triggeringEvent?.type === "follow") headers["Concord-Waits"] = "1";
});

document.addEventListener("htmx:beforeSend", (event) => {
  const sent = following(event);
  if (sent) asked.set(sent.figures, { request: sent.xhr, at: performance.now() });
});

document.addEventListener("htmx:afterRequest", (event) => {
  const answered = following(event);
  const last = answered && asked.get(answered.figures);
  if (!last || last.request !== answered.xhr) return; // another question took its place
  last.request = null;
  setTimeout(follow, Math.max(0, last.at + AT_ONCE - performance.now()), answered.figures);
});

document.addEventListener("htmx:load", (event) => {
  const { elt } = /** @type {CustomEvent} */ (event).detail;
  for (const figures of [elt, ...elt.querySelectorAll("[data-follows]")]) if (figures.matches("[data-follows]")) follow(figures);
});

document.addEventListener("visibilitychange", () => {
  for (const figures of document.querySelectorAll("[data-follows]")) follow(figures);
});
