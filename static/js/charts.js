/* Charts that the server drew: a mark says what it is to a pointer and to the keyboard, which stops at
   marks that lead nowhere too. Without this script the drawing stands there, and its links work. */

// Axes and titles have the role of marks too.
const MARK = "[data-behaviour='chart'] .role-mark [role='graphics-symbol'][aria-label]";
const tip = document.createElement("div");
tip.className = "tip";
tip.popover = "manual";
tip.ariaHidden = "true"; // readers of screens have the label of the mark
document.body.append(tip);

const show = (mark, x, y) => {
  tip.textContent = mark.getAttribute("aria-label");
  tip.showPopover();
  const { width, height } = tip.getBoundingClientRect();
  // Through the object model: a style attribute would breach the policy.
  tip.style.left = `${Math.max(8, Math.min(x + 12, innerWidth - width - 8))}px`;
  tip.style.top = `${y + 12 + height > innerHeight ? y - 12 - height : y + 12}px`;
};
const reach = () => {
  for (const mark of document.querySelectorAll(MARK)) if (!mark.closest("a")) mark.tabIndex = 0;
};
const hide = () => { if (tip.matches(":popover-open")) tip.hidePopover(); };

document.addEventListener("pointerover", (event) => {
  const mark = event.target.closest(MARK);
  if (mark) show(mark, event.clientX, event.clientY);
  else hide();
});
document.addEventListener("focusin", (event) => {
  const mark = event.target.matches("a") ? event.target.querySelector(MARK) : event.target.closest(MARK);
  if (!mark) return;
  const box = mark.getBoundingClientRect();
  show(mark, box.right, box.bottom);
});
document.addEventListener("focusout", hide);
document.addEventListener("htmx:load", reach);
reach();
document.addEventListener("htmx:beforeSwap", hide);
document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
