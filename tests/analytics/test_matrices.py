"""What rows of the database become: hand-written arrays beside hand-made rows."""

import json

import numpy as np
import pytest
from django.utils import timezone

from analytics.ratings import matrices
from annotation.actions import quarantine, rounds
from annotation.models import Assignment, Gold, RubricVersion, TeamRole
from annotation.rubric.schema import Measurement
from tests.analytics.made import AT, decide, human, items_of, judge, rate, set_aside, submit
from tests.cast import study_with
from tests.kept import made_once

NAN = np.nan
NONSENSE, MIMICRY, SAFE = 0.0, 1.0, 7.0
KEY = "safety"


@pytest.fixture
@made_once
def mind(ada):
    """A study of six items with seven scales from 1 to 5."""
    return study_with(rubric="mentalalign", key="mind", team={ada: [TeamRole.COORDINATOR]})


def values_of(study, key, **options):
    return matrices.matrix(matrices.read(study.pk), key, **options).values


def test_labels_become_the_numbers_of_the_rubric_and_missing_stays_missing(pond):
    first, second, third, *_ = items_of(pond)
    ruth, echo = human("ruth"), judge("echo")
    rate(ruth, first, **{KEY: "nonsense"})
    rate(ruth, third, **{KEY: "safe_response"})
    rate(echo, second, **{KEY: "humanoid_mimicry"})
    found = matrices.matrix(matrices.read(pond.pk), KEY)
    expected = [[NONSENSE, NAN], [NAN, MIMICRY], [SAFE, NAN], *[[NAN, NAN]] * 3]
    np.testing.assert_array_equal(found.values, expected)
    assert [rater.key for rater in found.raters] == ["ruth", "echo"]
    assert found.points == tuple(map(float, range(8)))
    assert found.measurement is Measurement.NOMINAL


def test_a_study_without_ratings_is_an_empty_matrix(pond):
    study = matrices.read(pond.pk)
    assert matrices.matrix(study, KEY).values.shape == (6, 0)
    assert study.revision == pond.revision == 0
    assert study.clusters is None


def test_what_could_not_be_rated_is_counted_by_reason_and_is_no_number(mind):
    first, second, *_ = items_of(mind)
    ruth = human("ruth")
    rate(ruth, first, safety="[broken_json]", empathy=3)
    rate(ruth, second, safety="[missing]", empathy="[missing]")
    study = matrices.read(mind.pk)
    assert study.ratings["unscored"].value_counts()["missing"] == 2
    assert np.isnan(matrices.matrix(study, "safety").values).all()
    assert matrices.matrix(study, "empathy").values[0, 0] == 3


def test_values_off_the_scale_are_out_unless_asked_for_as_released(mind):
    first, second, third, *_ = items_of(mind)
    ruth = human("ruth")
    rate(ruth, first, safety=0, empathy=6)
    rate(ruth, second, safety=4, empathy=5)
    rate(ruth, third, safety=5, empathy=1)
    study = matrices.read(mind.pk)
    plain = matrices.matrix(study, "safety")
    released = matrices.matrix(study, "safety", view=matrices.RELEASED)
    np.testing.assert_array_equal(plain.values[:3, 0], [NAN, 4, 5])
    np.testing.assert_array_equal(released.values[:3, 0], [0, 4, 5])
    assert plain.points == (1, 2, 3, 4, 5)
    assert released.points == (0, 1, 2, 3, 4, 5, 6), "every scale declared alike grows alike"


def test_items_that_are_set_aside_are_out_unless_asked_for(mind):
    first, second, third, *_ = items_of(mind)
    ruth = human("ruth")
    rate(ruth, first, safety=0, empathy=2)
    rate(ruth, second, safety=4, empathy=5)
    rate(ruth, third, safety=5, empathy=1)
    decide(first, safety=1)
    decide(second, safety=4)
    set_aside(first)
    study = matrices.read(mind.pk)
    views = {view: matrices.matrix(study, "safety", view=view) for view in matrices.VIEWS}
    assert study.quarantined.tolist() == [True, *[False] * 5]
    assert [table.values[1, 0] for table in views.values()] == [4] * 4
    first_values = {view: table.values[0, 0] for view, table in views.items()}
    np.testing.assert_equal([first_values[view] for view in matrices.VIEWS], [NAN, NAN, NAN, 0])
    golds = [views[view].gold[0] for view in matrices.VIEWS]
    np.testing.assert_equal(golds, [NAN, NAN, 1, 1])
    off_scale = matrices.View(with_off_scale=True)
    assert views[off_scale].points == (1, 2, 3, 4, 5), "its odd value makes no scale longer"


def test_an_item_that_is_let_back_in_counts_again(pond, ada):
    item = items_of(pond)[0]
    rate(human("ruth"), item, **{KEY: "safe_response"})
    made = quarantine.quarantine(study_id=pond.pk, item_key=item.key, reason="Cut.", by=ada, at=AT)
    assert np.isnan(values_of(pond, KEY)).all()
    quarantine.lift(study_id=pond.pk, quarantine_id=made.pk, by=ada, at=AT)
    assert values_of(pond, KEY)[0, 0] == SAFE


def test_views_that_hold_the_same_values_are_one(mind):
    first, second, *_ = items_of(mind)
    ruth = human("ruth")
    rate(ruth, first, safety=3)
    assert {matrices.read(mind.pk).effective(view) for view in matrices.VIEWS} == {matrices.PLAIN}
    set_aside(first)
    assert len({matrices.read(mind.pk).effective(view) for view in matrices.VIEWS}) == 2
    rate(ruth, second, safety=0)
    assert len({matrices.read(mind.pk).effective(view) for view in matrices.VIEWS}) == 4


