/* Says when a request of htmx got no answer or an error, and lets a notice be closed.
   The page and what was typed stay as they are. */
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
