"""What raters say beside their values: who keeps it, who reads it, and what it leaves alone."""

from dataclasses import replace
from uuid import uuid4

import pytest
from django.db import transaction
from django.db.utils import DatabaseError
from django.utils import timezone

from annotation.actions import changing_rubrics, protocol, rounds, rubrics
from annotation.actions.recording import keep_grounds
from annotation.models import RatingGrounds, Submission, TeamRole
from annotation.queries import adjudicating
from annotation.queries.studies import study_for
from annotation.rubric.grounds import Grounds, Passage
from annotation.rubric.loading import parse_toml
from annotation.rules.protocol import AT_ONCE, WHOLE, Sight
from tests.analytics import made
from tests.annotation.doing import assignment_of, chosen, close, decide, opened, rate, round_item
from tests.cast import study_with
from tests.kept import made_once
from tests.rubric.test_grounds import SURE_TOML

WRITER = uuid4()
RATE = "/studies/meadow/rate/"
ANSWERS = {"answer.warmth": "3", "answer.clarity": "1"}
BESIDE = {
    "grounds.warmth.confidence": "1",
    "grounds.warmth.defensible.2": "1",
    "grounds.warmth.evidence": "4:0-5 1",
    "grounds.warmth.rationale": "It stays with the frogs.",
}


@pytest.fixture
@made_once
def meadow(ada, ben, cleo, dora):
    """A study that asks what a value rests on."""
    annotator = [TeamRole.ANNOTATOR]
    return study_with(
        rubric=parse_toml(SURE_TOML),
        key="meadow",
        team={
            ada: [TeamRole.COORDINATOR],
            ben: annotator,
            cleo: annotator,
            dora: [TeamRole.ADJUDICATOR],
        },
        n_items=2,
    )


@pytest.fixture
def meadow_round(meadow, ada, ben, cleo):
    return opened(meadow, ada, [ben, cleo])


def sent(rating_round, user, **more):
    fields = ANSWERS | BESIDE | more
    return {"assignment": assignment_of(rating_round, user).pk, "key": str(uuid4())} | fields


def test_something_else_beside_the_same_answers_is_not_told_to_be_stored(
    meadow_round, ben, as_user
):
    fields = sent(meadow_round, ben)
    other = fields | {"grounds.warmth.rationale": "Something else."}
    statuses = [as_user(ben).post(RATE, form).status_code for form in (fields, fields, other)]
    assert statuses == [302, 302, 409]


def test_it_is_kept_with_the_answers_once_and_never_changed(meadow_round, ben, as_user):
    fields = sent(meadow_round, ben)
    for _time in range(2):
        assert as_user(ben).post(RATE, fields).status_code == 302
    kept = RatingGrounds.objects.get()
    assert (kept.criterion_key, kept.confidence, kept.defensible) == ("warmth", 1, ["2"])
    assert kept.evidence == ["1:0-35", "4:0-5"]
    assert kept.rationale == "It stays with the frogs."
    with pytest.raises(DatabaseError), transaction.atomic():
        RatingGrounds.objects.update(confidence=3)


def test_answers_with_nothing_beside_them_are_answers(meadow_round, ben, as_user):
    fields = sent(meadow_round, ben) | dict.fromkeys(BESIDE, "")
    del fields["grounds.warmth.defensible.2"]
    assert as_user(ben).post(RATE, fields).status_code == 302
    assert Submission.objects.exists()
    assert not RatingGrounds.objects.exists()


def test_words_that_are_not_there_are_asked_for_again_and_nothing_is_lost(
    meadow_round, ben, as_user
):
    fields = sent(meadow_round, ben, **{"grounds.warmth.evidence": "4:0-900"}, comment="Look.")
    answer = as_user(ben).post(RATE, fields)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "lies outside of the text: there are turns 1 to 4" in page
    assert 'value="4:0-900"' in page
    assert "Look." in page
    assert not Submission.objects.exists()


def test_who_cannot_judge_says_nothing_beside_it(meadow_round, ben, as_user):
    as_user(ben).post(RATE, sent(meadow_round, ben, **{"cannot.warmth": "unclear"}))
    assert Submission.objects.exists()
    assert not RatingGrounds.objects.exists()


