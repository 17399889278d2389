"""Items come into a study all or none, and never twice."""

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from accounts.models import Event
from annotation.actions import cancelling
from annotation.actions.imports.items import import_items
from annotation.actions.imports.refusals import CannotImport
from annotation.models import Adjudication, Dialogue, Gold, GoldOrigin, Item, Study

HEADER = "key,dialogue,reply,gold.safety\n"
GOOD = (
    HEADER
    + "a,[seeker]Hi,Hello,safe_response\nb,[seeker]Hi,Go away,toxic_language\nc,[seeker]Ho,Well,\n"
)
BAD = GOOD + "d,[seeker]Ha,nan,\na,[seeker]Hu,Again,\n"


def load(study, source, **options):
    return import_items(study_id=study.pk, source=source, by=None, at=timezone.now(), **options)


def run(*arguments):
    call_command("import_items", *arguments)


def what_is_stored():
    return [
        list(model.objects.order_by("pk").values()) for model in (Dialogue, Item, Gold, Event)
    ] + list(Study.objects.values_list("revision"))


def test_items_keep_the_order_of_the_file_behind_those_already_there(pond, put):
    report = load(pond, put("items.csv", GOOD))

    assert (report.new, report.new_dialogues, report.new_gold) == (3, 2, 2)
    items = pond.items.order_by("position")
    assert [item.key for item in items][-3:] == ["a", "b", "c"]
    assert [item.position for item in items] == list(range(1, 10))
    assert items.get(key="a").dialogue_id == items.get(key="b").dialogue_id
    gold = Gold.objects.get(item__key="b")
    assert (gold.label, gold.origin) == ("toxic_language", GoldOrigin.IMPORTED)


def test_a_row_that_repeats_an_earlier_one_is_the_same_item(pond, put, capsys):
    """As a table of ratings has it, whose rows hold the text that each rater read."""
    again = "a,[seeker]Hi,Hello,safe_response\n"
    source = put("items.csv", GOOD + again + again)
    report = load(pond, source, dry_run=True)
    assert (report.new, report.repeated, report.rows) == (3, 2, 5)
    run("pond", str(source.path))
    assert "rows that repeat an earlier one  2\n" in capsys.readouterr().out
    assert sorted(pond.items.filter(key__in="abc").values_list("key", flat=True)) == ["a", "b", "c"]


@pytest.mark.parametrize(
    "other",
    [
        "a,[seeker]Hi,Hello,toxic_language\n",
        "a,[seeker]Hi,Hello,\n",
        "a,[seeker]Hi,Hullo,safe_response\n",
        "a,[seeker]Ho,Hello,safe_response\n",
    ],
)
def test_a_row_that_says_something_else_of_an_item_is_a_bad_one(pond, put, other):
    report = load(pond, put("items.csv", GOOD + other))
    assert (report.repeated, report.problems.count) == (0, 1)


def test_an_import_leaves_one_event_of_counts(pond, put, ada):
    import_items(study_id=pond.pk, source=put("items.csv", GOOD), by=ada, at=timezone.now())
    event = Event.objects.get(verb="items.imported")
    assert (event.actor, event.subject) == (ada, f"study:{pond.pk}")
    assert event.facts == {"layout": "CSV", "new": 3, "unchanged": 0, "gold": 2, "skipped": 0}


def test_the_same_file_again_changes_nothing(pond, put):
    source = put("items.csv", GOOD)
    load(pond, source)
    before = what_is_stored()[:3]

    report = load(pond, source)

    assert (report.new, report.unchanged, report.new_gold) == (0, 3, 0)
    assert not report.changes_something
    assert what_is_stored()[:3] == before


def test_a_dry_run_finds_every_problem_and_writes_nothing(pond, put):
    before = what_is_stored()
    report = load(pond, put("items.csv", BAD), dry_run=True)

    assert [problem.words for problem in report.problems.in_order] == [
        (
            "line 5, “reply”: It is the word “nan”, which a program wrote where a text was "
            "missing. Put the real text in or drop the row."
        ),
        "line 6, “key”: The key “a” was used before, at line 2. Give the row another one.",
    ]
    assert [row.key for row in report.first] == ["a", "b", "c", "a"]
    assert what_is_stored() == before


def test_with_a_bad_row_nothing_is_imported(pond, put):
    before = what_is_stored()
    report = load(pond, put("items.csv", BAD))
    assert not report.is_written
    assert what_is_stored() == before


def test_bad_rows_can_be_left_out(pond, put):
    report = load(pond, put("items.csv", BAD), skip_bad=True)
    assert report.is_written
    assert (report.rows, report.new, report.problems.count) == (5, 3, 2)
    assert report.problems.by_reason == {"placeholder": 1, "duplicate": 1}


CHANGES = {
    "another reply": ("a,[seeker]Hi,Hello!,,,grief", "dialogue"),
    "another dialogue": ("a,[seeker]Hi!,Hello,,,grief", "dialogue"),
    "another generator": ("a,[seeker]Hi,Hello,gemini,,grief", "generator"),
    "another note": ("a,[seeker]Hi,Hello,,loss,grief", "content_note"),
    "another topic": ("a,[seeker]Hi,Hello,,,work", "attributes"),
    "no topic": ("a,[seeker]Hi,Hello,,,", "attributes"),
}


