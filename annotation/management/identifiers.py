"""What is to become of identifiers, as it is said on the command line: by kind."""

from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.identifiers import Decisions, IdentifierKind, Treatment

EVERY = "all"
_TREATMENTS = {
    Treatment.REDACT: "put the name of the kind in the place of identifiers of this kind",
    Treatment.KEEP: "keep identifiers of this kind; --because says why",
    Treatment.DROP: "leave out rows that hold an identifier of this kind",
}


def add_treatments(parser: CommandParser) -> None:
    for treatment, told in _TREATMENTS.items():
        parser.add_argument(
            f"--{treatment}", action="append", default=[], metavar="KIND", help=told
        )
    parser.add_argument("--because", default="", help="why identifiers are kept")


def decided(options: Mapping[str, Any]) -> Decisions:
    """What is to become of each kind; a kind that is named counts for more than all."""
    said = {kind: treatment.value for treatment in _TREATMENTS for kind in options[treatment.value]}
    if unknown := sorted(said.keys() - {EVERY, *IdentifierKind}):
        raise CommandError(f"No kind of identifier: {', '.join(unknown)}.")
    of_all = said.pop(EVERY, None)
    by_kind = {kind.value: of_all for kind in IdentifierKind if of_all} | said
    kept = [kind for kind, treatment in by_kind.items() if treatment == Treatment.KEEP]
    if kept and not options["because"].strip():
        raise CommandError("Say with --because why identifiers are kept.")
    return Decisions(by_kind=by_kind, reasons=dict.fromkeys(kept, options["because"].strip()))
