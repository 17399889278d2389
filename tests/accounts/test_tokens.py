"""Programs: who they are, and what they may."""

import re
import sys
from collections import Counter
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from uuid import uuid4

import pytest
from django.utils import timezone

from accounts.actions import people
from accounts.actions import tokens as actions
from accounts.models import ApiToken, Event
from analytics.tasks import build_export
from annotation.models import FileJob, TeamRole
from tests.analytics.made import items_of
from tests.annotation.doing import SAFE
from tests.cast import bearer, study_with
from tests.imports.sending import work_off
from tests.services import ROOT

STUDIES, RATINGS = "/api/v1/studies/", "/api/v1/studies/pond/ratings/"
RELEASES = "/api/v1/studies/pond/releases/"
pytestmark = pytest.mark.django_db(transaction=True)


def test_a_token_opens_what_its_account_may_open_and_no_more(client, pond, ben, eli, ada, sam):
    assert client.get(STUDIES, headers=bearer(ben)).json()["results"][0]["key"] == "pond"
    assert client.get("/api/v1/studies/pond/rounds/", headers=bearer(ben)).status_code == 403
    assert client.get("/api/v1/studies/pond/rubric/", headers=bearer(sam)).status_code == 404
    assert client.get(STUDIES, headers=bearer(eli)).json()["missing"] == ["signature", "request"]
    headers = bearer(ben)
    people.suspend(user_id=ben.pk, reason="Left.", by=ada, at=timezone.now())
    assert client.get(STUDIES, headers=headers).status_code == 403


def test_only_the_hash_of_a_token_is_kept_and_it_opens_no_page(client, pond, ben):
    headers = bearer(ben)
    words = headers["Authorization"].removeprefix("Bearer ")
    assert words not in repr(list(ApiToken.objects.values()))
    assert client.get("/studies/pond/", headers=headers).status_code == 302


@pytest.mark.parametrize("end", ["revoked", "expired", "made up", "cookie beside it"])
def test_what_is_no_token_in_force_is_nobody(client, as_user, pond, ben, end):
    headers = bearer(ben)
    token = ApiToken.objects.get()
    if end == "revoked":
        actions.revoke(token_id=token.pk, by=ben, at=timezone.now())
    elif end == "expired":
        token.expires_at = timezone.now() - timedelta(seconds=1)
        token.save()
    else:
        headers = {"Authorization": "Bearer concord_made-up"}
    browser = as_user(ben) if end == "cookie beside it" else client
    assert browser.get(STUDIES, headers=headers).status_code == 401


def test_programs_go_on_while_redis_is_away(client, pond_round, ben, settings):
    headers = bearer(ben)
    settings.CACHES = {"default": settings.CACHES["default"] | {"LOCATION": "redis://127.0.0.1:1"}}
    owed = client.get(f"{STUDIES}pond/work/next/", headers=headers).json()["assignment"]
    path, sent = f"/api/v1/assignments/{owed}/submission/", {"key": str(uuid4()), "answers": SAFE}
    answer = client.post(path, sent, content_type="application/json", headers=headers)
    assert answer.status_code == 200


def test_a_token_does_what_it_is_for(client, rated, gwen):
    assert client.get(RATINGS, headers=bearer(gwen, "read")).json() == {
        "refused": True,
        "scope": "release",
    }
    assert client.get(RATINGS, headers=bearer(gwen, "release")).status_code == 200
    assert client.get(STUDIES, headers=bearer(gwen, "release")).status_code == 403


def test_ratings_come_a_page_at_a_time_and_leave_a_line_in_the_trail(client, rated, gwen):
    headers, found, after = bearer(gwen), [], ""
    while after is not None:
        page = client.get(RATINGS, {"after": after, "limit": 4}, headers=headers).json()
        found += page["results"]
        after = page["next"]
    assert len(found) == 12
    assert Counter(row["item"] for row in found) == {item.key: 2 for item in items_of(rated)}
    assert {row["rater_kind"] for row in found} == {"human", "judge"}
    assert "ruth" not in {row["rater"] for row in found}
    assert Event.objects.filter(verb="ratings.read", actor=gwen).count() == 1
    assert client.get(RATINGS, {"limit": 0}, headers=headers).status_code == 400


def test_who_may_not_export_reads_no_ratings(client, rated, ada, ben):
    for user in (ada, ben):
        assert client.get(RATINGS, headers=bearer(user)).status_code == 403
    tried = Event.objects.filter(verb="export.refused").order_by("pk")
    assert [event.actor for event in tried] == [ada, ben], "as where they try it on a page"


@pytest.mark.parametrize(("with_texts", "status"), [(False, 202), (True, 409)])
def test_one_with_texts_is_not_the_one_without_that_is_being_built(
    client, rated, gwen, with_texts, status
):
    def ask(with_texts):
        sent = {"with_texts": with_texts}
        return client.post(RELEASES, sent, "application/json", headers=bearer(gwen))

    assert ask(with_texts=False).status_code == 202
    again = ask(with_texts=with_texts)
    assert again.status_code == status
    assert FileJob.objects.filter(kind="export").count() == 1
    assert ("Ask for another once it is done" in again.text) == with_texts


