"""Who speaks, as whoever brings a file says it: T = speaker.supporter, SPEAKER_01 = speaker.seeker."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from annotation.readers.calling import Called, speakers_in
from annotation.readers.problems import FileProblem
from annotation.readers.records import Record
from annotation.readers.texts import TIMED

_FIELDS = {
    *("speaker", "role", "from", "interlocutor", "speaker_idx", "speaker_id"),
    *("说话人", "角色"),
}


def with_speakers(
    records: Iterable[Record | FileProblem], called: Called
) -> Iterator[Record | FileProblem]:
    """The records with the names of speakers that were said, in fields, messages, pairs and before
    the lines of a text."""
    speakers = speakers_in(called)
    if not speakers:
        yield from records
        return
    names = "|".join(map(re.escape, sorted(speakers, key=len, reverse=True)))
    heads = re.compile(
        rf"^([^\S\n]*{TIMED})({names})(?=[^\S\n]*(?:[\[(（][\d:.,]+[\])）][^\S\n]*)?[:：])",
        re.IGNORECASE | re.MULTILINE,
    )

    def told(raw: object) -> object:
        if isinstance(raw, str):
            return heads.sub(lambda head: head[1] + speakers[head[2].casefold()], raw)
        if isinstance(raw, list):
            is_pair = len(raw) == 2 and all(isinstance(one, str) for one in raw)
            return [_named(raw[0]), told(raw[1])] if is_pair else [*map(told, raw)]
        if isinstance(raw, Mapping):
            return {name: _said(name, one) for name, one in raw.items()}
        return raw

    def _said(name: str, raw: object) -> object:
        return _named(raw) if str(name).strip().casefold() in _FIELDS else told(raw)

    def _named(raw: object) -> object:
        return speakers.get(str(raw).strip().casefold(), raw)

    for record in records:
        if isinstance(record, FileProblem):
            yield record
        else:
            fields = {name: _said(name, raw) for name, raw in record.fields.items()}
            yield replace(record, fields=fields)
