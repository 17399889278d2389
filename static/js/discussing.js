/* What is being written in a discussion is kept as a draft until it is said. It is said once all of it has
   arrived: the page that answers is another one, and this one could not keep what the network loses. */

import * as drafts from "./drafts.js";
import * as outbox from "./outbox.js";

const form = document.querySelector("[data-behaviour='discussing']");
drafts.begin(form, () => {});
form.addEventListener("input", () => drafts.note());
form.addEventListener("submit", async (event) => {
  if (form.dataset.isKept) return;
  event.preventDefault();
  await outbox.flush();
  if (outbox.waiting((entry) => entry.place === drafts.placeOf(form)).length) return;
  form.dataset.isKept = "yes";
  setTimeout(() => form.requestSubmit(event.submitter)); // not while the form is still being sent
});
window.addEventListener("pageshow", () => { delete form.dataset.isKept; });
