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

/** What a form says as it was drawn. */
const asDrawn = (form) => {
  const copy = form.cloneNode(true);
  copy.reset();
  return signature(copy);
};

/** A form has arrived; `drawn` is called after it was filled in from elsewhere. What somebody filled in
    before this script stood is a draft as well. */
export const begin = (form, drawn) => {
  const version = Number(form.dataset.draftVersion);
  begun = { form, drawn, writer: outbox.newId(), version, base: version, seen: asDrawn(form) };
  note();
  outbox.ready.then(goOnWithWhatWasLeft);
};

/** A page that is gone left a draft of this form, which may not have reached the server. */
const goOnWithWhatWasLeft = () => {
  const mine = begun;
  if (!mine || mine.version !== mine.base || signature(mine.form) !== mine.seen) return;
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

/** What was filled in elsewhere stands beside what stands here, until somebody has chosen. */
const choose = (mine, { at, codes, words }, decided) => {
  const notice = document.querySelector("template[data-part='conflict']").content.firstElementChild.cloneNode(true);
  const time = notice.querySelector("time");
  if (at) time.textContent = new Date(at).toLocaleTimeString("en-GB");
  else time.remove();
  const decide = (isTheirs) => () => {
    notice.remove();
    if (isTheirs) fillIn(mine.form, codes, words);
    decided(isTheirs);
    mine.drawn();
  };
  notice.querySelector("[data-behaviour='take-theirs']").addEventListener("click", decide(true));
  notice.querySelector("[data-behaviour='keep-mine']").addEventListener("click", decide(false));
  mine.form.querySelector("[data-part='choice']")?.remove();
  (mine.form.querySelector(".work__form") ?? mine.form).prepend(notice);
};

/** The server has kept another draft of the form. */
const chooseOrTheServers = (mine, theirs) => {
  const words = { ...theirs.fields, [mainOf(mine.form)]: theirs.words };
  choose(mine, { at: theirs.kept_at, codes: theirs.fields, words }, (isTheirs) => {
    mine.base = theirs.version;
    mine.version = Math.max(mine.version, theirs.version);
    mine.seen = isTheirs ? signature(mine.form) : "";
    if (isTheirs) outbox.drop(idOf(mine));
    else note();
  });
};

/** What a page left that is gone comes after this form was filled in already. */
const chooseOrWhatWasLeft = (mine, left) => choose(mine, left, (isTheirs) => {
  outbox.drop(left.id);
  if (isTheirs) note();
});

outbox.listen({
  adopted: goOnWithWhatWasLeft,
  answered: (entry, response, text) => {
    if (entry.kind !== "draft" || response.status !== 409 || !begun || entry.place !== placeOf(begun.form)) return false;
    if (entry.id === idOf(begun)) chooseOrTheServers(begun, JSON.parse(text));
    else chooseOrWhatWasLeft(begun, entry);
    return false;
  },
});
