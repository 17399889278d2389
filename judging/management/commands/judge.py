"""Start, watch and steer judges from the command line."""

import argparse
import json
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection
from django.utils import timezone
from tqdm import tqdm

from accounts.management.refusing import refusing
from annotation.management.asking import account_named, add_by, study_named
from annotation.models import Study
from judging.actions import probes, rereading, runs, templates, work
from judging.forms.starting import (
    ALL,
    HOLD_OUT,
    JSON,
    OF_BOTH,
    ON_SCALES,
    ON_THE_WHOLE,
    PLAIN,
    RATE,
    REPLACING,
    LimitForm,
    PaceForm,
    StartForm,
)
from judging.models import JudgeRun
from judging.prompts import loading
from judging.queries import holding_out, sentinels, showing, wording
from judging.queries import templates as written
from judging.rules.preferences import ShareFound
from judging.rules.questions import AskingManner

_Verbs: TypeAlias = "argparse._SubParsersAction[CommandParser]"

_EVERY = 0.5  # seconds between two looks at a run
_NOTHING_TO_RUN: dict[str, object] = {
    "round": None,
    "hold_out": False,
    "replaces": None,
    "because": "",
    "repeats": "1",
    "concurrency": "1",
    "own_generator": [],
    "by_batch": False,
    "limit_requests": None,
    "limit_tokens": None,
    "limit_money": None,
    "pairs": False,
    "against": "",
    "most_pairs": None,
    "one_order": False,
    "overall": False,
    "values": False,
    "no_ties": False,
    "pairs_seed": "",
}


