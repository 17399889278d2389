"""How juries come to their answers, and what each member's vote weighs."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from accounts.punctuation import listed
from analytics.juries.numbers import JuryLine
from analytics.juries.words import RULES
from analytics.present.naming import Naming
from analytics.present.tables import Column, Line, Plain, Table, count, table
from analytics.stats.juries import LEAST


def answers(lines: Sequence[JuryLine], naming: Naming) -> Table:
    """On how many items each jury comes to an answer, and why on others to none."""
    return table(
        "juries_answers",
        _("What juries come to"),
        _(
            "Of the items that a member was asked about, at the first answers. Tied: no value has "
            "most votes, or the middle of a scale lies between two levels. Below the quorum: too few "
            "members could be read. Neither is guessed."
        ),
        about=_about(),
        columns=[
            Column("members", _("Members"), is_words=True),
            Column("rule", _("Rule"), is_words=True),
            Column("quorum", _("Quorum")),
            Column("items", _("Items")),
            Column("decided", _("Decided")),
            Column("tied", _("Tied")),
            Column("short", _("Below the quorum")),
            Column("read", _("Members read: items"), is_words=True),
        ],
        lines=(
            Line(
                about=_of(one, naming),
                values=(
                    Plain(
                        listed(name for _key, name in one.members),
                        " ".join(key for key, _name in one.members),
                    ),
                    Plain(str(RULES[one.rule]), one.rule.value),
                    count(one.quorum),
                    count(one.n_items),
                    count(one.n_decided),
                    count(one.n_tied),
                    count(one.n_short),
                    _read(one),
                ),
            )
            for one in lines
        ),
    )


def weights(lines: Sequence[JuryLine], naming: Naming) -> Table:
    """What the vote of each member weighs, and by which items."""
    return table(
        "juries_weights",
        _("What votes weigh"),
        _(
            "The log-odds of being right (Nitzan and Paroush 1982) on items that were not held out, "
            "beside gold or what most people gave: on average over labels, rare ones counting as "
            "much, or over the cuts between levels of a scale. With fewer than %(least)s items all "
            "votes weigh the same. The jury is not measured on these items."
        )
        % {"least": LEAST},
        about=[*_about(), Column("member", _("Member"))],
        columns=[
            Column("weight", _("Weight")),
            Column("right", _("Right, on average")),
            Column("items", _("Items")),
        ],
        lines=(
            Line(
                about=(*_of(one, naming), Plain(name, key)),
                values=(
                    Plain(f"{found.weight:.2f}", found.weight, (found.n_items,)),
                    None
                    if found.right is None
                    else Plain(f"{found.right:.2f}", found.right, (found.n_items,)),
                    count(found.n_items),
                ),
            )
            for one in lines
            if one.weights
            for (key, name), found in zip(one.members, one.weights, strict=True)
        ),
    )


def _about() -> list[Column]:
    return [Column("jury", _("Jury")), Column("criterion", _("Criterion"))]


def _of(one: JuryLine, naming: Naming) -> tuple[Plain, Plain]:
    return naming.rater(one.jury), naming.criterion(one.criterion)


def _read(one: JuryLine) -> Plain:
    """“3: 120, 2: 4”: how many members could be read on how many items, most first."""
    told = [f"{n}: {items:,}" for n, items in reversed([*enumerate(one.n_read)]) if items]
    return Plain(listed(told), list(one.n_read))
