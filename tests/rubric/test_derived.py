"""Derived scores: what is worked out from answers, what is missing, and what makes no sense."""

from copy import deepcopy

import pytest

from annotation.rubric.answers import Answer, read_all
from annotation.rubric.derived import derived, measurement_of
from annotation.rubric.loading import RubricError, dump, load, shipped
from annotation.rubric.schema import Measurement
from annotation.rubric.versions import breaking_changes

MENTALALIGN = load(shipped()["mentalalign"])
PSYCRISIS = load(shipped()["psycrisis"])
SAFETY = load(shipped()["dialogue_safety"])
NAME = {"en": "A name", "zh_hans": "名称"}


def with_group(rubric, **group):
    definition = deepcopy(dump(rubric))
    definition["groups"].append({"key": "extra", "name": NAME} | group)
    return load(definition)


def with_flags(*flags, rubric=MENTALALIGN):
    return with_group(rubric, summary="any", flags=list(flags))


def extra_of(rubric, **raw):
    return derived(rubric, read_all(rubric, raw).answers)["extra"]


ADVICE = {"guidance": 4, "informativeness": 2, "safety": 3}
WORKED_OUT = [
    ("mean", 3.0),
    ("sum", 9.0),
    ("maximum", 4.0),
    ("minimum", 2.0),
]


@pytest.mark.parametrize(("summary", "score"), WORKED_OUT)
def test_a_derived_score_is_worked_out_from_every_part(summary, score):
    rubric = with_group(MENTALALIGN, summary=summary, criteria=list(ADVICE))
    assert extra_of(rubric, **ADVICE) == score
    assert extra_of(rubric, **ADVICE | {"safety": None}) is None


def test_a_part_without_a_score_is_not_left_out_of_a_mean():
    rubric = with_group(MENTALALIGN, summary="mean", criteria=["guidance", "safety"])
    answers = [Answer(criterion="guidance", score=4), Answer(criterion="safety")]
    assert derived(rubric, answers)["extra"] is None


def test_the_shipped_means_and_sums():
    raw = {"guidance": 4, "informativeness": 5, "relevance": 5, "safety": 4, "empathy": 3}
    answers = read_all(MENTALALIGN, raw).answers
    assert derived(MENTALALIGN, answers) == {"css": 4.5, "ars": None}
    crisis = dict.fromkeys(PSYCRISIS.groups[0].criteria, 1) | {"referral": 0}
    assert derived(PSYCRISIS, read_all(PSYCRISIS, crisis).answers) == {"total": 4.0}
    assert derived(SAFETY, [Answer(criterion="safety", label="nonsense")]) == {}


FLAGGED = [
    ({"safety": 2, "guidance": 5}, 1.0),
    ({"safety": 5, "guidance": 5}, 0.0),
    ({"safety": 5, "guidance": 1}, 1.0),
    # One flag that is up does not stand for an item whose other part was not rated.
    ({"safety": 1}, None),
    ({"guidance": 5}, None),
]


@pytest.mark.parametrize(("raw", "score"), FLAGGED)
def test_one_red_flag_is_enough_and_nothing_makes_up_for_it(raw, score):
    rubric = with_flags(
        {"criterion": "safety", "at_most": 2}, {"criterion": "guidance", "at_most": 1}
    )
    assert extra_of(rubric, **raw) == score
    assert rubric.made_of("extra") == ("safety", "guidance")
    assert rubric.made_of("safety") == ("safety",)


@pytest.mark.parametrize(("score", "is_up"), [(5, 1.0), (4, 1.0), (3, 0.0)])
def test_a_high_value_can_be_the_red_flag(score, is_up):
    rubric = with_flags({"criterion": "safety", "at_least": 4})
    assert extra_of(rubric, safety=score) == is_up


@pytest.mark.parametrize(
    ("label", "score"), [("toxic_language", 1.0), ("safe_response", 0.0), ("nonsense", 0.0)]
)
def test_labels_are_red_flags_too(label, score):
    rubric = with_flags(
        {"criterion": "safety", "labels": ["toxic_language", "unamiable_judgment"]}, rubric=SAFETY
    )
    assert extra_of(rubric, safety=label) == score


LEVELS = [
    (MENTALALIGN, {"summary": "maximum", "criteria": ["safety"]}, Measurement.ORDINAL),
    (PSYCRISIS, {"summary": "minimum", "criteria": ["empathy", "referral"]}, Measurement.BINARY),
    (PSYCRISIS, {"summary": "sum", "criteria": ["empathy", "referral"]}, Measurement.ORDINAL),
    (
        MENTALALIGN,
        {"summary": "any", "flags": [{"criterion": "safety", "at_least": 4}]},
        Measurement.BINARY,
    ),
]


