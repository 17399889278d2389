"""Policy files: what they must hold, and that every mistake is named."""

import hashlib
import re

import pytest

from analytics.policies.loading import (
    DEFAULT,
    MOST_BYTES,
    PolicyError,
    published_tiers,
    read,
    read_own,
    shipped,
)
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
        assert policy.title.in_("en")
        assert policy.title.in_("zh-hans")
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
    assert strict.expires_with > default.expires_with
    assert strict.asks_sensitivity("empathy")
    assert not default.asks_sensitivity("empathy")
    assert default.asks_sensitivity("safety")


def test_the_tiers_are_those_of_the_source_study():
    tiers = published_tiers()
    assert (tiers.good_width, tiers.moderate_width) == (0.355, 0.560)
    for field in ("good_width", "moderate_width", "replicates", "keeps_only_shares", "seed"):
        assert getattr(tiers, field) == getattr(MENTALBENCH, field)


MISTAKES = [
    ("title", "titel", "title is missing."),
    ("title", "titel", "titel is not known here; check its spelling."),
    ("least_items = 50", "least_items = 0", "least_items must be a whole number from 1 to"),
    ("least_items = 50", "least_items = true", "least_items must be a whole number from 1 to"),
    ("least_items = 50", 'least_items = "50"', "least_items must be a whole number from 1 to"),
    ("least_items = 50", "least_items = 50.5", "least_items must be a whole number from 1 to"),
    ("least_items = 50", "least_itmes = 50", "ordinal.least_itmes is not known here"),
    ('statistic = "icc_a1"', 'statistic = "mood"', "must be one of: icc_a1, icc_c1."),
    ('statistic = "kappa"', 'statistic = "icc_c1"', "must be one of: kappa, ac1, icc_a1."),
    ("trusted = 0.7", "trusted = 0.4", "agreement: “trusted” and “unusable” must differ."),
    ("trusted = 0.7", "trusted = 0.1", "agreement: “trusted” must be above “unusable”."),
    ("trusted = 0.7", "trusted = 70", "agreement.trusted must be a number from -1 to 1."),
    ("trusted = 0.7", "trusted = nan", "agreement.trusted must be a number from -1 to 1."),
    ("trusted = 0.7,", "", "ordinal.agreement.trusted is missing."),
    ("trusted = 0.7,", "trusted = 0.7, hope = 1,", "ordinal.agreement.hope is not known here"),
    ("{ trusted = 0.7, unusable = 0.4 }", "0.7", "ordinal.agreement must be a table."),
    ("[nominal]", "[normal]", "normal is not known here"),
    ("[nominal]", "nominal = 3\n[normal]", "normal is not known here"),
    ("= {", "=", "This is not TOML: "),
    ("= {", "=", "(at line 1, column 9)"),
    ("title", f"x = {'[' * 5000}\ntitle", "The lists in this file are nested too deeply."),
    ("title", f"x = 1{'0' * 5000}\ntitle", "This is not TOML: "),
    *(
        ("least_items = 50", f"least_items = 50\n{line}", sentence)
        for line, sentence in [
            ("epsilon = 0.3", "ordinal.epsilon must be one of: 0, 0.05, 0.1, 0.15, 0.2."),
            ("epsilon = true", "ordinal.epsilon must be one of: 0, 0.05, 0.1, 0.15, 0.2."),
            ("bias_margin = inf", "ordinal.bias_margin must be a number from 0.001 to 100."),
            ("drift_margin = 0", "ordinal.drift_margin must be a number from 0.001 to 100."),
            ("ceiling_margin = -1", "ordinal.ceiling_margin must be a number from 0 to 2."),
            ('calibration = "magic"', "ordinal.calibration must be one of: shift, linear."),
            (
                "unscored = { trusted = 0.2, unusable = 0.1 }",
                "ordinal.unscored: “trusted” must be below “unusable”.",
            ),
            (
                "sensitivity = { trusted = 0.2, unusable = -0.1 }",
                "ordinal.sensitivity.unusable must be a number from 0 to 1.",
            ),
            ("least_positives = 9", "ordinal: “least_positives” is asked only with “sensitivity”."),
        ]
    ),
    *(
        ("title", f"{line}\ntitle", sentence)
        for line, sentence in [
            ("sensitivity_of = [1]", "sensitivity_of[0] must be text."),
            ('sensitivity_of = "safety"', "sensitivity_of must be a list."),
            ('expires_with = ["mood"]', "expires_with[0] must be one of: llm, fingerprint."),
            ('expires_with = ["none"]', "expires_with[0] must be one of: llm, fingerprint."),
            ("expires_with = [[]]", "expires_with[0] must be one of: llm, fingerprint."),
        ]
    ),
]


@pytest.mark.parametrize(("given", "instead", "sentence"), MISTAKES)
def test_a_mistake_is_named_with_its_place(given, instead, sentence):
    assert read("x", WHOLE).by_level
    with pytest.raises(PolicyError) as refusal:
        read("x", WHOLE.replace(given, instead, 1))
    assert any(sentence in problem for problem in refusal.value.problems), refusal.value.problems


def test_all_mistakes_are_named_at_once():
    with pytest.raises(PolicyError) as refusal:
        read("x", WHOLE.replace("least_items = 50", "least_items = 0"))
    assert len(refusal.value.problems) == 3


def test_rules_are_given_for_every_level_or_for_none():
    with pytest.raises(PolicyError, match="Give rules for all of ordinal, binary and nominal"):
        read("x", WHOLE[: WHOLE.index("[nominal]")])
    with pytest.raises(PolicyError, match="or else tiers"):
        read("x", HEAD)


def test_tiers_rise_in_width():
    text = HEAD + (
        "[tiers]\ngood_width = 0.6\nmoderate_width = 0.5\nreplicates = 1000\n"
        "keeps_only_shares = true\nseed = 1\n"
    )
    with pytest.raises(PolicyError, match="“moderate_width” must be above “good_width”"):
        read("x", text)


def test_a_text_without_chinese_is_read_in_english():
    policy = read_own(WHOLE.replace(', zh_hans = "甲"', "").encode())
    assert policy.title.in_("zh-hans") == "A"


def test_rules_of_a_team_are_called_by_the_begin_of_their_sha_256():
    content = WHOLE.encode()
    policy = read_own(content)
    assert policy.sha256 == hashlib.sha256(content).hexdigest()
    assert policy.key == policy.sha256[:12]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"#" * (MOST_BYTES + 1), "The file is larger than 32 kB: rules are short."),
        ("title = '规则'".encode("gb18030"), "The file is not in UTF-8."),
        (WHOLE.encode("utf-8-sig"), "The file begins with a byte order mark."),
        (b"", "title is missing."),
        (shipped()["mentalalign_tiers"].text.encode(), "tiers: the published tiers come with"),
    ],
)
def test_a_file_that_holds_no_rules_of_a_team_is_refused(content, sentence):
    with pytest.raises(PolicyError) as refusal:
        read_own(content)
    assert any(sentence in problem for problem in refusal.value.problems), refusal.value.problems
