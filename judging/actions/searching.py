"""Put what was answered in runs that are over into the index by which words are found."""

from datetime import datetime, timedelta
from itertools import islice

from django.db import transaction

from judging.models import AnswerPieces, JudgeRun
from judging.queries import searching as queries
from judging.rules.searching import pieces

SETTLED = timedelta(minutes=15)  # what was under way when a run ended is taken until then
_AT_A_TIME = 500


def index_finished(*, at: datetime, most: int = 20) -> int:
    """Index runs that are over and not in it yet; return how many."""
    runs = queries.runs_to_index(ended_before=at - SETTLED)[:most]
    for run in runs:
        _index(run)
    return len(runs)


@transaction.atomic
def _index(run: JudgeRun) -> None:
    """All of a run or nothing: a run with pieces is not looked through any more."""
    answered = iter(queries.answered_in(run).values_list("pk", "exchanges").iterator(_AT_A_TIME))
    while some := list(islice(answered, _AT_A_TIME)):
        AnswerPieces.objects.bulk_create(
            AnswerPieces(call_id=call, run=run, pieces=sorted(_pieces_of(exchanges)))
            for call, exchanges in some
        )


def _pieces_of(exchanges: list[dict[str, str]]) -> set[int]:
    return pieces(" ".join(one["text"] for one in exchanges))
