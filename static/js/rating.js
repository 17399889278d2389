/* Rating an item: one question in view, everything by keyboard, and no answer lost on the way.
   Without this script every question is on the page and the form is posted as it is. */

import * as drafts from "./drafts.js";
import { drawGrounds, quote, unquote } from "./grounds.js";
import { isHeld, keyOf } from "./keys.js";
import * as outbox from "./outbox.js";
import { all, chosen, comma, drawTaxonomy, fill, part, prune, questions, showPane, stepBack, stepOn, walk, wordsOf } from "./walking.js";

const theForm = () => document.querySelector("[data-behaviour='rating']");

/** A form that is only tried out keeps nothing and sends nothing by itself. */
const isTrial = (form) => form?.dataset.form === "trial";
const noteDraft = (form) => { if (!isTrial(form)) drafts.note(); };

/* ---- Criteria: a taxonomy asks its questions one by one, a scale has one ---- */

const criteria = (form) => all(form, "[data-behaviour='taxonomy'], [data-behaviour='scale']");
const isTaxonomy = (criterion) => criterion.dataset.behaviour === "taxonomy";
const isExcused = (criterion) => part(criterion, "cannot").querySelector("select").value !== "";
const activeOf = (form) => form.querySelector(".criterion.is-active");

const isAnswered = (criterion) => isExcused(criterion)
  || (isTaxonomy(criterion) ? walk(criterion).end >= 0 : Boolean(chosen(criterion)));

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
    drawGrounds(form, criterion);
  }
  const open = criteria(form).filter((criterion) => !isAnswered(criterion));
  const { words, wordsNone } = part(form, "open").dataset;
  const names = open.map((criterion) => criterion.getAttribute("aria-label")).join(comma);
  part(form, "open").textContent = open.length ? fill(words, { names }) : wordsNone;
};

