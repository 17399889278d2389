"""The image can be built and runs every part: as far as that can be seen without a container."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from config import environment
from config.processes import roles
from config.queues import QUEUES
from tests.services import LONGEST, ROOT

NEEDS_NETWORK_OR_ROOT = ("pip", "useradd", "install")
SETTINGS = {
    "SECRET_KEY": "unused",
    "ALLOWED_HOSTS": "unused",
    "DATABASE_URL": "postgresql://",
    "REDIS_URL": "redis://",
}


def instructions() -> list[tuple[str, str]]:
    """[("RUN", "pip install …")]: the Dockerfile without comments, a line each."""
    text = re.sub(r"^#.*\n", "", (ROOT / "Dockerfile").read_text(), flags=re.MULTILINE)
    lines = text.replace("\\\n", " ").splitlines()
    return [(word, rest.strip()) for word, rest in (line.split(" ", 1) for line in lines if line)]


def steps() -> list[str]:
    """What the build runs that needs neither a network nor root."""
    runs = [rest for word, rest in instructions() if word == "RUN"]
    found = [step.strip() for run in runs for step in run.split(" && ")]
    return [step for step in found if step.split()[0] not in NEEDS_NETWORK_OR_ROOT]


def let_through() -> list[str]:
    """The names in the root that `.dockerignore` lets through; it has only rules of these forms."""
    everything, *rules = (ROOT / ".dockerignore").read_text().split()
    assert everything == "*"
    assert all(rule.startswith(("!", "**/")) for rule in rules)
    return [rule[1:] for rule in rules if rule.startswith("!")]


@pytest.fixture(scope="module")
def context(tmp_path_factory) -> Path:
    """A directory with what the build is sent, and nothing that a developer's has besides."""
    made = tmp_path_factory.mktemp("context")
    for name in let_through():
        source = ROOT / name
        if source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "*.mo")
            shutil.copytree(source, made / name, ignore=ignored)
        else:
            shutil.copy(source, made / name)
    return made


@pytest.fixture(scope="module")
def run_in_context(context, tmp_path_factory):
    """run_in_context(step) runs it with the variables that the Dockerfile sets."""
    home = tmp_path_factory.mktemp("home")
    variables = dict(
        variable.split("=", 1)
        for word, rest in instructions()
        if word == "ENV"
        for variable in shlex.split(rest)
    )
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    env = variables | {"CONCORD_HOME": str(home), "PATH": path}

    def run(step: str, **more: str) -> None:
        ran = subprocess.run(
            ["sh", "-c", step],
            cwd=context,
            env=env | more,
            capture_output=True,
            text=True,
            check=False,
            timeout=LONGEST,
        )
        assert ran.returncode == 0, f"{step}\n{ran.stdout}{ran.stderr}"

    return run


def test_each_step_of_the_build_works_with_what_the_build_is_sent(run_in_context, context):
    assert any("collectstatic" in step for step in steps())
    for step in steps():
        run_in_context(step)

    assert list(context.glob("locale/*/LC_MESSAGES/django.mo"))
    run_in_context("python manage.py check", **SETTINGS)


def twice(node: yaml.Node) -> list[str]:
    """The keys that stand twice in a mapping of it: PyYAML takes the last, Compose nothing."""
    if isinstance(node, yaml.MappingNode):
        keys = Counter(key.value for key, _value in node.value)
        inner = [name for _key, value in node.value for name in twice(value)]
        return [name for name, n in keys.items() if n > 1] + inner
    if isinstance(node, yaml.SequenceNode):
        return [name for one in node.value for name in twice(one)]
    return []


def test_compose_finds_no_key_twice():
    assert twice(yaml.compose((ROOT / "docker-compose.yml").read_text())) == []


def test_it_is_what_the_compose_specification_takes():
    """By its JSON schema, which lies beside this (compose-spec.json, Apache License 2.0)."""
    schema = json.loads((Path(__file__).parent / "compose-spec.json").read_text())
    taken = Draft202012Validator(schema)
    told = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    assert [error.message for error in taken.iter_errors(told)] == []
    told["services"]["web"]["memory_limit"] = "1g"
    assert list(taken.iter_errors(told))


