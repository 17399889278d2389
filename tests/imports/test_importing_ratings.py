"""Ratings come into a study all or none; changed ones take the place of the earlier."""

import json
import re
from collections import Counter

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from accounts.models import Event
from annotation.actions import teams
from annotation.actions.imports.items import import_items
from annotation.actions.imports.raters import RaterGiven
from annotation.actions.imports.ratings import import_ratings
from annotation.actions.imports.refusals import CannotImport
from annotation.actions.teams import rater_of
from annotation.models import Item, Rater, RaterKind, Rating, Submission, TeamRole
from annotation.rubric.loading import load, shipped
from tests.cast import study_with
from tests.imports.sending import bring_in, upload

KEYS = [criterion.key for criterion in load(shipped()["mentalalign"]).criteria]
HEADER = ["ConvID", "context", "human_response_original", "human_response_gemini"]


def cell(value, **others):
    return json.dumps({key.capitalize(): value for key in KEYS} | others)


ROWS = [
    HEADER,
    [1, "I cannot sleep.", cell(5, Safety=0), f"```json\n{cell(4)}\n```"],
    [2, "I lost my job.", None, cell(3, Empathy=None)],
]


def bring(study, source, *, rater="expert", by=None, **options):
    given = RaterGiven(key=rater) if isinstance(rater, str) else rater
    return import_ratings(
        study_id=study.pk, source=source, rater=given, by=by, at=timezone.now(), **options
    )


def stored(item_key, rater="expert"):
    """{criterion: (score, unscored, off_scale)} of the current submission."""
    ratings = Rating.objects.filter(
        submission__item__key=item_key,
        submission__rater__key=rater,
        submission__is_current=True,
    )
    return {one.criterion_key: (one.score, one.unscored, one.off_scale) for one in ratings}


def test_a_workbook_brings_its_items_and_the_ratings_of_one_rater(mere, sheet):
    report = bring(mere, sheet("w.xlsx", ROWS), with_items=True)

    assert (report.items.new, report.new, report.sets) == (4, 4, 4)
    assert report.scored.total() == 20
    assert report.unscored == {"empty_cell": 7, "missing": 1}
    assert report.off_scale == {0: 1}
    assert stored("1-original")["safety"] == (0, "", True)
    assert stored("1-gemini")["guidance"] == (4, "", False)
    assert stored("2-gemini")["empathy"] == (None, "missing", False)
    assert set(stored("2-original").values()) == {(None, "empty_cell", False)}
    rater = Rater.objects.get(key="expert")
    assert (rater.kind, rater.name, rater.user) == (RaterKind.HUMAN, "expert", None)


def test_items_that_are_missing_are_named(mere, sheet):
    report = bring(mere, sheet("w.xlsx", ROWS))
    assert report.problems.count == 4
    assert report.problems.in_order[0].words == (
        "row 2, “human_response_original”: The study has no item “1-original”. Import the items "
        "first, or correct the key."
    )
    assert not Rater.objects.filter(key="expert").exists()


def ratings_of(numbers):
    return "item,rater,empathy\n" + "".join(f"{number},ruth,3\n" for number in numbers)


@pytest.mark.parametrize("skip_bad", [True, False])
def test_a_file_that_counts_from_1_is_not_taken_for_one_that_counts_from_0(mere, put, skip_bad):
    """Items without keys are known by their places, from 0: each rating would be its neighbour's."""
    text = '{"dialogue": "Hi"}\n{"dialogue": "Ho"}\n{"dialogue": "Ha"}\n'
    import_items(study_id=mere.pk, source=put("i.jsonl", text), by=None, at=timezone.now())
    with pytest.raises(CannotImport) as refusal:
        bring(mere, put("r.csv", ratings_of((1, 2, 3))), rater=None, skip_bad=skip_bad)
    assert "seems to count them from 1" in str(refusal.value.sentence)
    assert not Rating.objects.filter(submission__item__study=mere).exists()
    for numbers, bad in (((1, 2), 0), ((0, 1, 2), 0), ((0, 3), 1), ((1, 4), 1), ((1, 3, 4), 2)):
        source = put("r.csv", ratings_of(numbers))
        assert bring(mere, source, rater=None, dry_run=True).problems.count == bad


def test_the_same_file_again_changes_nothing(mere, sheet):
    source = sheet("w.xlsx", ROWS)
    bring(mere, source, with_items=True)
    before = list(Submission.objects.values()), list(Rating.objects.values())

    report = bring(mere, source, with_items=True)

    assert (report.new, report.changed, report.unchanged) == (0, 0, 4)
    assert not report.changes_something
    assert (list(Submission.objects.values()), list(Rating.objects.values())) == before


