/* Writing a rubric: its lines are numbered, mistaken ones are marked, and what is typed is kept as a
   draft by the outbox. Without this script the page checks and keeps it when it is sent. */

import * as drafts from "./drafts.js";
import * as outbox from "./outbox.js";

const form = document.querySelector("[data-behaviour='rubric']");
const { text } = form.elements;
const lines = form.querySelector("[data-part='lines']");

const newLine = () => {
  const line = document.createElement("div");
  line.append(document.createElement("span"));
  return line;
};

/** Behind the text stands each of its lines once more, unseen, so that its number keeps its height. */
const draw = () => {
  const written = text.value.split("\n");
  while (lines.children.length > written.length) lines.lastElementChild.remove();
  while (lines.children.length < written.length) lines.append(newLine());
  written.forEach((words, place) => {
    const span = lines.children[place].firstElementChild;
    if (span.textContent !== words) span.textContent = words;
  });
  text.rows = written.length;
};

const mark = () => {
  const mistaken = new Set([...document.querySelectorAll("#checked [data-line]")].map((one) => Number(one.dataset.line)));
  [...lines.children].forEach((line, place) => line.classList.toggle("is-mistaken", mistaken.has(place + 1)));
};

const goTo = (number) => {
  const written = text.value.split("\n");
  const start = written.slice(0, number - 1).join("\n").length + (number > 1 ? 1 : 0);
  text.focus({ preventScroll: true });
  text.setSelectionRange(start, start + (written[number - 1] ?? "").length);
  lines.children[number - 1]?.scrollIntoView({ block: "center" });
};

const recheck = () => window.htmx.trigger(text, "recheck");

const filledIn = () => {
  draw();
  if (document.readyState === "complete") recheck();
  else window.addEventListener("load", recheck);
};

text.addEventListener("input", () => { draw(); drafts.note(); });
document.addEventListener("htmx:afterSwap", mark);
document.addEventListener("click", (event) => {
  const link = event.target.closest("#checked [data-line]");
  if (link) goTo(Number(link.dataset.line));
});

/** A page that is left for another one of this text is left once all of it has arrived. */
document.addEventListener("submit", async (event) => {
  const sent = event.target;
  if (!sent.matches("[data-behaviour='rubric'], [data-behaviour='begin']") || sent.dataset.isKept) return;
  event.preventDefault();
  await outbox.flush();
  if (outbox.waiting((entry) => entry.place === drafts.placeOf(form)).length) return;
  sent.dataset.isKept = "yes";
  setTimeout(() => sent.requestSubmit(event.submitter)); // not while the form is still being sent
});

draw();
drafts.begin(form, filledIn);
if (text.value !== text.defaultValue) filledIn();
