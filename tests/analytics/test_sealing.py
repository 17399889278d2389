"""Verdicts that are sealed at planned looks: when, with what, and that nothing changes them."""

import hashlib
import json
from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, transaction

from accounts.access import access_of
from accounts.models import Event
from analytics.models import SealedVerdicts
from analytics.policies.loading import PolicyError, read, read_own
from analytics.ratings import matrices
from analytics.trust import actions, sealing
from annotation.models import TeamRole
from annotation.queries.studies import study_for
from tests.analytics.made import human, items_of, judge, rate
from tests.analytics.reading import text_of
from tests.analytics.test_trust import SMALL, truth
from tests.analytics.walking import assert_the_same
from tests.cast import study_with
from tests.kept import made_once

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("empty_cache")]
AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
LOOKS = "\n[looks]\nitems = [20, 40]\npeople = 2\nrepeats = 5\nflagged = 0.9\n"
URL = "/studies/lake/agreement/verdicts/"


@pytest.fixture
@made_once
def lake(ada, gwen):
    """40 items of which two people and a judge that says what they say have rated 30."""
    study = study_with(
        rubric="mentalalign",
        key="lake",
        team={ada: [TeamRole.COORDINATOR], gwen: [TeamRole.RESEARCHER]},
        n_items=40,
    )
    raters = [human("ruth"), human("rolf"), judge("echo")]
    for place, item in enumerate(items_of(study)[:30]):
        for rater in raters:
            for repeat in range(1, 6 if rater.kind == "judge" else 2):
                rate(rater, item, repeat=repeat, safety=truth(place))
    study.refresh_from_db()
    return study


def fixed(study, by, looks=LOOKS):
    study_access = study_for(access_of(by, at=AT), study.key)
    text = SMALL.text + looks
    key = actions.bring_policy(
        study_access=study_access, file_name="own.toml", content=text.encode(), by=by, at=AT
    )
    actions.fix_policy(study_access=study_access, key=key, by=by, at=AT)
    return study_access


def test_a_sealed_verdict_holds_its_rules_its_ratings_and_its_cards(lake, ada):
    found = sealing.seal(study_access=fixed(lake, ada), by=ada, at=AT)
    content = json.loads(found.content)
    assert (found.look, content["of_looks"]) == (1, 2)
    assert hashlib.sha256(found.content.encode()).hexdigest() == found.sha256
    assert content["data_sha256"] == matrices.digest(matrices.read(lake.pk))
    assert read("again", content["rules"]).looks.items == (20, 40)
    (card,) = content["cards"]
    assert (card["judge"], card["criterion"]) == ("echo", "safety")
    assert card["verdict"]
    assert Event.objects.filter(verb="trust.sealed").count() == 1


def test_a_look_is_taken_once_and_the_next_when_its_items_are_there(lake, ada):
    study_access = fixed(lake, ada)
    sealing.seal(study_access=study_access, by=ada, at=AT)
    with pytest.raises(sealing.CannotSeal, match=r"Look 2 is planned at 40 items.*there are 30"):
        sealing.seal(study_access=study_access, by=ada, at=AT)


def test_after_the_last_look_nothing_more_is_planned(lake, ada, as_user):
    study_access = fixed(lake, ada, looks=LOOKS.replace("[20, 40]", "[30]"))
    sealing.seal(study_access=study_access, by=ada, at=AT)
    with pytest.raises(sealing.CannotSeal, match=r"All planned looks were taken\. Later data need"):
        sealing.seal(study_access=study_access, by=ada, at=AT)
    said = text_of(as_user(ada).get("/studies/lake/agreement/trust/"))
    assert "All planned looks were taken; the sealed verdicts stand." in said


def test_a_look_waits_for_its_day_though_its_items_are_there(lake, ada, as_user):
    study_access = fixed(lake, ada, looks=LOOKS + "dates = [2026-03-03, 2026-06-01]\n")
    with pytest.raises(sealing.CannotSeal, match=r"Look 1 is planned for 2026-03-03, not before"):
        sealing.seal(study_access=study_access, by=ada, at=AT)
    assert sealing.seal(study_access=study_access, by=ada, at=AT + timedelta(days=1)).look == 1
    said = text_of(as_user(ada).get("/studies/lake/agreement/trust/"))
    assert "Look 2 of 2 is planned at 40 items rated by people and a judge; there are 30." in said
    assert "Not before June 1, 2026." in said


