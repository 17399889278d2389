"""What judges say beside their values, in a run: stored, shown, given to programs, read again."""

import json
import re
from dataclasses import replace
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.utils import timezone

from accounts.actions import tokens
from accounts.models import Scope
from annotation.actions import rounds, submissions, teams
from annotation.models import Rating, RatingGrounds, Study, TeamRole
from annotation.queries.grounds import grounds_of
from annotation.rubric.grounds import Grounds
from annotation.rubric.loading import parse_toml
from annotation.rules.granting import DataLevel
from judging.actions import rereading
from judging.models import JudgeCall
from tests.annotation.doing import filled, opened, owed
from tests.cast import study_with
from tests.judging.test_beside import WHOLE
from tests.rubric.test_grounds import SURE_TOML

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def pond(ada, shared):
    """The study that judges are asked about here: it asks for grounds."""
    return study_with(
        rubric=parse_toml(SURE_TOML), key="pond", team={ada: [TeamRole.COORDINATOR]}, n_items=2
    )


@pytest.fixture
def run(ask, scripted, ada):
    quoting = {**WHOLE, "evidence": ["Frogs", "Words of nobody"]}
    scripted.answer = lambda body, number: json.dumps({"warmth": quoting, "clarity": 1})
    return ask(as_json=True, by=ada)


def test_it_is_stored_with_the_judges_ratings(run):
    assert Rating.objects.filter(score=2, criterion_key="warmth").count() == 2
    for kept in RatingGrounds.objects.all():
        assert kept.submission.rater == run.judge.rater
        assert (kept.confidence, kept.defensible) == (1, ["3"])
        assert (kept.evidence, kept.unverified) == (["4:0-5"], ["Words of nobody"])
    assert RatingGrounds.objects.count() == 2


def test_it_stands_on_the_page_of_the_call(run, ada, as_user):
    call = run.calls.first()
    page = as_user(ada).get(f"/studies/pond/judges/{run.pk}/calls/{call.pk}/")
    told = page.content.decode()
    assert "<q>Frogs</q>" in told
    assert "<q>Words of nobody</q> (in no text of this item)" in told


def test_quotations_that_stand_nowhere_are_counted_on_the_page_of_the_run(
    run, ada, as_user, capsys
):
    page = " ".join(as_user(ada).get(f"/studies/pond/judges/{run.pk}/").text.split())
    assert 'Quotations in no text</div> <div class="stat__value">2</div>' in page
    assert "of 4 quotations beside its values" in page
    call_command("judge", "show", str(run.pk))
    assert "Quoted: 4, of which 2 stand in no text" in capsys.readouterr().out
    Study.objects.filter(pk=run.study_id).update(judges_blinded_at=timezone.now())
    assert "Quotations in no text" not in as_user(ada).get(f"/studies/pond/judges/{run.pk}/").text


def test_it_stands_in_the_rows_that_programs_get(run, gwen, client):
    study = run.study
    teams.set_roles(
        study_id=study.pk,
        email=gwen.email,
        roles=[TeamRole.EXPORTER],
        by=None,
        at=timezone.now(),
        also=list(DataLevel),
    )
    _token, words = tokens.make(
        name="p", scopes=[Scope.RELEASE], days=1, by=gwen, at=timezone.now()
    )
    rows = client.get(
        "/api/v1/studies/pond/ratings/", headers={"Authorization": f"Bearer {words}"}
    ).json()["results"]
    told = {(one["criterion"], one["confidence"]) for one in rows}
    assert told == {("warmth", 1), ("clarity", None)}
    assert {tuple(one["defensible"] or ()) for one in rows} == {("3",), ()}
    assert not any("Words of nobody" in str(one) for one in rows), "texts leave in releases only"


def test_all_answers_and_reasons_stand_side_by_side_on_the_page_of_the_item(run, ada, ben, as_user):
    """Those of people and of judges, for who may read them: not of what is still being rated."""
    study = run.study
    item = study.items.first()
    address = f"/studies/pond/agreement/items/{item.pk}/"
    teams.set_roles(
        study_id=study.pk,
        email=ben.email,
        roles=[TeamRole.ANNOTATOR],
        by=None,
        at=timezone.now(),
        also=list(DataLevel),
    )
    in_round = opened(study, ada, [ben], raters_per_item=1)
    assert "It stays with the night." not in as_user(ada).get(address).text
    for position in (1, 2):
        why = Grounds(criterion="warmth", rationale="The reply asks about it.")
        given = filled(in_round, {"warmth": 3, "clarity": 1})
        submissions.submit(
            owed=owed(in_round, ben, position),
            answers=submissions.Answers(key=uuid4(), filled=replace(given, grounds=(why,))),
            by=ben,
            at=timezone.now(),
        )
    rounds.close(round_id=in_round.pk, by=ada, at=timezone.now())
    page = as_user(ada).get(address).text
    assert "It stays with the night." in page
    assert "The reply asks about it." in page
    assert run.judge.rater.name in page
    assert re.search(r"Ben[^<]*<br><strong>3</strong></dt>\s*<dd>\s*<p>The reply asks", page)
    Study.objects.filter(pk=study.pk).update(judges_blinded_at=timezone.now())
    blinded = as_user(ada).get(address).text
    assert "The reply asks about it." in blinded
    assert "It stays with the night." not in blinded


def test_calls_are_found_by_words_in_what_was_answered(run, ada, as_user):
    address = f"/studies/pond/judges/{run.pk}/calls/"

    def found(words):
        return as_user(ada).post(address, {"words": words}).text

    assert found("stays with the NIGHT").count("It stays with the night.") == 2
    assert "No such calls" in found("daylight")
    assert "/calls/" in found("\x00"), "nothing is looked for"
    Study.objects.filter(pk=run.study_id).update(judges_blinded_at=timezone.now())
    assert "It stays" not in found("night")
    assert "No such calls" in found("night")


def test_reading_again_takes_what_an_earlier_edition_left(pond, run, capsys):
    with_less = run.calls.order_by("pk").first()
    with_less.exchanges[0]["text"] = json.dumps({"warmth": {**WHOLE, "evidence": []}, "clarity": 1})
    with_less.save(update_fields=["exchanges"])
    JudgeCall.objects.update(parser_edition="10")
    call_command("judge", "reread", "pond")
    assert "2; 1 would say something else" in capsys.readouterr().out
    found = rereading.reread(study=pond, by=None, at=timezone.now())
    assert (found.calls, found.changed) == (2, 1)
    with_less.refresh_from_db()
    [now] = grounds_of([with_less.submission_id])[with_less.submission_id]
    assert (now.evidence, now.unverified) == ((), ())
    assert with_less.submission.ratings.get(criterion_key="warmth").score == 2
    assert RatingGrounds.objects.count() == 3
