"""What a request is told whose figures nobody has made yet."""


class FiguresOnTheWay(Exception):
    """A worker was asked for figures, by somebody who has `waited` so many seconds."""

    def __init__(self, waited: float) -> None:
        super().__init__(waited)
        self.waited = waited
