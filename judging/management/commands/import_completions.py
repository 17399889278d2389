"""Import answers that LLMs gave elsewhere."""

from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandParser

from annotation.management.importing import ImportCommand, counts
from judging.actions.importing import CompletionsReport, RecordedJudge, import_completions
from judging.recorded.files import RecordedLayout


class Command(ImportCommand[CompletionsReport]):
    help = (
        "Import what LLMs answered elsewhere, as calls of a judge: all of a file or, if a row is "
        "wrong, nothing. Reads JSON Lines of {item, run, model, content, finish_reason, usage, "
        "created}, batch output of OpenAI, Anthropic and Gemini (custom_id or key is the item's key, "
        "“key#2” its second answer), logs of inspect_ai (.json, .eval), samples of lm-eval, exports of "
        "Langfuse (.json, .jsonl; metadata.item names the item), results of promptfoo (.json, .jsonl; "
        "the variable item names it) and results.csv of VERA-MH. Answers are read as those of any judge, and "
        "again when the parser changes. Importing a file again changes nothing."
    )

    def add_options(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--layout", choices=[one.value for one in RecordedLayout], help="without it, told"
        )
        parser.add_argument("--llm", default="", help="who answered, where the file does not say")
        parser.add_argument(
            "--by-position",
            action="store_true",
            help="the file counts the study's items from 0 instead of naming their keys",
        )
        parser.add_argument(
            "--language", choices=["en", "zh-hans"], default="en", help="of the prompts"
        )
        parser.add_argument("--json", action="store_true", help="JSON was asked for")
        parser.add_argument(
            "--own-source",
            nargs="+",
            default=[],
            metavar="SOURCE",
            help="sources of replies that the judge must not be measured on: its own family",
        )

    def run(self, options: Mapping[str, Any], **given: Any) -> CompletionsReport:
        return import_completions(
            judge=RecordedJudge(
                llm=options["llm"],
                language=options["language"],
                as_json=options["json"],
                own_generators=frozenset(options["own_source"]),
            ),
            layout=RecordedLayout(options["layout"]) if options["layout"] else None,
            by_position=options["by_position"],
            **given,
        )

    def size(self, report: CompletionsReport) -> str:
        return f"{report.rows:,} answers"

    def lines(self, report: CompletionsReport) -> list[tuple[str, int | str]]:
        return [
            ("LLMs", ", ".join(sorted(report.llms))),
            ("new answers", report.new),
            ("answers that were there already", report.unchanged),
            ("how they were read", counts(report.outcomes)),
            ("runs", ", ".join(map(str, report.runs))),
        ]
