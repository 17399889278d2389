import pytest
from django.utils import timezone

from accounts import access
from annotation.queries import states


@pytest.fixture
def access_of():
    """access_of(ben) is what ben may do now."""
    return lambda user: access.access_of(user, at=timezone.now())


@pytest.fixture
def states_follow(db):
    """However a test ends, its rounds stand where their answers and decisions have brought them."""
    yield
    assert list(states.differing_copies()) == []
