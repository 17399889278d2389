"""Cells of a CSV file."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from analytics.exports.cells import cell, text_in


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("=1+1", "'=1+1"),
        ("+49 30", "'+49 30"),
        ("-1+2", "'-1+2"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\tx", "'\tx"),
        ("\r=1", "'\r=1"),
        ("\n=1", "'\n=1"),
        ("  =1", "'  =1"),
        ("＝1", "'＝1"),
        ("＋1", "'＋1"),
        ("－1", "'－1"),
        ("＠x", "'＠x"),
        ("'=1", "''=1"),
        ("''-1", "'''-1"),
        ("' =1", "'' =1"),
        ("'quoted'", "'quoted'"),
        ("plain = text", "plain = text"),
        ("", ""),
        (None, ""),
        (-1, "-1"),
        (0, "0"),
        (2.5, "2.5"),
        (True, "true"),
        (False, "false"),
    ],
)
def test_a_spreadsheet_runs_no_cell(value, written):
    assert cell(value) == written


@given(st.text(st.sampled_from("'=+-@\t\r\n ＝a1"), max_size=8))
@example("'=1")
@example("'' '=1")
def test_what_a_text_became_is_no_formula_and_gives_it_back(text):
    written = cell(text)
    assert not written.lstrip(" ").startswith(tuple("=+-@\t\r\n＝"))
    assert text_in(written) == text
