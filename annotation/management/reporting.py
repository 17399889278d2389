"""What the import commands print."""

from collections.abc import Mapping, Sequence

from django.core.management.base import CommandError, OutputWrapper

from annotation.actions.imports.refusals import Problems

SHOWN_BY_AN_IMPORT = 50


def print_lines(out: OutputWrapper, lines: Sequence[tuple[str, int | str]]) -> None:
    """Print (what, how many), one below the other; zeros are left out."""
    shown = [(what, how_many) for what, how_many in lines if how_many]
    width = max((len(what) for what, _ in shown), default=0)
    for what, how_many in shown:
        count = f"{how_many:,}" if isinstance(how_many, int) else how_many
        out.write(f"  {what:<{width}}  {count}")


def counts(by_name: Mapping[object, int]) -> str:
    """“231 × 0, 8 × 6”, most frequent first."""
    ordered = sorted(by_name.items(), key=lambda pair: -pair[1])
    return ", ".join(f"{count:,} × {name}" for name, count in ordered)


def conclude(
    out: OutputWrapper,
    err: OutputWrapper,
    *,
    file: str,
    problems: Problems,
    is_written: bool,
    dry_run: bool,
) -> None:
    """Name the bad rows, and say whether anything was written; CommandError where it was not."""
    shown = problems.in_order if dry_run else problems.in_order[:SHOWN_BY_AN_IMPORT]
    for problem in shown:
        err.write(f"{file}, {problem.words}")
    if problems.count > len(shown):
        err.write(f"… and {problems.count - len(shown):,} more.")
    if problems.count:
        err.write(f"Rows that cannot be imported: {counts(problems.by_reason)}.")
    if is_written:
        out.write(
            f"Imported, without {problems.count:,} bad rows." if problems.count else "Imported."
        )
    elif problems.count and dry_run:
        raise CommandError(
            f"Dry run: {problems.count:,} rows cannot be imported. Nothing was written."
        )
    elif problems.count:
        raise CommandError(
            f"Nothing was imported, because {problems.count:,} rows are wrong. Correct them, or "
            "give --skip-bad to import the others."
        )
    else:
        out.write("Dry run: nothing was written.")
