"""`manage.py gate`: a pipeline stops where a sealed verdict no longer holds."""

import hashlib
import json

import pytest
from django.core.management import CommandError, call_command

from analytics.models import SealedVerdicts
from analytics.trust import sealing
from analytics.trust.gating import reason_broken
from tests.analytics.test_sealing import AT, fixed, lake  # noqa: F401 -- a fixture

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("empty_cache")]

CASES = [
    ("trusted", "trusted", False, ""),
    ("trusted with calibration", "trusted", False, ""),
    ("trusted", "trusted with calibration", False, "it is now: trusted with calibration"),
    ("trusted", "do not use", False, "it is now: do not use"),
    ("trusted", "trusted", True, "it has expired"),
    ("trusted", None, False, "there is no verdict now"),
]


@pytest.mark.parametrize(("sealed", "now", "is_expired", "why"), CASES)
def test_a_verdict_holds_while_it_is_no_worse_and_the_same_judge_answers(
    sealed, now, is_expired, why
):
    told = reason_broken({"verdict": sealed}, {"verdict": now, "is_expired": is_expired})

    assert told.startswith(why)
    assert bool(told) is bool(why)


def test_before_anything_is_sealed_the_gate_is_shut(lake):  # noqa: F811 -- the fixture
    with pytest.raises(CommandError, match="has been sealed"):
        call_command("gate", "lake")


def test_a_judge_that_was_trusted_and_no_longer_is_stops_the_pipeline(
    lake,  # noqa: F811 -- as above
    ada,
    capsys,
):
    first = sealing.seal(study_access=fixed(lake, ada), by=ada, at=AT)
    content = json.loads(first.content)
    (card,) = content["cards"]
    assert card["verdict"] not in ("trusted", "trusted with calibration")
    card["verdict"] = "trusted"
    text = json.dumps(content)
    SealedVerdicts.objects.create(
        study=lake,
        look=2,
        policy=first.policy,
        revision=first.revision,
        data_sha256=first.data_sha256,
        content=text,
        sha256=hashlib.sha256(text.encode()).hexdigest(),
        concord=first.concord,
        sealed_at=AT,
        sealed_by=ada,
    )

    with pytest.raises(SystemExit) as ended:
        call_command("gate", "lake", "--judge", "echo", "--json")

    assert ended.value.code == 1
    (line,) = json.loads(capsys.readouterr().out)
    assert (line["judge"], line["criterion"], line["holds"]) == ("echo", "safety", False)


def test_a_judge_of_whom_nothing_was_sealed_does_not_pass(lake, ada):  # noqa: F811 -- as above
    sealing.seal(study_access=fixed(lake, ada), by=ada, at=AT)

    with pytest.raises(CommandError, match="lets one use owl"):
        call_command("gate", "lake", "--judge", "owl")
