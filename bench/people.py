"""A scratch study and its people."""

import hashlib
from collections.abc import Sequence
from datetime import timedelta

from django.contrib.auth.hashers import make_password
from django.utils import timezone

from accounts.access import current_terms
from accounts.models import Terms, TermsAcceptance, User
from annotation.actions import studies, teams
from annotation.models import Dialogue, Item, Study, TeamRole
from annotation.rubric.loading import shipped

TURNS = 8
TERM = timedelta(days=30)
PASSWORD = "everybody's on a scratch database"  # noqa: S105 -- nobody else's


def some_people(number: int) -> list[User]:
    """Accounts that may enter and can sign in."""
    terms = current_terms() or _terms()
    password = make_password(PASSWORD)
    return [_person(place, password, terms) for place in range(number)]


def a_study(key: str, *, rubric: str, n_items: int, annotators: Sequence[User]) -> Study:
    """A study under a rubric of those shipped, with annotators; the first coordinates too."""
    now = timezone.now()
    study = studies.create(
        key=key,
        name=key,
        rubric=shipped()[rubric],
        coordinator=annotators[0],
        by=annotators[0],
        at=now,
    )
    join(study, annotators[:1], TeamRole.ANNOTATOR, TeamRole.COORDINATOR)
    join(study, annotators[1:], TeamRole.ANNOTATOR)
    _fill(study, n_items)
    return study


def join(study: Study, people: Sequence[User], *roles: TeamRole) -> None:
    for account in people:
        teams.set_roles(
            study_id=study.pk, email=account.email, roles=roles, by=None, at=timezone.now()
        )


def _terms() -> Terms:
    return Terms.objects.create(
        number=1,
        title_en="Bench",
        title_zh_hans="Bench",
        body_en="Bench",
        body_zh_hans="Bench",
        sha256=hashlib.sha256(b"Bench").hexdigest(),
        published_at=timezone.now(),
    )


def _person(number: int, password: str, terms: Terms) -> User:
    now = timezone.now()
    account = User.objects.create(
        email=f"bench{number}@example.org",
        full_name=f"Person {number}",
        password=password,
        approved_until=now + TERM,
    )
    TermsAcceptance.objects.create(
        user=account,
        terms=terms,
        typed_name=account.full_name,
        language="en",
        text_sha256=terms.sha256,
        accepted_at=now,
        effective_until=now + TERM,
    )
    return account


def _fill(study: Study, n_items: int) -> None:
    """Dialogues of eight turns of about a hundred letters."""
    dialogues = Dialogue.objects.bulk_create(
        (
            Dialogue(study=study, key=f"d{number}", turns=_turns(number))
            for number in range(n_items)
        ),
        batch_size=2_000,
    )
    Item.objects.bulk_create(
        (
            Item(
                study=study,
                dialogue=dialogue,
                key=dialogue.key,
                position=number,
                reply=f"That sounds like a lot to carry, day {number} after day.",
                content_sha256="0" * 64,
            )
            for number, dialogue in enumerate(dialogues)
        ),
        batch_size=2_000,
    )


def _turns(number: int) -> list[dict[str, str]]:
    return [
        {
            "speaker": "seeker" if place % 2 == 0 else "supporter",
            "text": f"Turn {place} of dialogue {number}: " + "some words that people say. " * 3,
        }
        for place in range(TURNS)
    ]