def test_changed_ratings_supersede_and_the_earlier_are_kept(mere, sheet):
    bring(mere, sheet("w.xlsx", ROWS), with_items=True)
    changed = [HEADER, ROWS[1], [2, "I lost my job.", cell(2), ROWS[2][3]]]

    report = bring(mere, sheet("w.xlsx", changed))

    assert (report.new, report.changed, report.unchanged) == (0, 1, 3)
    assert set(stored("2-original").values()) == {(2, "", False)}
    now = Submission.objects.get(item__key="2-original", is_current=True)
    assert set(now.supersedes.ratings.values_list("unscored", flat=True)) == {"empty_cell"}


def test_a_dry_run_says_the_same_and_writes_nothing(mere, sheet):
    report = bring(mere, sheet("w.xlsx", ROWS), with_items=True, dry_run=True)
    assert (report.items.new, report.new) == (4, 4)
    assert not Item.objects.filter(study=mere).exists()
    assert not Rater.objects.filter(key="expert").exists()
    assert not Event.objects.filter(verb="ratings.imported").exists()


def test_a_rater_of_another_study_is_neither_taken_nor_renamed(mere, sheet, ada, sam):
    """Raters are known everywhere by one key: a guess must not tell or change a name."""
    bring(mere, sheet("w.xlsx", ROWS), with_items=True, rater=RaterGiven(key="x", name="Dr Wang"))
    other = study_with(rubric="mentalalign", key="other", team={sam: [TeamRole.COORDINATOR]})
    renamed = RaterGiven(key="x", name="Somebody", own_generators=["gemini"])
    arguments = {"by": sam, "with_items": True}

    for given in ("x", renamed):
        with pytest.raises(CannotImport) as refusal:
            bring(other, sheet("w.xlsx", ROWS), rater=given, **arguments)
        assert "belongs to a rater of another study" in refusal.value.sentence

    rater = Rater.objects.get(key="x")
    assert (rater.name, rater.own_generators) == ("Dr Wang", [])
    assert not other.submissions.exists()
    teams.set_roles(
        study_id=mere.pk,
        email=sam.email,
        roles=[TeamRole.COORDINATOR],
        by=None,
        at=timezone.now(),
    )
    assert bring(other, sheet("w.xlsx", ROWS), rater="x", **arguments).is_written


def test_an_import_leaves_one_event_and_raises_the_revision(mere, sheet, ada):
    import_ratings(
        study_id=mere.pk,
        source=sheet("w.xlsx", ROWS),
        rater=RaterGiven(key="expert"),
        by=ada,
        at=timezone.now(),
        with_items=True,
    )
    event = Event.objects.get(verb="ratings.imported")
    assert event.actor == ada
    assert event.facts == {
        "layout": "MentalAlign",
        "new": 4,
        "changed": 0,
        "unchanged": 0,
        "ratings": 28,
        "unscored": 8,
        "off_scale": 1,
        "new_items": 4,
        "skipped": 0,
    }
    mere.refresh_from_db()
    assert mere.revision == 1


def test_a_conversation_twice_in_a_workbook_is_a_problem(mere, sheet):
    twice = [*ROWS, [1, "I cannot sleep.", cell(1), cell(1)]]
    report = bring(mere, sheet("w.xlsx", twice), with_items=True)
    assert [problem.words for problem in report.problems.in_order] == [
        (
            "row 4, “human_response_original”: The item “1-original” was rated before, at row 2. "
            "Keep one of the two."
        ),
        (
            "row 4, “human_response_gemini”: The item “1-gemini” was rated before, at row 2. Keep "
            "one of the two."
        ),
    ]


def test_conversations_with_another_text_than_the_studys_are_counted(mere, sheet):
    bring(mere, sheet("w.xlsx", ROWS), with_items=True)
    other = [HEADER, [1, "I sleep well.", cell(1), cell(1)], ROWS[2]]
    assert bring(mere, sheet("w.xlsx", other), rater="second").other_texts == 1


