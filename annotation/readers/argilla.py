"""Ratings as Argilla exports them: a record with a list of answers to each question, beside lists of
who gave them and of what became of them."""

from collections.abc import Callable, Collection, Mapping

from annotation.readers.messages import held_in
from annotation.readers.problems import FileReason, Flaw
from annotation.rubric.sentences import sentence

_ANSWERS, _USERS, _STATUS = ".responses", ".users", ".status"
_SUBMITTED = "submitted"

Fields = Mapping[str, object]


def questions_in(names: Collection[str], is_criterion: Callable[[str], object]) -> list[str]:
    """The criteria of which a record with fields of these names, in lower case, says who answered;
    none where it is no record of Argilla."""
    of_users = (name for name in names if name.endswith(_ANSWERS + _USERS))
    heads = (name.removesuffix(_ANSWERS + _USERS) for name in of_users)
    return sorted(head for head in heads if f"{head}{_ANSWERS}" in names and is_criterion(head))


def answers_in(fields: Fields, questions: list[str]) -> tuple[list[dict[str, object]], int]:
    """(the rows of those who submitted, how many discarded the record or have left it a draft)."""
    plain = {name.strip().casefold(): raw for name, raw in fields.items()}
    rows: dict[str, dict[str, object]] = {}
    declined: set[str] = set()
    for question in questions:
        field = f"{question}{_ANSWERS}"
        answers, users = (_listed(plain.pop(name)) for name in (field, f"{field}{_USERS}"))
        status = _listed(plain.pop(f"{field}{_STATUS}", None)) or [_SUBMITTED] * len(users)
        if not len(answers) == len(users) == len(status):
            raise Flaw(
                field[:60],
                FileReason.WRONG_SHAPE,
                sentence("There are not as many answers as users who gave them."),
            )
        for answer, user, became in zip(answers, users, status, strict=True):
            if became == _SUBMITTED:
                rows.setdefault(str(user), {})[question] = answer
            else:
                declined.add(str(user))
    return [plain | {"rater": user} | given for user, given in rows.items()], len(declined)


def _listed(raw: object) -> list[object]:
    """A list, also one that stands in a cell as text."""
    found = held_in(raw) if isinstance(raw, str) else raw
    return found if isinstance(found, list) else []
