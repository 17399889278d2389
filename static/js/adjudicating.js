/* Deciding by keyboard: 1, 2, … choose a value or answer a question, Shift and a letter take a rater's
   answers whole, r goes to the reason; up and down from criterion to criterion. Without this script the
   mouse does it all. */

import * as drafts from "./drafts.js";
import { isHeld, keyOf } from "./keys.js";
import * as outbox from "./outbox.js";
import { all, drawTaxonomy, prune, showPane, stepBack, walk } from "./walking.js";

const form = () => document.querySelector("[data-behaviour='adjudicating']");
const conflicts = () => [...form().querySelectorAll("[data-conflict]")];
const walkIn = (conflict) => conflict.querySelector("[data-behaviour='taxonomy']");
const isAmbiguous = (conflict) => conflict.querySelector("input[data-key='t']:checked") !== null;
const isDecided = (conflict) => (walkIn(conflict)
  ? isAmbiguous(conflict) || walk(walkIn(conflict)).end >= 0
  : conflict.querySelector("input:checked") !== null);
const isInView = (input) => !input.closest("[data-question][hidden]");
const here = () => document.activeElement.closest("[data-conflict]") ?? conflicts().find((one) => !isDecided(one)) ?? conflicts()[0];

const go = (conflict) => {
  const inputs = all(conflict, "input").filter(isInView);
  (inputs.find((input) => input.checked) ?? inputs[0]).focus({ preventScroll: true });
  conflict.scrollIntoView({ block: "nearest" });
};

const show = (input) => { const others = input.closest("details"); if (others) others.open = true; };

/* ---- A graph is answered question by question ---- */

const drawWalks = () => all(form(), "[data-behaviour='taxonomy']").forEach(drawTaxonomy);

/** One answer on a way: what is off it is dropped, and the way is not ambiguous. */
const answer = (input) => {
  const criterion = input.closest("[data-behaviour='taxonomy']");
  input.closest("[data-conflict]").querySelector("input[data-key='t']").checked = false;
  prune(criterion, input.closest("[data-question]"));
  delete criterion.dataset.viewing;
  drawTaxonomy(criterion);
};

/** Who finds it ambiguous takes no way. */
const clearWalk = (conflict) => {
  const criterion = walkIn(conflict);
  if (!criterion) return;
  for (const input of all(criterion, "input")) input.checked = false;
  delete criterion.dataset.viewing;
  drawTaxonomy(criterion);
};

const lookAt = (criterion, step) => {
  if (step === undefined && !stepBack(criterion)) return;
  if (step !== undefined) criterion.dataset.viewing = step;
  drawTaxonomy(criterion);
  go(criterion.closest("[data-conflict]"));
};

const back = () => { if (walkIn(here())) lookAt(walkIn(here())); };

const take = (key) => {
  const conflict = here();
  const input = all(conflict, `input[data-key='${key}'], input[data-other-key='${key}']`).find(isInView);
  if (!input) return false;
  input.checked = true;
  show(input);
  if (key === "t") clearWalk(conflict);
  if (input.closest("[data-question]")) answer(input);
  drafts.note();
  if (!isDecided(conflict)) { go(conflict); return true; }
  const next = conflicts().find((one) => !isDecided(one));
  if (next) go(next);
  else form().elements.reason.focus();
  return true;
};

/** What one rater gave, wherever they gave a value. */
const takeWhole = (letter) => {
  const given = [...form().querySelectorAll(`input[data-letters*='${letter}']`)];
  if (given.length === 0) return false;
  for (const criterion of new Set(given.map((input) => input.closest("[data-behaviour='taxonomy']")))) {
    if (criterion) clearWalk(criterion.closest("[data-conflict]"));
  }
  for (const input of given) {
    input.checked = true;
    const ambiguous = input.closest("[data-question]") && input.closest("[data-conflict]").querySelector("input[data-key='t']");
    if (ambiguous) ambiguous.checked = false;
  }
  drawWalks();
  drafts.note();
  go(conflicts().find((one) => !isDecided(one)) ?? conflicts().at(-1));
  return true;
};

const openOthers = () => {
  const others = here().querySelector("details");
  if (!others) return;
  others.open = true;
  others.querySelector("input").focus({ preventScroll: true });
};

