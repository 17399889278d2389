"""A scratch study and its people."""

import hashlib
from datetime import timedelta

from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.utils import timezone

from accounts.models import Terms, TermsAcceptance, User
from annotation.actions import studies, teams
from annotation.models import Dialogue, Item, Study, TeamRole
from annotation.rubric.loading import shipped

TURNS = 8
TERM = timedelta(days=30)


def a_study(*, n_items: int, n_annotators: int) -> tuple[Study, list[User]]:
    """A study under the dialogue-safety rubric, with annotators who may see it."""
    now = timezone.now()
    terms = Terms.objects.create(
        number=1,
        title_en="Bench",
        title_zh_hans="Bench",
        body_en="Bench",
        body_zh_hans="Bench",
        sha256=hashlib.sha256(b"Bench").hexdigest(),
        published_at=now,
    )
    people = [person(number, terms) for number in range(n_annotators)]
    study = studies.create(
        key="bench",
        name="Bench",
        rubric=shipped()["dialogue_safety"],
        coordinator=people[0],
        by=people[0],
        at=now,
    )
    for account in people:
        teams.set_roles(
            study_id=study.pk,
            email=account.email,
            roles=[TeamRole.ANNOTATOR, TeamRole.COORDINATOR],
            by=people[0],
            at=now,
        )
    fill(study, n_items)
    return study, people


def person(number: int, terms: Terms) -> User:
    now = timezone.now()
    account = User.objects.create(
        email=f"bench{number}@example.org",
        full_name=f"Person {number}",
        password=UNUSABLE_PASSWORD_PREFIX,
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


def fill(study: Study, n_items: int) -> None:
    """Dialogues of eight turns of about a hundred letters."""
    dialogues = Dialogue.objects.bulk_create(
        Dialogue(study=study, key=f"d{number}", turns=turns(number)) for number in range(n_items)
    )
    Item.objects.bulk_create(
        Item(
            study=study,
            dialogue=dialogue,
            key=dialogue.key,
            position=number,
            reply=f"That sounds like a lot to carry, day {number} after day.",
            content_sha256="0" * 64,
        )
        for number, dialogue in enumerate(dialogues)
    )


def turns(number: int) -> list[dict[str, str]]:
    return [
        {
            "speaker": "seeker" if place % 2 == 0 else "supporter",
            "text": f"Turn {place} of dialogue {number}: " + "some words that people say. " * 3,
        }
        for place in range(TURNS)
    ]
