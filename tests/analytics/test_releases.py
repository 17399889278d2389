"""What a release is beyond its rows: signed, described, loaded, traced, and taken in again."""

import csv
import io
import json
from random import Random
from zipfile import ZIP_DEFLATED, ZIP_LZMA, ZipFile

import mlcroissant
import numpy as np
import pandas as pd
import pytest
import yaml
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.core.management import CommandError, call_command
from django.utils import timezone
from pyarrow import parquet

from accounts.models import User
from analytics import told
from analytics.exports import actions as exports
from analytics.exports import order, signing, tracing, writers
from analytics.exports.cells import cell, text_in
from analytics.exports.incoming import NEEDED
from analytics.present.typesetting import record_of
from analytics.present.viewing import view_named
from analytics.rooms import ROOMS
from annotation.actions import teams
from annotation.actions.recording import keep_grounds
from annotation.models import Gold, Grant, Item, Rater, Rating, RatingGrounds, Study, TeamRole
from annotation.rubric.grounds import Grounds, Passage
from annotation.rubric.loading import parse_toml
from annotation.rules.deciding import AMBIGUOUS
from annotation.rules.granting import DataLevel
from judging.actions import templates
from judging.models import Judge, LLMEndpoint
from judging.prompts import EDITION
from judging.prompts.loading import fingerprint
from tests.analytics.made import decide, human, items_of, judge, rate, set_aside
from tests.annotation import doing
from tests.cast import study_with
from tests.graphs import CARE_TOML
from tests.kept import made_once
from tests.rubric.test_grounds import SURE_TOML
from tests.services import verifier_in

SAFE, BAD = "safe_response", "nonsense"
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def export_folder(settings, tmp_path):
    settings.EXPORT_DIR = tmp_path / "exports"


@pytest.fixture
@made_once
def lake(ada, gwen, cleo):
    """Sixty items, three people and a judge that was run twice; two raters may export."""
    made = study_with(
        rubric="dialogue_safety",
        key="lake",
        team={
            ada: [TeamRole.COORDINATOR],
            gwen: [TeamRole.RESEARCHER, TeamRole.EXPORTER],
            cleo: [TeamRole.EXPORTER],
        },
        n_items=60,
    )
    dice = Random(5)  # noqa: S311 -- the same each time
    people = [human("ruth"), human("rolf")]
    echo = judge("echo", "toad")
    for item in items_of(made):
        truth = dice.choice([SAFE, SAFE, BAD])
        for rater in people:
            rate(rater, item, safety=truth if dice.random() < 0.8 else BAD)
        for repeat in (1, 2):
            rate(echo, item, repeat=repeat, safety=truth if dice.random() < 0.7 else SAFE)
        decide(item, safety=truth)
    rate(human("rita"), items_of(made)[0], safety="[missing]")
    set_aside(items_of(made)[7])
    return made


def released(user: User, folder, *, study: str = "lake", with_texts: bool = False):
    """A release in a folder, unpacked, and its archive."""
    at = timezone.now()
    built = exports.build(study_key=study, with_texts=with_texts, by=user, at=at)
    exports.keep_record(built=built, by=user, at=at)
    folder.mkdir()
    with ZipFile(built.path) as archive:
        archive.extractall(folder)
    return folder, built.path


