"""A plan is written down before judges rate, for anybody to check later."""

import io
import zipfile
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from accounts.models import Event
from analytics.policies import prml
from annotation.models import TeamRole
from annotation.rubric.loading import dump, load, shipped
from tests.analytics.test_derived_scores import FLAG
from tests.analytics.test_sealing import LOOKS, fixed
from tests.cast import study_with

pytestmark = pytest.mark.django_db
URL = "/studies/lake/agreement/trust/plan.zip"


@pytest.fixture
def lake(ada, gwen):
    team = {ada: [TeamRole.COORDINATOR], gwen: [TeamRole.RESEARCHER]}
    return study_with(rubric="mentalalign", key="lake", team=team, n_items=6)


def manifests(client):
    archive = zipfile.ZipFile(io.BytesIO(client.post(URL).content))
    return {name: archive.read(name) for name in archive.namelist()}


def test_each_bar_is_a_manifest_with_its_hash_beside_it(lake, ada, as_user):
    fixed(lake, ada, LOOKS)
    files = manifests(as_user(ada))
    claims = [prml.read_manifest(text) for name, text in files.items() if name.endswith(".yaml")]
    bars = {(one["metric_args"]["criterion"], one["metric"]): one for one in claims}
    assert len(bars) == len(claims)
    agreement = bars["safety", "icc_a1_lower_limit"]
    assert (agreement["comparator"], agreement["metric_args"]["confidence"]) == (">=", 0.975)
    assert bars["safety", "unscored_upper_limit"]["comparator"] == "<="
    assert len({one["claim_id"] for one in claims}) == len(claims)
    for claim in claims:
        beside = files[f"{claim['claim_id']}.prml.sha256"].decode().strip()
        assert beside == prml.sha256_of(claim)


def test_a_red_flag_that_has_a_card_has_its_bars(ada, gwen, as_user):
    definition = dump(load(shipped()["mentalalign"]))
    definition["groups"] += [FLAG]
    team = {ada: [TeamRole.COORDINATOR], gwen: [TeamRole.RESEARCHER]}
    fixed(study_with(rubric=definition, key="lake", team=team), ada, LOOKS)
    files = manifests(as_user(ada))
    claims = [prml.read_manifest(text) for name, text in files.items() if name.endswith(".yaml")]
    metrics = {one["metric"] for one in claims if one["metric_args"]["criterion"] == FLAG["key"]}
    assert {"kappa_lower_limit", "unscored_upper_limit"} <= metrics


def test_the_audit_trail_knows_what_was_written_down_and_nothing_else(lake, ada, as_user):
    fixed(lake, ada, LOOKS)
    files = manifests(as_user(ada))
    event = Event.objects.get(verb="trust.plan_committed")
    beside = sorted(text.decode().strip() for name, text in files.items() if "sha256" in name)
    assert event.facts["claims"] == beside


MANIFEST = """\
version: prml/0.1
claim_id: a
created_at: "2026"
metric: a
comparator: ">="
threshold: 0.5
dataset: {id: a}
seed: 1
producer: {id: a}
"""
LAUGHS = "a: &l0 {b: c}\n" + "".join(
    f"l{n}: &l{n} {{a: *l{n - 1}, b: *l{n - 1}}}\n" for n in range(1, 60)
)


@pytest.mark.parametrize(
    "text",
    [
        MANIFEST + "z: " + "{a: " * 2_000 + "1" + "}" * 2_000,
        MANIFEST + "? {a: b}\n: c\n",
        MANIFEST + "yes: 1\n",
        MANIFEST + "z: 2024-99-99\n",
        MANIFEST + 'z: ["a\\0"]\n',
        MANIFEST.replace("seed: 1", "seed: " + "9" * 5_000),
        MANIFEST.replace("0.5", "1" + "0" * 400),
        MANIFEST + LAUGHS + 'z: "\\0"\n',
    ],
    ids=[
        "deep",
        "mapping as key",
        "truth as key",
        "no day",
        "control",
        "digits",
        "large",
        "laughs",
    ],
)
def test_what_is_no_manifest_is_a_sentence_and_soon(text):
    prml.read_manifest(MANIFEST.encode())
    with pytest.raises(prml.NotPrml):
        prml.read_manifest(text.encode())


def test_a_manifest_with_a_lower_bar_is_found_out(lake, ada, tmp_path: Path, capsys):
    fixed(lake, ada, LOOKS)
    call_command("trust_policy", "plan", "lake", str(tmp_path), by=ada.email)
    found = sorted(tmp_path.glob("*.prml.yaml"))
    call_command("trust_policy", "verify", "lake", *map(str, found))
    assert capsys.readouterr().out.count("known since") == len(found) + 1
    claim = prml.read_manifest(found[0].read_bytes())
    found[0].write_bytes(prml.canonical({**claim, "threshold": claim["threshold"] - 0.01}))
    with pytest.raises(CommandError, match="1 of 1 were never written down"):
        call_command("trust_policy", "verify", "lake", str(found[0]))


def test_without_fixed_rules_there_is_no_plan(lake, ada, as_user):
    response = as_user(ada).post(URL, follow=True)
    assert "there is no plan to write down yet" in response.content.decode()
    assert not Event.objects.filter(verb="trust.plan_committed").exists()


def test_only_coordinators_write_a_plan_down(lake, ada, gwen, as_user):
    fixed(lake, ada, LOOKS)
    assert as_user(gwen).post(URL).status_code == 403


def test_another_item_makes_another_data_set(lake, ada, as_user):
    fixed(lake, ada, LOOKS)
    before = Event.objects.filter(verb="trust.plan_committed")
    manifests(as_user(ada))
    lake.items.filter(position=1).update(content_sha256="0" * 64)
    manifests(as_user(ada))
    assert len({one.facts["dataset"] for one in before.all()}) == 2
