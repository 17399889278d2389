"""A rater's program lists what it sent, corrects it, puts off, passes on and objects, as the pages do."""

from uuid import uuid4

import pytest
from django.utils import timezone

from accounts.models import Event
from annotation.actions import cancelling
from annotation.models import Dispute, Rating, Submission
from tests.annotation.doing import NONSENSE, SAFE, assignment_of, close, decide, rate


@pytest.fixture
def program(as_user):
    """program(user)(method, path, sent) is (status, what was told)."""

    def of(user):
        client = as_user(user)

        def ask(method, path, sent=None):
            answer = getattr(client, method)(
                f"/api/v1/{path}", sent, content_type="application/json"
            )
            return answer.status_code, answer.json()

        return ask

    return of


def place(rating_round, user, position=1):
    return f"assignments/{assignment_of(rating_round, user, position).pk}/"


def test_what_was_sent_is_listed_a_page_at_a_time_and_noted(program, pond_round, ben, ada):
    for position in (1, 2, 3):
        rate(pond_round, ben, position, NONSENSE, comment=f"No. {position}")
    ask = program(ben)
    first = Submission.objects.order_by("pk").first()
    status, page = ask("get", "studies/pond/work/done/?limit=2")
    assert status == 200
    told = page["results"][0]
    assert (told["submission"], told["answers"]) == (first.pk, NONSENSE)
    assert (told["comment"], told["fixed_because"], told["gold"]) == ("No. 1", "", {})
    _status, behind = ask("get", f"studies/pond/work/done/?after={page['next']}")
    assert [one["comment"] for one in behind["results"]] == ["No. 3"]
    assert behind["next"] is None
    assert Event.objects.filter(verb="work.listed", actor=ben).count() == 2
    assert program(ada)("get", "studies/pond/work/done/")[0] == 403


def test_what_was_sent_is_corrected_once(program, pond_round, ben, cleo):
    rate(pond_round, ben, 1, NONSENSE)
    ask, path = program(ben), f"{place(pond_round, ben)}answers/"
    _status, told = ask("get", path)
    assert told["done"]["answers"] == NONSENSE
    assert told["reply"] == "Frogs come back in spring. (1)"
    sent = {"key": str(uuid4()), "answers": SAFE, "supersedes": told["done"]["submission"]}
    status, receipt = ask("put", path, sent)
    assert status == 200
    assert ask("put", path, sent) == (200, receipt)
    assert Rating.objects.get(submission__is_current=True).label == "safe_response"
    late = ask("put", path, sent | {"key": str(uuid4())})
    assert late[0] == 409
    assert late[1]["detail"]
    assert ask("put", path, sent | {"answers": {}})[1]["problems"][0]["criterion"] == "safety"
    assert ask("put", path, {"key": "no"})[1]["fields"].keys() == {"key", "answers", "supersedes"}
    assert program(cleo)("get", path)[0] == 404


def test_who_corrects_while_the_round_is_cancelled_is_told_so(program, pond_round, ben, cleo, ada):
    given = rate(pond_round, ben, 1, NONSENSE)
    ask, path = program(ben), f"{place(pond_round, ben)}answers/"
    sent = {"key": str(uuid4()), "answers": SAFE, "supersedes": given.submission_id}
    receipt = ask("put", path, sent)
    cancelling.cancel(round_id=pond_round.pk, reason="A slip.", by=ada, at=timezone.now())
    assert ask("put", path, sent) == receipt
    again = sent | {"key": str(uuid4()), "supersedes": receipt[1]["submission"]}
    assert ask("put", path, again) == (409, {"detail": "The round was cancelled."})
    assert program(cleo)("put", path, again)[0] == 404


def test_an_item_is_put_off_or_given_to_somebody_else(program, pond_round, ben, finn):
    ask = program(ben)
    first = assignment_of(pond_round, ben)
    assert ask("post", f"{place(pond_round, ben)}defer/") == (200, {"assignment": first.pk})
    assert ask("get", "studies/pond/work/next/")[1]["assignment"] != first.pk
    status, told = ask("post", f"{place(pond_round, ben)}pass-on/")
    assert (status, told) == (200, {"assignment": first.pk, "is_with_somebody": True})
    assert finn.rater.assignments.get().item_id == first.item_id
    assert ask("post", f"{place(pond_round, ben)}pass-on/") == (200, told)
    assert finn.rater.assignments.count() == 1


def test_a_decision_is_objected_to_once_it_is_told(program, pond_round, ada, ben, cleo, dora):
    for position in range(1, 7):
        rate(pond_round, ben, position, NONSENSE if position == 1 else SAFE)
        rate(pond_round, cleo, position, SAFE)
    decide(pond_round, dora, 1, SAFE)
    ask, path = program(ben), place(pond_round, ben)
    assert ask("post", f"{path}dispute/", {"text": "It parrots."})[0] == 409
    close(pond_round, ada)
    status, told = ask("post", f"{path}dispute/", {"text": "It parrots."})
    assert (status, told["text"]) == (201, "It parrots.")
    assert Dispute.objects.get().text == "It parrots."
    shown = ask("get", f"{path}answers/")[1]
    assert (shown["dispute"], shown["done"]["gold"]) == ("It parrots.", SAFE)
    assert shown["done"]["fixed_because"]
    assert ask("post", f"{path}dispute/", {"text": "Again."})[0] == 409


def test_care_is_set_whole_and_told_of_all_together_only(program, pond, ada, ben):
    ask = program(ada)
    sent = {"break_after": 5, "most_a_day": 20, "support": "Call Ivy."}
    assert ask("put", "studies/pond/care/", sent) == (
        200,
        sent | {"n_heavy": None, "n_passed_on": None},
    )
    assert ask("put", "studies/pond/care/", {})[1]["most_a_day"] is None
    status, told = ask("put", "studies/pond/care/", {"break_after": 1001})
    assert (status, told["fields"].keys()) == (422, {"break_after"})
    assert program(ben)("get", "studies/pond/care/")[0] == 403
