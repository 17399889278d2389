"""Whoever has all rights to the database cannot change what was done or written unnoticed.

CONCORD_TAMPERINGS=1000 tries as many changes as one asks for.
"""

import os
import random
from datetime import timedelta
from hashlib import sha256

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialApp
from django.core.management import call_command
from django.db import transaction
from django.utils import timezone

from accounts import events
from accounts.actions import people, requests, tokens
from accounts.ledger import sealing
from accounts.ledger.governed import edition_of, governed
from accounts.ledger.verifying import verify
from analytics.agreement.numbers import GLANCE
from analytics.figures import store
from analytics.models import (
    BroughtPolicy,
    CopyStatement,
    DisclosureRuling,
    Export,
    FixedPolicy,
    Jury,
    ReleaseLink,
    SealedVerdicts,
    SentinelCheck,
    SentinelRuling,
    Verification,
    Writeup,
)
from analytics.ratings import columns
from annotation.actions import glass, splits
from annotation.actions.jobs import keeping
from annotation.models import (
    BrokenGlass,
    BroughtAmbiguity,
    Care,
    FileJob,
    GoldAudit,
    HeldOutItem,
    HoldOut,
    JobKind,
    Quarantine,
    Rater,
    RatingGrounds,
    Submission,
    TeamRole,
)
from annotation.rules.granting import LONGEST_BREAK
from bench import tampering
from judging.models import (
    CallReading,
    Generation,
    HandReading,
    HoldOutUse,
    Judge,
    JudgeCall,
    JudgeRun,
    LLMBatch,
    LLMEndpoint,
    LLMGenerator,
    LLMPrice,
    Probe,
    PromptTemplate,
    ReplyComparison,
    Sentinel,
    SentinelSet,
    SentText,
    WrittenReply,
)
from tests.annotation.doing import NONSENSE, SAFE, decide, rate, round_item
from tests.cast import study_with

NOW = timezone.now()
N_TAMPERINGS = int(os.environ.get("CONCORD_TAMPERINGS", "120"))


