"""Which rules a study can hold its trust cards against, what they ask, and since when they hold."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.http import Http404
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from accounts.punctuation import in_turn, labelled, listed
from analytics.agreement.numbers import CriterionLine
from analytics.measures import NAMES
from analytics.models import BroughtPolicy, FixedPolicy
from analytics.policies.loading import (
    DEFAULT,
    EVERY_CRITERION,
    CriterionRules,
    Policy,
    own_key,
    read,
    shipped,
)
from analytics.present.words import number
from analytics.stats.calibration import Method
from analytics.stats.verdicts import Bar, EndpointChange, Topic
from annotation.models import RaterKind, Study, Submission
from annotation.queries.wording import said
from annotation.rubric.schema import Measurement

TOPICS: Mapping[Topic, Promise] = {
    Topic.DATA: gettext_lazy("Enough data"),
    Topic.UNSCORED: gettext_lazy("Items without a value"),
    Topic.AGREEMENT: gettext_lazy("Agreement"),
    Topic.BIAS: gettext_lazy("Bias"),
    Topic.CEILING: gettext_lazy("As good as a person"),
    Topic.ALTERNATIVE: gettext_lazy("Alternative annotator test"),
    Topic.SENSITIVITY: gettext_lazy("Sensitivity"),
    Topic.REPEATABILITY: gettext_lazy("Repeatability"),
    Topic.DRIFT: gettext_lazy("Drift"),
    Topic.ENDPOINT: gettext_lazy("The LLM behind it"),
}
_CALIBRATIONS: Mapping[Method | None, Promise] = {
    None: gettext_lazy("Calibration does not count."),
    Method.SHIFT: gettext_lazy("What falls short may be met once the judge’s mean is shifted."),
    Method.LINEAR: gettext_lazy(
        "What falls short may be met once a straight line has calibrated the judge."
    ),
}


class NoSuchPolicy(Http404):
    """The study knows no rules of this name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixing:
    """That rules were fixed once: which, when, by whom, and how many ratings were in."""

    key: str
    title: str
    sha256: str
    n_judged: int
    at: datetime
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """The policy in view and how it came to hold.

    `fixings` are those of the study, the newest first; `is_preview` where another policy than the
    fixed one is looked at. `blinding` says whether judges are, or were, blinded, "" where never;
    `are_late`: whether judges have rated while no rules were fixed.
    """

    policy: Policy
    fixings: Sequence[Fixing]
    is_preview: bool
    blinding: str = ""
    are_late: bool = False

    @property
    def title(self) -> str:
        return said(self.policy.title)

    @property
    def fixed(self) -> Fixing | None:
        return self.fixings[0] if self.fixings else None

    @property
    def since(self) -> str:
        """When the rules were fixed, and whether that was before the results."""
        if self.fixed is None and self.are_late:
            return _(
                "No rules have been fixed for this study, so these verdicts are only a preview. "
                "Judges have rated already: every card will say so of rules that are fixed now, for "
                "rules chosen after the results prove nothing."
            )
        if self.fixed is None:
            return _(
                "No rules have been fixed for this study, so these verdicts are only a preview. "
                "Fix them before judges have rated: rules chosen after the results prove nothing."
            )
        words = {
            "date": date_format(self.fixed.at, "DATE_FORMAT"),
            "who": self.fixed.by,
            "n": f"{self.fixed.n_judged:,}",
        }
        if not self.fixed.n_judged:
            when = _("Rules fixed on %(date)s by %(who)s, before any judge had rated.") % words
        else:
            when = (
                ngettext(
                    "Rules fixed on %(date)s by %(who)s, after %(n)s item had been rated by a "
                    "judge.",
                    "Rules fixed on %(date)s by %(who)s, after %(n)s ratings of items by judges.",
                    self.fixed.n_judged,
                )
                % words
            )
        n_before = len(self.fixings) - 1
        if not n_before:
            return when
        changed = ngettext(
            "They replaced earlier rules, once.",
            "They replaced earlier rules, %(n)s times.",
            n_before,
        )
        return f"{when} {changed % {'n': n_before}}"

    @property
    def came_late(self) -> bool:
        """Whether the rules came after results, or were changed."""
        return self.fixed is not None and bool(self.fixed.n_judged or len(self.fixings) > 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyChoice:
    """One of the policies that can be looked at, fixed and downloaded."""

    key: str
    title: str
    about: str
    sha256: str
    origin: str
    is_current: bool
    is_fixed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """A policy as people read it: `heads` are criteria, `rows` a line of the card each, with what
    is asked of these criteria; empty where it is not asked."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]
    notes: tuple[str, ...]


def of_study(study: Study) -> dict[str, Policy]:
    """{key: policy}: those of Concord, those that the study brought, and whatever it fixed once."""
    found = dict(shipped())
    known = {policy.sha256 for policy in found.values()}
    for kind in (BroughtPolicy, FixedPolicy):
        for text in kind.objects.filter(study=study).order_by("pk").values_list("text", flat=True):
            policy = read(own_key(text), text)
            if policy.sha256 not in known:
                known.add(policy.sha256)
                found[policy.key] = policy
    return found


def named(study: Study, key: str) -> Policy:
    """One of them; NoSuchPolicy."""
    try:
        return of_study(study)[key]
    except KeyError:
        raise NoSuchPolicy from None


def held(study: Study, *, preview: str = "") -> Held:
    """The policy that holds, or the one that is to be looked at; NoSuchPolicy."""
    found = FixedPolicy.objects.filter(study=study).select_related("fixed_by").order_by("-pk")
    fixed = [(one, read(one.key, one.text)) for one in found]
    policy = fixed[0][1] if fixed else shipped()[DEFAULT]
    looked_at = named(study, preview) if preview else policy
    is_preview = bool(preview) and (not fixed or looked_at.sha256 != policy.sha256)
    return Held(
        policy=looked_at if is_preview else policy,
        fixings=[_fixing(one, policy) for one, policy in fixed],
        is_preview=is_preview,
        blinding=said_blinding(study),
        are_late=not fixed and _judges_have_rated(study),
    )


def _judges_have_rated(study: Study) -> bool:
    given = Submission.objects.filter(study=study, is_current=True, rater__kind=RaterKind.JUDGE)
    return given.exists()


def said_blinding(study: Study) -> str:
    """Whether the judges of a study are, or were, blinded: printed with rules, verdicts and report."""
    if study.judges_blinded_at is None:
        return ""
    words = {
        "since": date_format(study.judges_blinded_at, "DATE_FORMAT"),
        "until": date_format(study.judges_named_at, "DATE_FORMAT") if study.judges_named_at else "",
        "why": study.judges_named_why,
    }
    if study.judges_are_blinded:
        told = _("Judges have been blinded since %(since)s, until a verdict is sealed.")
    elif study.judges_named_why:
        told = _(
            "Judges were blinded from %(since)s and named on %(until)s, before a verdict was sealed: "
            "“%(why)s”. What was decided since then was not blinded."
        )
    else:
        told = _("Judges were blinded from %(since)s until the verdict was sealed on %(until)s.")
    return told % words


def choices(study: Study, held: Held) -> list[PolicyChoice]:
    """All policies of a study, with where they come from."""
    brought = {
        one.sha256: one
        for one in BroughtPolicy.objects.filter(study=study).select_related("brought_by")
    }
    return [
        PolicyChoice(
            key=key,
            title=said(policy.title),
            about=said(policy.about),
            sha256=policy.sha256,
            origin=_origin(key, brought.get(policy.sha256)),
            is_current=policy.sha256 == held.policy.sha256,
            is_fixed=held.fixed is not None and policy.sha256 == held.fixed.sha256,
        )
        for key, policy in of_study(study).items()
    ]


def n_answers_before(study: Study, judges: Collection[int], at: datetime) -> int:
    """How many answers of judges, raters, were in at a moment, whether they count today or not."""
    given = Submission.objects.filter(study=study, rater__in=judges, submitted_at__lte=at)
    return given.count()


def rendered(policy: Policy, criteria: Sequence[CriterionLine]) -> Rendered:
    """What a policy asks of these criteria, in words."""
    levels = list(dict.fromkeys(line.measurement for line in criteria)) if policy.by_level else []
    names = {
        level: listed(said(line.name) for line in criteria if line.measurement is level)
        for level in levels
    }
    return Rendered(
        heads=(_("Every criterion"),) if len(levels) == 1 else tuple(names.values()),
        rows=tuple(
            (str(name), cells)
            for topic, name in TOPICS.items()
            if any(cells := tuple(asked(policy, level, topic) for level in levels))
        ),
        notes=tuple(_notes(policy, levels, criteria)),
    )


def asked(policy: Policy, level: Measurement, topic: Topic) -> str:
    """What a policy asks of a line at a level of measurement; empty where it asks nothing."""
    rules = policy.by_level[level]
    match topic:
        case Topic.DATA:
            words = {"items": rules.least_items, "dialogues": rules.least_dialogues}
            return _("at least %(items)s items and %(dialogues)s dialogues") % words
        case Topic.BIAS:
            return _within(rules.bias_margin)
        case Topic.DRIFT:
            return _within(rules.drift_margin)
        case Topic.CEILING if rules.ceiling_margin is not None:
            margin = {"margin": f"{rules.ceiling_margin:g}"}
            return _("at most %(margin)s below a person") % margin
        case Topic.ALTERNATIVE if rules.epsilon is not None:
            epsilon = {"epsilon": f"{rules.epsilon:g}"}
            return _("wins against at least half of the people (ε = %(epsilon)s)") % epsilon
        case Topic.ENDPOINT:
            return _asked_of_endpoint(policy.expires_with)
    bar = bar_of(topic, rules)
    return _said_bar(topic, bar, rules) if bar else ""


def bar_of(topic: Topic, rules: CriterionRules) -> Bar | None:
    """The two thresholds of a line, where it has any."""
    return {
        Topic.UNSCORED: rules.unscored,
        Topic.AGREEMENT: rules.agreement,
        Topic.SENSITIVITY: rules.sensitivity,
        Topic.REPEATABILITY: rules.repeatability,
    }.get(topic)


def _fixing(one: FixedPolicy, policy: Policy) -> Fixing:
    is_shipped = shipped().get(one.key) == policy
    return Fixing(
        key=one.key if is_shipped else own_key(one.text),
        title=said(policy.title),
        sha256=one.sha256,
        n_judged=one.n_judged,
        at=one.fixed_at,
        by=one.fixed_by.full_name,
    )


def _origin(key: str, brought: BroughtPolicy | None) -> str:
    if key in shipped():
        return _("Comes with Concord.")
    if brought is None:
        return _("As it read when it was fixed; Concord has changed it since.")
    return _("Your own: %(file)s, brought on %(date)s by %(who)s.") % {
        "file": brought.file_name,
        "date": date_format(brought.brought_at, "DATE_FORMAT"),
        "who": brought.brought_by.full_name,
    }


def _notes(
    policy: Policy, levels: Sequence[Measurement], criteria: Sequence[CriterionLine]
) -> list[str]:
    if tiers := policy.tiers:
        words = {"good": f"{tiers.good_width:g}", "moderate": f"{tiers.moderate_width:g}"}
        return [
            _(
                "Good: the interval of ICC(C,1) between generators’ means is at most %(good)s "
                "wide; moderate: at most %(moderate)s; poor: wider."
            )
            % words,
            _("%(n)s draws of generators, seed %(seed)s.")
            % {"n": f"{tiers.replicates:,}", "seed": tiers.seed},
        ]
    methods = dict.fromkeys(policy.by_level[level].calibration for level in levels)
    return [_sensitivity_note(policy, criteria), *(str(_CALIBRATIONS[one]) for one in methods)]


def _sensitivity_note(policy: Policy, criteria: Sequence[CriterionLine]) -> str:
    if EVERY_CRITERION in policy.sensitivity_of:
        return _("Sensitivity is asked on every criterion.")
    names = [said(line.name) for line in criteria if line.key in policy.sensitivity_of]
    unknown = sorted(policy.sensitivity_of - {line.key for line in criteria})
    found = (
        _("Sensitivity is asked on: %(criteria)s.") % {"criteria": listed(names)}
        if names
        else _("Sensitivity is asked on no criterion of this study.")
    )
    if not unknown:
        return found
    other = _("The rules also name %(keys)s, which this study has not.")
    return f"{found} {other % {'keys': ', '.join(unknown)}}"


def _within(margin: float | None) -> str:
    return _("within ±%(margin)s") % {"margin": f"{margin:g}"} if margin else ""


def _asked_of_endpoint(expires_with: frozenset[EndpointChange]) -> str:
    if EndpointChange.FINGERPRINT in expires_with:
        return _(
            "the same LLM in every answer, and the same configuration unless a later check for "
            "drift is passed"
        )
    return _("the same LLM in every answer") if EndpointChange.LLM in expires_with else ""


def _said_bar(topic: Topic, bar: Bar, rules: CriterionRules) -> str:
    statistic = "exact" if topic in (Topic.UNSCORED, Topic.SENSITIVITY) else "kappa"
    words = {
        "trusted": number(bar.trusted, statistic),
        "unusable": number(bar.unusable, statistic),
    }
    if bar.trusted > bar.unusable:
        said_bar = (
            _("whole interval from %(trusted)s up; not to be used below %(unusable)s") % words
        )
    else:
        said_bar = _("whole interval up to %(trusted)s; not to be used above %(unusable)s") % words
    if topic is Topic.AGREEMENT:
        return labelled(NAMES[rules.statistic], said_bar)
    if topic is Topic.SENSITIVITY and rules.least_positives:
        least = _("on at least %(n)s flagged items") % {"n": rules.least_positives}
        return in_turn((said_bar, least))
    return said_bar