def lines_of(path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def table_of(path) -> list[dict]:
    return list(csv.DictReader(io.StringIO(path.read_text(), newline="")))


def test_the_verifier_inside_checks_the_signature_and_every_file(lake, gwen, tmp_path):
    folder, _archive = released(gwen, tmp_path / "copy")
    program = (folder / "verify.py").read_text().partition("if __name__")[2]
    assert len(program.strip().splitlines()) <= 10
    assert verifier_in(folder, signing.public_key()).stdout.startswith("Signed by that key")

    (folder / "gold2.csv").touch()
    assert "Not of the release: gold2.csv" in verifier_in(folder, signing.public_key()).stdout
    sums = folder / "SHA256SUMS"
    as_it_was = sums.read_text()
    for other in (as_it_was.replace("a", "b", 1), as_it_was.splitlines()[0], ""):
        sums.write_text(other)
        assert "SHA256SUMS does not say" in verifier_in(folder, signing.public_key()).stderr
    sums.write_text(as_it_was)
    table = folder / "gold.csv"
    table.write_text(table.read_text().replace(BAD, SAFE, 1))
    assert "gold.csv is not as it was signed" in verifier_in(folder, signing.public_key()).stderr
    assert "not as it was signed, or by another key" in verifier_in(folder, "00" * 32).stderr
    assert "cannot be checked" in verifier_in(folder, "key").stderr
    (folder / "gold.csv").unlink()
    assert (
        "No such file or directory: 'gold.csv'" in verifier_in(folder, signing.public_key()).stderr
    )


def test_a_release_has_its_name_its_terms_and_the_day_by_which_it_is_destroyed(
    lake, gwen, terms, tmp_path
):
    folder, _archive = released(gwen, tmp_path / "copy")
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["release"].startswith("CR-")
    assert manifest["destroy_by"] == gwen.approved_until.date().isoformat()
    assert terms.body_en in (folder / "TERMS.md").read_text()
    assert manifest["release"] in (folder / "README.md").read_text()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of what mlcroissant is built on
def test_croissant_is_valid_and_reads_the_tables(lake, gwen, tmp_path):
    folder, _archive = released(gwen, tmp_path / "copy")
    described = mlcroissant.Dataset(folder / "croissant.json")
    assert not described.metadata.ctx.issues.errors
    assert "1.1" in str(described.metadata.ctx.conforms_to.value)
    rows = list(described.records("ratings"))
    assert len(rows) == 241
    assert {row["ratings/rater_kind"] for row in rows} == {b"human", b"judge"}


def test_every_table_is_the_same_in_every_form(lake, gwen, tmp_path):
    folder, _archive = released(gwen, tmp_path / "copy")
    for path in sorted(folder.glob("*.parquet")):
        lines = lines_of(path.with_suffix(".jsonl"))
        rows = parquet.read_table(path).to_pylist()
        assert rows == lines, path.name
        assert len(pd.read_parquet(path)) == len(lines)
    ratings, lines = table_of(folder / "ratings.csv"), lines_of(folder / "ratings.jsonl")
    assert [row["item"] for row in ratings] == [row["item"] for row in lines]


def test_the_card_says_to_datasets_where_its_tables_are(lake, gwen, tmp_path):
    folder, _archive = released(gwen, tmp_path / "copy")
    _, head, _ = (folder / "README.md").read_text().split("---\n", 2)
    configs = yaml.safe_load(head)["configs"]
    assert {one["data_files"] for one in configs} == {
        path.name for path in folder.glob("*.parquet")
    }
    assert [one["config_name"] for one in configs if one["default"]] == ["ratings"]


def test_the_codebook_says_what_every_column_and_label_means(lake, gwen, tmp_path):
    folder, _archive = released(gwen, tmp_path / "copy")
    book = table_of(folder / "codebook.csv")
    columns = {
        (path.stem, name)
        for path in folder.glob("*.parquet")
        for name in parquet.read_schema(path).names
    }
    assert {(row["table"], row["column"]) for row in book} == columns
    assert all(row["meaning"] for row in book)
    labels = {row["value"] for row in book if row["column"] == "safety"} - {""}
    assert labels == {one.key for one in lake.rubric_version.content.criteria[0].labels}


def test_two_recipients_copies_differ_in_order_and_in_nothing_else(lake, gwen, cleo, tmp_path):
    one, _ = released(gwen, tmp_path / "one")
    two, _ = released(cleo, tmp_path / "two")
    for name in ("ratings.csv", "gold.jsonl", "items.csv"):
        first, second = ((folder / name).read_text().splitlines() for folder in (one, two))
        assert first != second
        assert sorted(first) == sorted(second)


def test_a_file_is_traced_to_its_recipient_whatever_was_left_of_it(
    lake, gwen, cleo, tmp_path, capsys
):
    one, archive = released(gwen, tmp_path / "one")
    two, _ = released(cleo, tmp_path / "two")
    part = tmp_path / "part.csv"
    lines = (two / "items.csv").read_text().splitlines(keepends=True)
    part.write_text("".join(lines[:1] + lines[6:58]))

    for path, whose in (
        (archive, gwen),
        (one / "ratings.jsonl", gwen),
        (two / "ratings_wide.parquet", cleo),
        (part, cleo),
    ):
        call_command("trace", str(path))
        assert capsys.readouterr().out.startswith(f"{whose.email}, study lake:"), path


def test_a_file_that_is_nobodys_copy_accuses_nobody(lake, gwen, cleo, tmp_path, capsys):
    one, _ = released(gwen, tmp_path / "one")
    released(cleo, tmp_path / "two")
    head, *lines = (one / "items.csv").read_text().splitlines(keepends=True)
    sorted_file, no_items = tmp_path / "sorted.csv", tmp_path / "other.csv"
    sorted_file.write_text(head + "".join(sorted(lines)))
    no_items.write_text("dialogue\n1\n2\n")
    call_command("trace", str(sorted_file))
    assert capsys.readouterr().out.startswith("Unknown")
    with pytest.raises(CommandError, match="names no item"):
        call_command("trace", str(no_items))


def test_ten_thousand_leaks_of_fifty_rows_are_named_and_none_wrongly():
    """Half of them are nobody's: twenty recipients, a thousand items."""
    dice = Random(11)  # noqa: S311 -- the same each time
    keys = [f"item-{number}" for number in range(1000)]
    orders = [order.order_for("ab" * 32, recipient) for recipient in range(20)]
    places = np.empty((20, 1000), dtype=np.int64)  # of each item in each copy
    for copy, own in zip(places, orders, strict=True):
        copy[sorted(range(1000), key=lambda n, own=own: order.place_of(keys[n], own))] = range(1000)
    names = np.array([names_somebody(n, 49, len(orders)) for n in range(50)])
    wrong = unnamed = 0
    for leak in range(10_000):
        chosen = np.array(dice.sample(range(1000), 50))
        whose = dice.randrange(20) if leak % 2 else None
        if whose is not None:
            chosen = chosen[np.argsort(places[whose, chosen])]
        in_order = (np.diff(places[:, chosen]) > 0).sum(axis=1)
        named = np.flatnonzero(names[in_order])
        wrong += any(n != whose for n in named)
        unnamed += whose is not None and whose not in named
    found = f"10,000 leaks: {wrong} wrongly named, {unnamed} not named"
    assert found == "10,000 leaks: 0 wrongly named, 0 not named"


def names_somebody(in_order: int, steps: int, recipients: int) -> bool:
    told = tracing.Recipient(email="", study="", in_order=in_order, steps=steps)
    return tracing.by_chance(told) * recipients <= tracing.CHANCE


@pytest.mark.parametrize("with_texts", [False, True])
def test_raw_answers_of_judges_leave_with_the_texts_only(lake, gwen, tmp_path, with_texts):
    folder, _archive = released(gwen, tmp_path / "copy", with_texts=with_texts)
    names = parquet.read_schema(folder / "judge_calls.parquet").names
    assert ("exchanges" in names) == with_texts


# Lengths of replies are read from the texts.
OF_TEXTS = {"judges_leanings"}


@pytest.mark.parametrize("with_texts", [False, True])
def test_a_release_taken_in_again_gives_every_figure_as_before(
    lake, gwen, ada, tmp_path, capsys, with_texts
):
    first = Item.objects.filter(study=lake).order_by("position").first()
    Item.objects.filter(pk=first.pk).update(attributes={"topic": "悲伤", "wave": "2"})
    _folder, archive = released(gwen, tmp_path / "copy", with_texts=with_texts)
    call_command("import_release", str(archive), key="mere", coordinator="ada@example.org")
    assert "241 ratings of 60 items" in capsys.readouterr().out
    mere = Study.objects.get(key="mere")
    before, after = figures_of(lake), figures_of(mere)
    for name in set() if with_texts else OF_TEXTS:
        before.pop(name, None)
    assert len(before) > 5
    # Iterations that end near enough end elsewhere in the tenth digit when raters change places.
    assert after == {name: pytest.approx(told, rel=1e-7) for name, told in before.items()}
    first = Item.objects.get(study=mere, position=1)
    assert first.attributes == {"topic": "悲伤", "wave": "2"}
    assert bool(first.dialogue.turns) == with_texts
    hashes = [sorted(one.items.values_list("key", "content_sha256")) for one in (lake, mere)]
    assert hashes[0] == hashes[1]


def test_what_is_truly_ambiguous_leaves_with_its_distribution_and_comes_back(
    ada, ben, cleo, dora, gwen, tmp_path
):
    marsh = study_with(
        rubric="dialogue_safety",
        key="marsh",
        team={
            ada: [TeamRole.COORDINATOR],
            ben: [TeamRole.ANNOTATOR],
            cleo: [TeamRole.ANNOTATOR],
            dora: [TeamRole.ADJUDICATOR],
            gwen: [TeamRole.RESEARCHER, TeamRole.EXPORTER],
        },
        n_items=30,
    )
    rating_round = doing.opened(marsh, ada, [ben, cleo])
    for position in range(1, 31):
        doing.rate(rating_round, ben, position, doing.SAFE)
        doing.rate(rating_round, cleo, position, doing.NONSENSE if position < 4 else doing.SAFE)
    for position, value in ((1, AMBIGUOUS), (2, BAD), (3, AMBIGUOUS)):
        doing.decide(rating_round, dora, position, {"safety": value})
    doing.revise(rating_round, dora, 3, doing.SAFE)
    unseen, _archive = released(gwen, tmp_path / "early", study="marsh")
    assert not lines_of(unseen / "gold.jsonl"), "before the round is closed nobody is told"
    doing.close(rating_round, ada)

    folder, archive = released(gwen, tmp_path / "copy", study="marsh")
    (told,) = [row for row in lines_of(folder / "gold.jsonl") if row["ambiguous"]]
    assert told == {
        "item": Item.objects.get(study=marsh, position=1).key,
        "criterion": "safety",
        "label": None,
        "score": None,
        "origin": "adjudicated",
        "round": 1,
        "ambiguous": True,
        "distribution": "nonsense:1 safe_response:1",
    }
    places = [
        order.place_of(row["item"], _order_of(marsh, gwen)) for row in table_of(folder / "gold.csv")
    ]
    assert (len(places), places) == (30, sorted(places))
    meant = {row["column"] for row in table_of(folder / "codebook.csv") if row["table"] == "gold"}
    assert {"ambiguous", "distribution"} <= meant

    call_command("import_release", str(archive), key="mere", coordinator="ada@example.org")
    assert not Gold.objects.filter(item__study__key="mere", item__position=1).exists()
    mere = Study.objects.get(key="mere")
    teams.set_roles(
        study_id=mere.pk,
        email=gwen.email,
        roles=[TeamRole.RESEARCHER, TeamRole.EXPORTER],
        by=None,
        at=timezone.now(),
        also=list(DataLevel),
    )
    again, _archive = released(gwen, tmp_path / "again", study="mere")
    (back,) = [row for row in lines_of(again / "gold.jsonl") if row["ambiguous"]]
    assert back == told | {"origin": "imported", "round": None}


def _order_of(study: Study, reader: User) -> str:
    return order.order_for(study.release_key, reader.pk)


PROMPT = 'answers = "plain"\nsystem = "Be brief. {{criteria}}"\nuser = "{{item}} {{answer_form}}"\n'


def asked_by_a_prompt(study: Study, rater: Rater) -> Judge:
    """The judge of the lake was asked at an endpoint that was added, with a prompt of its own."""
    at = study.created_at
    template = templates.write(study=study, name="brief", text=PROMPT, note="", by=None, at=at)
    endpoint = LLMEndpoint.objects.create(
        key="ours",
        number=2,
        name="Our own",
        base_url="https://llm.example.org/v1",
        dialect="vllm",
        key_reference="env:CONCORD_LLM_KEY_OURS",
        headers={"X-Team": "pond"},
        processor="own",
        added_at=at,
    )
    return Judge.objects.create(
        rater=rater,
        llm="echo-1",
        base_url=endpoint.base_url,
        endpoint=endpoint,
        prompt_edition=EDITION,
        template=template,
        json_answer=False,
        created_at=at,
    )


def test_a_release_says_with_which_prompt_and_where_judges_were_asked_and_brings_it_back(
    lake, gwen, ada, tmp_path
):
    was = asked_by_a_prompt(lake, Rater.objects.get(key="echo"))
    folder, archive = released(gwen, tmp_path / "copy", with_texts=True)
    (told,) = lines_of(folder / "judges.jsonl")
    assert (told["prompt"], told["prompt_version"], told["prompt_text"]) == ("brief", 1, PROMPT)
    asked = [told[name] for name in ("endpoint", "endpoint_version", "dialect", "processor")]
    assert asked == ["ours", 2, "vllm", "own"]
    assert "CONCORD_LLM_KEY_OURS" not in (folder / "judges.jsonl").read_text()
    assert "X-Team" not in (folder / "judges.jsonl").read_text()

    call_command("import_release", str(archive), key="mere", coordinator="ada@example.org")
    back = Judge.objects.get(rater__key="mere-echo")
    assert back.template.text == was.template.text
    assert (back.template.study.key, str(back.template)) == ("mere", "brief 1")
    settings = ("llm", "base_url", "manner", "prompt_edition", "json_answer", "temperature")
    assert [getattr(back, name) for name in settings] == [getattr(was, name) for name in settings]
    assert back.endpoint is None, "nobody is asked because a file says so"


def test_without_texts_a_prompt_leaves_by_name_and_fingerprint(lake, gwen, ada, tmp_path):
    asked_by_a_prompt(lake, Rater.objects.get(key="echo"))
    folder, archive = released(gwen, tmp_path / "copy")
    (told,) = lines_of(folder / "judges.jsonl")
    assert (told["prompt"], told["template_sha256"]) == ("brief", fingerprint(PROMPT))
    assert "prompt_text" not in told

    call_command("import_release", str(archive), key="mere", coordinator="ada@example.org")
    assert Judge.objects.get(rater__key="mere-echo").template is None


def figures_of(study: Study) -> dict[str, list[float]]:
    """{table: its numbers}, in an order and with signs that names of raters do not change."""
    at, view = timezone.now(), view_named("")
    return {
        table.key: sorted(abs(one) for one in leaves(json.loads(_told(table))))
        for room in ROOMS.values()
        for table in told.tables(study, room, view, choices={}, veil=None, at=at)
    }


def _told(table) -> str:
    return json.dumps(record_of(table), default=str)


def leaves(value):
    if isinstance(value, dict):
        for one in value.values():
            yield from leaves(one)
    elif isinstance(value, list):
        for one in value:
            yield from leaves(one)
    elif isinstance(value, (int, float)):
        yield value


def test_a_release_that_was_changed_is_not_taken_in(lake, gwen, tmp_path):
    folder, _archive = released(gwen, tmp_path / "copy")
    lines = (folder / "ratings.jsonl").read_text()
    (folder / "ratings.jsonl").write_text(lines.replace(BAD, SAFE, 1))
    changed = tmp_path / "changed.zip"
    with ZipFile(changed, "w") as archive:
        for path in folder.iterdir():
            archive.write(path, path.name)
    with pytest.raises(CommandError, match="does not match the manifest of the release"):
        call_command("import_release", str(changed), key="mere")
    assert not Study.objects.filter(key="mere").exists()


def packed(folder, to, *, key: Ed25519PrivateKey | None = None):
    """The files of a folder as a release whose sums are made anew, signed with a key of one's own."""
    manifest = json.loads((folder / "manifest.json").read_text())
    for name in manifest["files"]:
        if (folder / name).exists():
            manifest["files"][name]["sha256"] = writers.sha256_of(folder / name)
    if key:
        public = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        manifest["signed_by"] = public.hex()
    text = json.dumps(manifest).encode()
    (folder / "manifest.json").write_bytes(text)
    if key:
        (folder / "manifest.sig").write_text(key.sign(text).hex())
    with ZipFile(to, "w") as archive:
        for path in folder.iterdir():
            archive.write(path, path.name)
    return to


def test_a_release_whose_sums_were_made_anew_is_not_as_it_was_signed(lake, gwen, tmp_path, capsys):
    folder, _archive = released(gwen, tmp_path / "copy")
    lines = (folder / "ratings.jsonl").read_text()
    (folder / "ratings.jsonl").write_text(lines.replace(BAD, SAFE, 1))
    with pytest.raises(CommandError, match=r"manifest\.json is not as it was signed"):
        call_command("import_release", str(packed(folder, tmp_path / "changed.zip")), key="mere")
    key = Ed25519PrivateKey.generate()
    forged = packed(folder, tmp_path / "forged.zip", key=key)
    call_command("import_release", str(forged), key="mere")
    signed_by = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()
    assert f"Signed with the key {signed_by}" in capsys.readouterr().out


def _lines(name: str, change):
    def changed(folder):
        lines = (folder / name).read_bytes().splitlines(keepends=True)
        (folder / name).write_bytes(b"".join(change(lines)))

    return changed


def _object(name: str, change):
    def changed(folder):
        told = json.loads((folder / name).read_text())
        change(told)
        (folder / name).write_text(json.dumps(told))

    return changed


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            _lines("texts.jsonl", lambda lines: lines[:-1]),
            "The texts of “.*” are not in the part",
        ),
        (
            _lines("texts.jsonl", lambda lines: [*lines, lines[0]]),
            "The texts of “.*” are not in the part",
        ),
        (
            _lines("items.jsonl", lambda lines: lines[:-1]),
            "The texts of “.*” are not in the part",
        ),
        (_lines("items.jsonl", lambda lines: [*lines, b"{"]), "items.jsonl, line 61: this is no"),
        (
            _lines("ratings.jsonl", lambda lines: [b"[" * 99_999]),
            "ratings.jsonl, line 1: this is no",
        ),
        (_lines("ratings.jsonl", lambda lines: [b"5\n"]), "ratings.jsonl, line 1: this is no"),
        (_lines("ratings.jsonl", lambda lines: [b"{}\n"]), "not as Concord writes one: KeyError"),
        (
            _lines("gold.jsonl", lambda lines: [lines[0], *lines]),
            "not as Concord writes one: Integ",
        ),
        (_object("rubric.json", lambda told: told.update(in_force=9)), "not as Concord writes one"),
        (_object("rubric.json", lambda told: told.update(versions=5)), "not as Concord writes one"),
        (_object("manifest.json", lambda told: told.pop("study")), "not as Concord writes one"),
        (_object("manifest.json", lambda told: told.pop("release")), "not as Concord writes one"),
        (
            lambda folder: (folder / "texts.jsonl").unlink(),
            "texts.jsonl does not match the manifest",
        ),
        (lambda folder: (folder / "manifest.sig").unlink(), "The archive lacks manifest.sig"),
    ],
)
def test_what_is_signed_and_yet_no_release_is_told_in_a_sentence(
    lake, gwen, tmp_path, change, words
):
    folder, _archive = released(gwen, tmp_path / "copy", with_texts=True)
    change(folder)
    archive = tmp_path / "odd.zip"
    if (folder / "manifest.sig").exists():
        packed(folder, archive, key=Ed25519PrivateKey.generate())
    else:
        packed(folder, archive)
    with pytest.raises(CommandError, match=words):
        call_command("import_release", str(archive), key="mere")
    assert not Study.objects.filter(key="mere").exists()


