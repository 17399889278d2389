"""What the content security policy forbids does not stand in a template, and no endless line."""

import re
from pathlib import Path
from unittest.mock import MagicMock

import pytest
from django.contrib.staticfiles.finders import get_finders
from django.template.loader import get_template

from analytics.present.tabs import QUESTIONS
from bench.house import long_lines, tables_by_hand
from tests.guards.world import PAGES as URLS

TEMPLATES = Path(__file__).resolve().parent.parent.parent / "templates"
STATIC = TEMPLATES.parent / "static"
PAGES = sorted(TEMPLATES.rglob("*.html"))
FORBIDDEN = {
    "an inline script": re.compile(r"<script(?![^>]*\b(?:src=|type=\"application/json\"))", re.I),
    "an inline style": re.compile(r"<style\b|\sstyle\s*=", re.I),
    "an event attribute": re.compile(r"\son[a-z]+\s*=|\bhx-on[:\-]", re.I),
    "code in an attribute": re.compile(r"javascript:|hx-(?:vals|headers|vars)='?\"?js:", re.I),
    "text that is not escaped": re.compile(r"\|\s*safe\b|autoescape off"),
    "an address of another server": re.compile(r"(?:src|href|action)=\"(?:https?:)?//", re.I),
}

# {why a table is no table of figures with files for programs: the templates that say its columns}
BY_HAND = {
    "drawings of the counts that cross tables of comparisons hold": {"analytics/_overview.html"},
    "lines of the ledger, which the page hands out as CSV": {"analytics/audit.html"},
    "lines of the trail": {"accounts/events.html"},
    "files that left, with what may be done about each": {"analytics/_copies.html"},
    "people and programs, with what they may do or ask for": {
        *("accounts/accounts.html", "accounts/api.html", "accounts/requests.html"),
        *("annotation/data_set.html", "annotation/qualification.html", "annotation/team.html"),
    },
    "work of one's own, items and answers, each leading to itself": {
        *("annotation/_identifier_choices.html", "annotation/adjudicate.html"),
        *("annotation/items.html", "annotation/my_work.html", "annotation/quarantine.html"),
        *("annotation/why.html", "judging/answers.html", "judging/calls.html"),
    },
    "data sets, rubrics, prompts and endpoints, each leading to itself": {
        *("annotation/data_sets.html", "annotation/rubric_editions.html"),
        *("judging/endpoints.html", "judging/prompts.html"),
    },
    "what a file or an edition would change, before it is taken in": {
        *("annotation/_import_items_found.html", "annotation/_import_problems.html"),
        *("annotation/_import_quarantine_found.html", "annotation/_import_ratings_found.html"),
        *("annotation/rubric_change.html", "judging/_rubric_tried.html", "judging/rubric.html"),
    },
    "work that goes on: how far it is and what it costs": {
        *("accounts/server.html", "annotation/_round_status.html", "judging/_batches.html"),
        *("judging/_generation_status.html", "judging/_run_status.html"),
        *("judging/endpoint.html", "judging/generations.html", "judging/hold_out.html"),
        *("judging/judges.html", "judging/prompt_write.html"),
    },
    "an example of the style": {"styleguide.html"},
}
STYLES = TEMPLATES.parent / "static" / "css" / "site.css"
# The tab of a page of a study whose address does not begin with the name of its tab.
TABS = {
    "Overview": ("study", "study_settings", "care"),
    "Items": ("item", "import_items", "import_ratings"),
    "Rounds": ("round_open", "protocol", "qualification"),
    "Judges": ("judge_run", "hold_out", "generations", "generation_write", "import_answers"),
    "Agreement": ("agreement_trust", "quarantine", "import_quarantine"),
}
# What Django, htmx and filters write, and what words of the code are put together to.
NAMED_ELSEWHERE = re.compile(
    r"htmx-|nonfield|toast--|icon--|severity--|shade--|step--|spread__|strip__mark--"
)


@pytest.mark.parametrize(("tab", "page"), [(tab, page) for tab in TABS for page in TABS[tab]])
def test_a_page_of_a_study_stands_under_a_tab(tab, page):
    tabs = get_template("annotation/_study_tabs.html").render(
        {"page": page, "key": "pond", "study_access": MagicMock()}
    )
    assert re.findall(r"aria-current=\"page\">([^<]*)<", tabs) == [tab]


def test_a_page_of_figures_stands_under_a_question():
    names = {one.name for one in URLS if one.name.startswith("agreement_")}
    open_nothing = {"agreement_glossary", "agreement_seal", "agreement_blind", "agreement_means"}
    ends = ("_file", "_table", "_picture", "_plan", "_policy", "_end", "name_judges")
    left = {
        name
        for name in names - open_nothing
        if not any(one.holds(name) for one in QUESTIONS)
        and (name == "agreement_plan" or not name.endswith(ends))
    }
    assert not left


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


def test_a_table_is_data_or_says_why_not():
    said = [name for names in BY_HAND.values() for name in names]
    assert sorted(tables_by_hand()) == sorted(said), "say it as a Table, or say here why not"


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
    tags = re.compile(r"{[{%].*?[%}]}")
    classes = {
        word
        for page in PAGES
        if page.name != "report_file.html"  # it carries its own style
        for value in re.findall(r'class="((?:{[{%].*?[%}]}|[^"{])*)"', page.read_text("utf-8"))
        for word in tags.sub("\0", value).split()
        if "\0" not in word
    }
    scripts = " ".join(one.read_text("utf-8") for one in (STATIC / "js").glob("*.js"))
    assert not {one for one in classes - named if f".{one}" not in scripts}


def test_of_files_of_packages_those_are_served_that_a_page_asks_for():
    served = {path for finder in get_finders() for path, _where in finder.list([])}
    ours = {file.relative_to(STATIC).as_posix() for file in STATIC.rglob("*") if file.is_file()}

    assert ours <= served
    assert served - ours == {
        "django_htmx/htmx-2.min.js",
        *("account/js/account.js", "account/js/onload.js"),
        *("mfa/js/recovery_codes.js", "mfa/js/webauthn.js", "mfa/js/webauthn-json.js"),
    }