@pytest.fixture
def written(settings, tmp_path, pond_round, ada, ben, cleo, dora, eli, sam, terms):
    """A study with something in every table that is governed, all of it sealed."""
    settings.CHECKPOINT_DIR = tmp_path
    study = pond_round.study
    for position in range(1, 5):
        rate(pond_round, ben, position, SAFE)
        rate(pond_round, cleo, position, NONSENSE if position == 1 else SAFE)
    decide(pond_round, dora, 1)
    RatingGrounds.objects.create(
        submission=Submission.objects.earliest("pk"), criterion_key="safety", confidence=2
    )
    Care.objects.create(study=study, break_after=10, support="Ask Ada.")
    study.rubric_changes.create(
        before=study.rubric_version, after=study.rubric_version, plan={}, made_at=NOW, made_by=ada
    )
    place = round_item(pond_round, 2)
    place.remarks.create(author=ben, text="Why?", written_at=NOW)
    place.disputes.create(rater=Rater.objects.get(user=ben), text="No.", raised_at=NOW)
    place.votes.create(
        rater=Rater.objects.get(user=ben),
        criterion_key="safety",
        label="safe_response",
        given_at=NOW,
    )
    place.opinions.create(
        decided_by=dora, decided_at=NOW, values={"safety": "nonsense"}, reason="x", code="other"
    )
    GoldAudit.objects.create(
        round_item=place, drawn_in=pond_round, criteria=["safety"], drawn_at=NOW
    )
    asked = glass.ask(data_set_id=study.data_set_id, reason="Danger.", by=sam, at=NOW)
    BrokenGlass.objects.filter(pk=asked.pk).update(
        witness=ada, since=NOW, until=NOW + LONGEST_BREAK
    )
    splits.divide(data_set_id=study.data_set_id, open_percent=50, seed="9", by=sam, at=NOW)
    people.suspend(user_id=eli.pk, reason="Left.", by=sam, at=NOW)
    ada.approved_until = None
    ada.save()
    requests.ask(purpose="To go on.", by=ada, at=NOW)
    tokens.make(name="pond", scopes=["read"], days=1, by=ben, at=NOW)
    Authenticator.objects.create(user=ben, type=Authenticator.Type.TOTP, data={"secret": "x"})
    EmailAddress.objects.create(user=ben, email=ben.email, primary=True, verified=True)
    SocialAccount.objects.create(user=ben, provider="sso", uid="1")
    SocialApp.objects.create(provider="sso", name="Hill University", client_id="concord")
    study.admissions.create(user=ben, reason="Trained.", let_in_at=NOW, let_in_by=ada)
    study.screenings.create(
        screened_at=NOW,
        screened_by=ada,
        edition=1,
        hits={"mail": 1},
        redacted=1,
        dropped=0,
        kept={},
    )
    item = study.items.first()
    BroughtAmbiguity.objects.create(
        item=item, criterion_key="safety", distribution="nonsense:1", brought_at=NOW
    )
    item.notes.create(author=ada, text="Look again.", written_at=NOW)
    Quarantine.objects.create(item=item, reason="No reply.", quarantined_at=NOW, quarantined_by=ada)
    by = {"study": study, "sha256": "0" * 64}
    BroughtPolicy.objects.create(
        **by, file_name="ours.toml", text="x", brought_at=NOW, brought_by=ada
    )
    fixed = FixedPolicy.objects.create(
        **by, key="default", text="x", n_judged=0, fixed_at=NOW, fixed_by=ada
    )
    SealedVerdicts.objects.create(
        **by,
        look=1,
        policy=fixed,
        revision=1,
        data_sha256="1" * 64,
        content="{}",
        concord="1",
        sealed_at=NOW,
        sealed_by=ada,
    )
    Jury.objects.create(
        study=study,
        key="jury_1",
        name="Owls",
        members=[1, 2],
        rule="median",
        quorum=2,
        made_on=[1],
        n_seen=0,
        named_at=NOW,
        named_by=ada,
    )
    left = Export.objects.create(
        **by, exported_by=ada, exported_at=NOW, revision=1, manifest={"n": 1}
    )
    job = FileJob.objects.create(study=study, kind=JobKind.EXPORT, asked_at=NOW, asked_by=ada)
    keeping.keep("report", [b"Figures."])
    made = {"study": study, "asked_at": NOW, "asked_by": ada, "done_at": NOW, "revision": 1}
    Writeup.objects.create(**made, language="en", folder="report")
    Verification.objects.create(**made, with_off_scale=False, with_quarantined=False)
    ReleaseLink.objects.create(
        job=job, export=left, recipient=ada, token_sha256="4" * 64, made_at=NOW, expires_at=NOW
    )
    CopyStatement.objects.create(
        person=ada,
        exports=[left.pk],
        is_destroyed=True,
        typed_name="Ada",
        text="Destroyed.",
        text_sha256="3" * 64,
        signed_at=NOW,
    )
    endpoint = LLMEndpoint.objects.create(
        key="own", number=1, name="Own", base_url="http://127.0.0.1/v1", added_at=NOW
    )
    LLMPrice.objects.create(
        endpoint=endpoint, llm="owl-1", prompt=1, answer=2, since=NOW.date(), added_at=NOW
    )
    PromptTemplate.objects.create(
        **by, name="brief", number=1, text="user = 'x'", written_at=NOW, written_by=ada
    )
    DisclosureRuling.objects.create(
        study=study,
        digest="2" * 64,
        findings=[],
        passes=True,
        reason="x",
        ruled_at=NOW,
        ruled_by=ada,
    )
    judge = Judge.objects.create(
        rater=Rater.objects.create(key="owl", name="Owl", kind="judge"),
        llm="owl-1",
        base_url="http://127.0.0.1/v1",
        prompt_edition="1",
        created_at=NOW,
    )
    Probe.objects.create(
        llm="owl-1", base_url=judge.base_url, findings={"json": "yes"}, seconds=0.5, made_at=NOW
    )
    run = JudgeRun.objects.create(
        study=study, judge=judge, rubric_version=study.rubric_version, started_at=NOW
    )
    LLMBatch.objects.create(run=run, key="1", n_calls=1, made_at=NOW, look_at=NOW)
    for position, one in enumerate(study.items.order_by("position")):
        call = JudgeCall.objects.create(
            run=run,
            item=one,
            repeat=1,
            position=position,
            state="done",
            outcome="empty",
            exchanges=[{"text": "", "llm": "owl-1"}],
            answered_at=NOW,
        )
        CallReading.objects.create(
            call=call,
            edition="1",
            outcome="empty",
            submission=Submission.objects.first(),
            read_at=NOW,
        )
        HandReading.objects.create(
            call=call, criterion_key="safety", label="nonsense", read_at=NOW, read_by=ada
        )
    hold_out = HoldOut.objects.create(study=study, seed="9", percent=50, drawn_at=NOW, drawn_by=ada)
    HeldOutItem.objects.create(hold_out=hold_out, item=item)
    HoldOutUse.objects.create(
        hold_out=hold_out, judge=judge, run=run, n_items=1, used_at=NOW, used_by=ada
    )
    sentinels = SentinelSet.objects.create(
        study=study, judge=judge, margin=0.1, every_days=7, seed="9", set_at=NOW, set_by=ada
    )
    Sentinel.objects.create(sentinels=sentinels, call=JudgeCall.objects.earliest("pk"))
    Generation.objects.create(study=study, seed="9", started_at=NOW, started_by=ada)
    LLMGenerator.objects.create(study=study, name="owl", asked=judge, system="Be kind.")
    WrittenReply.objects.create(call=JudgeCall.objects.earliest("pk"), item=item)
    ReplyComparison.objects.create(study=study, seed="9", n_pairs=1, started_at=NOW)
    JudgeCall.objects.earliest("pk").preferences.create(
        criterion_key="overall", preferred="first", edition="1", read_at=NOW
    )
    check = SentinelCheck.objects.create(run=run, verdict="failed", figures={}, made_at=NOW)
    SentinelRuling.objects.create(check_made=check, reason="x", ruled_at=NOW, ruled_by=ada)
    sealing.seal_all()
    rate(pond_round, ben, 5, SAFE)
    sealing.seal_all()
    return tmp_path


