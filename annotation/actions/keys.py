"""Change the keys that one works with."""

from collections.abc import Mapping

from accounts.models import User
from annotation.models import OwnKeys
from annotation.rules.keys import changed, problem_with_keys


class CannotUse(Exception):
    """A sentence that says why the keys stay as they are."""


def choose(*, own: Mapping[str, str], by: User) -> None:
    """Put keys in the place of the usual ones. It concerns nobody else, so the trail has no line."""
    if problem := problem_with_keys(own):
        raise CannotUse(problem)
    OwnKeys.objects.update_or_create(user=by, defaults={"keys": changed(own)})
