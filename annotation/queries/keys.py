"""The keys that an account works with."""

import json

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from annotation.models import OwnKeys


def own_keys(user_id: int | None) -> dict[str, str]:
    """{usual key: own key}, of those that are not as usual."""
    found = OwnKeys.objects.filter(user=user_id).values_list("keys", flat=True).first()
    return dict(found or {})


def in_pages(request: HttpRequest) -> dict[str, object]:
    """For templates: asked for only where a page says `own_keys`."""
    user_id = getattr(getattr(request, "user", None), "pk", None)
    return {"own_keys": SimpleLazyObject(lambda: json.dumps(own_keys(user_id)))}
