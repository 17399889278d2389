"""Hidden repeats: some items come back to their rater, unmarked, and count for nothing else."""

import re

import pytest
from django.utils import timezone

from accounts.models import Event
from analytics.ratings import matrices
from annotation.actions import assignments, rounds, submissions
from annotation.models import (
    Assignment,
    Gold,
    Membership,
    Round,
    RoundItem,
    Seat,
    Submission,
    TeamRole,
)
from annotation.queries import adjudicating, work
from annotation.queries.rounds import round_status
from annotation.queries.studies import study_for
from annotation.rules.lifecycle import AssignmentState, ItemState
from annotation.rules.repeating import AGAIN, FIRST, with_repeats
from tests.annotation.doing import NONSENSE, SAFE, answers, close, decide, opened, owed, rate
from tests.cast import study_with
from tests.kept import made_once

pytestmark = pytest.mark.usefixtures("states_follow")

N_ITEMS = 24


@pytest.fixture
@made_once
def lake(ada, ben, cleo, finn, dora):
    """Like the pond, with enough items for some to come back."""
    return study_with(
        rubric="dialogue_safety",
        key="lake",
        team={
            ada: [TeamRole.COORDINATOR],
            ben: [TeamRole.ANNOTATOR],
            cleo: [TeamRole.ANNOTATOR],
            finn: [TeamRole.ANNOTATOR],
            dora: [TeamRole.ADJUDICATOR],
        },
        n_items=N_ITEMS,
    )


@pytest.fixture
@made_once
def lake_round(lake, ada, ben, cleo):
    """Ben and cleo rate all 24 items; two of each come back to them."""
    return opened(lake, ada, [ben, cleo], repeat_percent=5)


def repeats_of(user):
    return Assignment.objects.filter(rater__user=user, repeat=AGAIN).order_by("position")


def seat_of(user):
    return Seat.objects.get(rater__user=user)


def rate_first(rating_round, user, values=SAFE):
    """Everything that does not come back."""
    for assignment in Assignment.objects.filter(rater__user=user, repeat=FIRST):
        rate(rating_round, user, assignment.position, values)


def submit_next(rating_round, user, access_of, values=SAFE):
    following = work.next_work(access_of(user), rating_round.study_id)
    submissions.submit(
        owed=following.owed, answers=answers(rating_round, values), by=user, at=timezone.now()
    )
    return following


class TestOpening:
    def test_each_rater_owes_the_repeats_too(self, lake_round, ben, cleo):
        for user in (ben, cleo):
            assert repeats_of(user).count() == 2
            assert seat_of(user).n_assigned == N_ITEMS + 2
        assert lake_round.repeat_percent == 5
        assert set(RoundItem.objects.values_list("n_submitted", flat=True)) == {0}

    def test_without_asking_there_are_none(self, lake, ada, ben, cleo):
        opened(lake, ada, [ben, cleo])
        assert not Assignment.objects.filter(repeat=AGAIN).exists()

    def test_nobody_can_work_out_from_ids_which_items_come_back(self, lake, ada, ben, cleo):
        """Round and rater stand on pages, and the rest is known to who coordinates and rates."""
        opened_round = opened(lake, ada, [ben, cleo], repeat_percent=20)
        for user in (ben, cleo):
            mine = Assignment.objects.filter(rater__user=user).order_by("position")
            given = list(mine.values_list("item", "repeat"))
            items = [item for item, repeat in given if repeat == FIRST]
            guess = with_repeats(items, 20, seed=f"{opened_round.pk}:{user.rater.pk}")
            assert given != guess
            secret = f"{lake.release_key}:{opened_round.pk}:{user.rater.pk}"
            assert given == with_repeats(items, 20, seed=secret)

    def test_a_small_round_takes_none(self, pond, ada, ben, cleo):
        with pytest.raises(rounds.CannotOpen, match="more than 10 items a rater"):
            opened(pond, ada, [ben, cleo], repeat_percent=5)

    def test_the_form_asks_for_them(self, lake, ada, ben, cleo, as_user):
        client, address = as_user(ada), "/studies/lake/rounds/open/"
        assert "Hidden repeats" in client.get(address).content.decode()
        fields = {
            "items": "new",
            "panel": [ben.pk, cleo.pk],
            "raters_per_item": 2,
            "gate": "0.4",
        }
        assert client.post(address, fields | {"repeat_percent": 90}).status_code == 422
        assert client.post(address, fields | {"repeat_percent": 10}).status_code == 302
        assert repeats_of(ben).count() == 3

    def test_where_nobody_says_five_percent_come_back(self, lake, ada, ben, cleo):
        opened(lake, ada, [ben, cleo], repeat_percent=None)
        assert repeats_of(ben).count() == 2

    def test_where_nobody_says_a_small_round_has_none(self, pond, ada, ben, cleo):
        assert opened(pond, ada, [ben, cleo], repeat_percent=None).repeat_percent == 0

    @pytest.mark.parametrize(("field", "percent"), [("", 5), ("0", 0), ("10", 10)])
    def test_a_field_left_empty_means_the_usual(
        self, lake, ada, ben, cleo, as_user, field, percent
    ):
        fields = {"items": "new", "panel": [ben.pk, cleo.pk], "raters_per_item": 2, "gate": "0.4"}
        as_user(ada).post("/studies/lake/rounds/open/", fields | {"repeat_percent": field})
        assert Round.objects.get().repeat_percent == percent


