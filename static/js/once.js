/* The second press of a double click sends nothing: what a button asks for is done once. */

const SETTLED = 3000; // milliseconds: an answer that is a file leaves the page as it is
const sent = new WeakMap();

window.addEventListener("submit", (event) => {
  if (event.defaultPrevented || event.target.method !== "post") return;
  const button = event.submitter ?? event.target;
  if (event.timeStamp - sent.get(button) < SETTLED) event.preventDefault();
  else sent.set(button, event.timeStamp);
});
