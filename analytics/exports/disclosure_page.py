"""What the page of disclosure shows: what identifies whom, who is alike, what the tests find."""

from collections.abc import Iterator, Mapping, Sequence

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.punctuation import in_turn, labelled, listed
from analytics.exports.classes import Classes, K
from analytics.exports.disclosing import DisclosureTest
from analytics.exports.rulings import Disclosure
from analytics.present.grid import Grid, grid
from analytics.present.tables import Column, Line, Plain, count, table
from annotation.queries.wording import said

SHOWN = 10
TESTS: Mapping[DisclosureTest, Promise] = {
    DisclosureTest.SMALL_CELL: gettext_lazy("Small cells"),
    DisclosureTest.DOMINANCE: gettext_lazy("Dominance"),
    DisclosureTest.DIFFERENCING: gettext_lazy("Difference from earlier releases"),
}
KNOWN: Mapping[str, Promise] = {
    "rounds": gettext_lazy("rounds"),
    "answers": gettext_lazy("number of answers"),
    "asked again": gettext_lazy("asked again"),
    "replies": gettext_lazy("number of replies"),
    "generators": gettext_lazy("who wrote them"),
    "content note": gettext_lazy("content note"),
    "attributes": gettext_lazy("attributes"),
}
ANSWERS: Mapping[str, Promise] = {"yes": gettext_lazy("yes"), "no": gettext_lazy("no")}
# The columns of a release by which somebody could be recognised: whom, and how.
IDENTIFYING: Sequence[tuple[str, Promise, Promise]] = (
    (
        "rater",
        gettext_lazy("People who rated"),
        gettext_lazy("A pseudonym that joins all releases of this study and no others"),
    ),
    (
        "round, repeat, origin",
        gettext_lazy("People who rated"),
        gettext_lazy("A colleague may know who took part in which round"),
    ),
    (
        "label, score",
        gettext_lazy("People who rated"),
        gettext_lazy("Somebody who knows how a person labels can recognise the pattern"),
    ),
    (
        "dialogue, position, content_note, attributes",
        gettext_lazy("People in dialogues"),
        gettext_lazy(
            "Whoever has the original data can find the conversation by its key, its content "
            "note or what else stands beside it"
        ),
    ),
    (
        "content_sha256",
        gettext_lazy("People in dialogues"),
        gettext_lazy("Whoever has a text can tell that it is in here"),
    ),
    (
        "generator",
        gettext_lazy("Who wrote the reply"),
        gettext_lazy("An LLM, or a person if people replied"),
    ),
    (
        "turns, reply, exchanges",
        gettext_lazy("People in dialogues"),
        gettext_lazy("What they wrote themselves; only where texts are asked for"),
    ),
)


def tables(found: Disclosure) -> list[Grid]:
    """In the order in which they are read."""
    known = ((_("People who rated"), found.people), (_("Dialogues"), found.dialogues))
    return [_tests(found), _alike(known), *_smallest(known), _identifying()]


def _tests(found: Disclosure) -> Grid:
    def lines() -> Iterator[Line]:
        for test, name in TESTS.items():
            words = [said(one.why) for one in found.findings if one.test is test]
            for why in words or [_("Nothing found.")]:
                yield Line(about=(Plain(str(name), test.value),), values=(Plain(why, why),))

    return grid(
        table(
            "disclosure_tests",
            _("Disclosure tests"),
            _("On everything that can be counted from a release, and on what left before."),
            about=[Column("test", _("Test"))],
            columns=[Column("found", _("What was found"), is_words=True)],
            lines=lines(),
        ),
        by_page=True,
    )


def _alike(known: Sequence[tuple[str, Classes]]) -> Grid:
    return grid(
        table(
            "disclosure_classes",
            _("Who could be told from the others"),
            _(
                "People of whom the same could be known form a class. In a class of fewer than "
                "%(k)s somebody could be recognised."
            )
            % {"k": K},
            about=[Column("whom", _("Whom"))],
            columns=[
                Column("by", _("By what could be known"), is_words=True),
                Column("how_many", _("How many")),
                Column("classes", _("Classes")),
                Column("smallest", _("Smallest")),
                Column("in_small", _("In classes below %(k)s") % {"k": K}),
                Column("larger", _("What would make them larger"), is_words=True),
            ],
            lines=(_class_line(whom, classes) for whom, classes in known),
            counts=False,
        ),
        by_page=True,
    )


def _class_line(whom: str, classes: Classes) -> Line:
    by = _named(classes.attributes)
    larger = _larger(classes)
    return Line(
        about=(Plain(whom, whom),),
        values=(
            Plain(by, " ".join(classes.attributes)),
            count(classes.n),
            count(classes.n_classes),
            count(classes.smallest),
            count(classes.n_in_small),
            Plain(larger, larger),
        ),
    )


def _larger(classes: Classes) -> str:
    if classes.enough_without is None:
        return _("Only more of them would: there are fewer than %(k)s in all.") % {"k": K}
    if not classes.enough_without:
        return _("They are large enough.")
    return _("Not to tell: %(attributes)s.") % {"attributes": _named(classes.enough_without)}


def _smallest(known: Sequence[tuple[str, Classes]]) -> Iterator[Grid]:
    """To be looked at alone: as a file it would be the list of those who can be recognised."""
    lines = [
        Line(
            about=(Plain(whom, whom),),
            values=(
                Plain(_told(classes.attributes, one.values), "; ".join(one.values)),
                count(one.size),
            ),
        )
        for whom, classes in known
        for one in classes.small[:SHOWN]
    ]
    if lines:
        yield grid(
            table(
                "disclosure_smallest",
                _("The smallest classes"),
                _(
                    "At most %(n)s of each. No file has them: it would list whom somebody could recognise."
                )
                % {"n": SHOWN},
                about=[Column("whom", _("Whom"))],
                columns=[
                    Column("known", _("What could be known"), is_words=True),
                    Column("size", _("How many")),
                ],
                lines=lines,
                counts=False,
            )
        )


def _identifying() -> Grid:
    return grid(
        table(
            "disclosure_columns",
            _("What identifies whom"),
            _("Columns of a release by which somebody could be recognised."),
            about=[Column("columns", _("Columns"))],
            columns=[
                Column("whom", _("Whom"), is_words=True),
                Column("how", _("How"), is_words=True),
            ],
            lines=(
                Line(
                    about=(Plain(columns, columns),),
                    values=(Plain(str(whom), str(whom)), Plain(str(how), str(how))),
                )
                for columns, whom, how in IDENTIFYING
            ),
            counts=False,
        ),
        by_page=True,
    )


def _named(attributes: Sequence[str]) -> str:
    return listed(str(KNOWN[one]) for one in attributes)


def _told(attributes: Sequence[str], values: Sequence[str]) -> str:
    pairs = zip(attributes, values, strict=True)
    return in_turn(labelled(KNOWN[name], ANSWERS.get(value, value)) for name, value in pairs)