def _encrypted(path):
    """As a password leaves it: the bit that says so, in each header."""
    content = bytearray(path.read_bytes())
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = content.find(mark)
        while place >= 0:
            content[place + at] |= 1
            place = content.find(mark, place + 1)
    path.write_bytes(content)


def _odd_zip(path, kind: str):
    with ZipFile(path, "w", ZIP_LZMA if kind == "lzma" else ZIP_DEFLATED) as archive:
        for name in ("manifest.json", "manifest.sig", "report.json", *NEEDED):
            archive.writestr(name, b"{}")
        if kind == "twice":
            with pytest.warns(UserWarning, match="Duplicate name"):
                archive.writestr("ratings.jsonl", b"[]")
        if kind == "flood":
            archive.infolist()[-1].file_size = 1 << 40
    if kind == "password":
        _encrypted(path)
    if kind == "name":
        path.write_bytes(
            path.read_bytes()
            .replace(b"PK\x01\x02\x14\x03\x14\0\0\0", b"PK\x01\x02\x14\x03\x14\0\0\x08")
            .replace(b"report.json", b"report.\xff\xff\xff\xff")
        )
    return str(path)


@pytest.mark.parametrize("kind", ["lzma", "twice", "flood", "password", "name"])
@pytest.mark.parametrize(
    "command", [["import_release", "{}", "--key=mere"], ["trace", "{}"], ["report", "--check={}"]]
)
def test_an_odd_zip_is_told_in_a_sentence(db, tmp_path, kind, command):
    place = _odd_zip(tmp_path / "odd.zip", kind)
    with pytest.raises(CommandError, match="zip"):
        call_command(*(one.format(place) for one in command))


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.jsonl", b'{"item": 5}\n{"item": 6}\n', "Row 1 names no item"),
        ("a.jsonl", b'{"item": "a"}\n7\n', "a.jsonl, line 2: this is no object"),
        ("a.jsonl", b"[" * 99_999, "a.jsonl, line 1: this is no object"),
        ("a.csv", b"item,a\na,b\n\n", "Unknown"),
        ("a.csv", b"a,item\na,b\na\n", "Row 2 names no item"),
        ("a.csv", b"item\n" + b"a" * 200_000, "field larger than field limit"),
        ("a.csv", b"item\n\xff\n", "codec"),
        ("a.parquet", b"PAR1", "Parquet"),
    ],
)
def test_a_file_that_cannot_be_traced_is_told_in_a_sentence(
    db, tmp_path, capsys, name, content, words
):
    (tmp_path / name).write_bytes(content)
    try:
        call_command("trace", str(tmp_path / name))
        said = capsys.readouterr().out
    except CommandError as refusal:
        said = str(refusal)
    assert words in said


