"""What the pages of accounts need to know."""


class NotYours(Exception):
    """There is no such row for this account."""