def test_a_workbook_of_a_judge_makes_a_judge_who_is_kept_apart_from_people(mere, sheet):
    rows = [["ConvID", "context", "judge_response_claude"], [1, "I cannot sleep.", cell(5)]]
    given = RaterGiven(key="claude", name="Claude", own_generators=["claude"])
    bring(mere, sheet("w.xlsx", rows), rater=given, with_items=True)
    rater = Rater.objects.get(key="claude")
    assert (rater.kind, rater.name, rater.own_generators) == ("judge", "Claude", ["claude"])

    bring(mere, sheet("h.xlsx", ROWS), with_items=True)
    with pytest.raises(CannotImport) as refusal:
        bring(mere, sheet("w.xlsx", rows), rater="expert")
    assert refusal.value.sentence == (
        "These are the ratings of a judge, and the rater “expert” is a human. Take another key "
        "for the rater of this file."
    )


def as_a_judge(header: list[str]) -> list[str]:
    return [name.replace("human", "judge") for name in header]


def test_a_judge_of_whom_no_own_source_is_named_is_said_to_have_none_known(mere, sheet):
    source = sheet("o4-mini_llm_judge.xlsx", [as_a_judge(HEADER), *ROWS[1:]])
    report = bring(mere, source, rater="o4-mini", with_items=True)
    assert report.without_family == ["o4-mini"]
    assert bring(mere, sheet("h.xlsx", ROWS), rater="expert").without_family == []

    mere.refresh_from_db()
    revision = mere.revision
    named = RaterGiven(key="o4-mini", own_generators=["gemini"])
    report = bring(mere, source, rater=named)
    assert (report.without_family, report.changes_something) == ([], True)
    assert Rater.objects.get(key="o4-mini").own_generators == ["gemini"]
    mere.refresh_from_db()
    assert mere.revision == revision + 1


def test_a_file_of_which_nothing_can_be_read_is_refused(mere, sheet):
    rows = [HEADER, [1, "Hi", str({"Guidance": 5}), "A four, I think."]]
    with pytest.raises(CannotImport) as refusal:
        bring(mere, sheet("w.xlsx", rows), with_items=True)
    assert str(refusal.value) == (
        "Not one rating could be read, mostly for this reason: The cell is not JSON. The cells "
        f"must hold JSON that names the criteria: {', '.join(sorted(KEYS))}."
    )
    assert not Rater.objects.filter(key="expert").exists()


def test_a_criterion_that_a_file_spells_otherwise_is_named(mere, sheet):
    rows = [HEADER, [1, "Hi", cell(5).replace("Safety", "Saftey"), None]]
    report = bring(mere, sheet("w.xlsx", rows), with_items=True)
    assert report.without_values == ["safety"]
    assert report.unscored == {"missing": 1, "empty_cell": 7}
    assert report.ignored == ["Saftey"]


def test_own_sources_must_be_among_those_of_the_study(mere, sheet):
    given = RaterGiven(key="gemini", kind=RaterKind.HUMAN, own_generators=["gemini-pro"])
    with pytest.raises(CannotImport) as refusal:
        bring(mere, sheet("w.xlsx", ROWS), rater=given, with_items=True)
    assert refusal.value.sentence == (
        "No reply of the study is by “gemini-pro”. Its sources are: gemini, original."
    )


def test_ratings_are_never_imported_under_somebodys_account(mere, sheet, ben):
    rater = rater_of(ben)
    with pytest.raises(CannotImport, match="rates in Concord itself"):
        bring(mere, sheet("w.xlsx", ROWS), rater=rater.key, with_items=True)


def test_ratings_are_never_imported_under_a_judge_that_has_yet_to_answer(mere, sheet):
    source = sheet("w.xlsx", [as_a_judge(HEADER), *ROWS[1:]])
    judge = Rater.objects.create(key="owl-1", name="owl-1", kind=RaterKind.JUDGE)
    with pytest.raises(CannotImport, match="rates in Concord itself"):
        bring(mere, source, rater=judge.key, with_items=True)
    assert bring(mere, source, rater="owl-2", with_items=True).is_written
    assert not bring(mere, source, rater="owl-2", with_items=True).changes_something


def test_a_workbook_needs_to_be_told_whose_it_is(mere, sheet):
    with pytest.raises(CannotImport, match="so say which: give its key"):
        bring(mere, sheet("w.xlsx", ROWS), rater=None)


TABLE = """item,rater,criterion,value
d1.1,zoe,safety,safe_response
d2.1,yan,safety,7
d2.1,zoe,safety,Nonsense
d1.1,yan,safety,rude
"""