class TestRating:
    def test_items_come_back_in_the_order_and_the_count_goes_through(
        self, lake_round, ben, access_of
    ):
        seen = [submit_next(lake_round, ben, access_of) for _ in range(N_ITEMS + 2)]
        assert [one.number for one in seen] == list(range(1, N_ITEMS + 3))
        assert {one.n_assigned for one in seen} == {N_ITEMS + 2}
        assert [one.owed.position for one in seen] == list(range(1, N_ITEMS + 3))
        assert work.next_work(access_of(ben), lake_round.study_id) is None
        items = [one.owed.item_id for one in seen]
        for again in repeats_of(ben):
            first, second = (place for place, item in enumerate(items) if item == again.item_id)
            assert second - first > N_ITEMS / 2

    def test_what_is_given_again_is_stored_as_the_second_repeat(self, lake_round, ben):
        again = repeats_of(ben).first()
        rate_first(lake_round, ben)
        rate(lake_round, ben, again.position, NONSENSE)
        stored = Submission.objects.filter(item=again.item, rater=ben.rater).order_by("repeat")
        assert [(one.repeat, one.ratings.get().label) for one in stored] == [
            (1, "safe_response"),
            (2, "nonsense"),
        ]
        assert seat_of(ben).n_submitted == N_ITEMS + 1

    def test_nothing_on_the_screen_tells_a_repeat(self, lake_round, ben, access_of, as_user):
        """Only what is different for every item differs: ids, the key, the number."""
        client, again = as_user(ben), repeats_of(ben).first()
        pages = {}
        for _ in range(again.position):
            page = client.get("/studies/lake/rate/").content.decode()
            following = submit_next(lake_round, ben, access_of)
            pages[following.owed.position] = _without_ids(page, following)
        first = Assignment.objects.get(rater=ben.rater, item=again.item, repeat=FIRST)
        assert pages[again.position] == pages[first.position]

    def test_nothing_in_the_trail_tells_a_repeat(self, lake_round, ben, access_of):
        """A data steward may annotate, and reads the trail."""
        for _ in range(N_ITEMS + 2):
            submit_next(lake_round, ben, access_of)
        trail = Event.objects.filter(verb="submission.submitted", actor=ben)
        assert len(set(trail.values_list("subject", flat=True))) == N_ITEMS + 2
        assert all(event.facts == {"round": lake_round.pk} for event in trail)

    def test_ids_rise_with_the_order(self, lake_round, ben):
        ids = Assignment.objects.filter(rater=ben.rater).order_by("position").values_list("pk")
        assert list(ids) == sorted(ids)

    def test_a_repeat_can_be_corrected_like_any_other(self, lake_round, ben):
        again = repeats_of(ben).first()
        rate_first(lake_round, ben)
        first = rate(lake_round, ben, again.position)
        submissions.correct(
            owed=owed(lake_round, ben, again.position),
            supersedes=first.submission_id,
            answers=answers(lake_round, NONSENSE),
            by=ben,
            at=timezone.now(),
        )
        current = Submission.objects.get(assignment=again, is_current=True)
        assert (current.repeat, current.ratings.get().label) == (2, "nonsense")


