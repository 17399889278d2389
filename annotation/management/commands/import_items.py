"""Import items from a file."""

from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.actions.imports.items import ItemsReport, import_items
from annotation.actions.imports.screening import Decisions, Sieve, Treatment
from annotation.identifiers import IdentifierKind
from annotation.management.importing import ImportCommand, counts

EVERY = "all"
TREATMENTS = {
    Treatment.REDACT: "put the name of the kind in the place of identifiers of this kind",
    Treatment.KEEP: "keep identifiers of this kind; --because says why",
    Treatment.DROP: "leave out rows that hold an identifier of this kind",
}


class Command(ImportCommand[ItemsReport]):
    help = (
        "Import items into a study: all of a file or, if a row is wrong, nothing. Reads a table "
        "(.csv in UTF-8 or the first sheet of an .xlsx: key, dialogue, reply, generator, "
        "content_note, gold.CRITERION), the same fields as JSON (.jsonl or .json, with the "
        "dialogue as text or as turns), the DialogueSafety layout (context, response, label), and "
        "the MentalAlign layout (one item a conversation and source, without the replies). In a "
        "dialogue given as text each turn begins with [seeker] or [supporter]. Importing a file "
        "again changes nothing. What could say who somebody is has to be decided about by kind: "
        f"{', '.join(IdentifierKind)}, or {EVERY}; a dry run says what there is."
    )

    def add_options(self, parser: CommandParser) -> None:
        for treatment, told in TREATMENTS.items():
            parser.add_argument(
                f"--{treatment}", action="append", default=[], metavar="KIND", help=told
            )
        parser.add_argument("--because", default="", help="why identifiers are kept")

    def run(self, options: Mapping[str, Any], **given: Any) -> ItemsReport:
        decided = _decided(options)
        is_asking = given["dry_run"] and not decided.by_kind
        return import_items(**given, sieve=Sieve(None if is_asking else decided))

    def lines(self, report: ItemsReport) -> list[tuple[str, int | str]]:
        found = report.sieve.found if report.sieve else {}
        return [
            ("identifiers", counts(found)),
            ("new items", report.new),
            ("in new dialogues", report.new_dialogues),
            ("without a reply", report.without_reply),
            ("already in the study", report.unchanged),
            ("new gold", report.new_gold),
            ("changed gold", report.changed_gold),
            ("gold that a round has decided otherwise", report.kept_gold),
        ]


def _decided(options: Mapping[str, Any]) -> Decisions:
    """What is to become of each kind; a kind that is named counts for more than all."""
    said = {kind: treatment.value for treatment in TREATMENTS for kind in options[treatment.value]}
    if unknown := sorted(said.keys() - {EVERY, *IdentifierKind}):
        raise CommandError(f"No kind of identifier: {', '.join(unknown)}.")
    of_all = said.pop(EVERY, None)
    by_kind = {kind.value: of_all for kind in IdentifierKind if of_all} | said
    kept = [kind for kind, treatment in by_kind.items() if treatment == Treatment.KEEP]
    if kept and not options["because"].strip():
        raise CommandError("Say with --because why identifiers are kept.")
    return Decisions(by_kind=by_kind, reasons=dict.fromkeys(kept, options["because"].strip()))