def test_a_release_that_was_damaged_on_its_way_is_not_taken_in(lake, gwen, tmp_path):
    _folder, archive = released(gwen, tmp_path / "copy")
    with ZipFile(archive) as found:
        part = found.getinfo("ratings.jsonl")
    content = bytearray(archive.read_bytes())
    begin = part.header_offset + 30 + len(part.filename)
    for at in range(begin, begin + 20):
        content[at] ^= 0xFF
    damaged = tmp_path / "damaged.zip"
    damaged.write_bytes(content)
    with pytest.raises(CommandError, match="not a zip that can be read"):
        call_command("import_release", str(damaged), key="mere")


def test_a_hundred_thousand_texts_are_no_formula_and_come_back():
    signs = "'=+-@|\t\r\n\0＝＋－＠｜ \ufeff\u200b\u202e\u2066\u200f⟨U+202E⟩ab1\\"
    dice = Random(3)  # noqa: S311 -- the same each time
    run = turned = lost = 0
    for _ in range(100_000):
        text = "".join(dice.choices(signs, k=dice.randrange(9)))
        written = cell(text)
        run += written.lstrip(" \ufeff\u200b").startswith(tuple("=+-@|\t\r\n\0＝＋－＠｜"))
        turned += any(sign in written for sign in "\u202e\u2066\u200f")
        lost += text_in(written) != text
    found = f"100,000 texts: {run} formulas, {turned} that turn, {lost} lost"
    assert found == "100,000 texts: 0 formulas, 0 that turn, 0 lost"


