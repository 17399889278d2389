"""What in a text could say who somebody is: in Chinese and English, by rules, in plain Python.

A check and no proof: a story can name its teller without a name.
"""

from annotation.identifiers.deciding import Decisions, Treatment, place_of
from annotation.identifiers.finding import EDITION, Hit, find, moved, redact
from annotation.identifiers.kinds import IdentifierKind

__all__ = [
    "EDITION",
    "Decisions",
    "Hit",
    "IdentifierKind",
    "Treatment",
    "find",
    "moved",
    "place_of",
    "redact",
]
