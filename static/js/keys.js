/* Keys that a person has put in the place of the usual ones, and their names on the page. */

const sheet = () => document.querySelector("dialog[data-part='keys']");
const own = JSON.parse(sheet()?.dataset.own || "{}");
const usual = Object.fromEntries(Object.entries(own).map(([was, is]) => [is, was]));

/** What the pressed key stands for; "" where its work was given to another key. */
export const keyOf = (event) => usual[event.key] ?? (event.key in own ? "" : event.key);

const REPEATED = ["ArrowUp", "ArrowDown", "j", "k"];

/** Whether a key goes on being pressed that acts once: held, it would answer what comes next as well. */
export const isHeld = (event) => event.repeat && !REPEATED.includes(keyOf(event));

const relabel = () => {
  for (const kbd of document.querySelectorAll("kbd:not([data-is-own])")) {
    const is = own[kbd.textContent.trim()];
    if (is) kbd.textContent = is;
    kbd.dataset.isOwn = "";
  }
};

if (Object.keys(own).length) {
  relabel();
  new MutationObserver(relabel).observe(document.querySelector("main"), { childList: true, subtree: true });
}
