"""An item as a rater reads it."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.models import Item
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

    @property
    def texts(self) -> list[str]:
        """The texts that evidence may lie in: those of the turns, then the reply."""
        return [*(turn.text for turn in self.turns), *([] if self.reply is None else [self.reply])]


def texts_of(item_id: int) -> list[str]:
    """The texts of an item that evidence may lie in."""
    turns, reply, speaker = Item.objects.values_list(
        "dialogue__turns", "reply", "reply_speaker"
    ).get(pk=item_id)
    return shown(turns, reply, speaker, "").texts


def shown(
    turns: Sequence[dict[str, str]], reply: str | None, reply_speaker: str, content_note: str
) -> ItemShown:
    """Lay an item out, its turns numbered from 1."""
    names = {speaker: speaker_name(speaker) for speaker in {turn["speaker"] for turn in turns}}
    return ItemShown(
        turns=tuple(
            TurnShown(
                number=number,
                speaker=turn["speaker"],
                name=names[turn["speaker"]],
                text=turn["text"],
            )
            for number, turn in enumerate(turns, start=1)
        ),
        reply=reply,
        speaker=reply_speaker,
        speaker_name=speaker_name(reply_speaker),
        content_note=content_note,
    )
