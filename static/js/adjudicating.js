/* Deciding by keyboard: 1, 2, … take a rater's value, o another one, r the reason; up and down go
   from criterion to criterion. Without this script the same form is used with the mouse. */

const form = () => document.querySelector("[data-behaviour='adjudicating']");
const conflicts = () => [...form().querySelectorAll("[data-conflict]")];
const isDecided = (conflict) => conflict.querySelector("input:checked") !== null;
const here = () => document.activeElement.closest("[data-conflict]") ?? conflicts().find((one) => !isDecided(one)) ?? conflicts()[0];

const go = (conflict) => {
  (conflict.querySelector("input:checked") ?? conflict.querySelector("input:enabled")).focus({ preventScroll: true });
  conflict.scrollIntoView({ block: "nearest" });
};

const take = (key) => {
  const conflict = here();
  const input = conflict.querySelector(`input:enabled[data-key='${key}']`);
  if (!input) return false;
  input.checked = true;
  if (key === "o") { conflict.querySelector("select").focus(); return true; }
  const next = conflicts().find((one) => !isDecided(one));
  if (next) go(next);
  else form().elements.reason.focus();
  return true;
};

const move = (by) => {
  const list = conflicts();
  go(list[Math.min(Math.max(list.indexOf(here()) + by, 0), list.length - 1)]);
};

const turn = (by) => {
  const turns = [...form().querySelectorAll(".turn")];
  const at = turns.indexOf(document.activeElement);
  const next = turns[at < 0 ? (by > 0 ? 0 : turns.length - 1) : Math.min(Math.max(at + by, 0), turns.length - 1)];
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
};

const actions = {
  ArrowUp: () => move(-1),
  ArrowDown: () => move(1),
  r: () => form().elements.reason.focus(),
  j: () => turn(1),
  k: () => turn(-1),
};

document.addEventListener("keydown", (event) => {
  if (!form() || event.isComposing || event.key === "Process") return;
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    form().requestSubmit();
    return;
  }
  const field = event.target.closest("textarea, select");
  if (field && event.key === "Escape") field.blur();
  if (field || event.ctrlKey || event.metaKey || event.altKey) return;
  const isHandled = /^[1-9o]$/.test(event.key) && take(event.key);
  if (!isHandled && !actions[event.key]) return;
  event.preventDefault();
  if (!isHandled) actions[event.key]();
});

document.addEventListener("change", (event) => {
  const own = event.target.closest("[data-conflict] select");
  if (own) own.closest("[data-conflict]").querySelector("[data-key='o']").checked = own.value !== "";
});