def test_a_correction_begins_with_it_and_replaces_it(meadow_round, ben, as_user):
    as_user(ben).post(RATE, sent(meadow_round, ben))
    address = f"/studies/meadow/my-work/{assignment_of(meadow_round, ben).pk}/"
    page = as_user(ben).get(address).content.decode()
    assert 'value="1:0-35 4:0-5"' in page
    assert ">It stays with the frogs.</textarea>" in page
    assert '<option value="1" selected>Unsure</option>' in page
    assert "1" in chosen(page)
    first = Submission.objects.get()
    fields = sent(meadow_round, ben, supersedes=first.pk, **{"grounds.warmth.confidence": "3"})
    assert as_user(ben).post(address, fields).status_code == 302
    newest = RatingGrounds.objects.get(submission__is_current=True)
    assert (newest.confidence, newest.submission.supersedes) == (3, first)


def test_a_program_says_it_in_the_same_words(meadow_round, ben, as_user):
    address = f"/api/v1/assignments/{assignment_of(meadow_round, ben).pk}/submission/"
    beside = {"confidence": 1, "defensible": ["2"], "evidence": ["4:0-5", "1"], "rationale": "So."}
    data = {"key": str(uuid4()), "answers": {"warmth": 3, "clarity": 1}}

    def post(grounds):
        return as_user(ben).post(
            address, data | {"grounds": grounds}, content_type="application/json"
        )

    refused = post({"warmth": beside | {"evidence": ["9"]}})
    assert refused.status_code == 422
    assert "turns 1 to 4" in refused.json()["problems"][0]["sentence"]
    assert post({"warmth": beside | {"confidence": 7}}).status_code == 422
    assert post({"warmth": beside}).status_code == 200
    kept = RatingGrounds.objects.get()
    assert (kept.evidence, kept.rationale) == (["1:0-35", "4:0-5"], "So.")


def half(rating_round, user, **fields):
    return {
        "form": "rating",
        "place": assignment_of(rating_round, user).pk,
        "writer": str(WRITER),
        **fields,
    }


def test_a_rationale_that_is_half_written_stands_in_the_form_again(meadow_round, ben, as_user):
    typed = {"grounds.warmth.rationale": "It stays, " * 60, "comment": "Half."}
    client = as_user(ben)
    kept = half(meadow_round, ben, version=1, base=0, **ANSWERS, **typed)
    assert client.post("/studies/meadow/draft/", kept).status_code == 200
    assert "It stays, It stays, " in client.get(RATE).content.decode()
    without = half(meadow_round, ben, version=2, base=0, **ANSWERS)
    assert client.post("/studies/meadow/draft/", without).status_code == 200
    page = client.get(RATE).content.decode()
    assert "It stays, It stays, " in page
    assert "Half." in page
    dropped = half(meadow_round, ben, version=3, base=0, **ANSWERS, comment="Half.")
    assert client.post("/studies/meadow/draft/", dropped).status_code == 200
    assert "It stays, " not in client.get(RATE).content.decode()


def test_what_was_said_beside_a_value_that_stays_is_carried_over(
    meadow_round, ada, ben, cleo, as_user
):
    as_user(ben).post(RATE, sent(meadow_round, ben))
    for rater, position in ((ben, 2), (cleo, 1), (cleo, 2)):
        rate(meadow_round, rater, position, {"warmth": 3, "clarity": 1})
    close(meadow_round, ada)
    wider = SURE_TOML.replace(
        '{ value = 3, anchor.en = "Close" }',
        '{ value = 3, anchor.en = "Close" }, { value = 4, anchor.en = "Closest" }',
    ).replace(
        '"binary"\npoints = [{ value = 0, anchor.en = "No" }, { value = 1, anchor.en = "Yes" }]',
        '"ordinal"\npoints = [{ value = 1, anchor.en = "No" }, { value = 2, anchor.en = "Yes" }]',
    )
    definition = parse_toml(wider)
    version = rubrics.publish(definition=definition, by=None, at=timezone.now())
    changing_rubrics.change_edition(
        study_id=meadow_round.study_id,
        version_id=version.pk,
        plan={
            "warmth=1": "1",
            "warmth=2": "1",
            "warmth=3": "3",
            "clarity=0": "1",
            "clarity=1": "2",
        },
        by=ada,
        at=timezone.now(),
    )
    old, new = RatingGrounds.objects.order_by("pk")
    assert new.submission.is_current
    assert not old.submission.is_current
    assert (new.confidence, new.evidence, new.rationale) == (
        old.confidence,
        old.evidence,
        old.rationale,
    )
    assert (old.defensible, new.defensible) == (["2"], ["1"])


