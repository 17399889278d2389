"""Judges in words: the number, its interval, and how to read it, in a sentence."""

from collections.abc import Mapping, Sequence

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from accounts.punctuation import listed, running
from analytics.judges.numbers import Caution, Reference, Versus
from analytics.measures import FAMILY_NAMES, NAMES
from analytics.present.naming import Naming
from analytics.present.tables import Plain
from analytics.present.words import as_difference, items, number, size, would_have_been_seen
from analytics.stats.alternative import PASSING, SWEEP, Domain, Test
from analytics.stats.ceiling import (
    NO_WORSE,
    SMALLER_IS_BETTER,
    CeilingStanding,
    UnderCeiling,
    standing,
)
from analytics.stats.dispersion import Stratum
from analytics.stats.estimates import Estimate
from analytics.stats.planning import detectable
from analytics.stats.several import Family
from analytics.stats.severity import AtLevel

MARGIN = 0.1
REFERENCES: Mapping[Reference, Promise] = {
    Reference.PEOPLE: gettext_lazy("people"),
    Reference.GOLD: gettext_lazy("gold"),
}
STRATA: Mapping[Stratum, Promise] = {
    Stratum.UNANIMOUS: gettext_lazy("all the same"),
    Stratum.SPLIT: gettext_lazy("not the same"),
}


def pair(naming: Naming, one: Versus) -> Plain:
    """Two judges that are compared; what is told is of the second less the first."""
    first, second = naming.rater(one.one), naming.rater(one.other)
    return Plain(
        _("%(second)s minus %(first)s") % {"second": second.text, "first": first.text},
        f"{second.exact} {first.exact}",
    )


def beside_ceiling(estimate: Estimate, people: Estimate | None) -> str:
    """On how many items a judge’s figure rests, and what people reach on the same."""
    if people is None:
        return size(estimate)
    named = {"value": number(people.value, people.statistic)}
    if people.low is None:
        return f"{size(estimate)} · " + _("people %(value)s, no interval") % named
    named["low"] = number(people.low, people.statistic)
    named["high"] = number(people.high, people.statistic)
    return f"{size(estimate)} · " + _("people %(value)s (%(low)s to %(high)s)") % named


def gold_has_none() -> str:
    """Why there is no ceiling of people, as the next two."""
    return _("Gold is one decided value an item: it does not show how far single people differ.")


def too_few_shared() -> str:
    return _(
        "The items that have ratings of a judge and of two people are too few, or rated too much alike, "
        "to say how far people agree."
    )


def nobody_shared() -> str:
    return _(
        "No item that a judge rated has ratings of more than one person, so nobody knows how far "
        "people agree with one another. A judge at 0.4 may be poor, or as good as a second person "
        "would be."
    )


def items_between(sizes: Sequence[int]) -> str:
    """On how few and how many items figures rest."""
    low, high = min(sizes), max(sizes)
    if low == high:
        return items(low)
    return _("%(low)s to %(high)s items") % {"low": f"{low:,}", "high": f"{high:,}"}


def is_clear(estimate: Estimate, null: float = 0.0) -> bool:
    """Whether the interval leaves out `null`."""
    if estimate.low is None or estimate.high is None:
        return False
    return not estimate.low <= null <= estimate.high


def of_agreement(found: Sequence[tuple[str, Estimate]], reference: str) -> str:
    """The range of agreement over criteria: (criterion, estimate) of each."""
    known = [(name, one) for name, one in found if one.value is not None]
    if not known:
        return ""
    worst = min(known, key=lambda pair: _rank(pair[1]))
    best = max(known, key=lambda pair: _rank(pair[1]))
    words = {
        "reference": reference,
        "statistic": str(FAMILY_NAMES.get(best[1].statistic, NAMES[best[1].statistic])),
        "best": best[0],
        "worst": worst[0],
        "high": _with_limits(best[1]),
        "low": _with_limits(worst[1]),
    }
    if len(known) == 1:
        return _("Beside %(reference)s, %(statistic)s is %(high)s.") % words
    if len({one.statistic for _name, one in known}) > 1:
        return ""
    text = _(
        "Beside %(reference)s, %(statistic)s goes from %(low)s for %(worst)s to %(high)s for "
        "%(best)s."
    )
    return text % words


