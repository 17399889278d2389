"""Have a judge say which of two replies to the same conversation it puts higher."""

import secrets
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from django.db import transaction

from accounts import events
from accounts.models import User
from annotation.models import Study
from annotation.rubric.sentences import sentence
from judging.actions import runs
from judging.actions.judges import Settings
from judging.actions.runs import CannotRun
from judging.comparing import EDITION, NothingToCompareOn, asked_of_pairs
from judging.models import JudgeRun, PairingChoice, ReplyComparison
from judging.queries import comparing as queries
from judging.rules.budget import NO_LIMIT, Limit
from judging.rules.comparing import Pair, PairsWanted

LONGEST_SEED = 64


@transaction.atomic
def start(
    *,
    study: Study,
    judge: Settings,
    wanted: PairsWanted,
    repeats: int,
    concurrency: int,
    by: User | None,
    at: datetime,
    round_number: int | None = None,
    limit: Limit = NO_LIMIT,
    of_hold_out: bool = False,
    hold_out_reason: str = "",
    by_batch: bool = False,
) -> JudgeRun:
    """Ask a judge about pairs of replies in a study, by the same rules as `runs.start`; CannotRun.

    Without a seed one is drawn.
    """
    wanted = replace(wanted, seed=wanted.seed or secrets.token_hex(16))
    _refuse(study, wanted)
    pairs = queries.pairs_to_ask(
        study, wanted, round_number=round_number, by=by, of_hold_out=of_hold_out
    )
    if not pairs:
        raise CannotRun(
            sentence(
                "There are no two replies of different sources to one conversation. Bring in "
                "replies with their sources, or have generators write them."
            )
        )
    made = ReplyComparison.objects.create(
        study=study,
        pairing=PairingChoice.REFERENCE if wanted.reference else PairingChoice.ALL,
        reference=wanted.reference,
        most=wanted.most,
        both_orders=wanted.both_orders,
        overall=wanted.overall,
        values=wanted.values,
        ties=wanted.ties,
        seed=wanted.seed,
        n_pairs=len(pairs),
        started_at=at,
        started_by=by,
    )
    run = runs.start_comparing(
        comparison=made,
        judge=replace(judge, prompt_edition=EDITION),
        pairs=_as_asked(pairs, both_orders=wanted.both_orders),
        repeats=repeats,
        concurrency=concurrency,
        limit=limit,
        of_hold_out=of_hold_out,
        hold_out_reason=hold_out_reason,
        by_batch=by_batch,
    )
    events.record(
        "comparison.started",
        subject=f"judge_run:{run.pk}",
        by=by,
        at=at,
        facts={
            "study": study.pk,
            "comparison": made.pk,
            "judge": run.judge_id,
            "pairs": len(pairs),
            "both_orders": wanted.both_orders,
            "values": wanted.values,
            "repeats": repeats,
            "of_hold_out": of_hold_out,
        },
    )
    return run


def _refuse(study: Study, wanted: PairsWanted) -> None:
    try:
        asked_of_pairs(
            study.rubric_version.content,
            overall=wanted.overall,
            ties=wanted.ties,
            values=wanted.values,
        )
    except NothingToCompareOn:
        raise CannotRun(
            sentence(
                "The rubric has no scale on which one reply could be higher. Have replies compared "
                "on the whole."
            )
        ) from None
    if wanted.reference and not study.items.filter(generator=wanted.reference).exists():
        raise CannotRun(
            sentence("The study has no replies of “{source}”.", source=wanted.reference)
        )
    if len(wanted.seed) > LONGEST_SEED:
        raise CannotRun(sentence("The seed is longer than {most} characters.", most=LONGEST_SEED))


def _as_asked(pairs: Sequence[Pair], *, both_orders: bool) -> list[Pair]:
    """Each pair as it was drawn, and then, where both orders are asked, all of them turned."""
    return [*pairs, *(pair.turned for pair in pairs)] if both_orders else list(pairs)
