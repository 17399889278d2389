import pytest
from django.utils import timezone

from accounts import access


@pytest.fixture
def access_of():
    """access_of(ben) is what ben may do now."""
    return lambda user: access.access_of(user, at=timezone.now())
