"""The keys of the work screens that a person may change, and which they may be."""

from collections.abc import Mapping

from annotation.rubric.sentences import Sentence, sentence

CHANGEABLE: Mapping[str, Sentence] = {
    "b": sentence("back to the question before"),
    "u": sentence("undo the last answer"),
    "j": sentence("next turn"),
    "k": sentence("previous turn"),
    "c": sentence("write a comment"),
    "e": sentence("the selected words as evidence"),
    "x": sentence("cannot judge: choose why"),
    "d": sentence("later: show this item again after the others"),
    "r": sentence("write the reason"),
    "o": sentence("open the values that nobody gave"),
    "t": sentence("truly ambiguous"),
    "n": sentence("go on, once it is decided"),
}
"""Usual key: what it does. A decision has “n” to go on, a question “n” for no: both move together."""
POSSIBLE = "abcdefghijklmnopqrstuvwxyz,.;-+"


def problem_with_keys(own: Mapping[str, str]) -> Sentence | None:
    """Say why {usual key: own key} cannot be, or None; what is left out is as usual."""
    every = {usual: own.get(usual, usual) for usual in CHANGEABLE}
    for key in every.values():
        if key not in POSSIBLE or len(key) != 1:
            return sentence("A key is a small letter or one of {others}", others=", . ; - +")
    if len(set(every.values()) | {"y"}) <= len(every):
        return sentence("Two actions have the same key, or one has y, which stands for yes.")
    return None


def changed(own: Mapping[str, str]) -> dict[str, str]:
    """Those that are not as usual."""
    return {usual: key for usual, key in own.items() if usual in CHANGEABLE and key != usual}
