/* What is said beside a value. Words that are selected in the dialogue become passages `turn:start-end` of
   the criterion in view, counted in characters as the server counts them; what they quote stands beneath. */

import { all, chosen, part, questions } from "./walking.js";

const PASSAGE = /^(\d+)(?::(\d+)-(\d+))?$/;
const texts = (form) => all(form, ".turn:not(.turn--withheld) .turn__text");
const lengthOf = (text) => [...text].length;
const fieldOf = (criterion) => part(criterion, "evidence")?.querySelector("input");
const passagesIn = (field) => field.value.split(/[\s,;，；、]+/).filter(Boolean);

let marked = null; // what was last selected in the dialogue: pressing a button may end the selection
const look = () => {
  const selection = getSelection();
  const isInDialogue = selection.anchorNode?.parentElement?.closest(".dialogue");
  if (isInDialogue && !selection.isCollapsed) marked = selection.getRangeAt(0).cloneRange();
};
document.addEventListener("selectionchange", look);

/** The part of a turn that is selected, without blanks at its ends; () where none of it is. */
const partOf = (text, index) => {
  if (!marked.intersectsNode(text)) return [];
  const within = document.createRange();
  within.selectNodeContents(text);
  const before = within.cloneRange();
  if (marked.compareBoundaryPoints(Range.START_TO_START, within) > 0) within.setStart(marked.startContainer, marked.startOffset);
  if (marked.compareBoundaryPoints(Range.END_TO_END, within) < 0) within.setEnd(marked.endContainer, marked.endOffset);
  before.setEnd(within.startContainer, within.startOffset);
  const words = within.toString();
  const start = lengthOf(before.toString()) + lengthOf(words) - lengthOf(words.trimStart());
  const end = start + lengthOf(words.trim());
  return end > start ? [`${index + 1}:${start}-${end}`] : [];
};

/** The selected words, or else the turn that has the focus. */
const pointedAt = (form) => {
  const every = texts(form);
  if (marked?.startContainer.isConnected) return every.flatMap(partOf);
  const turn = every.findIndex((text) => text.closest(".turn") === document.activeElement);
  return turn < 0 ? [] : [`${turn + 1}`];
};

const write = (field, passages) => {
  field.value = [...new Set(passages)].join(" ");
  field.dispatchEvent(new Event("change", { bubbles: true }));
};

/** Take what is selected as evidence for a criterion; say how it is done where nothing is. */
export const quote = (form, criterion) => {
  const field = criterion && fieldOf(criterion);
  if (!field) return;
  look();
  const found = pointedAt(form);
  if (found.length) write(field, [...passagesIn(field), ...found]);
  else part(criterion, "quotes").replaceChildren(Object.assign(document.createElement("li"), { textContent: part(criterion, "quotes").dataset.wordsNone }));
  marked = null;
  getSelection().removeAllRanges();
};

export const unquote = (button) => {
  const field = fieldOf(button.closest(".criterion"));
  write(field, passagesIn(field).filter((one) => one !== button.dataset.passage));
  field.focus();
};

/** The words of a passage; "" where it lies in no text. */
const wordsAt = (form, passage) => {
  const [, turn, start = "0", end] = passage.match(PASSAGE) ?? [];
  const characters = [...(texts(form)[turn - 1]?.textContent ?? "")];
  return Number(end ?? 0) > characters.length ? "" : characters.slice(start, end).join("");
};

const sayOf = (form, passage) => {
  const words = wordsAt(form, passage);
  return words ? `${passage.match(PASSAGE)[1]}: “${words}”` : passage;
};

const drawQuotes = (form, criterion) => {
  const quotes = part(criterion, "quotes");
  const isWrong = passagesIn(fieldOf(criterion)).some((passage) => !wordsAt(form, passage));
  fieldOf(criterion).setCustomValidity(isWrong ? quotes.dataset.wordsWrong : "");
  quotes.replaceChildren(...passagesIn(fieldOf(criterion)).map((passage) => {
    const line = Object.assign(document.createElement("li"), { textContent: `${sayOf(form, passage)} ` });
    const button = Object.assign(document.createElement("button"), { type: "button", className: "button button--quiet button--small", textContent: quotes.dataset.wordsRemove });
    button.dataset.behaviour = "unquote";
    button.dataset.passage = passage;
    line.append(button);
    return line;
  }));
};

/** The value that was given is not one of the others. */
const drawOthers = (criterion) => {
  const given = questions(criterion).map(chosen).filter(Boolean)
    .map((input) => (criterion.dataset.behaviour === "scale" ? input.value : input.dataset.endsAt));
  for (const input of all(part(criterion, "grounds"), "input[type='checkbox']")) {
    const label = input.closest("label");
    label.hidden = given.includes(criterion.dataset.behaviour === "scale" ? input.dataset.value : label.textContent.trim());
    if (label.hidden) input.checked = false;
  }
};

export const drawGrounds = (form, criterion) => {
  if (!part(criterion, "grounds")) return;
  drawOthers(criterion);
  if (fieldOf(criterion)) drawQuotes(form, criterion);
};
