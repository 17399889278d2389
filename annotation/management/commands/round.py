"""Open, watch and close rounds, and say who rates in them."""

import argparse
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Any, TypeAlias

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from annotation.actions import assignments, cancelling, protocol, rounds
from annotation.actions.teams import rater_of
from annotation.management.asking import account_given, study_named
from annotation.models import Round
from annotation.queries.rounds import NoSuchRound, RoundStatus, round_status, rounds_of
from annotation.rules.drawing import read_list
from annotation.rules.repeating import MOST_PERCENT

_Verbs: TypeAlias = "argparse._SubParsersAction[CommandParser]"


class Command(BaseCommand):
    help = (
        "Open a round of a study, say until when it is due, hand work on, let somebody join, end its "
        "rating, close or cancel it, or print how all of them stand."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="the study's key")
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
        verbs.add_parser("show", help="print every round, the newest first")
        _add_open(verbs)
        for verb, told in (
            ("end-rating", "go on to the gate: what was not rated yet lapses"),
            ("re-review", "have what differs rated again, independently"),
            ("close", "end a round that is rated and decided"),
        ):
            steered = verbs.add_parser(verb, help=told)
            steered.add_argument("number", type=int, help="the round's number")
            _add_coordinator(steered)
        due = verbs.add_parser("due", help="say until when it should be rated")
        due.add_argument("number", type=int, help="the round's number")
        due.add_argument("day", type=_day, help="as 2030-12-31, or “none”")
        _add_coordinator(due)
        handed = verbs.add_parser("hand-on", help="give what a rater still owes to others")
        handed.add_argument("number", type=int, help="the round's number")
        handed.add_argument(
            "--from", dest="leaver", required=True, metavar="EMAIL", help="who owes it"
        )
        handed.add_argument(
            "--to", action="append", required=True, metavar="EMAIL", help="repeat it"
        )
        _add_coordinator(handed)
        joined = verbs.add_parser(
            "join", help="seat annotators, who take over as much as others owe"
        )
        joined.add_argument("number", type=int, help="the round's number")
        joined.add_argument(
            "--rater", action="append", required=True, metavar="EMAIL", help="repeat it"
        )
        _add_coordinator(joined)
        cancelled = verbs.add_parser("cancel", help="end one that should not have been opened")
        cancelled.add_argument("number", type=int, help="the round's number")
        cancelled.add_argument("--reason", required=True, help="why; it stays in the history")
        _add_coordinator(cancelled)

    def handle(self, *args: object, study: str, verb: str, **options: Any) -> None:
        study_id = study_named(study).pk
        try:
            if verb == "open":
                opened = _opened(study, study_id, options)
                self.stdout.write(f"Round {opened.number} is open.")
            elif verb in _SEATED:
                moved = _SEATED[verb](_round(study, options["number"]).pk, options)
                self.stdout.write(f"Ratings that are owed by others than before: {moved:,}.")
            elif verb != "show":
                given = {name: options[name] for name in _GIVEN.get(verb, ())}
                _STEERED[verb](
                    round_id=_round(study, options["number"]).pk,
                    by=account_given(options["by"]),
                    at=timezone.now(),
                    **{_GIVEN[verb][name]: value for name, value in given.items()},
                )
        except (
            rounds.CannotOpen,
            rounds.CannotClose,
            assignments.CannotReassign,
            protocol.CannotGoOn,
            cancelling.CannotCancel,
        ) as refusal:
            raise CommandError(str(refusal)) from None
        for status in rounds_of(study_named(study)):
            self.stdout.write(_line(status))


def _hand_on(round_id: int, options: Mapping[str, Any]) -> int:
    return assignments.reassign(
        round_id=round_id,
        from_rater=rater_of(account_given(options["leaver"])).pk,
        to=[account_given(email).pk for email in options["to"]],
        by=account_given(options["by"]),
        at=timezone.now(),
    )


def _let_join(round_id: int, options: Mapping[str, Any]) -> int:
    return assignments.let_join(
        round_id=round_id,
        accounts=[account_given(email).pk for email in options["rater"]],
        by=account_given(options["by"]),
        at=timezone.now(),
    )


_SEATED: Mapping[str, Callable[[int, Mapping[str, Any]], int]] = {
    "hand-on": _hand_on,
    "join": _let_join,
}
_STEERED: Mapping[str, Callable[..., object]] = {
    "end-rating": protocol.end_rating,
    "re-review": rounds.open_re_review,
    "close": rounds.close,
    "due": rounds.set_due,
    "cancel": cancelling.cancel,
}
# What else a verb is given: {option: the name under which its action takes it}.
_GIVEN = {"due": {"day": "due_on"}, "cancel": {"reason": "reason"}}


def _add_open(verbs: _Verbs) -> None:
    opened = verbs.add_parser("open", help="deal items out to a panel")
    opened.add_argument(
        "--rater", action="append", required=True, metavar="EMAIL", help="an annotator; repeat it"
    )
    opened.add_argument(
        "--raters-per-item", type=int, default=2, help="how many rate each item (default 2)"
    )
    opened.add_argument("--items", type=int, help="how many new ones (default: all that are left)")
    opened.add_argument("--listed", metavar="FILE", help="a CSV with item and probability")
    opened.add_argument(
        "--audit-percent", type=int, default=0, help="so many beside the list, drawn at random"
    )
    opened.add_argument("--re-review-of", type=int, metavar="NUMBER", help="its items once more")
    opened.add_argument(
        "--gate",
        type=float,
        default=rounds.DEFAULT_GATE,
        help="the agreement to reach, by the measure of the protocol (default %(default)s)",
    )
    opened.add_argument(
        "--repeat-percent",
        type=int,
        choices=range(MOST_PERCENT + 1),
        metavar="PERCENT",
        help="hidden repeats (default: 5, or none where somebody has ten items or fewer)",
    )
    opened.add_argument("--override-reason", default="", help="why to go on below the gate")
    _add_coordinator(opened)


def _add_coordinator(parser: CommandParser) -> None:
    parser.add_argument(
        "--by", required=True, metavar="EMAIL", help="the account in whose name this is done"
    )


def _opened(study: str, study_id: int, options: dict[str, Any]) -> Round:
    again = options["re_review_of"]
    return rounds.open_round(
        study_id=study_id,
        panel=[account_given(email).pk for email in options["rater"]],
        raters_per_item=options["raters_per_item"],
        by=account_given(options["by"]),
        at=timezone.now(),
        n_items=options["items"],
        re_review_of=_round(study, again).pk if again else None,
        gate=options["gate"],
        repeat_percent=options["repeat_percent"],
        override_reason=options["override_reason"],
        listed=_listed(options["listed"]) if options["listed"] else None,
        audit_percent=options["audit_percent"],
    )


def _day(text: str) -> date | None:
    if text == "none":
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is no day such as 2030-12-31") from None


def _listed(file: str) -> dict[str, float]:
    try:
        found = read_list(Path(file).read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError) as problem:
        raise CommandError(f"{file} cannot be read: {problem}.") from None
    if found.problem:
        raise CommandError(f"{file}: {found.problem}")
    return dict(found.chances)


def _round(study: str, number: int) -> Round:
    try:
        return round_status(study_named(study), number).round
    except NoSuchRound:
        raise CommandError(f"There is no round {number}.") from None


def _line(status: RoundStatus) -> str:
    one = status.round
    kappa = "" if one.kappa is None else f", kappa {one.kappa:.2f}"
    return (
        f"Round {one.number}: {one.state}, {status.n_submitted:,} of {status.n_assigned:,} "
        f"submitted{kappa}{', ' + one.verdict if one.verdict else ''}"
    )
