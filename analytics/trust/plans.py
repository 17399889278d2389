"""What a study has planned to show, as manifests that anybody can check later."""

import hashlib
import io
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction

from accounts import events
from accounts.models import Event, User
from analytics.models import FixedPolicy
from analytics.policies import prml
from analytics.policies.loading import CriterionRules, Policy, read
from analytics.stats.alternative import PASSING
from analytics.stats.intervals import SEED
from analytics.stats.looks import ERROR
from analytics.stats.verdicts import Bar
from analytics.trust.actions import CannotFix, refuse_others
from annotation.models import Study
from annotation.queries.studies import StudyAccess
from annotation.rubric.derived import measurement_of
from annotation.rubric.schema import Group
from annotation.rubric.sentences import sentence

COMMITTED = "trust.plan_committed"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedClaim:
    """One line of the rules on one criterion: a `metric` that a limit of the interval of any judge
    must reach. `args` are its `metric_args`."""

    metric: str
    comparator: str
    threshold: float
    args: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class CommittedPlan:
    """Manifests by the names of their files, in canonical bytes."""

    files: Mapping[str, bytes]

    @property
    def every_file(self) -> Mapping[str, bytes]:
        """The manifests, each with its SHA-256 in a file beside it."""
        beside = {
            f"{name.removesuffix('.yaml')}.sha256": f"{sha256_of(content)}\n".encode()
            for name, content in self.files.items()
        }
        return {**self.files, **beside}

    @property
    def as_zip(self) -> bytes:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in self.every_file.items():
                archive.writestr(name, content)
        return packed.getvalue()


@transaction.atomic
def commit_plan(*, study_access: StudyAccess, by: User, at: datetime) -> CommittedPlan:
    """Write the fixed rules of a study down as manifests; their hashes go into the audit trail.

    CannotFix where no rules with lines are fixed."""
    refuse_others(study_access)
    study = study_access.study
    fixed = FixedPolicy.objects.filter(study=study).order_by("-pk").first()
    policy = read(fixed.key, fixed.text) if fixed else None
    if fixed is None or policy is None or not policy.by_level:
        raise CannotFix(
            sentence("No rules with bars are fixed, so there is no plan to write down yet.")
        )
    data = data_sha256(study)
    manifests = [_manifest(study, fixed, claim, data, at) for claim in claims_of(study, policy)]
    plan = CommittedPlan(
        files={f"{one['claim_id']}.prml.yaml": prml.canonical(one) for one in manifests}
    )
    events.record(
        COMMITTED,
        subject=f"study:{study.pk}",
        by=by,
        at=at,
        facts={
            "policy": fixed.sha256,
            "dataset": data,
            "claims": sorted(map(sha256_of, plan.files.values())),
        },
    )
    return plan


def committed_at(study: Study, content: bytes) -> datetime | None:
    """Since when the audit trail knows this manifest of the study, or None. NotPrml."""
    found = prml.sha256_of(prml.read_manifest(content))
    known = Event.objects.filter(
        verb=COMMITTED, subject=f"study:{study.pk}", facts__claims__contains=found
    )
    return known.order_by("pk").values_list("at", flat=True).first()


def claims_of(study: Study, policy: Policy) -> Iterator[PlannedClaim]:
    """Every bar of the rules on all that has cards: an interval must lie wholly beyond it."""
    confidence = 1 - ERROR / (policy.looks.n_looks if policy.looks else 1)
    rubric = study.rubric_version.content
    for criterion in rubric.with_levels:
        level = (
            measurement_of(rubric, criterion)
            if isinstance(criterion, Group)
            else criterion.measurement
        )
        rules = policy.by_level[level]
        asks_sensitivity = policy.asks_sensitivity(criterion.key)
        args = {
            "confidence": confidence,
            "criterion": criterion.key,
            "least_dialogues": rules.least_dialogues,
            "least_items": rules.least_items,
        }
        if asks_sensitivity:
            args["least_positives"] = rules.least_positives
        if policy.looks:
            args["looks_at_items"] = " ".join(map(str, policy.looks.items))
        for metric, comparator, threshold in _bars(rules, asks_sensitivity=asks_sensitivity):
            yield PlannedClaim(metric=metric, comparator=comparator, threshold=threshold, args=args)


def _bars(rules: CriterionRules, *, asks_sensitivity: bool) -> Iterator[tuple[str, str, float]]:
    """Metric, comparator and threshold of each bar; margins bound a difference from both sides."""
    bars: dict[str, Bar | None] = {
        rules.statistic: rules.agreement,
        "unscored": rules.unscored,
        "sensitivity": rules.sensitivity if asks_sensitivity else None,
        "repeatability_alpha": rules.repeatability,
    }
    for name, bar in bars.items():
        if bar is None:
            continue
        if bar.trusted > bar.unusable:
            yield f"{name}_lower_limit", ">=", bar.trusted
        else:
            yield f"{name}_upper_limit", "<=", bar.trusted
    margins = {
        "absolute_bias": rules.bias_margin,
        f"{rules.statistic}_of_people_less_judge": rules.ceiling_margin,
        "absolute_drift": rules.drift_margin,
    }
    for name, margin in margins.items():
        if margin is not None:
            yield f"{name}_upper_limit", "<=", margin
    if rules.epsilon is not None:
        yield f"alternative_annotator_winning_rate_epsilon_{rules.epsilon:g}", ">=", PASSING


def data_sha256(study: Study) -> str:
    """Of the items as they are now: a line an item, its key, a tab and the SHA-256 of its content, in
    the order of keys."""
    rows = study.items.order_by("key").values_list("key", "content_sha256")
    return sha256_of("".join(f"{key}\t{sha256}\n" for key, sha256 in sorted(rows)).encode())


def _manifest(
    study: Study, fixed: FixedPolicy, claim: PlannedClaim, data: str, at: datetime
) -> dict[str, Any]:
    criterion = claim.args["criterion"]
    return {
        "version": prml.VERSION,
        "claim_id": prml.claim_id(at, of=f"{study.pk} {fixed.pk} {criterion} {claim.metric}"),
        "created_at": prml.moment(at),
        "metric": claim.metric,
        "metric_args": {**claim.args, "rules_sha256": fixed.sha256},
        "comparator": claim.comparator,
        "threshold": float(claim.threshold),
        "dataset": {"id": study.key, "hash": data},
        "seed": SEED,
        "code": {"id": f"concord {settings.VERSION}"},
        "producer": {"id": settings.ALLOWED_HOSTS[0] if settings.ALLOWED_HOSTS else "localhost"},
        "notes": f"Submissions by judges when the rules were fixed: {fixed.n_judged}.",
    }


def sha256_of(content: bytes) -> str:
    """What the audit trail knows a manifest by."""
    return hashlib.sha256(content).hexdigest()
