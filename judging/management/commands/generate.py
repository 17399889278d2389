"""Have LLMs reply to the conversations of a study, and make items of their replies."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.forms import Form
from django.utils import timezone

from accounts.management.refusing import refusing
from annotation.management.asking import account_named, add_by, study_named
from annotation.management.identifiers import add_treatments, decided
from judging.actions import generating as actions
from judging.actions import work
from judging.actions.runs import CannotRun
from judging.forms.generating import GenerationForm, GeneratorForm
from judging.models import Generation
from judging.queries import generating as queries

_LIMITS = ("requests", "tokens", "money")


class Command(BaseCommand):
    help = (
        "Have LLMs reply to the conversations of a study, look how far they are, end it, and make "
        "items of the replies. Generators stand in a TOML file, as [[generator]] with name, llm, "
        "and where it is wanted endpoint, system, temperature, max_tokens."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        verbs: Any = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
        start = verbs.add_parser("start", help="have replies written")
        start.add_argument("study", help="the study's key")
        start.add_argument("file", type=Path, help="a TOML file that describes the generators")
        start.add_argument("--conversations", help="only the first so many that wait for a reply")
        start.add_argument("--repeats", default="1", help="replies of each to a conversation")
        start.add_argument("--concurrency", default="8", help="requests at a time (default 8)")
        for name in _LIMITS:
            start.add_argument(f"--limit-{name}", help=f"{name} of each generator at most")
        start.add_argument(
            "--inline", action="store_true", help="make the calls in this process, without a worker"
        )
        show = verbs.add_parser("show", help="print how far the generators are")
        end = verbs.add_parser("end", help="ask for no more replies")
        take_in = verbs.add_parser("take-in", help="make an item of each reply")
        for verb in (show, end, take_in):
            verb.add_argument("study", help="the study's key")
            verb.add_argument("number", type=int, help="the number that was printed at the start")
        for verb in (start, end, take_in):
            add_by(verb)
        add_treatments(take_in)

    def handle(self, *args: object, verb: str, **options: Any) -> None:
        getattr(self, f"_{verb.replace('-', '_')}")(**options)

    def _start(
        self, *, study: str, file: Path, by: str | None, inline: bool, **options: Any
    ) -> None:
        studied = study_named(study)
        form = _valid(GenerationForm(options))
        described = [_valid(one) for one in _described(file)]
        with refusing(CannotRun):
            made = actions.start(
                study=studied,
                generators=[one.generator(studied) for one in described],
                by=account_named(by),
                at=timezone.now(),
                **form.arguments(),
            )
        self.stdout.write(f"Generation {made.pk}: {made.runs.count()} generators.")
        for run in made.runs.order_by("pk") if inline else ():
            while work.work_on(run_id=run.pk, clock=timezone.now):
                pass
        if inline:
            self._tell(made)

    def _show(self, *, study: str, number: int, **options: Any) -> None:
        self._tell(_numbered(study, number))

    def _end(self, *, study: str, number: int, by: str | None, **options: Any) -> None:
        made = _numbered(study, number)
        if not actions.end(generation=made, by=account_named(by), at=timezone.now()):
            raise CommandError(f"Generation {number} had ended already.")
        self.stdout.write(f"Generation {number} has ended.")

    def _take_in(self, *, study: str, number: int, by: str | None, **options: Any) -> None:
        made = _numbered(study, number)
        with refusing(actions.CannotMakeItems):
            n_items = actions.take_in(
                generation=made,
                identifiers=decided(options),
                by=account_named(by),
                at=timezone.now(),
            )
        self.stdout.write(f"Replies that are items now: {n_items:,}.")

    def _tell(self, made: Generation) -> None:
        for one in queries.status_of(made).writers:
            told = f"{one.generator.name}: {one.done:,} of {one.total:,} calls, {one.run.state}"
            self.stdout.write(
                f"{told}; written {one.written:,}, cut off {one.cut_off:,}, "
                f"refused {one.refused:,}, empty {one.empty:,}, failed {one.failed:,}"
            )


def _numbered(study: str, number: int) -> Generation:
    try:
        return queries.numbered(study_named(study), number)
    except queries.NoSuchGeneration:
        raise CommandError(f"The study has no generation {number}.") from None


def _described(file: Path) -> Iterator[GeneratorForm]:
    """A form for each generator in a file, so that the page and the command take the same."""
    with refusing(OSError, ValueError, RecursionError, about=f"{file} cannot be read as TOML: "):
        told = tomllib.loads(file.read_text(encoding="utf-8"))
    generators = told.get("generator")
    if not isinstance(generators, list) or not all(isinstance(one, dict) for one in generators):
        raise CommandError(f"{file} describes no generators: begin each with [[generator]].")
    for one in generators:
        if strangers := sorted(one.keys() - GeneratorForm.base_fields.keys()):
            raise CommandError(f"Nothing about a generator is called {', '.join(strangers)}.")
        yield GeneratorForm(one)


def _valid(form: Any) -> Any:
    if form.is_valid():
        return form
    raise CommandError("\n".join(f"{field}: {said}" for field, said in _complaints(form)))


def _complaints(form: Form) -> Iterator[tuple[str, str]]:
    return ((field, str(one)) for field, said in form.errors.items() for one in said)
