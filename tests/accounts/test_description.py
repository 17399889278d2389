"""The description of the API is true: schemathesis draws what is sent, for every kind of account."""

import os
import re
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.core.wsgi import get_wsgi_application
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.stateful import run_state_machine_as_test
from rest_framework.throttling import UserRateThrottle
from schemathesis import GenerationMode, openapi
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.cast import bearer

pytestmark = pytest.mark.django_db(transaction=True)
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
# Of each operation, of data that fits and as many of data that does not; and chains of requests.
EXAMPLES = int(os.environ.get("CONCORD_EXAMPLES", "2"))
STEPS = 12
# Whoever is approved is told the same there, so one of them asks.
OF_A_STUDY_THAT_IS_NOT_THERE = ("nobody", "eli", "ada")
WORD = re.compile(r"[\w-]{1,40}", re.ASCII)
DRAWN: dict[str, Any] = {
    "deadline": None,
    "derandomize": True,
    "database": None,
    "suppress_health_check": list(HealthCheck),
}


@dataclass
class Asked:
    """What every kind of account was answered, and what breaks the description.

    `spare` is the account that is suspended and gets roles: who asks is not shut out by others.
    """

    kinds: Mapping[str, Mapping[str, str]]
    spare: int
    counts: dict[str, Counter[int]] = field(default_factory=dict)
    breaches: dict[str, str] = field(default_factory=dict)

    def ask(self, case: Any, kind: str) -> Any:
        answer = case.call(headers=self.kinds[kind])
        self.counts.setdefault(kind, Counter())[answer.status_code] += 1
        label = case.operation.label
        try:
            case.validate_response(answer, checks=CHECKS)
        except FailureGroup as found:
            self.breaches[label] = f"{label} as {kind}: {found.exceptions}"
        return answer

    def told(self) -> Counter[int]:
        """How many were answered how, all of which the description knows."""
        for kind, counted in self.counts.items():
            statuses = ", ".join(f"{n:,} × {status}" for status, n in sorted(counted.items()))
            sys.stdout.write(f"\n{kind}: {counted.total():,} calls, {statuses}")
        assert not self.breaches, "\n".join(self.breaches.values())
        every = sum(self.counts.values(), Counter())
        assert min(every) >= 200
        assert max(every) < 500, every
        return every


@pytest.fixture
def asked(rated, pond_round, ada, ben, dora, gwen, sam, eli, monkeypatch):
    monkeypatch.setattr(UserRateThrottle, "rate", "100000/s", raising=False)
    people = {"ada": ada, "ben": ben, "dora": dora, "gwen": gwen, "sam": sam, "eli": eli}
    kinds = {"nobody": {}} | {name: bearer(user) for name, user in people.items()}
    return Asked(kinds, spare=eli.pk)


@pytest.fixture
def schema(asked):
    app = get_wsgi_application()
    return openapi.from_wsgi("/api/v1/schema/", app=app, headers=asked.kinds["ada"])


def prepared(case: Any, asked: Asked) -> None:
    """An address that is none of the API is answered by the pages; a token is not drawn."""
    case.path_parameters = {
        name: value if WORD.fullmatch(str(value)) else "1"
        for name, value in (case.path_parameters or {}).items()
    }
    if "account_id" in case.path_parameters:
        case.path_parameters["account_id"] = asked.spare
    case.headers = {
        name: value
        for name, value in (case.headers or {}).items()
        if name.lower() != "authorization"
    }


def test_every_kind_of_account_gets_what_the_description_says(schema, asked, capsys):
    """A request is drawn once and sent by everybody: most of the time went into drawing."""
    for found in schema.get_all_operations():
        for mode in GenerationMode:
            ask_all(found.ok().as_strategy(generation_mode=mode), asked)
    with capsys.disabled():
        statuses = asked.told()
    assert {200, 400, 401, 403, 404} <= statuses.keys()


def ask_all(cases: Any, asked: Asked) -> None:
    @settings(max_examples=EXAMPLES, **DRAWN)
    @given(case=cases)
    def ask(case: Any) -> None:
        prepared(case, asked)
        if case.path_parameters.get("key", "pond") != "pond":
            for kind in OF_A_STUDY_THAT_IS_NOT_THERE:
                asked.ask(case, kind)
            case.path_parameters["key"] = "pond"
        for kind in asked.kinds:
            asked.ask(case, kind)

    ask()


def test_what_one_answer_names_can_be_asked_about_next(schema, asked, capsys):
    """Chains of requests: what is made or listed is looked at, moved and ended by its id."""

    class Walk(schema.as_state_machine()):
        kind: str

        def before_call(self, case: Any) -> None:
            prepared(case, asked)
            if "key" in case.path_parameters:
                case.path_parameters["key"] = "pond"

        def call(self, case: Any, **_more: Any) -> Any:
            return asked.ask(case, self.kind)

        def validate_response(self, *_answers: Any, **_more: Any) -> None:
            """It was looked at when it came."""

    chains = settings(
        max_examples=EXAMPLES, stateful_step_count=STEPS, phases=[Phase.generate], **DRAWN
    )
    for Walk.kind in asked.kinds:
        run_state_machine_as_test(Walk, settings=chains)
    with capsys.disabled():
        statuses = asked.told()
    assert {200, 403} <= statuses.keys()
