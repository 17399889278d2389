/* What is being written in a discussion is kept as a draft until it is said. */

import * as drafts from "./drafts.js";

const form = document.querySelector("[data-behaviour='discussing']");
drafts.begin(form, () => {});
form.addEventListener("input", () => drafts.note());
form.addEventListener("submit", () => drafts.end(form));
