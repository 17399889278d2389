"""Write to people when work opens for them, is handed on to them, or waits.

One letter tells all that is new; it names no study, no item and nobody.
"""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import events
from accounts.access import access_of
from accounts.actions import letters
from accounts.models import User
from annotation.models import LetterChoice
from annotation.queries import telling
from annotation.queries.wording import said
from annotation.rules.telling import WORDS, News, Notice, news_about


def tell(*, at: datetime) -> None:
    """Write to everybody for whom there is something new."""
    for account in telling.who_may_be_told(at=at):
        _tell(account, at=at)


def choose(*, wants_letters: bool, by: User) -> None:
    """Whether one is written to. It concerns nobody else, so the trail has no line."""
    LetterChoice.objects.update_or_create(user=by, defaults={"wants_letters": wants_letters})


@transaction.atomic
def _tell(account: User, *, at: datetime) -> None:
    pending = telling.pending_for(access_of(account, at=at))
    told, today = telling.told(account), timezone.localdate(at)
    news = [notice for one in pending for notice in news_about(one, told, today=today)]
    if not news:
        return
    letters.tell_of_work(account, lambda: _words(news))
    events.record(
        telling.TOLD, subject=f"account:{account.pk}", by=None, at=at, facts={"news": news}
    )


def _words(news: Sequence[Notice]) -> tuple[str, str]:
    """Subject and text, in the language that is switched on."""
    kinds = {notice.news for notice in news}
    lines = [said(WORDS[kind]) for kind in News if kind in kinds]
    lines.append(
        _(
            "Sign in to Concord: your first page says where. The menu of your account stops these letters."
        )
    )
    return _("Concord: work waits for you"), "\n".join(lines)