def test_who_decides_reads_it_under_letters_and_in_the_words_of_the_text(
    meadow, meadow_round, ben, cleo, dora, as_user, access_of
):
    as_user(ben).post(RATE, sent(meadow_round, ben))
    rate(meadow_round, cleo, 1, {"warmth": 1, "clarity": 1})
    place = round_item(meadow_round)
    case = adjudicating.case(study_for(access_of(dora), "meadow"), place.pk)
    [told] = case.grounds
    assert told.criterion == "Warmth"
    assert (told.confidence, told.defensible) == ("Unsure", ("2 · Warm",))
    assert told.rationale == "It stays with the frogs."
    assert told.quotes == ((1, "The pond has been quiet for 1 days."), (4, "Frogs"))
    page = as_user(dora).get(f"/studies/meadow/adjudicate/{place.pk}/").content.decode()
    assert "What the answers rest on" in page
    assert "Ben" not in page
    answer = as_user(dora).get(f"/api/v1/studies/meadow/cases/{place.pk}/").json()
    assert answer["grounds"][0]["quotes"][1] == "4: Frogs"


def test_what_judges_said_beside_their_values_is_told_with_them(
    meadow_round, ben, cleo, dora, as_user
):
    rate(meadow_round, ben, 1, {"warmth": 3, "clarity": 1})
    rate(meadow_round, cleo, 1, {"warmth": 1, "clarity": 1})
    place = round_item(meadow_round)
    given = made.rate(made.judge("echo"), place.item, warmth=2, clarity=1)
    said = Grounds(criterion="warmth", evidence=(Passage(4, 0, 5),), unverified=("Nobody.",))
    keep_grounds([(given.pk, said)])
    decide(meadow_round, dora, 1, {"warmth": 2})
    address = f"/studies/meadow/adjudicate/{place.pk}/"
    assert "Nobody." not in as_user(dora).get(address).content.decode()
    page = as_user(dora).post(f"{address}judges/").content.decode()
    assert "<q>Frogs</q>" in page
    assert "<q>Nobody.</q> (in no text of this item)" in page
    [told] = as_user(dora).post(f"/api/v1/studies/meadow/cases/{place.pk}/judges/").json()
    assert told["grounds"][0]["quotes"] == ["4: Frogs"]


def test_who_decides_unseen_is_told_nothing_of_it(meadow, ada, ben, cleo, dora, as_user):
    unseen = replace(AT_ONCE, sight=Sight.NOTHING.value)
    protocol.agree(study_id=meadow.pk, protocol=unseen, by=ada, at=timezone.now())
    meadow.refresh_from_db()
    rating_round = opened(meadow, ada, [ben, cleo])
    as_user(ben).post(RATE, sent(rating_round, ben))
    rate(rating_round, cleo, 1, {"warmth": 1, "clarity": 1})
    address = f"/studies/meadow/adjudicate/{round_item(rating_round).pk}/"
    assert "rest on" not in as_user(dora).get(address).content.decode()


def test_who_discusses_reads_it_under_letters(meadow, ada, ben, cleo, as_user):
    agreed = replace(WHOLE, re_review=False)
    protocol.agree(study_id=meadow.pk, protocol=agreed, by=ada, at=timezone.now())
    meadow.refresh_from_db()
    rating_round = opened(meadow, ada, [ben, cleo])
    as_user(ben).post(RATE, sent(rating_round, ben))
    rate(rating_round, ben, 2, {"warmth": 1, "clarity": 1})
    for position in (1, 2):
        rate(rating_round, cleo, position, {"warmth": 1, "clarity": 1})
    protocol.end_rating(round_id=rating_round.pk, by=ada, at=timezone.now())
    rounds.record_kappa(round_id=rating_round.pk, kappa=None, at=timezone.now())
    address = f"/studies/meadow/discuss/{round_item(rating_round).pk}/"
    for reader, says in ((ben, "You (Rater"), (cleo, "Rater")):
        page = as_user(reader).get(address).content.decode()
        told = page[page.index("What the answers rest on") :]
        assert says in told
        assert "<q>Frogs</q>" in told
    assert "Ben" not in page


def test_the_page_of_the_rubric_says_what_may_be_said(meadow, ben, as_user):
    page = as_user(ben).get("/studies/meadow/rubric/").content.decode()
    assert page.count("Raters may say beside it:") == 1
    assert "how sure they are; which other values could be defended; which words" in page
    assert "why they chose it" in page
    asked = page[page.index("What a judge is asked") :]
    assert "in “confidence”: How sure are you? 1 = Unsure | 2 = Fairly sure | 3 = Sure" in asked
    assert "in “rationale”: Why this value?" in asked


def test_it_is_no_reason_to_differ(meadow_round, ben, cleo, as_user):
    as_user(ben).post(RATE, sent(meadow_round, ben))
    rate(meadow_round, cleo, 1, {"warmth": 3, "clarity": 1})
    assert round_item(meadow_round).state == "agreed"
