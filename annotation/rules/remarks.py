"""How long a text may be that people write beside their answers: comments and reasons."""

from annotation.rubric.grounds import tidied as tidied
from annotation.rubric.sentences import Sentence, sentence

LONGEST = 10_000  # characters; some three pages


def problem_with_comment(text: str) -> Sentence | None:
    """Say why a comment cannot be kept, or None when it can."""
    if len(text) <= LONGEST:
        return None
    return sentence("The comment has {count} characters. Shorten it to {most}.", **_sizes(text))


def problem_with_reason(text: str) -> Sentence | None:
    """Say what a decision's reason lacks, or None when it is well."""
    if not text:
        return sentence("Write down the reason: the raters and the next round learn from it.")
    if len(text) <= LONGEST:
        return None
    return sentence("The reason has {count} characters. Shorten it to {most}.", **_sizes(text))


def _sizes(text: str) -> dict[str, str]:
    return {"count": f"{len(text):,}", "most": f"{LONGEST:,}"}
