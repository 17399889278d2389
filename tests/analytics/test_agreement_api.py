"""The report as JSON: by request and by command."""

import json

import pytest
from django.core.management import CommandError, call_command

from analytics.comparisons.kinds import Kind
from analytics.verification import checks
from tests.analytics.made import decide, human, items_of, judge, rate

URL = "/api/v1/studies/pond/agreement/"
SAFE, BAD, TOXIC = "safe_response", "nonsense", "toxic_language"


@pytest.fixture
def rated(pond):
    ruth, rolf, echo = human("ruth"), human("rolf"), judge("echo")
    given = [(SAFE, SAFE, SAFE), (SAFE, BAD, BAD), (BAD, BAD, BAD), (BAD, SAFE, TOXIC)]
    given += [(SAFE, SAFE, SAFE), (TOXIC, TOXIC, SAFE)]
    for item, labels in zip(items_of(pond), given, strict=True):
        for rater, label in zip((ruth, rolf, echo), labels, strict=True):
            rate(rater, item, safety=label)
        rate(echo, item, repeat=2, safety=labels[0])
        decide(item, safety=labels[0])
    return pond


@pytest.mark.parametrize(
    ("name", "status"), [("ada", 200), ("gwen", 200), ("ben", 403), ("sam", 404), ("eli", 403)]
)
def test_the_api_passes_the_same_gate(rated, as_user, request, name, status):
    assert as_user(request.getfixturevalue(name)).get(URL).status_code == status


def test_a_visitor_is_refused_as_json(rated, client):
    answer = client.get(URL)
    assert answer.status_code == 401
    assert answer.json()["refused"]


def test_the_api_gives_every_figure_with_interval_n_and_reason(rated, as_user, ada):
    report = as_user(ada).get(URL).json()
    assert report["revision"] == 30
    assert report["n_ratings"] == 24
    kinds = {line["kind"] for line in report["comparisons"]}
    assert kinds == {kind.value for kind in Kind}
    for line in report["comparisons"]:
        for estimate in line["estimates"].values():
            assert estimate["n_items"] == 6
            assert estimate["low"] is not None or estimate["note"], "an interval or the reason"


def test_the_api_narrows_to_a_judge_and_says_which_there_are(rated, as_user, ada):
    client = as_user(ada)
    report = client.get(URL, {"judge": "echo", "criterion": "safety"}).json()
    assert len(report["comparisons"]) == 7
    refused = client.get(URL, {"judge": "nobody"})
    assert refused.status_code == 400
    assert "There are: echo." in refused.json()["detail"]


def test_the_command_prints_the_same_json(rated, as_user, ada, capsys):
    call_command("agreement", "pond", json=True)
    printed = json.loads(capsys.readouterr().out)
    assert printed | {"elsewhere": {}} == as_user(ada).get(URL).json()


def test_the_command_prints_the_table_of_the_page(rated, capsys):
    call_command("agreement", "pond")
    printed = capsys.readouterr().out
    assert "Echo against gold" in printed
    assert "Fewer than 30 pairs" in printed


def test_verify_holds_every_figure_against_published_packages(rated, capsys):
    call_command("agreement", "pond", verify=True)
    printed = capsys.readouterr().out
    assert "scikit-learn" in printed
    assert "krippendorff" in printed
    assert "statsmodels" in printed
    last = printed.strip().splitlines()[-1]
    met, of = last.split()[0], last.split()[2]
    assert met == of
    assert int(of) >= 20


def test_verify_fails_when_a_figure_differs(rated, capsys, monkeypatch):
    monkeypatch.setattr(checks, "TOLERANCE", -1.0)
    with pytest.raises(CommandError, match="figures differ by more than"):
        call_command("agreement", "pond", verify=True, json=True)
    assert json.loads(capsys.readouterr().out)["verified"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"criterion": ["beauty"]}, "There is no criterion “beauty” here. There are: safety."),
        ({"judge": ["nobody"]}, "There is no judge “nobody” here. There are: echo."),
    ],
)
def test_a_wrong_name_is_answered_with_the_right_ones(rated, options, sentence):
    with pytest.raises(CommandError, match=sentence):
        call_command("agreement", "pond", **options)


def test_an_unknown_study_is_a_sentence(db):
    with pytest.raises(CommandError, match="There is no study “lake”"):
        call_command("agreement", "lake")