def of_standings(found: Sequence[UnderCeiling]) -> str:
    """On how many criteria the judge is not inferior to a person."""
    if not found:
        return ""
    standings = [standing(one, margin=MARGIN) for one in found]
    words = {
        "n": len(standings),
        "good": sum(one in NO_WORSE for one in standings),
        "bad": standings.count(CeilingStanding.INFERIOR),
        "open": standings.count(CeilingStanding.UNDECIDED),
        "margin": f"{MARGIN:g}",
    }
    text = _(
        "Beside one person left out in turn, with a margin of %(margin)s: not inferior on "
        "%(good)s of %(n)s criteria, inferior on %(bad)s, undecided on %(open)s."
    )
    return text % words


def of_tests(found: Sequence[Domain]) -> str:
    """On how many criteria the alternative-annotator test is passed, at which margins."""
    tested = [dict(one.sweep) for one in found if one.winning_rate is not None]
    if not tested:
        return ""
    passes = {epsilon: sum((one[epsilon] or 0) >= PASSING for one in tested) for epsilon in SWEEP}
    words = {
        "n": len(tested),
        "none": passes[0.0],
        "crowd": passes[0.1],
        "skilled": passes[0.15],
        "experts": passes[0.2],
    }
    text = _(
        "Alternative-annotator test, of %(n)s criteria: passes on %(none)s at ε = 0, on "
        "%(crowd)s at 0.1, on %(skilled)s at 0.15, on %(experts)s at 0.2."
    )
    return text % words


def of_biases(found: Sequence[tuple[str, Estimate]], reference: str, family: Family) -> str:
    """The largest bias: (criterion, estimate) of each, of the `family` of all tests of the page."""
    words = _together(found, family)
    if not words:
        return ""
    words["reference"] = reference
    if not words["n"]:
        text = _(
            "No clear difference in level from %(reference)s on any of %(of)s criteria "
            "(%(together)s)."
        )
        return text % words
    text = _(
        "Its level differs from that of %(reference)s on %(n)s of %(of)s criteria "
        "(%(together)s), most on %(criterion)s: %(points)s."
    )
    return text % words


def dispute(low: float, high: float) -> Plain:
    """How much people differ on some items."""
    if high == 0:
        return Plain(_("nothing"), "0")
    if low == high:
        return Plain(f"{low:.2f}", low)
    between = _("%(low)s to %(high)s") % {"low": f"{low:.2f}", "high": f"{high:.2f}"}
    return Plain(between, f"{low:.4g} {high:.4g}")


def of_caution(found: Sequence[tuple[str, Caution]], family: Family) -> str:
    """Whether the judge holds back where people differ: (criterion, caution) of each, of the `family`
    of all tests of the page."""
    told = [(name, one) for name, one in found if one.more.value is not None]
    if not told:
        return ""
    if not any(step.of_judge.value for _name, one in told for step in one.steps):
        return _("It gives a value to every item, however much people differ.")
    careful = [name for name, one in told if one.more in family.clear and side_of(one.more) > 0]
    if careful:
        return _("It holds back more where people differ on %(criteria)s (%(together)s).") % {
            "criteria": listed(careful),
            "together": _looked_at_together(family),
        }
    return _("Nothing shows that it holds back more where people differ.")


def of_repeats(found: Sequence[tuple[str, Estimate]]) -> str:
    """How often the judge says the same each time, where it does so least."""
    known = [(name, one) for name, one in found if one.value is not None]
    if not known:
        return ""
    name, least = min(known, key=lambda pair: pair[1].value or 0)
    words = {"criterion": name, "share": _with_limits(least)}
    if len(known) == 1:
        return _("Asked again, it gives the same answer every time on %(share)s of items.") % words
    text = _(
        "Asked again, it gives the same answer every time on %(share)s of items for "
        "%(criterion)s, where it does so least."
    )
    return text % words


def of_bias(bias: Estimate, reference: str) -> str:
    """How much higher or lower the judge rates over all."""
    if bias.value is None:
        return ""
    words = _points(bias) | {"reference": reference}
    if not is_clear(bias):
        text = _(
            "Over all, no clear difference in level between the judge and %(reference)s%(limits)s."
        )
        return text % words
    if bias.value > 0:
        text = _("Over all, the judge rates %(points)s points higher than %(reference)s%(limits)s.")
        return text % words
    return (
        _("Over all, the judge rates %(points)s points lower than %(reference)s%(limits)s.") % words
    )


