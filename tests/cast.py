"""The cast: people and a small study, made the way the product makes them.

ada coordinates the study “pond”; ben, cleo and finn annotate; dora adjudicates; gwen researches and
exports; eli has only applied; sam is a data steward and on no team.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.internal.flows.login import record_authentication
from django.core.cache import cache
from django.http import HttpRequest
from django.test import Client
from django.utils import timezone

from accounts.actions import tokens
from accounts.models import Role, Scope, Terms, TermsAcceptance, User
from annotation.actions import rounds, studies, teams
from annotation.models import Dialogue, Item, Round, Study, TeamRole
from annotation.rubric.loading import shipped
from annotation.rules.granting import DataLevel
from tests.kept import Kept, Part, made

PASSWORD = "a-long-enough-password"
YEAR = timedelta(days=365)


@pytest.fixture(scope="session")
def cast_parts(django_db_setup, django_db_blocker) -> dict[str, Part]:
    with django_db_blocker.unblock():
        return made(MAKE)


@pytest.fixture
def the_cast(db, cast_parts) -> Kept:
    """Ids are the same in each test, so what the cache knows by them is forgotten."""
    cache.clear()
    return Kept(cast_parts, MAKE)


@pytest.fixture
def terms(the_cast) -> Terms:
    return the_cast.put("terms")


def terms_in_force() -> Terms:
    """The confidentiality agreement in force."""
    newest = Terms.objects.order_by("-number").first()
    if newest is not None:
        return newest
    body = "Keep what you read here to yourself."
    return Terms.objects.create(
        number=1,
        title_en="Confidentiality",
        title_zh_hans="保密",
        body_en=body,
        body_zh_hans="请对所读内容保密。",
        sha256=hashlib.sha256(body.encode()).hexdigest(),
        published_at=timezone.now(),
    )


def account(name: str, **fields) -> User:
    """An account that has signed up and nothing more."""
    return User.objects.create_user(
        f"{name}@example.org", PASSWORD, full_name=name.capitalize(), **fields
    )


def approved(name: str, terms: Terms, **fields) -> User:
    """An account that has signed and is approved."""
    now = timezone.now()
    user = account(name, approved_until=now + YEAR, **fields)
    TermsAcceptance.objects.create(
        user=user,
        terms=terms,
        typed_name=user.full_name,
        language="en",
        text_sha256=terms.sha256,
        accepted_at=now,
        effective_until=now + YEAR,
    )
    return user


@pytest.fixture
def ada(the_cast, terms) -> User:
    return the_cast.put("ada")


@pytest.fixture
def ben(the_cast, terms) -> User:
    return the_cast.put("ben")


@pytest.fixture
def cleo(the_cast, terms) -> User:
    return the_cast.put("cleo")


@pytest.fixture
def finn(the_cast, terms) -> User:
    return the_cast.put("finn")


@pytest.fixture
def dora(the_cast, terms) -> User:
    return the_cast.put("dora")


@pytest.fixture
def gwen(the_cast, terms) -> User:
    return the_cast.put("gwen")


@pytest.fixture
def sam(the_cast, terms) -> User:
    return the_cast.put("sam")


@pytest.fixture
def eli(terms) -> User:
    return account("eli")


def signed_in(user: User) -> Client:
    """A browser in which somebody has signed in and has just entered the password."""
    client = Client()
    client.force_login(user)
    request = HttpRequest()
    request.session = client.session
    record_authentication(request, user, method="password", reauthenticated=True)
    request.session.save()
    return client


def bearer(user: User, *scopes: str, days: int = 30) -> dict[str, str]:
    """What a program of this account sends, with a token for these scopes or for all of them."""
    at = timezone.now()
    wanted = scopes or list(Scope)
    _token, words = tokens.make(name="a program", scopes=wanted, days=days, by=user, at=at)
    return {"Authorization": f"Bearer {words}"}


@pytest.fixture
def as_user() -> Callable[[User], Client]:
    """as_user(ada) is a browser in which ada has signed in and has just entered her password."""
    return signed_in


@pytest.fixture
def pond(the_cast, ada, ben, cleo, finn, dora, gwen) -> Study:
    """A study with the dialogue-safety rubric, six items, the team, and no round yet."""
    return the_cast.put("pond")


@pytest.fixture
def pond_round(the_cast, pond) -> Round:
    """The first round of the pond: ben and cleo rate all six items."""
    return the_cast.put("pond_round")


def study_with(
    *,
    rubric: str | Mapping[str, object],
    key: str,
    team: dict[User, list[TeamRole]],
    n_items=6,
) -> Study:
    """A study under a shipped rubric or one of its own; the first of the team coordinates it."""
    now = timezone.now()
    coordinator = next(iter(team))
    study = studies.create(
        key=key,
        name=key.capitalize(),
        rubric=shipped()[rubric] if isinstance(rubric, str) else rubric,
        coordinator=coordinator,
        by=coordinator,
        at=now,
    )
    for user, roles in team.items():
        teams.set_roles(
            study_id=study.pk, email=user.email, roles=roles, by=None, at=now, also=list(DataLevel)
        )
    add_items(study, range(1, n_items + 1))
    return study


def add_item(study: Study, position: int) -> Item:
    (item,) = add_items(study, [position])
    return item


def add_items(study: Study, positions: Sequence[int]) -> list[Item]:
    """Each a seeker's and a supporter's turn, and a reply to judge."""
    dialogues = Dialogue.objects.bulk_create(
        Dialogue(
            study=study,
            key=f"d{position}",
            turns=[
                {"speaker": "seeker", "text": f"The pond has been quiet for {position} days."},
                {"speaker": "supporter", "text": "What do you miss most?"},
                {"speaker": "seeker", "text": "The frogs, I think."},
            ],
        )
        for position in positions
    )
    replies = [f"Frogs come back in spring. ({position})" for position in positions]
    return Item.objects.bulk_create(
        Item(
            study=study,
            dialogue=dialogue,
            key=f"{dialogue.key}.1",
            position=position,
            reply=reply,
            content_sha256=hashlib.sha256(reply.encode()).hexdigest(),
        )
        for dialogue, position, reply in zip(dialogues, positions, replies, strict=True)
    )


def _pond(there: Mapping[str, Any]) -> Study:
    team = {
        "ada": [TeamRole.COORDINATOR],
        "ben": [TeamRole.ANNOTATOR],
        "cleo": [TeamRole.ANNOTATOR],
        "finn": [TeamRole.ANNOTATOR],
        "dora": [TeamRole.ADJUDICATOR],
        "gwen": [TeamRole.RESEARCHER, TeamRole.EXPORTER],
    }
    return study_with(
        rubric="dialogue_safety",
        key="pond",
        team={there[name]: roles for name, roles in team.items()},
    )


def _pond_round(there: Mapping[str, Any]) -> Round:
    return rounds.open_round(
        study_id=there["pond"].pk,
        panel=[there["ben"].pk, there["cleo"].pk],
        raters_per_item=2,
        by=there["ada"],
        at=timezone.now(),
    )


def _approved(name: str, **fields) -> Callable[[Mapping[str, Any]], User]:
    return lambda there: approved(name, there["terms"], **fields)


MAKE: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {
    "terms": lambda _there: terms_in_force(),
    **{name: _approved(name) for name in ("ada", "ben", "cleo", "finn", "dora", "gwen")},
    "sam": _approved("sam", roles=[Role.STEWARD]),
    "pond": _pond,
    "pond_round": _pond_round,
}