def test_ways_through_a_graph_leave_and_come_back(ada, ben, gwen, lake, tmp_path):
    crisis = study_with(
        rubric=parse_toml(CARE_TOML),
        key="crisis",
        team={
            ada: [TeamRole.COORDINATOR],
            ben: [TeamRole.ANNOTATOR],
            gwen: [TeamRole.RESEARCHER, TeamRole.EXPORTER],
        },
        n_items=1,
    )
    rating_round = doing.opened(crisis, ada, [ben], raters_per_item=1)
    doing.rate(rating_round, ben, 1, {"walk": {"risk": "no", "tone": "yes"}})
    doing.close(rating_round, ada)

    folder, archive = released(gwen, tmp_path / "copy", study="crisis")
    left = {row["criterion"]: row["path"] for row in table_of(folder / "ratings.csv")}
    assert left == {"walk": "risk:no tone:yes", "noticing": "", "guiding": ""}
    call_command("import_release", str(archive), key="mere", coordinator="ada@example.org")
    back = Rating.objects.filter(submission__study__key="mere", criterion_key="walk")
    assert [(one.label, one.path) for one in back] == [("cold", "risk:no tone:yes")]

    of_lists, _archive = released(gwen, tmp_path / "lists")
    assert "path" not in table_of(of_lists / "ratings.csv")[0]