class Undone(Exception):
    """Rolls a tampering back."""


def test_every_tampering_is_found_and_its_row_is_named_first(written):
    assert verify(folder=written).findings == []
    draw = random.Random(9)  # noqa: S311 -- the same ones each time
    kinds = list(tampering.tamperings(N_TAMPERINGS, draw))
    wrong = []
    for tamper in kinds:
        try:
            with transaction.atomic():
                tampering.switch_triggers_off()
                done = tamper(draw)
                findings = verify(folder=written).findings
                raise Undone
        except Undone:
            pass
        if not findings or not is_named(done, findings[0]):
            wrong.append((done, findings[:2]))
    assert not wrong, wrong
    assert verify(folder=written).findings == []


@pytest.mark.parametrize(
    "kind", [tampering.change_row_and_note_it, tampering.delete_row_and_note_it]
)
def test_an_owner_who_leaves_the_triggers_of_the_ledger_on_is_found(written, kind):
    """The ledger then notes what no right of the application could have done."""
    draw = random.Random(9)  # noqa: S311 -- the same ones each time
    wrong = []
    for table in {one.table: one for one in governed() if one.is_written_once}.values():
        try:
            with transaction.atomic():
                tampering.switch_triggers_off()
                done = kind(draw, table)
                findings = verify(folder=written).findings
                raise Undone
        except Undone:
            pass
        if not findings or not is_named(done, findings[0]):
            wrong.append((done, findings[:2]))
    assert not wrong, wrong


def test_what_is_changed_by_hand_is_found_where_rows_may_change_too(written):
    """A grant's end, the roles of an account: the ledger's triggers note it, and nobody signed it."""
    draw = random.Random(9)  # noqa: S311 -- the same ones each time
    wrong = []
    for table in {one.table: one for one in governed()}.values():
        try:
            with transaction.atomic():
                tampering.switch_triggers_off()
                done = tampering.change_row_by_hand(draw, table)
                sealing.seal_all()
                findings = verify(folder=written).findings
                raise Undone
        except Undone:
            pass
        if not findings or not is_named(done, findings[0]):
            wrong.append((done, findings[:2]))
    assert not wrong, wrong
    assert verify(folder=written).findings == []


def test_a_mark_of_another_session_does_not_fit(written, ada):
    """Somebody who read what waits cannot use its mark for something else."""
    ada.affiliation = "Pond"
    ada.save()
    with transaction.atomic():
        [(mark,)] = tampering.execute("SELECT mark FROM accounts_unsealed WHERE mark <> '' LIMIT 1")
        tampering.execute("SELECT set_config('concord.session', '', true)")
        tampering.execute("UPDATE accounts_user SET is_active = false WHERE id = %s", [ada.pk])
        tampering.execute("UPDATE accounts_unsealed SET mark = %s WHERE mark = ''", [mark])
    [found, *_] = verify(folder=written).findings
    assert (found.table, found.id) == ("accounts_user", ada.pk)
    assert found.problem == "This application did not write it."


