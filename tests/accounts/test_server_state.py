"""What a server tells of itself, and to whom; and that its logs tell nothing of anybody."""

import io
import json
import logging
import logging.config
import sys
from uuid import uuid4

import pytest
from django.conf import settings as configured_settings
from django.db import connection
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from accounts import events
from accounts.models import Role
from annotation.queries.wording import Barred
from annotation.rubric.sentences import sentence
from config.logs import JsonLine
from config.requests import HEADER

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_server_is_ready_once_its_tables_are_todays(client, django_db_blocker):
    assert client.get("/readyz").content == b"ready\n"


def test_the_state_is_for_administrators_and_for_who_brings_the_token(
    client, as_user, ben, sam, settings
):
    assert client.get("/metrics").status_code == 401
    assert as_user(ben).get("/metrics").status_code == 401
    assert as_user(ben).get("/access/server/").status_code == 403
    ben.roles = [Role.ADMIN]
    ben.save()
    assert as_user(ben).get("/metrics").status_code == 200

    assert client.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 401
    settings.METRICS_TOKEN = "a-token-of-prometheus"
    for token, status in (("a-token-of-prometheus", 200), ("another", 401), ("", 401)):
        answer = client.get("/metrics", headers={"Authorization": f"Bearer {token}"})
        assert answer.status_code == status


def test_prometheus_reads_queues_disk_backup_and_ledger(client, settings):
    settings.METRICS_TOKEN = "t"
    at = timezone.now()
    events.record("server.backed_up", subject="server:", by=None, at=at)
    text = client.get("/metrics", headers={"Authorization": "Bearer t"}).content.decode()
    found = {one.name: one.samples for one in text_string_to_metric_families(text)}
    assert {sample.labels["queue"] for sample in found["concord_queue_waiting"]} == {
        *("live", "judges", "files")
    }
    assert found["concord_backup_time_seconds"][0].value == pytest.approx(at.timestamp())
    assert found["concord_disk_free_bytes"][0].value > 0
    assert {sample.value for sample in found["concord_up"]} == {1}


def test_prometheus_is_told_that_the_database_is_away(client, settings, monkeypatch):
    settings.METRICS_TOKEN = "t"
    connection.close()
    monkeypatch.setitem(connection.settings_dict, "PORT", "1")
    monkeypatch.setitem(connection.settings_dict, "HOST", "127.0.0.1")
    answer = client.get("/metrics", headers={"Authorization": "Bearer t"})
    text = answer.content.decode()
    assert answer.status_code == 200
    found = {one.name: one.samples for one in text_string_to_metric_families(text)}
    assert {one.labels["name"]: one.value for one in found["concord_up"]} == {
        "database": 0,
        "redis": 1,
    }
    assert "concord_ledger_sequence" not in found


def test_requests_are_counted_by_the_name_of_the_page_and_the_status(client, settings):
    settings.METRICS_TOKEN = "t"

    def counted() -> dict[tuple[str, str], float]:
        text = client.get("/metrics", headers={"Authorization": "Bearer t"}).content.decode()
        found = {one.name: one.samples for one in text_string_to_metric_families(text)}
        return {
            (one.labels["page"], one.labels["status"]): one.value
            for one in found["concord_requests"]
            if one.name == "concord_requests_total"
        }

    before = counted()
    client.get("/healthz")
    client.get("/no-such-page/")
    after = counted()
    grown = {key: after[key] - before.get(key, 0) for key in after}
    assert grown["healthz", "200"] == 1
    assert grown["none", "404"] + grown.get(("none", "302"), 0) == 1


def test_the_page_of_the_server_names_queues_in_which_nobody_works(as_user, ada):
    ada.roles = [Role.ADMIN]
    ada.save()
    page = as_user(ada).get("/access/server/").content.decode()
    assert "Nobody works on: live, judges, files" in page
    assert "None yet: the command “backup” makes one." in page


