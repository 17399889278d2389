"""A study goes on under another edition of its rubric, and back, and no rating is lost."""

import copy
from itertools import product

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from annotation.actions import changing_rubrics, quarantine, rounds, rubrics
from annotation.models import Gold, Rating, RubricChange, Submission, TeamRole
from annotation.queries.rubric_changes import items_to_rate_again, preview
from annotation.rubric.loading import shipped
from annotation.rules.carrying import AGAIN
from tests.annotation.doing import (
    NONSENSE,
    SAFE,
    close,
    decide,
    opened,
    rate,
    rate_and_close,
)
from tests.cast import study_with

OLD = shipped()["dialogue_safety"]
URL = "/studies/pond/rubric/editions/"
MERGED = {"safety=nonsense": "humanoid_mimicry"}
SPLIT = {"safety=nonsense": AGAIN}


@pytest.fixture
def rated(pond_round, ada, ben, cleo, dora):
    """A closed round: item 1 decided as nonsense, the others safe; ben gave nonsense twice."""
    for position in range(1, 7):
        rate(pond_round, ben, position, NONSENSE if position < 3 else SAFE)
        rate(pond_round, cleo, position, SAFE)
    decide(pond_round, dora, 1, NONSENSE)
    decide(pond_round, dora, 2, SAFE)
    close(pond_round, ada)
    rounds.record_kappa(round_id=pond_round.pk, kappa=None, at=timezone.now())
    return pond_round.study


@pytest.fixture
def recoded():
    """An edition in which “nonsense” is under another code, so it has to be said what it means."""
    definition = copy.deepcopy(dict(OLD))
    for label in definition["criteria"][0]["labels"]:
        if label["key"] == "nonsense":
            label["code"] = 99
    return rubrics.publish(definition=definition, by=None, at=timezone.now())


def change(study, version, by, plan):
    return changing_rubrics.change_edition(
        study_id=study.pk, version_id=version.pk, plan=plan, by=by, at=timezone.now()
    )


def back(study, made, by):
    return changing_rubrics.take_back(
        study_id=study.pk, change_id=made.pk, by=by, at=timezone.now()
    )


def counting():
    """Every rating and gold that counts, by id."""
    ratings = Rating.objects.filter(submission__is_current=True).order_by("pk")
    gold = Gold.objects.filter(superseded_at=None).order_by("pk")
    columns = ("pk", "criterion_key", "label", "score")
    return (
        list(ratings.values_list(*columns, "unscored", "submission__rater", "submission__item")),
        list(gold.values_list(*columns, "item", "origin")),
    )


def labels():
    current = Rating.objects.filter(submission__is_current=True)
    return sorted(current.values_list("label", flat=True))


@pytest.mark.parametrize("plan", [MERGED, SPLIT, {"safety=nonsense": "nonsense"}], ids=str)
def test_there_and_back_leaves_every_rating(rated, recoded, ada, plan):
    before, rows = counting(), set(Rating.objects.values_list("pk", flat=True))
    for _time in range(2):
        made = change(rated, recoded, ada, plan)
        back(rated, made, ada)
        assert counting() == before
    assert rows <= set(Rating.objects.values_list("pk", flat=True))
    rated.refresh_from_db()
    assert rated.rubric_version_id == made.before_id


def test_values_that_are_merged_are_carried_over(rated, recoded, ada):
    made = change(rated, recoded, ada, MERGED)
    assert labels().count("humanoid_mimicry") == 2
    assert "nonsense" not in labels()
    assert made.again == []
    carried = Submission.objects.filter(pk__in=made.carried)
    assert {one.rubric_version_id for one in carried} == {recoded.pk}
    gold = Gold.objects.filter(superseded_at=None).values_list("label", "origin")
    assert ("humanoid_mimicry", "adjudicated") in gold


def test_values_that_are_split_wait_to_be_rated_again(rated, recoded, ada, ben, finn):
    made = change(rated, recoded, ada, SPLIT)
    rated.refresh_from_db()
    assert len(labels()) == 10
    assert items_to_rate_again(rated) == made.again
    assert len(made.again) == 2
    again = opened(rated, ada, [ben, finn], chosen=items_to_rate_again(rated))
    assert items_to_rate_again(rated) == []
    assert again.rubric_version_id == recoded.pk


def test_items_that_are_set_aside_are_not_rated_again(rated, recoded, ada):
    made = change(rated, recoded, ada, SPLIT)
    rated.refresh_from_db()
    aside, other = items_to_rate_again(rated)
    assert [aside, other] == made.again
    quarantine.quarantine(
        study_id=rated.pk,
        item_key=rated.items.get(pk=aside).key,
        reason="It names somebody.",
        by=ada,
        at=timezone.now(),
    )
    assert items_to_rate_again(rated) == [other]