const activate = (form, criterion, { focus = true } = {}) => {
  for (const one of criteria(form)) one.classList.toggle("is-active", one === criterion);
  if (!criterion || !focus) return;
  showPane(form, "form");
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

const answersIn = (form) => JSON.stringify(drafts.codesOf(form));

const remember = (form) => {
  const now = answersIn(form);
  if (now === present) return;
  past.push(present);
  present = now;
  noteDraft(form);
};

const undo = (form) => {
  if (past.length === 0) return;
  present = past.pop();
  drafts.fillIn(form, JSON.parse(present));
  for (const criterion of criteria(form)) delete criterion.dataset.viewing;
  all(form, "[data-part='dropped']").forEach((note) => { note.hidden = true; });
  draw(form);
  noteDraft(form);
  if (activeOf(form)) activate(form, activeOf(form));
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
  const isDone = isAnswered(criterion) && !part(criterion, "grounds");
  activate(form, isDone ? nextOpen(form) ?? criterion : criterion);
};

const excuse = (form, select) => {
  if (select.value) all(select.closest(".criterion"), "input:checked").forEach((input) => { input.checked = false; });
  remember(form);
  draw(form);
};

/* ---- Keys ---- */

const back = (form, criterion) => {
  if (!criterion || !isTaxonomy(criterion) || !stepBack(criterion)) return false;
  draw(form);
  activate(form, criterion);
  return true;
};

const forward = (form, criterion) => {
  if (!criterion || !stepOn(criterion)) return false;
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
  showPane(form, "dialogue");
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
  b: (form) => step(form, -1),
  u: undo,
  c: (form) => { showPane(form, "form"); form.elements.comment.focus(); },
  d: (form) => form.querySelector("[data-behaviour='defer']")?.click(),
  e: (form) => quote(form, activeOf(form) ?? criteria(form)[0]),
  x: openCannot,
  j: (form) => moveTurn(form, 1),
  k: (form) => moveTurn(form, -1),
  "?": () => document.querySelector("dialog[data-part='keys']").showModal(),
};

document.addEventListener("keydown", (event) => {
  lastKey = event.key;
  const form = theForm();
  if (isTrial(form) && !form.contains(event.target)) return;
  if (!form || event.isComposing || event.key === "Process" || document.querySelector("dialog[open]")) return;
  if (isWaiting) { event.preventDefault(); return; }
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    if (!event.repeat) form.requestSubmit(form.querySelector("[data-behaviour='submit']"));
    return;
  }
  const field = event.target.closest("textarea, select, input:not([type='radio'])");
  if (event.key === "Enter" && field?.matches("input[name^='grounds.']")) {
    event.preventDefault();
    if (!event.repeat) goOn(form);
    return;
  }
  if (field && event.key === "Escape") activate(form, activeOf(form) ?? criteria(form)[0]);
  if (field || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Enter" && event.target.closest("a, button, summary")) return;
  const key = keyOf(event);
  const isChoice = /^[0-9yn]$/.test(key);
  if (isHeld(event) && (isChoice || actions[key])) { event.preventDefault(); return; }
  const isHandled = isChoice && choose(form, key);
  if (!isHandled && !actions[key]) return;
  event.preventDefault();
  if (!isHandled) actions[key](form);
});

/** What keys do, buttons do too. */
const pressed = (form, button) => {
  if (button?.dataset.behaviour === "back") step(form, -1);
  if (button?.dataset.behaviour === "undo") undo(form);
  if (button?.dataset.behaviour === "quote") quote(form, button.closest(".criterion"));
  if (button?.dataset.behaviour === "unquote") unquote(button);
  if (button?.dataset.step === undefined) return;
  const criterion = button.closest(".criterion");
  criterion.dataset.viewing = button.dataset.step;
  draw(form);
  activate(form, criterion);
};

document.addEventListener("pointerdown", () => { lastKey = ""; });

document.addEventListener("click", (event) => {
  const form = theForm();
  const keys = document.querySelector("dialog[data-part='keys']");
  if (event.target.closest("[data-behaviour='go-on']")) {
    sessionStorage.removeItem("heavy");
    event.target.closest("[data-part='break']").hidden = true;
  }
  if (event.target.closest("[data-behaviour='show-keys']")) keys.showModal();
  if (event.target.closest("[data-behaviour='close-keys']")) keys.close();
  if (form && event.target.matches(".criterion input[type='radio']")) answer(form, event.target);
  if (form && !isWaiting) pressed(form, event.target.closest("button"));
});

document.addEventListener("change", (event) => {
  if (event.target.matches("[name^='cannot.']")) excuse(theForm(), event.target);
  if (event.target.matches("[data-behaviour='rating'] [name^='grounds.']")) {
    remember(theForm());
    draw(theForm());
  }
});
document.addEventListener("input", (event) => {
  if (!event.target.matches("[data-behaviour='rating'] :is(textarea, [name$='.evidence'])")) return;
  if (event.target.matches("input")) draw(theForm());
  noteDraft(theForm());
});
/* What is wrong has to be in view for the browser to say so. */
document.addEventListener("invalid", (event) => {
  const criterion = event.target.closest("[data-behaviour='rating'] .criterion");
  if (criterion) activate(theForm(), criterion, { focus: false });
}, true);
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

/* ---- Submitting: the outbox sends, and the next item is there already ---- */

const AHEAD = 4;
let ahead = []; // {id, html} of items that were fetched: in memory, and nowhere else
const handedInAt = new Map(); // when this page submitted an item, by its id
let isFetching = false;
let isWaiting = false;

const isOnRound = (form) => form?.dataset.form === "rating";
const isOfRound = (entry) => entry.form === "rating" && outbox.isAnswer(entry);

/** The items that this page has, shown, fetched or on their way, but for one. */
const heldBut = (id) => {
  const form = theForm();
  const shown = form && !isWaiting ? [form.dataset.place] : [];
  const onTheWay = outbox.waiting(isOfRound).map((entry) => entry.of);
  return [...new Set([...shown, ...ahead.map((one) => one.id), ...onTheWay])].filter((one) => one !== id).join(",");
};

const show = (html) => {
  const next = new DOMParser().parseFromString(html, "text/html").querySelector("#work");
  const last = document.querySelector("#work");
  if (next.elements && last.elements) next.elements.csrfmiddlewaretoken.value ||= last.elements.csrfmiddlewaretoken.value;
  last.replaceWith(next);
  isWaiting = false;
  arriveOnPage();
  if (!next.contains(document.activeElement)) next.querySelector("[autofocus]")?.focus();
};

/** What came from the server: shown if somebody waits for it, kept for later if not. An answer to what was
    asked before an item was submitted may bring that item once more: it is not shown again. */
const receive = (html, askedAt) => {
  const id = html.match(/data-place="(\d+)"/)?.[1];
  const isKnown = handedInAt.get(id) > askedAt || heldBut("").split(",").includes(id);
  if (isWaiting && !isKnown) show(html);
  else if (id && !isKnown) ahead.push({ id, html });
  return Boolean(id);
};

const fetchAhead = async () => {
  if (isFetching || !isOnRound(theForm())) return;
  isFetching = true;
  try {
    while (isOnRound(theForm()) && (isWaiting || ahead.length < AHEAD)) {
      const askedAt = performance.now();
      const address = `${theForm().dataset.ahead}?held=${heldBut("")}`;
      const answer = await fetch(address, { headers: { "HX-Request": "true" }, cache: "no-store", redirect: "manual" });
      if (!answer.ok || !receive(await answer.text(), askedAt)) break;
    }
  } catch { /* the next answer of the server brings one */ } finally { isFetching = false; }
};

const waitForAnswer = (form) => {
  isWaiting = true;
  form.querySelector(".work__form").inert = true;
  part(form, "open").textContent = "";
};

const goToNext = (form) => {
  const following = ahead.shift();
  if (following) show(following.html);
  else waitForAnswer(form);
};

const sayMissing = (form, open) => {
  const links = open.map((criterion) => Object.assign(document.createElement("a"), {
    href: `#${criterion.id}`, textContent: criterion.getAttribute("aria-label"),
  }));
  part(form, "missing-names").replaceChildren(...links.flatMap((link, place) => (place ? [comma, link] : [link])));
  part(form, "missing").hidden = false;
};

const hiddenIn = (form) => Object.fromEntries(["assignment", "supersedes", "key", "seconds"]
  .filter((name) => form.elements[name]).map((name) => [name, form.elements[name].value]));

const entryOf = (form, more) => ({
  place: drafts.placeOf(form), of: form.dataset.place, form: form.dataset.form, title: part(form, "title").textContent.trim(),
  hidden: hiddenIn(form), more: () => (isOnRound(form) ? { held: heldBut(form.dataset.place) } : {}), ...more,
});

const submit = (form) => {
  const open = criteria(form).filter((criterion) => !isAnswered(criterion));
  if (open.length) {
    sayMissing(form, open);
    activate(form, open[0]);
    return;
  }
  tick();
  countHeavy(form);
  form.elements.seconds.value = String(Math.round(seconds));
  drafts.end(form);
  handedInAt.set(form.dataset.place, performance.now());
  outbox.put(entryOf(form, {
    id: form.elements.key.value, kind: "answers", url: form.action, draftUrl: form.dataset.draft,
    codes: drafts.codesOf(form), words: drafts.wordsOf(form),
  }));
  if (isOnRound(form)) goToNext(form);
  else waitForAnswer(form);
};

/** Heavy reading is counted in this tab, and a break is offered; it holds nobody up. */
const countHeavy = (form) => {
  const care = document.querySelector("[data-part='care']");
  const after = Number(care?.dataset.breakAfter);
  if (!after || !part(form, "reveal")) return;
  try {
    const n = Number(sessionStorage.getItem("heavy")) + 1;
    sessionStorage.setItem("heavy", n);
    part(care, "break").hidden = n < after;
  } catch { /* not counted, still sent */ }
};

const passOn = (form) => {
  drafts.end(form);
  outbox.put(entryOf(form, { id: `pass:${form.dataset.place}`, kind: "later", url: form.dataset.passOn }));
  goToNext(form);
};

const putOff = (form) => {
  drafts.note();
  outbox.put(entryOf(form, { id: `later:${form.dataset.place}`, kind: "later", url: form.dataset.later }));
  goToNext(form);
};

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form !== theForm() || isTrial(form)) return;
  event.preventDefault();
  if (isWaiting) return;
  if (event.submitter?.dataset.behaviour === "defer") putOff(form);
  else if (event.submitter?.dataset.behaviour === "pass-on") passOn(form);
  else submit(form);
});

