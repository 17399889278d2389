"""By which short pieces words are found in texts, in any script and without a dictionary.

Three letters in a row, as trigrams, and two where both are of a script that sets no blanks between
words: a word of Chinese often has no more.
"""

import re
from itertools import pairwise
from zlib import crc32

_CLOSE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af]")


def folded(text: str) -> str:
    """A text as it is looked through: without regard to case and to how blanks are set."""
    return " ".join(text.split()).casefold()


def pieces(text: str) -> set[int]:
    """The numbers of all pieces of a text: those of each part of it are among them."""
    text = folded(text)
    found = {text[at : at + 3] for at in range(len(text) - 2)}
    found |= {a + b for a, b in pairwise(text) if _CLOSE.match(a) and _CLOSE.match(b)}
    return {crc32(one.encode("utf-8", "replace")) - 2**31 for one in found}
