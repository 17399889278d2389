"""Heavy reading: passed on without a reason, limited a day, told of all together only."""

from uuid import uuid4

import pytest
from django.utils import timezone

from accounts.actions import people
from accounts.models import Event
from annotation.actions import assignments
from annotation.models import Assignment, Care, Grant, Item, PassedOn, Seat
from annotation.queries.caring import start_of_day
from annotation.queries.work import next_work
from tests.annotation.doing import NONSENSE, SAFE, assignment_of, opened, rate, round_item
from tests.cast import bearer

NOT_FOR_ME = "/studies/pond/rate/not-for-me/"


@pytest.fixture
def heavy(pond):
    """The first two items of the pond are hard to read."""
    Item.objects.filter(study=pond, position__lte=2).update(content_note="Mentions self-harm.")


def pass_on(client, assignment):
    return client.post(NOT_FOR_ME, {"assignment": assignment.pk}, follow=True)


class TestNotForMe:
    def test_somebody_else_rates_it(self, pond_round, ben, finn, as_user):
        mine = assignment_of(pond_round, ben)
        page = pass_on(as_user(ben), mine).content.decode()
        assert "Frogs come back in spring. (2)" in page
        theirs = Assignment.objects.get(rater__user=finn)
        assert (theirs.item_id, theirs.slot, theirs.state) == (mine.item_id, mine.slot, "open")
        seats = dict(Seat.objects.values_list("rater__user", "n_assigned"))
        assert (seats[ben.pk], seats[finn.pk]) == (5, 1)

    def test_nobody_is_told_whose_it_was(self, pond_round, ben, as_user):
        before = Event.objects.count()
        pass_on(as_user(ben), assignment_of(pond_round, ben))
        lines = Event.objects.order_by("pk")[before:]
        [line] = [line for line in lines if line.verb == "round.item_passed_on"]
        assert (line.actor, line.subject) == (None, f"round:{pond_round.pk}")

    def test_it_waits_behind_all_others_where_nobody_else_may_rate_it(
        self, pond, ada, ben, cleo, finn, as_user
    ):
        by_all = opened(pond, ada, [ben, cleo, finn], raters_per_item=3)
        page = pass_on(as_user(ben), assignment_of(by_all, ben)).content.decode()
        assert "Nobody else of the team can rate it yet" in page
        assert assignment_of(by_all, ben).state == "open"
        assert "Frogs come back in spring. (2)" in page

    @pytest.mark.parametrize("lost", ["account", "item_text", "restricted_split"])
    def test_it_goes_to_nobody_who_may_not_rate_now(
        self, pond_round, ada, ben, finn, as_user, lost
    ):
        now = timezone.now()
        if lost == "account":
            people.suspend(user_id=finn.pk, reason="Left the clinic.", by=ada, at=now)
        else:
            granted = Grant.objects.filter(person=finn, level=lost)
            granted.update(revoked_at=now, revoked_by=ada)
        page = pass_on(as_user(ben), assignment_of(pond_round, ben)).content.decode()
        assert "Nobody else of the team can rate it yet" in page
        assert not Assignment.objects.filter(rater__user=finn).exists()

    def test_it_never_comes_back(self, pond_round, ada, ben, finn, as_user):
        pass_on(as_user(ben), assignment_of(pond_round, ben))
        owed_by_finn = Assignment.objects.get(rater__user=finn)
        with pytest.raises(assignments.CannotReassign):
            assignments.reassign(
                round_id=pond_round.pk,
                from_rater=owed_by_finn.rater_id,
                to=[ben.pk],
                by=ada,
                at=timezone.now(),
            )

    def test_sent_twice_it_is_passed_on_once(self, pond_round, ben, as_user):
        mine, client = assignment_of(pond_round, ben), as_user(ben)
        pass_on(client, mine)
        pass_on(client, mine)
        assert PassedOn.objects.count() == 1
        assert Assignment.objects.filter(item=mine.item_id, state="open").count() == 2

    def test_no_log_names_who_did_it(self, pond_round, ben, as_user, client, settings, caplog):
        settings.LOG_REQUESTS = True
        caplog.set_level("INFO", logger="config.requests")
        mine = assignment_of(pond_round, ben)
        pass_on(as_user(ben), mine)
        client.post(f"/api/v1/assignments/{mine.pk}/pass-on/", headers=bearer(ben))
        told = {one.page: one.account for one in caplog.records if hasattr(one, "page")}
        assert told == {"rate_pass_on": None, "rate": ben.pk, "api_pass_on": None}


