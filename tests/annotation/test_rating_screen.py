"""The rating screen as a browser without scripts and as htmx use it."""

import logging
import re
from uuid import uuid4

import pytest
from django.db import connection
from django.template.loader import render_to_string
from django.test.utils import CaptureQueriesContext
from django.utils import translation

from accounts.models import Event
from annotation.models import Rating, Submission, TeamRole
from annotation.queries.items import shown
from annotation.views import stencil
from tests.annotation.doing import NONSENSE, assignment_of, chosen, rate, rate_and_close
from tests.cast import study_with

RATE = "/studies/pond/rate/"
HTMX = {"HX-Request": "true"}
ALL_NO_THEN_SAFE = {
    "answer.safety.nonsense": "no",
    "answer.safety.humanoid_mimicry": "no",
    "answer.safety.linguistic_neglect": "no",
    "answer.safety.content": "safe_response",
}


def sent(rating_round, user, position=1, answers=ALL_NO_THEN_SAFE, **more):
    """The fields that the page sends for an item."""
    assignment = assignment_of(rating_round, user, position)
    return {"assignment": assignment.pk, "key": str(uuid4()), **answers, **more}


def text(response) -> str:
    return response.content.decode()


def lasting(html: str) -> str:
    """A page or fragment without what differs from one request to the next."""
    without_time = re.sub(r'role="status">[^<]* <time.*?</time>', 'role="status">', html)
    return re.sub(r'name="(csrfmiddlewaretoken|key)" value="[^"]*"', r'name="\1"', without_time)


class TestWithoutScripts:
    def test_the_next_item_is_shown_with_every_question(self, pond_round, ben, as_user):
        page = text(as_user(ben).get(RATE))
        assert "Frogs come back in spring. (1)" in page
        assert page.count("<fieldset") == 4
        assert ">1 of 6<" in page

    def test_a_submission_leads_to_the_next_item_and_says_when_it_was_saved(
        self, pond_round, ben, as_user
    ):
        answer = as_user(ben).post(RATE, sent(pond_round, ben), follow=True)
        assert answer.redirect_chain == [(RATE, 302)]
        assert "Frogs come back in spring. (2)" in text(answer)
        assert "Saved " in text(answer)
        assert Rating.objects.get().label == "safe_response"

    def test_answers_after_the_first_hit_are_left_out_and_named(self, pond_round, ben, as_user):
        answers = ALL_NO_THEN_SAFE | {"answer.safety.nonsense": "yes"}
        answer = as_user(ben).post(RATE, sent(pond_round, ben, answers=answers), follow=True)
        assert Rating.objects.get().label == "nonsense"
        assert text(answer).count("Left out, because an earlier answer had decided") == 3

    def test_nothing_left_is_said(self, pond_round, ben, as_user):
        for position in range(1, 7):
            rate(pond_round, ben, position)
        assert "Nothing left to rate" in text(as_user(ben).get(RATE))

    def test_an_item_put_off_comes_last(self, pond_round, ben, as_user):
        client = as_user(ben)
        data = {"assignment": assignment_of(pond_round, ben).pk}
        assert "(2)" in text(client.post(RATE + "later/", data, follow=True))
        for position in range(2, 7):
            rate(pond_round, ben, position)
        assert "(1)" in text(client.get(RATE))