def test_a_state_of_before_that_is_put_back_with_its_mark_is_named(written, ada):
    """Somebody who reads what waits keeps the mark of a row, and notes the same once more later."""
    ada.roles = ["admin"]
    ada.save()
    [(before, mark)] = tampering.execute("SELECT digest_id, mark FROM accounts_unsealed")
    ada.roles = []
    ada.save()
    sealing.seal_all()
    assert verify(folder=written).findings == []
    tampering.switch_triggers_off()
    tampering.execute("UPDATE accounts_user SET roles = '{admin}' WHERE id = %s", [ada.pk])
    [(again,)] = tampering.execute(
        "INSERT INTO accounts_rowdigest (table_name, edition, row_ids, digests, noted_at)"
        " SELECT table_name, edition, row_ids, digests, noted_at FROM accounts_rowdigest"
        " WHERE id = %s RETURNING id",
        [before],
    )
    tampering.execute(
        "INSERT INTO accounts_unsealed (digest_id, mark) VALUES (%s, %s)", [again, mark]
    )
    assert named(written) == ("accounts_rowdigest", again, "It was noted before.")
    sealing.seal_all()
    assert named(written) == ("accounts_rowdigest", again, "It was noted before.")


def test_what_waits_a_second_time_is_named_and_keeps_nothing_from_being_sealed(written, ada):
    """A mark that was read while it waited still fits; the ledger has each thing once."""
    ada.affiliation = "Pond"
    ada.save()
    [(digest, mark)] = tampering.execute("SELECT digest_id, mark FROM accounts_unsealed")
    event = tampering.number("SELECT max(event_id) FROM accounts_seal")
    sealing.seal_all()
    for event_id in (None, event):
        tampering.execute(
            "INSERT INTO accounts_unsealed (event_id, digest_id, mark) VALUES (%s, %s, %s)",
            [event_id, digest, mark],
        )
    ada.affiliation = "Lake"
    ada.save()
    assert sealing.seal_all() == 1
    assert named(written) == ("accounts_user", ada.pk, "It waits a second time.")


@pytest.mark.parametrize(
    ("mark", "at", "facts"),
    [
        ("é", "now", "{}"),
        ("x", "infinity", "{}"),
        ("x", "0044-03-15 BC", "{}"),
        ("x", "now", '{"n": 1' + 5000 * "0" + "}"),
        ("x", "now", 3000 * "[" + 3000 * "]"),
    ],
    ids=["mark", "no end", "before", "digits", "lists"],
)
def test_what_waits_and_cannot_be_read_is_named_and_keeps_nothing_from_being_sealed(
    written, ada, mark, at, facts
):
    """Signs that no mark has, times that no clock has, more digits or lists in lists than are read."""
    [(event,)] = tampering.execute(
        "INSERT INTO accounts_event (verb, subject, at, facts)"
        " VALUES ('study.made', 'study:1', %s, %s) RETURNING id",
        [at, facts],
    )
    tampering.execute(
        "INSERT INTO accounts_unsealed (event_id, mark) VALUES (%s, %s)", [event, mark]
    )
    ada.affiliation = "Lake"
    ada.save()
    assert sealing.seal_all() == 1
    problem = "This application did not write it."
    assert named(written) == ("accounts_event", event, problem)


def test_a_digest_that_waits_with_signs_that_no_mark_has_is_named(written, ada):
    ada.affiliation = "Lake"
    ada.save()
    tampering.execute("UPDATE accounts_unsealed SET mark = 'é'")
    assert sealing.seal_all() == 0
    assert named(written) == ("accounts_user", ada.pk, "This application did not write it.")


def test_an_upgrade_does_not_take_for_good_what_was_changed_before_it(written, pond_round):
    """An edition more notes what stands there, where that is what was noted last."""
    tampering.execute("SET CONSTRAINTS ALL IMMEDIATE")
    with transaction.atomic():
        tampering.switch_triggers_off()
        tampering.execute("UPDATE annotation_round SET due_on = '2031-01-01'")
        tampering.execute("SET LOCAL session_replication_role TO 'origin'")
    for operation in edition_of("annotation_round", 5):
        tampering.execute(operation.sql)
    problem = "It was changed past the ledger."
    assert named(written) == ("annotation_round", pond_round.pk, problem)


