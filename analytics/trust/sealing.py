"""A verdict at a planned look is sealed: with what it was made from, and never changed.

Live verdicts are not a test, for whoever looks often enough sees a bar cleared by chance. A sealed
one is made once, at the look that the rules fixed beforehand, with intervals that are right at all
planned looks together. Later data make another verdict at the next look, never a changed one.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from accounts import events
from accounts.models import User
from analytics.figures import store
from analytics.models import FixedPolicy, SealedVerdicts
from analytics.policies.loading import Policy, read
from analytics.ratings import matrices
from analytics.ratings.matrices import PLAIN
from analytics.stats.looks import LookPlan
from analytics.trust import blinding, cards, policies
from analytics.trust.actions import refuse_others
from analytics.trust.numbers import PART, TrustReport, applied
from annotation.models import Study
from annotation.queries.studies import StudyAccess
from annotation.rubric.sentences import Sentence, sentence


class CannotSeal(Exception):
    """A sentence that says why there is nothing to seal now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LookState:
    """Where a study stands with its planned looks; `plan` is None where none were fixed."""

    plan: LookPlan | None
    sealed: Sequence[SealedVerdicts]
    n_items: int
    is_due: bool

    @property
    def next_look(self) -> int:
        """The number of the next look; one more than there are after the last."""
        return 1 + len(self.sealed)

    @property
    def said(self) -> str:
        """What a reader must know of the figures on the page."""
        live = _(
            "These verdicts are live figures, not a test: whoever looks often enough sees a bar "
            "cleared by chance."
        )
        if self.plan is None:
            return f"{live} {_('The rules fix no day or number of items at which one looks.')}"
        return f"{live} {self.planned}"

    @property
    def planned(self) -> str:
        """When one looks next; empty where no looks were planned."""
        if self.plan is None:
            return ""
        if self.next_look > self.plan.n_looks:
            return _("All planned looks were taken; the sealed verdicts stand.")
        words = {
            "look": self.next_look,
            "of": self.plan.n_looks,
            "n": f"{self.plan.items[self.next_look - 1]:,}",
            "now": f"{self.n_items:,}",
        }
        planned = (
            _(
                "Look %(look)s of %(of)s is planned at %(n)s items rated by people and a judge; there are %(now)s."
            )
            % words
        )
        if not self.plan.dates:
            return planned
        day = date_format(self.plan.dates[self.next_look - 1], "DATE_FORMAT")
        return f"{planned} {_('Not before %(day)s.') % {'day': day}}"


def state(study: Study, report: TrustReport, policy: Policy, *, at: datetime) -> LookState:
    """Where a study stands under the rules that it fixed."""
    sealed = list(
        SealedVerdicts.objects.filter(study=study, policy__sha256=policy.sha256)
        .select_related("sealed_by")
        .order_by("look")
    )
    n_items = n_rated_by_both(report, policy)
    is_due = policy.looks is not None and policy.looks.is_due(
        len(sealed) + 1, n_items=n_items, today=at.date()
    )
    return LookState(plan=policy.looks, sealed=sealed, n_items=n_items, is_due=is_due)


def named(study: Study, sha256: str) -> SealedVerdicts | None:
    """What was sealed under this name in a study."""
    found = SealedVerdicts.objects.filter(study=study, sha256=sha256)
    return found.select_related("sealed_by").first()


def n_rated_by_both(report: TrustReport, policy: Policy) -> int:
    """The most items that any judge and people, or gold, have rated on one criterion."""
    by_key = {line.key: line for line in report.criteria}
    held = (
        (found[0].pair[found[1].statistic].n_items)
        for known in report.known
        if (found := applied(known, by_key[known.criterion], policy))
    )
    return max(held, default=0)


@transaction.atomic
def seal(*, study_access: StudyAccess, by: User, at: datetime) -> SealedVerdicts:
    """Seal every verdict at the planned look that is due. CannotSeal says what is missing."""
    refuse_others(study_access)
    study = Study.objects.select_for_update().get(pk=study_access.study.pk)
    fixed = FixedPolicy.objects.filter(study=study).order_by("-pk").first()
    policy = read(fixed.key, fixed.text) if fixed else None
    if fixed is None or policy is None or policy.looks is None:
        raise CannotSeal(
            sentence(
                "The study has fixed no rules that say when one looks. Add “looks” to a file of "
                "rules and fix it before judges have rated."
            )
        )
    report = store.up_to_date(study_id=study.pk, part=PART, at=at)[PLAIN]
    ratings = matrices.read(study.pk)
    if ratings.revision != report.revision:
        raise CannotSeal(sentence("Ratings are coming in just now. Try again in a moment."))
    found = state(study, report, policy, at=at)
    if not found.is_due:
        raise CannotSeal(_not_due(found))
    if study.judges_are_blinded:
        blinding.name_at_look(study, look=found.next_look, by=by, at=at)
        report = store.up_to_date(study_id=study.pk, part=PART, at=at)[PLAIN]
        ratings = matrices.read(study.pk)
    content = _content(study, report, found, data=matrices.digest(ratings))
    sealed = SealedVerdicts.objects.create(
        study=study,
        look=found.next_look,
        policy=fixed,
        revision=report.revision,
        data_sha256=content["data_sha256"],
        content=(text := _text(content)),
        sha256=hashlib.sha256(text.encode()).hexdigest(),
        concord=settings.VERSION,
        sealed_at=at,
        sealed_by=by,
    )
    events.record(
        "trust.sealed",
        subject=f"study:{study.pk}",
        by=by,
        at=at,
        facts={"look": sealed.look, "sha256": sealed.sha256, "policy": fixed.sha256},
    )
    return sealed


def _not_due(found: LookState) -> Sentence:
    if found.plan is None or found.next_look > found.plan.n_looks:
        return sentence("All planned looks were taken. Later data need rules with later looks.")
    needed = found.plan.items[found.next_look - 1]
    if found.n_items < needed:
        return sentence(
            "Look {look} is planned at {needed} items rated by people and a judge; there are {n}.",
            look=found.next_look,
            needed=needed,
            n=found.n_items,
        )
    return sentence(
        "Look {look} is planned for {day}, not before.",
        look=found.next_look,
        day=found.plan.dates[found.next_look - 1].isoformat(),
    )


def _content(study: Study, report: TrustReport, found: LookState, *, data: str) -> dict[str, Any]:
    """All that a verdict rests on, as JSON can hold it."""
    plan = found.plan
    n_looks = plan.n_looks if plan else 1
    held = policies.held(study)
    return {
        "look": found.next_look,
        "of_looks": n_looks,
        "n_items": found.n_items,
        "data_sha256": data,
        "concord": settings.VERSION,
        "rules": held.policy.text,
        "blinding": _blinding(study),
        **cards.as_json(report, held, n_looks=n_looks),
    }


def _blinding(study: Study) -> dict[str, Any] | None:
    """From when to when judges stood under letters, and why they were named early, "" where not."""
    if study.judges_blinded_at is None or study.judges_named_at is None:
        return None
    return {
        "since": study.judges_blinded_at.isoformat(),
        "until": study.judges_named_at.isoformat(),
        "named_early_because": study.judges_named_why,
    }


def _text(content: dict[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
