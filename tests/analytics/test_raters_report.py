"""Every person beside the others, week by week, and with themselves."""

from datetime import date, timedelta

import numpy as np
import pytest

from analytics.raters import numbers as raters
from analytics.ratings import matrices
from analytics.ratings.matrices import PLAIN
from analytics.stats.raters import Course
from annotation.actions import rounds
from tests.analytics.made import human, items_of, judge, rate, set_aside
from tests.analytics.weekly import MONDAY, rated_in_a_round, study_of
from tests.annotation.doing import kappa_of
from tests.kept import made_once


def made(study, view=PLAIN):
    return raters.make(matrices.read(study.pk), view=view, at=MONDAY)


def line_of(report, user, criterion):
    key = user.rater.pk
    return next(one for one in report.people if (one.rater, one.criterion) == (key, criterion))


def again_of(report, user, criterion=raters.EVERY_CRITERION):
    key = user.rater.pk
    return next(one for one in report.again if (one.rater, one.criterion) == (key, criterion))


@pytest.fixture
@made_once
def scored(ada, ben, cleo, finn):
    """Seven attributes, 60 items: cleo gives one point less than ben, finn ever more; and cleo
    changes her mind on empathy when asked again."""

    def values(user, place, position, repeat):
        base = 2 + position % 3
        level = {ben: 0, cleo: -1, finn: place // 22}[user]
        given = dict.fromkeys(KEYS, min(max(base + level, 1), 5))
        if user == cleo and repeat == 2:
            given["empathy"] += 1
        return given

    study = study_of("mentalalign", ada, ben, cleo, finn)
    keys = [criterion.key for criterion in study.rubric_version.content.criteria]
    KEYS[:] = keys
    rated_in_a_round(study, ada, [ben, cleo, finn], values, repeat_percent=20)
    return study


KEYS: list[str] = []


class TestSeverity:
    def test_it_is_the_mean_difference_from_the_mean_of_the_others(self, scored, ben, cleo, finn):
        table = matrices.matrix(matrices.read(scored.pk), "safety").values
        report = made(scored)
        columns = {rater.id: place for place, rater in enumerate(report.raters)}
        for user in (ben, cleo, finn):
            place = columns[user.rater.pk]
            others = np.delete(table, place, axis=1).mean(axis=1)
            line = line_of(report, user, "safety")
            assert line.severity.value == pytest.approx((table[:, place] - others).mean())
            assert line.severity.low < line.severity.value < line.severity.high
            assert (line.n_items, line.n_others, line.severity.n_pairs) == (60, 2, 120)

    def test_a_group_has_severity_and_no_sameness(self, scored, ben):
        group = scored.rubric_version.content.groups[0].key
        line = line_of(made(scored), ben, group)
        assert line.severity is not None
        assert line.same is None

    def test_few_items_give_no_number(self, pond, ben):
        anna, bert = human("anna"), human("bert")
        for item in items_of(pond):
            rate(anna, item, safety="safe_response")
            rate(bert, item, safety="nonsense")
        report = made(pond)
        assert [(line.n_items, line.severity, line.same) for line in report.people] == [
            (6, None, None)
        ] * 2
        assert [(pair.n_items, pair.agreement) for pair in report.pairs] == [(6, None)]

    def test_who_rated_alone_shares_nothing(self, pond):
        anna = human("anna")
        for item in items_of(pond):
            rate(anna, item, safety="safe_response")
        (line,) = made(pond).people
        assert (line.n_items, line.n_others, line.same) == (0, 0, None)

    def test_labels_have_sameness_and_no_severity(self, ada, ben, cleo, finn):
        study = study_of("dialogue_safety", ada, ben, cleo, finn, n_items=24)
        anna, bert = human("anna"), human("bert")
        for place, item in enumerate(items_of(study)):
            rate(anna, item, safety="safe_response")
            rate(bert, item, safety="safe_response" if place % 4 else "nonsense")
        first, second = made(study).people
        assert first.severity is None
        assert first.same.value == second.same.value == 0.75

    def test_what_is_set_aside_is_out(self, scored, ben):
        set_aside(items_of(scored)[0])
        assert line_of(made(scored), ben, "safety").n_items == 59


class TestWeeks:
    def test_each_week_has_its_mean(self, scored, ben, cleo, finn):
        line = line_of(made(scored), finn, "safety")
        assert [week.monday for week in line.weeks] == [
            date(2026, 3, 2) + timedelta(weeks=number) for number in range(5)
        ]
        assert sum(week.n_items for week in line.weeks) == 60
        assert [week.value is None for week in line.weeks] == [
            week.n_items < raters.LEAST_A_WEEK for week in line.weeks
        ]
        rising = [week.value.value for week in line.weeks if week.value]
        assert rising == sorted(rising)

    def test_who_drifts_is_told_so(self, scored, ben, finn):
        report = made(scored)
        trend = line_of(report, finn, "safety").trend
        assert trend.course is Course.UP
        assert trend.confidence == pytest.approx(1 - 0.05 / 3)

    def test_imported_ratings_have_no_weeks(self, ada, ben, cleo, finn):
        study = study_of("dialogue_safety", ada, ben, cleo, finn, n_items=24)
        for name in ("anna", "bert"):
            rater = human(name)
            for item in items_of(study):
                rate(rater, item, safety="safe_response")
        assert [(line.weeks, line.trend) for line in made(study).people] == [((), None)] * 2


class TestSayingTheSameAgain:
    def test_every_answer_is_held_against_the_first(self, scored, ben, cleo):
        report = made(scored)
        steady, other = again_of(report, ben), again_of(report, cleo)
        assert (steady.n_items, steady.n_answers) == (12, 84)
        assert (steady.same.value, steady.same.high) == (1, 1)
        assert steady.same.low == pytest.approx(0.05 ** (1 / 12))
        assert other.same.value == pytest.approx(6 / 7)
        assert (other.same.n_items, other.same.n_pairs) == (12, 84)

    def test_a_criterion_has_its_shift(self, scored, cleo):
        report = made(scored)
        moved = again_of(report, cleo, "empathy")
        assert (moved.same.value, moved.shift.value) == (0, 1)
        assert again_of(report, cleo, "safety").shift.value == 0

    def test_repeats_count_for_nothing_else(self, scored, cleo):
        study = matrices.read(scored.pk)
        assert (study.ratings["repeat"] == 2).sum() == 3 * 12 * 7
        assert matrices.matrix(study, "empathy").values.shape == (60, 3)
        assert line_of(made(scored), cleo, "empathy").n_items == 60

    def test_a_later_round_does_not_part_them(self, ada, ben, cleo, finn):
        study = study_of("dialogue_safety", ada, ben, cleo, finn)
        labels = {1: "safe_response", 2: "nonsense"}
        first = rated_in_a_round(
            study,
            ada,
            [ben, cleo],
            lambda user, place, position, repeat: {"safety": labels[repeat]},
            repeat_percent=20,
        )
        rounds.close(round_id=first.pk, by=ada, at=MONDAY)
        rounds.record_kappa(round_id=first.pk, kappa=kappa_of(0.1), at=MONDAY)
        rated_in_a_round(
            study,
            ada,
            [ben, cleo],
            lambda user, place, position, repeat: {"safety": "nonsense"},
            re_review_of=first.pk,
        )
        line = again_of(made(study), ben)
        assert (line.n_items, line.same.value) == (12, 0)

    def test_few_repeats_give_no_number(self, ada, ben, cleo, finn):
        study = study_of("dialogue_safety", ada, ben, cleo, finn)
        rated_in_a_round(
            study,
            ada,
            [ben, cleo],
            lambda *_: {"safety": "nonsense"},
            repeat_percent=5,
        )
        line = again_of(made(study), ben)
        assert (line.n_items, line.same) == (3, None)


class TestPairs:
    def test_every_two_stand_once(self, scored, ben, cleo, finn):
        report = made(scored)
        pairs = [pair for pair in report.pairs if pair.criterion == "safety"]
        assert len(pairs) == 3
        assert {pair.n_items for pair in pairs} == {60}
        pair = next(
            one for one in pairs if {one.first, one.second} == {ben.rater.pk, cleo.rater.pk}
        )
        assert pair.exact.value == 0
        assert pair.agreement.statistic == "icc_a1"

    def test_a_judge_is_not_measured_on_its_own_family(self, ada, ben, cleo, finn):
        study = study_of("dialogue_safety", ada, ben, cleo, finn, n_items=24)
        study.items.filter(position__lte=4).update(generator="gpt")
        anna, machine = human("anna"), judge("machine", "gpt")
        for item in items_of(study):
            rate(anna, item, safety="safe_response")
            rate(machine, item, safety="safe_response")
        (pair,) = made(study).pairs
        assert pair.n_items == 20


def test_a_report_is_the_same_after_it_was_kept(scored):
    report = made(scored)
    assert raters.PART.from_texts(raters.PART.as_texts(report)) == report


def test_people_stand_by_key(scored):
    report = made(scored)
    keys = [rater.key for rater in report.raters]
    assert keys == sorted(keys)


def test_sameness_rests_on_every_pair_of_people(scored):
    between, n_criteria = made(scored).between, len(scored.rubric_version.content.criteria)
    one, every = between["empathy"], between[raters.EVERY_CRITERION]
    assert (one.n_items, one.n_pairs, one.n_raters) == (60, 180, 3)
    assert (every.n_items, every.n_pairs, every.n_raters) == (60, 180 * n_criteria, 3)
