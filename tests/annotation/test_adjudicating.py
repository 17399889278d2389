"""Who decides a disagreement, what they see of the raters, and what comes of it."""

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.actions import adjudications, rounds, teams
from annotation.models import Adjudication, Gold, TeamRole
from annotation.queries import adjudicating
from annotation.queries.studies import study_for
from annotation.rules.lifecycle import ItemState
from tests.annotation.doing import (
    NONSENSE,
    SAFE,
    decide,
    opened,
    rate,
    rate_and_close,
    round_item,
    state_of,
)
from tests.cast import study_with

NO_REASON = "Write down the reason: the raters and the next round learn from it."


@pytest.fixture
def disagreement(pond_round, ben, cleo):
    """Ben and cleo have rated item 1 differently."""
    rate(pond_round, ben, 1, SAFE, comment="Warm enough.")
    rate(pond_round, cleo, 1, {"safety": "linguistic_neglect"})
    return pond_round


def give(user, study, *roles):
    teams.set_roles(study_id=study.pk, email=user.email, roles=roles, by=None, at=timezone.now())


def test_a_decision_makes_gold_with_its_reason(disagreement, dora):
    adjudication = decide(disagreement, dora, 1, SAFE, reason="It takes the frogs up.")
    gold = Gold.objects.get()
    assert (gold.label, gold.origin, gold.adjudication) == (
        "safe_response",
        "adjudicated",
        adjudication,
    )
    assert adjudication.reason == "It takes the frogs up."
    assert state_of(disagreement) == ItemState.ADJUDICATED


def test_a_decision_supersedes_imported_gold(disagreement, dora):
    Gold.objects.create(
        item=round_item(disagreement).item,
        criterion_key="safety",
        label="nonsense",
        origin="imported",
        decided_at=timezone.now(),
    )
    decide(disagreement, dora, 1, SAFE)
    assert [gold.label for gold in Gold.objects.filter(superseded_at=None)] == ["safe_response"]
    assert Gold.objects.count() == 2


@pytest.mark.parametrize(
    ("who", "roles", "refusal"),
    [
        ("finn", [TeamRole.ANNOTATOR], "not an adjudicator"),
        ("gwen", [TeamRole.RESEARCHER, TeamRole.EXPORTER], "not an adjudicator"),
        ("finn", [TeamRole.ANNOTATOR, TeamRole.ADJUDICATOR], None),
        ("ben", [TeamRole.ANNOTATOR, TeamRole.ADJUDICATOR], "rated this item yourself"),
        ("ben", [TeamRole.ADJUDICATOR], "rated this item yourself"),
    ],
)
def test_who_may_decide(request, disagreement, who, roles, refusal):
    user = request.getfixturevalue(who)
    give(user, disagreement.study, *roles)
    if refusal is None:
        decide(disagreement, user, 1)
        return
    with pytest.raises(adjudications.CannotAdjudicate, match=refusal):
        decide(disagreement, user, 1)
    assert not Adjudication.objects.exists()


@pytest.mark.parametrize("rated", [False, True])
def test_only_disagreements_are_decided(pond_round, ben, cleo, dora, rated):
    if rated:
        rate(pond_round, ben, 1)
        rate(pond_round, cleo, 1)
    with pytest.raises(adjudications.CannotAdjudicate, match="cannot become adjudicated"):
        decide(pond_round, dora, 1)


def test_an_item_is_decided_once(disagreement, dora, finn):
    decide(disagreement, dora, 1)
    give(finn, disagreement.study, TeamRole.ADJUDICATOR)
    with pytest.raises(adjudications.CannotAdjudicate, match="cannot become adjudicated"):
        decide(disagreement, finn, 1, NONSENSE)
    assert Gold.objects.get().label == "safe_response"


@pytest.mark.parametrize(
    ("values", "reason", "n_problems", "about_reason"),
    [
        ({}, "It is short.", 1, None),
        ({"safety": "fine"}, "It is short.", 1, None),
        (SAFE, "   ", 0, NO_REASON),
        ({}, "", 1, NO_REASON),
        (SAFE, "x" * 10_001, 0, "The reason has 10,001 characters. Shorten it to 10,000."),
    ],
)
def test_a_decision_needs_a_value_and_a_reason(
    disagreement, dora, values, reason, n_problems, about_reason
):
    with pytest.raises(adjudications.Undecided) as undecided:
        decide(disagreement, dora, 1, values, reason=reason)
    assert len(undecided.value.problems) == n_problems
    assert undecided.value.about_reason == about_reason
    assert state_of(disagreement) == ItemState.DISAGREED


def test_only_the_criteria_in_conflict_are_decided(ada, ben, cleo, dora, access_of):
    brook = study_with(
        rubric="mentalalign",
        key="brook",
        team={
            ada: [TeamRole.COORDINATOR],
            ben: [TeamRole.ANNOTATOR],
            cleo: [TeamRole.ANNOTATOR],
            dora: [TeamRole.ADJUDICATOR],
        },
        n_items=1,
    )
    rating_round = rounds.open_round(
        study_id=brook.pk, panel=[ben.pk, cleo.pk], raters_per_item=2, by=ada, at=timezone.now()
    )
    keys = [criterion.key for criterion in rating_round.rubric.criteria]
    rate(rating_round, ben, 1, dict.fromkeys(keys, 4))
    rate(rating_round, cleo, 1, dict.fromkeys(keys, 4) | {"guidance": 1, "safety": 5})
    case = adjudicating.case(study_for(access_of(dora), "brook"), round_item(rating_round).pk)
    assert [conflict.key for conflict in case.conflicts] == ["guidance"]
    assert "Safety" in [name for name, _words in case.agreed]
    decide(rating_round, dora, 1, {"guidance": "2", "empathy": "1"})
    gold = {one.criterion_key: (one.score, one.origin) for one in Gold.objects.all()}
    assert gold["guidance"] == (2, "adjudicated")
    assert gold["empathy"] == (4, "unanimous")
    assert "safety" not in gold


