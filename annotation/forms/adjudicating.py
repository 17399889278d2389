"""Read what an adjudicator sends, and what they look for in the queue.

Field names: `take.CRITERION` holds the value that it is given, or AMBIGUOUS, and `take.CRITERION.NODE`
the answer to a question of a graph; `code.decided` what the disagreement came from; `code.revises`
and `code.unseen` are there where that is so.
"""

from collections.abc import Mapping

from annotation.forms.rating import TAKE, chosen_in
from annotation.queries.cases import CaseOrder, CasesWanted
from annotation.queries.wording import said
from annotation.rubric.schema import Rubric, Scale, Taxonomy
from annotation.rubric.taxonomy import reachable
from annotation.rules.remarks import tidied

CODE = "code."


class GoldDecision:
    """The values by criterion, of a graph its answers by question, the code and the reason, as they
    came; the action reads them. Answers off the way through a graph are left out."""

    def __init__(self, rubric: Rubric, data: Mapping[str, str]):
        self.reason = tidied(data.get("reason", ""))
        self.code = data.get(f"{CODE}decided", "")
        self.is_revision = f"{CODE}revises" in data
        self.is_unseen = f"{CODE}unseen" in data
        self.values: dict[str, str | dict[str, str]] = {
            one.key: value for one in rubric.criteria if (value := data.get(f"{TAKE}{one.key}"))
        }
        for one in rubric.criteria:
            if isinstance(one, Taxonomy) and one.is_graph and one.key not in self.values:
                chosen = chosen_in(one, data, prefix=TAKE)
                walk = reachable(one, chosen)
                self.values |= (
                    {one.key: dict(walk.path) if walk.label else chosen} if chosen else {}
                )


class QueueFilter:
    """What may be looked for in the queue of a study, and what is; anything else is left out."""

    def __init__(self, rubric: Rubric, data: Mapping[str, str]):
        self.criteria = [(one.key, said(one.name)) for one in rubric.criteria]
        self.nodes = [
            (f"{one.key}:{number}", said(node.question))
            for one in rubric.criteria
            if isinstance(one, Taxonomy)
            for number, node in enumerate(one.nodes)
        ]
        widest = max((_span(one) for one in rubric.criteria if isinstance(one, Scale)), default=0)
        self.gaps = [(str(points), points) for points in range(2, widest + 1)]
        self.may_be_flagged = any(group.flags for group in rubric.groups)
        order = data.get("order", "")
        self.wanted = CasesWanted(
            criterion=_one_of(data.get("criterion", ""), self.criteria),
            node=_one_of(data.get("node", ""), self.nodes),
            least_gap=int(_one_of(data.get("gap", ""), self.gaps) or 0),
            is_flagged="flagged" in data,
            is_decided="decided" in data,
            is_disputed="disputed" in data,
            order=CaseOrder(order) if order in set(CaseOrder) else CaseOrder.ROUND,
        )


def _span(scale: Scale) -> int:
    return scale.values[-1] - scale.values[0]


def _one_of(value: str, offered: list[tuple[str, str]] | list[tuple[str, int]]) -> str:
    return value if value in {key for key, _words in offered} else ""
