/* What is being written in a discussion is kept as a draft until it is said. It is said once all of it has
   arrived: the page that answers is another one, and this one could not keep what the network loses.
   Until then nothing else is written in its place. */

import * as drafts from "./drafts.js";
import * as outbox from "./outbox.js";

const PATIENCE = 20000; // milliseconds: somebody thought better of it

const form = document.querySelector("[data-behaviour='discussing']");
const field = form.elements.text;
drafts.begin(form, () => {});
form.addEventListener("input", () => drafts.note());
let giveUp = 0;
const goOn = () => {
  clearTimeout(giveUp);
  delete form.dataset.isKept;
  field.readOnly = false;
};
form.addEventListener("submit", async (event) => {
  if (form.dataset.isKept) return;
  event.preventDefault();
  if (field.readOnly) return;
  field.readOnly = true;
  await outbox.flush();
  if (outbox.waiting((entry) => entry.place === drafts.placeOf(form)).length) { goOn(); return; }
  form.dataset.isKept = "yes";
  giveUp = setTimeout(goOn, PATIENCE);
  setTimeout(() => form.requestSubmit(event.submitter)); // not while the form is still being sent
});
window.addEventListener("pageshow", (event) => { if (event.persisted) goOn(); });
