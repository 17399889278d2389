"""Import ratings from a file."""

from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.actions.imports.raters import RaterGiven
from annotation.actions.imports.ratings import RatingsReport, import_ratings
from annotation.management.importing import ImportCommand, counts
from annotation.models import RaterKind
from annotation.readers.ratings import RATER_KEY


class Command(ImportCommand[RatingsReport]):
    help = (
        "Import ratings into a study: all of a file or, if a row is wrong, nothing. Reads the "
        "MentalAlign layout (.xlsx or .csv: a row per conversation, a column "
        "human_response_SOURCE or judge_response_SOURCE whose cells hold JSON; one rater a file) "
        "and tables of any number of raters (.csv in UTF-8, the first sheet of an .xlsx, .jsonl, "
        ".json): one rating a row (item, rater, criterion, value, reason), one item a row with a "
        "column for each criterion (item, rater, CRITERION …, reason), or one item a row with a "
        "column for each criterion of each rater (item, CRITERION.RATER …). The rater is left out "
        "where --rater names it, the reason where there is none; a column repeat numbers "
        "the runs or seeds of a rater that answered several times; ConvID and source may stand "
        "for item. What cannot be read as a value is stored without one, with the cause. A "
        "value off the scale is kept as released and flagged. Importing a file again changes "
        "nothing; changed ratings take the place of the earlier ones, which are kept."
    )

    def add_options(self, parser: CommandParser) -> None:
        parser.add_argument("--rater", metavar="KEY", help="whose ratings these are")
        parser.add_argument("--name", help="the rater's name on screens")
        parser.add_argument(
            "--kind",
            choices=RaterKind.values,
            help="a person or an LLM judge; without it MentalAlign's columns say it, and the "
            "raters of other tables are people",
        )
        parser.add_argument(
            "--judges",
            nargs="+",
            default=[],
            metavar="KEY",
            help="raters of a table who are LLM judges; the others are people",
        )
        parser.add_argument(
            "--own-source",
            nargs="+",
            metavar="SOURCE",
            help="sources of replies that a judge must not be measured on: its own family",
        )
        parser.add_argument(
            "--with-items",
            action="store_true",
            help="create the items that a MentalAlign file speaks of and the study lacks",
        )

    def run(self, options: Mapping[str, Any], **given: Any) -> RatingsReport:
        return import_ratings(rater=_rater_in(options), with_items=options["with_items"], **given)

    def size(self, report: RatingsReport) -> str:
        return f"{report.ratings:,} ratings of {report.sets:,} items"

    def lines(self, report: RatingsReport) -> list[tuple[str, int | str]]:
        return [
            ("new items", report.new_items),
            ("raters", report.raters),
            ("new among them", ", ".join(f"{one.key} ({one.kind})" for one in report.new_raters)),
            ("here before", ", ".join(report.known_raters)),
            ("people, though called as LLMs are: see --judges", ", ".join(report.llms_as_people)),
            ("raters who may be one", ", ".join(map(" = ".join, report.called_alike))),
            ("repeats of one rater", report.repeats if report.repeats > 1 else 0),
            ("items rated for the first time", report.new),
            ("items whose ratings changed", report.changed),
            ("items whose ratings are as before", report.unchanged),
            ("ratings", report.n_scored),
            ("of them off the scale, kept and flagged", counts(report.off_scale)),
            ("without a value", counts(report.unscored)),
            ("criteria without any value", ", ".join(report.without_values)),
            ("conversations with another text than the study's", report.other_texts),
            ("left out: rejected or skipped by their annotators", report.declined),
            ("judges without --own-source", ", ".join(report.without_family)),
        ]


def _rater_in(options: Mapping[str, Any]) -> RaterGiven:
    key = options["rater"]
    if key is None:
        if options["name"] or options["own_source"]:
            raise CommandError("--name and --own-source describe one rater: give --rater.")
        key = ""
    elif not RATER_KEY.fullmatch(key):
        raise CommandError(
            "A rater's key is made of Latin letters, digits, hyphens and underscores, such as "
            "gemini-2-5-flash."
        )
    return RaterGiven(
        key=key,
        judges=frozenset(options["judges"]),
        name=options["name"],
        kind=RaterKind(options["kind"]) if options["kind"] else None,
        own_generators=options["own_source"],
    )
