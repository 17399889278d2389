"""Print the agreement of a study: the table of the page."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import chain
from typing import Any, cast

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from analytics.agreement import numbers as agreement
from analytics.agreement import page as pages
from analytics.agreement.numbers import Report
from analytics.agreement.words import left_out
from analytics.figures import store as snapshots
from analytics.figures.part import Part
from analytics.parts import PARTS
from analytics.present.grid import Grid
from analytics.present.naming import of_raters
from analytics.ratings import matrices
from analytics.ratings.matrices import PLAIN, RELEASED, View
from analytics.verification.checks import TOLERANCE, Check, checks
from annotation.management.asking import study_named
from annotation.rubric.schema import Rubric

_MEANWHILE = "Ratings arrived meanwhile. Run the command again."


class Command(BaseCommand):
    help = (
        "Print human-human and human-judge agreement of a study, each figure with its 95 % "
        "interval, at item level and at system level; as --json with everything behind it. "
        "--verify recomputes each figure with pingouin, krippendorff, scikit-learn and "
        "statsmodels, and fails if one differs by more than 1e-9."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="the study's key")
        parser.add_argument("--json", action="store_true", help="the whole report as JSON")
        parser.add_argument(
            "--part",
            choices=PARTS,
            default=agreement.PART.key,
            help="the figures of another page, always as JSON and without a selection",
        )
        parser.add_argument(
            "--as-released", action="store_true", help="with off-scale values and items set aside"
        )
        for name, told in (("criterion", "only these criteria"), ("judge", "only these judges")):
            parser.add_argument(f"--{name}", nargs="+", default=[], metavar="KEY", help=told)
        parser.add_argument("--verify", action="store_true", help="compare with published packages")

    def handle(
        self,
        *args: object,
        study: str,
        part: str,
        as_released: bool,
        criterion: list[str],
        judge: list[str],
        verify: bool,
        **options: object,
    ) -> None:
        asked = study_named(study)
        if part != agreement.PART.key:
            if criterion or judge or verify:
                raise CommandError("--part takes no --criterion, --judge or --verify.")
            self._print_part(asked.pk, PARTS[part], as_released=as_released)
            return
        # Single raters, which are nearly all of a large study, are read a criterion at a time.
        found = snapshots.up_to_date(
            study_id=asked.pk, part=agreement.PART, at=timezone.now(), pieces=()
        )
        wanted = {"criteria": criterion, "judges": judge}
        if problem := agreement.problem_with_selection(found[PLAIN], **wanted):
            raise CommandError(problem)
        chosen = {view: agreement.selected(one, **wanted) for view, one in found.items()}
        report = chosen[RELEASED if as_released else PLAIN]
        each: Iterable[Report] = _each_criterion(asked.pk, report, judges=judge)
        made: list[Check] = []
        if verify:
            each = list(each)
            comparisons = chain.from_iterable(one.comparisons for one in each)
            made = self._checks(asked.pk, replace(report, comparisons=tuple(comparisons)))
        if options["json"]:
            self._print_json(report, each, {"verified": _plain(made)} if verify else {})
        else:
            self._print(chosen, asked.rubric_version.content, as_released=as_released)
            self._print_checks(made)
        if failed := [one for one in made if not one.is_met]:
            raise CommandError(
                f"{len(failed)} of {len(made)} figures differ by more than {TOLERANCE:g}."
            )

    def _print_part(self, study_id: int, part: Part[Any], *, as_released: bool) -> None:
        view = RELEASED if as_released else PLAIN
        found = snapshots.up_to_date(study_id=study_id, part=part, at=timezone.now(), only=view)
        self.stdout.write(_json(part.as_json(found[view])))

    def _print_json(
        self, report: Report, each: Iterable[Report], more: Mapping[str, object]
    ) -> None:
        """Comparisons as they are read, and so last."""
        told = agreement.with_sentences(replace(report, comparisons=())) | dict(more)
        del told["comparisons"]
        lines = chain.from_iterable(map(_comparisons, each))
        self.stdout.write(_json(told).removesuffix("\n}") + ',\n  "comparisons": [', ending="")
        for place, line in enumerate(lines):
            text = _json(line).replace("\n", "\n    ")
            self.stdout.write(f"{',' if place else ''}\n    {text}", ending="")
        self.stdout.write("\n  ]\n}")

    def _print(self, found: dict[View, Report], rubric: Rubric, *, as_released: bool) -> None:
        report = found[RELEASED if as_released else PLAIN]
        page = pages.page(found, of_raters(rubric, report.raters), {}, view=report.view)
        self.stdout.write(
            f"From {page.n_ratings} ratings of {page.made_of}, revision {page.report.revision}. "
            f"{left_out(report)}"
        )
        for note in page.said_general_notes:
            self.stdout.write(note)
        for shown in (page.item_level, page.systems, page.systems_with_and_without):
            if shown:
                self._print_grid(shown)
        for letter, note in page.said_footnotes:
            self.stdout.write(f"{letter}  {note}")
        if page.few_systems:
            self.stdout.write(page.few_systems)

    def _print_grid(self, shown: Grid) -> None:
        self.stdout.write(f"\n{shown.title}")
        rows = [[f"{cell.brief} {cell.marks}".rstrip() for cell in row] for row in shown.cells]
        self._rows([[head.text for head in shown.heads], *rows])

    def _rows(self, rows: Sequence[Sequence[str]]) -> None:
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            first, *others = (
                cell.ljust(width) if place == 0 else cell.rjust(width)
                for place, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
            self.stdout.write("  ".join([first, *others]).rstrip())

    def _checks(self, study_id: int, report: Report) -> list[Check]:
        study = matrices.read(study_id)
        if study.revision != report.revision:
            raise CommandError(_MEANWHILE)
        return list(checks(study, report))

    def _print_checks(self, made: Sequence[Check]) -> None:
        if not made:
            return
        self.stdout.write("\nVerified with published packages")
        head = ["Figure", "ours", "theirs", "difference", "package"]
        self._rows([head, *map(_check_row, made)])
        compared = [one for one in made if one.is_compared]
        met = sum(one.is_met for one in compared)
        if others := len(made) - len(compared):
            self.stdout.write(f"No package here computes {others} others.")
        self.stdout.write(f"{met} of {len(compared)} figures agree to {TOLERANCE:g}.")


def _each_criterion(study_id: int, report: Report, *, judges: Collection[str]) -> Iterator[Report]:
    """The report with the comparisons of a criterion, one after the other."""
    for line in report.criteria:
        [found] = snapshots.newest(
            study_id, agreement.PART, report.view, pieces=[line.key]
        ).values()
        if found.revision != report.revision:
            raise CommandError(_MEANWHILE)
        of_line = agreement.selected(found, criteria=[line.key], judges=judges)
        comparisons = agreement.as_made(of_line, of_line.comparisons)
        yield replace(of_line, comparisons=tuple(comparisons))


def _comparisons(report: Report) -> list[object]:
    return cast("list[object]", agreement.with_sentences(report)["comparisons"])


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def _check_row(one: Check) -> list[str]:
    return [
        f"{one.level} {one.criterion} {one.who} {one.statistic}",
        _exact(one.ours),
        _exact(one.theirs),
        "-" if one.difference is None else f"{one.difference:.1e}",
        f"{one.package} {one.version}".strip() or "none",
    ]


def _plain(made: Sequence[Check]) -> list[dict[str, object]]:
    return [asdict(one) | {"difference": one.difference} for one in made]


def _exact(value: float | None) -> str:
    return "not defined" if value is None else f"{value:.12f}"
