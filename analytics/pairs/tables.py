"""Whose replies judges preferred, and what the place decided."""

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from analytics.pairs.numbers import PairsCompared
from analytics.present.naming import Naming
from analytics.present.tables import Column, Dressed, Line, Plain, Table, count, named, table
from analytics.stats.estimates import Estimate
from analytics.stats.intervals import WILSON_METHOD
from annotation.queries.wording import decimal
from judging.rules.comparing import OVERALL
from judging.rules.preferences import PlaceEffect, ShareFound


def tables(found: Sequence[PairsCompared], naming: Naming) -> Iterator[Table]:
    """Those that have a line."""
    every = (wins(found, naming), places(found, naming), values(found, naming))
    return (one for one in every if one.lines)


def wins(found: Sequence[PairsCompared], naming: Naming) -> Table:
    return table(
        "pairs_wins",
        _("Whose reply is preferred"),
        _(
            "A reply wins a pair if the judge prefers it in every order in which it was asked; "
            "if the orders disagree, or the judge calls a tie, the pair is undecided and counts "
            "half for each. Left out are pairs that were not asked or not read in every order; "
            "replies that are set aside are not counted. A pair counts as often as it was "
            "repeated."
        ),
        about=[*_about(), Column("generator", _("Generator")), Column("against", _("Against"))],
        columns=[
            Column("won", _("Won"), is_field=True),
            Column("lost", _("Lost"), is_field=True),
            Column("undecided", _("Undecided"), is_field=True),
            Column("left_out", _("Left out")),
            *named(["share_won"]),
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
                    _share("share_won", won.share),
                ),
            )
            for one in found
            for won in one.wins
        ),
        counts=False,
    )


def places(found: Sequence[PairsCompared], naming: Naming) -> Table:
    in_both = _(
        "A judge that goes by the replies prefers the same one in both orders, and the first of two as often as the "
        "second. “By place”: surely not half of them, all criteria of a comparison taken together (Bonferroni)."
    )
    in_one = _(
        "Where each pair was asked about in one order, drawn by lot, whether the judge says the same in the other one "
        "is not known."
    )
    return table(
        "pairs_places",
        _("What the place decides"),
        in_both if all(one.both_orders for one in found) else f"{in_both} {in_one}",
        about=_about(),
        columns=[
            Column("unread", _("Not read")),
            Column("ties", _("Ties")),
            Column("both_orders", _("Read in both orders")),
            Column("same", _("Same reply"), is_field=True),
            Column("first_twice", _("First twice"), is_field=True),
            Column("second_twice", _("Second twice"), is_field=True),
            Column("tie_once", _("Tie once"), is_field=True),
            Column("preferred", _("Preferred one")),
            *named(["share_first"]),
            Column("by_place", _("By place"), is_words=True),
        ],
        lines=(
            Line(
                about=_of(one, place.criterion, naming),
                values=(
                    count(place.unread),
                    count(place.ties),
                    count(place.both_orders),
                    count(place.same),
                    count(place.first_twice),
                    count(place.second_twice),
                    count(place.tie_once),
                    count(place.first.of if place.first else 0),
                    _share("share_first", place.first),
                    _by_place(place),
                ),
            )
            for one in found
            for place in one.places
        ),
        counts=False,
    )


def values(found: Sequence[PairsCompared], naming: Naming) -> Table:
    return table(
        "pairs_values",
        _("By how much the place moves a value"),
        _(
            "The same reply beside the same other one, in both orders: by how many points it has more as the first, on "
            "average, and how often it has more as the first, of those whose value the place changed."
        ),
        about=_about(),
        columns=[
            Column("shift", _("Points more as the first")),
            Column("moved", _("Values that moved")),
            *named(["share_higher"]),
        ],
        lines=(
            Line(
                about=_of(one, place.criterion, naming),
                values=(
                    Plain(decimal(shift, sign="+"), shift, tells_of),
                    count(place.higher_as_first.of if place.higher_as_first else 0, tells_of),
                    _share("share_higher", place.higher_as_first),
                ),
                made_of=tells_of,
            )
            for one in found
            for place in one.places
            if (shift := place.shift) is not None
            for tells_of in [place.moved]
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


def _by_place(place: PlaceEffect) -> Dressed:
    if place.is_by_place:
        return Dressed(value=Plain(_("yes"), True), badge="alert")
    return Dressed(value=Plain(_("no"), False))


def _share(statistic: str, found: ShareFound | None) -> Estimate | None:
    """Of pairs, of calls or of values, each about one judge."""
    if found is None:
        return None
    return Estimate(
        statistic=statistic,
        value=found.value,
        low=found.low,
        high=found.high,
        n_items=found.of,
        n_pairs=found.of,
        n_clusters=found.conversations,
        n_raters=1,
        method=WILSON_METHOD,
    )
