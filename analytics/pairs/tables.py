"""Whose replies judges preferred, and what the place decided, as a report prints it."""

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from analytics.pairs.numbers import PairsCompared
from analytics.present.naming import Naming
from analytics.present.tables import Column, Line, Plain, Table, count, table
from analytics.present.words import percent
from judging.rules.comparing import OVERALL
from judging.rules.preferences import ShareFound


def tables(found: Sequence[PairsCompared], naming: Naming) -> Iterator[Table]:
    yield wins(found, naming)
    yield places(found, naming)


def wins(found: Sequence[PairsCompared], naming: Naming) -> Table:
    return table(
        "pairs_wins",
        _("Whose reply is preferred"),
        _(
            "A pair is won where the judge says so in every order in which it was asked; what it says "
            "otherwise, or calls a tie, is undecided and counts half for each. Left out is what was not "
            "asked or not read in every order. Intervals of 95 % take pairs of one conversation to hang "
            "together."
        ),
        about=[*_about(), Column("generator", _("Generator")), Column("against", _("Against"))],
        columns=[
            Column("won", _("Won")),
            Column("lost", _("Lost")),
            Column("undecided", _("Undecided")),
            Column("left_out", _("Left out")),
            *_of_share("share", _("Share won")),
        ],
        lines=(
            Line(
                about=(
                    *_of(one, won.criterion, naming),
                    Plain(won.source, won.source),
                    Plain(won.other, won.other),
                ),
                values=(
                    count(won.won),
                    count(won.lost),
                    count(won.undecided),
                    count(won.left_out),
                    *_share(won.share),
                ),
            )
            for one in found
            for won in one.wins
        ),
        counts=False,
    )


def places(found: Sequence[PairsCompared], naming: Naming) -> Table:
    return table(
        "pairs_places",
        _("What the place decides"),
        _(
            "A judge that goes by the replies prefers the same one in both orders, and the first as often "
            "as the second. “By place”: surely not half of them, all criteria of a comparison taken together "
            "(Bonferroni). Where each pair was asked about in one order, none was read in both. Where a judge was "
            "asked for a value of each, points are those that the same reply has more as the first."
        ),
        about=_about(),
        columns=[
            Column("calls", _("Calls")),
            Column("unread", _("Not read")),
            Column("ties", _("Ties")),
            Column("both_orders", _("Read in both orders")),
            Column("same", _("Same reply")),
            Column("first_twice", _("First twice")),
            Column("second_twice", _("Second twice")),
            *_of_share("first", _("Of those preferred the first")),
            Column("by_place", _("By place"), is_words=True),
            Column("shift", _("Points more as the first")),
            *_of_share("higher", _("Of those moved, higher as the first")),
        ],
        lines=(
            Line(
                about=_of(one, place.criterion, naming),
                values=(
                    count(place.calls),
                    count(place.unread),
                    count(place.ties),
                    count(place.both_orders),
                    count(place.same),
                    count(place.first_twice),
                    count(place.second_twice),
                    *_share(place.first),
                    Plain(_("yes") if place.is_by_place else _("no"), place.is_by_place),
                    None if place.shift is None else Plain(f"{place.shift:+.2f}", place.shift),
                    *_share(place.higher_as_first),
                ),
            )
            for one in found
            for place in one.places
        ),
        counts=False,
    )


def _about() -> list[Column]:
    return [
        Column("comparison", _("Comparison")),
        Column("judge", _("Judge")),
        Column("criterion", _("Criterion")),
    ]


def _of(one: PairsCompared, criterion: str, naming: Naming) -> tuple[Plain, Plain, Plain]:
    on_the_whole = Plain(_("On the whole"), OVERALL)
    return (
        Plain(f"{one.number:,}", one.number),
        Plain(one.judge_name, one.judge),
        on_the_whole if criterion == OVERALL else naming.criterion(criterion),
    )


def _of_share(key: str, head: str) -> list[Column]:
    return [
        Column(key, head),
        Column(f"{key}_low", _("from")),
        Column(f"{key}_high", _("to")),
    ]


def _share(found: ShareFound | None) -> tuple[Plain | None, ...]:
    if found is None:
        return (None, None, None)
    return tuple(Plain(percent(one), one) for one in (found.value, found.low, found.high))