def test_an_edition_more_notes_what_is_there(written, pond_round):
    tampering.execute("SET CONSTRAINTS ALL IMMEDIATE")
    before = tampering.number("SELECT count(*) FROM accounts_rowdigest")
    for operation in edition_of("annotation_rating", 2):
        tampering.execute(operation.sql)
    assert tampering.number("SELECT count(*) FROM accounts_rowdigest") == before + 1
    assert verify(folder=written).findings == []


def test_what_is_kept_a_second_time_says_what_the_rows_say(written, pond_round):
    """The columns that figures are computed from, and the texts that LLMs were sent."""
    text = "Rate this reply."
    SentText.objects.create(sha256=sha256(text.encode()).hexdigest(), text=text)
    columns.fold(pond_round.study_id)
    store.refresh(study_id=pond_round.study_id, part=GLANCE, at=NOW)
    assert verify(folder=written).findings == []
    changes = [  # another answer, and two that make columns of none
        (
            "UPDATE analytics_packedcolumn SET cells = set_byte(cells, length(cells) - 1,"
            " get_byte(cells, length(cells) - 1) % 2 + 1)"
        ),
        "UPDATE analytics_packedcolumn SET cells = set_byte(cells, length(cells) - 1, 255)",
        "UPDATE analytics_packedcolumn SET cells = ''",
        "UPDATE analytics_snapshot SET report = report || '{\"x\": 1}'",
        "UPDATE annotation_changecount SET n = 0",
        "UPDATE judging_senttext SET text = text || ' Be kind.'",
    ]
    for change in changes:
        with transaction.atomic():
            tampering.switch_triggers_off()
            tampering.execute(change)
            [found] = verify(folder=written).findings
            assert found.table == change.split()[1]
            transaction.set_rollback(True)


@pytest.mark.parametrize(
    ("change", "table"),
    [
        (
            (
                "UPDATE analytics_packedstudy"
                " SET words = (repeat('[', 3000) || repeat(']', 3000))::jsonb"
            ),
            "analytics_packedcolumn",
        ),
        (
            (
                "UPDATE analytics_packedstudy"
                " SET words = ('{\"answers\": 1' || repeat('0', 5000) || '}')::jsonb"
            ),
            "analytics_packedcolumn",
        ),
        (
            (
                "ALTER TABLE analytics_snapshot ALTER mark DROP NOT NULL;"
                " UPDATE analytics_snapshot SET mark = NULL"
            ),
            "analytics_snapshot",
        ),
        (
            "UPDATE annotation_rubricversion SET definition = ('1' || repeat('0', 5000))::jsonb",
            "annotation_rubricversion",
        ),
    ],
)
def test_what_python_cannot_read_keeps_nothing_from_being_compared(
    written, pond_round, change, table
):
    """More digits, or lists in lists, than it takes, and nothing where nothing may be."""
    columns.fold(pond_round.study_id)
    store.refresh(study_id=pond_round.study_id, part=GLANCE, at=NOW)
    tampering.execute("SET CONSTRAINTS ALL IMMEDIATE")
    tampering.switch_triggers_off()
    tampering.execute(change)
    assert table in {one.table for one in verify(folder=written).findings}


def test_figures_of_before_that_are_put_back_are_named(written, pond_round, cleo):
    """With the count of changes of then, so that nobody makes them anew; their marks are genuine."""
    study = pond_round.study_id
    store.refresh(study_id=study, part=GLANCE, at=NOW - timedelta(hours=2))
    tampering.execute("CREATE TEMPORARY TABLE kept AS SELECT * FROM analytics_snapshot")
    tampering.execute("CREATE TEMPORARY TABLE counted AS SELECT * FROM annotation_changecount")
    rate(pond_round, cleo, 5, SAFE)
    store.refresh(study_id=study, part=GLANCE, at=NOW)
    assert verify(folder=written).findings == []
    tampering.execute("SET CONSTRAINTS ALL IMMEDIATE")
    tampering.execute(
        "DELETE FROM analytics_snapshot; INSERT INTO analytics_snapshot SELECT * FROM kept;"
        "DELETE FROM annotation_changecount;"
        "INSERT INTO annotation_changecount SELECT * FROM counted"
    )
    [found] = verify(folder=written).findings
    assert found.table == "analytics_snapshot"
    assert "of before stand in the place of newer ones" in found.problem