class TestWhatDoesNotCount:
    @pytest.fixture
    def settled(self, lake_round, ben, cleo):
        """All agree that every reply is safe; then ben says otherwise the second time."""
        for user in (ben, cleo):
            rate_first(lake_round, user)
        again = repeats_of(ben).first()
        rate(lake_round, ben, again.position, NONSENSE)
        return RoundItem.objects.get(round=lake_round, item=again.item)

    def test_the_item_stays_as_its_raters_left_it(self, settled):
        assert settled.state == ItemState.AGREED
        assert settled.n_submitted == 2
        gold = Gold.objects.get(item=settled.item_id, superseded_at=None)
        assert gold.label == "safe_response"

    def test_no_correction_of_it_settles_the_item_anew(self, settled, lake_round, ben):
        again = repeats_of(ben).first()
        submission = Submission.objects.get(assignment=again)
        submissions.correct(
            owed=owed(lake_round, ben, again.position),
            supersedes=submission.pk,
            answers=answers(lake_round, SAFE),
            by=ben,
            at=timezone.now(),
        )
        assert Gold.objects.filter(item=settled.item_id).count() == 1

    def test_a_repeat_before_the_others_are_done_leaves_the_item_open(self, lake_round, ben):
        rate_first(lake_round, ben)
        again = repeats_of(ben).first()
        rate(lake_round, ben, again.position)
        round_item = RoundItem.objects.get(round=lake_round, item=again.item)
        assert (round_item.state, round_item.n_submitted) == (ItemState.RATING, 1)

    def test_adjudicators_see_the_first_answer(self, lake_round, ben, cleo, dora, access_of):
        again = repeats_of(ben).first()
        rate_first(lake_round, ben, SAFE)
        rate_first(lake_round, cleo, NONSENSE)
        rate(lake_round, ben, again.position, NONSENSE)
        study_access = study_for(access_of(dora), "lake")
        round_item = RoundItem.objects.get(round=lake_round, item=again.item)
        case = adjudicating.case(study_access, round_item.pk)
        given = {one.value for one in case.conflicts[0].given}
        assert given == {"safe_response", "nonsense"}
        decide(lake_round, dora, round_item.position, NONSENSE)
        assert rate_state(again) == ItemState.ADJUDICATED

    def test_no_figure_between_raters_takes_it_in(self, settled, lake_round):
        (table,), _ = matrices.of_round(lake_round.pk)
        assert set(table.values.ravel().tolist()) == {table.values[0, 0]}
        study = matrices.read(lake_round.study_id)
        assert len(study.ratings) == 2 * N_ITEMS + 1
        values = matrices.matrix(study, "safety").values
        assert set(values.ravel().tolist()) == {table.values[0, 0]}


class TestWhatLapses:
    def test_closing_does_not_wait_for_repeats(self, lake_round, ada, ben, cleo):
        for user in (ben, cleo):
            rate_first(lake_round, user)
        rate(lake_round, ben, repeats_of(ben).first().position)
        late = owed(lake_round, ben, repeats_of(ben).last().position)
        close(lake_round, ada)
        assert (seat_of(ben).n_assigned, seat_of(cleo).n_assigned) == (N_ITEMS + 1, N_ITEMS)
        assert set(repeats_of(cleo).values_list("state", flat=True)) == {AssignmentState.RELEASED}
        assert Event.objects.get(verb="round.closed").facts == {"lapsed_repeats": 3}
        with pytest.raises(submissions.NotTaken, match="The round is closed"):
            submissions.submit(
                owed=late, answers=answers(lake_round, SAFE), by=ben, at=timezone.now()
            )

    def test_an_item_put_off_does_not_come_back(self, lake_round, ben):
        again = repeats_of(ben).first()
        first = Assignment.objects.get(rater=ben.rater, item=again.item, repeat=FIRST)
        assignments.defer(owed=owed(lake_round, ben, first.position), by=ben, at=timezone.now())
        again.refresh_from_db()
        assert again.state == AssignmentState.RELEASED
        assert seat_of(ben).n_assigned == N_ITEMS + 1

    def test_a_repeat_put_off_still_comes(self, lake_round, ben):
        again = repeats_of(ben).first()
        rate_first(lake_round, ben)
        assignments.defer(owed=owed(lake_round, ben, again.position), by=ben, at=timezone.now())
        again.refresh_from_db()
        assert (again.state, again.deferrals) == (AssignmentState.OPEN, 1)

    def test_who_leaves_takes_their_repeats_with_them(self, lake_round, ada, ben, finn):
        rate(lake_round, ben, 1)
        moved = hand_on(lake_round, ben, finn, ada)
        assert moved == N_ITEMS - 1
        assert seat_of(ben).n_assigned == 1
        assert seat_of(finn).n_assigned == N_ITEMS - 1
        assert not repeats_of(finn).exists()

    def test_work_may_come_back_without_its_repeats(self, lake_round, ada, ben, finn):
        hand_on(lake_round, ben, finn, ada)
        hand_on(lake_round, finn, ben, ada)
        assert seat_of(ben).n_assigned == N_ITEMS
        assert set(repeats_of(ben).values_list("state", flat=True)) == {AssignmentState.RELEASED}

    def test_repeats_alone_cannot_be_handed_on(self, lake_round, ada, ben, finn):
        rate_first(lake_round, ben)
        with pytest.raises(assignments.CannotReassign, match="somebody else could rate"):
            hand_on(lake_round, ben, finn, ada)


