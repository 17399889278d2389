"""Raters qualify on items with gold, and gold is mixed into rounds without anybody seeing it."""

import pytest
from django.db import connection, transaction
from django.utils import timezone

from accounts.ledger import sealing
from accounts.ledger.verifying import verify
from accounts.models import Event
from annotation.actions import rounds
from annotation.models import Gold, Item, Rater, RoundItem, Seat
from annotation.queries import gold_scores
from annotation.queries.qualified import qualified_in
from annotation.queries.rounds import round_status
from annotation.rules.lifecycle import ItemState
from tests.annotation.doing import NONSENSE, SAFE, close, opened, rate


@pytest.fixture
def gold(pond):
    """Items 1 and 2 are known to be safe."""
    return [
        Gold.objects.create(
            item=item,
            criterion_key="safety",
            label="safe_response",
            origin="imported",
            decided_at=timezone.now(),
        )
        for item in Item.objects.filter(study=pond).order_by("position")[:2]
    ]


@pytest.fixture
def to_qualify(pond, gold, ada, ben, cleo):
    return opened(pond, ada, [ben, cleo], pass_percent=80)


def current(study):
    return list(Gold.objects.filter(item__study=study, superseded_at=None).order_by("pk"))


class TestAQualificationRound:
    def test_has_all_rate_all_that_has_gold(self, to_qualify):
        assert to_qualify.raters_per_item == 2
        places = RoundItem.objects.filter(round=to_qualify)
        assert list(places.values_list("is_gold", flat=True)) == [True, True]

    def test_says_who_passed_once_it_is_closed(self, to_qualify, gold, ada, ben, cleo, as_user):
        study = to_qualify.study
        for position in (1, 2):
            rate(to_qualify, ben, position, SAFE)
            rate(to_qualify, cleo, position, NONSENSE if position == 1 else SAFE)
        assert not round_status(study, 1).has_gold
        close(to_qualify, ada)
        found = {
            place.name: (place.gold.percent, place.has_passed)
            for place in round_status(study, 1).panel
        }
        assert found == {"Ben": (100, True), "Cleo": (50, False)}
        assert qualified_in(study) == {ben.pk: (100, True), cleo.pk: (50, False)}
        assert current(study) == gold, "gold stays what it was"
        page = as_user(ada).get("/studies/pond/rounds/open/").content.decode()
        assert "Ben (qualified: 100 %)" in page
        assert "Cleo (not qualified: 50 %)" in page

    def test_shows_gold_beside_ones_answers_after_it(self, to_qualify, ada, ben, cleo, as_user):
        for position in (1, 2):
            rate(to_qualify, ben, position, SAFE)
            rate(to_qualify, cleo, position, NONSENSE)
        client = as_user(cleo)
        assert "Gold:" not in client.get("/studies/pond/my-work/").content.decode()
        close(to_qualify, ada)
        assert "Gold:" in client.get("/studies/pond/my-work/").content.decode()

    def test_holds_no_other_round_up(self, to_qualify, ada, ben, cleo):
        for position in (1, 2):
            rate(to_qualify, ben, position, SAFE)
            rate(to_qualify, cleo, position, NONSENSE)
        close(to_qualify, ada)
        assert opened(to_qualify.study, ada, [ben, cleo]).number == 2

    def test_needs_items_with_gold_that_the_panel_does_not_know(self, pond, ada, ben, cleo):
        with pytest.raises(rounds.CannotOpen, match="this panel does not know: 0"):
            opened(pond, ada, [ben, cleo], pass_percent=80)


class TestWhoSaysThatTheyHavePassed:
    """A seat is not noted, for it changes with every answer: the line of the closed round says it."""

    @pytest.fixture
    def sealed(self, to_qualify, ada, ben, cleo, settings, tmp_path):
        settings.CHECKPOINT_DIR = tmp_path
        for position in (1, 2):
            rate(to_qualify, ben, position, SAFE)
            rate(to_qualify, cleo, position, NONSENSE if position == 1 else SAFE)
        close(to_qualify, ada)
        sealing.seal_all()
        return tmp_path

    def test_is_believed_where_the_closed_round_said_so(self, sealed, to_qualify, ben, cleo):
        assert verify(folder=sealed).findings == []
        [event] = Event.objects.filter(verb="round.closed")
        scores = {str(Rater.objects.get(user=ben).pk): [2, 2]}
        scores[str(Rater.objects.get(user=cleo).pk)] = [1, 2]
        assert event.facts["gold_scores"] == scores

    def test_is_named_where_it_did_not(self, sealed, to_qualify, cleo):
        seat = Seat.objects.get(rater__user=cleo)
        Seat.objects.filter(pk=seat.pk).update(n_right=2)
        [found] = verify(folder=sealed).findings
        assert (found.table, found.problem) == (
            "annotation_seat",
            f"Seat {seat.pk} has other right answers than its round had when it was closed.",
        )

    def test_is_named_in_a_round_without_gold(self, sealed, to_qualify, ada, ben, cleo):
        opened(to_qualify.study, ada, [ben], raters_per_item=1, override_reason="To go on.")
        Seat.objects.filter(round__number=2).update(n_right=2, n_gold=2)
        sealing.seal_all()
        [found] = verify(folder=sealed).findings
        assert found.table == "annotation_seat"

    def test_is_believed_of_rounds_that_were_closed_before(self, sealed, to_qualify):
        """Their lines say nothing of it."""
        assert differing_copies_without_lines() == []


def differing_copies_without_lines():
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role TO 'replica'")
        cursor.execute("UPDATE accounts_event SET facts = facts - 'gold_scores'")
        found = list(gold_scores.differing_copies())
        transaction.set_rollback(True)
    return found


class TestGoldThatIsMixedIn:
    def test_is_left_as_it_is_and_needs_no_decision(self, pond, gold, ada, ben, cleo, finn):
        first = opened(pond, ada, [cleo, finn], n_items=2)
        for position in (1, 2):
            rate(first, cleo, position)
            rate(first, finn, position)
        close(first, ada)
        rounds.record_kappa(round_id=first.pk, kappa=None, at=timezone.now())
        fresh = opened(pond, ada, [ben], raters_per_item=1, n_gold=2, override_reason="To go on.")
        places = RoundItem.objects.filter(round=fresh)
        assert (places.count(), places.filter(is_gold=True).count()) == (6, 2)
        before = current(pond)
        for position in range(1, 7):
            rate(fresh, ben, position, NONSENSE)
        known = places.filter(is_gold=True)
        assert set(known.values_list("state", flat=True)) == {ItemState.AGREED.value}
        assert [one for one in current(pond) if one in before] == before
        close(fresh, ada)
        seat = Seat.objects.get(round=fresh)
        assert (seat.n_gold, seat.n_right) == (2, 0)

    def test_is_refused_where_there_is_not_enough(self, pond, gold, ada, ben, cleo):
        with pytest.raises(rounds.CannotOpen, match="this panel does not know: 0"):
            opened(pond, ada, [ben, cleo], n_gold=1)

    def test_is_chosen_on_the_page(self, pond, gold, ada, ben, cleo, as_user):
        sent = {
            "items": "qualify",
            "panel": [ben.pk, cleo.pk],
            "raters_per_item": 2,
            "gate": 0.4,
            "pass_percent": 90,
        }
        answer = as_user(ada).post("/studies/pond/rounds/open/", sent)
        assert answer.status_code == 302
        page = as_user(ada).get("/studies/pond/rounds/1/").content.decode()
        assert "whoever answers 90 % as gold has it passes" in page