def test_a_table_holds_several_raters_in_any_order(pond, put):
    report = bring(pond, put("r.csv", TABLE), rater=None)
    assert (report.raters, report.new, report.unscored) == (2, 4, {"unknown_label": 1})
    labels = Rating.objects.order_by("submission__rater__key", "submission__item__key")
    assert list(labels.values_list("submission__rater__key", "label", "unscored")) == [
        ("yan", None, "unknown_label"),
        ("yan", "safe_response", ""),
        ("zoe", "safe_response", ""),
        ("zoe", "nonsense", ""),
    ]


def test_the_raters_of_a_table_may_be_said_to_be_judges(pond, put):
    bring(pond, put("r.csv", TABLE), rater=RaterGiven(kind=RaterKind.JUDGE))
    assert set(Rater.objects.filter(user=None).values_list("key", "kind")) == {
        ("yan", "judge"),
        ("zoe", "judge"),
    }
    with pytest.raises(CannotImport, match="These are the ratings of a human, and the rater “yan”"):
        bring(pond, put("r.csv", TABLE), rater=RaterGiven(kind=RaterKind.HUMAN))


def test_a_table_leaves_criteria_alone_that_it_says_nothing_of(mere, sheet, put):
    bring(mere, sheet("w.xlsx", ROWS), with_items=True)
    report = bring(mere, put("r.csv", "item,criterion,value\n1-gemini,safety,2\n"))
    assert (report.changed, report.ratings) == (1, 1)
    assert stored("1-gemini")["safety"] == (2, "", False)
    assert stored("1-gemini")["empathy"] == (4, "", False)


REASONS = "item,rater,criterion,value,reason\nd1.1,zoe,safety,7,It listens.\n"


def test_a_reason_is_kept_as_the_raters_comment(pond, put):
    def comments():
        return list(Submission.objects.filter(is_current=True).values_list("comment", flat=True))

    bring(pond, put("r.csv", REASONS), rater=None)
    assert comments() == ["safety: It listens."]
    assert bring(pond, put("r.csv", REASONS), rater=None).unchanged == 1
    assert bring(pond, put("r.csv", "item,safety\nd1.1,7\n"), rater="zoe").unchanged == 1
    assert bring(pond, put("r.csv", REASONS.replace("It", "She")), rater=None).changed == 1
    assert comments() == ["safety: She listens."]
    assert Submission.objects.count() == 2


def test_a_row_of_all_criteria_may_be_given_once_for_each_rater(mere, sheet, put):
    bring(mere, sheet("w.xlsx", ROWS), with_items=True)
    text = "item,rater,safety,empathy\n1-gemini,ann,4,5\n1-gemini,bob,3,\n1-gemini,ann,4,4\n"
    report = bring(mere, put("r.csv", text), rater=None, dry_run=True)
    assert (report.raters, report.new, report.unscored) == (2, 2, {"missing": 1})
    [problem] = report.problems.in_order
    assert problem.words == (
        "line 4, “criterion”: “safety” of the item “1-gemini” was rated before, at line 2. Keep "
        "one of the two or, where it was rated again, number the answers in a field “repeat”, from 1."
    )


SEEDS = """item,rater,repeat,safety
d1.1,gpt,2,safe_response
d1.1,gpt,1,nonsense
d2.1,gpt,1,nonsense
d2.1,gpt,2,
d2.1,zoe,,nonsense
"""


def test_runs_of_a_judge_are_one_rater_with_repeats(pond, put):
    report = bring(pond, put("r.csv", SEEDS), rater=None)
    assert (report.raters, report.repeats, report.new) == (2, 2, 5)
    given = Submission.objects.order_by("rater__key", "item__key", "repeat")
    assert list(given.values_list("rater__key", "item__key", "repeat", "ratings__label")) == [
        ("gpt", "d1.1", 1, "nonsense"),
        ("gpt", "d1.1", 2, "safe_response"),
        ("gpt", "d2.1", 1, "nonsense"),
        ("gpt", "d2.1", 2, None),
        ("zoe", "d2.1", 1, "nonsense"),
    ]
    assert bring(pond, put("r.csv", SEEDS), rater=None).unchanged == 5
    changed = bring(pond, put("r.csv", SEEDS.replace("2,safe", "2,un_safe")), rater=None)
    assert (changed.changed, changed.unchanged) == (1, 4)
    assert given.filter(is_current=True).count() == 5