def test_the_coordinator_sees_how_many_repeats_are_done(lake_round, ada, ben, as_user):
    rate_first(lake_round, ben)
    rate(lake_round, ben, repeats_of(ben).first().position)
    status = round_status(lake_round.study, 1)
    assert (status.n_repeats, status.n_repeats_submitted) == (4, 1)
    page = as_user(ada).get("/studies/lake/rounds/1/").content.decode()
    assert "Hidden repeats rated" in page
    assert "1 / 4" in page


def test_a_coordinator_who_rates_is_not_told_when_they_rated_a_repeat(lake_round, ben, as_user):
    roles = [TeamRole.ANNOTATOR, TeamRole.COORDINATOR]
    Membership.objects.filter(user=ben, study=lake_round.study).update(roles=roles)
    for page in ("", "progress/"):
        answer = as_user(ben).get(f"/studies/lake/rounds/1/{page}")
        assert answer.status_code == 200
        assert "Hidden repeats" not in answer.content.decode()


def test_a_coordinator_who_rates_last_cannot_count_which_items_are_new(
    lake_round, ben, cleo, as_user
):
    """What only a first rating completes would stand still at a repeat."""
    rate_first(lake_round, cleo)
    roles = [TeamRole.ANNOTATOR, TeamRole.COORDINATOR]
    Membership.objects.filter(user=ben, study=lake_round.study).update(roles=roles)
    client, again = as_user(ben), repeats_of(ben).first()
    first = Assignment.objects.get(rater=ben.rater, item=again.item, repeat=FIRST)
    seen = []
    for assignment in (first, again):
        before = _figures(client)
        rate(lake_round, ben, assignment.position)
        seen.append([new - old for old, new in zip(before, _figures(client), strict=True)])
    assert seen[0] == seen[1]


def _figures(client):
    page = client.get("/studies/lake/rounds/1/").content.decode()
    return [int(number) for number in re.findall(r"\d+", re.sub(r"<[^>]+>|\d+:\d+", " ", page))]


def test_no_page_of_a_rater_says_how_many_items_there_are(lake_round, ada, ben, as_user):
    """Beside the 26 that ben has to rate, 24 would tell that two come back."""
    client = as_user(ben)
    pages = {
        address: client.get(f"/studies/lake/{address}").content.decode()
        for address in ("", "rate/", "my-work/")
    }
    assert "26 left for you to rate" in pages[""]
    assert "1 of 26" in pages["rate/"]
    for address, page in pages.items():
        assert not re.search(r"\b24\b", re.sub(r"<[^>]+>|:24", " ", page)), address
    assert "<dd>24</dd>" in as_user(ada).get("/studies/lake/").content.decode()


def rate_state(assignment):
    return RoundItem.objects.get(round=assignment.round_id, item=assignment.item_id).state


def hand_on(rating_round, leaver, successor, by):
    return assignments.reassign(
        round_id=rating_round.pk,
        from_rater=leaver.rater.pk,
        to=[successor.pk],
        by=by,
        at=timezone.now(),
    )


def _without_ids(page, following):
    page = re.sub(r'name="csrfmiddlewaretoken" value="[^"]*"', "", page)
    page = re.sub(r"x-csrftoken[^}]*}", "", page, flags=re.IGNORECASE)
    page = re.sub(r'name="(assignment|key)" value="[^"]*"', "", page)
    page = re.sub(r'nonce="[^"]*"', "", page)
    page = re.sub(r'data-(token|place)="[^"]*"', "", page)
    page = page.replace(f'value="{following.n_submitted}"', "")
    return re.sub(rf"\b{following.number} of {following.n_assigned}\b", "", page)
