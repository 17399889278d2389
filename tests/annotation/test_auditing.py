"""A sample of what all raters agree on goes to an adjudicator who does not know that it is one."""

from dataclasses import replace

import pytest
from django.utils import timezone

from accounts.access import access_of
from annotation.actions import adjudications, cancelling, discussions, protocol, rounds
from annotation.models import Gold, GoldAudit, RoundItem
from annotation.queries import adjudicating, cases
from annotation.queries.audits import found_in_study
from annotation.queries.rounds import reason_to_stay_open, round_status
from annotation.queries.studies import study_for
from annotation.rules.lifecycle import ItemState
from annotation.rules.protocol import WHOLE, Sight
from tests.annotation.doing import NONSENSE, SAFE, correct, decide, kappa_of, opened, rate

PROTOCOL = replace(
    WHOLE, re_review=False, discussion=False, sight=Sight.NOTHING.value, agreed_percent=40
)


def now():
    return timezone.now()


def seen_by(user):
    return study_for(access_of(user, at=now()), "pond")


@pytest.fixture
def gated(pond, ada, ben, cleo):
    """gated(protocol) is a round of six, one of which ben and cleo differ on, after its gate."""

    def open_by(agreed, kappa=0.8):
        protocol.agree(study_id=pond.pk, protocol=agreed, by=ada, at=now())
        pond.refresh_from_db()
        rating_round = opened(pond, ada, [ben, cleo])
        for position in range(1, 7):
            rate(rating_round, ben, position, SAFE)
            rate(rating_round, cleo, position, SAFE)
        place = RoundItem.objects.filter(round=rating_round).order_by("position").first()
        theirs = rating_round.submissions.get(item=place.item_id, rater__user=cleo)
        mine = theirs.assignment.position
        correct(rating_round, cleo, mine, NONSENSE, supersedes=theirs.pk)
        protocol.end_rating(round_id=rating_round.pk, by=ada, at=now())
        rounds.record_kappa(round_id=rating_round.pk, kappa=kappa_of(kappa), at=now())
        rating_round.refresh_from_db()
        return rating_round

    return open_by


def decide_all(rating_round, user, labels):
    """Decide all that waits, the sample as `labels` say."""
    labels = iter(labels)
    while place := cases.next_case(seen_by(user)):
        case = RoundItem.objects.get(pk=place)
        values = next(labels) if case.state == ItemState.AGREED else SAFE
        adjudications.decide(
            study_id=rating_round.study_id,
            round_item_id=place,
            ruling=adjudications.CaseRuling(values=values, reason="It is so."),
            by=user,
            at=now(),
        )


def test_the_sample_stands_in_the_queue_like_any_other_case(gated, dora):
    gated(PROTOCOL)
    assert GoldAudit.objects.count() == 2
    queue = cases.queue(seen_by(dora))
    assert queue.n_waiting == 3
    shown = [
        (
            line.is_unseen,
            line.is_flagged,
            [(one.name, one.gap, one.node) for one in line.differs_on],
        )
        for line in queue.waiting
    ]
    assert len({str(one) for one in shown}) == 1, "one can be told from the others"
    found = [adjudicating.case(seen_by(dora), line.round_item_id) for line in queue.waiting]
    told = [(one.conflicts, one.agreed, one.comments, one.letters, one.is_unseen) for one in found]
    assert told[0] == told[1] == told[2]


def test_what_is_found_is_counted_and_changes_no_gold(gated, ada, dora, as_user):
    rating_round = gated(PROTOCOL)
    before = set(Gold.objects.filter(superseded_at=None).values_list("pk", "label"))
    assert "Items that await adjudication: 3." in (
        reason_to_stay_open(round_status(rating_round.study, 1)) or ""
    )
    decide_all(rating_round, dora, [SAFE, NONSENSE])
    assert before < set(Gold.objects.filter(superseded_at=None).values_list("pk", "label"))
    assert sorted(GoldAudit.objects.values_list("is_overturned", flat=True)) == [False, True]
    page = as_user(ada).get("/studies/pond/rounds/1/").content.decode()
    assert "of 2 items that were drawn from those on which all raters agree" in page
    assert "decided 1 otherwise: 50.0 percent, 95 percent interval 9.5 to 90.5" in page
    rounds.close(round_id=rating_round.pk, by=ada, at=now())
    assert [one.split(",")[0] for one in found_in_study(rating_round.study)] == [
        "Round 1: of 2 items that were drawn from those on which all raters agree"
    ]