def test_nobody_changes_what_is_sealed_and_other_ratings_have_another_fingerprint(lake, ada):
    found = sealing.seal(study_access=fixed(lake, ada), by=ada, at=AT)
    for change in (
        lambda: SealedVerdicts.objects.update(content="{}"),
        lambda: SealedVerdicts.objects.all().delete(),
    ):
        with pytest.raises(DatabaseError, match="never changed"), transaction.atomic():
            change()
    rate(human("rita"), items_of(lake)[35], safety=2)
    assert matrices.digest(matrices.read(lake.pk)) != found.data_sha256


def test_without_planned_looks_nothing_is_sealed_and_only_coordinators_seal(lake, ada, gwen):
    with pytest.raises(sealing.CannotSeal, match="Add “looks”"):
        sealing.seal(study_access=fixed(lake, ada, looks=""), by=ada, at=AT)
    with pytest.raises(actions.CannotFix, match="coordinators"):
        sealing.seal(study_access=study_for(access_of(gwen, at=AT), "lake"), by=gwen, at=AT)


@pytest.mark.parametrize(
    ("looks", "words"),
    [
        (
            LOOKS.replace("people = 2", "people = 1"),
            "needs 2 people an item, and the last look has 1",
        ),
        (LOOKS.replace("0.9", "0.1"), "needs 17 flagged items, and the last look has 4"),
        (LOOKS.replace("repeats = 5", "repeats = 1"), "needs 2 answers of the judge an item"),
        (LOOKS.replace("[20, 40]", "[10]"), "needs 20 items, and the last look has 10"),
    ],
)
def test_rules_whose_verdicts_cannot_all_occur_are_refused(lake, ada, looks, words):
    with pytest.raises(actions.CannotFix) as refused:
        fixed(lake, ada, looks=looks)
    assert any(words in str(problem) for problem in refused.value.problems)


@pytest.mark.parametrize(
    ("looks", "words"),
    [
        ("\n[looks]\nitems = [40, 20]\npeople = 1\nrepeats = 1\n", "each above the one before"),
        (LOOKS + "dates = [2027-01-31]\n", "a date for each look, or none"),
        (LOOKS + 'dates = ["soon", "later"]\n', "days such as 2027-01-31"),
    ],
)
def test_a_plan_of_looks_names_its_mistakes(looks, words):
    with pytest.raises(PolicyError, match=words):
        read_own((SMALL.text + looks).encode())


def test_the_page_says_what_live_figures_are_and_leads_to_what_was_sealed(lake, ada, as_user):
    fixed(lake, ada)
    client = as_user(ada)
    page = client.get("/studies/lake/agreement/trust/").content.decode()
    assert "live figures, not a test" in page
    assert "Look 1 of 2 is planned at 20 items" in page
    assert "trust_fixings" in assert_the_same(client, "/studies/lake/agreement/trust/")
    answer = client.post(URL, follow=True)
    sealed = answer.content.decode()
    assert "Verdicts of look 1 of 2" in sealed
    assert all(f"<span>{name}</span>" in sealed for name in ("Safety", "Echo"))
    assert assert_the_same(client, answer.request["PATH_INFO"]) == {"sealed"}
    (found,) = SealedVerdicts.objects.all()
    text = client.get(f"{URL}{found.sha256}.json").content
    assert hashlib.sha256(text).hexdigest() == found.sha256
    assert found.sha256[:12] in client.get("/studies/lake/agreement/trust/").content.decode()


def test_the_command_seals_and_says_what_is_missing(lake, ada, capsys):
    fixed(lake, ada)
    call_command("trust_policy", "seal", "lake", by=ada.email)
    assert "Sealed at look 1" in capsys.readouterr().out
    with pytest.raises(CommandError, match="Look 2 is planned"):
        call_command("trust_policy", "seal", "lake", by=ada.email)
