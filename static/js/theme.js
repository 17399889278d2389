/* Light or dark: the server draws what the cookie says, so nothing flashes; this button changes it. */
const root = document.documentElement;
const isDark = () => (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";

document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-behaviour='theme-toggle']")) return;
  root.dataset.theme = isDark() ? "light" : "dark";
  document.cookie = `theme=${root.dataset.theme}; path=/; max-age=31536000; samesite=lax`;
});
