"""The prompts of a study, what each version changed, and what it comes to for an item."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum
from functools import partial

from django.db.models import Count, Q, QuerySet
from django.http import Http404

from accounts.models import User
from annotation.models import Item, Study
from annotation.queries.studies import StudyAccess
from annotation.rubric.schema import Rubric
from judging.comparing import has_scale, interview_by
from judging.models import PromptTemplate
from judging.prompts import loading
from judging.prompts.loading import ShippedTemplate
from judging.prompts.template import PromptSubject, Template
from judging.queries import comparing
from judging.queries.endpoints import priced
from judging.queries.runs import item_text, items_to_judge, pair_text
from judging.queries.showing import CostEstimate, estimate
from judging.rules.budget import Price
from judging.rules.comparing import PairsWanted

_ITEMS_OFFERED = 200
_AROUND = 3  # unchanged lines beside a change


class NoSuchTemplate(Http404):
    """The study has no such prompt, or not in this version."""


class NothingToCompareWith(Exception):
    """There is no second reply to the conversation of an item, and the prompt compares two."""


class DiffKind(StrEnum):
    """What became of a line between two versions."""

    SAME = "same"
    ADDED = "added"
    REMOVED = "removed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffLine:
    """A line of a comparison of two texts."""

    kind: DiffKind
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestShown:
    """One request as it would be sent, and the tokens that it takes with its answer."""

    messages: Sequence[Mapping[str, str]]
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptCost:
    """What one item and all items of the study cost with an LLM at an endpoint, each asked once."""

    endpoint: str
    llm: str
    currency: str
    of_item: Decimal
    of_study: CostEstimate


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptPreview:
    """All requests of an item at most, with the `other` reply where two are compared; what they take
    in the study, and where it is known, cost."""

    item: Item
    other: Item | None
    requests: Sequence[RequestShown]
    of_study: CostEstimate
    costs: Sequence[PromptCost]

    @property
    def tokens(self) -> int:
        return sum(request.tokens for request in self.requests)

    @property
    def items(self) -> list[int]:
        """Whose texts are in it."""
        return [one.pk for one in (self.item, self.other) if one is not None]


def of_study(study: Study) -> list[PromptTemplate]:
    """Every version, the newest of each prompt first; `n_judges` have used it."""
    return list(
        PromptTemplate.objects.filter(study=study)
        .select_related("written_by")
        .annotate(n_judges=Count("judges", filter=Q(judges__runs__study=study), distinct=True))
        .order_by("name", "-number")
    )


def version(study: Study, name: str, number: int | None = None) -> PromptTemplate:
    """A version of a prompt, the newest where no number is given; or NoSuchTemplate."""
    found = PromptTemplate.objects.filter(study=study, name=name).select_related("written_by")
    if number is not None:
        found = found.filter(number=number)
    template = found.order_by("-number").first()
    if template is None:
        raise NoSuchTemplate
    return template


def named(study: Study, written: str) -> PromptTemplate:
    """A version as people write it: “chain/2”, or “chain” for the newest; or NoSuchTemplate."""
    name, _slash, number = written.partition("/")
    if number and not number.isdecimal():
        raise NoSuchTemplate
    return version(study, name, int(number) if number else None)


def shipped_for(rubric: Rubric) -> list[ShippedTemplate]:
    """The templates that come with Concord and suit a rubric."""
    return [one for one in loading.shipped().values() if one.rubric == rubric.key]


def differences(before: str, after: str) -> list[DiffLine]:
    """What changed between two texts, with some lines around each change."""
    old, new = before.splitlines(), after.splitlines()
    lines: list[DiffLine] = []
    groups = difflib.SequenceMatcher(a=old, b=new, autojunk=False).get_grouped_opcodes(_AROUND)
    for group in groups:
        if lines or group[0][1] > 0:
            lines.append(DiffLine(kind=DiffKind.SKIPPED, text=""))
        for tag, first, last, first_new, last_new in group:
            if tag == "equal":
                lines += [DiffLine(kind=DiffKind.SAME, text=text) for text in old[first:last]]
                continue
            lines += [DiffLine(kind=DiffKind.REMOVED, text=text) for text in old[first:last]]
            added = new[first_new:last_new]
            lines += [DiffLine(kind=DiffKind.ADDED, text=text) for text in added]
    return lines


def items_to_preview(study_access: StudyAccess) -> list[str]:
    """The keys of items that a prompt or a rubric may be tried on by this account."""
    return list(_seen(study_access).values_list("key", flat=True)[:_ITEMS_OFFERED])


def item_to_preview(study_access: StudyAccess, key: str) -> Item | None:
    """One of these items; None where this account may not see it."""
    return _seen(study_access).filter(key=key).select_related("dialogue").first()


def _seen(study_access: StudyAccess) -> QuerySet[Item]:
    visible = Item.objects.visible_to(study_access.access).values("pk")
    return items_to_judge(study_access.study, None).filter(pk__in=visible)


def preview(
    study_access: StudyAccess,
    template: Template,
    item_key: str,
    *,
    by: User,
    max_tokens: int | None,
    on: date,
) -> PromptPreview | None:
    """What would be sent about an item, and what it costs on a day; None where this account may
    not see it, NothingToCompareWith where the prompt needs a second reply and there is none."""
    item = item_to_preview(study_access, item_key)
    if item is None:
        return None
    study = study_access.study
    text, other = item_text(item), None
    if template.subject is PromptSubject.PAIR:
        other = comparing.other_reply(item, _seen(study_access))
        if other is None:
            raise NothingToCompareWith
        text = pair_text(item, other)
    interview = interview_by(template, study.rubric_version.content)
    reckoned = partial(_reckoned, study, template, by=by, max_tokens=max_tokens)
    return PromptPreview(
        item=item,
        other=other,
        of_study=reckoned(price=None),
        costs=[
            PromptCost(
                endpoint=endpoint.name,
                llm=llm,
                currency=price.currency,
                of_item=interview.likely_use(text, max_tokens=max_tokens, price=price).money,
                of_study=reckoned(price=price),
            )
            for endpoint, llm, price in priced(on=on)
        ],
        requests=[
            RequestShown(
                messages=prompt.messages,
                tokens=interview.use_of(prompt, max_tokens=max_tokens).tokens,
            )
            for prompt in interview.every_prompt(text)
        ],
    )


def _reckoned(
    study: Study, template: Template, *, by: User, max_tokens: int | None, price: Price | None
) -> CostEstimate:
    """What the whole study takes, each item or pair asked once in each order."""
    if template.subject is PromptSubject.PAIR:
        wanted = PairsWanted(overall=not has_scale(study.rubric_version.content))
        reckon = partial(comparing.estimate, study, wanted)
    else:
        reckon = partial(estimate, study)
    return reckon(
        by=by,
        round_number=None,
        repeats=1,
        template=template,
        max_tokens=max_tokens,
        price=price,
    )
