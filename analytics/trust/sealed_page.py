"""Sealed verdicts as they are read again, from nothing but what was sealed."""

import json
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics.models import SealedVerdicts
from analytics.present.grid import Grid, grid
from analytics.present.tables import Column, Line, Plain, Table, by_judge, table
from analytics.stats.reasons import LineOutcome
from analytics.stats.verdicts import Topic, Verdict
from analytics.trust.cards import read_used
from analytics.trust.numbers import RestsOn
from analytics.trust.policies import TOPICS
from analytics.trust.words import outcome_name, said_use, say_basis, verdict_name


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedPage:
    sealed: SealedVerdicts
    content: dict[str, Any]

    @classmethod
    def of(cls, sealed: SealedVerdicts) -> "SealedPage":
        return cls(sealed=sealed, content=json.loads(sealed.content))

    @property
    def look(self) -> int:
        return int(self.content["look"])

    @property
    def of_looks(self) -> int:
        return int(self.content["of_looks"])

    @property
    def rules(self) -> str:
        return str(self.content["policy"]["title"])

    @property
    def rules_sha256(self) -> str:
        return str(self.content["policy"]["sha256"])

    @property
    def blinding(self) -> str:
        """Whether judges were blinded until then; nothing where it was sealed before that was told."""
        found = self.content.get("blinding")
        if found is None:
            return (
                _("No: the judges were named all the time.") if "blinding" in self.content else ""
            )
        if found["named_early_because"]:
            return _("Not to the end: the judges were named before, because “%(why)s”.") % {
                "why": found["named_early_because"]
            }
        return _("Yes: the judges were named as this was sealed.")

    @property
    def verdicts(self) -> Grid:
        return grid(_table(self.content, self.of_looks), by_page=True)


def _table(content: dict[str, Any], n_looks: int) -> Table:
    level = ngettext(
        "One look was planned, so every interval is one of 95 %%.",
        "Of %(n)s planned looks together at most 5 %% of studies err, so every interval is wider.",
        n_looks,
    ) % {"n": n_looks}
    return table(
        "sealed",
        _("Sealed verdicts"),
        level,
        about=by_judge(),
        columns=[
            Column("verdict", _("Verdict"), is_words=True),
            Column("because", _("Because of"), is_words=True),
            Column("rests_on", _("Rests on"), is_words=True),
            Column("use", _("What it may be used for"), is_words=True),
        ],
        lines=(_line(card) for card in content["cards"] if card["verdict"]),
    )


def _line(card: dict[str, Any]) -> Line:
    verdict = Verdict(card["verdict"])
    not_met = [
        f"{TOPICS[Topic(line['topic'])]}: {outcome_name(LineOutcome(line['outcome']))}"
        for line in card["lines"]
        if line["outcome"] != LineOutcome.MET
    ]
    return Line(
        about=(Plain(card["criterion"], card["criterion"]), Plain(card["judge"], card["judge"])),
        values=(
            Plain(verdict_name(verdict), verdict.value),
            Plain("; ".join(not_met), "; ".join(not_met)),
            _rests_on(card),
            Plain(said_use(verdict), verdict.value),
        ),
    )


def _rests_on(card: dict[str, Any]) -> Plain | None:
    """None where it was sealed before that was written down."""
    if "rests_on" not in card:
        return None
    basis = RestsOn(card["rests_on"])
    used = read_used(card["hold_out_used"])
    return Plain(say_basis(basis, n_held_out=card["n_held_out"], used=used), basis.value)
