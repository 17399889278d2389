"""The methods paragraph: what was really computed, from what, and what was left out."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from accounts.punctuation import in_turn, labelled, listed, running
from analytics.agreement.numbers import CriterionLine, Report
from analytics.comparisons.kinds import Kind
from analytics.juries.words import said_chosen, said_members
from analytics.measures import NAMES
from analytics.present.typesetting import markdown
from analytics.present.words import method_names, reason_name
from analytics.ratings.matrices import PLAIN, View
from analytics.report.numbers import SEEDS
from analytics.report.references import CitedWork, works
from analytics.stats import latent, systems, tiers
from analytics.stats.calibration import FOLDS
from analytics.stats.estimates import Estimate, Severity
from analytics.stats.juries import JuryRule
from analytics.trust.policies import Held
from annotation.queries.wording import said
from annotation.rubric.schema import Measurement
from annotation.rubric.sentences import Sentence

_LEVELS: Mapping[Measurement, Promise] = {
    Measurement.NOMINAL: gettext_lazy("%(criteria)s by label, one of %(n)s"),
    Measurement.BINARY: gettext_lazy("%(criteria)s by yes or no"),
    Measurement.ORDINAL: gettext_lazy("%(criteria)s from %(low)s to %(high)s"),
}


_OF_LATENT_CLASSES = gettext_lazy(
    "Sensitivity and specificity beside a truth that nobody knows are of a latent class model by "
    "expectation and maximisation (Dawid and Skene 1979), in which raters err independently and each "
    "has one answer more to items of either class, three quarters of it right; its intervals are "
    "from draws of dialogues, on logits, and at least as wide as Jeffreys’."
)
_FURTHER: Mapping[str, Promise] = {
    "judges_ceiling": gettext_lazy(
        "As a ceiling for judges each person was left out in turn, and both the person and the "
        "judge were compared with the consensus of the other people."
    ),
    "judges_alternative": gettext_lazy(
        "The alternative annotator test was made by dialogue, at ε = 0, 0.05, 0.1, 0.15 and 0.2, with "
        "the procedure of Benjamini and Yekutieli over the people and criteria of a judge at a false "
        "discovery rate of 0.05."
    ),
    "judges_strata": gettext_lazy(
        "Agreement of judges was also computed apart for items that people all gave the same and "
        "items on which they differed."
    ),
    "judges_repeats": gettext_lazy(
        "Judges that were asked several times were compared with themselves, and every repeat "
        "alone and their majority with the reference."
    ),
    "judges_latent": _OF_LATENT_CLASSES,
    "raters_latent": _OF_LATENT_CLASSES,
    "safety": gettext_lazy(
        "Values were divided at every cut into flagged and not flagged; of the judge’s flags "
        "sensitivity, specificity and predictive values were computed against gold, and against "
        "half or any of the people who rated the item. Where none or all of the items count, the "
        "interval is exact and one-sided."
    ),
    "safety_prevalence": gettext_lazy(
        "Prevalence among items that a judge rated and of which the reference says nothing was "
        "corrected for its misses and false alarms, as if it made as many there."
    ),
    "trust_tiers": gettext_lazy(
        "The tiers of Badawi et al. were computed with their thresholds and seed, and again with "
        "other seeds."
    ),
    "pairs_wins": gettext_lazy(
        "Judges that were asked which of two replies is to be put higher were asked in both orders, unless "
        "the table says otherwise: a pair is won where every order says so, and what the place of a reply "
        "decided is told beside it."
    ),
    "raters": gettext_lazy(
        "A person’s severity is the mean of their ratings minus the mean that the others gave "
        "the same items."
    ),
    "calibration": gettext_lazy(
        "Judges were calibrated to people by a shift, a line, an isotonic curve and proportional "
        "odds; figures after calibration are cross-fitted: each dialogue’s ratings were mapped "
        "by a map that was fitted without its part of the dialogues. These were dealt to the parts in "
        "turn, so that those with the judge’s lowest ratings lie apart, and those with its highest."
    ),
    "powered_means": gettext_lazy(
        "Means that lean on both people and a judge are prediction-powered (PPI++); they take "
        "the items that people rated to be a random sample of those that the judge rated."
    ),
    "routing": gettext_lazy(
        "Thresholds above which a judge’s answers may stand without a person were found by "
        "fixed-sequence testing with exact binomial limits on wrong answers, on flagged items "
        "among those accepted without a flag and on flagged items that slip, all at once "
        "(Bonferroni), on one item of each dialogue; none where a judge that always says the same "
        "may pass."
    ),
    "plan": gettext_lazy(
        "The numbers of items, raters and flagged items that narrower intervals take were "
        "reckoned from the intervals there are and by Bonett’s formula."
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """A few sentences under a heading."""

    title: str
    sentences: tuple[str, ...]

    @property
    def text(self) -> str:
        return running(self.sentences)


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodsBasis:
    """What the methods paragraph is written from.

    `reports`: the agreement part in every view; `judges`: settings of the judges that run here;
    `tables`: keys of the tables that there are; `held`: the policy of the trust cards;
    `data_sha256` and `verified` where they are known; `rests_on`: a sentence a judge; `n_to_qualify`: how
    many answers were given to qualify; `audits`: what came of audits of unanimous gold.
    """

    study: str
    reports: Mapping[View, Report]
    judges: Sequence[Mapping[str, object]]
    tables: frozenset[str]
    held: Held
    n_quarantined: int
    data_sha256: str = ""
    verified: str = ""
    protocols: Sequence[tuple[Sequence[Sentence], Sequence[int]]] = ()
    rests_on: Sequence[str] = ()
    n_to_qualify: int = 0
    audits: Sequence[Sentence] = ()


def paragraphs(told: MethodsBasis) -> list[Paragraph]:
    """The methods, in the language of the page."""
    report = told.reports[PLAIN]
    found = [
        Paragraph(title=_("Ratings"), sentences=tuple(_ratings(told, report))),
        Paragraph(title=_("Protocol"), sentences=tuple(_protocol(told))),
        Paragraph(title=_("What was left out"), sentences=tuple(_left_out(told, report))),
        Paragraph(title=_("Item level"), sentences=tuple(_item_level(report))),
        Paragraph(title=_("Intervals"), sentences=tuple(_intervals(report))),
        Paragraph(title=_("System level"), sentences=tuple(_system_level(report))),
        Paragraph(title=_("Further analyses"), sentences=tuple(_further(told))),
        Paragraph(title=_("Computation"), sentences=tuple(_computation(told, report))),
    ]
    return [one for one in found if one.sentences]


def references(told: MethodsBasis) -> list[CitedWork]:
    """The works behind the figures, by author."""
    estimates = list(_all(told.reports[PLAIN]))
    return works(
        statistics={one.statistic for one in estimates},
        methods={one.method for one in estimates if one.method},
        tables=told.tables,
    )


def markdown_of(told: MethodsBasis) -> str:
    parts = [f"# {_('Methods')}"]
    for one in paragraphs(told):
        parts += [f"## {one.title}", markdown(one.text)]
    parts += [f"## {_('References')}", *(f"- {work.in_words}" for work in references(told))]
    return "\n\n".join(parts) + "\n"


def text_of(told: MethodsBasis) -> str:
    """The methods as plain text, a paragraph a line."""
    lines = [one.text for one in paragraphs(told)]
    cited = [work.in_words for work in references(told)]
    return "\n\n".join([*lines, *cited]) + "\n"


def _ratings(told: MethodsBasis, report: Report) -> Iterator[str]:
    humans = sum(not rater.is_judge for rater in report.raters)
    judges = len(report.raters) - humans
    yield _(
        "In the study %(study)s, %(items)s from %(dialogues)s were rated by %(humans)s and "
        "%(judges)s under the rubric %(rubric)s (SHA-256 %(fingerprint)s)."
    ) % {
        "study": f"“{told.study}”",
        "items": _n("items", report.n_items),
        "dialogues": _n("dialogues", report.n_dialogues),
        "humans": _n("people", humans),
        "judges": _n("judges", judges),
        "rubric": report.rubric,
        "fingerprint": report.rubric_fingerprint,
    }
    yield _("Criteria: %(criteria)s.") % {"criteria": in_turn(_criteria(report.criteria))}
    yield _("People rated %(people)s, two or more of them %(two)s; judges rated %(judge)s.") % {
        "people": _n("items", report.progress.n_by_person),
        "two": f"{report.progress.n_by_two:,}",
        "judge": _n("items", report.progress.n_by_judge),
    }
    yield _(
        "The figures rest on %(ratings)s and %(gold)s, as they stood at revision %(revision)s on "
        "%(date)s."
    ) % {
        "ratings": _n("ratings", report.n_ratings),
        "gold": _n("gold", report.n_gold),
        "revision": report.revision,
        "date": f"{report.computed_at:%Y-%m-%d}",
    }
    if humans:
        yield _("People appear under pseudonyms.")
    yield from map(_judge, told.judges)


def _criteria(lines: Iterable[CriterionLine]) -> Iterator[str]:
    """Those on the same scale together; then what is reported as a mean or sum of several."""
    alike: dict[tuple[Measurement, tuple[float, ...]], list[str]] = {}
    for line in lines:
        if not line.is_group:
            alike.setdefault((line.measurement, line.points), []).append(said(line.name))
    for (measurement, points), names in alike.items():
        yield str(_LEVELS[measurement]) % {
            "criteria": listed(names),
            "n": len(points),
            "low": f"{min(points, default=0):g}",
            "high": f"{max(points, default=0):g}",
        }
    if groups := [said(line.name) for line in lines if line.is_group]:
        yield _("%(groups)s as a mean or sum of several") % {"groups": listed(groups)}


def _judge(one: Mapping[str, Any]) -> str:
    if one.get("is_jury"):
        return _jury(one)
    if one.get("llm") is None:
        return _(
            "The ratings of the judge %(judge)s were imported; how it was asked is not known here."
        ) % {"judge": one["judge"]}
    return _(
        "The judge %(judge)s is the LLM %(llm)s, asked at temperature %(temperature)s with edition "
        "%(edition)s of the prompt."
    ) % {
        "judge": one["judge"],
        "llm": one["llm"],
        "temperature": one["temperature"],
        "edition": one["prompt_edition"],
    }


def _jury(one: Mapping[str, Any]) -> str:
    if not one.get("jury_members"):
        return _(
            "%(judge)s is a jury of judges; its members are not told while they are blinded."
        ) % {"judge": one["judge"]}
    how = said_members(one["jury_members"], JuryRule(one["jury_rule"]), one["jury_quorum"])
    return running(
        [
            _("The judge %(judge)s (%(name)s) is a %(how)s.")
            % {"judge": one["judge"], "name": one["name"], "how": how},
            said_chosen(one["jury_answers_seen"]),
        ]
    )


def _protocol(told: MethodsBasis) -> Iterator[str]:
    """What was agreed for the rounds before they opened."""
    for steps, numbers in told.protocols:
        yield ngettext("Round %(numbers)s:", "Rounds %(numbers)s:", len(numbers)) % {
            "numbers": listed(map(str, numbers))
        }
        yield from map(said, steps)
    yield from map(said, told.audits)


def _left_out(told: MethodsBasis, report: Report) -> Iterator[str]:
    if n := told.n_to_qualify:
        yield ngettext(
            "%(n)s answer that was given to qualify was left out.",
            "%(n)s answers that were given to qualify were left out.",
            n,
        ) % {"n": f"{n:,}"}
    if n := report.n_off_scale:
        yield ngettext(
            "%(n)s value off the scale was left out.",
            "%(n)s values off the scale were left out.",
            n,
        ) % {"n": f"{n:,}"}
    if n := told.n_quarantined:
        yield ngettext(
            "%(n)s item that was set aside with a reason was left out.",
            "%(n)s items that were set aside with a reason were left out.",
            n,
        ) % {"n": f"{n:,}"}
    if report.n_off_scale or told.n_quarantined:
        yield _("Tables with “as released” in their title include them.")
    unscored: Counter[str] = Counter()
    for line in report.quality:
        unscored.update(line.unscored)
    if unscored:
        reasons = in_turn(
            labelled(reason_name(key), f"{n:,}") for key, n in sorted(unscored.items())
        )
        yield ngettext(
            "%(n)s rating has no value (%(reasons)s); nothing was put in its place.",
            "%(n)s ratings have no value (%(reasons)s); nothing was put in their place.",
            unscored.total(),
        ) % {"n": f"{unscored.total():,}", "reasons": reasons}
    yield from _own_family(report)
    yield _(
        "Where a person rated an item in several rounds, the rating of the newest round counts, and "
        "where an item came back to them in a round, their first one; where a judge was asked several times, figures are means over its runs, and intervals from "
        "three runs on speak of other runs too (Obuchowski and Rockette 1995). Routing and halo take "
        "its first answers."
    )


def _own_family(report: Report) -> Iterator[str]:
    for judge in report.raters:
        most = max(
            (one.own_left_out for one in report.comparisons if one.raters[-1] == judge.id),
            default=0,
        )
        if judge.is_judge and judge.own_generators:
            yield _(
                "The judge %(judge)s was not measured on replies of its own family "
                "(%(generators)s): up to %(items)s a criterion."
            ) % {
                "judge": judge.key,
                "generators": listed(judge.own_generators),
                "items": _n("items", most),
            }


def _item_level(report: Report) -> Iterator[str]:
    if not report.comparisons:
        yield _("No two raters share an item, so no agreement was computed.")
        return
    yield _("At item level each rated item is one observation.")
    for names, criteria in _statistics(report).items():
        yield _("For %(criteria)s: %(statistics)s.") % {
            "criteria": listed(criteria),
            "statistics": in_turn(str(NAMES[name]) for name in names),
        }
    used = {name for one in report.comparisons for name in one.estimates}
    if any(name.startswith("icc") for name in used):
        yield _(
            "ICCs are of single ratings in a two-way model: ICC(A,1) of absolute agreement, "
            "ICC(C,1) of consistency."
        )
    if "fleiss" in used:
        yield _(
            "Fleiss’ κ is of the items that have the commonest number of people’s ratings, which in a "
            "slice may be another one."
        )
    if any(name.endswith("_reml") for name in used):
        yield _(
            "Where raters took turns, ICCs are from variance components by restricted maximum "
            "likelihood, over all items with two ratings or more."
        )
    kinds = {one.kind for one in report.comparisons}
    if "bias" in used and kinds & {Kind.JUDGE_HUMANS, Kind.JUDGE_GOLD}:
        yield _("Bias is the mean of the judge’s ratings minus people’s or gold, in points.")
    if any("bias" in one.estimates for one in report.comparisons if one.kind is Kind.HUMAN_PAIR):
        yield _(
            "Bias of two people is the mean of the ratings of the one who is named second minus those "
            "of the first."
        )
    if Kind.JUDGE_GOLD in kinds:
        yield _(
            "Figures beside gold are of the items that have it; items on which people differ, by less "
            "than is decided, have none, so that these figures may be of the easier ones."
        )
    if any(one.kind is Kind.JUDGE_HUMANS and len(one.raters) > 2 for one in report.comparisons):
        yield _(
            "A judge is compared with all people at once: every pair of a person’s and the "
            "judge’s rating of an item counts."
        )


def _statistics(report: Report) -> dict[tuple[str, ...], list[str]]:
    """{the statistics used: names of the criteria they were used for}."""
    used: dict[tuple[str, ...], list[str]] = {}
    for line in report.criteria:
        found = [one for one in report.comparisons if one.criterion == line.key]
        names = tuple(name for name in NAMES if any(name in one.estimates for one in found))
        if names:
            used.setdefault(names, []).append(said(line.name))
    return used


def _intervals(report: Report) -> Iterator[str]:
    estimates = list(_all(report))
    methods = method_names({one.method for one in estimates if one.method})
    if methods:
        yield _("Intervals are at the level of 95 %%, made by %(methods)s.") % {
            "methods": in_turn(methods)
        }
        if any("jackknife" in (one.method or "") for one in estimates):
            yield _(
                "Where units are left out one at a time (delete-one jackknife), the standard error "
                "is taken on the scale named and the limits are those of Student’s t with one "
                "degree of freedom less than there are units."
            )
        yield _(
            "Intervals tell how far the figures may be off for other dialogues with the same "
            "raters, not for other raters, and are not widened for the number of comparisons."
        )
        if any(line.measurement is Measurement.ORDINAL for line in report.criteria):
            yield _(
                "Where four ratings of five are one end of a scale they hold the truth less often than "
                "they say: simulated with two to five people and 60 to 120 items, those of ICC in 87 to "
                "94 of 100, the truth being mostly above them, and those of differences under the ceiling "
                "in 90 to 95, the truth being mostly below."
            )
    yield _("Every figure stands with the number of items, and of pairs of ratings, behind it.")
    without = Counter(
        one.notes[0]
        for one in estimates
        if one.low is None and one.notes and one.notes[0].severity is Severity.NO_INTERVAL
    )
    for note, n in sorted(without.items()):
        yield ngettext(
            "%(n)s of %(all)s figures has no interval: %(reason)s",
            "%(n)s of %(all)s figures have no interval: %(reason)s",
            n,
        ) % {"n": f"{n:,}", "all": f"{len(estimates):,}", "reason": _(note.sentence)}


def _system_level(report: Report) -> Iterator[str]:
    if not report.systems:
        return
    most = max(len(one.systems) for one in report.systems)
    yield _(
        "At system level each generator is one observation, its mean over the items that both "
        "rated: %(generators)s at most. Neither level stands in for the other."
    ) % {"generators": _n("generators", most)}
    yield _(
        "Intervals at this level are over generators, not over dialogues; the range of ICC(C,1) "
        "without any one generator stands beside it."
    )


def _computation(told: MethodsBasis, report: Report) -> Iterator[str]:
    versions = dict(report.versions)
    yield _("Computed by Concord %(concord)s with %(libraries)s.") % {
        "concord": versions.pop("concord"),
        "libraries": listed(f"{name} {number}" for name, number in sorted(versions.items())),
    }
    yield _(
        "Whatever is drawn at random is drawn from fixed seeds: %(seed)s for the %(folds)s parts "
        "of dialogues in calibration, for the one item of a dialogue in routing, for %(pivotal)s "
        "draws of pivotal quantities, for %(latent)s of dialogues under latent classes and for "
        "bootstraps of %(n)s draws; %(tiers)s and %(others)s others for the tiers."
    ) % {
        "pivotal": f"{systems.DRAWS:,}",
        "latent": latent.DRAWS,
        "seed": SEEDS["bootstrap"],
        "folds": FOLDS,
        "n": f"{SEEDS['resamples']:,}",
        "tiers": tiers.MENTALBENCH.seed,
        "others": tiers.SEEDS,
    }
    if told.verified:
        yield told.verified
    if told.data_sha256:
        yield _(
            "The ratings are in the folder “data” (SHA-256 %(sha256)s); “manage.py report --check” "
            "computes every number again from them."
        ) % {"sha256": told.data_sha256}
        yield _(
            "The report holds no times of single ratings, so drift is on the pages only; what people "
            "said of items that came back to them stands among the ratings, as repeat 2."
        )


def _further(told: MethodsBasis) -> Iterator[str]:
    further = (str(sentence) for key, sentence in _FURTHER.items() if key in told.tables)
    yield from dict.fromkeys(further)
    if "trust" in told.tables:
        yield _("Verdicts on judges follow the policy “%(policy)s” (SHA-256 %(sha256)s).") % {
            "policy": told.held.title,
            "sha256": told.held.policy.sha256,
        }
        yield _(
            "Each line of a verdict has an interval of its own, and all lines of a criterion must be met: "
            "a judge that lies at a bar in truth meets that line in about one study of forty, or of "
            "twenty where the limit is one-sided. No bound is given for all judges and criteria "
            "together: where forty lie at a bar, about one meets it by chance."
        )
        yield _since(told.held)
        if told.held.blinding:
            yield told.held.blinding
        if told.rests_on:
            yield _("What they rest on, judge by judge: %(basis)s") % {
                "basis": running(told.rests_on)
            }


def _since(held: Held) -> str:
    """Whether the rules came before the results."""
    if held.fixed is None:
        return _("It was not fixed beforehand: read these verdicts as a preview.")
    words = {"date": f"{held.fixed.at:%Y-%m-%d}", "n": f"{held.fixed.n_judged:,}"}
    if not held.fixed.n_judged:
        return _("It was fixed on %(date)s, before any judge had rated.") % words
    text = ngettext(
        "It was fixed on %(date)s, after judges had rated %(n)s item.",
        "It was fixed on %(date)s, after judges had given %(n)s ratings of items.",
        held.fixed.n_judged,
    )
    return text % words


def _all(report: Report) -> Iterator[Estimate]:
    for group in (report.comparisons, report.systems):
        for line in group:
            yield from line.estimates.values()


def _n(what: str, n: int) -> str:
    """A number with its noun."""
    said_ = {
        "items": ngettext("%(n)s item", "%(n)s items", n),
        "dialogues": ngettext("%(n)s dialogue", "%(n)s dialogues", n),
        "people": ngettext("%(n)s person", "%(n)s people", n),
        "judges": ngettext("%(n)s judge", "%(n)s judges", n),
        "ratings": ngettext("%(n)s rating", "%(n)s ratings", n),
        "gold": ngettext("%(n)s gold value", "%(n)s gold values", n),
        "generators": ngettext("%(n)s generator", "%(n)s generators", n),
    }[what]
    return said_ % {"n": f"{n:,}"}
