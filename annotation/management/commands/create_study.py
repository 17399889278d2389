"""Create a study."""

from collections.abc import Mapping
from pathlib import Path

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_slug
from django.utils import timezone

from annotation.actions import studies
from annotation.management.asking import account_named, add_by
from annotation.rubric.loading import mistakes_in, parse_toml, shipped


class Command(BaseCommand):
    help = (
        "Create a study under a rubric: one that comes with Concord ("
        + ", ".join(shipped())
        + ") or a TOML file of your own."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("key", help="a short name for addresses: letters, digits, hyphens")
        parser.add_argument("--name", required=True, help="the name on screens")
        parser.add_argument("--rubric", required=True, help="a shipped rubric, or FILE.toml")
        parser.add_argument(
            "--language",
            default="en",
            choices=[code for code, _name in settings.LANGUAGES],
            help="the language of its dialogues",
        )
        parser.add_argument(
            "--coordinator", metavar="EMAIL", help="the account that looks after the study"
        )
        add_by(parser)

    def handle(
        self,
        *args: object,
        key: str,
        name: str,
        rubric: str,
        language: str,
        coordinator: str | None,
        by: str | None,
        **options: object,
    ) -> None:
        try:
            validate_slug(key)
            study = studies.create(
                key=key,
                name=name,
                rubric=_definition(rubric),
                language=language,
                coordinator=account_named(coordinator),
                by=account_named(by),
                at=timezone.now(),
            )
        except ValidationError:
            raise CommandError(
                "A study's key is made of Latin letters, digits, hyphens and underscores."
            ) from None
        except studies.KeyTaken as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"Created the study “{study.key}”.")


def _definition(rubric: str) -> Mapping[str, object]:
    if rubric in shipped():
        return shipped()[rubric]
    if not rubric.endswith(".toml"):
        raise CommandError(
            f"There is no rubric “{rubric}”. Name one of {', '.join(shipped())}, or a .toml file."
        )
    try:
        text = Path(rubric).read_text(encoding="utf-8")
    except OSError as error:
        raise CommandError(f"{rubric} cannot be opened: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise CommandError(f"{rubric} is not UTF-8.") from None
    if mistakes := mistakes_in(text):
        lines = "\n".join(mistake.in_words for mistake in mistakes)
        raise CommandError(f"{rubric}: {lines}")
    return parse_toml(text)
