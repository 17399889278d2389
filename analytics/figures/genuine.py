"""Whether the application computed a snapshot: nobody else's is shown."""

from collections.abc import Iterator

from django.db.models import JSONField, TextField, Value
from django.db.models.expressions import RawSQL
from django.db.models.functions import Cast

from accounts.ledger.marks import bears_session_mark, is_of_known_key, session_mark
from analytics.models import Snapshot

_MARK = session_mark("convert_to(%s || %s::jsonb::text, 'UTF8')")


def signed(snapshot: Snapshot, text: str) -> Snapshot:
    """The same with its report, which is this JSON, and with a mark that the database makes."""
    snapshot.report = Cast(Value(text, TextField()), JSONField())
    snapshot.mark = RawSQL(_MARK, [_place(snapshot), text])  # noqa: S611 -- values are parameters
    return snapshot


def is_genuine(snapshot: Snapshot, text: str) -> bool:
    """Whether it bears the application's mark; `text` is its report as the database writes it."""
    return bears_session_mark(snapshot.mark, (_place(snapshot) + text).encode())


def forged() -> Iterator[Snapshot]:
    """Those that bear a mark under a key of now which is not theirs, or none."""
    stored = Snapshot.objects.defer("report").annotate(text=Cast("report", TextField()))
    for one in stored.order_by("pk").iterator(chunk_size=10):
        if not is_genuine(one, one.text) and (not one.mark or is_of_known_key(one.mark)):
            yield one


def _place(one: Snapshot) -> str:
    said = (
        *(one.study_id, one.part, one.with_off_scale, one.with_quarantined),
        *(one.revision, one.edition, one.has_earlier),
    )
    return "|".join(map(str, said)) + "|"
