"""Policy files: what they must hold, and that every mistake is named."""

import re

import pytest

from analytics.policies.loading import DEFAULT, PolicyError, published_tiers, read, shipped
from analytics.stats.tiers import MENTALBENCH
from annotation.rubric.schema import Measurement

LEVEL = """
[{level}]
statistic = "{statistic}"
least_items = 50
least_dialogues = 10
agreement = {{ trusted = 0.7, unusable = 0.4 }}
"""
HEAD = 'title = { en = "A", zh_hans = "甲" }\nabout = { en = "B", zh_hans = "乙" }\n'
WHOLE = HEAD + "".join(
    LEVEL.format(level=level, statistic=statistic)
    for level, statistic in (("ordinal", "icc_a1"), ("binary", "kappa"), ("nominal", "kappa"))
)


def test_the_shipped_policies_can_be_read_and_the_default_stands_first():
    found = shipped()
    assert list(found) == [DEFAULT, "mentalalign_tiers", "strict"]
    for policy in found.values():
        assert policy.title.en
        assert policy.title.zh_hans
        assert re.fullmatch("[0-9a-f]{64}", policy.sha256)
        assert read(policy.key, policy.text) == policy


def test_strict_rules_ask_no_less_than_the_default_on_any_line():
    default, strict = shipped()[DEFAULT], shipped()["strict"]
    for level in Measurement:
        lax, hard = default.by_level[level], strict.by_level[level]
        assert hard.agreement.trusted >= lax.agreement.trusted
        assert hard.sensitivity.trusted >= lax.sensitivity.trusted
        assert hard.unscored.trusted <= lax.unscored.trusted
        assert hard.drift_margin <= lax.drift_margin
    assert strict.asks_sensitivity("empathy")
    assert not default.asks_sensitivity("empathy")
    assert default.asks_sensitivity("safety")


def test_the_tiers_are_those_of_the_source_study():
    tiers = published_tiers()
    assert (tiers.good_width, tiers.moderate_width) == (0.355, 0.560)
    for field in ("good_width", "moderate_width", "replicates", "keeps_only_shares", "seed"):
        assert getattr(tiers, field) == getattr(MENTALBENCH, field)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("title", "titel"), "x.toml: title: Field required."),
        (("least_items = 50", "least_items = 0"), "x.toml: ordinal.least_items: "),
        (("least_items = 50", "least_itmes = 50"), "x.toml: ordinal.least_itmes: "),
        (('statistic = "icc_a1"', 'statistic = "mood"'), "ordinal: statistic must be one of "),
        (("trusted = 0.7", "trusted = 0.4"), "agreement: the bars of trust and of use must differ"),
        (("trusted = 0.7", "trusted = 0.1"), "agreement: trust must take more than use"),
        (("least_items = 50", "least_items = 50\nepsilon = 0.3"), "epsilon must be one of 0, 0.05"),
        (
            ("least_items = 50", "least_items = 50\nunscored = { trusted = 0.2, unusable = 0.1 }"),
            "unscored: trust must allow less than use",
        ),
        (("[nominal]", "[normal]"), "x.toml: normal: "),
        (("= {", "="), "x.toml: This is not TOML: "),
    ],
)
def test_a_mistake_is_named_with_its_place(change, sentence):
    assert read("x", WHOLE).by_level
    with pytest.raises(PolicyError) as refusal:
        read("x", WHOLE.replace(*change, 1))
    assert any(sentence in problem for problem in refusal.value.problems), refusal.value.problems


def test_rules_are_given_for_every_level_or_for_none():
    with pytest.raises(PolicyError, match="give rules for all of ordinal, binary and nominal"):
        read("x", WHOLE[: WHOLE.index("[nominal]")])
    with pytest.raises(PolicyError, match="either tiers, or rules"):
        read("x", HEAD)


def test_tiers_rise_in_width():
    text = HEAD + (
        "[tiers]\ngood_width = 0.6\nmoderate_width = 0.5\nreplicates = 1000\n"
        "keeps_only_shares = true\nseed = 1\n"
    )
    with pytest.raises(PolicyError, match="moderate_width must be above good_width"):
        read("x", text)
