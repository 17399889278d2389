/* Rating an item: one question in view, everything by keyboard, and no answer lost on the way.
   Without this script every question is on the page and the form is posted as it is. */

const all = (root, selector) => [...root.querySelectorAll(selector)];
const part = (root, name) => root.querySelector(`[data-part='${name}']`);
const theForm = () => document.querySelector("[data-behaviour='rating']");
const fill = (words, values) => words.replace(/\{(\w+)\}/g, (_, name) => values[name]);
const chosen = (question) => question.querySelector("input:checked");
const wordsOf = (input) => input.closest("label").querySelector(".choice__text, .level__number").textContent;

/* ---- Criteria: a taxonomy asks its questions one by one, a scale has one ---- */

const criteria = (form) => all(form, "[data-behaviour='taxonomy'], [data-behaviour='scale']");
const questions = (criterion) => all(criterion, "[data-question]");
const isTaxonomy = (criterion) => criterion.dataset.behaviour === "taxonomy";
const isExcused = (criterion) => part(criterion, "cannot").querySelector("select").value !== "";
const activeOf = (form) => form.querySelector(".criterion.is-active");

/** How far the answers lead: `end` is the index that decided, `open` the next one to ask. */
const walk = (criterion) => {
  const asked = questions(criterion);
  const stop = asked.findIndex((question) => !chosen(question) || chosen(question).dataset.endsAt);
  const decided = stop >= 0 && chosen(asked[stop]);
  return { asked, end: decided ? stop : -1, open: decided ? -1 : stop };
};

const isAnswered = (criterion) => isExcused(criterion)
  || (isTaxonomy(criterion) ? walk(criterion).end >= 0 : Boolean(chosen(criterion)));

const inView = (criterion) => {
  const { open } = walk(criterion);
  return "viewing" in criterion.dataset ? Number(criterion.dataset.viewing) : open;
};

const answersAfter = (asked, index) => asked.slice(index + 1).filter(chosen)
  .map((question) => `${question.dataset.number} ${wordsOf(chosen(question))}`);

const drawTaxonomy = (criterion) => {
  const { asked, end } = walk(criterion);
  const view = inView(criterion);
  asked.forEach((question, index) => { question.hidden = index !== view; });
  part(criterion, "trail").replaceChildren(...asked.map((question, index) => {
    const step = document.createElement("li");
    const answer = chosen(question);
    step.textContent = answer ? `${index + 1} ${wordsOf(answer)}` : `${index + 1}`;
    if (index === view) step.setAttribute("aria-current", "step");
    return step;
  }));
  const result = part(criterion, "result");
  result.hidden = end < 0 || view >= 0;
  if (!result.hidden) sayResult(result, asked, end);
  const atStake = view >= 0 ? answersAfter(asked, view) : [];
  const warning = part(criterion, "at-stake");
  warning.hidden = atStake.length === 0;
  warning.textContent = fill(warning.dataset.words, { answers: atStake.join(", ") });
};

const sayResult = (result, asked, end) => {
  const { words, wordsNotAsked, wordsLastNotAsked } = result.dataset;
  const label = chosen(asked[end]).dataset.endsAt;
  const [number, of] = [end + 1, asked.length];
  part(result, "result-words").textContent = fill(words, { label, number, of });
  const rest = number + 1 === of ? wordsLastNotAsked : wordsNotAsked;
  part(result, "not-asked").textContent = number < of ? fill(rest, { from: number + 1, of }) : "";
};

const sayAnchor = (scale, level = null) => {
  const shown = level ?? chosen(scale)?.closest(".level");
  const mark = shown && !scale.matches(".criterion--binary") ? `${wordsOf(shown.firstChild)} · ` : "";
  part(scale, "anchor").textContent = shown ? mark + shown.querySelector(".level__anchor").textContent : "";
};

const draw = (form) => {
  for (const criterion of criteria(form)) {
    criterion.classList.toggle("is-excused", isExcused(criterion));
    if (isTaxonomy(criterion)) drawTaxonomy(criterion);
    else sayAnchor(criterion);
  }
  const open = criteria(form).filter((criterion) => !isAnswered(criterion));
  const { words, wordsNone } = part(form, "open").dataset;
  const names = open.map((criterion) => criterion.getAttribute("aria-label")).join(", ");
  part(form, "open").textContent = open.length ? fill(words, { names }) : wordsNone;
};

