"""The methods paragraph: what was really computed, from what, and what was left out."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics.matrices import PLAIN, View
from analytics.measures import NAMES
from analytics.queries.wording import method_names, reason_name
from analytics.reports.agreement import Kind, Report
from analytics.stats.estimates import Estimate, Severity
from analytics.writeup.numbers import SEEDS
from analytics.writeup.typesetting import markdown
from annotation.queries.wording import said

_REFERENCES = {
    "icc": "McGraw, K. O., & Wong, S. P. (1996). Forming inferences about some intraclass "
    "correlation coefficients. Psychological Methods, 1(1), 30–46.",
    "kappa": "Cohen, J. (1960). A coefficient of agreement for nominal scales. Educational and "
    "Psychological Measurement, 20(1), 37–46.",
    "kappa_": "Cohen, J. (1968). Weighted kappa: nominal scale agreement with provision for scaled "
    "disagreement or partial credit. Psychological Bulletin, 70(4), 213–220.",
    "fleiss": "Fleiss, J. L. (1971). Measuring nominal scale agreement among many raters. "
    "Psychological Bulletin, 76(5), 378–382.",
    "alpha": "Hayes, A. F., & Krippendorff, K. (2007). Answering the call for a standard "
    "reliability measure for coding data. Communication Methods and Measures, 1(1), 77–89.",
    "ac": "Gwet, K. L. (2008). Computing inter-rater reliability and its variance in the presence "
    "of high agreement. British Journal of Mathematical and Statistical Psychology, 61(1), 29–48.",
    "bias": "Bland, J. M., & Altman, D. G. (1986). Statistical methods for assessing agreement "
    "between two methods of clinical measurement. The Lancet, 327(8476), 307–310.",
    "ccc": "Lin, L. I. (1989). A concordance correlation coefficient to evaluate reproducibility. "
    "Biometrics, 45(1), 255–268.",
}
_JACKKNIFE = (
    "Efron, B., & Stein, C. (1981). The jackknife estimate of variance. The Annals of Statistics, "
    "9(3), 586–596."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """A few sentences under a heading."""

    title: str
    sentences: tuple[str, ...]

    @property
    def text(self) -> str:
        return " ".join(self.sentences)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What the methods paragraph is written from.

    `reports`: the agreement part in every view; `judges`: settings of the judges that run here;
    `parts`: keys of the other parts; `data_sha256` and `verified` where they are known.
    """

    study: str
    reports: Mapping[View, Report]
    judges: Sequence[Mapping[str, object]]
    parts: Sequence[str]
    n_quarantined: int
    data_sha256: str = ""
    verified: str = ""


def paragraphs(told: Told) -> list[Paragraph]:
    """The methods, in the language of the page."""
    report = told.reports[PLAIN]
    found = [
        Paragraph(title=_("Ratings"), sentences=tuple(_ratings(told, report))),
        Paragraph(title=_("What was left out"), sentences=tuple(_left_out(told, report))),
        Paragraph(title=_("Item level"), sentences=tuple(_item_level(report))),
        Paragraph(title=_("Intervals"), sentences=tuple(_intervals(report))),
        Paragraph(title=_("System level"), sentences=tuple(_system_level(report))),
        Paragraph(title=_("Computation"), sentences=tuple(_computation(told, report))),
    ]
    return [one for one in found if one.sentences]


def references(report: Report) -> list[str]:
    """The works behind the statistics that were used, by author."""
    used = {name for one in report.comparisons for name in one.estimates}
    works = {
        work
        for begin, work in _REFERENCES.items()
        if any(name == begin or (name.startswith(begin) and begin not in NAMES) for name in used)
    }
    methods = [estimate.method or "" for estimate in _all(report)]
    return sorted(works | ({_JACKKNIFE} if any("jackknife" in one for one in methods) else set()))


def markdown_of(told: Told) -> str:
    """The methods as Markdown."""
    parts = [f"# {_('Methods')}"]
    for one in paragraphs(told):
        parts += [f"## {one.title}", markdown(one.text)]
    parts += [f"## {_('References')}", *(f"- {work}" for work in references(told.reports[PLAIN]))]
    return "\n\n".join(parts) + "\n"


def text_of(told: Told) -> str:
    """The methods as plain text, a paragraph a line."""
    lines = [one.text for one in paragraphs(told)]
    return "\n\n".join([*lines, *references(told.reports[PLAIN])]) + "\n"


