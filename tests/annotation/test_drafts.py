"""Half-filled forms are kept for who filled them in, and for nobody else."""

import logging
from uuid import uuid4

import pytest

from annotation.models import Draft, Submission
from tests.annotation.doing import (
    NONSENSE,
    SAFE,
    assignment_of,
    chosen,
    close,
    correct,
    decide,
    in_discussion,
    rate,
)
from tests.annotation.doing import round_item as case_of

RATE, DRAFT = "/studies/pond/rate/", "/studies/pond/draft/"
WRITER = str(uuid4())


def half(assignment, *, form="rating", writer=WRITER, version=1, base=0, comment="Half.", **more):
    return {
        "form": form,
        "place": assignment.pk,
        "writer": writer,
        "version": version,
        "base": base,
        "answer.safety.nonsense": "no",
        "comment": comment,
        **more,
    }


def keep(client, *sent, **more):
    return client.post(DRAFT, half(*sent, **more))


class TestADraft:
    def test_stands_in_the_form_again(self, pond_round, ben, as_user):
        client = as_user(ben)
        assert keep(client, assignment_of(pond_round, ben)).json()["version"] == 1
        page = client.get(RATE).content.decode()
        assert "Half." in page
        assert "no" in chosen(page)

    def test_stands_in_a_correction_again(self, pond_round, ben, as_user):
        rate(pond_round, ben, 1, SAFE, comment="As sent.")
        client, mine = as_user(ben), assignment_of(pond_round, ben)
        keep(client, mine, form="correction", comment="On second thoughts.")
        page = client.get(f"/studies/pond/my-work/{mine.pk}/").content.decode()
        assert "On second thoughts." in page
        assert Submission.objects.get().comment == "As sent."

    def test_stands_in_a_decision_again(self, pond_round, ben, cleo, dora, as_user):
        rate(pond_round, ben, 1, SAFE)
        rate(pond_round, cleo, 1, NONSENSE)
        client, case = as_user(dora), case_of(pond_round)
        sent = half(case, form="adjudication", reason="It rambles.") | {"take.safety": "nonsense"}
        del sent["comment"]
        assert client.post(DRAFT, sent).status_code == 200
        page = client.get(f"/studies/pond/adjudicate/{case.pk}/").content.decode()
        assert "It rambles." in page
        decide(pond_round, dora, 1)
        assert not Draft.objects.exists()

    def test_ends_with_the_submission(self, pond_round, ben, as_user):
        keep(as_user(ben), assignment_of(pond_round, ben))
        receipt = rate(pond_round, ben, 1)
        assert not Draft.objects.exists()
        keep(as_user(ben), assignment_of(pond_round, ben), form="correction")
        correct(pond_round, ben, 1, NONSENSE, supersedes=receipt.submission_id)
        assert not Draft.objects.exists()

    def test_that_comes_after_the_submission_is_not_kept(self, pond_round, ben, as_user):
        rate(pond_round, ben, 1)
        assert keep(as_user(ben), assignment_of(pond_round, ben)).status_code == 410
        assert not Draft.objects.exists()

    def test_ends_with_the_round(self, pond_round, ada, ben, cleo, as_user):
        for position in range(1, 7):
            rate(pond_round, ben, position)
            rate(pond_round, cleo, position)
        keep(as_user(ben), assignment_of(pond_round, ben), form="correction")
        close(pond_round, ada)
        assert not Draft.objects.exists()

    def test_of_somebody_elses_form_does_not_exist(self, pond_round, ben, cleo, gwen, as_user):
        for user in (cleo, gwen):
            assert keep(as_user(user), assignment_of(pond_round, ben)).status_code == 404
        assert not Draft.objects.exists()

    def test_is_not_in_the_log(self, pond_round, ben, as_user, caplog):
        caplog.set_level(logging.DEBUG)
        mine = assignment_of(pond_round, ben)
        keep(as_user(ben), mine, comment="A secret remark.")
        keep(as_user(ben), mine, writer=str(uuid4()), version=9, comment="Another secret.")
        assert "secret" not in caplog.text