const activate = (form, criterion, { focus = true } = {}) => {
  for (const one of criteria(form)) one.classList.toggle("is-active", one === criterion);
  if (!criterion || !focus) return;
  form.querySelector("[data-pane='form']").checked = true;
  const question = questions(criterion).find((one) => !one.hidden);
  const target = question ? chosen(question) ?? question.querySelector("input") : part(criterion, "result");
  target.focus({ preventScroll: true });
  (question ?? target).scrollIntoView({ block: "nearest" });
};

/** The next criterion without an answer, from the active one on and round. */
const nextOpen = (form) => {
  const list = criteria(form);
  const here = list.indexOf(activeOf(form));
  return [...list.slice(here + 1), ...list.slice(0, here + 1)].find((one) => !isAnswered(one));
};

const goOn = (form) => {
  const criterion = nextOpen(form);
  if (criterion) activate(form, criterion);
  else form.requestSubmit(form.querySelector("[data-behaviour='submit']"));
};

/* ---- Answering, and taking an answer back ---- */

let past = [];
let present = "{}";
let isDirty = false;

const answersIn = (form) => JSON.stringify(Object.fromEntries(
  [...new FormData(form)].filter(([name]) => /^(answer|cannot)\./.test(name)),
));

const remember = (form) => {
  const now = answersIn(form);
  if (now === present) return;
  past.push(present);
  present = now;
  isDirty = true;
};

const undo = (form) => {
  if (past.length === 0) return;
  present = past.pop();
  const values = JSON.parse(present);
  for (const input of all(form, "[name^='answer.']")) input.checked = values[input.name] === input.value;
  for (const select of all(form, "[name^='cannot.']")) select.value = values[select.name] ?? "";
  for (const criterion of criteria(form)) delete criterion.dataset.viewing;
  all(form, "[data-part='dropped']").forEach((note) => { note.hidden = true; });
  draw(form);
  if (activeOf(form)) activate(form, activeOf(form));
};

/** A first hit ends the questions: answers after it are dropped, and it is said which. */
const prune = (criterion, question) => {
  const asked = questions(criterion);
  const index = asked.indexOf(question);
  const answers = chosen(question).dataset.endsAt ? answersAfter(asked, index) : [];
  const note = part(criterion, "dropped");
  note.hidden = answers.length === 0;
  note.textContent = fill(note.dataset.words, { answers: answers.join(", ") });
  if (answers.length) asked.slice(index + 1).forEach((one) => { if (chosen(one)) chosen(one).checked = false; });
};

let lastKey = "";

const answer = (form, input) => {
  const criterion = input.closest(".criterion");
  const question = input.closest("[data-question]");
  const isTrying = lastKey.startsWith("Arrow");
  part(criterion, "cannot").querySelector("select").value = "";
  if (isTaxonomy(criterion)) {
    prune(criterion, question);
    if (isTrying) criterion.dataset.viewing = questions(criterion).indexOf(question);
    else delete criterion.dataset.viewing;
  }
  remember(form);
  draw(form);
  if (isTrying) return;
  const isDone = isAnswered(criterion);
  activate(form, isDone ? nextOpen(form) ?? criterion : criterion);
};

const excuse = (form, select) => {
  if (select.value) all(select.closest(".criterion"), "input:checked").forEach((input) => { input.checked = false; });
  remember(form);
  draw(form);
};

/* ---- Keys ---- */

const back = (form, criterion) => {
  if (!criterion || !isTaxonomy(criterion)) return false;
  const view = inView(criterion);
  const { end } = walk(criterion);
  const before = view < 0 ? end : view - 1;
  if (before < 0) return false;
  criterion.dataset.viewing = before;
  draw(form);
  activate(form, criterion);
  return true;
};

const forward = (form, criterion) => {
  if (!criterion || !("viewing" in criterion.dataset)) return false;
  const view = Number(criterion.dataset.viewing) + 1;
  const { asked, end } = walk(criterion);
  if (end >= 0 && view > end) delete criterion.dataset.viewing;
  else if (chosen(asked[view - 1])) criterion.dataset.viewing = view;
  draw(form);
  activate(form, criterion);
  return true;
};

