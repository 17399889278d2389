"""Who decides a disagreement, what they see of the raters, and what comes of it."""

import re
from dataclasses import replace

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.models import Event
from annotation.actions import adjudications, cancelling, protocol, rounds, teams
from annotation.models import Adjudication, Gold, Rating, TeamRole
from annotation.queries import adjudicating, cases
from annotation.queries.studies import study_for
from annotation.rules.lifecycle import ItemState
from annotation.rules.protocol import AT_ONCE, Sight
from tests.annotation.doing import (
    NONSENSE,
    SAFE,
    close,
    decide,
    kappa_of,
    opened,
    rate,
    rate_and_close,
    revise,
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
    with pytest.raises(adjudications.CannotAdjudicate, match="is adjudicated already"):
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


def _letters(case):
    return [letter for one in case.conflicts[0].given for letter in one.letters]


class TestTheCase:
    def case(self, rating_round, user, access_of):
        return adjudicating.case(
            study_for(access_of(user), rating_round.study.key), round_item(rating_round).pk
        )

    def test_the_raters_are_letters_in_a_stable_order(self, disagreement, dora, access_of):
        case = self.case(disagreement, dora, access_of)
        assert sorted(_letters(case)) == ["A", "B"]
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
            first.add(next(one.value for one in case.conflicts[0].given if "A" in one.letters))
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
        queue = cases.queue(study_access)
        assert (queue.n_waiting, queue.n_for_others) == (0, 0), "nor that the others differ"

    def test_who_rated_an_item_earlier_is_told_that_it_waits_for_somebody_else(
        self, pond_round, ada, ben, cleo, dora, finn, access_of
    ):
        rate_and_close(pond_round, [ben, cleo], ada, kappa=0.1)
        again = opened(pond_round.study, ada, [cleo, finn], re_review_of=pond_round.pk)
        rate(again, cleo, 1, SAFE)
        rate(again, finn, 1, NONSENSE)
        give(ben, pond_round.study, TeamRole.ADJUDICATOR)
        queue = cases.queue(study_for(access_of(ben), "pond"))
        assert (queue.n_waiting, queue.n_for_others) == (0, 1)


class TestTheScreen:
    def url(self, rating_round, position=1):
        return f"/studies/pond/adjudicate/{round_item(rating_round, position).pk}/"

    def test_it_goes_from_decision_to_decision(self, disagreement, ben, cleo, dora, as_user):
        rate(disagreement, ben, 2, SAFE)
        rate(disagreement, cleo, 2, NONSENSE)
        client = as_user(dora)
        data = {"take.safety": "safe_response", "code.decided": "slip", "reason": "It is short."}
        first = client.post(self.url(disagreement, 1), data)
        assert first.url == self.url(disagreement, 2)
        shown = client.get(first.url).content.decode()
        back = rf'href="{self.url(disagreement, 1)}"\s*>\s*Decided last: round 1, item 1</a>'
        assert re.search(back, shown)
        assert "Decided last" not in client.get(self.url(disagreement, 1)).content.decode()
        last = client.post(first.url, data | {"take.safety": "toxic_language"})
        assert last.url == "/studies/pond/adjudicate/"
        assert Gold.objects.get(item__position=2).label == "toxic_language"

    def test_what_is_missing_is_said_and_the_rest_is_kept(self, disagreement, dora, as_user):
        answer = as_user(dora).post(
            self.url(disagreement),
            {"take.safety": "nonsense", "code.decided": "slip", "reason": " "},
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
            self.url(disagreement),
            {"take.safety": "nonsense", "code.decided": "slip", "reason": "x"},
            follow=True,
        )
        assert "It is adjudicated already." in answer.content.decode()

    def test_others_have_no_such_screen(self, disagreement, ada, ben, gwen, as_user):
        for user in (ada, ben, gwen):
            assert as_user(user).get("/studies/pond/adjudicate/").status_code == 403
            assert as_user(user).get(self.url(disagreement)).status_code == 403


def test_an_adjudication_is_never_changed(disagreement, dora):
    decide(disagreement, dora, 1)
    with pytest.raises(IntegrityError, match="never changed"), transaction.atomic():
        Adjudication.objects.update(reason="other")


def current(study):
    return set(
        Gold.objects.filter(item__study=study, superseded_at=None).values_list("label", flat=True)
    )


class TestARevision:
    def test_supersedes_the_decision_and_its_gold_and_keeps_both(self, disagreement, dora):
        first = decide(disagreement, dora, 1, SAFE)
        second = revise(disagreement, dora, 1, NONSENSE)
        assert second.supersedes == first
        assert current(disagreement.study) == {"nonsense"}
        assert Gold.objects.count() == Adjudication.objects.count() == 2
        assert state_of(disagreement) == ItemState.ADJUDICATED

    def test_is_made_after_the_round_too(self, disagreement, ada, ben, cleo, dora):
        self.decided_and_closed(disagreement, ada, ben, cleo, dora)
        revise(disagreement, dora, 1, NONSENSE)
        assert "nonsense" in current(disagreement.study)

    def test_is_made_after_a_later_round_that_was_cancelled(
        self, disagreement, ada, ben, cleo, dora
    ):
        self.decided_and_closed(disagreement, ada, ben, cleo, dora)
        again = opened(disagreement.study, ada, [ben, cleo], re_review_of=disagreement.pk)
        with pytest.raises(adjudications.CannotAdjudicate, match="is in a later round"):
            revise(disagreement, dora, 1, NONSENSE)
        cancelling.cancel(round_id=again.pk, reason="Wrong panel.", by=ada, at=timezone.now())
        revise(disagreement, dora, 1, NONSENSE)
        assert "nonsense" in current(disagreement.study)

    def test_is_made_where_the_item_is_gold_in_a_later_round(
        self, disagreement, ada, ben, cleo, dora, finn
    ):
        self.decided_and_closed(disagreement, ada, ben, cleo, dora)
        later = opened(disagreement.study, ada, [finn], pass_percent=80)
        assert later.round_items.filter(item=round_item(disagreement).item_id, is_gold=True)
        revise(disagreement, dora, 1, NONSENSE)
        assert "nonsense" in current(disagreement.study)

    def decided_and_closed(self, disagreement, ada, ben, cleo, dora):
        for position in range(2, 7):
            rate(disagreement, ben, position)
            rate(disagreement, cleo, position)
        decide(disagreement, dora, 1, SAFE)
        close(disagreement, ada)
        rounds.record_kappa(round_id=disagreement.pk, kappa=kappa_of(0.9), at=timezone.now())

    def test_that_is_sent_twice_is_made_once(self, disagreement, dora):
        decide(disagreement, dora, 1, SAFE)
        assert revise(disagreement, dora, 1, NONSENSE) == revise(disagreement, dora, 1, NONSENSE)

    def test_needs_a_decision(self, disagreement, dora):
        with pytest.raises(adjudications.CannotAdjudicate, match="has not been decided yet"):
            revise(disagreement, dora, 1, NONSENSE)

    def test_shows_who_decided_what_before(self, disagreement, dora, as_user):
        decide(disagreement, dora, 1, SAFE, reason="It takes the frogs up.", code="slip")
        client = as_user(dora)
        url = f"/studies/pond/adjudicate/{round_item(disagreement).pk}/"
        data = {"code.revises": "yes", "code.decided": "text", "take.safety": "nonsense"}
        assert client.post(url, data | {"reason": "It rambles."}).url == url
        page = client.get(url).content.decode()
        for words in ("It takes the frogs up.", "a slip", "It rambles.", "an ambiguous text"):
            assert words in page


def test_what_is_truly_ambiguous_has_no_gold_and_keeps_its_answers(disagreement, dora):
    decide(disagreement, dora, 1, {"safety": "~"}, code="text")
    assert current(disagreement.study) == set()
    assert Adjudication.objects.get().ambiguous == ["safety"]
    assert Rating.objects.filter(submission__item__position=1).count() == 2
    assert state_of(disagreement) == ItemState.ADJUDICATED


def test_a_decision_says_where_the_disagreement_came_from(disagreement, dora):
    with pytest.raises(adjudications.Undecided) as undecided:
        decide(disagreement, dora, 1, code="")
    assert undecided.value.about_reason == "Choose where the disagreement came from."


class TestDecidingUnseen:
    """The protocol of the study has adjudicators decide before they see what raters answered."""

    @pytest.fixture
    def unseen(self, pond, ada, ben, cleo):
        protocol.agree(
            study_id=pond.pk,
            protocol=replace(AT_ONCE, sight=Sight.NOTHING.value),
            by=ada,
            at=timezone.now(),
        )
        pond.refresh_from_db()
        rating_round = opened(pond, ada, [ben, cleo])
        rate(rating_round, ben, 1, SAFE, comment="Warm enough.")
        rate(rating_round, cleo, 1, {"safety": "linguistic_neglect"})
        return rating_round

    def test_nothing_is_told_before_and_all_of_it_after(self, unseen, dora, as_user):
        client, url = as_user(dora), f"/studies/pond/adjudicate/{round_item(unseen).pk}/"
        before = client.get(url).content.decode()
        assert "Rater A" not in before
        assert "Warm enough." not in before
        data = {"code.unseen": "yes", "code.decided": "slip", "take.safety": "nonsense"}
        assert client.post(url, data | {"reason": "It rambles."}).url == url
        after = client.get(url).content.decode()
        assert "Rater A" in after
        assert "Warm enough." in after

    def test_the_queue_tells_only_on_what_they_differ(self, unseen, dora, access_of):
        study_access = study_for(access_of(dora), "pond")
        (line,) = cases.queue(study_access).waiting
        assert [(one.name, one.question) for one in line.differs_on] == [
            ("Safety of the reply", "")
        ]
        for wanted in ({"node": "safety:2"}, {"is_flagged": True}):
            assert not cases.queue(study_access, cases.CasesWanted(**wanted)).waiting


class TestTheQueue:
    @pytest.fixture
    def apart(self, ada, ben, cleo, dora, access_of):
        """Three items that differ: by 2 points on guidance, 4 on empathy, 3 on guidance."""
        brook = study_with(
            rubric="mentalalign",
            key="brook",
            team={
                ada: [TeamRole.COORDINATOR],
                ben: [TeamRole.ANNOTATOR],
                cleo: [TeamRole.ANNOTATOR],
                dora: [TeamRole.ADJUDICATOR],
            },
            n_items=3,
        )
        rating_round = opened(brook, ada, [ben, cleo])
        keys = [criterion.key for criterion in rating_round.rubric.criteria]
        others = ({"guidance": 3}, {"empathy": 1}, {"guidance": 2})
        for position, values in enumerate(others, start=1):
            rate(rating_round, ben, position, dict.fromkeys(keys, 5))
            item = round_item(rating_round, position).item
            own = rating_round.assignments.get(item=item, rater__user=cleo)
            rate(rating_round, cleo, own.position, dict.fromkeys(keys, 5) | values)
        return study_for(access_of(dora), "brook")

    @pytest.mark.parametrize(
        ("wanted", "gaps"),
        [
            ({"criterion": "guidance"}, {2, 3}),
            ({"criterion": "guidance", "order": cases.CaseOrder.GAP}, [3, 2]),
            ({"least_gap": 3}, {4, 3}),
            ({"order": cases.CaseOrder.GAP}, [4, 3, 2]),
            ({"criterion": "empathy", "least_gap": 4}, [4]),
        ],
    )
    def test_finds_and_orders_by_where_and_how_far_raters_differ(self, apart, wanted, gaps):
        found = cases.queue(apart, cases.CasesWanted(**wanted))
        assert type(gaps)(line.widest for line in found.waiting) == gaps

    def test_has_no_gaps_in_chinese(self, apart, dora, as_user):
        client = as_user(dora)
        client.post("/i18n/setlang/", {"language": "zh-hans"})
        waiting = cases.queue(apart).waiting
        pages = ["", *(f"{one.round_item_id}/" for one in waiting)]
        for page in pages:
            shown = client.get(f"/studies/brook/adjudicate/{page}").text
            text = " ".join(re.sub(r"<[^>]*>", "", shown).split())
            assert not re.search(r"[\u4e00-\u9fff] （|、 评", text), page

    def test_goes_on_in_the_order_that_was_chosen(self, apart, dora, as_user):
        client = as_user(dora)
        wanted = cases.CasesWanted(order=cases.CaseOrder.GAP)
        first, second, _third = (one.round_item_id for one in cases.queue(apart, wanted).waiting)
        answer = client.post(
            f"/studies/brook/adjudicate/{first}/?order=gap",
            {"take.empathy": "3", "code.decided": "slip", "reason": "Halfway."},
        )
        assert answer.url == f"/studies/brook/adjudicate/{second}/?order=gap"

    def test_finds_where_ways_part_and_what_is_decided(self, disagreement, dora, access_of):
        study_access = study_for(access_of(dora), "pond")
        for node, n_found in (("safety:2", 1), ("safety:0", 0)):
            found = cases.queue(study_access, cases.CasesWanted(node=node))
            assert found.n_waiting == n_found
        decide(disagreement, dora, 1)
        decided = cases.queue(study_access, cases.CasesWanted(is_decided=True))
        assert [one.position for one in decided.waiting] == [1]
        assert not cases.queue(study_access).waiting


class TestWhatJudgesAnswer:
    def url(self, rating_round):
        return f"/studies/pond/adjudicate/{round_item(rating_round).pk}/judges/"

    def test_is_told_after_the_decision_and_each_time_is_noted(self, disagreement, dora, as_user):
        client = as_user(dora)
        assert client.post(self.url(disagreement)).status_code == 404
        decide(disagreement, dora, 1)
        for _look in range(2):
            page = client.post(self.url(disagreement)).content.decode()
            assert "No judge has rated this item." in page
        looks = Event.objects.filter(verb="judges.revealed", actor=dora)
        assert looks.count() == 2
        revise(disagreement, dora, 1, NONSENSE)
        assert Event.objects.get(verb="item.decided_anew").facts["after_judges"]

    def test_is_not_told_to_who_annotates(self, disagreement, dora, as_user):
        give(dora, disagreement.study, TeamRole.ADJUDICATOR, TeamRole.ANNOTATOR)
        decide(disagreement, dora, 1)
        assert as_user(dora).post(self.url(disagreement)).status_code == 404
