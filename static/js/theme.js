/* Light or dark: the choice is kept on this device. Runs before the page is drawn, so nothing flashes. */
(() => {
  const root = document.documentElement;
  const stored = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
  const keep = (theme) => { try { localStorage.setItem("theme", theme); } catch { /* not kept, still shown */ } };
  const isDark = () => (root.dataset.theme
    ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches);

  root.dataset.scripts = "on";
  if (["light", "dark"].includes(stored())) root.dataset.theme = stored();

  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-behaviour='theme-toggle']")) return;
    root.dataset.theme = isDark() ? "light" : "dark";
    keep(root.dataset.theme);
  });
})();