const answeredInRound = (entry, response, text, askedAt) => {
  if (response.status === 422) {
    ahead.unshift({ id: entry.of, html: text });
    if (isWaiting) goToNext(theForm());
    return true;
  }
  if (response.ok && text) receive(text, askedAt);
  if (isWaiting || !response.ok) fetchAhead();
  return false;
};

/** A correction or a decision was answered while its form still stands. */
const answeredInPlace = (entry, response, text) => {
  if (document.querySelector("#work")?.dataset.place !== entry.of) return false;
  if (response.ok) location.assign(response.headers.get("Concord-Go-On-At"));
  else if ([409, 422].includes(response.status)) show(text);
  return response.status === 422 || !outbox.isTyped(entry); // of what is refused the outbox shows what was typed
};

outbox.listen({
  answered: (entry, response, text, askedAt) => {
    if (!outbox.isAnswer(entry)) return false;
    if (entry.form === "rating") return isOnRound(theForm()) && answeredInRound(entry, response, text, askedAt);
    return answeredInPlace(entry, response, text);
  },
});

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
const keepPace = (details) => {
  try { details.open = localStorage.getItem("pace") !== "hidden"; } catch { /* shown */ }
  details.addEventListener("toggle", () => {
    try { localStorage.setItem("pace", details.open ? "shown" : "hidden"); } catch { /* not kept */ }
  });
};

