"""What in a text could say who somebody is: in Chinese and English, by rules, in plain Python.

A check and no proof: a story can name its teller without a name.
"""

from annotation.identifiers.finding import EDITION, Hit, find, moved, redact
from annotation.identifiers.kinds import IdentifierKind

__all__ = ["EDITION", "Hit", "IdentifierKind", "find", "moved", "redact"]
