"""Whether the application kept what figures are computed from, and figures: nobody else's are shown."""

from collections.abc import Iterator

from django.db import connection
from django.db.models import CharField, Func, JSONField, TextField, Value
from django.db.models.functions import Cast

from accounts.ledger.marks import bears_session_mark, is_of_known_key, session_mark
from analytics.models import PackedStudy, Snapshot
from analytics.ratings import columns

_COUNTED_DOWN = """
SELECT study_id, counted, max(revision) FROM (
    SELECT study_id, revision FROM analytics_snapshot
    UNION ALL SELECT study_id, revision FROM analytics_export
    UNION ALL SELECT study_id, revision FROM analytics_sealedverdicts
) AS made CROSS JOIN LATERAL (
    SELECT coalesce(sum(n), 0) AS counted FROM annotation_changecount
    WHERE annotation_changecount.study_id = made.study_id
) AS changes
GROUP BY study_id, counted HAVING max(revision) > counted ORDER BY study_id
"""
# All of a part is kept at once: a piece of before would be shown beside newer ones.
_OF_TWO_REVISIONS = """
SELECT study_id, part FROM analytics_snapshot GROUP BY study_id, part, edition
HAVING count(DISTINCT (revision, has_earlier)) > 1 ORDER BY study_id, part
"""
# A report says in what bears its mark when it was begun. None waits for long to read what it is made of;
# what an import brought may say any time.
_OF_BEFORE = """
SELECT study_id, part FROM analytics_snapshot JOIN (
    SELECT study_id, max(at) AS at FROM (
        SELECT study_id, submitted_at AS at FROM annotation_submission WHERE origin <> 'import'
        UNION ALL
        SELECT study_id, greatest(decided_at, superseded_at)
        FROM annotation_gold JOIN annotation_item ON annotation_item.id = item_id
        WHERE origin <> 'imported'
        UNION ALL
        SELECT study_id, greatest(quarantined_at, lifted_at)
        FROM annotation_quarantine JOIN annotation_item ON annotation_item.id = item_id
    ) AS changes GROUP BY study_id
) AS changed USING (study_id)
WHERE piece = '' AND changed.at - interval '1 hour' > (report ->> 'computed_at')::timestamptz
    AND revision >= (
        SELECT coalesce(sum(n), 0) FROM annotation_changecount
        WHERE annotation_changecount.study_id = analytics_snapshot.study_id
    )
ORDER BY study_id, part
"""


class SessionMark(Func):
    """The mark that the database makes of all its arguments, one after the other."""

    template = session_mark("convert_to(%(expressions)s, 'UTF8')")
    arg_joiner = " || "
    output_field = CharField()


def signed(snapshot: Snapshot, text: str) -> Snapshot:
    """The same with its report, which is this JSON, and with a mark that the database makes."""
    snapshot.report = Cast(Value(text, TextField()), JSONField())
    place = Value(_place(snapshot), TextField())
    snapshot.mark = SessionMark(place, Cast(snapshot.report, TextField()))
    return snapshot


def is_genuine(snapshot: Snapshot, text: str) -> bool:
    """Whether it bears the application's mark; `text` is its report as the database writes it."""
    return bears_session_mark(snapshot.mark or "", (_place(snapshot) + text).encode())


def is_forged(snapshot: Snapshot, text: str) -> bool:
    """Whether it bears a mark under a key of now which is not its own, or none."""
    is_told = not snapshot.mark or is_of_known_key(snapshot.mark)
    return is_told and not is_genuine(snapshot, text)


def forged() -> Iterator[Snapshot]:
    """The forged ones of all that are kept."""
    stored = Snapshot.objects.defer("report").annotate(text=Cast("report", TextField()))
    for one in stored.order_by("pk").iterator(chunk_size=10):
        if is_forged(one, one.text):
            yield one


def differing_copies() -> Iterator[tuple[str, str]]:
    """(table, what is wrong) of columns that differ from their rows, of snapshots that are forged or were
    put back, and of counts of changes below what was computed already: figures of then would be taken for
    newer ones."""
    for study in PackedStudy.objects.order_by("pk").values_list("pk", flat=True):
        if not columns.are_as_rows(study):
            yield (
                "analytics_packedcolumn",
                f"What figures of study {study} are computed from differs from its rows.",
            )
    for one in forged():
        yield (
            "analytics_snapshot",
            f"Figures of study {one.study_id} ({one.part}) were not kept by this application.",
        )
    with connection.cursor() as cursor:
        for statement in (_OF_TWO_REVISIONS, _OF_BEFORE):
            cursor.execute(statement)
            for study, part in cursor.fetchall():
                yield (
                    "analytics_snapshot",
                    f"Figures of study {study} ({part}) of before stand in the place of newer ones.",
                )
        cursor.execute(_COUNTED_DOWN)
        for study, counted, seen in cursor.fetchall():
            yield (
                "annotation_changecount",
                f"Study {study} has {counted} changes, and figures were computed after {seen}.",
            )


def _place(one: Snapshot) -> str:
    said = (
        *(one.study_id, one.part, one.with_off_scale, one.with_quarantined),
        *(one.revision, one.edition, one.has_earlier),
        *(one.piece, *one.pieces),
    )
    return "|".join(map(str, said)) + "|"
