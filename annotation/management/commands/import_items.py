"""Import items from a file."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.core.management.base import CommandParser

from annotation.actions.imports.items import ItemsReport, import_items
from annotation.actions.imports.screening import Sieve
from annotation.identifiers import IdentifierKind
from annotation.management.identifiers import EVERY, add_treatments, decided
from annotation.management.importing import ImportCommand, counts
from annotation.rules.doubting import WORDS


class Command(ImportCommand[ItemsReport]):
    help = (
        "Import items into a study: all of a file or, if a row is wrong, nothing. Reads a table "
        "(.csv in UTF-8 or the first sheet of an .xlsx: key, dialogue, reply, generator, "
        "content_note, gold.CRITERION, attribute.NAME), the same fields as JSON (.jsonl or .json, with the "
        "dialogue as text, turns or messages), transcripts (a row for each turn: key, speaker, "
        "text), the DialogueSafety layout (context, response, label), and "
        "the MentalAlign layout (one item a conversation and source, without the replies). In a "
        "dialogue given as text each turn begins with [seeker] or [supporter]. Importing a file "
        "again changes nothing. What could say who somebody is has to be decided about by kind: "
        f"{', '.join(IdentifierKind)}, or {EVERY}; a dry run says what there is."
    )

    def add_options(self, parser: CommandParser) -> None:
        add_treatments(parser)

    def run(self, options: Mapping[str, Any], **given: Any) -> ItemsReport:
        treated = decided(options)
        is_asking = given["dry_run"] and not treated.by_kind
        return import_items(**given, sieve=Sieve(None if is_asking else treated))

    def lines(self, report: ItemsReport) -> list[tuple[str, int | str]]:
        found = report.sieve.found if report.sieve else {}
        return [
            ("identifiers", counts(found)),
            ("new items", report.new),
            ("in new dialogues", report.new_dialogues),
            ("rows that repeat an earlier one", report.repeated),
            ("without a reply", report.without_reply),
            ("already in the study", report.unchanged),
            ("new gold", report.new_gold),
            ("changed gold", report.changed_gold),
            ("gold that a round has decided otherwise", report.kept_gold),
            ("keys of the items", "" if report.has_keys else "their places in the file, from 0"),
            *_doubts(report),
        ]


def _doubts(report: ItemsReport) -> Iterator[tuple[str, str]]:
    """What is to be looked at before anybody rates it, with the keys of the first few."""
    for doubt, count in report.doubts.counts.most_common():
        first = ", ".join(one["key"] for one in report.doubts.first[doubt])
        yield WORDS[doubt], f"{count:,} (first: {first})"