class TestWithHtmx:
    def test_one_request_stores_and_brings_the_next_item(self, pond_round, ben, as_user):
        answer = as_user(ben).post(RATE, sent(pond_round, ben), headers=HTMX)
        assert answer.status_code == 200
        assert text(answer).lstrip().startswith('<form class="work" id="work"')
        assert "(2)" in text(answer)
        assert "<html" not in text(answer)

    def test_the_same_request_again_brings_the_next_item_and_stores_nothing(
        self, pond_round, ben, as_user
    ):
        client, data = as_user(ben), sent(pond_round, ben)
        first = client.post(RATE, data, headers=HTMX)
        again = client.post(RATE, data, headers=HTMX)
        assert (first.status_code, again.status_code) == (200, 200)
        assert "(2)" in text(again)
        assert Submission.objects.count() == 1

    def test_a_second_tab_is_told_that_the_item_is_submitted(self, pond_round, ben, as_user):
        client = as_user(ben)
        client.post(RATE, sent(pond_round, ben), headers=HTMX)
        second = client.post(RATE, sent(pond_round, ben), headers=HTMX)
        assert second.status_code == 409
        assert "already submitted this item" in text(second)

    def test_missing_answers_are_named_and_the_given_ones_kept(self, pond_round, ben, as_user):
        answers = {"answer.safety.nonsense": "no"}
        data = sent(pond_round, ben, answers=answers, comment="Half way.")
        answer = as_user(ben).post(RATE, data, headers=HTMX)
        assert answer.status_code == 422
        page = text(answer)
        assert "Still open:" in page
        assert "Does the reply pretend to a human life?” is not answered" in page
        assert "Half way." in page
        assert "no" in chosen(page)
        assert data["key"] in page

    def test_a_comment_that_is_too_long_is_sent_back_whole(self, pond_round, ben, as_user):
        comment = "Line\r\n" * 1_999 + "x" * 6
        answer = as_user(ben).post(RATE, sent(pond_round, ben, comment=comment), headers=HTMX)
        assert answer.status_code == 422
        assert "The comment has 10,001 characters. Shorten it to 10,000." in text(answer)
        assert comment.replace("\r\n", "\n") in text(answer)
        assert "no" in chosen(text(answer))
        assert not Submission.objects.exists()

    def test_the_longest_comment_is_kept_whatever_ends_its_lines(self, pond_round, ben, as_user):
        comment = "Line\r\n" * 1_999 + "x" * 5
        as_user(ben).post(RATE, sent(pond_round, ben, comment=comment), headers=HTMX)
        assert len(Submission.objects.get().comment) == 10_000

    def test_what_cannot_be_judged_is_submitted_with_its_reason(self, pond_round, ben, as_user):
        answers = {"cannot.safety": "broken"}
        as_user(ben).post(RATE, sent(pond_round, ben, answers=answers), headers=HTMX)
        assert Rating.objects.get().unscored == "broken"


@pytest.mark.parametrize(
    "broken",
    [
        {"assignment": ""},
        {"assignment": "one"},
        {"assignment": "9" * 40},
        {"assignment": "²"},
        {"key": ""},
        {"key": "not-a-key"},
    ],
)
def test_a_request_that_no_page_sends_is_refused(pond_round, ben, as_user, broken):
    answer = as_user(ben).post(RATE, sent(pond_round, ben) | broken)
    assert answer.status_code == 400
    assert not Submission.objects.exists()


@pytest.mark.parametrize(
    "odd", [{"seconds": "a while"}, {"seconds": "9" * 30}, {"comment": "nul \x00 byte"}]
)
def test_odd_extras_do_not_cost_the_answers(pond_round, ben, as_user, odd):
    assert as_user(ben).post(RATE, sent(pond_round, ben) | odd).status_code == 302
    assert Submission.objects.count() == 1


def test_answers_that_are_not_offered_are_problems(pond_round, ben, as_user):
    answers = {"answer.safety.nonsense": "perhaps"}
    answer = as_user(ben).post(RATE, sent(pond_round, ben, answers=answers))
    assert answer.status_code == 422
    assert "not one of the answers" in text(answer)


def test_somebody_elses_assignment_does_not_exist(pond_round, ben, cleo, as_user):
    for path in (RATE, RATE + "later/"):
        assert as_user(cleo).post(path, sent(pond_round, ben)).status_code == 404
    assert not Submission.objects.exists()


def test_only_annotators_rate(pond_round, ada, gwen, dora, as_user):
    for user in (ada, gwen, dora):
        assert as_user(user).get(RATE).status_code == 403


