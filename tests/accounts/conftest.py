"""Accounts at each place along the way to the studies."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.actions import people, requests, terms
from accounts.editions import Edition, EditionText
from accounts.models import AccessRequest, Role, Terms, TermsAcceptance, User
from annotation.models import Study
from tests.analytics.made import decide, human, items_of, judge, let_pass, rate
from tests.cast import account, approved

A_YEAR = timedelta(days=365)


def sign(user: User, at=None) -> TermsAcceptance:
    """Sign the edition in force as the page does."""
    return terms.sign(
        number=Terms.objects.order_by("-number").first().number,
        language="en",
        typed_name=user.full_name,
        affiliation="Hill University",
        by=user,
        at=at or timezone.now(),
    )


def publish_another() -> Terms:
    """A newer edition, which everybody has yet to sign."""
    edition = Edition(
        texts={
            "en": EditionText(
                title="Confidentiality, revised",
                body="## 1. Quiet\n\nKeep what you read here to yourself, always.",
            ),
            "zh-hans": EditionText(
                title="保密（修订）", body="## 1. 保密\n\n请始终对所读内容保密。"
            ),
        },
        valid_days=365,
    )
    published, _ = terms.publish(edition=edition, by=None, at=timezone.now())
    return published


@pytest.fixture
def rated(pond, ada) -> Study:
    """A person and a judge have rated the pond, gold is decided, and its figures may leave."""
    ruth, echo = human("ruth"), judge("echo")
    for item in items_of(pond):
        rate(ruth, item, safety="safe_response")
        rate(echo, item, safety="nonsense")
        decide(item, safety="safe_response")
    let_pass(pond, by=ada)
    return pond


@pytest.fixture
def signed(eli) -> User:
    sign(eli)
    return eli


@pytest.fixture
def asked(signed) -> AccessRequest:
    return requests.ask(purpose="To annotate the pond.", by=signed, at=timezone.now())


@pytest.fixture
def tess(terms) -> User:
    """A second data steward, also an administrator."""
    return approved("tess", terms, roles=[Role.STEWARD, Role.ADMIN])


@pytest.fixture
def uma(terms) -> User:
    """An auditor."""
    return approved("uma", terms, roles=[Role.AUDITOR])


@pytest.fixture
def suspended(terms, sam) -> User:
    user = approved("vic", terms)
    people.suspend(user_id=user.pk, reason="Left the clinic.", by=sam, at=timezone.now())
    return user


@pytest.fixture
def expired(terms) -> User:
    user = approved("wim", terms)
    user.approved_until = timezone.now() - timedelta(seconds=1)
    user.save()
    return user


@pytest.fixture
def unsigned(terms) -> User:
    """Approved, but never signed the edition in force."""
    return account("xia", approved_until=timezone.now() + A_YEAR)


@pytest.fixture
def deactivated(terms) -> User:
    return approved("yan", terms, is_active=False)