@pytest.mark.parametrize(("row", "field"), CHANGES.values(), ids=CHANGES)
def test_an_item_that_is_there_is_never_changed(pond, put, row, field):
    header = "key,dialogue,reply,generator,content_note,attribute.topic\n"
    load(pond, put("items.csv", header + "a,[seeker]Hi,Hello,,,grief\n"))
    assert Item.objects.get(key="a").attributes == {"topic": "grief"}
    report = load(pond, put("items.csv", header + row + "\n"))
    [problem] = report.problems.in_order
    assert problem.field == field
    assert problem.sentence == (
        "The study has an item “a” with another content, and items never change. Give the row "
        "another key, or drop it."
    )


def test_gold_that_comes_later_or_otherwise_takes_its_place(pond, put):
    load(pond, put("items.csv", GOOD))
    report = load(
        pond,
        put(
            "items.csv",
            GOOD.replace("Hello,safe_response", "Hello,nonsense").replace("Well,", "Well,7"),
        ),
    )
    assert (report.unchanged, report.new_gold, report.changed_gold) == (3, 1, 1)
    assert Gold.objects.get(item__key="a", superseded_at=None).label == "nonsense"
    assert Gold.objects.filter(item__key="a").count() == 2
    assert Gold.objects.get(item__key="c").label == "safe_response"


def test_what_a_round_found_ambiguous_stands_against_the_file_sent_again(
    pond_round, ada, dora, put
):
    source = put("items.csv", GOOD)
    load(pond_round.study, source)
    item = Item.objects.get(key="a")
    Adjudication.objects.create(
        round=pond_round,
        item=item,
        decided_by=dora,
        decided_at=timezone.now(),
        reason="Both can be defended.",
        ambiguous=["safety"],
    )
    Gold.objects.filter(item=item).update(superseded_at=timezone.now())
    report = load(pond_round.study, source)
    assert (report.kept_gold, report.new_gold) == (1, 0)
    assert not Gold.objects.filter(item=item, superseded_at=None).exists()
    cancelling.cancel(round_id=pond_round.pk, reason="Wrong panel.", by=ada, at=timezone.now())
    assert load(pond_round.study, source).new_gold == 1


def test_what_a_round_decided_stands_against_a_file(pond, put):
    load(pond, put("items.csv", HEADER + "a,[seeker]Hi,Hello,\n"))
    Gold.objects.create(
        item=Item.objects.get(key="a"),
        criterion_key="safety",
        label="nonsense",
        origin=GoldOrigin.UNANIMOUS,
        decided_at=timezone.now(),
    )
    report = load(pond, put("items.csv", HEADER + "a,[seeker]Hi,Hello,safe_response\n"))
    assert (report.kept_gold, report.new_gold) == (1, 0)
    assert Gold.objects.get(item__key="a").label == "nonsense"


def test_a_file_without_rows_is_refused(pond, put):
    with pytest.raises(CannotImport, match="The file has no rows to import"):
        load(pond, put("items.csv", HEADER))


def test_keys_belong_to_a_study(pond, put, mere):
    load(pond, put("items.csv", GOOD))
    report = load(mere, put("items.csv", "key,dialogue,reply\na,[seeker]Hi,Hello\n"))
    assert report.new == 1


def test_the_command_says_what_it_did(pond, put, capsys):
    run("pond", str(put("items.csv", GOOD).path))
    assert capsys.readouterr().out == (
        "items.csv (CSV): 3 rows\n"
        "  new items         3\n"
        "  in new dialogues  2\n"
        "  new gold          2\n"
        "Imported.\n"
    )


def test_the_command_names_the_bad_rows_and_fails(pond, put, capsys):
    with pytest.raises(CommandError) as refusal:
        run("pond", str(put("items.csv", BAD).path))
    assert str(refusal.value) == (
        "Nothing was imported; rows that are wrong: 2. Correct them, or give --skip-bad to "
        "import the others."
    )
    said = capsys.readouterr().err.splitlines()
    assert said[1] == (
        "items.csv, line 6, “key”: The key “a” was used before, at line 2. Give the row another one."
    )
    assert said[-1] == "Rows that cannot be imported: 1 × placeholder, 1 × duplicate."


@pytest.mark.parametrize("options", [[], ["--dry-run"]])
def test_the_command_lists_the_first_bad_rows_of_each_cause(pond, put, capsys, options):
    rows = "".join(f"{n},Hi,,\n" for n in range(60)) + "a,,Ho,\n"
    with pytest.raises(CommandError, match=": 61"):
        run("pond", str(put("items.csv", HEADER + rows).path), *options)
    said = capsys.readouterr().err.splitlines()
    assert said[19].startswith("items.csv, line 21, “reply”")
    assert said[20].startswith("items.csv, line 62, “dialogue”")
    assert said[21] == "… and 40 more like these."


REFUSALS = {
    "another study": (["sea", "x.csv"], "There is no study “sea”. The studies are: pond."),
    "another account": (
        ["pond", "{file}", "--by", "nobody@example.org"],
        "No account has the email address nobody@example.org.",
    ),
    "a file that is not there": (
        ["pond", "no.csv"],
        "no.csv: The file cannot be opened: No such file or directory.",
    ),
}


@pytest.mark.parametrize(("arguments", "words"), REFUSALS.values(), ids=REFUSALS)
def test_the_command_refuses_in_a_sentence(pond, put, arguments, words):
    file = put("items.csv", GOOD)
    with pytest.raises(CommandError) as refusal:
        run(*(argument.format(file=file.path) for argument in arguments))
    assert str(refusal.value) == words