def test_an_answer_bears_the_name_of_its_request(client):
    assert client.get("/healthz", headers={HEADER: "from-the-proxy-1"}).headers[HEADER] == (
        "from-the-proxy-1"
    )
    made = client.get("/healthz", headers={HEADER: "<script>"}).headers[HEADER]
    assert len(made) == 32


@pytest.fixture
def logged():
    """logged() is what has been logged since, as the server would write it."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLine())
    root = logging.getLogger()
    level = root.level
    root.setLevel(logging.DEBUG)
    root.addHandler(handler)
    yield lambda: stream.getvalue()
    root.removeHandler(handler)
    root.setLevel(level)


def test_of_two_hundred_planted_strings_none_reaches_a_log(
    logged, client, as_user, ada, pond, settings
):
    settings.LOG_REQUESTS = True
    ada_s = as_user(ada)
    client.raise_request_exception = ada_s.raise_request_exception = False
    planted = [f"我想结束这一切 planted-{number} secret words" for number in range(200)]
    for number, text in enumerate(planted):
        _say(text, number, client, ada_s)
    lines = [json.loads(line) for line in logged().splitlines()]
    assert len(lines) > 150
    hits = sum("planted" in line or "结束" in line for line in logged().splitlines())
    assert f"200 planted strings, {hits} in the log" == "200 planted strings, 0 in the log"
    assert {"answered"} <= {line.get("message") for line in lines}
    assert all(line.get("request") for line in lines if line["logger"] == "config.requests")


def test_a_refusal_that_quotes_somebody_is_in_the_log_of_the_demo_without_the_quotation():
    logged = io.StringIO()
    handler = logging.StreamHandler(logged)
    handler.setFormatter(configured("line"))
    words = uuid4().hex
    record = logging.LogRecord("django.request", logging.WARNING, "", 0, "Forbidden", None, None)
    try:
        raise Barred(sentence("It may not leave as it is: “{reason}”.", reason=words))
    except Barred:
        record.exc_info = sys.exc_info()
    logging.Formatter().format(record)  # which keeps what the exception says with the record
    handler.handle(record)
    assert "WARNING django.request Forbidden" in logged.getvalue()
    assert "Barred" in logged.getvalue().splitlines()[-1]
    assert words not in logged.getvalue()


def configured(formatter: str) -> logging.Formatter:
    """One of the formatters of the settings, as logging makes it of them."""
    made = logging.config.DictConfigurator({"version": 1})
    return made.configure_formatter(configured_settings.LOGGING["formatters"][formatter])


def _say(text: str, number: int, client, ada_s) -> None:
    """One of the ways in which a text could come to a log."""
    if number % 10 == 0:
        client.get(f"/no-such-page/{text}/", {"q": text}, headers={"User-Agent": "planted"})
    elif number % 10 == 1:
        client.post("/accounts/login/", {"login": text, "password": text})
    elif number % 10 == 2:
        ada_s.post("/api/v1/assignments/1/submission/", text, content_type="application/json")
    elif number % 10 == 3:
        ada_s.get("/studies/pond/agreement/", {"criterion": text})
    elif number % 10 == 4:
        try:
            raise ValueError(text)
        except ValueError:
            logging.getLogger("analytics.tasks").exception("A figure failed for %s", text)
    elif number % 10 == 5:
        logging.getLogger("openai._base_client").debug("Request options: %s", {"text": text})
    elif number % 10 == 6:
        logging.getLogger("some.library").warning(text)
    elif number % 10 == 7:
        logging.getLogger("celery.app.trace").info(
            "Task %(name)s[%(id)s] succeeded: %(return_value)s",
            {"name": "analytics.tasks.verify", "id": "abc", "return_value": text},
        )
    elif number % 10 == 8:
        logging.getLogger("django.db.backends").debug("%s; args=%s", text, (text,))
    else:
        logging.getLogger("judging.actions").info("asked", extra={"page": text, "status": 200})
