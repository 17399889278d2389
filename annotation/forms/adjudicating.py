"""Read what an adjudicator sends.

Field names: `take.CRITERION` holds the value of a rater that is taken over, or OWN; then
`own.CRITERION` holds the adjudicator's.
"""

from collections.abc import Mapping

from annotation.rules.remarks import tidied

TAKE = "take."
OWN = "own"


class GoldDecision:
    """The values by criterion and the reason, as they came; the action reads them."""

    def __init__(self, data: Mapping[str, str]):
        self.reason = tidied(data.get("reason", ""))
        self.taken = {
            name.removeprefix(TAKE): value for name, value in data.items() if name.startswith(TAKE)
        }
        self.own = {key: data.get(f"{OWN}.{key}", "") for key in self.taken}

    @property
    def values(self) -> dict[str, str]:
        """{criterion: raw value}."""
        return {key: self.own[key] if value == OWN else value for key, value in self.taken.items()}