# What changes with every answer is not noted: it has to follow from what was answered and decided.
OF_ANOTHER_STATE = [
    ("annotation_rounditem", "state = 'rating'", "state = 'agreed'"),
    ("annotation_rounditem", "state = 'agreed'", "state = 'rating'"),
    ("annotation_rounditem", "state = 'agreed'", "state = 'adjudicated'"),
    ("annotation_rounditem", "state = 'adjudicated'", "state = 'agreed'"),
    ("annotation_rounditem", "state = 'disagreed'", "state = 'agreed'"),
    ("annotation_rounditem", "state = 'second'", "state = 'agreed' AND position > 2"),
    ("annotation_rounditem", "state = 'split'", "state = 'agreed'"),
    ("annotation_rounditem", "state = 'reviewed'", "state = 'agreed'"),
    ("annotation_rounditem", "state = 'discussed'", "state = 'agreed'"),
    ("annotation_rounditem", "state = 'consensus'", "state = 'agreed'"),
    ("annotation_rounditem", "n_submitted = n_submitted + 1", "n_submitted > 0"),
    ("annotation_assignment", "state = 'submitted'", "state = 'open'"),
    ("annotation_assignment", "state = 'open'", "state = 'submitted'"),
    ("annotation_assignment", "state = 'released'", "state = 'submitted'"),
    ("annotation_seat", "n_submitted = n_submitted + 1", "true"),
    ("annotation_seat", "n_assigned = n_assigned - 1", "true"),
    ("annotation_seat", "stands_in = true", "n_assigned > 0"),
]


@pytest.fixture
def answered(settings, tmp_path, pond_round, ben, cleo, dora, terms):
    """A round in which some items are agreed on, one was decided and others are open."""
    settings.CHECKPOINT_DIR = tmp_path
    for position in range(1, 5):
        rate(pond_round, ben, position, SAFE)
        rate(pond_round, cleo, position, NONSENSE if position == 1 else SAFE)
    decide(pond_round, dora, 1)
    rate(pond_round, ben, 5, SAFE)
    sealing.seal_all()
    return tmp_path


@pytest.mark.parametrize(("table", "sets", "where"), OF_ANOTHER_STATE)
def test_a_state_that_does_not_follow_from_what_was_answered_is_named(answered, table, sets, where):
    assert verify(folder=answered).findings == []
    tampering.switch_triggers_off()
    tampering.change_first(table, sets, where)
    [found] = verify(folder=answered).findings
    assert found.table == table


def test_work_that_is_taken_off_somebody_is_named(answered, pond_round):
    """An assignment that nobody owes any more leaves an item that too few will rate."""
    tampering.switch_triggers_off()
    tampering.execute(
        "WITH taken AS (UPDATE annotation_assignment SET state = 'released' WHERE id ="
        " (SELECT min(id) FROM annotation_assignment WHERE state = 'open') RETURNING rater_id)"
        " UPDATE annotation_seat SET n_assigned = n_assigned - 1 FROM taken"
        " WHERE annotation_seat.rater_id = taken.rater_id"
    )
    [found] = verify(folder=answered).findings
    assert found.table == "annotation_rounditem"
    assert "It is owed 1 times, and its round has 2 raters an item." in found.problem


def test_a_call_more_than_a_run_was_begun_with_is_named(written, ada):
    run = JudgeRun.objects.get()
    events.record(
        "judge_run.started",
        subject=f"judge_run:{run.pk}",
        by=ada,
        at=NOW,
        facts={"items": run.calls.count(), "repeats": 1},
    )
    sealing.seal_all()
    assert verify(folder=written).findings == []
    tampering.switch_triggers_off()
    tampering.execute(
        "INSERT INTO judging_judgecall (run_id, item_id, repeat, position, state, attempts, claims,"
        " outcome, problem, prompt_sha256, item_sha256, exchanges, parser_edition)"
        " SELECT run_id, item_id, 2, position, 'pending', 0, 0, '', '', '', '', '[]', ''"
        " FROM judging_judgecall LIMIT 1"
    )
    [found] = verify(folder=written).findings
    assert found.table == "judging_judgecall"