def _ratings(told: Told, report: Report) -> Iterator[str]:
    humans = sum(not rater.is_judge for rater in report.raters)
    judges = len(report.raters) - humans
    yield _(
        "In the study %(study)s, %(items)s of %(dialogues)s were rated by %(humans)s and "
        "%(judges)s under the rubric %(rubric)s (SHA-256 %(fingerprint)s)."
    ) % {
        "study": f"“{told.study}”",
        "items": _n("items", report.n_items),
        "dialogues": _n("dialogues", report.n_dialogues),
        "humans": _n("people", humans),
        "judges": _n("judges", judges),
        "rubric": report.rubric,
        "fingerprint": report.rubric_fingerprint[:16],
    }
    yield _(
        "These figures rest on %(ratings)s and %(gold)s, as they stood at revision %(revision)s "
        "on %(date)s."
    ) % {
        "ratings": _n("ratings", report.n_ratings),
        "gold": _n("gold", report.n_gold),
        "revision": report.revision,
        "date": f"{report.computed_at:%Y-%m-%d}",
    }
    if humans:
        yield _("People appear under pseudonyms.")
    yield from map(_judge, told.judges)


def _judge(one: Mapping[str, object]) -> str:
    if one.get("llm") is None:
        return _("The ratings of the judge %(judge)s were imported.") % {"judge": one["judge"]}
    return _(
        "The judge %(judge)s is %(llm)s at temperature %(temperature)s with edition %(edition)s of "
        "the prompt."
    ) % {
        "judge": one["judge"],
        "llm": one["llm"],
        "temperature": one["temperature"],
        "edition": one["prompt_edition"],
    }


def _left_out(told: Told, report: Report) -> Iterator[str]:
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
        yield _("Tables headed “as released” have them in.")
    unscored: Counter[str] = Counter()
    for line in report.quality:
        unscored.update(line.unscored)
    if unscored:
        reasons = "; ".join(f"{reason_name(key)}: {n:,}" for key, n in sorted(unscored.items()))
        yield ngettext(
            "%(n)s rating has no value (%(reasons)s); nothing was put in its place.",
            "%(n)s ratings have no value (%(reasons)s); nothing was put in their place.",
            unscored.total(),
        ) % {"n": f"{unscored.total():,}", "reasons": reasons}
    yield from _own_family(report)
    yield _(
        "An item that a rater rated in several rounds counts as in the newest; of a judge asked "
        "several times the first answer counts, except for its repeatability."
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
                "generators": ", ".join(judge.own_generators),
                "items": _n("items", most),
            }


def _item_level(report: Report) -> Iterator[str]:
    if not report.comparisons:
        yield _("No two raters share an item, so no agreement was computed.")
        return
    yield _("At item level each rated item is a point.")
    for names, criteria in _statistics(report).items():
        yield _("For %(criteria)s: %(statistics)s.") % {
            "criteria": ", ".join(criteria),
            "statistics": "; ".join(str(NAMES[name]) for name in names),
        }
    kinds = {one.kind for one in report.comparisons}
    if kinds & {Kind.JUDGE_HUMANS, Kind.JUDGE_GOLD}:
        yield _("Bias is the judge less people or gold.")
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
        yield _("95 %% intervals: %(methods)s.") % {"methods": "; ".join(methods)}
        if any("jackknife" in (one.method or "") for one in estimates):
            yield _(
                "What is left out in turn gives the standard error (jackknife), Student’s t the "
                "limits."
            )
        yield _("They speak about these raters and new dialogues, not about other raters.")
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
        "At system level each generator is a point, its mean over the items that both rated: "
        "%(generators)s at most. Item level stands beside it, neither for the other."
    ) % {"generators": _n("generators", most)}
    yield _("Intervals are over generators, not over dialogues.")


def _computation(told: Told, report: Report) -> Iterator[str]:
    versions = dict(report.versions)
    yield _("Computed by Concord %(concord)s with %(libraries)s.") % {
        "concord": versions.pop("concord"),
        "libraries": ", ".join(f"{name} {number}" for name, number in sorted(versions.items())),
    }
    if told.parts:
        yield _(
            "Further parts: %(parts)s; where they draw at random they draw %(n)s times from the "
            "seed %(seed)s."
        ) % {
            "parts": ", ".join(told.parts),
            "n": f"{SEEDS['resamples']:,}",
            "seed": SEEDS["bootstrap"],
        }
    if told.verified:
        yield told.verified
    if told.data_sha256:
        yield _(
            "The ratings are in the folder “data” (SHA-256 %(sha256)s); `manage.py report --check` "
            "computes every number again from them."
        ) % {"sha256": told.data_sha256}
        yield _(
            "When somebody rated or was asked does not leave, so drift and hidden repeats of items "
            "are on the pages only."
        )


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