def of_levels(levels: Sequence[AtLevel], of_people: Sequence[AtLevel], reference: str) -> list[str]:
    """What the judge does at either end of the scale, and what a person does there."""
    known = [one for one in levels if one.gap.low is not None]
    if len(known) < 2:
        return []
    said = [_at_level(known[0], reference), _at_level(known[-1], reference)]
    people = {one.level: one.gap for one in of_people}
    first, last = (people.get(one.level) for one in (known[0], known[-1]))
    if first and last and first.value is not None and last.value is not None:
        words = {
            "low": f"{known[0].level:g}",
            "high": f"{known[-1].level:g}",
            "first": number(first.value, "gap"),
            "last": number(last.value, "gap"),
        }
        said.append(
            _(
                "One person beside another differs too: %(first)s where the other gave %(low)s, "
                "%(last)s where the other gave %(high)s. Only what goes beyond that is the judge’s."
            )
            % words
        )
    else:
        said.append(
            _(
                "Part of such a slope is chance: whatever was rated very low or very high looks "
                "less extreme the second time. With two people an item the page would show how much."
            )
        )
    return said


def of_spread(ratio: Estimate, top_difference: Estimate, reference: str) -> str:
    """Whether the judge huddles together, and how often it gives the best rating."""
    if ratio.value is None or not is_clear(ratio, 1.0):
        return ""
    words = {
        "share": f"{100 * ratio.value:.0f} %",
        "reference": reference,
        "limits": _of_share(ratio),
    }
    if ratio.value > 1:
        return (
            _("Its ratings spread wider than those of %(reference)s: %(share)s%(limits)s.") % words
        )
    sentence = (
        _(
            "Its ratings huddle together: they spread %(share)s as wide as those of %(reference)s%(limits)s."
        )
        % words
    )
    if top_difference.value is not None and is_clear(top_difference) and top_difference.value > 0:
        more = {"points": f"{100 * top_difference.value:.0f}", "reference": reference}
        sentence += (
            " "
            + _(
                "It gives the top of the scale more often than %(reference)s do, by %(points)s "
                "percentage points."
            )
            % more
        )
    return sentence


def of_halo(of_judge: Estimate, more: Estimate | None, family: Family) -> str:
    """Whether the judge tells the criteria apart, `more` being one of all tests of the page."""
    if of_judge.value is None:
        return ""
    words = {"share": number(of_judge.value, "halo")}
    if more is None or more.value is None:
        return _("The judge gives all criteria the same rating on %(share)s of items.") % words
    words |= {"more": f"{100 * abs(more.value):.0f}"}
    if more not in family.clear:
        text = _(
            "The judge gives all criteria the same rating on %(share)s of items, no clear "
            "difference from people."
        )
        return text % words
    if more.value > 0:
        text = _(
            "The judge gives all criteria the same rating on %(share)s of items, %(more)s "
            "percentage points more than people: it may rate one impression instead of each "
            "criterion. Asking one criterion at a time would tell more."
        )
        return text % words
    text = _(
        "The judge gives all criteria the same rating on %(share)s of items, %(more)s "
        "percentage points less than people."
    )
    return text % words


def of_verbosity(slopes: Sequence[tuple[str, Estimate]], reference: str, family: Family) -> str:
    """Whether long replies get more: (criterion, points for twice the length) of each, of the
    `family` of all tests of the page."""
    words = _together(slopes, family)
    if not words:
        return _("Too few replies to tell whether longer ones are rated otherwise.")
    words["reference"] = reference
    if not words["n"]:
        text = _(
            "On none of %(of)s criteria does it clearly rate longer replies otherwise than "
            "%(reference)s do (%(together)s)."
        )
        return text % words
    text = _(
        "Beside %(reference)s it rates longer replies higher on %(more)s of %(of)s criteria "
        "and lower on %(less)s (%(together)s), most on %(criterion)s, by so many points for a "
        "reply of twice the length: %(points)s. That is an association: longer replies may "
        "differ in more than length."
    )
    return text % words


def why_no_verbosity(*, has_lengths: bool, has_replies_to_compare: bool) -> str:
    """Why nothing can be said of length, and what it would take."""
    if not has_lengths:
        return _(
            "The replies’ texts are not in this study, so their lengths are not known. Import "
            "them to see whether longer replies are rated higher."
        )
    if not has_replies_to_compare:
        return _(
            "Every dialogue has one reply only. Length is compared within dialogues, so several "
            "replies to the same dialogue are needed."
        )
    return _("Length is compared with scores; labels have none, or too few replies are rated.")


def why_no_preference(*, is_jury: bool, has_family: bool, has_peers: bool) -> str:
    """Why nothing can be said of the judge’s own family, and what it would take."""
    if is_jury:
        return _("Of a jury self-preference is not told: look at its members one by one.")
    if not has_family:
        return _(
            "No generator is marked as of this judge’s own family. Where one is, name it when the "
            "judge is started or imported."
        )
    if not has_peers:
        return _(
            "Self-preference is told from what other judges give the same replies: have another "
            "judge rate them."
        )
    return _(
        "Self-preference is told of scores; labels have none, or there is nothing to hold the "
        "judge’s ratings against."
    )