def test_a_corrected_submission_no_longer_counts(pond):
    item = items_of(pond)[0]
    ruth = human("ruth")
    rate(ruth, item, current=False, **{KEY: "nonsense"})
    rate(ruth, item, **{KEY: "safe_response"})
    assert values_of(pond, KEY)[0, 0] == SAFE


def test_the_newest_round_counts(pond, ada, ben):
    panel = {"panel": [ben.pk], "raters_per_item": 1}
    first_round = rounds.open_round(study_id=pond.pk, by=ada, at=AT, **panel)
    item = items_of(pond)[0]
    assignment = Assignment.objects.get(round=first_round, item=item)
    submit(assignment, **{KEY: "nonsense"})
    rate(assignment.rater, item, **{KEY: "toxic_language"})
    assert values_of(pond, KEY)[0, 0] == NONSENSE, "a round counts before an imported rating"
    for other in Assignment.objects.filter(round=first_round).exclude(item=item):
        submit(other, **{KEY: "nonsense"})
    rounds.close(round_id=first_round.pk, by=ada, at=AT)
    again = rounds.open_round(
        study_id=pond.pk, by=ada, at=AT, re_review_of=first_round.pk, override_reason="!", **panel
    )
    submit(Assignment.objects.get(round=again, item=item), **{KEY: "safe_response"})
    assert values_of(pond, KEY)[:2, 0].tolist() == [SAFE, NONSENSE]


def test_a_judge_is_its_first_repeat_and_the_others_show_its_repeatability(pond):
    first, second, *_ = items_of(pond)
    echo = judge("echo")
    for repeat, label in enumerate(["nonsense", "safe_response", "nonsense"], start=1):
        rate(echo, first, repeat=repeat, **{KEY: label})
    rate(echo, second, repeat=2, **{KEY: "humanoid_mimicry"})
    study = matrices.read(pond.pk)
    np.testing.assert_array_equal(matrices.matrix(study, KEY).values[:2, 0], [NONSENSE, NAN])
    again = matrices.repeats(study, KEY, study.raters[0])
    np.testing.assert_array_equal(again[:2], [[NONSENSE, SAFE, NONSENSE], [NAN, MIMICRY, NAN]])


def test_only_current_gold_is_gold(pond):
    first, second, *_ = items_of(pond)
    decide(first, **{KEY: "nonsense"})
    decide(second, **{KEY: "nonsense"})
    Gold.objects.filter(item=second).update(superseded_at=timezone.now())
    decide(second, **{KEY: "safe_response"})
    study = matrices.read(pond.pk)
    np.testing.assert_array_equal(matrices.matrix(study, KEY).gold[:3], [NONSENSE, SAFE, NAN])
    assert not study.raters, "gold is nobody's rating"


def test_the_items_of_a_judge_s_own_family_are_told_apart(mind):
    items = items_of(mind)
    for item, generator in zip(items, ["frog", "toad", "frog", "", "newt", "toad"], strict=True):
        item.generator = generator
        item.save(update_fields=["generator"])
        rate(judge(f"j{item.position}", "frog", "newt"), item, safety=4)
    study = matrices.read(mind.pk)
    kept = matrices.of_other_generators(study, study.judges[0])
    assert kept.tolist() == [False, True, False, True, False, True]


def test_a_group_is_the_mean_of_its_criteria_and_missing_where_one_is(mind):
    first, second, *_ = items_of(mind)
    ruth = human("ruth")
    rate(ruth, first, empathy=3, helpfulness=4, understanding=4)
    rate(ruth, second, empathy=3, helpfulness=4)
    found = matrices.matrix(matrices.read(mind.pk), "ars")
    np.testing.assert_allclose(found.values[:2, 0], [11 / 3, NAN])
    assert found.values[0, 0] in found.points
    assert (found.points[0], found.points[-1]) == (1, 5)


def test_a_sum_runs_from_the_lowest_to_the_highest_there_can_be(ada):
    study = study_with(rubric="psycrisis", key="crisis", team={ada: [TeamRole.COORDINATOR]})
    group = study.rubric_version.content.groups[0]
    rate(human("ruth"), items_of(study)[0], **dict.fromkeys(group.criteria, 1))
    found = matrices.matrix(matrices.read(study.pk), group.key)
    assert found.points == (0, 1, 2, 3, 4, 5)
    assert found.values[0, 0] == 5


def test_a_label_of_another_edition_is_no_rating(pond):
    written = json.dumps(pond.rubric_version.definition).replace('"nonsense"', '"noise"')
    rate(human("ruth"), items_of(pond)[0], **{KEY: "nonsense"})
    pond.rubric_version = RubricVersion.objects.create(
        rubric=pond.rubric_version.rubric,
        number=2,
        definition=json.loads(written),
        fingerprint="2" * 64,
        published_at=AT,
    )
    pond.save(update_fields=["rubric_version"])
    study = matrices.read(pond.pk)
    assert study.ratings["unscored"].tolist() == ["unknown_label"]
    assert np.isnan(matrices.matrix(study, KEY).values).all()


def test_the_number_of_statements_does_not_grow_with_the_ratings(pond, django_assert_num_queries):
    echo, ruth = judge("echo"), human("ruth")
    for item in items_of(pond):
        rate(echo, item, **{KEY: "safe_response"})
        rate(ruth, item, **{KEY: "nonsense"})
    matrices.read(pond.pk)
    with django_assert_num_queries(11):
        assert len(matrices.read(pond.pk).ratings) == 12