const keysSheet = () => document.querySelector("dialog[data-part='keys']");

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
  o: openOthers,
  b: back,
  n: () => form().querySelector("[data-part='next']")?.click(),
  "?": () => keysSheet().showModal(),
  ArrowUp: () => move(-1),
  ArrowDown: () => move(1),
  r: () => form().elements.reason.focus(),
  j: () => turn(1),
  k: () => turn(-1),
};

document.addEventListener("keydown", (event) => {
  if (!form() || event.isComposing || event.key === "Process" || document.querySelector("dialog[open]")) return;
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    if (!event.repeat) form().requestSubmit();
    return;
  }
  const field = event.target.closest("textarea, select, input:not([type='radio'])");
  if (field && event.key === "Escape") field.blur();
  if (field || event.ctrlKey || event.metaKey || event.altKey) return;
  const key = keyOf(event);
  if (isHeld(event)) return;
  const isHandled = (/^[1-9tyn]$/.test(key) && take(key)) || (/^[A-Z]$/.test(key) && takeWhole(key));
  if (!isHandled && !actions[key]) return;
  event.preventDefault();
  if (!isHandled) actions[key]();
});

document.addEventListener("click", (event) => {
  const whole = event.target.closest("[data-behaviour='take-whole']");
  if (whole) takeWhole(whole.dataset.letter);
  const button = event.target.closest("button");
  if (button?.dataset.behaviour === "back") lookAt(walkIn(button.closest("[data-conflict]")));
  if (button?.dataset.step !== undefined) lookAt(button.closest("[data-behaviour='taxonomy']"), button.dataset.step);
  if (event.target.closest("[data-behaviour='show-keys']")) keysSheet().showModal();
  if (event.target.closest("[data-behaviour='close-keys']")) keysSheet().close();
});

/* ---- Nothing is lost: a draft while it is filled in, the outbox once it is sent ---- */

let isWaiting = false;

const arrive = () => {
  isWaiting = false;
  if (!form()) return;
  const showChosen = () => {
    form().querySelectorAll("input:checked").forEach(show);
    drawWalks();
  };
  showChosen();
  drafts.begin(form(), showChosen);
};

document.addEventListener("change", ({ target }) => {
  if (!form()?.contains(target)) return;
  if (target.closest("[data-question]")) answer(target);
  else if (target.dataset.key === "t" && target.closest("[data-conflict]")) clearWalk(target.closest("[data-conflict]"));
});

for (const what of ["change", "input"]) {
  document.addEventListener(what, (event) => { if (form()?.contains(event.target)) drafts.note(); });
}

/* What a browser asks for before it sends anything, it can show only where it is in view. */
document.addEventListener("invalid", ({ target }) => { if (form()?.contains(target)) showPane(form(), "form"); }, true);

document.addEventListener("submit", (event) => {
  if (event.target !== form() || event.submitter?.hasAttribute("formaction")) return;
  event.preventDefault();
  if (isWaiting) return;
  const { dataset, action } = form();
  isWaiting = true;
  form().querySelector(".work__form").inert = true;
  drafts.end(form());
  outbox.put({
    id: outbox.newId(), kind: "answers", place: drafts.placeOf(form()), of: dataset.place, form: dataset.form,
    title: form().querySelector("[data-part='title']").textContent.trim(), url: action, draftUrl: dataset.draft,
    codes: drafts.codesOf(form()), words: drafts.wordsOf(form()),
  });
});

outbox.listen({
  answered: (entry, response, text) => {
    if (!outbox.isAnswer(entry) || form()?.dataset.place !== entry.of) return false;
    if (response.ok) location.assign(response.headers.get("Concord-Go-On-At"));
    if (![409, 422].includes(response.status)) return false;
    const answered = new DOMParser().parseFromString(text, "text/html").querySelector("#work");
    document.querySelector("#work").replaceWith(answered);
    arrive();
    if (form()) { // decided by somebody else meanwhile, there is none
      showPane(form(), "form");
      form().querySelector("[role='alert']")?.focus();
    }
    return response.status === 422 || !outbox.isTyped(entry); // of what is refused the outbox shows what was typed
  },
});

arrive();
