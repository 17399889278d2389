/* Says how long ago a time was, and goes on saying it: <time datetime data-behaviour="ago">. */
const words = new Intl.RelativeTimeFormat(document.documentElement.lang, { numeric: "always" });

const ago = (seconds) => {
  if (seconds < 60) return words.format(-seconds, "second");
  if (seconds < 3600) return words.format(-Math.floor(seconds / 60), "minute");
  if (seconds < 86400) return words.format(-Math.floor(seconds / 3600), "hour");
  return words.format(-Math.floor(seconds / 86400), "day");
};

const say = () => {
  for (const time of document.querySelectorAll("time[data-behaviour='ago']")) {
    const seconds = Math.max(0, Math.round((Date.now() - Date.parse(time.dateTime)) / 1000));
    const text = ago(seconds);
    if (time.textContent !== text) time.textContent = text;
  }
};

say();
setInterval(say, 1000);
document.addEventListener("htmx:afterSwap", say);
