"""A server from before there were data sets goes on: whoever could do something still may."""

from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection
from django.utils import timezone

from accounts.models import AccessRequest
from annotation.models import DataSet, Grant, GrantDecision
from annotation.rules.granting import DataLevel

WAS = import_module("annotation.migrations.0026_each_study_in_a_data_set")


@pytest.fixture
def before(pond, ada, sam):
    """The pond as it was before: in no data set, and nothing granted."""
    now = timezone.now()
    AccessRequest.objects.create(
        user=ada,
        purpose="To coordinate.",
        requested_at=now,
        decision="approved",
        decided_at=now,
        decided_by=sam,
        granted_until=ada.approved_until,
    )
    GrantDecision.objects.all().delete()
    Grant.objects.all().delete()
    DataSet.objects.update(key="older")
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE annotation_study ALTER data_set_id DROP NOT NULL")
        cursor.execute("UPDATE annotation_study SET data_set_id = NULL")
    return pond


def test_each_study_gets_a_data_set_and_its_team_its_grants(before, as_user, ada, ben, gwen, sam):
    gone = ben
    gone.approved_until = timezone.now()
    gone.save()
    WAS.give_each_study_its_own(apps, None)
    before.refresh_from_db()
    assert (before.data_set.key, before.data_set.name) == ("pond", "Pond")
    held = Grant.objects.filter(data_set=before.data_set)
    assert not held.filter(person=gone).exists()
    assert set(held.filter(person=ada).values_list("level", flat=True)) == set(DataLevel) - {
        DataLevel.TEXT_AWAY
    }
    assert held.filter(person=gwen, level=DataLevel.TEXT_AWAY).exists()
    assert all(one.until <= one.person.approved_until for one in held.select_related("person"))
    decided = GrantDecision.objects.filter(person=ada).values_list("by", flat=True)
    assert set(decided) == {sam.pk}
    for user in (ada, gwen):
        assert as_user(user).get("/studies/pond/agreement/").status_code == 200


@pytest.mark.parametrize(
    ("url", "policy", "processors"),
    [
        ("", "self_hosted", []),
        ("http://127.0.0.1:9/v1", "self_hosted", []),
        ("https://api.example.org/v1", "listed", ["api.example.org"]),
    ],
)
def test_judges_may_go_on_asking_where_they_did(before, settings, url, policy, processors):
    settings.LLM_BASE_URL = url
    WAS.give_each_study_its_own(apps, None)
    before.refresh_from_db()
    data_set = before.data_set
    assert (data_set.provider_policy, data_set.processors) == (policy, processors)