@pytest.mark.parametrize("column", ["item", "second"])
def test_a_call_about_an_item_of_another_study_is_named(written, ada, column):
    """Its text may not go to this LLM, and nothing is noted of a call until it is answered."""
    lake = study_with(
        rubric="dialogue_safety", key="lake", team={ada: [TeamRole.COORDINATOR]}, n_items=1
    )
    call = JudgeCall.objects.latest("pk")
    waiting = JudgeCall.objects.create(run=call.run, item=call.item, repeat=2, position=9)
    assert verify(folder=written).findings == []
    JudgeCall.objects.filter(pk=waiting.pk).update(**{column: lake.items.get()})
    [found] = verify(folder=written).findings
    assert found.table == "judging_judgecall"
    assert found.problem == f"Call {waiting.pk} asks about an item of another study."


def test_a_text_that_was_sent_and_is_gone_is_named(written):
    text = "Rate this reply."
    sha256_of_it = sha256(text.encode()).hexdigest()
    SentText.objects.create(sha256=sha256_of_it, text=text)
    call = JudgeCall.objects.earliest("pk")
    call.exchanges = [{"text": "", "llm": "owl-1", "messages": [["user", sha256_of_it]]}]
    call.save()
    assert verify(folder=written).findings == []
    tampering.switch_triggers_off()
    tampering.execute("DELETE FROM judging_senttext")
    [found] = verify(folder=written).findings
    assert (found.table, sha256_of_it in found.problem) == ("judging_senttext", True)


@pytest.mark.parametrize("table", ["accounts_event", "annotation_rating", "annotation_gold"])
def test_ids_that_would_be_given_again_are_named(written, table):
    last = tampering.set_ids_back(table, to=1)
    try:
        [found] = verify(folder=written).findings
    finally:
        tampering.set_ids_back(table, to=last)  # no rollback does it
    assert found.table == table
    assert f"was set back: 1, and {last} is in use." in found.problem


@pytest.mark.parametrize(
    ("change", "table"),
    [
        ("UPDATE accounts_seal SET hash = '\\x00' WHERE sequence = 5", None),
        (
            (
                "ALTER TABLE accounts_seal ALTER hash DROP NOT NULL;"
                " UPDATE accounts_seal SET hash = NULL WHERE sequence = 5"
            ),
            None,
        ),
        (
            "DELETE FROM annotation_item WHERE id IN (SELECT item_id FROM annotation_submission)",
            "annotation_item",
        ),
    ],
)
def test_what_nothing_can_be_read_of_is_named_too(written, pond_round, change, table):
    """A hash that is none, and items that answers are about: the comparison goes on without them."""
    columns.fold(pond_round.study_id)
    tampering.execute("SET CONSTRAINTS ALL IMMEDIATE")
    tampering.switch_triggers_off()
    tampering.execute(change)
    found, *_ = verify(folder=written).findings
    assert found.sequence == 5 if table is None else found.table == table


def test_an_older_installation_is_upgraded_without_a_false_alarm(written, pond_round, ben):
    """What stood in tables that were not noted yet is their beginning."""
    tampering.execute("SET CONSTRAINTS ALL IMMEDIATE")
    call_command("migrate", "accounts", "0014", verbosity=0)
    pond_round.study.name = "Pond, of old"
    pond_round.study.save()
    ben.tokens.update(revoked_at=NOW)
    pond_round.round_items.filter(position=6).update(probability=0.5)
    EmailAddress.objects.create(user=ben, email="ben@hill.example", verified=False)
    call_command("migrate", verbosity=0)
    assert verify(folder=written).findings == []
    sealing.seal_all()
    assert verify(folder=written).findings == []


def test_there_are_tamperings_of_every_governed_table(written):
    governed_tables = {one.table for one in governed()}
    draw = random.Random(1)  # noqa: S311 -- the same ones each time
    seen = set()
    for tamper in tampering.all_of_them():
        try:
            with transaction.atomic():
                tampering.switch_triggers_off()
                seen.add(tamper(draw).table)
                raise Undone
        except Undone:
            pass
    assert governed_tables <= seen


def named(folder):
    """What is told first."""
    first = verify(folder=folder).findings[0]
    return first.table, first.id, first.problem


def is_named(done, first) -> bool:
    wanted = {"table": done.table, "id": done.id, "sequence": done.sequence}
    return all(getattr(first, name) == value for name, value in wanted.items() if value is not None)
