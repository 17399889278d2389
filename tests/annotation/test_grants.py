"""Data sets under grants: asked for, approved, revoked, and what each means at once."""

import re
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.access import access_of
from accounts.actions import requests
from accounts.models import Event, Role
from annotation.actions import glass, grants, splits, teams
from annotation.models import DataSet, Grant, GrantDecision, Item, Study, TeamRole
from annotation.queries.grants import person_of
from annotation.queries.studies import NotGranted, study_for
from annotation.rules.granting import DataLevel, GrantStage
from tests.cast import YEAR, account, approved

TEAM = "/studies/pond/team/"


@pytest.fixture
def nia(terms):
    """Approved, on no team yet."""
    return approved("nia", terms)


@pytest.fixture
def tess(terms):
    """Another data steward."""
    return approved("tess", terms, roles=[Role.STEWARD, Role.ADMIN])


def levels_of(person, study):
    now = timezone.now()
    held = Grant.objects.in_force(now).filter(person=person, data_set=study.data_set)
    return {DataLevel(level) for level in held.values_list("level", flat=True)}


def propose(browser, person, *roles, also=()):
    return browser.post(TEAM, {"email": person.email, "roles": roles, "also": also})


def approve(browser, person, *, until=None):
    day = (until or timezone.localdate() + timedelta(days=30)).isoformat()
    path = f"/data-sets/pond/people/{person.pk}/"
    return browser.post(path, {"decision": "approve", "until": day})


def test_a_role_without_a_grant_shows_nothing(pond, ada, nia, as_user):
    propose(as_user(ada), nia, "annotator", "researcher")
    browser = as_user(nia)
    for page in ("", "rate/", "my-work/", "agreement/", "rounds/"):
        answer = browser.get(f"/studies/pond/{page}")
        assert answer.status_code == 403
        assert "nothing of its data is granted to you" in answer.content.decode()
        assert "/studies/pond/why/" in answer.content.decode()
    assert browser.get("/api/v1/studies/pond/work/next/").status_code == 403
    assert "nothing of its data is granted" in browser.get("/").content.decode()


def test_the_steward_is_told_that_somebody_waits(
    pond, ada, nia, sam, terms, as_user, letters, django_capture_on_commit_callbacks
):
    assert "for your decision about data" not in as_user(sam).get("/").text
    with django_capture_on_commit_callbacks(execute=True):
        propose(as_user(ada), nia, "annotator")
        propose(as_user(ada), approved("ole", terms), "researcher")
    (letter,) = letters()
    assert letter.to == [sam.email]
    assert nia.full_name not in letter.subject + letter.body
    assert "2 people wait for your decision about data" in as_user(sam).get("/").text
    assert "for your decision about data" not in as_user(ada).get("/").text
    approve(as_user(sam), nia)
    assert "1 person waits for your decision about data" in as_user(sam).get("/").text


def test_what_is_held_or_waits_is_not_offered_again(pond, ada, nia, as_user):
    propose(as_user(ada), nia, "annotator")
    page = as_user(nia).get("/studies/pond/why/").text
    assert 'value="aggregates"' in page
    assert 'value="item_text"' not in page
    asked_for = re.findall(r'name="levels" value="(\w+)"', page)
    sent = {"levels": asked_for, "purpose": "The second paper."}
    assert as_user(nia).post("/studies/pond/why/", sent).status_code == 302
    assert "Ask for more" not in as_user(nia).get("/studies/pond/why/").text


def test_a_coordinator_proposes_and_the_steward_approves_all_in_one_step(
    pond, ada, nia, sam, as_user
):
    propose(as_user(ada), nia, "annotator", "researcher", also=["per_rater"])
    assert levels_of(nia, pond) == set()
    page = as_user(sam).get("/data-sets/pond/").content.decode()
    assert nia.full_name in page
    assert approve(as_user(sam), nia).status_code == 302
    assert levels_of(nia, pond) == {
        DataLevel.AGGREGATES,
        DataLevel.OPEN_SPLIT,
        DataLevel.RESTRICTED_SPLIT,
        DataLevel.PER_RATER,
        DataLevel.ITEM_TEXT,
    }
    assert as_user(nia).get("/studies/pond/rate/").status_code == 200


