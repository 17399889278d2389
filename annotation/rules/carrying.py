"""What becomes of ratings when a study goes on under another edition of its rubric.

A plan says of each old value which new one it is, or that whoever gave it has to look again.
Nothing is said of what stays as it is.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from annotation.rubric.answers import Answer, read
from annotation.rubric.schema import Criterion, Rubric, Taxonomy, Text
from annotation.rubric.sentences import Sentence, sentence
from annotation.rubric.taxonomy import ways_to
from annotation.rubric.versions import severities

AGAIN = "~"
"""The fate of a value that was split, or means something else now: it is rated again."""
LEFT = ""
"""The fate of a new criterion that earlier ratings are left without."""
Plan = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Heir:
    """A value that an old one may become."""

    value: str
    name: Text | str


@dataclass(frozen=True, slots=True, kw_only=True)
class InQuestion:
    """An old value, or a whole criterion that is new, of which a plan has to say what it becomes.

    `proposed` is what it is taken for unless somebody says otherwise.
    """

    criterion: str
    criterion_name: Text
    value: str
    name: Text | str
    heirs: tuple[Heir, ...]
    proposed: str

    @property
    def place(self) -> str:
        """Under which name a plan has it."""
        return place_of(self.criterion, self.value)

    @property
    def is_new(self) -> bool:
        """Whether it is a criterion that no earlier rating has."""
        return not self.value


def place_of(criterion: str, value: str) -> str:
    return f"{criterion}={value}"


def in_question(old: Rubric, new: Rubric) -> Iterator[InQuestion]:
    """What a plan between two editions has to say, in the order of the old one."""
    after = {criterion.key: criterion for criterion in new.criteria}
    for criterion in old.criteria:
        heir = after.get(criterion.key)
        if heir is not None and _told(old, criterion) != _told(new, heir):
            yield from _of_criterion(criterion, heir)
    before = {criterion.key for criterion in old.criteria}
    for criterion in new.criteria:
        if criterion.key not in before:
            yield InQuestion(
                criterion=criterion.key,
                criterion_name=criterion.name,
                value="",
                name="",
                heirs=(),
                proposed=LEFT,
            )


def problem_with_plan(plan: Plan, old: Rubric, new: Rubric) -> Sentence | None:
    """Say why a plan does not lead from one edition to the other, or None."""
    if old.key != new.key:
        return sentence("It is another rubric: “{old}” became “{new}”.", old=old.key, new=new.key)
    for one in in_question(old, new):
        known = {AGAIN, *(heir.value for heir in one.heirs)} | ({LEFT} if one.is_new else set())
        if plan.get(one.place, one.proposed) not in known:
            return sentence("Say what becomes of “{value}”.", value=one.name or one.criterion_name)
    return None


def completed(plan: Plan, old: Rubric, new: Rubric) -> dict[str, str]:
    """The plan with what is proposed where it says nothing, and without what stays as it is."""
    fates = {one.place: plan.get(one.place, one.proposed) for one in in_question(old, new)}
    return {place: fate for place, fate in fates.items() if place != f"{_key(place)}={fate}"}


def fate_of(plan: Plan, criterion: str, value: str) -> str | None:
    """What an old value becomes, AGAIN, or None where it stays what it is."""
    return plan.get(place_of(criterion, value))


def all_again(plan: Plan) -> bool:
    """Whether a new criterion has every item rated again."""
    return any(place.endswith("=") and fate == AGAIN for place, fate in plan.items())


def as_new(criterion: Criterion, value: str) -> Answer:
    """A new value as an answer; ValueError where the criterion does not have it."""
    answer = read(criterion, value)
    if not isinstance(answer, Answer):
        raise ValueError(answer.sentence)
    return answer


def _key(place: str) -> str:
    return place.partition("=")[0]


def _told(rubric: Rubric, criterion: Criterion) -> object:
    """What decides which value somebody gives to a criterion, but for the words."""
    if isinstance(criterion, Taxonomy):
        return _ways(criterion), severities(criterion)
    if criterion.walked is None:
        return criterion.values, criterion.measurement
    walk = _told(rubric, rubric.criterion(criterion.walked.taxonomy))
    return criterion.values, criterion.measurement, criterion.walked, walk


def _ways(taxonomy: Taxonomy) -> dict[str, object]:
    return {one.key: (one.code, ways_to(taxonomy, one.key)) for one in taxonomy.labels}


def _of_criterion(old: Criterion, new: Criterion) -> Iterator[InQuestion]:
    heirs = tuple(_values(new))
    same = _same(old, new)
    for one in _values(old):
        yield InQuestion(
            criterion=old.key,
            criterion_name=old.name,
            value=one.value,
            name=one.name,
            heirs=heirs,
            proposed=one.value if one.value in same else AGAIN,
        )


def _same(old: Criterion, new: Criterion) -> set[str]:
    """The values that can be taken for what they were: labels to which the same way leads."""
    if not (isinstance(old, Taxonomy) and isinstance(new, Taxonomy)):
        return set()
    before, after = _ways(old), _ways(new)
    return {key for key in before.keys() & after.keys() if before[key] == after[key]}


def _values(criterion: Criterion) -> Iterator[Heir]:
    if isinstance(criterion, Taxonomy):
        for label in criterion.labels:
            yield Heir(value=label.key, name=label.name)
        return
    for point in criterion.points:
        yield Heir(value=str(point.value), name=str(point.value))
