"""Editions of the agreement, and who signed them."""

from collections.abc import Sequence
from dataclasses import dataclass

from accounts.access import Access
from accounts.languages import named
from accounts.models import Terms, TermsAcceptance
from accounts.queries import NotYours


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A heading or a paragraph of an agreement."""

    is_heading: bool
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """One edition in one language, ready to be read.

    `others`: (tag, name) of every language that it can be read in besides.
    """

    terms: Terms
    language: str
    language_name: str
    others: Sequence[tuple[str, str]]
    title: str
    blocks: list[Block]


def agreement(terms: Terms | None, wanted: str) -> Agreement | None:
    """None stays None: a server may not have published an edition yet."""
    if terms is None:
        return None
    language = terms.spoken_for(wanted)
    blocks = [
        Block(is_heading=block.startswith("## "), text=block.removeprefix("## "))
        for block in terms.body(language).split("\n\n")
    ]
    return Agreement(
        terms=terms,
        language=language,
        language_name=named(language),
        others=[(tag, named(tag)) for tag in terms.languages if tag != language],
        title=terms.title(language),
        blocks=blocks,
    )


def terms_numbered(number: int) -> Terms:
    terms = Terms.objects.filter(number=number).first()
    if terms is None:
        raise NotYours
    return terms


def all_terms() -> list[Terms]:
    return list(Terms.objects.order_by("-number"))


def signatures_of(user_id: int) -> list[TermsAcceptance]:
    return list(
        TermsAcceptance.objects.filter(user=user_id).select_related("terms").order_by("-pk")
    )


def receipt_for(access: Access, acceptance_id: int) -> TermsAcceptance:
    """A signature, for its signer and for those who decide about access."""
    acceptances = TermsAcceptance.objects.select_related("terms", "user")
    acceptance = acceptances.filter(pk=acceptance_id).first()
    if acceptance is None:
        raise NotYours
    if acceptance.user_id != access.user_id and not access.may_decide_requests:
        raise NotYours
    return acceptance
