"""Import items from a file."""

from collections.abc import Mapping
from typing import Any

from annotation.actions.imports.items import ItemsReport, import_items
from annotation.management.importing import ImportCommand


class Command(ImportCommand[ItemsReport]):
    help = (
        "Import items into a study: all of a file or, if a row is wrong, nothing. Reads a table "
        "(.csv in UTF-8 or the first sheet of an .xlsx: key, dialogue, reply, generator, "
        "content_note, gold.CRITERION), the same fields as JSON (.jsonl or .json, with the "
        "dialogue as text or as turns), the DialogueSafety layout (context, response, label), and "
        "the MentalAlign layout (one item a conversation and source, without the replies). In a "
        "dialogue given as text each turn begins with [seeker] or [supporter]. Importing a file "
        "again changes nothing."
    )

    def run(self, options: Mapping[str, Any], **given: Any) -> ItemsReport:
        return import_items(**given)

    def lines(self, report: ItemsReport) -> list[tuple[str, int | str]]:
        return [
            ("new items", report.new),
            ("in new dialogues", report.new_dialogues),
            ("without a reply", report.without_reply),
            ("already in the study", report.unchanged),
            ("new gold", report.new_gold),
            ("changed gold", report.changed_gold),
            ("gold that a round has decided otherwise", report.kept_gold),
        ]
