"""An item as a rater reads it."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.queries.wording import speaker_name


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnShown:
    """One utterance, with its speaker's name."""

    number: int
    speaker: str
    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemShown:
    """What is read of an item: nothing tells who or what wrote the reply.

    `speaker`: in whose part the reply stands, the supporter's or the seeker's.
    """

    turns: tuple[TurnShown, ...]
    reply: str | None
    speaker: str
    speaker_name: str
    content_note: str


def shown(
    turns: Sequence[dict[str, str]], reply: str | None, reply_speaker: str, content_note: str
) -> ItemShown:
    """Lay an item out, its turns numbered from 1."""
    return ItemShown(
        turns=tuple(
            TurnShown(
                number=number,
                speaker=turn["speaker"],
                name=speaker_name(turn["speaker"]),
                text=turn["text"],
            )
            for number, turn in enumerate(turns, start=1)
        ),
        reply=reply,
        speaker=reply_speaker,
        speaker_name=speaker_name(reply_speaker),
        content_note=content_note,
    )
