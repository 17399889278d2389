"""Symbols in prose that say what they mean, where a page speaks of them."""

import pytest
from django.template import Context, Template

from analytics.present.glossary import ENTRIES, SYMBOLS
from analytics.templatetags.glass import glassed


def test_the_first_of_each_symbol_is_a_button_and_later_ones_are_not():
    found = glassed("ω is beaten by ε; ω moves in few steps.")
    assert found.count('popovertarget="glass-omega">ω</button> is') == 1
    assert found.count("<button") == 2
    assert found.endswith("; ω moves in few steps.")


def test_two_names_of_one_entry_share_a_button():
    assert glassed("AC is AC1 of labels, AC2 of scores.").count("glass-ac") == 1


def test_what_is_not_marked_up_stays_so():
    assert glassed("<b>κ") == f"&lt;b&gt;{glassed('κ')}"
    assert "<b>" in Template("{% load glass %}{% filter glassed %}<b>κ</b>{% endfilter %}").render(
        Context()
    )


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_every_symbol_is_one_of_the_glossary(symbol):
    assert SYMBOLS[symbol] in ENTRIES
    assert symbol in glassed(symbol)


def test_words_without_symbols_stay_as_they_are():
    assert glassed("Alpha and omega.") == "Alpha and omega."