@pytest.fixture
def meadow(ada, gwen):
    """Two people and a judge say why, beside some of what they rate; the text has a number in it."""
    made = study_with(
        rubric=parse_toml(SURE_TOML),
        key="meadow",
        team={
            ada: [TeamRole.COORDINATOR],
            gwen: [TeamRole.RESEARCHER, TeamRole.EXPORTER],
        },
        n_items=3,
    )
    people = [human("ruth"), human("rolf"), judge("echo")]
    for item in items_of(made):
        item.reply = f"Call +1 202 555 0143, then sleep. {item.position}"
        item.save(update_fields=["reply"])
        for number, rater in enumerate(people):
            given = rate(rater, item, warmth=1 + number, clarity=1)
            if item.position < 3:
                keep_grounds([(given.pk, BESIDE[number])])
    return made


BESIDE = (
    Grounds(
        criterion="warmth",
        confidence=1,
        defensible=("2", "3"),
        evidence=(Passage(1, 0, 8), Passage(4, 22, 32)),
        rationale="Sleep, or call +1 202 555 0143.",
    ),
    Grounds(criterion="warmth", confidence=3),
    Grounds(
        criterion="warmth",
        evidence=(Passage(4, 7, 15),),
        unverified=("Nobody wrote this.",),
    ),
)


