"""What the pages of accounts need to know."""

from django.http import Http404


class NotYours(Http404):
    """There is no such row for this account."""