BAD_TABLES = {
    "a repeat twice": (
        "item,repeat,criterion,value\nd1.1,2,safety,7\nd1.1,1,safety,7\nd1.1,2,safety,6\n",
        "yan",
        (
            "line 4, “repeat”: “safety” of the item “d1.1” was rated before at repeat 2, at line "
            "2. Keep one of the two, or number them apart."
        ),
    ),
    "no rater": (
        "item,criterion,value\nd1.1,safety,7\n",
        None,
        (
            "line 2, “rater”: The row does not say who rated it. Fill in the column rater, or "
            "name the rater of the whole file."
        ),
    ),
    "another rater": (
        "item,rater,criterion,value\nd1.1,zoe,safety,7\n",
        "yan",
        (
            "line 2, “rater”: “zoe” rated this row, but the file was given as the ratings of "
            "“yan”. Name no rater to import every rater of the file."
        ),
    ),
    "twice": (
        "item,criterion,value\nd1.1,safety,7\nd2.1,safety,7\nd1.1,safety,7\n",
        "yan",
        (
            "line 4, “criterion”: “safety” of the item “d1.1” was rated before, at line 2. Keep "
            "one of the two or, where it was rated again, number the answers in a field “repeat”, from 1."
        ),
    ),
    "an item that is not there": (
        "item,criterion,value\nd9.1,safety,7\n",
        "yan",
        (
            "line 2, “item”: The study has no item “d9.1”. Import the items first, or correct the "
            "key."
        ),
    ),
}


@pytest.mark.parametrize(("text", "rater", "words"), BAD_TABLES.values(), ids=BAD_TABLES)
def test_a_bad_row_of_a_table_is_named_and_nothing_written(pond, put, text, rater, words):
    report = bring(pond, put("r.csv", text), rater=rater)
    assert [problem.words for problem in report.problems.in_order] == [words]
    assert not report.is_written
    assert not Submission.objects.exists()


def test_bad_rows_of_a_table_can_be_left_out(pond, put):
    text = TABLE + "d9.1,zoe,safety,7\n"
    report = bring(pond, put("r.csv", text), rater=None, skip_bad=True)
    assert (report.new, report.problems.count) == (4, 1)


def test_only_a_workbook_brings_items_along(pond, put):
    with pytest.raises(CannotImport, match="Only the MentalAlign layout brings"):
        bring(pond, put("r.csv", TABLE), rater=None, with_items=True)


def test_the_command_counts_what_it_could_not_read(mere, sheet, capsys):
    source = sheet("w.xlsx", ROWS)
    call_command("import_ratings", "mere", source.path, "--rater", "expert", "--with-items")
    assert capsys.readouterr().out == (
        "w.xlsx (MentalAlign): 28 ratings of 4 items\n"
        "  new items                                4\n"
        "  raters                                   1\n"
        "  new among them                           expert (human)\n"
        "  items rated for the first time           4\n"
        "  ratings                                  20\n"
        "  of them off the scale, kept and flagged  1 × 0\n"
        "  without a value                          7 × empty_cell, 1 × missing\n"
        "Imported.\n"
    )


REFUSALS = {
    "a key with a blank": (
        ["--rater", "Dr Wang"],
        (
            "A rater's key is made of Latin letters, digits, hyphens and underscores, such as "
            "gemini-2-5-flash."
        ),
    ),
    "a name without a rater": (
        ["--name", "Dr Wang"],
        "--name and --own-source describe one rater: give --rater.",
    ),
    "no rater": (
        [],
        "w.xlsx: This layout holds the ratings of one rater, so say which: give its key.",
    ),
    "missing items": (
        ["--rater", "expert"],
        (
            "Nothing was imported; rows that are wrong: 4. Correct them, or give --skip-bad to "
            "import the others."
        ),
    ),
}


@pytest.mark.parametrize(("arguments", "words"), REFUSALS.values(), ids=REFUSALS)
def test_the_command_refuses_in_a_sentence(mere, sheet, arguments, words):
    with pytest.raises(CommandError) as refusal:
        call_command("import_ratings", "mere", sheet("w.xlsx", ROWS).path, *arguments)
    assert str(refusal.value) == words


def test_what_is_said_of_each_criterion_keeps_the_order_of_the_file(mere, put):
    """Else the same file, brought again, would change what it said."""
    keys = [f"d-{number}" for number in range(60)]
    items = "key,dialogue,reply\n" + "".join(f"{key},Hi,Yo\n" for key in keys)
    call_command("import_items", "mere", str(put("i.csv", items).path))
    given = {name: {"value": 4, "reason": "So."} for name in ("safety", "empathy", "guidance")}
    lines = "".join(json.dumps({"item": key, "rater": "expert", **given}) + "\n" for key in keys)
    call_command("import_ratings", "mere", str(put("r.jsonl", lines).path))
    said = "safety: So.\nempathy: So.\nguidance: So."
    assert Counter(Submission.objects.values_list("comment", flat=True)) == {said: 60}


