/* Signing in again in place: what the server asks for is asked in a dialog, step by step, and what
   was being read is covered until the same person is back. */

const dialog = document.querySelector("dialog[data-part='sign-in']");
const place = dialog.querySelector("[data-part='sign-in-form']");
const asksForIt = (form) => form.querySelector("input[type='password'], input[name='code']");

const formOf = (html, address) => {
  const page = new DOMParser().parseFromString(html, "text/html");
  const form = [...page.querySelectorAll("main form[method='post']")].find(asksForIt);
  if (!form) return null;
  form.action = new URL(form.getAttribute("action") ?? address, address).href;
  for (const odd of form.querySelectorAll("[type='submit'][form], script")) odd.remove();
  return document.adoptNode(form);
};

const show = async (response) => {
  const form = formOf(await response.text(), response.url);
  place.replaceChildren(...(form ? [form] : []));
  form?.querySelector("input:not([type='hidden'])")?.focus();
};

/** Resolves once `isBack()` says so, whichever way that came about. */
export const signInAgain = async (address, isBack) => {
  if (dialog.open) return new Promise(() => {});
  document.documentElement.classList.add("is-covered");
  dialog.showModal();
  fetch(address, { cache: "no-store" }).then(show).catch(() => {});
  return new Promise((resolve) => {
    const stop = new AbortController();
    const look = async () => {
      try { if (stop.signal.aborted || !(await isBack())) return false; } catch { return false; }
      stop.abort();
      place.replaceChildren();
      dialog.close();
      document.documentElement.classList.remove("is-covered");
      resolve();
      return true;
    };
    dialog.addEventListener("cancel", (event) => event.preventDefault(), { signal: stop.signal });
    dialog.addEventListener("close", () => dialog.showModal(), { signal: stop.signal }); // browsers heed a second Esc
    place.addEventListener("submit", async (event) => {
      event.preventDefault();
      const form = event.target;
      try {
        const response = await fetch(form.action, { method: "POST", body: new FormData(form, event.submitter), cache: "no-store" });
        if (!(await look())) await show(response);
      } catch { /* the form stands; it is sent again */ }
    }, { signal: stop.signal });
    window.addEventListener("focus", look, { signal: stop.signal });
    document.addEventListener("visibilitychange", look, { signal: stop.signal });
  });
};
