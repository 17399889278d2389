/* What is filled in of a form is kept as a draft: by the outbox in this browser at once, by the
   server after a pause. Two tabs or devices never overwrite one another: the later one is asked. */

import * as outbox from "./outbox.js";

const PAUSE = 800;
const CODED = /^(answer|cannot|grounds|take|code)\./;
const TYPED = "textarea[name='comment'], textarea[name='reason'], textarea[name='text'], textarea[name$='.rationale']";
let begun = null;

/** The chosen values by field name. */
export const codesOf = (form) => Object.fromEntries(
  [...new FormData(form)].filter(([name, value]) => CODED.test(name) && !name.endsWith(".rationale") && value !== ""),
);
/** What is typed, by field name. */
export const wordsOf = (form) => Object.fromEntries([...form.querySelectorAll(TYPED)].map((field) => [field.name, field.value]));
export const placeOf = (form) => `${form.dataset.form}:${form.dataset.place}`;

/** Fill a form in as a draft says; what is typed stays where `words` are not known. */
export const fillIn = (form, codes, words) => {
  for (const input of form.querySelectorAll("input[type='radio'][name]")) {
    if (CODED.test(input.name)) input.checked = codes[input.name] === input.value;
  }
  for (const box of form.querySelectorAll("input[type='checkbox'][name^='grounds.']")) box.checked = box.name in codes;
  for (const field of form.querySelectorAll("input[name$='.evidence']")) field.value = codes[field.name] ?? "";
  for (const select of form.querySelectorAll("select[name]")) select.value = codes[select.name] ?? "";
  if (words !== undefined) for (const field of form.querySelectorAll(TYPED)) field.value = words[field.name] ?? "";
};

/** The field whose words the server keeps apart from the values: comment, reason or remark. */
const mainOf = (form) => Object.keys(wordsOf(form)).find((name) => !name.endsWith(".rationale"));

const signature = (form) => JSON.stringify([codesOf(form), wordsOf(form)]);
const idOf = ({ form, writer }) => `draft:${placeOf(form)}:${writer}`;

/** A form has arrived; `drawn` is called after it was filled in from elsewhere. */
export const begin = (form, drawn) => {
  const version = Number(form.dataset.draftVersion);
  form.autocomplete = "off"; // where somebody goes back, the browser fills in what it remembers itself, later
  begun = { form, drawn, writer: outbox.newId(), version, base: version, seen: signature(form) };
  const mine = begun;
  outbox.ready.then(() => { if (begun === mine && signature(form) === mine.seen) goOnWithWhatWasLeft(mine); });
};

/** A page that is gone left a draft of this form, which may not have reached the server. */
const goOnWithWhatWasLeft = (mine) => {
  const [left] = outbox.waiting((entry) => entry.kind === "draft" && entry.place === placeOf(mine.form) && entry.writer !== mine.writer);
  if (!left) return;
  mine.writer = left.writer;
  mine.version = left.version;
  mine.base = left.base;
  fillIn(mine.form, left.codes, left.words);
  mine.seen = signature(mine.form);
  mine.drawn();
  outbox.put({ ...left, isParked: false });
};

/** Something may have changed: it is kept if it has. */
export const note = () => {
  const { form, writer, base } = begun;
  const now = signature(form);
  if (now === begun.seen) return;
  begun.seen = now;
  begun.version += 1;
  outbox.put({
    id: idOf(begun), kind: "draft", place: placeOf(form), url: form.dataset.draft, codes: codesOf(form),
    words: wordsOf(form),
    form: form.dataset.form, of: form.dataset.place, writer, version: begun.version, base,
  }, { afterwards: PAUSE });
};

/** What was kept of a form is sent with the form itself. */
export const end = (form) => outbox.dropDrafts(placeOf(form));

const choose = (theirs) => {
  const mine = begun;
  const notice = document.querySelector("template[data-part='conflict']").content.firstElementChild.cloneNode(true);
  notice.querySelector("time").textContent = new Date(theirs.kept_at).toLocaleTimeString("en-GB");
  const decide = (isTheirs) => () => {
    notice.remove();
    mine.base = theirs.version;
    mine.version = Math.max(mine.version, theirs.version);
    if (isTheirs) fillIn(mine.form, theirs.fields, { ...theirs.fields, [mainOf(mine.form)]: theirs.words });
    if (isTheirs) outbox.drop(idOf(mine));
    mine.seen = isTheirs ? signature(mine.form) : "";
    mine.drawn();
    if (!isTheirs) note();
  };
  notice.querySelector("[data-behaviour='take-theirs']").addEventListener("click", decide(true));
  notice.querySelector("[data-behaviour='keep-mine']").addEventListener("click", decide(false));
  mine.form.querySelector("[data-part='choice']")?.remove();
  (mine.form.querySelector(".work__form") ?? mine.form).prepend(notice);
};

outbox.listen({
  adopted: () => { if (begun && begun.version === begun.base) goOnWithWhatWasLeft(begun); },
  answered: (entry, response, text) => {
    if (entry.kind !== "draft" || response.status !== 409) return false;
    if (begun && idOf(begun) === entry.id) choose(JSON.parse(text));
    return false;
  },
});
