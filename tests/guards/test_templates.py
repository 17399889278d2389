"""What the content security policy forbids does not stand in a template, and no endless line."""

import re
from pathlib import Path

import pytest
from django.template.loader import get_template

from bench.house import long_lines, tables_by_hand

TEMPLATES = Path(__file__).resolve().parent.parent.parent / "templates"
PAGES = sorted(TEMPLATES.rglob("*.html"))
FORBIDDEN = {
    "an inline script": re.compile(r"<script(?![^>]*\b(?:src=|type=\"application/json\"))", re.I),
    "an inline style": re.compile(r"<style\b|\sstyle\s*=", re.I),
    "an event attribute": re.compile(r"\son[a-z]+\s*=|\bhx-on[:\-]", re.I),
    "code in an attribute": re.compile(r"javascript:|hx-(?:vals|headers|vars)='?\"?js:", re.I),
    "text that is not escaped": re.compile(r"\|\s*safe\b|autoescape off"),
    "an address of another server": re.compile(r"(?:src|href|action)=\"(?:https?:)?//", re.I),
}

# {template of analytics with a table of its own: why it is not a table of figures}
BY_HAND = {
    "analytics/_copies.html": "files that left, with what may be done about each",
    "analytics/_lights.html": "verdicts that lead to their cards",
    "analytics/_overview.html": "drawings of distributions",
    "analytics/_rounds.html": "rounds, their states and gates",
    "analytics/audit.html": "lines of the ledger",
}
STYLES = TEMPLATES.parent / "static" / "css" / "site.css"
# What Django, htmx and filters write, and what words of the code are put together to.
NAMED_ELSEWHERE = re.compile(
    r"htmx-|nonfield|toast--|icon--|severity--|shade--|step--|spread__|strip__mark--"
)


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_template_has(what):
    assert len(PAGES) > 40
    found = [
        str(page.relative_to(TEMPLATES))
        for page in PAGES
        if FORBIDDEN[what].search(page.read_text(encoding="utf-8"))
    ]
    assert not found, f"{what}: {', '.join(found)}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(TEMPLATES)))
def test_every_template_compiles(page):
    assert get_template(str(page.relative_to(TEMPLATES))).template.nodelist


def test_no_line_is_longer_than_can_be_seen_at_once():
    long = long_lines()
    assert not long, f"break these lines where white space does not show: {', '.join(long)}"


def test_a_table_of_analytics_is_data_or_says_why_not():
    assert tables_by_hand().keys() == BY_HAND.keys(), "say it as a Table, or say here why not"


def test_a_form_that_changes_something_carries_its_token():
    wanting = [
        str(page.relative_to(TEMPLATES))
        for page in PAGES
        for form in re.findall(
            r"<form\b[^>]*method=\"post\".*?</form>", page.read_text(encoding="utf-8"), re.S
        )
        if "csrf_token" not in form
    ]
    assert not wanting


def test_the_style_sheet_speaks_of_nothing_that_is_not_there():
    written = re.sub(r"/\*.*?\*/", "", STYLES.read_text(encoding="utf-8"), flags=re.S)
    named = set(re.findall(r"\.([a-zA-Z][\w-]*)", written))
    folders = ("templates", "static/js", "accounts", "annotation", "judging", "analytics")
    said = {
        word
        for folder in folders
        for file in (TEMPLATES.parent / folder).rglob("*")
        if file.suffix in {".html", ".js", ".py"}
        for word in re.findall(r"[\w-]+", file.read_text(encoding="utf-8"))
    }
    assert not {name for name in named - said if not NAMED_ELSEWHERE.match(name)}
