"""`.env.example` tells of every variable; addresses and folders come out of them as they should."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from redis import Redis

from config import environment
from tests.services import ROOT

READ = re.compile(r"""(?:environment\.\w+|os\.environ\.get|os\.environ)[(\[]\s*"([A-Z_]+)""")
OF_THE_SYSTEM = {
    "CELERY_SKIP_CHECKS",
    "DJANGO_ALLOW_ASYNC_UNSAFE",
    "DJANGO_SETTINGS_MODULE",
    "MAKELEVEL",
    "PATH",
    "PROMETHEUS_MULTIPROC_DIR",
    "PYTEST_XDIST_WORKER",
}


def test_every_variable_that_is_read_is_in_the_example():
    folders = ("accounts", "analytics", "annotation", "config", "judging", "tests")
    read = {
        name
        for folder in folders
        for source in (ROOT / folder).rglob("*.py")
        for name in READ.findall(source.read_text())
    }
    explained = re.findall(r"^#?([A-Z_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE)

    assert read - OF_THE_SYSTEM <= set(explained)


def test_no_folder_of_files_is_shared_between_tests_beside_each_other():
    """`pytest -n 2`: the last part of the home is the worker's name."""
    shared = settings.HOME.parent
    under = {
        name: value
        for name in dir(settings)
        if isinstance(value := getattr(settings, name), Path) and value.is_relative_to(shared)
    }
    assert {"HOME", "EXPORT_DIR", "STATIC_ROOT"} <= set(under)
    assert [n for n, value in under.items() if not value.is_relative_to(settings.HOME)] == []


@pytest.mark.parametrize(
    ("given", "ours", "of_celery"),
    [
        (
            "unix:///tmp/a/redis.sock",
            "unix:///tmp/a/redis.sock?db=3",
            "redis+socket:///tmp/a/redis.sock?virtual_host=3",
        ),
        (
            "unix:///tmp/a/redis.sock?db=1",
            "unix:///tmp/a/redis.sock?db=3",
            "redis+socket:///tmp/a/redis.sock?virtual_host=3",
        ),
        ("redis://:word@host:6379/0", "redis://:word@host:6379/3", "redis://:word@host:6379/3"),
    ],
)
def test_a_database_of_redis_is_named_as_each_library_writes_it(given, ours, of_celery):
    address = environment.redis_database(given, 3)
    assert (address, environment.broker(address)) == (ours, of_celery)


@pytest.mark.parametrize("address", ["unix:///tmp/a/redis.sock?db=3", "rediss://:word@host/3"])
def test_nobody_waits_for_ever_for_what_says_nothing(monkeypatch, address):
    monkeypatch.setenv("REDIS_URL", address)
    options = Redis.from_url(environment.redis("REDIS_URL")).connection_pool.connection_kwargs
    assert options.items() >= (environment.PATIENCE_WITH_REDIS | {"db": 3}).items()
    monkeypatch.setenv("DATABASE_URL", "postgresql://host/name?connect_timeout=60")
    options = environment.postgres("DATABASE_URL")["OPTIONS"]
    assert options == environment.PATIENCE_WITH_POSTGRES | {"connect_timeout": "60"}


@pytest.mark.parametrize(
    ("read", "right", "wrong"),
    [
        (
            environment.ways,
            ["mail:board@example.org", "syslog:loghost:514", "syslog:/dev/log"],
            ["board@example.org", "mail:", "email:board@example.org", "syslog:loghost", "syslog:"],
        ),
        (environment.seed, ["0a" * 32, "F" * 64], ["0a" * 31, "none", "g" * 64]),
        (lambda name: environment.number(name, 1), ["30"], ["30 s", "3.5", "0", "-1"]),
        (lambda name: environment.number(name, 0, least=0) == 0, ["0"], ["-1"]),
        (lambda name: environment.rate(name, "1/s"), ["20/s", "1200/min"], ["1200", "a few/min"]),
        (environment.https, ["https://hooks.example.org"], ["hooks.example.org", "http://a.org"]),
    ],
)
def test_a_value_that_would_fail_later_is_refused_at_the_start(monkeypatch, read, right, wrong):
    for value in right:
        monkeypatch.setenv("CONCORD_TRIED", value)
        assert read("CONCORD_TRIED")
    for value in wrong:
        monkeypatch.setenv("CONCORD_TRIED", value)
        with pytest.raises(ImproperlyConfigured, match="CONCORD_TRIED"):
            read("CONCORD_TRIED")