class TestTwoTabs:
    def test_the_later_one_is_told_and_overwrites_nothing(self, pond_round, ben, as_user):
        client, mine, other = as_user(ben), assignment_of(pond_round, ben), str(uuid4())
        keep(client, mine, comment="Here.")
        answer = keep(client, mine, writer=other, comment="There.")
        assert (answer.status_code, answer.json()["words"]) == (409, "Here.")
        assert Draft.objects.get().words == "Here."
        chosen = keep(client, mine, writer=other, version=2, base=1, comment="There.")
        assert chosen.status_code == 200
        assert Draft.objects.get().words == "There."

    def test_what_arrives_late_or_twice_changes_nothing(self, pond_round, ben, as_user):
        client, mine = as_user(ben), assignment_of(pond_round, ben)
        for version, comment in ((1, "H"), (2, "Half"), (1, "H"), (2, "Half")):
            assert keep(client, mine, version=version, comment=comment).status_code == 200
        assert Draft.objects.get().words == "Half"

    def test_words_that_cannot_be_read_any_more_stay_as_they_are(self, pond_round, ben, as_user):
        client, mine = as_user(ben), assignment_of(pond_round, ben)
        keep(client, mine, comment="Kept.")
        sent = half(mine, version=2)
        del sent["comment"]
        client.post(DRAFT, sent)
        assert Draft.objects.get().words == "Kept."


@pytest.mark.parametrize(
    "odd",
    [
        {"form": "other"},
        {"place": "x"},
        {"writer": "me"},
        {"version": "-1"},
        {"version": str(2**31)},
        {"answer.safety.nonsense": "x" * 201},
    ],
)
def test_what_no_page_sends_is_refused(pond_round, ben, as_user, odd):
    sent = half(assignment_of(pond_round, ben)) | odd
    assert as_user(ben).post(DRAFT, sent).status_code == 400


class TestAhead:
    def test_the_item_after_those_that_are_held_comes(self, pond_round, ben, as_user):
        held = ",".join(str(assignment_of(pond_round, ben, place).pk) for place in (1, 2))
        page = as_user(ben).get(RATE + "ahead/", {"held": held}).content.decode()
        assert "(3)" in page
        assert "3 of 6" in page

    def test_what_was_taken_since_the_page_asked_counts_once(self, pond_round, ben, as_user):
        rate(pond_round, ben, 1, SAFE)
        held = ",".join(str(assignment_of(pond_round, ben, place).pk) for place in (1, 2))
        page = as_user(ben).get(RATE + "ahead/", {"held": held}).content.decode()
        assert "3 of 6" in page

    def test_a_submission_brings_the_one_after_those(self, pond_round, ben, as_user):
        mine, following = (assignment_of(pond_round, ben, place) for place in (1, 2))
        sent = {
            "assignment": mine.pk,
            "key": str(uuid4()),
            "answer.safety.nonsense": "yes",
            "held": following.pk,
        }
        answer = as_user(ben).post(RATE, sent, headers={"HX-Request": "true"})
        assert "(3)" in answer.content.decode()
        assert answer.headers["Concord-Saved-At"]

    def test_who_is_signed_in_is_told_to_the_page(self, pond_round, ben, as_user):
        told = as_user(ben).get("/who/").json()
        assert told["owner"] == str(ben.pk)
        assert len(told["key"]) >= 43
        assert told["token"]


def test_the_same_decision_again_is_the_one_that_is_stored(pond_round, ben, cleo, dora):
    rate(pond_round, ben, 1, SAFE)
    rate(pond_round, cleo, 1, NONSENSE)
    first = decide(pond_round, dora, 1)
    assert decide(pond_round, dora, 1).pk == first.pk


class TestARemarkThatIsBegun:
    @pytest.fixture
    def discussed(self, pond, ada, ben, cleo):
        return in_discussion(pond, ada, [ben, cleo])

    def send(self, client, case, text="Look at turn 3."):
        sent = half(case, form="remark", text=text)
        del sent["comment"]
        return client.post(DRAFT, sent)

    def test_stands_on_the_page_again_until_it_is_said(self, discussed, ben, as_user):
        client, url = as_user(ben), f"/studies/pond/discuss/{discussed.pk}/"
        assert self.send(client, discussed).status_code == 200
        assert "Look at turn 3." in client.get(url).content.decode()
        client.post(f"{url}say/", {"text": "Look at turn 3."})
        assert not Draft.objects.exists()
        assert self.send(client, discussed).status_code == 410, "it came late"

    def test_is_kept_for_who_takes_part_only(self, discussed, finn, gwen, as_user):
        assert self.send(as_user(finn), discussed).status_code == 410
        assert self.send(as_user(gwen), discussed).status_code == 404
