"""Teams, rounds and roles from the command line, as pages do them."""

import pytest
from django.core.management import CommandError, call_command

from accounts.models import Event, Role
from annotation.models import Grant, Membership, TeamRole
from tests.cast import approved

pytestmark = pytest.mark.django_db


def test_a_team_is_printed_and_changed(pond, ada, eli, capsys):
    call_command("team", "pond", member=eli.email, role=[TeamRole.ANNOTATOR], by=ada.email)
    printed = capsys.readouterr().out
    assert f"{eli.email:<40} annotator" in printed
    assert f"{ada.email:<40} coordinator" in printed
    assert Event.objects.filter(verb="team.roles_set", actor=ada).exists()
    call_command("team", "pond", member=eli.email)
    assert not Membership.objects.filter(study=pond, user=eli).exists()


def test_a_team_stays_as_it_is_where_the_page_would_refuse_too(pond, ada):
    with pytest.raises(CommandError, match="at least one coordinator"):
        call_command("team", "pond", member=ada.email)
    with pytest.raises(CommandError, match="Say whose roles"):
        call_command("team", "pond", role=[TeamRole.ANNOTATOR])


def test_a_round_is_opened_watched_and_closed_when_it_may_be(pond, ada, ben, cleo, capsys):
    panel = [f"--rater={one.email}" for one in (ben, cleo)]
    call_command("round", "pond", "open", *panel, "--items=2", f"--by={ada.email}")
    assert "Round 1 is open." in capsys.readouterr().out
    call_command("round", "pond", "show")
    assert "Round 1: open, 0 of 4 submitted" in capsys.readouterr().out
    with pytest.raises(CommandError, match="Items that still need ratings: 2 of 2"):
        call_command("round", "pond", "close", "1", f"--by={ada.email}")
    with pytest.raises(CommandError, match="Round 1 is not closed yet"):
        call_command("round", "pond", "open", *panel, f"--by={ada.email}")
    with pytest.raises(CommandError, match="no round 7"):
        call_command("round", "pond", "close", "7", f"--by={ada.email}")


def test_items_of_a_round_are_rated_once_more(pond, ada, ben, cleo, capsys):
    panel = [f"--rater={one.email}" for one in (ben, cleo)]
    call_command("round", "pond", "open", *panel, "--items=2", f"--by={ada.email}")
    call_command("round", "pond", "cancel", "1", "--reason=too early", f"--by={ada.email}")

    call_command("round", "pond", "open", *panel, "--re-review-of=1", f"--by={ada.email}")

    assert "Round 2 is open." in capsys.readouterr().out
    first, again = (
        set(one.round_items.values_list("item", flat=True))
        for one in pond.rounds.order_by("number")
    )
    assert first == again != set()
    with pytest.raises(CommandError, match="no round 7"):
        call_command("round", "pond", "open", *panel, "--re-review-of=7", f"--by={ada.email}")


def test_a_list_names_the_items_of_a_round(pond, ada, ben, cleo, tmp_path, capsys):
    listed = tmp_path / "listed.csv"
    listed.write_text("item,probability\nd1.1,1\nd4.1,1\n")
    panel = [f"--rater={one.email}" for one in (ben, cleo)]
    call_command("round", "pond", "open", *panel, f"--listed={listed}", f"--by={ada.email}")
    assert "0 of 4 submitted" in capsys.readouterr().out
    keys = pond.rounds.get().round_items.values_list("item__key", flat=True)
    assert sorted(keys) == ["d1.1", "d4.1"]


def test_an_administrator_sets_roles_of_the_server_and_nobody_else(terms, sam, ben, capsys):
    root = approved("root", terms, roles=[Role.ADMIN])
    call_command("roles", account=ben.email, role=[Role.AUDITOR], by=root.email)
    assert f"{ben.email:<40} auditor" in capsys.readouterr().out
    with pytest.raises(CommandError, match="is no administrator"):
        call_command("roles", account=ben.email, role=[Role.ADMIN], by=sam.email)
    with pytest.raises(CommandError):
        call_command("roles", account=root.email, role=[Role.ADMIN], by=root.email)


def test_a_round_is_due_and_cancelled(pond, ada, ben, cleo, capsys):
    panel = [f"--rater={one.email}" for one in (ben, cleo)]
    call_command("round", "pond", "open", *panel, f"--by={ada.email}")
    call_command("round", "pond", "due", "1", "2031-01-31", f"--by={ada.email}")
    assert pond.rounds.get().due_on.isoformat() == "2031-01-31"
    call_command("round", "pond", "due", "1", "none", f"--by={ada.email}")
    assert pond.rounds.get().due_on is None
    with pytest.raises(CommandError, match="no day such as"):
        call_command("round", "pond", "due", "1", "soon", f"--by={ada.email}")
    call_command("round", "pond", "cancel", "1", "--reason=Wrong items.", f"--by={ada.email}")
    assert "Round 1: cancelled" in capsys.readouterr().out
    with pytest.raises(CommandError, match="closed"):
        call_command("round", "pond", "due", "1", "none", f"--by={ada.email}")


def owed_by(study, *people):
    return [study.rounds.get().seats.get(rater__user=one).n_assigned for one in people]


def test_work_is_handed_on_and_somebody_joins(pond, ada, ben, cleo, finn, capsys):
    panel = [f"--rater={one.email}" for one in (ben, cleo)]
    call_command("round", "pond", "open", *panel, f"--by={ada.email}")
    by = f"--by={ada.email}"
    call_command("round", "pond", "join", "1", f"--rater={finn.email}", by)
    assert "Ratings that are owed by others than before: 4." in capsys.readouterr().out
    assert owed_by(pond, ben, cleo, finn) == [4, 4, 4]
    with pytest.raises(CommandError, match="who are not on the panel yet"):
        call_command("round", "pond", "join", "1", f"--rater={finn.email}", by)
    with pytest.raises(CommandError, match="Choose other annotators"):
        call_command(
            "round", "pond", "hand-on", "1", f"--from={ben.email}", f"--to={ben.email}", by
        )
    call_command(
        *("round", "pond", "hand-on", "1", f"--from={finn.email}"),
        *(f"--to={one.email}" for one in (ben, cleo)),
        by,
    )
    assert owed_by(pond, ben, cleo, finn) == [6, 6, 0]
    assert Event.objects.filter(verb="assignment.reassigned", actor=ada).exists()


def test_levels_are_asked_for_with_roles(pond, ada, eli):
    about = {"member": eli.email, "role": [TeamRole.RESEARCHER], "also": ["per_rater"]}
    call_command("team", "pond", by=ada.email, **about)
    assert Grant.objects.filter(person=eli, level="per_rater").exists()