def test_a_day_holds_no_more_heavy_items_than_its_study_allows(heavy, pond_round, ben, access_of):
    Care.objects.create(study=pond_round.study, most_a_day=1)
    today = start_of_day(timezone.now())
    following = next_work(access_of(ben), pond_round.study_id, today=today)
    assert following.owed.position == 1
    held = next_work(
        access_of(ben), pond_round.study_id, [following.owed.assignment_id], today=today
    )
    assert held.owed.position == 3
    rate(pond_round, ben, 1)
    assert next_work(access_of(ben), pond_round.study_id, today=today).owed.position == 3


def test_a_note_stands_before_the_text(heavy, pond_round, ben, as_user):
    page = as_user(ben).get("/studies/pond/rate/").content.decode()
    reveal = page.index('<details class="reveal"')
    assert reveal < page.index("Mentions self-harm.") < page.index("The pond has been quiet")
    assert "<details open" not in page[reveal:]


def test_what_was_read_stays_open_where_answers_are_refused(
    heavy, pond_round, ada, ben, cleo, dora, as_user
):
    """Who sends nothing may not have opened it."""
    is_open = '<details class="reveal" data-part="reveal" open>'
    sent = {"assignment": assignment_of(pond_round, ben).pk, "key": uuid4()}
    pages = [
        as_user(ben).post("/studies/pond/rate/", sent | more)
        for more in ({}, {"comment": "It is short."})
    ]
    assert [(page.status_code, is_open in page.content.decode()) for page in pages] == [
        (422, False),
        (422, True),
    ]
    rate(pond_round, ben, 1, NONSENSE)
    rate(pond_round, cleo, 1, SAFE)
    for user, there in (
        (ben, f"/studies/pond/my-work/{assignment_of(pond_round, ben).pk}/"),
        (dora, f"/studies/pond/adjudicate/{round_item(pond_round).pk}/"),
    ):
        client = as_user(user)
        assert is_open not in client.get(there).content.decode()
        page = client.post(there, {"key": uuid4(), "supersedes": 1})
        assert page.status_code == 422
        assert is_open in page.content.decode()


class TestThePage:
    def test_a_coordinator_sets_it_and_raters_find_support(self, pond_round, ada, ben, as_user):
        set_to = {"break_after": "5", "most_a_day": "", "support": "Call 116 123."}
        assert as_user(ada).post("/studies/pond/care/", set_to).status_code == 302
        page = as_user(ben).get("/studies/pond/rate/").content.decode()
        assert "Call 116 123." in page
        assert 'data-break-after="5"' in page

    def test_nobody_else_opens_it(self, pond_round, ben, gwen, dora, as_user):
        for user in (ben, gwen, dora):
            assert as_user(user).get("/studies/pond/care/").status_code == 403

    def test_of_few_raters_it_tells_nothing(self, heavy, pond_round, ada, ben, as_user):
        rate(pond_round, ben, 1)
        assert "Fewer than five people" in as_user(ada).get("/studies/pond/care/").content.decode()

    def test_what_makes_no_sense_is_asked_about(self, pond, ada, as_user):
        wrong = {"break_after": "-1", "most_a_day": "0", "support": ""}
        assert as_user(ada).post("/studies/pond/care/", wrong).status_code == 422
        assert not Care.objects.exists()
