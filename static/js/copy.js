// @ts-check
/** Copy the text of another element, and say so on the button for a moment. */

document.addEventListener("click", async (event) => {
  const target = event.target;
  const button = target instanceof Element && target.closest("[data-behaviour='copy']");
  if (!(button instanceof HTMLButtonElement)) return;
  const source = document.getElementById(button.dataset.of ?? "");
  if (!source) return;
  await navigator.clipboard.writeText(source.innerText);
  const words = button.textContent;
  button.textContent = button.dataset.wordsDone ?? words;
  setTimeout(() => (button.textContent = words), 2000);
});