def test_the_account_is_approved_in_the_same_step(pond, ada, sam, terms, as_user):
    nia = approved("nia", terms)
    nia.approved_until = None
    nia.save()
    requests.ask(purpose="To annotate the pond.", by=nia, at=timezone.now())
    propose(as_user(ada), nia, "annotator")
    approve(as_user(sam), nia)
    assert as_user(nia).get("/studies/pond/").status_code == 200


def test_what_is_approved_with_an_account_that_has_not_signed(pond, ada, sam, as_user):
    eli = account("eli")
    propose(as_user(ada), eli, "annotator")
    approve(as_user(sam), eli)
    assert levels_of(eli, pond)
    assert as_user(eli).get("/studies/pond/").status_code == 403  # the outer wall


def test_nobody_gives_themselves_a_role(pond, ada, sam, as_user):
    answer = propose(as_user(ada), ada, "coordinator", "exporter")
    assert answer.status_code == 422
    assert "Nobody gives themselves a role" in answer.content.decode()
    assert propose(as_user(sam), sam, "coordinator").status_code == 422
    assert as_user(sam).get("/studies/pond/").status_code == 404


def test_nobody_approves_themselves(pond, ada, sam, as_user):
    propose(as_user(ada), sam, "researcher")
    answer = approve(as_user(sam), sam)
    assert answer.status_code == 409
    assert "Nobody decides what they are granted themselves" in answer.content.decode()
    assert levels_of(sam, pond) == set()


def test_the_database_holds_that_nobody_approves_themselves(pond, gwen):
    grant = Grant.objects.filter(person=gwen).first()
    with pytest.raises(IntegrityError), transaction.atomic():
        GrantDecision.objects.create(
            grant=grant, person=gwen, what="approved", by=gwen, at=timezone.now()
        )


def test_texts_that_leave_take_two_people(pond, ada, nia, sam, tess, as_user):
    propose(as_user(ada), nia, "researcher", also=["text_away"])
    approve(as_user(sam), nia)
    assert levels_of(nia, pond) == {DataLevel.AGGREGATES}
    again = approve(as_user(sam), nia)
    assert "it takes a second person" in again.content.decode()
    approve(as_user(tess), nia)
    assert levels_of(nia, pond) == {DataLevel.AGGREGATES, DataLevel.TEXT_AWAY}


def test_the_steward_of_the_data_set_who_adds_somebody_decides_at_once(pond, nia, sam, as_user):
    DataSet.objects.update(steward=sam)
    propose(as_user(sam), nia, "annotator")
    assert as_user(nia).get("/studies/pond/rate/").status_code == 200


def test_a_data_set_is_decided_by_its_steward_first(pond, ada, nia, sam, tess, as_user):
    DataSet.objects.update(steward=sam)
    propose(as_user(ada), nia, "researcher")
    assert approve(as_user(tess), nia).status_code == 409
    waiting = Grant.objects.get(person=nia)
    assert as_user(nia).post(f"/studies/pond/why/{waiting.pk}/escalate/").status_code == 302
    assert approve(as_user(tess), nia).status_code == 302
    assert levels_of(nia, pond) == {DataLevel.AGGREGATES}


def test_a_request_is_returned_answered_and_refused(pond, ada, nia, sam, as_user):
    propose(as_user(ada), nia, "researcher")
    path = f"/data-sets/pond/people/{nia.pk}/"
    assert as_user(sam).post(path, {"decision": "return", "reason": " "}).status_code == 409
    as_user(sam).post(path, {"decision": "return", "reason": "For which paper\x00?"})
    assert "For which paper?" in as_user(nia).get("/studies/pond/why/").content.decode()
    as_user(nia).post(
        "/studies/pond/why/", {"levels": ["aggregates"], "purpose": "The second paper."}
    )
    as_user(sam).post(path, {"decision": "refuse", "reason": "It is written already."})
    stages = list(Grant.objects.filter(person=nia).order_by("pk").values_list("stage", flat=True))
    assert stages == [GrantStage.RETURNED, GrantStage.REFUSED]
    assert levels_of(nia, pond) == set()


