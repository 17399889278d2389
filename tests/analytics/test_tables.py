"""A table is a value: what programs read of it, which lines are chosen, and how figures are shaded."""

import pytest

from analytics.present.tables import (
    Column,
    Dressed,
    Line,
    Plain,
    Range,
    bare,
    between,
    by_judge,
    count,
    exact,
    named,
    of_statistics,
    only,
    records,
    shade,
    table,
)
from analytics.stats.estimates import Estimate, Note

KAPPA = Estimate(
    statistic="kappa",
    value=0.1 + 0.2,
    low=0.1,
    high=0.5,
    n_items=40,
    n_pairs=80,
    n_clusters=20,
    n_raters=2,
    method="jackknife by dialogue, Fisher's z scale, t",
    notes=(Note.FEW_CLUSTERS, Note.EXPLORATORY),
)
EXACT_KAPPA = (
    *("kappa", 0.1 + 0.2, 0.1, 0.5, 40, 80, 20, 2, KAPPA.method),
    f"{Note.FEW_CLUSTERS.value}; {Note.EXPLORATORY.value}",
)


def told(name, key=None):
    return Plain(name, key or name.lower())


def agreement(**more):
    """Two judges on two criteria; nobody knows of one what the other column says."""
    values = {
        ("Safety", "Oak"): (KAPPA, count(1_200)),
        ("Safety", "Elm"): (None, count(3)),
        ("Warmth", "Oak"): (Dressed(value=KAPPA, link="/here/", badge="done"), None),
    }
    return table(
        "agreement",
        "Agreement",
        "By judge.",
        about=by_judge(),
        columns=[Column("kappa", "κ"), Column("n", "n"), *more.pop("beside", ())],
        lines=(
            Line(about=tuple(map(told, about)), values=(*two, *more.get("last", ())))
            for about, two in values.items()
        ),
    )


def test_programs_read_a_row_a_figure_with_every_digit():
    found = records(agreement())
    assert found.columns[:3] == ("criterion", "judge", "column")
    assert found.columns[3:] == (
        *("statistic", "value", "low", "high", "n_items", "n_pairs", "n_clusters", "n_raters"),
        *("method", "notes"),
    )
    nothing = (None,) * 8
    assert found.values == (
        ("safety", "oak", "kappa", *EXACT_KAPPA),
        ("safety", "oak", "n", "", 1200, *nothing),
        ("safety", "elm", "n", "", 3, *nothing),
        ("warmth", "oak", "kappa", *EXACT_KAPPA),
    )


def test_what_only_a_page_shows_leaves_in_no_file():
    dressed = Dressed(value=KAPPA, link="/here/", small="below", badge="done", shade=3)
    assert bare(dressed) is bare(KAPPA) is KAPPA
    assert exact(dressed) == exact(KAPPA) == EXACT_KAPPA
    assert exact(Dressed(value=None)) == exact(None) == ("", None, *(None,) * 8)
    assert Line(about=(), values=(dressed, count(1), None)).estimates == [KAPPA]


def test_lines_about_one_thing_no_longer_say_it():
    found = only(agreement(), judge="oak")
    assert [column.key for column in found.about] == ["criterion"]
    assert [line.about for line in found.lines] == [(told("Safety"),), (told("Warmth"),)]
    assert found.chosen == (("judge", "oak"),)
    one = only(found, criterion="warmth")
    assert (one.about, len(one.lines)) == ((), 1)
    assert one.chosen == (("judge", "oak"), ("criterion", "warmth"))


def test_lines_about_several_things_still_say_which():
    found = only(agreement(), criterion=["safety", "warmth"], judge="elm")
    assert [line.about for line in found.lines] == [(told("Safety"),)]
    assert [column.key for column in found.about] == ["criterion"]
    assert found.chosen == (("criterion", "safety"), ("criterion", "warmth"), ("judge", "elm"))
    assert only(agreement(), judge="nobody").lines == ()


def test_only_what_a_table_is_about_can_be_chosen():
    with pytest.raises(KeyError):
        only(agreement(), kappa="0.3")


def test_a_column_that_no_line_fills_is_not_filled():
    empty = Column("empty", "Empty")
    assert agreement(beside=[empty], last=[Dressed(value=None, link="/here/")]).filled == [0, 1]
    assert agreement(beside=[empty], last=[count(0)]).filled == [0, 1, 2]


def test_a_table_is_counted_and_printed_unless_it_says_otherwise():
    made = agreement()
    assert (made.counts, made.is_for_screen, made.notes, made.chosen) == (True, False, (), ())
    other = table(
        "k", "t", "c", about=[], columns=[], lines=[], notes=["n"], counts=False, is_for_screen=True
    )
    assert (other.key, other.title, other.caption) == ("k", "t", "c")
    assert (other.counts, other.is_for_screen, other.notes) == (False, True, ("n",))


def test_whole_numbers_are_exact_and_have_their_thousands_apart():
    assert count(1_234_567) == Plain("1,234,567", 1_234_567)


def test_a_stretch_is_told_from_the_least_to_the_greatest_of_what_is_known():
    assert between([0.25, None, 0.1 + 0.2, 0.2], "kappa") == Plain(
        "0.20 to 0.30", Range(0.2, 0.1 + 0.2)
    )
    assert between([0.5, 0.25], "accuracy") == Plain("25.0 % to 50.0 %", Range(0.25, 0.5))
    assert between([None], "kappa") is None


def test_programs_read_the_ends_of_a_stretch_where_those_of_an_interval_stand():
    assert exact(between([-0.2, 0.5], "icc_c1"))[:4] == ("", None, -0.2, 0.5)


@pytest.mark.parametrize(
    ("value", "shaded"),
    [(None, 0), (-0.3, 0), (0.0, 0), (0.01, 1), (0.2, 1), (0.21, 2), (0.8, 4), (1.0, 5), (1.2, 5)],
)
def test_the_higher_the_darker(value, shaded):
    limits = {"low": None, "high": None}
    figure = {name: getattr(KAPPA, name) for name in ("n_items", "n_pairs", "n_clusters")}
    made = Estimate(statistic="kappa", value=value, n_raters=2, **limits, **figure)
    assert shade(made) == shaded
    assert shade(Estimate(statistic="mae", value=value, n_raters=2, **limits, **figure)) == 0


def test_columns_of_statistics_are_headed_by_short_names_which_full_ones_explain():
    (short,) = of_statistics(["alpha_ordinal"])
    (full,) = named(["alpha_ordinal"])
    assert (short.key, short.head, short.help) == ("alpha_ordinal", "α, ordinal", full.head)
    assert (full.key, full.help) == ("alpha_ordinal", "")
    assert short.head != full.head


def test_a_line_about_a_judge_is_headed_by_criterion_and_judge():
    assert [column.head for column in by_judge()] == ["Criterion", "Judge"]
