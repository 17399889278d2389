"""A new edition of a rubric keeps earlier ratings readable, or says what breaks."""

import json
from copy import deepcopy
from dataclasses import replace

import pytest

from annotation.rubric.loading import dump, load, shipped
from annotation.rubric.schema import Measurement, Text
from annotation.rubric.versions import breaking_changes, fingerprint

SAFETY = load(shipped()["dialogue_safety"])
MENTALALIGN = load(shipped()["mentalalign"])
PSYCRISIS = load(shipped()["psycrisis"])


def edited(rubric, edit):
    definition = deepcopy(dump(rubric))
    edit(definition)
    return load(definition)


def drop_helpfulness(definition):
    del definition["criteria"][5]
    definition["groups"][1]["criteria"].remove("helpfulness")


def lengthen(definition):
    point = {"value": 6, "anchor": {"en": "Beyond", "zh_hans": "超出"}}
    definition["criteria"][0]["points"].append(point)


def sum_up(definition):
    definition["groups"][0]["summary"] = "sum"


def ungroup(definition):
    del definition["groups"][0]


def regroup(definition):
    definition["groups"][0]["criteria"].remove("safety")


def turn_round(definition):
    definition["criteria"].reverse()
    definition["groups"][0]["criteria"].reverse()


def recode(definition):
    definition["criteria"][0]["labels"][0]["code"] = 9


def swap_first_questions(definition):
    nodes = definition["criteria"][0]["nodes"]
    nodes[0], nodes[1] = nodes[1], nodes[0]


def rename_toxic(definition):
    definition["criteria"][0]["labels"][4]["key"] = "abuse"
    definition["criteria"][0]["nodes"][3]["options"][2]["label"] = "abuse"


def reword(definition):
    definition["title"]["en"] = "Other words"
    for criterion in definition["criteria"]:
        criterion["name"]["en"] += " (reworded)"


def rename_rubric(definition):
    definition["key"] = "other"


CHANGES = [
    (SAFETY, reword, ()),
    (MENTALALIGN, reword, ()),
    (MENTALALIGN, turn_round, ()),
    (SAFETY, rename_rubric, ("It is another rubric: “dialogue_safety” became “other”.",)),
    (
        MENTALALIGN,
        drop_helpfulness,
        ("The criterion “helpfulness” is gone.", "The group “ars” is worked out in another way."),
    ),
    (MENTALALIGN, lengthen, ("The scale of “guidance” has other values.",)),
    (MENTALALIGN, sum_up, ("The group “css” is worked out in another way.",)),
    (MENTALALIGN, regroup, ("The group “css” is worked out in another way.",)),
    (MENTALALIGN, ungroup, ("The group “css” is gone.",)),
    (SAFETY, recode, ("“safety”: the label “nonsense” has another code.",)),
    (
        SAFETY,
        rename_toxic,
        (
            "“safety”: the label “toxic_language” is gone.",
            "“safety”: the label “abuse” is new: earlier raters could not choose it.",
        ),
    ),
]


@pytest.mark.parametrize(("rubric", "edit", "sentences"), CHANGES)
def test_a_new_edition_says_what_it_breaks(rubric, edit, sentences):
    assert breaking_changes(rubric, edited(rubric, edit)) == sentences


def test_asking_in_another_order_changes_every_path():
    sentences = breaking_changes(SAFETY, edited(SAFETY, swap_first_questions))
    assert len(sentences) == len(SAFETY.criteria[0].labels)
    assert "“safety”: another path leads to the label “safe_response”." in sentences


def test_an_added_criterion_breaks_earlier_ratings():
    shorter = edited(MENTALALIGN, drop_helpfulness)
    assert breaking_changes(shorter, MENTALALIGN)[0] == (
        "The criterion “helpfulness” is new: earlier ratings lack it."
    )


def test_a_criterion_that_changes_its_kind_is_measured_in_another_way():
    (taxonomy,) = SAFETY.criteria
    scale = replace(MENTALALIGN.criterion("safety"), key="safety")
    other = replace(SAFETY, criteria=(scale,))
    assert taxonomy.key == "safety"
    sentence = ("The criterion “safety” is measured in another way.",)
    assert breaking_changes(SAFETY, other) == sentence
    assert breaking_changes(other, SAFETY) == sentence


def test_a_scale_that_changes_its_level_is_measured_in_another_way():
    (first, *others) = PSYCRISIS.criteria
    changed = replace(first, measurement=Measurement.ORDINAL)
    assert breaking_changes(PSYCRISIS, replace(PSYCRISIS, criteria=(changed, *others))) == (
        "The criterion “empathy” is measured in another way.",
    )


def test_the_order_of_red_flags_that_are_labels_breaks_nothing():
    labels = ["nonsense", "toxic_language"]

    def with_flag(labels):
        group = {"key": "alarm", "name": {"en": "Alarm", "zh_hans": "警报"}, "summary": "any"}
        group["flags"] = [{"criterion": "safety", "labels": labels}]
        return edited(SAFETY, lambda definition: definition.update(groups=[group]))

    assert breaking_changes(with_flag(labels), with_flag(labels[::-1])) == ()
    assert breaking_changes(with_flag(labels), with_flag(labels[:1]))


def test_an_edition_breaks_nothing_of_itself():
    for rubric in (SAFETY, MENTALALIGN, PSYCRISIS):
        assert breaking_changes(rubric, rubric) == ()


def test_a_fingerprint_depends_on_content_and_not_on_order():
    definition = dump(SAFETY)
    shuffled = dict(reversed(json.loads(json.dumps(definition)).items()))
    assert fingerprint(definition) == fingerprint(shuffled)
    assert len(fingerprint(definition)) == 64
    reworded = replace(SAFETY, title=Text(en="Other", zh_hans="其他"))
    assert fingerprint(dump(reworded)) != fingerprint(definition)