def of_preference(
    found: Sequence[tuple[str, Estimate]],
    family: Family,
    *,
    n_generators: int,
    n_peers: int,
) -> str:
    """Whether the judge rates its own family, of so many generators, higher than so many other
    judges do, both beside people."""
    words = _together(found, family)
    if not words:
        return _("Too few replies to tell whether its own family’s are rated otherwise.")
    if not words["n"]:
        text = _(
            "On none of %(of)s criteria does it clearly rate its own family otherwise than "
            "other judges do (%(together)s)."
        )
        return text % words
    seen = ngettext(
        "Compared with %(peers)s other judge it rates its own family higher on %(more)s of %(of)s "
        "criteria and lower on %(less)s (%(together)s), most on %(criterion)s: %(points)s.",
        "Compared with %(peers)s other judges it rates its own family higher on %(more)s of "
        "%(of)s criteria and lower on %(less)s (%(together)s), most on %(criterion)s: %(points)s.",
        n_peers,
    )
    if n_generators == 1:
        why = _(
            "The family is one generator here, so this may be about that generator and not about "
            "kinship."
        )
    else:
        why = _(
            "That is an association: replies of its family may differ from others in more than "
            "kinship."
        )
    return f"{seen % (words | {'peers': n_peers})} {why}"


def is_graded(under: UnderCeiling) -> bool:
    """Whether the margin means something: not of a distance, which is in points of the scale."""
    return under.difference.statistic not in SMALLER_IS_BETTER


def of_ceiling(under: UnderCeiling) -> str:
    """Where the judge stands to a person, given the margin."""
    margin = {"margin": f"{MARGIN:g}"}
    if not is_graded(under):
        return ""
    match standing(under, margin=MARGIN):
        case CeilingStanding.BETTER:
            return _("better than a person")
        case CeilingStanding.NOT_INFERIOR:
            return _("not inferior to a person (margin %(margin)s)") % margin
        case CeilingStanding.INFERIOR:
            return _("below a person by more than %(margin)s") % margin
        case _undecided:
            return _("undecided at a margin of %(margin)s") % margin


def of_rivals(
    one: str,
    other: str,
    differences: Sequence[Estimate],
    reference: str,
    family: Family,
) -> str:
    """On how many criteria the second judge clearly agrees better, or worse."""
    sides = [side_of(difference) if difference in family.clear else 0 for difference in differences]
    words = {
        "one": one,
        "other": other,
        "better": sides.count(1),
        "worse": sides.count(-1),
        "open": sides.count(0),
        "n": len(sides),
        "reference": reference,
        "together": _looked_at_together(family),
    }
    said = (
        _(
            "Of %(n)s criteria, %(other)s agrees with %(reference)s better than %(one)s on "
            "%(better)s, worse on %(worse)s; on %(open)s the difference may be chance (%(together)s)."
        )
        % words
    )
    open_ones = [one for one, side in zip(differences, sides, strict=True) if not side]
    widest = max(open_ones, key=lambda found: detectable(found) or 0, default=None)
    seen = ""
    if widest:
        seen = would_have_been_seen(as_difference(widest), "difference", n_tests=family.n)
    return running(filter(None, (said, seen)))


def side_of(difference: Estimate) -> int:
    """1 where the interval of a difference lies on the better side of zero, -1 on the worse."""
    if difference.low is None or difference.high is None:
        return 0
    side = (difference.low > 0) - (difference.high < 0)
    return -side if difference.statistic in SMALLER_IS_BETTER else side


def beside_a_person(under: UnderCeiling) -> Plain | None:
    """Where the judge stands to a person; a distance is not graded."""
    text = of_ceiling(under)
    return Plain(text, standing(under, margin=MARGIN).value) if text else None


def outcome_of(test: Domain) -> Plain:
    """From which margin on the alternative-annotator test is passed."""
    if not test.against:
        return Plain(_("Too few shared items to test."), None)
    passing = [epsilon for epsilon, omega in test.sweep if omega is not None and omega >= PASSING]
    if not passing:
        return Plain(_("Does not pass at any of these margins."), None)
    words = {"epsilon": f"{passing[0]:g}"}
    return Plain(_("Passes from ε = %(epsilon)s on.") % words, passing[0])


