"""Each study gets a data set of its own; whoever was approved keeps what they could do until then."""

from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.utils import timezone

# As the roles were before there were grants.
EVERYTHING = ("aggregates", "open_split", "restricted_split", "majority", "per_rater", "comments")
COULD = {
    "coordinator": (*EVERYTHING, "item_text"),
    "annotator": ("open_split", "restricted_split", "item_text"),
    "adjudicator": ("open_split", "restricted_split", "item_text", "per_rater", "comments"),
    "researcher": ("aggregates", "majority", "per_rater"),
    "exporter": (*EVERYTHING, "item_text", "text_away"),
}
PURPOSE = "held before there were data sets"
OWN_HOSTS = {"localhost", "127.0.0.1", "::1"}


def give_each_study_its_own(apps: Any, schema_editor: BaseDatabaseSchemaEditor) -> None:
    now = timezone.now()
    policy = _policy()
    for study in apps.get_model("annotation", "Study").objects.filter(data_set=None):
        study.data_set = apps.get_model("annotation", "DataSet").objects.create(
            key=study.key, name=study.name, created_at=now, **policy
        )
        study.save(update_fields=["data_set"])
        for membership in study.memberships.select_related("user"):
            _keep(apps, study.data_set, membership, now)


def _keep(apps: Any, data_set: Any, membership: Any, now: datetime) -> None:
    until = membership.user.approved_until
    if until is None or until <= now:
        return
    approval = (
        apps.get_model("accounts", "AccessRequest")
        .objects.filter(user=membership.user, decision="approved")
        .order_by("-decided_at")
        .first()
    )
    by = approval.decided_by if approval else None
    for level in sorted({level for role in membership.roles for level in COULD[role]}):
        grant = apps.get_model("annotation", "Grant").objects.create(
            data_set=data_set,
            person=membership.user,
            level=level,
            purpose=PURPOSE,
            asked_at=now,
            stage="approved",
            since=now,
            until=min(until, now + timedelta(days=365)),
        )
        apps.get_model("annotation", "GrantDecision").objects.create(
            grant=grant, person=membership.user, what="approved", by=by, at=now, reason=PURPOSE
        )


def _policy() -> dict[str, object]:
    """Judges go on asking the endpoint that the server is set up for."""
    host = urlsplit(settings.LLM_BASE_URL).hostname or ""
    if not host or host in OWN_HOSTS or host in settings.LLM_HTTP_HOSTS:
        return {"provider_policy": "self_hosted"}
    return {"provider_policy": "listed", "processors": [host]}


class Migration(migrations.Migration):
    dependencies = [("annotation", "0025_data_sets"), ("accounts", "0007_grace")]

    operations = [migrations.RunPython(give_each_study_its_own, migrations.RunPython.noop)]
