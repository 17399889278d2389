"""Write a published flow of questions as a rubric."""

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.rubric.flows import FlowError, flow_as_toml
from annotation.rubric.loading import load, mistakes_in, parse_toml
from annotation.rubric.schema import Taxonomy
from annotation.rubric.taxonomy import n_paths


class Command(BaseCommand):
    help = (
        "Turn a flow of questions in the layout of VERA-MH, a table parted by tabs, into the TOML of"
        " a rubric, and say how many questions, answers, paths and dimensions it has."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", help="the table, FLOW.tsv")
        parser.add_argument("--key", required=True, help="the key of the rubric")
        parser.add_argument("--title", required=True, help="its title")
        parser.add_argument("--language", default="en", help="the language of its texts")
        parser.add_argument("--to", required=True, metavar="FILE.toml", help="where to write it")

    def handle(
        self,
        *args: object,
        file: str,
        key: str,
        title: str,
        language: str,
        to: str,
        **options: object,
    ) -> None:
        try:
            text = Path(file).read_text(encoding="utf-8-sig")
            toml = flow_as_toml(text, key=key, title=title, language=language)
        except OSError as error:
            raise CommandError(f"{file} cannot be opened: {error.strerror}.") from None
        except UnicodeDecodeError:
            raise CommandError(f"{file} is not UTF-8.") from None
        except FlowError as error:
            raise CommandError(f"{file}: {error}") from None
        if mistakes := mistakes_in(toml):
            raise CommandError("\n".join(mistake.in_words for mistake in mistakes))
        try:
            Path(to).write_text(toml, encoding="utf-8")
        except OSError as error:
            raise CommandError(f"{to} cannot be written: {error.strerror}.") from None
        rubric = load(parse_toml(toml))
        for walk in rubric.asked:
            if isinstance(walk, Taxonomy):
                answers = sum(len(node.options) for node in walk.nodes)
                self.stdout.write(
                    f"{len(walk.nodes)} questions, {answers} answers, {n_paths(walk):,} paths,"
                    f" {len(rubric.dimensions(walk.key))} dimensions."
                )