const arrive = (form) => {
  past = [];
  present = answersIn(form);
  since = performance.now();
  seconds = Number(part(form, "seconds").value);
  if (part(form, "pace")) keepPace(part(form, "pace"));
  drawAnew(form);
  if (!isTrial(form)) drafts.begin(form, () => { present = answersIn(form); drawAnew(form); });
  const isSentBack = form.querySelector("[role='alert']:not([hidden])") !== null;
  const first = criteria(form).find((criterion) => !isAnswered(criterion)) ?? criteria(form)[0];
  activate(form, first, { focus: isSentBack });
};

const drawAnew = (form) => {
  for (const details of all(form, "[data-part='cannot']")) details.open = details.querySelector("select").value !== "";
  draw(form);
  outbox.draw();
};

const arriveOnPage = () => {
  for (const time of all(document, ".work time")) time.textContent = new Date(time.dateTime).toLocaleTimeString("en-GB");
  if (theForm()) arrive(theForm());
};

/* The form of a rubric that is being written comes anew with each text that has no mistake. */
document.addEventListener("htmx:load", (event) => { if (isTrial(event.target.closest?.("form"))) arriveOnPage(); });

/* A key pressed as soon as the page stands counts. What this browser has submitted and the server has
   not is not asked again. */
arriveOnPage();
outbox.ready.then(() => {
  const form = theForm();
  if (isOnRound(form) && outbox.waiting(isOfRound).some((entry) => entry.of === form.dataset.place)) waitForAnswer(form);
  fetchAhead();
});