class Command(BaseCommand):
    help = (
        "Have an LLM rate the items of a study: start, watch, retune, pause, resume, end and retry "
        "runs, keep prompts, and read stored answers again. The "
        "endpoint is that of CONCORD_LLM_BASE_URL and CONCORD_LLM_API_KEY, or one that was added "
        "(manage.py endpoint)."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
        _add_start(verbs)
        _add_probe(verbs)
        _add_reread(verbs)
        _add_prompts(verbs)
        _add_retune(verbs)
        retry = verbs.add_parser("retry", help="ask again only what the endpoint failed at")
        watch = verbs.add_parser("watch", help="show the progress of a run until it ends")
        pause = verbs.add_parser("pause", help="make no more calls")
        resume = verbs.add_parser("resume", help="go on with a paused run")
        end = verbs.add_parser("end", help="end a run; calls that were not made stay unmade")
        show = verbs.add_parser("show", help="print the figures of a run")
        for verb in (watch, pause, resume, end, show, retry):
            verb.add_argument("run", type=int, help="the run's number")
        for verb in (pause, resume, end, retry):
            add_by(verb)
        _add_limits(resume)
        for verb in (resume, retry):
            _add_how_to_follow(verb)
        show.add_argument("--json", dest="as_json", action="store_true", help="print JSON")

    def handle(self, *args: object, verb: str, **options: object) -> None:
        getattr(self, f"_{verb}")(**options)

    def _start(
        self, *, study: str, by: str | None, watch: bool, inline: bool, **options: Any
    ) -> None:
        studied = study_named(study)
        form = StartForm(_as_posted(options, studied), study=studied)
        if not form.is_valid():
            raise CommandError("\n".join(_complaints(form)))
        with refusing(runs.CannotRun):
            run = form.start(by=account_named(by), at=timezone.now(), seed=options["pairs_seed"])
        total = run.calls.count()
        self.stdout.write(f"Run {run.pk}: {total:,} calls to {form.judge().llm}.")
        asked = run.judge
        if untried := runs.reason_to_try(asked.llm, asked.base_url, asked.endpoint_id):
            self.stderr.write(str(untried))
        self._follow(run.pk, watch=watch, inline=inline)

    def _probe(self, *, study: str, by: str | None, **options: Any) -> None:
        studied = study_named(study)
        form = StartForm(_as_posted(_NOTHING_TO_RUN | options, studied), study=studied)
        if not form.is_valid():
            raise CommandError("\n".join(_complaints(form)))
        with refusing(runs.CannotRun):
            probe = probes.try_out(
                study=studied, judge=form.judge(), by=account_named(by), at=timezone.now()
            )
        lines = [f"{tried}: {came}" for tried, came in wording.probe_in_words(probe)]
        if not probe.has_answered:
            raise CommandError("\n".join(lines))
        for line in lines:
            self.stdout.write(line)

    def _reread(self, *, study: str, by: str | None, apply: bool, **options: Any) -> None:
        studied = study_named(study)
        if apply:
            found = rereading.reread(study=studied, by=account_named(by), at=timezone.now())
        else:
            found = rereading.preview(study=studied)
        self.stdout.write(
            f"Answers read by an earlier edition: {found.calls:,}; {found.changed:,} "
            f"{'now say' if apply else 'would say'} something else."
        )
        if found.unknown:
            self.stdout.write(
                f"Not read again, their prompts have changed since: {found.unknown:,}"
            )
        for (criterion, before, after), count in sorted(found.changes.items()):
            self.stdout.write(f"{criterion}: {before} → {after}: {count:,}")
        if found.changed and not apply:
            self.stdout.write("Nothing has been stored. Add --apply to store it beside what is.")

    def _prompt(self, *, study: str, name: str, by: str | None, note: str, **options: Any) -> None:
        studied = study_named(study)
        try:
            made = templates.write(
                study=studied,
                name=name,
                text=_text_of_prompt(**options),
                note=note,
                by=account_named(by),
                at=timezone.now(),
            )
        except templates.CannotWrite as refusal:
            raise CommandError("\n".join(map(str, refusal.args))) from None
        self.stdout.write(f"Prompt {made.name}/{made.number}: {made.sha256}")

    def _prompts(self, *, study: str, **options: Any) -> None:
        for one in written.of_study(study_named(study)):
            self.stdout.write(f"{one.name}/{one.number}: {one.sha256[:12]} {one.note}".rstrip())

    def _retune(
        self,
        *,
        run: int,
        by: str | None,
        concurrency: str | None,
        limit_requests: str | None,
        limit_tokens: str | None,
        limit_money: str | None,
        **options: Any,
    ) -> None:
        now = _run_numbered(run)
        form = PaceForm(
            {
                "concurrency": concurrency or now.concurrency,
                "limit_requests": limit_requests or now.limit_requests,
                "limit_tokens": limit_tokens or now.limit_tokens,
                "limit_money": limit_money or now.limit_money,
            }
        )
        if not form.is_valid():
            raise CommandError("\n".join(_complaints(form)))
        tune = partial(
            runs.retune, concurrency=form.cleaned_data["concurrency"], limit=form.limit()
        )
        self._move(run, tune, by, "follows this from now on.", "has ended.")

    def _retry(
        self, *, run: int, by: str | None, watch: bool, inline: bool, **options: Any
    ) -> None:
        with refusing(runs.CannotRun):
            again = runs.retry_failed(
                run_id=_run_numbered(run).pk, by=account_named(by), at=timezone.now()
            )
        if again is None:
            raise CommandError(f"Run {run} has not ended, or the endpoint failed at nothing in it.")
        self.stdout.write(f"Run {again.pk} asks {again.calls.count():,} calls again.")
        self._follow(again.pk, watch=watch, inline=inline)

    def _watch(self, *, run: int, **options: Any) -> None:
        _run_numbered(run)
        self._follow(run, watch=True, inline=False)

    def _pause(self, *, run: int, by: str | None, **options: Any) -> None:
        self._move(run, runs.pause, by, "is paused.", "is not running.")

    def _resume(
        self,
        *,
        run: int,
        by: str | None,
        watch: bool,
        inline: bool,
        limit_requests: str | None,
        limit_tokens: str | None,
        limit_money: str | None,
        **options: Any,
    ) -> None:
        limit = _run_numbered(run).limit
        form = LimitForm(
            {
                "limit_requests": limit_requests or limit.requests,
                "limit_tokens": limit_tokens or limit.tokens,
                "limit_money": limit_money or limit.money,
            }
        )
        if not form.is_valid():
            raise CommandError("\n".join(_complaints(form)))
        go_on = partial(runs.resume, limit=form.limit())
        self._move(run, go_on, by, "goes on.", "is not paused.")
        self._follow(run, watch=watch, inline=inline)

    def _end(self, *, run: int, by: str | None, **options: Any) -> None:
        self._move(run, runs.finish, by, "has ended.", "had ended already.")

    def _show(self, *, run: int, as_json: bool, **options: Any) -> None:
        status = showing.status_of(_run_numbered(run), at=timezone.now())
        if as_json:
            self.stdout.write(_as_json(status))
            return
        for line in _in_lines(status):
            self.stdout.write(line)

    def _move(
        self, number: int, action: Callable[..., bool], by: str | None, done: str, was_so: str
    ) -> None:
        run = _run_numbered(number)
        with refusing(runs.CannotRun):
            has_moved = action(run_id=run.pk, by=account_named(by), at=timezone.now())
        if not has_moved:
            raise CommandError(f"Run {number} {was_so}")
        self.stdout.write(f"Run {number} {done}")

    def _follow(self, run_id: int, *, watch: bool, inline: bool) -> None:
        if inline:
            self._make_calls_here(run_id)
        elif watch:
            self._draw(run_id)
        else:
            self.stdout.write(f"Watch it with: manage.py judge watch {run_id}")
            return
        self._conclude(run_id)

    def _make_calls_here(self, run_id: int) -> None:
        with ThreadPoolExecutor(max_workers=1) as thread:
            done = thread.submit(_work_until_it_rests, run_id)
            try:
                self._draw(run_id, until=done)
            except KeyboardInterrupt:
                runs.pause(run_id=run_id, by=None, at=timezone.now())
            done.result()

    def _draw(self, run_id: int, *, until: Future[None] | None = None) -> None:
        """Show the progress until the run rests, or the work here is done."""
        status = showing.status_of(_run_numbered(run_id), at=timezone.now())
        if until is None and not status.worker.is_there and status.is_running:
            self.stderr.write(
                "No worker is running: start one with `python -m config.processes judges`, or make "
                "the calls here with --inline."
            )
        with tqdm(total=status.progress.total, unit=" calls", file=sys.stderr, disable=None) as bar:
            while True:
                bar.set_postfix(unscored=status.n_unscored, refresh=False)
                bar.update(status.progress.done - bar.n)
                if not status.is_running or (until is not None and until.done()):
                    return
                time.sleep(_EVERY)
                status = showing.status_of(_run_numbered(run_id), at=timezone.now())

    def _conclude(self, run_id: int) -> None:
        status = showing.status_of(_run_numbered(run_id), at=timezone.now())
        for line in _in_lines(status):
            self.stdout.write(line)
        if status.is_paused:
            raise CommandError(f"Run {run_id} is paused. {wording.reason_paused(status.run)}")
        if status.is_running:
            raise CommandError(f"Run {run_id} still runs: somebody else works on it.")


def _add_probe(verbs: _Verbs) -> None:
    probe = verbs.add_parser(
        "probe", help="try a judge on a made-up dialogue and say what its endpoint takes"
    )
    _add_settings(probe)
    probe.add_argument("--pairs", action="store_true", help="of one that compares two replies")
    add_by(probe)


def _add_reread(verbs: _Verbs) -> None:
    reread = verbs.add_parser(
        "reread", help="read stored answers again where the parser has changed; asks nobody"
    )
    reread.add_argument("study", help="the study's key")
    reread.add_argument("--apply", action="store_true", help="store what is read, not only show it")
    add_by(reread)


def _add_prompts(verbs: _Verbs) -> None:
    listed = verbs.add_parser("prompts", help="list the prompts of a study, newest versions first")
    write = verbs.add_parser("prompt", help="keep a file as the next version of a prompt")
    for verb in (listed, write):
        verb.add_argument("study", help="the study's key")
    write.add_argument("name", help="of the prompt; the same name makes its next version")
    source = write.add_mutually_exclusive_group(required=True)
    source.add_argument("--file", type=Path, help="in TOML")
    source.add_argument("--shipped", choices=sorted(loading.shipped()), help="as Concord has it")
    write.add_argument("--note", default="", help="what is new in it")
    add_by(write)


def _text_of_prompt(*, file: Path | None, shipped: str | None, **options: Any) -> str:
    if file is None:
        return loading.shipped()[str(shipped)].text
    with refusing(OSError, UnicodeDecodeError, about=f"{file}: "):
        return file.read_text(encoding="utf-8")


def _add_retune(verbs: _Verbs) -> None:
    retune = verbs.add_parser("retune", help="set pace and limits of a run otherwise as it goes on")
    retune.add_argument("run", type=int, help="the run's number")
    retune.add_argument("--concurrency", help="requests at a time")
    _add_limits(retune)
    add_by(retune)


def _add_settings(parser: CommandParser) -> None:
    parser.add_argument("study", help="the study's key")
    parser.add_argument("--llm", required=True, help="the LLM's name, as the endpoint knows it")
    parser.add_argument("--endpoint", default="", help="the key of an endpoint that was added")
    parser.add_argument(
        "--prompt",
        default="",
        metavar="NAME[/VERSION]",
        help="a prompt of the study, which has manner, language and form of the answer in it",
    )
    parser.add_argument(
        "--manner", default=AskingManner.FLAT.value, help="flat (default), each or sequential"
    )
    parser.add_argument("--language", help="of the prompt: en or zh-hans (default: the study's)")
    parser.add_argument("--plain", action="store_true", help="ask for the values alone, not JSON")
    parser.add_argument("--temperature", default="0", help="0 to 2 (default 0), or “none”")
    parser.add_argument("--max-tokens", help="the longest answer (a plain label needs about 10)")


def _add_start(verbs: _Verbs) -> None:
    start = verbs.add_parser("start", help="start a judge on the items of a study")
    _add_settings(start)
    which = start.add_mutually_exclusive_group()
    which.add_argument("--round", help="only the items of this round, by its number")
    which.add_argument(
        "--hold-out", action="store_true", help="what is held out, and nothing else; it is counted"
    )
    which.add_argument(
        "--replaces",
        metavar="KEY",
        help="only the sentinels of the judge with this key, to see what another one would change",
    )
    start.add_argument("--because", default="", help="why the hold-out is used again")
    start.add_argument("--repeats", default="1", help="how often each item is asked (default 1)")
    start.add_argument("--concurrency", default="8", help="requests at a time (default 8)")
    start.add_argument(
        "--by-batch", action="store_true", help="send in batches: within a day, at their price"
    )
    start.add_argument(
        "--own-generator",
        action="append",
        default=[],
        metavar="NAME",
        help="a source of replies of the LLM's own family, not to be measured; may be repeated",
    )
    _add_pairs(start)
    _add_limits(start)
    add_by(start)
    _add_how_to_follow(start)


def _add_pairs(start: CommandParser) -> None:
    pairs = start.add_argument_group("two replies to the same conversation")
    pairs.add_argument(
        "--pairs", action="store_true", help="ask which of two replies is higher, instead of rating"
    )
    pairs.add_argument("--against", default="", metavar="SOURCE", help="one of each pair is by it")
    pairs.add_argument("--most-pairs", help="so many pairs, drawn by the seed")
    pairs.add_argument(
        "--one-order", action="store_true", help="ask about each pair once, in an order by lot"
    )
    which = pairs.add_mutually_exclusive_group()
    which.add_argument("--overall", action="store_true", help="which is better on the whole")
    which.add_argument(
        "--values", action="store_true", help="a value for each of both on each scale, in one call"
    )
    pairs.add_argument("--no-ties", action="store_true", help="one of both must be preferred")
    pairs.add_argument("--pairs-seed", default="", help="draws pairs and orders (default: by lot)")


def _pairs_posted(
    *,
    pairs: bool,
    against: str,
    most_pairs: str | None,
    one_order: bool,
    overall: bool,
    values: bool,
    no_ties: bool,
    pairs_seed: str,
    **options: Any,
) -> dict[str, object]:
    """What the options ask about pairs."""
    about_pairs = (against, most_pairs, one_order, overall, values, no_ties, pairs_seed)
    if not pairs and any(about_pairs):
        raise CommandError("Options about pairs take --pairs.")
    on = ON_THE_WHOLE if overall else OF_BOTH if values else ON_SCALES
    return {
        "about": on if pairs else RATE,
        "against": against,
        "most_pairs": most_pairs or "",
        "both_orders": not one_order,
        "ties": not no_ties,
    }


def _add_limits(parser: CommandParser) -> None:
    parser.add_argument("--limit-requests", help="pause after so many requests")
    parser.add_argument("--limit-tokens", help="pause after so many tokens of prompts and answers")
    parser.add_argument("--limit-money", help="pause before more is spent, where there is a price")


def _add_how_to_follow(parser: CommandParser) -> None:
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--watch", action="store_true", help="show the progress until the run ends")
    how.add_argument(
        "--inline", action="store_true", help="make the calls in this process, without a worker"
    )


def _as_posted(options: Mapping[str, Any], studied: Study) -> dict[str, object]:
    """The options as the form of the page would send them."""
    return {
        "endpoint": options["endpoint"],
        "llm": options["llm"],
        "prompt": _version_named(studied, options["prompt"]),
        "manner": options["manner"],
        "language": options["language"] or studied.language,
        "answers": PLAIN if options["plain"] else JSON,
        "temperature": "" if options["temperature"] == "none" else options["temperature"],
        "max_tokens": options["max_tokens"] or "",
        "items": _items_posted(studied, **options),
        "hold_out_reason": options["because"],
        "repeats": options["repeats"],
        "concurrency": options["concurrency"],
        "own_generators": options["own_generator"],
        "by_batch": options["by_batch"],
        "limit_requests": options["limit_requests"] or "",
        "limit_tokens": options["limit_tokens"] or "",
        "limit_money": options["limit_money"] or "",
        **_pairs_posted(**options),
    }


def _items_posted(studied: Study, *, hold_out: bool, replaces: str | None, **options: Any) -> str:
    if hold_out and holding_out.in_force(studied) is None:
        raise CommandError("Nothing is held out in this study: see manage.py hold_out.")
    if replaces is None:
        return HOLD_OUT if hold_out else options["round"] or ALL
    standing = sentinels.in_force(studied).filter(judge__rater__key=replaces).first()
    if standing is None:
        raise CommandError(f"“{replaces}” has no sentinels in this study.")
    return f"{REPLACING}{standing.judge.rater_id}"


def _version_named(studied: Study, name: str) -> str:
    """A prompt as the form names it: the newest version where none is given."""
    if not name:
        return ""
    try:
        found = written.named(studied, name)
    except written.NoSuchTemplate:
        raise CommandError(f"--prompt: the study has no prompt {name}.") from None
    return f"{found.name}/{found.number}"


def _complaints(form: LimitForm) -> list[str]:
    """Each mistake, with the option it is about."""
    names = {
        "answers": "--plain",
        "items": "--round",
        "own_generators": "--own-generator",
        "hold_out_reason": "--because",
    }
    return [
        f"{names.get(field, '--' + field.replace('_', '-'))}: {' '.join(map(str, mistakes))}"
        for field, mistakes in form.errors.items()
    ]


def _run_numbered(number: int) -> JudgeRun:
    found = showing.run_numbered(number)
    if found is None:
        raise CommandError(f"There is no run {number}.")
    return found


def _work_until_it_rests(run_id: int) -> None:
    try:
        while work.work_on(run_id=run_id, clock=timezone.now):
            pass
    finally:
        connection.close()


def _in_lines(status: showing.RunStatus) -> list[str]:
    run, progress = status.run, status.progress
    lines = [
        f"Run {run.pk} of {run.judge.rater.name}: {run.get_state_display()}.",
        f"Calls made: {progress.done:,} of {progress.total:,}",
        f"Used: {run.used_requests:,} requests, {run.used_tokens:,} tokens",
    ]
    if run.price:
        lines.append(f"Spent: {run.used_money:.4f} {run.currency}")
    for criterion, shares, mean in wording.accuracies_in_words(status.accuracies):
        each = ", ".join(f"{share.percent:.3f} %" for share in shares)
        lines.append(f"{criterion}: {mean:.3f} % as gold (n = {shares[0].of:,}; {each})")
    if quoted := status.quotations:
        lines.append(f"Quoted: {quoted.all:,}, of which {quoted.unverified:,} stand in no text")
    for place in status.places:
        lines.append(
            f"{place.criterion}: the same in both orders {place.same:,} of {place.both_orders:,} pairs; "
            f"the first twice {place.first_twice:,}, the second twice {place.second_twice:,}; "
            f"prefers the first {_share(place.first)}{', by place' if place.is_by_place else ''}"
        )
        if place.shift is not None:
            lines.append(f"{place.criterion}: {place.shift:+.3f} points more as the first")
    for one in status.wins:
        lines.append(
            f"{one.criterion}: {one.source} against {one.other}: won {one.won:,}, lost {one.lost:,}, "
            f"undecided {one.undecided:,}, left out {one.left_out:,}; share {_share(one.share)}"
        )
    lines += [f"Unscored, {reason.label}: {count:,}" for reason, count in status.unscored]
    return lines


def _share(found: ShareFound | None) -> str:
    if found is None:
        return "-"
    return f"{found.value:.1%} ({found.low:.1%} to {found.high:.1%}, n = {found.of:,})"


def _as_json(status: showing.RunStatus) -> str:
    run, progress = status.run, status.progress
    return json.dumps(
        {
            "run": run.pk,
            "study": run.study.key,
            "judge": run.judge.rater.key,
            "llm": run.judge.llm,
            "is_stand_in": run.judge.is_stand_in,
            "state": run.state,
            "pause_reason": run.pause_reason,
            "calls": progress.total,
            "calls_made": progress.done,
            "used_requests": run.used_requests,
            "used_tokens": run.used_tokens,
            "used_money": str(run.used_money) if run.price else None,
            "currency": run.currency or None,
            "limit_requests": run.limit_requests,
            "limit_tokens": run.limit_tokens,
            "limit_money": None if run.limit_money is None else str(run.limit_money),
            "unscored": {reason.value: count for reason, count in status.unscored},
            "quotations": status.quotations and asdict(status.quotations),
            "places": [asdict(one) for one in status.places],
            "wins": [asdict(one) for one in status.wins],
            "same_as_gold": {
                each.criterion.key: {
                    "mean_percent": each.mean,
                    "repeats": [
                        {"repeat": share.repeat, "same": share.right, "of": share.of}
                        for share in each.shares
                    ],
                }
                for each in status.accuracies
            },
        },
        ensure_ascii=False,
        indent=2,
    )