def left_out_of_test(people: Sequence[str]) -> str:
    """Who shares too few items; nothing where nobody does."""
    if not people:
        return ""
    return _("Left out, fewer than 30 shared items: %(people)s") % {"people": listed(people)}


def too_few_to_test() -> Plain:
    return Plain(_("fewer than 30 shared items"), "")


def name_of_test(test: Test) -> Plain:
    return Plain(_("t-test") if test == "t" else _("Wilcoxon’s signed-rank test"), test)


def p_value(value: float) -> Plain:
    return Plain("<\N{NO-BREAK SPACE}0.001" if value < 0.001 else f"{value:.3f}", value)


def from_to(sizes: Sequence[int]) -> Plain:
    """The fewest and the most of several numbers of items."""
    if not sizes:
        return Plain("–", None)
    low, high = min(sizes), max(sizes)
    if low == high:
        return Plain(f"{low:,}", low)
    return Plain(f"{low:,}–{high:,}", f"{low} {high}")


def _at_level(one: AtLevel, reference: str) -> str:
    words = _points(one.gap) | {
        "level": f"{one.level:g}",
        "reference": reference,
        "n": f"{one.gap.n_pairs:,}",
    }
    if not is_clear(one.gap):
        text = _(
            "Where %(reference)s gave %(level)s, the judge does not clearly differ%(limits)s, "
            "from %(n)s pairs of ratings."
        )
        return text % words
    if one.gap.value is not None and one.gap.value > 0:
        text = _(
            "Where %(reference)s gave %(level)s, the judge is %(points)s points "
            "higher%(limits)s, from %(n)s pairs of ratings."
        )
        return text % words
    text = _(
        "Where %(reference)s gave %(level)s, the judge is %(points)s points lower%(limits)s, "
        "from %(n)s pairs of ratings."
    )
    return text % words


def _together(found: Sequence[tuple[str, Estimate]], family: Family) -> dict[str, str | int]:
    """Words on those differences (criterion, estimate) that are clear among all tests of the page:
    `n` of `of`, and where any is the largest; none where no difference has an interval."""
    tested = [(name, one) for name, one in found if one.low is not None]
    if not tested:
        return {}
    shown = [pair for pair in tested if pair[1] in family.clear]
    words: dict[str, str | int] = {
        "n": len(shown),
        "of": len(tested),
        "together": _looked_at_together(family),
    }
    if shown:
        name, largest = max(shown, key=lambda pair: abs(pair[1].value or 0))
        words |= {
            "more": sum((one.value or 0) > 0 for _name, one in shown),
            "less": sum((one.value or 0) < 0 for _name, one in shown),
            "criterion": name,
            "points": _with_limits(largest, is_one_of_several=True),
        }
    return words


def _looked_at_together(family: Family) -> str:
    return ngettext(
        "the only test of this page, at 5 %%",
        "false discoveries among all %(n)s tests of this page held to 5 %%, Benjamini-Yekutieli",
        family.n,
    ) % {"n": family.n}


def _rank(estimate: Estimate) -> float:
    """Larger is better."""
    value = estimate.value or 0.0
    return -value if estimate.statistic in SMALLER_IS_BETTER else value


def _with_limits(estimate: Estimate, *, is_one_of_several: bool = False) -> str:
    """The value and its interval, as they stand in a sentence; of the largest of several
    differences it is said that its interval takes no account of the others."""
    value = number(estimate.value, estimate.statistic) or ""
    if estimate.low is None or estimate.high is None:
        return value
    limits = _("%(value)s (%(low)s to %(high)s)")
    if is_one_of_several:
        limits = _(
            "%(value)s (95 %% interval %(low)s to %(high)s, not adjusted for the other criteria)"
        )
    return limits % {
        "value": value,
        "low": number(estimate.low, estimate.statistic),
        "high": number(estimate.high, estimate.statistic),
    }


def _points(estimate: Estimate) -> dict[str, str]:
    """The size of a difference and its interval, ready to be put in a sentence."""
    limits = ""
    if estimate.low is not None and estimate.high is not None:
        limits = _(" (95 %% interval %(low)s to %(high)s)") % {
            "low": number(estimate.low, "bias"),
            "high": number(estimate.high, "bias"),
        }
    return {"points": f"{abs(estimate.value or 0):.2f}", "limits": limits}


def _of_share(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return ""
    return _(" (95 %% interval %(low)s to %(high)s)") % {
        "low": f"{100 * estimate.low:.0f} %",
        "high": f"{100 * estimate.high:.0f} %",
    }
