"""A release is fetched by a link that works once; what broke off goes on where it ended."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import Event, Suspension
from analytics.exports import downloads
from analytics.exports.ranges import OutOfRange, part_asked
from analytics.models import ReleaseLink
from analytics.tasks import build_export
from annotation.models import FileJob, Grant, TeamRole
from tests.analytics.made import human, items_of, let_pass, rate

URL = "/studies/pond/export/"


@pytest.mark.parametrize(
    ("header", "part"),
    [
        ("", None),
        ("bytes=0-", range(100)),
        ("bytes=40-", range(40, 100)),
        ("bytes=40-49", range(40, 50)),
        ("bytes=90-200", range(90, 100)),
        ("bytes=-10", range(90, 100)),
        ("bytes=-200", range(100)),
        ("bytes=-", None),
        ("bytes=0-1,5-6", None),
        ("items=0-1", None),
        (f"bytes=0-{'9' * 5000}", None),
    ],
)
def test_the_part_that_is_asked_for(header, part):
    assert part_asked(header, 100) == part


@pytest.mark.parametrize("header", ["bytes=100-", "bytes=50-40", "bytes=-0"])
def test_a_part_that_there_is_not(header):
    with pytest.raises(OutOfRange):
        part_asked(header, 100)


@pytest.fixture
def job(pond, ada, gwen, as_user, settings, tmp_path, transactional_db):
    """A release that was built for gwen."""
    settings.EXPORT_DIR = tmp_path / "exports"
    rate(human("ruth"), items_of(pond)[0], safety="safe_response")
    let_pass(pond, by=ada)
    as_user(gwen).post(URL)
    asked = FileJob.objects.get()
    build_export(asked.pk)
    return asked


def link_for(client, job) -> str:
    return client.post(f"{URL}{job.pk}/").url


def content_of(answer) -> bytes:
    return b"".join(answer.streaming_content)


def status_of(answer) -> int:
    answer.close()
    return answer.status_code


def test_a_release_that_was_built_before_an_upgrade_has_its_name(job, as_user, gwen):
    made = FileJob.objects.get(pk=job.pk)
    name = made.result.pop("name")
    FileJob.objects.filter(pk=job.pk).update(result=made.result, file_name=name)
    answer = as_user(gwen).get(link_for(as_user(gwen), job))
    assert content_of(answer)
    assert name in answer.headers["Content-Disposition"]


def test_a_link_works_once_and_then_goes_on(job, as_user, gwen):
    client = as_user(gwen)
    address = link_for(client, job)
    whole = client.get(address)
    archive = content_of(whole)
    assert whole.headers["Accept-Ranges"] == "bytes"
    assert whole.headers["ETag"].strip('"')
    for used in (client.get(address), client.get(address, headers={"Range": "bytes=0-"})):
        assert used.status_code == 404
        assert "This link was used" in used.text
    rest = client.get(address, headers={"Range": "bytes=1000-"})
    assert (rest.status_code, content_of(rest)) == (206, archive[1000:])
    assert rest.headers["Content-Range"] == f"bytes 1000-{len(archive) - 1}/{len(archive)}"
    assert client.get(address, headers={"Range": f"bytes={len(archive)}-"}).status_code == 416

    left = Event.objects.filter(verb="export.downloaded").order_by("pk")
    assert [one.facts.get("from") for one in left] == [None, 1000]
    assert {one.facts["link"] for one in left} == {ReleaseLink.objects.get().pk}


def test_a_link_is_its_recipients_alone(job, as_user, gwen, ada, client):
    address = link_for(as_user(gwen), job)
    ada.memberships.update(roles=[TeamRole.EXPORTER])
    assert as_user(ada).get(address).status_code == 404
    assert client.get(address).status_code == 302
    assert status_of(as_user(gwen).get(address)) == 200


@pytest.mark.parametrize(("seconds", "status"), [(59, 200), (61, 404)])
def test_a_link_is_opened_within_a_minute(job, as_user, gwen, seconds, status):
    address = link_for(as_user(gwen), job)
    ReleaseLink.objects.update(expires_at=timezone.now() + timedelta(seconds=60 - seconds))
    assert status_of(as_user(gwen).get(address)) == status


@pytest.mark.parametrize("step", ["link", "file"])
def test_who_may_not_any_more_is_refused_in_the_trail(job, as_user, gwen, step):
    client = as_user(gwen)
    address = link_for(client, job)
    Grant.objects.filter(person=gwen, level="per_rater").update(
        revoked_at=timezone.now(), revoked_by=gwen
    )
    answer = client.get(address) if step == "file" else client.post(f"{URL}{job.pk}/")
    assert answer.status_code == 403
    assert Event.objects.filter(verb="export.refused", actor=gwen).count() == 1


def test_who_may_not_any_more_gets_no_further_part(job, as_user, gwen, sam):
    client = as_user(gwen)
    address = link_for(client, job)
    assert status_of(client.get(address)) == 200
    gwen.memberships.update(roles=[TeamRole.RESEARCHER])
    assert client.get(address, headers={"Range": "bytes=10-"}).status_code == 403
    Suspension.objects.create(
        user=gwen, suspended_at=timezone.now(), suspended_by=sam, reason="left"
    )
    assert client.get(address, headers={"Range": "bytes=10-"}).status_code == 403


def test_the_words_of_a_link_are_kept_nowhere(job, as_user, gwen):
    token = link_for(as_user(gwen), job).rstrip("/").rpartition("/")[2]
    assert len(token) > 40
    assert token not in repr(list(ReleaseLink.objects.values())) + repr(
        list(Event.objects.values())
    )


def test_a_download_breaks_off_when_what_is_in_it_is_revoked(job, as_user, gwen, monkeypatch):
    monkeypatch.setattr(downloads, "ASKED_EVERY", 0.0)
    monkeypatch.setattr(downloads, "_PIECE", 1000)
    client = as_user(gwen)
    under_way = client.get(link_for(client, job)).streaming_content
    assert len(next(under_way)) == 1000
    Grant.objects.filter(person=gwen, level="majority").update(revoked_at=timezone.now())
    with pytest.raises(downloads.NoLongerGranted):
        next(under_way)
    assert Event.objects.filter(verb="export.refused", actor=gwen).exists()