def test_a_revoked_grant_ends_at_the_next_request(pond, gwen, sam, as_user):
    browser = as_user(gwen)
    assert browser.get("/studies/pond/agreement/").status_code == 200
    grant = Grant.objects.get(person=gwen, level="aggregates", revoked_at=None)
    as_user(sam).post(f"/data-sets/pond/grants/{grant.pk}/revoke/", {"reason": "Left\x00."})
    answer = browser.get("/studies/pond/agreement/")
    assert answer.status_code == 403
    assert "Figures of this data set are not granted to you" in answer.content.decode()


def test_who_rates_is_told_which_grant_has_ended(pond, ben, sam, as_user):
    grant = Grant.objects.get(person=ben, level="item_text", revoked_at=None)
    as_user(sam).post(f"/data-sets/pond/grants/{grant.pk}/revoke/", {"reason": "Left."})
    for page in ("rate/", "my-work/"):
        answer = as_user(ben).get(f"/studies/pond/{page}")
        assert answer.status_code == 403
        assert "The texts of this data set are not granted to you today." in answer.text


def test_a_grant_is_revoked_once_by_a_steward_who_says_why(pond, ada, gwen, sam, as_user):
    grant = Grant.objects.get(person=gwen, level="aggregates", revoked_at=None)
    path = f"/data-sets/pond/grants/{grant.pk}/revoke/"

    def said(browser, reason):
        answer = browser.post(path, {"reason": reason})
        return answer.status_code, re.sub(r"\s+", " ", answer.content.decode())

    assert said(as_user(ada), "She left.")[0] == 404, "a coordinator decides nothing here"
    assert levels_of(gwen, pond)
    status, page = said(as_user(sam), " ")
    assert status == 409
    assert "Say why, in a sentence." in page
    assert said(as_user(sam), "She left.")[0] == 302
    status, page = said(as_user(sam), "She left.")
    assert status == 409
    assert "This grant is not in force." in page


def test_only_a_request_that_waits_for_the_steward_goes_to_any(pond, ada, nia, gwen, as_user):
    propose(as_user(ada), nia, "researcher")
    waiting = Grant.objects.get(person=nia)
    path = f"/studies/pond/why/{waiting.pk}/escalate/"
    assert as_user(gwen).post(path).status_code == 404
    assert as_user(nia).post(path).status_code == 302
    again = as_user(nia).post(path)
    assert again.status_code == 403
    assert "does not wait for the steward of the data set" in again.content.decode()


def test_a_grant_ends_by_itself(pond, gwen):
    Grant.objects.filter(person=gwen).update(
        since=timezone.now() - YEAR, until=timezone.now() - timedelta(seconds=1)
    )

    with pytest.raises(NotGranted):
        study_for(access_of(gwen, at=timezone.now()), "pond")


def test_a_steward_reaches_no_text_without_breaking_the_glass(pond, sam, tess, as_user):
    browser = as_user(sam)
    assert browser.get("/data-sets/pond/texts/").status_code == 403
    browser.post("/data-sets/pond/glass/", {"reason": "Somebody may be in danger\x00."})
    broken = pond.data_set.broken_glasses.get()
    own = browser.post(f"/data-sets/pond/glass/{broken.pk}/")
    assert own.status_code == 409
    assert browser.get("/data-sets/pond/texts/").status_code == 403
    as_user(tess).post(f"/data-sets/pond/glass/{broken.pk}/")
    page = browser.get("/data-sets/pond/texts/").content.decode()
    assert "The frogs, I think." in page
    assert as_user(tess).get("/data-sets/pond/texts/").status_code == 403
    told = Event.objects.filter(verb__startswith="glass.").values_list("verb", "actor")
    assert set(told) == {
        ("glass.asked", sam.pk),
        ("glass.broken", tess.pk),
        ("glass.read", sam.pk),
    }


