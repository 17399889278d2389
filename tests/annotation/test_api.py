"""Rating by program."""

from uuid import uuid4

import pytest

from annotation.models import Rating, Submission
from tests.annotation.doing import assignment_of, rate

NEXT = "/api/v1/studies/pond/work/next/"


@pytest.fixture
def post(as_user, pond_round, ben):
    """post(answers) submits ben's first item."""
    path = f"/api/v1/assignments/{assignment_of(pond_round, ben).pk}/submission/"
    client = as_user(ben)

    def send(answers, **fields):
        data = {"key": str(uuid4()), "answers": answers} | fields
        return client.post(path, data, content_type="application/json")

    return send


def test_the_studies_of_an_account(pond, ben, eli, as_user):
    assert as_user(ben).get("/api/v1/studies/").json()["results"] == [
        {"key": "pond", "name": "Pond", "language": "en", "roles": ["annotator"]}
    ]


def test_the_rubric_of_a_study(pond, ben, as_user):
    rubric = as_user(ben).get("/api/v1/studies/pond/rubric/").json()
    assert rubric["number"] == 1
    assert rubric["definition"]["key"] == "dialogue_safety"
    assert len(rubric["fingerprint"]) == 64


def test_the_next_item_without_a_word_about_who_wrote_the_reply(pond_round, ben, as_user):
    work = as_user(ben).get(NEXT).json()
    assert work == {
        "assignment": assignment_of(pond_round, ben).pk,
        "round": 1,
        "number": 1,
        "of": 6,
        "turns": work["turns"],
        "reply": "Frogs come back in spring. (1)",
        "content_note": "",
    }
    assert work["turns"][2] == {"number": 3, "speaker": "seeker", "text": "The frogs, I think."}


def test_nothing_left_is_204(pond_round, ben, as_user):
    for position in range(1, 7):
        rate(pond_round, ben, position)
    assert as_user(ben).get(NEXT).status_code == 204


@pytest.mark.parametrize(
    ("answers", "label", "unscored"),
    [
        ({"safety": "nonsense"}, "nonsense", ""),
        ({"safety": 7}, "safe_response", ""),
        ({"safety": {"nonsense": "yes"}}, "nonsense", ""),
        ({"safety": {"cannot_judge": "unclear"}}, None, "unclear"),
    ],
)
def test_answers_are_taken_as_the_rubric_takes_them(post, answers, label, unscored):
    answer = post(answers, comment="By program.", seconds=3)
    assert answer.status_code == 200
    assert set(answer.json()) == {"submission", "submitted_at"}
    rating = Rating.objects.get()
    assert (rating.label, rating.unscored) == (label, unscored)


def test_the_same_gets_the_same_receipt_and_others_under_its_key_are_refused(post):
    key = str(uuid4())
    first = post({"safety": "nonsense"}, key=key)
    again = post({"safety": "nonsense"}, key=key)
    assert (again.status_code, again.json()) == (200, first.json())
    other = post({"safety": 7}, key=key)
    assert (other.status_code, "already submitted" in other.json()["detail"]) == (409, True)
    assert Submission.objects.count() == 1


def test_another_key_is_a_409_with_a_sentence(post):
    post({"safety": "nonsense"})
    answer = post({"safety": "nonsense"})
    assert answer.status_code == 409
    assert "already submitted" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("answers", "problems"),
    [
        ({}, [("safety", None, "missing")]),
        ({"safety": 9}, [("safety", None, "unknown_label")]),
        ({"safety": {"nonsense": "no"}}, [("safety", "humanoid_mimicry", "incomplete_path")]),
        (
            {"safety": {"nonsense": "yes", "content": "safe_response"}},
            [("safety", "content", "unreachable")],
        ),
        (
            {"mood": 3},
            [("safety", None, "missing"), ("mood", None, "unknown_criterion")],
        ),
        ({"safety": {"cannot_judge": "bored"}}, [("safety", None, "unknown_option")]),
        ({"safety": {"cannot_judge": ["x"]}}, [("safety", None, "unknown_option")]),
    ],
)
def test_all_problems_come_at_once_with_422(post, answers, problems):
    answer = post(answers)
    assert answer.status_code == 422
    found = answer.json()["problems"]
    assert [(one["criterion"], one["node"], one["reason"]) for one in found] == problems
    assert all(one["sentence"] for one in found)
    assert not Submission.objects.exists()


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"key": "no"}, "key"),
        ({"seconds": -1}, "seconds"),
        ({"comment": "nul \x00"}, "comment"),
        ({"comment": "x" * 10_001}, "comment"),
    ],
)
def test_a_broken_field_is_named_with_422(post, fields, named):
    answer = post({"safety": 7}, **fields)
    assert answer.status_code == 422
    assert list(answer.json()["fields"]) == [named]


def test_answers_are_an_object(post):
    answer = post([1])
    assert answer.status_code == 422
    assert list(answer.json()["fields"]) == ["answers"]


@pytest.mark.parametrize(
    "body",
    ["{", "[" * 100_000, '{"answers": {"\\ud800": 1}}', '"' + "x" * 3_000_000 + '"'],
    ids=["broken", "bottomless", "half a character", "flood"],
)
def test_what_is_no_json_is_a_400(pond_round, ben, as_user, body):
    path = f"/api/v1/assignments/{assignment_of(pond_round, ben).pk}/submission/"
    answer = as_user(ben).post(path, body, content_type="application/json")
    assert answer.status_code == 400


@pytest.mark.parametrize("path", ["/api/v1/studies/", NEXT, "/api/v1/studies/pond/rubric/"])
def test_the_gate_stands_before_the_api(pond, eli, as_user, client, path):
    assert client.get(path).status_code == 401
    assert as_user(eli).get(path).status_code == 403


def test_a_study_of_others_does_not_exist(pond, sam, as_user):
    assert as_user(sam).get(NEXT).status_code == 404
    assert as_user(sam).get("/api/v1/studies/").json()["results"] == []


def test_only_annotators_get_work(pond, ada, as_user):
    assert as_user(ada).get(NEXT).status_code == 403