const step = (form, by) => {
  const criterion = activeOf(form);
  if (by < 0 ? back(form, criterion) : forward(form, criterion)) return;
  const list = criteria(form);
  const next = list[Math.min(Math.max(list.indexOf(criterion) + by, 0), list.length - 1)];
  activate(form, next);
};

const moveTurn = (form, by) => {
  const turns = all(form, ".turn");
  const here = turns.indexOf(document.activeElement);
  const next = here < 0 ? (by > 0 ? 0 : turns.length - 1) : Math.min(Math.max(here + by, 0), turns.length - 1);
  form.querySelector("[data-pane='dialogue']").checked = true;
  turns[next].focus({ preventScroll: true });
  turns[next].scrollIntoView({ block: "nearest" });
};

const choose = (form, key) => {
  const criterion = activeOf(form) ?? nextOpen(form) ?? criteria(form)[0];
  const question = questions(criterion).find((one) => !one.hidden);
  const input = question?.querySelector(`[data-key='${key}'], [data-other-key='${key}']`);
  if (input) input.click();
  return Boolean(input);
};

const openCannot = (form) => {
  const details = part(activeOf(form) ?? criteria(form)[0], "cannot");
  details.open = true;
  details.querySelector("select").focus();
};

const actions = {
  ArrowUp: (form) => step(form, -1),
  ArrowDown: (form) => step(form, 1),
  Enter: goOn,
  b: (form) => back(form, activeOf(form)),
  u: undo,
  c: (form) => { form.querySelector("[data-pane='form']").checked = true; form.elements.comment.focus(); },
  d: (form) => form.querySelector("[data-behaviour='defer']")?.click(),
  x: openCannot,
  j: (form) => moveTurn(form, 1),
  k: (form) => moveTurn(form, -1),
  "?": () => document.querySelector("dialog[data-part='keys']").showModal(),
};

document.addEventListener("keydown", (event) => {
  lastKey = event.key;
  const form = theForm();
  if (!form || event.isComposing || event.key === "Process" || document.querySelector("dialog[open]")) return;
  if (form.classList.contains("htmx-request")) { event.preventDefault(); return; }
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    form.requestSubmit(form.querySelector("[data-behaviour='submit']"));
    return;
  }
  const field = event.target.closest("textarea, select, input:not([type='radio'])");
  if (field && event.key === "Escape") activate(form, activeOf(form) ?? criteria(form)[0]);
  if (field || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Enter" && event.target.closest("a, button, summary")) return;
  const isHandled = /^[0-9yn]$/.test(event.key) && choose(form, event.key);
  if (!isHandled && !actions[event.key]) return;
  event.preventDefault();
  if (!isHandled) actions[event.key](form);
});

document.addEventListener("pointerdown", () => { lastKey = ""; });

document.addEventListener("click", (event) => {
  const form = theForm();
  const keys = document.querySelector("dialog[data-part='keys']");
  if (event.target.closest("[data-behaviour='show-keys']")) keys.showModal();
  if (event.target.closest("[data-behaviour='close-keys']")) keys.close();
  if (form && event.target.matches(".criterion input[type='radio']")) answer(form, event.target);
});

document.addEventListener("change", (event) => {
  if (event.target.matches("[name^='cannot.']")) excuse(theForm(), event.target);
});
document.addEventListener("input", (event) => {
  if (event.target.matches("[data-behaviour='rating'] textarea")) isDirty = true;
});
document.addEventListener("focusin", (event) => {
  const criterion = event.target.closest(".criterion");
  if (criterion && theForm()) activate(theForm(), criterion, { focus: false });
});
for (const [name, isOver] of [["pointerover", true], ["pointerout", false], ["focusin", true]]) {
  document.addEventListener(name, (event) => {
    const level = event.target.closest?.(".criterion--scale .level");
    if (level) sayAnchor(level.closest(".criterion"), isOver ? level : null);
  });
}

/* ---- Saving: the same key is sent until the server has answered ---- */

const LONGEST_WAIT = 30000;
let wait = 1000;
let isSignedOut = false;
let retrying = 0;

const say = (form, words) => { part(form, "saved").textContent = words; };
const isOurs = (event) => {
  const form = theForm();
  return form !== null && event.detail.elt === form ? form : null;
};

const sendAgain = () => {
  clearTimeout(retrying);
  retrying = 0;
  theForm()?.requestSubmit(theForm().querySelector("[data-behaviour='submit']"));
};