def test_nothing_is_told_while_any_of_it_waits(gated, dora):
    rating_round = gated(PROTOCOL)
    assert not round_status(rating_round.study, 1).audited


def test_the_same_decision_sent_twice_is_kept_once(gated, dora):
    rating_round = gated(PROTOCOL)
    place = GoldAudit.objects.first().round_item.position
    first = decide(rating_round, dora, place, SAFE)
    assert decide(rating_round, dora, place, SAFE) == first
    with pytest.raises(adjudications.CannotAdjudicate):
        decide(rating_round, dora, place, NONSENSE)


def test_half_a_decision_on_it_is_kept_as_on_any_other(gated, dora, as_user):
    gated(PROTOCOL)
    place = GoldAudit.objects.first().round_item_id
    sent = {
        "form": "adjudication",
        "place": place,
        "writer": "6d1cbd38-6bd3-4a02-a5dc-0b6a2c7b8a10",
        "version": 1,
        "base": 0,
        "reason": "Half way.",
    }
    assert as_user(dora).post("/studies/pond/draft/", sent).status_code == 200
    page = as_user(dora).get(f"/studies/pond/adjudicate/{place}/").content.decode()
    assert "Half way." in page


def test_none_of_it_waits_alone_while_others_are_discussed(gated, ada, dora):
    rating_round = gated(replace(PROTOCOL, discussion=True))
    assert cases.n_to_decide(seen_by(dora)) == 0
    [discussed] = RoundItem.objects.filter(round=rating_round, state=ItemState.DISCUSSED)
    discussions.end(study_id=rating_round.study_id, round_item_id=discussed.pk, by=dora, at=now())
    assert cases.n_to_decide(seen_by(dora)) == 3


def test_a_re_review_audits_what_both_rounds_agree_on(gated, ada, ben, cleo, dora):
    rating_round = gated(replace(PROTOCOL, re_review=True), kappa=0.1)
    assert not GoldAudit.objects.exists()
    again = rounds.open_re_review(round_id=rating_round.pk, by=ada, at=now())
    for rater in (ben, cleo):
        rate(again, rater, 1, SAFE)
    protocol.end_rating(round_id=again.pk, by=ada, at=now())
    rounds.record_kappa(round_id=again.pk, kappa=kappa_of(0.1), at=now())
    assert GoldAudit.objects.filter(drawn_in=again).count() == 3
    decide_all(again, dora, [SAFE, SAFE, SAFE])
    rounds.close(round_id=again.pk, by=ada, at=now())
    assert round_status(again.study, 2).audited


def test_a_re_review_that_is_cancelled_leaves_none_of_its_sample_waiting(
    gated, ada, ben, cleo, dora
):
    rating_round = gated(replace(PROTOCOL, re_review=True), kappa=0.1)
    for reason in ("The wrong day.", ""):
        again = rounds.open_re_review(round_id=rating_round.pk, by=ada, at=now())
        for rater in (ben, cleo):
            rate(again, rater, 1, SAFE)
        protocol.end_rating(round_id=again.pk, by=ada, at=now())
        rounds.record_kappa(round_id=again.pk, kappa=kappa_of(0.1), at=now())
        assert cases.n_to_decide(seen_by(dora)) > 0
        if reason:
            cancelling.cancel(round_id=again.pk, reason=reason, by=ada, at=now())
            assert cases.n_to_decide(seen_by(dora)) == 0
    assert GoldAudit.objects.filter(drawn_in=again).exists()


def test_a_round_that_was_not_asked_for_any_has_none(gated):
    gated(replace(PROTOCOL, agreed_percent=0))
    assert not GoldAudit.objects.exists()


def test_the_report_tells_what_was_agreed_and_what_was_found(gated, ada, dora, as_user):
    rating_round = gated(PROTOCOL)
    decide_all(rating_round, dora, [SAFE, SAFE])
    rounds.close(round_id=rating_round.pk, by=ada, at=now())
    page = as_user(ada).get("/studies/pond/agreement/report/").content.decode()
    assert "40 percent are drawn at random" in page
    assert "decided 0 otherwise" in page