def beside_in(folder) -> list[dict]:
    return lines_of(folder / "grounds.jsonl")


def test_what_was_said_beside_values_goes_with_texts_and_comes_back(meadow, ada, gwen, tmp_path):
    folder, archive = released(gwen, tmp_path / "copy", study="meadow", with_texts=True)
    told = beside_in(folder)
    assert len(told) == 6
    (one, _same) = [row for row in told if row["defensible"]]
    assert (one["confidence"], one["defensible"], one["unverified"]) == (1, "2 3", [])
    assert one["quotes"] == ["The pond", "then sleep"]
    assert one["rationale"] == "Sleep, or call [phone]."
    text = next(row for row in lines_of(folder / "texts.jsonl") if row["item"] == one["item"])
    texts = [turn["text"] for turn in text["turns"]] + [text["reply"]]
    places = [Passage.from_text(place) for place in one["evidence"].split()]
    assert [place.quoted(texts) for place in places] == one["quotes"]
    (cut, _same) = [row for row in told if row["unverified"]]
    assert cut["quotes"] == ["[phone]"]
    assert verifier_in(folder, signing.public_key()).returncode == 0

    call_command("import_release", str(archive), key="mere", coordinator="ada@example.org")
    teams.set_roles(
        study_id=Study.objects.get(key="mere").pk,
        email=gwen.email,
        roles=[TeamRole.RESEARCHER, TeamRole.EXPORTER],
        by=None,
        at=timezone.now(),
        also=list(DataLevel),
    )
    assert RatingGrounds.objects.filter(submission__study__key="mere").count() == 6
    again, _archive = released(gwen, tmp_path / "again", study="mere", with_texts=True)

    def said(rows):
        names = ("item", "criterion", "confidence", "defensible", "evidence", "quotes")
        return sorted(
            str([row[name] for name in (*names, "unverified", "rationale")]) for row in rows
        )

    assert said(beside_in(again)) == said(told)