class TestItIsRefused:
    def test_while_a_round_is_open(self, pond_round, recoded, ada):
        with pytest.raises(changing_rubrics.CannotChangeEdition, match="Round 1 is open"):
            change(pond_round.study, recoded, ada, MERGED)

    def test_back_once_somebody_has_rated_under_it(self, rated, recoded, ada, ben, cleo):
        made = change(rated, recoded, ada, SPLIT)
        rated.refresh_from_db()
        again = opened(rated, ada, [ben, cleo], chosen=items_to_rate_again(rated))
        rate_and_close(again, [ben, cleo], ada)
        with pytest.raises(changing_rubrics.CannotChangeEdition, match="were rated under this"):
            back(rated, made, ada)

    def test_back_once_gold_was_imported_under_it(self, rated, recoded, ada):
        made = change(rated, recoded, ada, SPLIT)
        Gold.objects.create(
            item=Gold.objects.get(pk=made.gold_retired[0]).item,
            criterion_key="safety",
            label="humanoid_mimicry",
            origin="imported",
            decided_at=timezone.now(),
        )
        with pytest.raises(changing_rubrics.CannotChangeEdition, match="Gold was imported under"):
            back(rated, made, ada)

    def test_with_a_value_that_is_not_there(self, rated, recoded, ada):
        with pytest.raises(changing_rubrics.CannotChangeEdition, match="Say what becomes of"):
            change(rated, recoded, ada, {"safety=nonsense": "nowhere"})
        assert not RubricChange.objects.exists()


def test_the_preview_counts_what_is_affected(rated, recoded):
    found = preview(rated, recoded.number, {})
    (nonsense,) = [one for one in found.fates if one.place == "safety=nonsense"]
    assert (nonsense.n_ratings, nonsense.n_items, nonsense.chosen) == (2, 2, AGAIN)
    assert any(one.before != one.after for one in found.texts)


class TestTheScreens:
    def test_lead_from_a_file_to_the_change_and_back(self, rated, ada, as_user):
        client = as_user(ada)
        sent = SimpleUploadedFile("bad.toml", b"key = ")
        assert client.post(URL, {"file": sent}).status_code == 422
        other = SimpleUploadedFile("other.toml", b'key = "other"')
        assert client.post(URL, {"file": other}).status_code == 422

    def test_show_the_difference_change_and_take_back(self, rated, recoded, ada, as_user):
        client = as_user(ada)
        page = client.get(f"{URL}{recoded.number}/").content.decode()
        assert "labels[nonsense].code" in page
        client.post(f"{URL}{recoded.number}/", {"fate.safety=nonsense": "humanoid_mimicry"})
        made = RubricChange.objects.get()
        assert "2 sets of answers were carried over" in client.get(URL).content.decode()
        client.post(f"/studies/pond/rubric/changes/{made.pk}/take-back/")
        assert "taken back" in client.get(URL).content.decode()

    def test_show_the_answers_of_a_rater_in_words_after_it(self, rated, recoded, ada, ben, as_user):
        change(rated, recoded, ada, MERGED)
        page = as_user(ben).get("/studies/pond/my-work/").content.decode()
        assert "Humanoid Mimicry" in page

    def test_show_a_rater_what_is_left_where_one_criterion_is_rated_again(
        self, ada, ben, cleo, as_user
    ):
        team = {
            ada: [TeamRole.COORDINATOR],
            ben: [TeamRole.ANNOTATOR],
            cleo: [TeamRole.ANNOTATOR],
        }
        brook = study_with(rubric="mentalalign", key="brook", team=team)
        rated = opened(brook, ada, [ben, cleo])
        values = {one.key: 3 for one in rated.rubric.criteria}
        for position, rater in product(range(1, 7), (ben, cleo)):
            rate(rated, rater, position, values)
        close(rated, ada)
        shorter = copy.deepcopy(dict(shipped()["mentalalign"]))
        del shorter["criteria"][0]["points"][-1]
        version = rubrics.publish(definition=shorter, by=None, at=timezone.now())
        change(brook, version, ada, {"guidance=3": AGAIN})
        page = as_user(ben).get("/studies/brook/my-work/").content.decode()
        assert "to be rated again under another edition" in page
        assert "3 · " in page

    def test_are_for_coordinators(self, rated, recoded, ben, dora, as_user):
        for user in (ben, dora):
            assert as_user(user).get(URL).status_code == 403
            assert as_user(user).get(f"{URL}{recoded.number}/").status_code == 403
