"""Whatever is kept is made anew as soon as a line that computes it is another, wherever that stands."""

import re
from dataclasses import replace

import pytest

from analytics import sources
from analytics.agreement.numbers import GLANCE
from analytics.judges.numbers import PART as JUDGES
from analytics.parts import PARTS
from analytics.plan.numbers import PART as PLAN
from analytics.safety.numbers import PART as SAFETY
from analytics.trust.numbers import PART as TRUST
from tests.services import ROOT

MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for app in sources.APPS
    for path in (ROOT / app).rglob("*.py")
}


@pytest.fixture
def change(monkeypatch):
    """Have one more line in a file of the project."""

    def change(name):
        changed = ROOT / name
        assert changed.is_file()
        read = changed.read_bytes
        monkeypatch.setattr(
            sources,
            "_read",
            lambda path: read() + b"\n_MORE = 1\n" if path == changed else path.read_bytes(),
        )
        sources._source.cache_clear()

    yield change
    monkeypatch.undo()
    sources._source.cache_clear()


@pytest.mark.parametrize(
    ("part", "source"),
    [
        (GLANCE, "analytics/figures/chances.py"),
        (GLANCE, "analytics/measures.py"),
        (GLANCE, "analytics/ratings/columns.py"),
        (GLANCE, "analytics/comparisons/raters.py"),
        (GLANCE, "analytics/ratings/matrices.py"),
        (GLANCE, "analytics/ratings/slices.py"),
        (GLANCE, "analytics/stats/icc.py"),
        (GLANCE, "annotation/rubric/answers.py"),
        (GLANCE, "annotation/rubric/derived.py"),
        (GLANCE, "annotation/rubric/loading.py"),
        (GLANCE, "annotation/rubric/schema.py"),
        (GLANCE, "annotation/rubric/taxonomy.py"),
        (GLANCE, "annotation/rules/shuffling.py"),
        (PLAN, "analytics/agreement/numbers.py"),
        (PLAN, "analytics/stats/mixed.py"),  # imported within a function
        (TRUST, "analytics/policies/default.toml"),
        (TRUST, "analytics/policies/loading.py"),
        (TRUST, "analytics/ratings/history.py"),
        (TRUST, "analytics/trust/sentinels.py"),
        (TRUST, "judging/parsing/values.py"),
    ],
    ids=lambda one: one if isinstance(one, str) else one.key,
)
def test_a_part_is_made_anew_when_a_line_that_computes_it_changes(part, source, change):
    before = replace(part).fingerprint
    assert before == part.fingerprint, "the same in every process"
    change(source)
    assert replace(part).fingerprint != before


@pytest.mark.parametrize(
    ("part", "source"),
    [
        (GLANCE, "analytics/stats/calibration.py"),
        (GLANCE, "analytics/trust/sentinels.py"),
        (SAFETY, "analytics/policies/default.toml"),
        (JUDGES, "judging/parsing/values.py"),
        *((part, "analytics/agreement/page.py") for part in PARTS.values()),
        *((part, "annotation/models/rounds.py") for part in PARTS.values()),
    ],
    ids=lambda one: one if isinstance(one, str) else one.key,
)
def test_a_part_stays_when_a_line_changes_that_it_is_not_computed_with(part, source, change):
    before = replace(part).fingerprint
    change(source)
    assert replace(part).fingerprint == before


def test_each_part_has_a_form_of_its_own():
    assert len({one.fingerprint for one in PARTS.values()}) == len(PARTS)


def test_columns_are_packed_anew_when_a_line_that_packs_them_changes(change):
    before = sources.fingerprint("analytics.ratings.columns")
    change("analytics/ratings/matrices.py")
    assert sources.fingerprint("analytics.ratings.columns") == before
    change("analytics/ratings/columns.py")
    assert sources.fingerprint("analytics.ratings.columns") != before


def test_every_import_of_a_source_is_followed_or_left_out_for_a_reason():
    followed = sources.followed(
        "analytics.figures.part", *(one.make.__module__ for one in PARTS.values())
    )
    imported = {
        name
        for source in followed
        for name in sources.imported(MODULES[source].read_text())
        if name in MODULES
    }
    left = imported - followed
    assert [name for name in sorted(left) if not sources.is_left_out(name)] == []
    assert {
        one for one in sources.LEFT_OUT if any(f"{name}.".startswith(f"{one}.") for name in left)
    } == set(sources.LEFT_OUT), "the list is no longer than what is imported"


def test_every_import_is_seen():
    """Also one over several lines, within a function, or under a name of its own."""
    for name, path in MODULES.items():
        written = {one for one in sources.imported(path.read_text()) if one in MODULES}
        assert written <= sources._source(name).imports, name


def test_prose_that_begins_as_an_import_does_is_none():
    text = b'"""What an\n    import `follows`."""\n\nfrom analytics import told\n'
    assert {*sources._picked(text)} == {"analytics", "analytics.told"}


def test_no_module_is_imported_by_a_way_that_is_not_followed():
    """A relative name, or a text."""
    unseen = re.compile(rf"^ *from \.|import_module\([^)]*\b(?:{'|'.join(sources.APPS)})\b", re.M)
    reached = sources.followed(*(one.make.__module__ for one in PARTS.values()))
    assert [name for name in sorted(reached) if unseen.search(MODULES[name].read_text())] == []


def test_what_python_compiles_modules_to_is_none_of_them(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "PROJECT", tmp_path)
    policies = tmp_path / "analytics" / "policies"
    (policies / "__pycache__").mkdir(parents=True)
    (policies / "loading.py").write_text("RULES = ()")
    written = sources._files.__wrapped__
    assert written("analytics.policies.loading") == [policies / "loading.py"]
    assert written("analytics.policies") == []