@pytest.mark.parametrize(("rubric", "group", "level"), LEVELS)
def test_a_derived_score_has_a_level_of_measurement(rubric, group, level):
    found = with_group(rubric, **group)
    assert measurement_of(found, found.groups[-1]) is level
    assert load(dump(found)) == found


def test_nobody_is_asked_for_a_derived_score():
    rubric = with_flags({"criterion": "safety", "at_most": 2})
    assert rubric.criteria == MENTALALIGN.criteria
    assert [part.key for part in rubric.with_levels][-1] == "extra"
    (problem,) = read_all(rubric, {"extra": 1}).problems[-1:]
    assert problem.reason == "unknown_criterion"


SAFE = {"criterion": "safety"}
UNSOUND = [
    (
        {"summary": "maximum", "criteria": ["safety", "nowhere"]},
        "groups[2].criteria[1]: “nowhere” is not a scale of this rubric.",
    ),
    ({"summary": "any", "flags": []}, "groups[2].flags is empty."),
    ({"summary": "any"}, "groups[2].flags is missing."),
    (
        {"summary": "any", "flags": [SAFE | {"at_most": 2}], "criteria": ["safety"]},
        "groups[2].criteria is not known here; check its spelling.",
    ),
    (
        {"summary": "mean", "criteria": ["safety"], "flags": [SAFE | {"at_most": 2}]},
        "groups[2].flags is not known here; check its spelling.",
    ),
    (
        {"summary": "any", "flags": [{"criterion": "nowhere", "at_most": 2}]},
        "groups[2].flags[0].criterion: “nowhere” is not a criterion of this rubric.",
    ),
    (
        {"summary": "any", "flags": [SAFE]},
        "groups[2].flags[0]: a scale is flagged by either at_most or at_least, one level.",
    ),
    (
        {"summary": "any", "flags": [SAFE | {"at_most": 1, "at_least": 4}]},
        "groups[2].flags[0]: a scale is flagged by either at_most or at_least, one level.",
    ),
    (
        {"summary": "any", "flags": [SAFE | {"at_most": 5}]},
        "groups[2].flags[0]: level 5 does not part the scale of “safety”.",
    ),
    (
        {"summary": "any", "flags": [SAFE | {"at_most": 2}, SAFE | {"at_most": 1}]},
        "groups[2].flags[1].criterion: the key “safety” is used 2 times.",
    ),
    (
        {"key": "safety", "summary": "sum", "criteria": ["safety"]},
        "groups[2].key: “safety” is a criterion already.",
    ),
]


def problems_of(rubric, group):
    with pytest.raises(RubricError) as refusal:
        with_group(rubric, **group)
    return refusal.value.problems


@pytest.mark.parametrize(("group", "sentence"), UNSOUND)
def test_a_derived_score_that_makes_no_sense_is_refused_by_place(group, sentence):
    assert problems_of(MENTALALIGN, group) == (sentence,)


OF_LABELS = [
    ({"at_most": 2}, "groups[0].flags[0]: a taxonomy is flagged by its labels."),
    (
        {"labels": ["toxic_language"], "at_most": 2},
        "groups[0].flags[0]: a taxonomy is flagged by its labels.",
    ),
    (
        {"labels": ["rude"]},
        "groups[0].flags[0].labels[0]: “rude” is not a label of “safety”.",
    ),
    (
        {"labels": ["toxic_language", "toxic_language"]},
        "groups[0].flags[0].labels[1]: the key “toxic_language” is used 2 times.",
    ),
    (
        {"labels": [label.key for label in SAFETY.criteria[0].labels]},
        "groups[0].flags[0].labels: every label is a flag.",
    ),
]


@pytest.mark.parametrize(("flag", "sentence"), OF_LABELS)
def test_flags_of_a_taxonomy_name_some_of_its_labels(flag, sentence):
    assert problems_of(SAFETY, {"summary": "any", "flags": [SAFE | flag]}) == (sentence,)


def test_a_maximum_needs_scales_alike():
    definition = deepcopy(dump(MENTALALIGN))
    definition["criteria"][0]["points"].pop()
    group = {"summary": "maximum", "criteria": ["guidance", "safety"]}
    assert problems_of(load(definition), group) == (
        "groups[2].criteria: a maximum or minimum needs scales with the same values.",
    )


def test_a_new_derived_score_breaks_no_rating_and_another_way_to_it_does():
    first = with_flags(
        {"criterion": "safety", "at_most": 2}, {"criterion": "empathy", "at_most": 1}
    )
    turned = with_flags(
        {"criterion": "empathy", "at_most": 1}, {"criterion": "safety", "at_most": 2}
    )
    stricter = with_flags(
        {"criterion": "safety", "at_most": 3}, {"criterion": "empathy", "at_most": 1}
    )
    assert breaking_changes(MENTALALIGN, first) == ()
    assert breaking_changes(first, turned) == ()
    assert breaking_changes(first, stricter) == ("The group “extra” is worked out in another way.",)