class TestTheCase:
    def case(self, rating_round, user, access_of):
        return adjudicating.case(
            study_for(access_of(user), rating_round.study.key), round_item(rating_round).pk
        )

    def test_the_raters_are_letters_in_a_stable_order(self, disagreement, dora, access_of):
        case = self.case(disagreement, dora, access_of)
        assert [given.letter for given in case.conflicts[0].given] == ["A", "B"]
        assert case == self.case(disagreement, dora, access_of)
        assert "Ben" not in repr(case)
        assert "Cleo" not in repr(case)

    def test_the_letters_hang_on_a_secret_of_the_study(self, disagreement, dora, access_of):
        """Else an adjudicator could work them out from the ids in addresses."""
        study, first = disagreement.study, set()
        for number in range(20):
            study.release_key = f"{number:064x}"
            study.save(update_fields=["release_key"])
            case = self.case(disagreement, dora, access_of)
            first.add(case.conflicts[0].given[0].value)
        assert first == {"safe_response", "linguistic_neglect"}

    def test_ways_show_where_they_part(self, disagreement, dora, access_of):
        given = self.case(disagreement, dora, access_of).conflicts[0].given
        parting = {step.number for one in given for step in one.steps if step.parts_here}
        assert parting == {3}
        assert sorted(len(one.steps) for one in given) == [3, 4]

    def test_taking_a_value_sends_what_was_shown(self, disagreement, dora, access_of):
        given = self.case(disagreement, dora, access_of).conflicts[0].given
        assert {one.value for one in given} == {"safe_response", "linguistic_neglect"}

    def test_a_rater_does_not_find_their_own_case(self, disagreement, ben, access_of):
        give(ben, disagreement.study, TeamRole.ANNOTATOR, TeamRole.ADJUDICATOR)
        study_access = study_for(access_of(ben), "pond")
        with pytest.raises(adjudicating.NoSuchCase):
            adjudicating.case(study_access, round_item(disagreement).pk)
        queue = adjudicating.queue(study_access)
        assert (queue.n_waiting, queue.n_for_others) == (0, 0), "nor that the others differ"

    def test_who_rated_an_item_earlier_is_told_that_it_waits_for_somebody_else(
        self, pond_round, ada, ben, cleo, dora, finn, access_of
    ):
        rate_and_close(pond_round, [ben, cleo], ada, kappa=0.1)
        again = opened(pond_round.study, ada, [cleo, finn], re_review_of=pond_round.pk)
        rate(again, cleo, 1, SAFE)
        rate(again, finn, 1, NONSENSE)
        give(ben, pond_round.study, TeamRole.ADJUDICATOR)
        queue = adjudicating.queue(study_for(access_of(ben), "pond"))
        assert (queue.n_waiting, queue.n_for_others) == (0, 1)


class TestTheScreen:
    def url(self, rating_round, position=1):
        return f"/studies/pond/adjudicate/{round_item(rating_round, position).pk}/"

    def test_it_goes_from_decision_to_decision(self, disagreement, ben, cleo, dora, as_user):
        rate(disagreement, ben, 2, SAFE)
        rate(disagreement, cleo, 2, NONSENSE)
        client = as_user(dora)
        data = {"take.safety": "safe_response", "reason": "It is short."}
        first = client.post(self.url(disagreement, 1), data)
        assert first.url == self.url(disagreement, 2)
        last = client.post(first.url, data | {"take.safety": "own", "own.safety": "toxic_language"})
        assert last.url == "/studies/pond/adjudicate/"
        assert Gold.objects.get(item__position=2).label == "toxic_language"

    def test_what_is_missing_is_said_and_the_rest_is_kept(self, disagreement, dora, as_user):
        answer = as_user(dora).post(
            self.url(disagreement), {"take.safety": "nonsense", "reason": " "}
        )
        assert answer.status_code == 422
        assert "Write down the reason" in answer.content.decode()
        missing = as_user(dora).post(self.url(disagreement), {"reason": "Because of the frogs."})
        assert missing.status_code == 422
        assert "Because of the frogs." in missing.content.decode()

    def test_a_case_decided_by_somebody_else_is_said(self, disagreement, dora, as_user):
        client = as_user(dora)
        decide(disagreement, dora, 1)
        answer = client.post(
            self.url(disagreement), {"take.safety": "nonsense", "reason": "x"}, follow=True
        )
        assert "cannot become adjudicated" in answer.content.decode()

    def test_others_have_no_such_screen(self, disagreement, ada, ben, gwen, as_user):
        for user in (ada, ben, gwen):
            assert as_user(user).get("/studies/pond/adjudicate/").status_code == 403
            assert as_user(user).get(self.url(disagreement)).status_code == 403


def test_an_adjudication_is_never_changed(disagreement, dora):
    decide(disagreement, dora, 1)
    with pytest.raises(IntegrityError, match="never changed"), transaction.atomic():
        Adjudication.objects.update(reason="other")