def test_the_glass_is_whole_again_after_its_hour(pond, sam, tess):
    hour_ago = timezone.now() - timedelta(minutes=60)
    asked = glass.ask(data_set_id=pond.data_set_id, reason="Danger.", by=sam, at=hour_ago)
    glass.witness(glass_id=asked.pk, by=tess, at=hour_ago)

    assert not Item.objects.visible_to(access_of(sam, at=timezone.now())).exists()


def test_only_stewards_and_administrators_break_the_glass(pond, terms, as_user):
    uma = approved("uma", terms, roles=[Role.AUDITOR])
    answer = as_user(uma).post("/data-sets/pond/glass/", {"reason": "Curious."})
    assert answer.status_code == 409
    assert not pond.data_set.broken_glasses.exists()


def test_who_could_see_what_on_a_day_that_is_past(pond, ada, nia, sam, as_user):
    propose(as_user(ada), nia, "researcher")
    approve(as_user(sam), nia)
    days_ago = timezone.now() - timedelta(days=9)
    grant = Grant.objects.get(person=nia)
    Grant.objects.filter(pk=grant.pk).update(since=days_ago)
    as_user(sam).post(f"/data-sets/pond/grants/{grant.pk}/revoke/", {"reason": "Left."})
    browser = as_user(sam)
    today = browser.get(f"/data-sets/pond/?person={nia.pk}").content.decode()
    assert "Nobody, or nobody who matches." in today
    then = timezone.localdate() - timedelta(days=3)
    page = browser.get(f"/data-sets/pond/?person={nia.pk}&at={then.isoformat()}").content.decode()
    assert "Nia" in page
    assert sam.full_name in page
    file = browser.get(f"/data-sets/pond/grants.csv?person={nia.pk}&at={then.isoformat()}")
    [head, line] = file.content.decode().splitlines()
    assert head.startswith("person,email,level,roles,since,until,decided_by")
    assert line.startswith("Nia,nia@example.org,aggregates,")
    before = timezone.localdate() - timedelta(days=12)
    assert (
        "Nia"
        not in browser.get(f"/data-sets/pond/grants.csv?at={before.isoformat()}").content.decode()
    )


def test_why_says_what_each_action_lacks(pond, gwen, as_user):
    Grant.objects.filter(person=gwen, level__in=["per_rater", "text_away"]).update(
        revoked_at=timezone.now()
    )
    page = as_user(gwen).get("/studies/pond/why/").content.decode()
    assert "What single raters answered is not granted to you today." in page
    assert "two people have to approve that" in page
    assert "Open to you." in page


def test_a_new_study_begins_a_data_set_in_the_care_of_its_steward(pond, ada, sam, as_user):
    fields = {
        "name": "River",
        "key": "river",
        "rubric": "psycrisis",
        "language": "en",
        "coordinator": ada.email,
    }
    as_user(sam).post("/new-study/", fields)
    river = Study.objects.get(key="river")
    assert river.data_set.steward == sam
    assert levels_of(ada, river) == set(DataLevel) - {DataLevel.TEXT_AWAY}
    assert as_user(ada).get("/studies/river/").status_code == 200


def test_the_rules_of_a_data_set_are_its_stewards(pond, ada, sam, tess, as_user):
    fields = {
        "steward": tess.email,
        "longest_days": 90,
        "least_raters": 4,
        "provider_policy": "listed",
        "processors": "api.example.org",
    }
    assert as_user(ada).post("/data-sets/pond/rules/", fields).status_code == 404
    assert as_user(sam).post("/data-sets/pond/rules/", fields).status_code == 302
    found = DataSet.objects.get(key="pond")
    assert (found.steward, found.longest_days, found.processors) == (tess, 90, ["api.example.org"])
    assert found.least_raters == 4
    for wrong in ({"steward": ada.email}, {"least_raters": 2}):
        answer = as_user(sam).post("/data-sets/pond/rules/", fields | wrong)
        assert answer.status_code == 422, wrong


