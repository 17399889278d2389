"""Publish the confidentiality agreement, show it and sign it."""

from dataclasses import asdict
from datetime import datetime, timedelta

from django.db import transaction
from django.utils.translation import gettext as _

from accounts import events
from accounts.access import access_of, current_terms
from accounts.editions import Edition
from accounts.models import Terms, TermsAcceptance, User


class CannotSign(Exception):
    """Why nothing was signed, as a sentence for the signer."""


@transaction.atomic
def publish(*, edition: Edition, by: User | None, at: datetime) -> tuple[Terms, bool]:
    """Put an edition in force and say whether it is new; a text is published only once."""
    published = Terms.objects.filter(sha256=edition.sha256).first()
    if published is not None:
        return published, False
    newest = Terms.objects.select_for_update().order_by("-number").first()
    terms = Terms.objects.create(
        number=newest.number + 1 if newest else 1,
        texts={tag: asdict(text) for tag, text in edition.texts.items()},
        valid_days=edition.valid_days,
        sha256=edition.sha256,
        published_at=at,
        resign_by=at + timedelta(days=edition.grace_days),
    )
    events.record(
        "terms.published",
        subject=f"terms:{terms.number}",
        by=by,
        at=at,
        facts={
            "sha256": terms.sha256,
            "valid_days": terms.valid_days,
            "grace_days": edition.grace_days,
        },
    )
    return terms, True


@transaction.atomic
def show(*, terms_number: int, language: str, by: User, at: datetime) -> None:
    events.record(
        "terms.shown", subject=f"terms:{terms_number}", by=by, at=at, facts={"language": language}
    )


@transaction.atomic
def sign(
    *, number: int, language: str, typed_name: str, affiliation: str, by: User, at: datetime
) -> TermsAcceptance:
    """Sign the edition that was read; it must still be the one in force."""
    signer = User.objects.select_for_update().get(pk=by.pk)
    terms = current_terms()
    if not access_of(signer, at=at).may_sign:
        raise CannotSign(_("Another step comes before signing. Open “Your access” to see which."))
    if terms is None or terms.number != number:
        raise CannotSign(_("A new edition was published while you read. Read and sign that one."))
    if language not in terms.languages:
        raise CannotSign(_("The agreement is not written in that language. Read it again."))
    if not signer.is_called(typed_name):
        raise CannotSign(_("Type your name as it stands in your account."))
    acceptance = TermsAcceptance(
        user=signer,
        terms=terms,
        typed_name=typed_name,
        affiliation=affiliation,
        language=language,
        accepted_at=at.replace(microsecond=0),
        effective_until=at.replace(microsecond=0) + timedelta(days=terms.valid_days),
    )
    acceptance.text_sha256 = acceptance.computed_sha256()
    acceptance.save()
    signer.affiliation = affiliation
    signer.save(update_fields=["affiliation"])
    events.record(
        "terms.signed",
        subject=f"account:{signer.pk}",
        by=signer,
        at=at,
        facts={
            "terms": terms.number,
            "acceptance": acceptance.pk,
            "sha256": acceptance.text_sha256,
        },
    )
    return acceptance