@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("path", [RATE, RATE + "later/"])
def test_the_next_item_looks_the_same_without_a_new_page(pond_round, ben, as_user, language, path):
    client = as_user(ben)
    client.cookies["django_language"] = language
    fragment = lasting(text(client.post(path, sent(pond_round, ben), headers=HTMX)).strip())
    page = lasting(text(client.get(RATE)))
    assert fragment.startswith("<form")
    assert fragment in page


@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("reply", ["Then <b>what</b>?", None])
@pytest.mark.parametrize("note", ["Mentions “pills” & worse.", ""])
def test_a_dialogue_looks_as_wherever_it_is_read(language, reply, note):
    turns = [
        {"speaker": "seeker", "text": "They said: <script>1 < 2 && 3</script> %(key)s"},
        {"speaker": "supporter", "text": "\ue000text1\ue001 {{ item }}"},
        {"speaker": "<nurse>", "text": "请稍等。"},
    ]
    with translation.override(language):
        item = shown(turns, reply, "supporter", note)

        assert stencil.dialogue(item) == render_to_string("annotation/_turns.html", {"item": item})


def test_what_was_saved_when_is_said_with_the_next_item(pond_round, ben, as_user):
    fragment = text(as_user(ben).post(RATE, sent(pond_round, ben), headers=HTMX))
    submitted_at = Submission.objects.get().submitted_at
    assert f'<time datetime="{submitted_at.isoformat()}">{submitted_at:%H:%M:%S}</time>' in fragment
    assert "\ue000" not in fragment


def test_submit_and_next_takes_few_queries(pond_round, ben, as_user):
    client, data = as_user(ben), sent(pond_round, ben)
    client.get(RATE)
    with CaptureQueriesContext(connection) as queries:
        client.post(RATE, data, headers=HTMX)
    statements = [query["sql"] for query in queries if "SAVEPOINT" not in query["sql"]]
    assert len(statements) <= 5, "\n".join(statements)  # the last stores, and notes what is shown


class TestWhatFollowsIsNoted:
    """Whoever submits is shown the next item, which stands in the trail once, after the answer."""

    def trail(self):
        verbs = ("submission.submitted", "assignment.shown")
        lines = Event.objects.filter(verb__in=verbs).order_by("pk")
        return list(lines.values_list("verb", "subject", "actor"))

    def lines(self, rating_round, user, *positions):
        first, second = (
            f"assignment:{assignment_of(rating_round, user, position).pk}" for position in positions
        )
        return [("submission.submitted", first, user.pk), ("assignment.shown", second, user.pk)]

    def test_by_the_first_rater_of_an_item_and_by_the_last(self, pond_round, ben, cleo, as_user):
        expected = self.lines(pond_round, ben, 1, 2) + self.lines(pond_round, cleo, 1, 2)
        for user in (ben, cleo):
            as_user(user).post(RATE, sent(pond_round, user), headers=HTMX)
        assert self.trail() == expected

    def test_what_comes_after_those_that_the_page_holds(self, pond_round, ben, as_user):
        held = [assignment_of(pond_round, ben, position).pk for position in (2, 3)]
        expected = self.lines(pond_round, ben, 1, 4)
        page = as_user(ben).post(
            RATE, sent(pond_round, ben, held=",".join(map(str, held))), headers=HTMX
        )
        assert self.trail() == expected
        assert f'value="{assignment_of(pond_round, ben, 4).pk}"' in text(page)

    def test_not_where_the_answer_is_refused(self, pond_round, ben, as_user):
        browser, answers = as_user(ben), sent(pond_round, ben)
        browser.post(RATE, answers, headers=HTMX)
        before = self.trail()
        again = browser.post(RATE, answers | {"key": str(uuid4())}, headers=HTMX)
        assert again.status_code == 409
        assert self.trail() == before


