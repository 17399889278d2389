"""What the documents name is there."""

import re
import tomllib

import pytest
from django.core.management import get_commands

from tests.services import ROOT

PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
LINK = re.compile(r"\]\(([^):#]+)\)")
PATH = re.compile(r"`([\w.]+/[\w./]*)`")
APPS = ("accounts", "analytics", "annotation", "judging")
NOT_KEPT = (ROOT / ".gitignore").read_text().replace("/", "").split()
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_to_a_file(page):
    links = LINK.findall(page.read_text())
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_page_holds_both_sides_of_a_merge(page):
    assert re.findall(r"^(?:<{7}|={7}|>{7})(?: .*)?$", page.read_text(), re.M) == []


@pytest.mark.parametrize("name", ["docs/developing.md", "CONTRIBUTING.md", "SECURITY.md"])
def test_every_path_that_is_named_exists(name):
    named = PATH.findall((ROOT / name).read_text())
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_every_command_is_told_of():
    ours = {name for name, app in get_commands().items() if "." not in app and app in APPS}
    told = "\n".join(page.read_text() for page in PAGES)
    assert len(ours) > 20
    assert [one for one in sorted(ours) if not re.search(rf"(?:`|manage\.py ){one}\b", told)] == []


def test_the_map_names_every_folder():
    """A new one is put on the map: of the house, of each app, and of the wiring."""
    drawn = (ROOT / "docs/developing.md").read_text()
    named = {part for path in re.findall(r"`([\w./]+)`", drawn) for part in path.split("/")}
    folders = [
        folder.relative_to(ROOT)
        for inside in (ROOT, ROOT / "config", *(ROOT / app for app in APPS))
        for folder in inside.iterdir()
        if folder.is_dir() and folder.name[0] not in "._" and folder.name not in NOT_KEPT
    ]
    assert len(folders) > 50
    assert [str(folder) for folder in sorted(folders) if folder.name not in named] == []


def test_the_version_is_the_same_everywhere():
    assert f"\nversion: {VERSION}\n" in (ROOT / "CITATION.cff").read_text()
    assert f"\n## {VERSION}\n" in (ROOT / "CHANGELOG.md").read_text()


def test_hooks_run_what_is_installed():
    config = (ROOT / ".pre-commit-config.yaml").read_text()
    programs = re.findall(r"entry: (\S+)", config)
    assert programs
    assert [one for one in programs if not (ROOT / one).is_file()] == []
