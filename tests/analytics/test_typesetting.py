"""Tables as LaTeX and Markdown: what authors call things must not be taken for commands."""

import re

import pytest

from analytics.exports.cells import csv_of
from analytics.present.tables import Column, Line, Plain, Table, records, table
from analytics.present.typesetting import FILES, latex_of, markdown_of, tex
from analytics.stats.estimates import Estimate, Note

NAMES = [
    "100% & more_of #1 for $5",
    r"{a} ~ ^ \input{secret}",
    "[begins with a bracket]",
    "* a star",
    'says "yes" -- `no`',
    "a < b > c | d",
    "two\nlines\n\nand a gap",
    "κ α ε ρ ω τ λ ≤ ≥ ± × · − …",
    "x" * 90,
    "A name of many words that goes on and on and on and on and on and on and on",
    "语气与共情，安全",
]


FIGURE = Estimate(
    statistic="icc_a1",
    value=0.1 + 0.43,
    low=0.41,
    high=0.63,
    n_items=40,
    n_pairs=40,
    n_clusters=40,
    n_raters=2,
    method="",
    notes=(Note.FEW_CLUSTERS, Note.EXPLORATORY),
)


def table_of(names, *, n_figures=2, key="made_up") -> Table:
    return table(
        key,
        "Names & 100% trouble",
        "What $x_1$ shows.",
        about=[Column("who", "Who")],
        columns=[Column(f"f{n}", f"Figure #{n}") for n in range(n_figures)],
        lines=(Line(about=(Plain(name, name),), values=(FIGURE,) * n_figures) for name in names),
        notes=["Few_items"],
    )


def table_of_words(head, rows, *, n_headings=1, of_words=()) -> Table:
    """A table of plain words; the columns at the places `of_words` are not figures."""
    columns = [Column(name, name, is_words=place in of_words) for place, name in enumerate(head)]
    lines = [[Plain(text, text) for text in row] for row in rows]
    return table(
        "k",
        "t",
        "",
        about=columns[:n_headings],
        columns=columns[n_headings:],
        lines=(
            Line(about=tuple(row[:n_headings]), values=tuple(row[n_headings:])) for row in lines
        ),
    )


@pytest.mark.parametrize(
    ("text", "typeset"),
    [
        ("100%", r"100\%"),
        ("a & b", r"a \& b"),
        ("gpt_4o", r"gpt\_4o"),
        ("#1 $5", r"\#1 \$5"),
        ("{x}", r"\{x\}"),
        ("~", r"\textasciitilde{}"),
        ("^", r"\textasciicircum{}"),
        ("\\", r"\textbackslash{}"),
        ("a<b>c|d", r"a\textless{}b\textgreater{}c\textbar{}d"),
        ('"', r"\char34{}"),
        ("`", r"\textasciigrave{}"),
        ("a--b", r"a-{}-b"),
        ("one\n\ntwo", "one two"),
        ("−0.5", "$-$0.5"),
        ("κ", r"$\kappa$"),
    ],
)
def test_a_character_that_latex_would_act_on_is_printed(text, typeset):
    assert tex(text) == typeset


def test_what_looks_like_a_command_is_text():
    assert tex(r"\input{a}") == r"\textbackslash{}input\{a\}"


def test_a_row_that_begins_with_a_bracket_or_a_star_is_no_argument_of_the_row_before():
    text = latex_of(table_of(NAMES))
    assert "{}[begins" in text
    assert "{}* a" in text
    assert not re.search(r"(\\\\|rule)\s*[\[*]", text)


def test_the_first_lines_name_what_the_table_needs():
    first = latex_of(table_of(["a"])).splitlines()[0]
    assert first == r"% \usepackage{booktabs}"
    assert "ctex" not in latex_of(table_of(["a"]))
    assert "ctex" in latex_of(table_of(["安全"])).splitlines()[1]


def test_a_narrow_table_stands_and_a_wide_one_lies_in_columns_that_fill_the_line():
    narrow, wide = latex_of(table_of(["a"])), latex_of(table_of(["a"], n_figures=9))
    assert r"\begin{tabular}{@{}lrrr@{}}" in narrow, "two figures and n"
    assert wide.count(r"\begin{landscape}") == wide.count(r"\end{landscape}") == 1
    shares = [float(share) for share in re.findall(r"([\d.]+)\\linewidth", wide)]
    assert len(shares) == 11
    assert sum(shares) <= 1


def test_words_stand_to_the_left_and_figures_to_the_right():
    head = ("Judge", "Figure", "The rules ask")
    made = table_of_words(head, [("echo", "0.53", "at least 0.75")], of_words={2})
    wide = table_of_words(head, [("echo", "0.53", "a word or two " * 20)], of_words={2})
    assert r"\begin{tabular}{@{}lrl@{}}" in latex_of(made)
    assert re.findall(r"\\ragged(left|right)", latex_of(wide)) == ["right", "left", "right"]
    assert "| --- | ---: | --- |" in markdown_of(made)


def test_a_long_table_goes_on_with_its_head_and_has_its_label_once():
    text = latex_of(table_of([f"row {n}" for n in range(60)]))
    assert text.count(r"\label{tab:made-up}") == 1
    assert text.count(r"\toprule") == 2


def test_an_interval_is_not_broken_and_its_notes_are_raised():
    assert r"0.53 [0.41,~0.63]\textsuperscript{a b}" in latex_of(table_of(["a"]))
    assert "0.53 [0.41, 0.63] <sup>a b</sup>" in markdown_of(table_of(["a"]))


def test_headings_are_said_again_only_where_they_change():
    rows = [(one, two, "1") for one, two in ["aa", "ab", "ba", "ba"]]
    made = table_of_words(("x", "y", "z"), rows, n_headings=2)
    assert markdown_of(made).splitlines()[4:] == [
        "| a | a | 1 |",
        "|  | b | 1 |",
        "| b | a | 1 |",
        "|  | a | 1 |",
    ]


def test_a_pipe_in_a_name_is_no_column_of_markdown():
    (row,) = (
        line for line in markdown_of(table_of(["a | b"])).splitlines() if line.startswith("| a")
    )
    assert len(re.findall(r"(?<!\\)\|", row)) == 5


def test_every_digit_is_in_the_csv():
    head, row = csv_of(*records(table_of(["a"], n_figures=1))).splitlines()
    read = dict(zip(head.split(","), row.split(","), strict=True))
    assert (read["who"], read["column"], read["value"]) == ("a", "f0", repr(0.1 + 0.43))
    assert (read["low"], read["high"], read["n_items"]) == ("0.41", "0.63", "40")


@pytest.mark.parametrize("kind", FILES)
def test_every_kind_of_file_holds_the_same_numbers(kind):
    text = FILES[kind].write(table_of(["a"]))
    assert re.search(r"0\.53(?!\d)" if kind in ("tex", "md") else "0.53", text)
    assert "0.41" in text
    assert "0.63" in text