const tryAgain = (event) => {
  const form = isOurs(event);
  if (!form) return;
  event.stopPropagation();
  say(form, form.dataset.wordsRetry);
  /* What was sent may have arrived: until that is known, nothing may be changed under its key. */
  form.querySelector(".work__form").inert = true;
  retrying = setTimeout(sendAgain, wait);
  wait = Math.min(wait * 2, LONGEST_WAIT);
};

/** Refused, or sent on to the page where one signs in. */
const isRefused = ({ xhr, pathInfo }) => [401, 403].includes(xhr.status)
  || new URL(pathInfo.responsePath ?? "", location).pathname !== new URL(pathInfo.requestPath, location).pathname;

document.addEventListener("htmx:sendError", tryAgain, true);
document.addEventListener("htmx:timeout", tryAgain, true);
document.addEventListener("htmx:responseError", (event) => {
  if (event.detail.xhr.status >= 500) tryAgain(event);
}, true);
document.addEventListener("htmx:beforeSwap", (event) => {
  const form = isOurs(event);
  if (!form) return;
  wait = 1000;
  form.querySelector(".work__form").inert = false;
  if (!isRefused(event.detail)) return;
  event.detail.shouldSwap = false;
  event.detail.isError = false;
  isSignedOut = true;
  say(form, form.dataset.wordsSignIn);
}, true);

/** Signing in gives a new token; the page still holds the one from before. */
document.addEventListener("htmx:confirm", async (event) => {
  const form = isOurs(event);
  if (!form || !isSignedOut) return;
  event.preventDefault();
  try {
    const page = await fetch(form.action, { redirect: "error", cache: "no-store" });
    const token = new DOMParser().parseFromString(await page.text(), "text/html").querySelector("[name='csrfmiddlewaretoken']").value;
    form.elements.csrfmiddlewaretoken.value = token;
    document.body.setAttribute("hx-headers", JSON.stringify({ "x-csrftoken": token }));
    isSignedOut = false;
    event.detail.issueRequest(true);
  } catch {
    say(form, form.dataset.wordsSignIn);
  }
});

window.addEventListener("online", () => { if (retrying) sendAgain(); });
/* A page that is posted without htmx leaves on purpose. */
document.addEventListener("submit", (event) => { if (!event.target.hasAttribute("hx-post")) isDirty = false; });
window.addEventListener("beforeunload", (event) => { if (isDirty && theForm()) event.preventDefault(); });

/* ---- A new item has arrived ---- */

let since = 0;
let seconds = 0;

const tick = () => {
  const now = performance.now();
  if (!document.hidden) seconds += (now - since) / 1000;
  since = now;
};
document.addEventListener("visibilitychange", () => {
  if (document.hidden) { seconds += (performance.now() - since) / 1000; }
  since = performance.now();
});
document.addEventListener("htmx:configRequest", (event) => {
  if (!isOurs(event)) return;
  tick();
  event.detail.parameters.set("seconds", String(Math.round(seconds)));
});

const keepPace = (details) => {
  try {
    details.open = localStorage.getItem("pace") !== "hidden";
    details.addEventListener("toggle", () => localStorage.setItem("pace", details.open ? "shown" : "hidden"));
  } catch { /* not kept, still shown */ }
};

const arrive = (form) => {
  past = [];
  present = answersIn(form);
  isDirty = form.querySelector("[role='alert']") !== null;
  since = performance.now();
  seconds = Number(part(form, "seconds").value);
  keepPace(part(form, "pace"));
  for (const details of all(form, "[data-part='cannot']")) details.open = details.querySelector("select").value !== "";
  draw(form);
  const first = criteria(form).find((criterion) => !isAnswered(criterion)) ?? criteria(form)[0];
  activate(form, first, { focus: isDirty });
};

const arriveOnPage = () => {
  for (const time of all(document, ".work time")) time.textContent = new Date(time.dateTime).toLocaleTimeString("en-GB");
  isSignedOut = false;
  isDirty = false;
  if (theForm()) arrive(theForm());
};

/* The first item is there with the page: waiting for htmx would forget a key pressed meanwhile. */
arriveOnPage();
document.addEventListener("htmx:load", (event) => { if (event.detail.elt.id === "work") arriveOnPage(); });
