/* Says when a request of htmx got no answer or an error, and lets a notice be closed; leads to what is wrong
   with a form. The page and what was typed stay as they are. */
const say = (id) => {
  const toast = document.getElementById(id).content.cloneNode(true);
  document.getElementById("toasts").replaceChildren(toast);
};

document.addEventListener("htmx:sendError", () => say("toast-offline"));
document.addEventListener("htmx:timeout", () => say("toast-offline"));
document.addEventListener("htmx:responseError", () => say("toast-failed"));
document.addEventListener("allauth.error", () => say("toast-key"));
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-behaviour='close-toast']")) event.target.closest(".toast").remove();
});

/* A form that came back begins where it is wrong: that may lie far below the top of its page. */
const wrong = document.querySelector("main .errorlist.nonfield, main [aria-invalid='true']");
if (wrong && !document.querySelector("main [autofocus]")) {
  if (wrong.matches(".errorlist")) wrong.tabIndex = -1;
  wrong.focus();
  wrong.scrollIntoView({ block: "center" });
}
