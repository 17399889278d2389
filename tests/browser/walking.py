"""Going from page to page in one browser, and what is wrong with each on the way."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.cookies import Morsel

from axe_playwright_python.base import AXE_SCRIPT
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, Route, ViewportSize, expect

from accounts.models import User
from analytics.present.glossary import SYMBOLS
from tests.cast import signed_in

DESK: ViewportSize = {"width": 1440, "height": 900}
PHONE: ViewportSize = {"width": 390, "height": 844}
# WCAG 2.2 AA, and what the makers of axe recommend besides: the order of headings, landmarks.
EVERYTHING = {
    "type": "tag",
    "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
}
# What another theme may break in the same document, and what another width may.
COLOURS = ("color-contrast", "link-in-text-block")
PLACES = (
    *("target-size", "scrollable-region-focusable", "page-has-heading-one", "region"),
    "heading-order",
)
OF_THEME = {"type": "rule", "values": [*COLOURS]}
OF_WIDTH = {"type": "rule", "values": [*COLOURS, *PLACES]}
# A page is loaded once in each language and looked at in each width and theme, in the light last, as the
# next one begins. axe reads it by all rules at a desk and on a phone, and by those about colours in the
# other theme of both.
LOOKS = {
    "en": (
        (DESK, "light", EVERYTHING),
        (DESK, "dark", None),
        (PHONE, "dark", OF_WIDTH),
        (PHONE, "light", None),
    ),
    "zh-hans": (
        (DESK, "light", None),
        (DESK, "dark", OF_THEME),
        (PHONE, "dark", None),
        (PHONE, "light", EVERYTHING),
    ),
}
# axe reads the same few colours thousands of times, and writes down the HTML of all that it looks at.
AXE = f"""{AXE_SCRIPT};
axe.configure({{noHtml: true}});
(colour => {{
  const read = colour.parseString, known = new Map();
  colour.parseString = function (text) {{
    if (!known.has(text)) {{
      const {{r, g, b, alpha}} = read.call(this, text);
      known.set(text, {{r, g, b, alpha}});
    }}
    return Object.assign(this, known.get(text));
  }};
}})(axe.commons.color.Color.prototype);"""
# axe takes as long for the contrast of every text as for six times all else. Texts that look the same,
# as all do in which they lie, have the same contrast: of those it reads the first, the middle and the
# last one.
FIND_BREACHES = """async runOnly => {
  const known = new Map(), covers = new Map(), numbers = new Map();
  const paints = one => [one, ...one.querySelectorAll("*")].some(part => {
    const is = getComputedStyle(part);
    return is.backgroundColor !== "rgba(0, 0, 0, 0)" || is.backgroundImage !== "none" || part.matches("img, svg, canvas");
  });
  const covered = parent => {
    if (!covers.has(parent)) covers.set(parent, [...parent.children].some(one =>
      ["absolute", "fixed"].includes(getComputedStyle(one).position) && one.clientWidth > 1 && paints(one)));
    return covers.get(parent);
  };
  const look = one => {
    if (!one) return "";
    if (!known.has(one)) {
      const is = getComputedStyle(one);
      const own = [one.tagName, one.getAttribute("class"), is.backgroundColor, is.backgroundImage, is.opacity, is.filter,
        is.mixBlendMode, is.color, is.fill, is.fontSize, is.fontWeight, is.textShadow, is.display, is.visibility,
        one.matches("label, :disabled, [aria-disabled='true']") || covered(one) ? known.size : ""];
      const whole = `${own} in ${look(one.parentElement)}`;
      if (!numbers.has(whole)) numbers.set(whole, numbers.size);
      known.set(one, numbers.get(whole));
    }
    return known.get(one);
  };
  const alike = new Map(), read = [...document.querySelectorAll("input, select, textarea")];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text; (text = texts.nextNode()); ) {
    const said = text.data.trim(), own = text.parentElement;
    if (!said) continue;
    const kind = `${said.length === 1} ${/[\\p{L}\\p{N}]/u.test(said)} ${look(own)}`;
    alike.set(kind, [...(alike.get(kind) ?? []), own]);
  }
  for (const same of alike.values()) read.push(same[0], same[same.length >> 1], same.at(-1));
  document.querySelectorAll("[data-read]").forEach(one => one.removeAttribute("data-read"));
  read.forEach(one => one.setAttribute("data-read", ""));
  axe.configure({rules: [{id: "color-contrast", selector: "[data-read]"}]});
  const found = await axe.run(document, {runOnly, resultTypes: ["violations"], elementRef: true, selectors: false});
  return found.violations.map(one =>
    `${one.id}: ${one.nodes.length}x ${one.nodes.slice(0, 4).map(n => n.element.outerHTML.slice(0, 240)).join(" | ")}`);
}"""
UNFOLD = "document.querySelectorAll('details').forEach(one => { one.open = true })"
CHARTS_ARE_DRAWN = """() => [...document.querySelectorAll("[data-behaviour='chart']")].every(
  one => !one.checkVisibility() || one.querySelector("svg"))"""
# Drawings stand there without it, but their marks say nothing to a pointer or a keyboard.
MARKS_ARE_MUTE = """() => document.querySelector("[data-behaviour='chart']")
  && !document.querySelector("script[src*='js/charts']")"""
# What makes the page wider than the window, innermost first.
FIND_WIDE = """() => {
  const most = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= most) return [];
  const wide = [...document.querySelectorAll("body *")].filter(
    one => one.getBoundingClientRect().right > most + 1 && !one.closest("[popover]"));
  return wide.reverse().slice(0, 4).map(one => one.outerHTML.slice(0, 160));
}"""
READ = """() => ({
  title: document.title.trim(),
  lang: document.documentElement.lang,
  headings: [...document.querySelectorAll("h1")].map(one => one.innerText.trim()),
})"""
# Words that are shown, but for what was typed in by somebody or is code.
READ_WORDS = """() => {
  const found = new Set();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text; (text = texts.nextNode()); ) {
    const own = text.parentElement;
    if (own.closest("code, pre, kbd, script, style, textarea, svg, template, [lang='en'], .verbatim, .diff, .code")) continue;
    if (own.checkVisibility()) found.add(text.data.trim().replace(/\\s+/g, " "));
  }
  for (const name of ["aria-label", "title", "placeholder", "alt"])
    for (const one of document.querySelectorAll(`body [${name}]`))
      if (!one.closest("svg, [lang='en']")) found.add(one.getAttribute(name).trim());
  return [...found];
}"""
# Symbols of a page of figures that nothing on it explains; the methods are there to be copied.
FIND_UNEXPLAINED = """symbols => {
  if (!document.querySelector("[popover][id^='glass-']") || document.querySelector("dl.glossary")) return [];
  const main = document.querySelector("main").cloneNode(true);
  main.querySelectorAll("svg, script, select, [popover], .visually-hidden, #methods-text").forEach((one) => one.remove());
  return Object.entries(symbols)
    .filter(([symbol, key]) => main.textContent.includes(symbol) && !main.querySelector(`[popovertarget='glass-${key}']`))
    .map(([symbol]) => symbol);
}"""
THREE_ENGLISH_WORDS = re.compile(r"(?:\b[A-Za-z][a-z’]+ ){2}[a-z]{2,}\b")


READ_CHARTS = """() => [...document.querySelectorAll("svg[aria-label], svg [aria-label]")].map(
  one => one.getAttribute("aria-label"))"""
# A mark of English after Chinese, or one that begins a text, as what it follows ends in an element.
MARK_OF_ENGLISH = re.compile(r"[\u4e00-\u9fff”）] ?[,:;()]|[\u4e00-\u9fff”）]\.( |$)|^[:,.] ")


@dataclass
class Walk:
    """One walk in one language; `faults` is what it came across, in the order of the way."""

    language: str
    spoken: re.Pattern[str]  # English that people of the world typed
    faults: list[str] = field(default_factory=list)
    titles: dict[str, str] = field(default_factory=dict)

    def visit(
        self, page: Page, name: str, address: str, *, status: int = 200, names_itself: bool = True
    ) -> None:
        """Load a page once; look at it at a desk and on a phone, in the light and in the dark."""
        fit(page, DESK)
        with self.listening(page, name, address if status != 200 else ""):
            answer = page.goto(address)
            if answer is None or answer.status != status:
                self.note(name, f"{address} answers {answer and answer.status}")
                return
            page.evaluate(UNFOLD)
            if not page.evaluate(CHARTS_ARE_DRAWN):
                page.wait_for_function(CHARTS_ARE_DRAWN)
            if page.evaluate(MARKS_ARE_MUTE):
                self.note(name, "has a chart and does not load charts.js")
            if names_itself:
                self.compare_title(page, name)
            self.look(page, name)

    def compare_title(self, page: Page, name: str) -> None:
        earlier = self.titles.setdefault(page.title(), name)
        if earlier.partition(" ")[0] != name.partition(" ")[0]:
            self.note(name, f"has the title of {earlier}: {page.title()}")

    def look(self, page: Page, name: str) -> None:
        read = page.evaluate(READ)
        if read["lang"].lower() != self.language:
            self.note(name, f"speaks {read['lang']}")
        if len(read["headings"]) != 1 or not read["headings"][0]:
            self.note(name, f"h1: {read['headings']}")
        if read["title"].startswith("·"):
            self.note(name, f"title: {read['title']}")
        if self.language != "en":
            self.find_english(page, name)
        for symbol in page.evaluate(FIND_UNEXPLAINED, dict(SYMBOLS)):
            self.note(name, f"explains {symbol} nowhere")
        for size, scheme, rules in LOOKS[self.language]:
            fit(page, size)
            page.emulate_media(color_scheme=scheme)
            for wide in page.evaluate(FIND_WIDE):
                self.note(name, f"is wider than {size['width']}: {wide}")
            for breach in page.evaluate(FIND_BREACHES, rules) if rules else ():
                self.note(name, f"{scheme} at {size['width']}: {breach}")

    def find_english(self, page: Page, name: str) -> None:
        shown = page.evaluate(READ_WORDS)
        for words in (*shown, *page.evaluate(READ_CHARTS)):
            if found := MARK_OF_ENGLISH.search(words):
                around = words[max(found.start() - 30, 0) : found.end() + 30]
                self.note(name, f"has a mark of English: {around}")
        for words in shown:
            if THREE_ENGLISH_WORDS.search(self.spoken.sub("", words)):
                self.note(name, f"says in English: {words[:120]}")

    def note(self, name: str, fault: str) -> None:
        self.faults.append(f"{name}: {fault}")

    @contextmanager
    def listening(self, page: Page, name: str, refused: str) -> Iterator[None]:
        """Note what the console complains of and what is not answered, but for `refused`."""

        def on_answer(answer) -> None:
            if answer.status >= 400 and not (refused and answer.url.endswith(refused)):
                self.note(name, f"{answer.status} from {answer.url}")

        def on_line(line) -> None:
            if line.type == "error" and not refused:
                self.note(name, f"console: {line.text}")

        def on_error(error) -> None:
            self.note(name, f"script: {error}")

        heard = {"response": on_answer, "console": on_line, "pageerror": on_error}
        for event, hear in heard.items():
            page.on(event, hear)
        yield
        for event, hear in heard.items():
            page.remove_listener(event, hear)


def fit(page: Page, size: ViewportSize) -> None:
    """A window that is told the size it has is laid out and drawn anew all the same."""
    if page.viewport_size != size:
        page.set_viewport_size(size)


def sign_in(page: Page, user: User, client: Client | None = None) -> Page:
    """As somebody who has just done so, or as in `client`; `test_journey.py` does it by hand."""
    known = (client or signed_in(user)).cookies.items()
    page.context.add_cookies(
        [
            {"name": name, "value": morsel.value, "domain": "localhost", "path": "/"}
            for name, morsel in known
        ]
    )
    return page


def visit_in(page: Page, language: str, address: str) -> None:
    """Load a page as somebody who has chosen this language."""
    cookie = {"name": "django_language", "value": language, "domain": "localhost", "path": "/"}
    page.context.add_cookies([cookie])
    page.goto(address)
    expect(page.locator("html")).to_have_attribute("lang", language, ignore_case=True)


@contextmanager
def browsing(
    chromium: Browser, url: str, language: str, cookies: Mapping[str, Morsel[str]]
) -> Iterator[Page]:
    """A page in a profile of its own, with the cookies of somebody who has signed in."""
    context: BrowserContext = chromium.new_context(
        base_url=url, locale="en-GB", viewport=DESK, reduced_motion="reduce"
    )
    context.set_default_timeout(60_000)
    known = {name: morsel.value for name, morsel in cookies.items()} | {"django_language": language}
    context.add_cookies(
        [{"name": name, "value": value, "url": url} for name, value in known.items()]
    )
    context.add_init_script(AXE)  # into each page
    yield context.new_page()
    context.set_offline(True)  # what a page sends as it goes would meet no database
    context.close()


class Withheld:
    """Requests that the network keeps back, or loses, until they are let through.

    They are watched to the end all the same: one that Chromium asks about while the watching is
    switched off would wait for good.
    """

    def __init__(self, where: Page | BrowserContext, pattern: str, *, are_lost: bool = False):
        self.waiting: list[Route] = []
        self._are_lost = are_lost
        self._are_free = False
        where.route(pattern, self._take)

    def _take(self, route: Route) -> None:
        if self._are_free:
            route.continue_()
        elif self._are_lost:
            route.abort()
        else:
            self.waiting.append(route)

    def let_through(self) -> None:
        self._are_free = True
        for route in self.waiting:
            route.continue_()