def test_the_same_word_gets_the_same_release(client, rated, gwen, settings, tmp_path):
    settings.EXPORT_DIR = tmp_path / "exports"
    headers = bearer(gwen) | {"Idempotency-Key": "once"}
    first = client.post(RELEASES, {}, content_type="application/json", headers=headers)
    assert first.status_code == 202
    job = first.json()["id"]
    build_export(job)
    again = client.post(RELEASES, {}, content_type="application/json", headers=headers)
    assert (again.json()["id"], again.json()["state"]) == (job, "done")
    sent = {"with_texts": True}
    otherwise = client.post(RELEASES, sent, content_type="application/json", headers=headers)
    said = otherwise.json()["detail"]
    assert (otherwise.status_code, said) == (409, "Something else was sent under this key before.")
    link = client.post(f"{RELEASES}{job}/link/", headers=headers)
    assert link.status_code == 201
    address = f"{RELEASES}links/{link.json()['token']}/"
    archive = b"".join(client.get(address, headers=headers).streaming_content)
    assert archive.startswith(b"PK")
    assert client.get(address, headers=headers).status_code == 404
    rest = client.get(address, headers=headers | {"Range": "bytes=100-"})
    assert rest.status_code == 206
    assert b"".join(rest.streaming_content) == archive[100:]


def test_the_word_of_a_release_is_not_that_of_another_study_too(client, rated, gwen, ada):
    team = {ada: [TeamRole.COORDINATOR], gwen: [TeamRole.EXPORTER]}
    study_with(rubric="dialogue_safety", key="lake", team=team)
    headers = bearer(gwen) | {"Idempotency-Key": "once"}
    lake = "/api/v1/studies/lake/releases/"
    assert client.post(RELEASES, {}, "application/json", headers=headers).status_code == 202
    assert client.post(lake, {}, "application/json", headers=headers).status_code == 409
    assert client.post(lake, {}, "application/json", headers=bearer(gwen)).status_code == 202


def test_a_token_is_made_on_a_page_shown_once_and_revoked(as_user, ben):
    browser = as_user(ben)
    form = {"name": "notebook", "scopes": ["read"], "days": 7}
    page = browser.post("/access/tokens/", form).text
    words = re.search(r"concord_[\w-]+", page)[0]
    assert words not in browser.get("/access/tokens/").text
    assert browser.get(STUDIES, headers={"Authorization": f"Bearer {words}"}).status_code == 200
    browser.post(f"/access/tokens/{ApiToken.objects.get().pk}/revoke/")
    assert browser.get(STUDIES, headers={"Authorization": f"Bearer {words}"}).status_code == 401
    made = Event.objects.filter(verb__in=["token.made", "token.revoked"])
    assert sorted(made.values_list("verb", flat=True)) == ["token.made", "token.revoked"]


def test_nobody_revokes_the_token_of_another(as_user, ben, cleo):
    bearer(ben)
    path = f"/access/tokens/{ApiToken.objects.get().pk}/revoke/"
    assert as_user(cleo).post(path).status_code == 404


def test_the_page_of_the_api_names_every_address(as_user, ben):
    page = as_user(ben).get("/api/v1/").text
    paths = as_user(ben).get("/api/v1/schema/").json()["paths"]
    assert "/api/v1/studies/" in paths
    for path in paths:
        assert path in page


@pytest.fixture
def examples(monkeypatch):
    """What stands in the documentation, with the client that it imports."""
    monkeypatch.syspath_prepend(ROOT / "static")
    monkeypatch.delitem(sys.modules, "concord_client", raising=False)
    return re.findall(r"```python\n(.*?)```", (ROOT / "docs/api.md").read_text(), re.DOTALL)


def words_of(user) -> str:
    return bearer(user)["Authorization"].removeprefix("Bearer ")


def test_the_example_of_the_documentation_runs(examples, live_server, rated, gwen, capsys):
    known = {"URL": live_server.url, "TOKEN": words_of(gwen)}
    exec(examples[0], known)  # noqa: S102 -- our own documentation
    assert len(known["ratings"]) == 12
    assert "human    6" in capsys.readouterr().out
    assert known["figures"]


def test_so_does_the_example_that_changes_something(
    examples, live_server, pond, ada, tmp_path, monkeypatch, settings, capsys
):
    settings.UPLOAD_DIR = tmp_path / "uploads"
    client = import_module("concord_client")
    monkeypatch.setattr(client, "time", SimpleNamespace(sleep=lambda _seconds: work_off()))
    monkeypatch.chdir(tmp_path)
    Path("items.csv").write_text("key,dialogue,reply\nn1,[seeker]Hello.,Hello to you.\n")
    n_items = pond.items.count()
    study = client.Concord(live_server.url, token=words_of(ada)).study("pond")
    exec(examples[1], {"study": study})  # noqa: S102 -- our own documentation
    assert pond.items.count() == n_items + 1
    assert pond.rounds.get().round_items.count() == 4
    assert capsys.readouterr().out.split() == ["done", "1", "done", "1", str(n_items + 1)]