def test_every_act_leaves_a_line_in_the_trail(pond, ada, nia, sam):
    now = timezone.now()
    before = Event.objects.count()
    teams.set_roles(study_id=pond.pk, email=nia.email, roles=[TeamRole.RESEARCHER], by=ada, at=now)
    [grant] = grants.approve_all(
        data_set_id=pond.data_set_id,
        person_id=nia.pk,
        until=now + timedelta(days=9),
        by=sam,
        at=now,
    )
    grants.revoke(grant_id=grant.pk, reason="Left.", by=sam, at=now + timedelta(seconds=1))
    told = list(Event.objects.order_by("pk").values_list("verb", flat=True))[before:]
    assert told == ["team.roles_set", "grant.requested", "grant.approved", "grant.revoked"]


def test_the_pages_of_data_sets_are_for_who_governs(pond, ada, as_user):
    assert as_user(ada).get("/data-sets/").status_code == 403
    assert as_user(ada).get("/data-sets/pond/").status_code == 404


def test_a_person_is_known_with_their_grants(pond, gwen):

    now = timezone.now()
    known = person_of(access_of(gwen, at=now), pond.data_set_id, frozenset())
    assert known.levels(now) == set(DataLevel)


def test_an_item_of_a_split_that_is_not_granted_is_not_read(pond, gwen, ada, as_user):
    splits.divide(
        data_set_id=pond.data_set_id, open_percent=50, seed="s", by=None, at=timezone.now()
    )
    restricted = Grant.objects.filter(person__in=[gwen, ada], level="restricted_split")
    restricted.update(revoked_at=timezone.now())
    for account_ in (gwen, ada):
        seen = Item.objects.visible_to(access_of(account_, at=timezone.now()))
        assert set(seen) == set(Item.objects.filter(opened__isnull=False))
    assert Item.objects.filter(opened__isnull=False).count() == 3


def test_the_command_opens_a_share_and_says_with_which_seed(pond):
    told = StringIO()
    call_command("divide_data_set", "pond", "--open=34", "--seed=frogs", stdout=told)
    assert "Opened 2 items with the seed frogs." in told.getvalue()
    first = set(Item.objects.filter(opened__isnull=False))
    call_command("divide_data_set", "pond", "--open=34", "--seed=frogs", stdout=told)
    assert set(Item.objects.filter(opened__isnull=False)) == first
    with pytest.raises(CommandError):
        call_command("divide_data_set", "lake", "--open=34")


@pytest.mark.parametrize("page", ["agreement/raters/", "agreement/tables/raters/raters_people.csv"])
def test_without_ratings_by_rater_nobody_sees_single_raters(pond, gwen, as_user, page):
    Grant.objects.filter(person=gwen, level="per_rater").update(revoked_at=timezone.now())
    answer = as_user(gwen).get(f"/studies/pond/{page}")
    assert answer.status_code == 403
    assert "What single raters answered is not granted to you" in answer.text
    assert as_user(gwen).get("/studies/pond/agreement/").status_code == 200
    assert as_user(gwen).get("/api/v1/studies/pond/figures/raters/").status_code == 403


@pytest.mark.parametrize(
    "address",
    [
        "/studies/pond/judges/",
        "/studies/pond/judges/start/",
        "/studies/pond/quarantine/",
        "/studies/pond/adjudicate/",
        "/api/v1/studies/pond/cases/",
        "/api/v1/studies/pond/runs/",
    ],
)
def test_who_has_another_role_reads_that_it_is_the_role(pond, ben, as_user, address):
    answer = as_user(ben).get(address)
    assert answer.status_code == 403
    assert "Your roles in this study do not include that." in answer.text
