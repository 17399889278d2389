"""Cells of a CSV file."""

import pytest

from analytics.exports.cells import cell


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