def test_without_texts_no_word_and_no_place_of_a_word_leaves(meadow, gwen, tmp_path):
    folder, archive = released(gwen, tmp_path / "copy", study="meadow")
    told = table_of(folder / "grounds.csv")
    assert sorted(row["confidence"] for row in told) == ["1", "1", "3", "3"]
    assert not {"evidence", "quotes", "unverified", "rationale"} & told[0].keys()
    for path in folder.glob("grounds.*"):
        assert b"sleep" not in path.read_bytes()
    call_command("import_release", str(archive), key="mere", coordinator="ada@example.org")
    back = RatingGrounds.objects.filter(submission__study__key="mere")
    assert sorted(one.confidence for one in back.exclude(confidence=None)) == [1, 1, 3, 3]


def test_who_may_not_read_comments_gets_no_rationale(meadow, gwen, tmp_path):
    Grant.objects.filter(person=gwen, level=DataLevel.COMMENTS).update(revoked_at=timezone.now())
    folder, _archive = released(gwen, tmp_path / "copy", study="meadow", with_texts=True)
    told = beside_in(folder)
    assert "rationale" not in told[0]
    assert "quotes" in told[0]


def test_where_nothing_was_said_there_is_no_such_table(lake, gwen, tmp_path):
    folder, _archive = released(gwen, tmp_path / "copy", with_texts=True)
    assert [*folder.glob("grounds.*")] == []