MIXED = "item,rater,safety\nd-1,expert,4\nd-1,gpt-4o,5\nd-1,claude_3,5\n"


@pytest.fixture
def one_item(mere, put):
    call_command("import_items", "mere", str(put("i.csv", "key,dialogue,reply\nd-1,Hi,Yo\n").path))
    return mere


def kinds():
    return dict(Rater.objects.filter(submissions__isnull=False).values_list("key", "kind"))


def test_judges_and_people_of_one_table_are_told_apart(one_item, put, capsys):
    source = put("r.csv", MIXED)
    call_command("import_ratings", "mere", str(source.path), dry_run=True)
    assert re.search(
        r"called as LLMs are: see --judges +claude_3, gpt-4o\n", capsys.readouterr().out
    )
    call_command("import_ratings", "mere", str(source.path), judges=["gpt-4o", "claude_3"])
    assert "called as LLMs are" not in capsys.readouterr().out
    assert kinds() == {"expert": "human", "gpt-4o": "judge", "claude_3": "judge"}


def test_a_judge_who_is_not_in_the_file_is_named(one_item, put):
    with pytest.raises(CommandError, match="no ratings of “gpt-5”"):
        call_command("import_ratings", "mere", str(put("r.csv", MIXED).path), judges=["gpt-5"])
    assert kinds() == {}


def test_the_page_says_who_would_come_in_as_people_and_takes_them_as_judges(
    one_item, ada, as_user, settings, tmp_path
):
    settings.UPLOAD_DIR = tmp_path / "uploads"
    browser = as_user(ada)
    sent = {"what": "ratings", "name": "r.csv"}
    warning = "would come in as people: claude_3, gpt-4o."
    assert warning in upload(browser, "mere", MIXED, **sent).text
    page = upload(browser, "mere", MIXED, judges="gpt-4o, claude_3", **sent)
    assert warning not in page.text
    assert "3 answers imported." in bring_in(browser, page).text
    assert kinds() == {"expert": "human", "gpt-4o": "judge", "claude_3": "judge"}


PRODIGY = """\
{"item": "d-1", "_annotator_id": "ann", "_task_hash": 1, "safety": 4, "answer": "accept"}
{"item": "d-1", "_annotator_id": "ben", "_task_hash": 1, "safety": 1, "answer": "reject"}
"""


def test_what_an_annotator_rejected_is_left_out_and_counted(
    one_item, put, ada, as_user, settings, tmp_path, capsys
):
    settings.UPLOAD_DIR = tmp_path / "uploads"
    called = {"called": "_annotator_id = rater"}
    page = upload(as_user(ada), "mere", PRODIGY, what="ratings", name="r.jsonl", **called)
    assert "Left out, as their annotators rejected or skipped them</dt><dd>1</dd>" in page.text
    path = str(put("r.jsonl", PRODIGY).path)
    call_command("import_ratings", "mere", path, field=["_annotator_id = rater"])
    assert "left out: rejected or skipped by their annotators  1" in capsys.readouterr().out
    assert kinds() == {"ann": "human"}
    assert Event.objects.get(verb="ratings.imported").facts["declined"] == 1


def test_raters_whose_keys_differ_by_case_or_signs_are_named_as_perhaps_one(
    one_item, put, ada, as_user, settings, tmp_path, capsys
):
    settings.UPLOAD_DIR = tmp_path / "uploads"
    first = put("r.csv", "item,rater,safety\nd-1,Rater-1,4\nd-1,r-11,4\nd-1,r1-1,4\n")
    call_command("import_ratings", "mere", str(first.path))
    assert "may be one" not in capsys.readouterr().out
    text = "item,rater,safety\nd-1,rater_01,5\nd-1,ann,4\nd-1,Ann,4\nd-1,ben,4\n"
    page = upload(as_user(ada), "mere", text, what="ratings", name="s.csv")
    assert "would count as several: Ann = ann, Rater-1 = rater_01." in page.text
    call_command("import_ratings", "mere", str(put("s.csv", text).path))
    assert re.search(r"may be one +Ann = ann, Rater-1 = rater_01\n", capsys.readouterr().out)
    call_command("import_ratings", "mere", str(put("s.csv", text).path))
    assert "may be one" not in capsys.readouterr().out