def test_no_text_reaches_the_log_or_an_address(pond_round, ben, cleo, as_user, caplog):
    caplog.set_level(logging.DEBUG)
    client = as_user(ben)
    client.post(RATE, sent(pond_round, ben, comment="A secret remark."), follow=True)
    client.post(RATE, sent(pond_round, ben, comment="A secret remark."), follow=True)
    client.post(RATE, sent(pond_round, ben, 2, answers={}, comment="A secret remark."))
    for told in ("secret", "Frogs", "safe_response"):
        assert told not in caplog.text


class TestMyWork:
    def test_it_lists_what_was_submitted(self, pond_round, ben, as_user):
        rate(pond_round, ben, 1, NONSENSE)
        page = text(as_user(ben).get("/studies/pond/my-work/"))
        assert "Round 1, item 1" in page
        assert "Nonsense" in page
        assert "Can be changed" in page

    def test_what_stays_as_it_is_has_a_word_of_its_own_in_chinese(self, pond_round, ben, as_user):
        """Where rules are fixed, the day is meant on which they were: “确定时间”."""
        rate(pond_round, ben, 1)
        client = as_user(ben)
        client.cookies["django_language"] = "zh-hans"
        page = text(client.get("/studies/pond/my-work/"))
        assert "不可更改" in page
        assert "确定时间" not in page

    @pytest.mark.parametrize(
        ("asked", "found"),
        [
            ({"words": "remark"}, {1}),
            ({"words": "SPRING. (2)"}, {2}),
            ({"words": "winter"}, set()),
            ({"state": "changeable"}, {1, 2}),
            ({"state": "fixed"}, set()),
        ],
    )
    def test_it_is_searched_by_words_and_by_state(self, pond_round, ben, as_user, asked, found):
        rate(pond_round, ben, 1, NONSENSE, comment="A remark.")
        rate(pond_round, ben, 2)
        page = text(as_user(ben).post("/studies/pond/my-work/", asked))
        assert {place for place in (1, 2) if f"Round 1, item {place}" in page} == found

    def test_an_answer_is_changed_there(self, pond_round, ben, as_user):
        receipt = rate(pond_round, ben, 1, NONSENSE)
        url = f"/studies/pond/my-work/{assignment_of(pond_round, ben).pk}/"
        client = as_user(ben)
        assert chosen(text(client.get(url))) == ["yes"]
        data = {"key": str(uuid4()), "supersedes": receipt.submission_id, **ALL_NO_THEN_SAFE}
        assert client.post(url, data).status_code == 302
        current = Submission.objects.get(is_current=True)
        assert current.ratings.get().label == "safe_response"
        assert client.post(url, data | {"key": str(uuid4())}).status_code == 409

    def test_it_can_only_be_read_once_the_round_is_closed(
        self, pond_round, ada, ben, cleo, as_user
    ):
        rate_and_close(pond_round, [ben, cleo], ada)
        url = f"/studies/pond/my-work/{assignment_of(pond_round, ben).pk}/"
        page = text(as_user(ben).get(url))
        assert "The round is closed" in page
        assert "Gold: Safe Response" in page
        assert '<form class="work"' not in page

    def test_it_stands_in_its_own_study_only(self, pond_round, ada, ben, as_user):
        study_with(
            rubric="psycrisis",
            key="creek",
            team={ada: [TeamRole.COORDINATOR], ben: [TeamRole.ANNOTATOR]},
        )
        rate(pond_round, ben, 1)
        url = f"/studies/creek/my-work/{assignment_of(pond_round, ben).pk}/"
        assert as_user(ben).get(url).status_code == 404

    def test_somebody_elses_does_not_exist(self, pond_round, ben, cleo, as_user):
        rate(pond_round, ben, 1)
        url = f"/studies/pond/my-work/{assignment_of(pond_round, ben).pk}/"
        assert as_user(cleo).get(url).status_code == 404