def test_a_server_is_not_started_without_a_password_that_it_needs():
    """Compose takes what is not set for empty, and only what is `:?` for a fault."""
    told = (ROOT / "docker-compose.yml").read_text()
    named, required = (set(re.findall(rf"\$\{{(\w+){sign}", told)) for sign in ("}", ":\\?"))
    assert named <= required
    assert required == {
        *("ALLOWED_HOSTS", "POSTGRES_PASSWORD", "POSTGRES_APP_PASSWORD", "REDIS_PASSWORD")
    }


def services() -> dict[str, dict]:
    return yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]


def test_a_server_runs_each_part_once_from_one_image(run_in_context):
    own = [service for service in services().values() if "build" in service]
    (default,) = [yaml.safe_load(rest) for word, rest in instructions() if word == "CMD"]
    program = ["python", "-m", "config.processes"]
    started = [service.get("command", default) for service in own]
    parts = Counter(name for command in started if command[:3] == program for name in command[3:])

    assert parts == dict.fromkeys((role.name for role in roles("")), 1)
    assert {f"worker-{queue.name}" for queue in QUEUES} <= services().keys()
    assert {service["image"] for service in own} == {"concord"}
    run_in_context(shlex.join([*program, "--help"]), **SETTINGS)


def test_a_server_keeps_its_data_in_volumes_that_it_declares():
    declared = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["volumes"]
    used = {
        volume.split(":")[0]
        for service in services().values()
        for volume in service.get("volumes", [])
    }
    from_here = {name for name in used if name.startswith("./")}

    assert used - from_here == declared.keys()
    assert all((ROOT / name).is_file() for name in from_here)


def test_a_container_can_change_nothing_but_its_data_and_has_an_end_to_its_memory():
    user = [rest for word, rest in instructions() if word == "USER"]
    assert user == ["concord"]
    for name, service in services().items():
        assert "mem_limit" in service, name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        if "build" in service or name == "proxy":
            assert service["read_only"] is True
            assert service["cap_drop"] == ["ALL"]


def test_each_folder_that_is_written_is_made_for_the_user_of_the_image():
    (made,) = [rest for word, rest in instructions() if word == "RUN" and "install --dir" in rest]
    volumes = services()["web"]["volumes"]
    assert volumes
    for volume in volumes:
        folder = volume.split(":")[1].removeprefix("/srv/home/")
        assert f'"$CONCORD_HOME/{folder}"' in made


def test_the_secret_key_may_come_from_a_file(tmp_path, monkeypatch):
    (tmp_path / "key").write_text("from a file\n")
    monkeypatch.delenv("SECRET_KEY", raising=False)
    monkeypatch.setenv("SECRET_KEY_FILE", str(tmp_path / "key"))
    assert environment.secret("SECRET_KEY") == "from a file"


def test_what_is_read_only_is_given_no_secret_that_compose_would_have_to_write():
    """Compose copies a secret that is no file into the container, and refuses one that is read-only."""
    secrets = yaml.safe_load((ROOT / "docker-compose.yml").read_text()).get("secrets", {})
    for name, service in services().items():
        given = [secrets[one] for one in service.get("secrets", [])]
        assert not service.get("read_only") or all("file" in one for one in given), name


def test_only_the_proxy_is_reached_from_outside_and_it_is_the_one_that_is_trusted():
    reached = {
        name: port
        for name, service in services().items()
        for port in service.get("ports", [])
        if not port.startswith("127.0.0.1:")
    }
    assert set(reached) == {"proxy"}
    web = services()["web"]["environment"]
    assert web["CONCORD_TRUSTED_PROXIES"] == "${CONCORD_TRUSTED_PROXIES:-1}"
    assert "reverse_proxy web:8000" in (ROOT / "config/Caddyfile").read_text()
