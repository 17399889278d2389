"""The people of the demo, and the accounts they get."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from accounts import editions
from accounts.actions import people, requests, terms
from accounts.models import Role, User

PASSWORD = "concord-demo-only"  # noqa: S105 -- known on purpose, and printed
WAITED = timedelta(hours=5)
APPROVED_FOR = timedelta(days=300)


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """One account of the demo; `try_this` says what to look at with it."""

    name: str
    part: str
    try_this: str
    affiliation: str = "Demo university"

    @property
    def key(self) -> str:
        return self.name.split()[0].lower()

    @property
    def email(self) -> str:
        return f"{self.key}@example.org"


STEWARD = Person(name="Sam Steward", part="data steward", try_this="decide on a request for access")
TEAM = (
    Person(name="Ada Lindqvist", part="coordinator", try_this="rounds, judges, agreement, import"),
    Person(name="Ben Okafor", part="annotator", try_this="rate the next item by keyboard"),
    Person(name="Cleo Marsh", part="annotator", try_this="rate the next item by keyboard"),
    Person(name="Finn Aalto", part="annotator", try_this="rate the next item by keyboard"),
    Person(name="Dora Weiss", part="adjudicator", try_this="decide what raters disagree on"),
    Person(name="Gwen Sato", part="researcher, exporter", try_this="agreement, export"),
)
APPLICANT = Person(
    name="Hana Novak", part="has asked for access", try_this="see what a waiting applicant sees"
)
NEWCOMER = Person(
    name="Eli Brandt", part="has only signed up", try_this="read and sign the agreement, ask"
)
EVERYBODY = (STEWARD, *TEAM, APPLICANT, NEWCOMER)

Cast = dict[str, User]


def others_are_here() -> bool:
    """Whether the database has accounts already: then it is somebody's, and no demo's."""
    return User.objects.exists()


def bring_in(*, at: datetime, done: Callable[[], object]) -> Cast:
    """Publish the agreement and make the accounts, {"ada": account, …}; `done` after each."""
    edition = editions.read(editions.newest_shipped())
    published, _is_new = terms.publish(edition=edition, by=None, at=at)
    cast: Cast = {}
    for person in EVERYBODY:
        cast[person.key] = _account(person, at=at)
        done()
    steward = cast[STEWARD.key]
    people.appoint(
        email=steward.email,
        roles=[Role.STEWARD, Role.ADMIN],
        approved_until=at + APPROVED_FOR,
        at=at,
    )
    _sign(STEWARD, steward, published.number, at=at)
    for person in (*TEAM, APPLICANT):
        account = cast[person.key]
        _sign(person, account, published.number, at=at)
        asked = requests.ask(
            purpose="To try Concord with made-up dialogues.", by=account, at=at + WAITED
        )
        if person is not APPLICANT:
            requests.approve(
                request_id=asked.pk,
                until=at + APPROVED_FOR,
                by=steward,
                at=at + 2 * WAITED,
            )
    return {key: User.objects.get(pk=account.pk) for key, account in cast.items()}


def _account(person: Person, *, at: datetime) -> User:
    known = User.objects.filter(email=person.email).first()
    if known is not None:
        return known
    return people.create(email=person.email, full_name=person.name, password=PASSWORD, at=at)


def _sign(person: Person, account: User, edition: int, *, at: datetime) -> None:
    terms.sign(
        number=edition,
        language="en",
        typed_name=person.name,
        affiliation=person.affiliation,
        by=account,
        at=at,
    )
