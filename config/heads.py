"""Who asks for the head of a page takes nothing: what its view writes, that it left above all, is taken back."""

from collections.abc import Callable

from django.db import transaction
from django.http import HttpResponseBase

from accounts.gate import Knock


class HeadMiddleware:
    """Stands behind the gate; who has not signed in leaves no line, and may ask without a database."""

    def __init__(self, get_response: Callable[[Knock], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: Knock) -> HttpResponseBase:
        if request.method != "HEAD" or not request.access.is_signed_in:
            return self.get_response(request)
        with transaction.atomic():
            response = self.get_response(request)
            transaction.set_rollback(True)
        return response
