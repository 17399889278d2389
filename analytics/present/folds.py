"""What a reader has shut is not drawn with each new figure: their browser says what that is.

A page that opens has all of it. While it follows new figures, `stay-open.js` names with each
question the folds that are shut; their content is left out, and asked for once one is opened.
"""

from django.http import HttpRequest

HEADER = "Concord-Shut"


def shut_by(request: HttpRequest) -> frozenset[str]:
    """The folds that a page which follows new figures says are shut; none of a page that opens."""
    if "HX-Request" not in request.headers:
        return frozenset()
    return frozenset(request.headers.get(HEADER, "").split())
