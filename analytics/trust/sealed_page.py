"""Sealed verdicts as they are read again: what was sealed, under names as they are now."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.punctuation import in_turn, labelled
from analytics.models import Jury, SealedVerdicts
from analytics.present.grid import Grid, grid
from analytics.present.tables import Column, Line, Plain, Table, by_judge, table
from analytics.stats.reasons import LineOutcome
from analytics.stats.verdicts import Topic, Verdict
from analytics.trust.cards import read_used
from analytics.trust.numbers import RestsOn
from analytics.trust.policies import TOPICS
from analytics.trust.words import outcome_name, said_use, say_basis, verdict_name
from annotation.models import Rater, Study
from annotation.queries.wording import said


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
        names = _names(self.sealed.study, {card["judge"] for card in self.content["cards"]})
        return grid(_table(self.content, self.of_looks, names), by_page=True)


def _names(study: Study, judges: set[str]) -> Mapping[str, Mapping[str, str]]:
    """{column: {key: name}}, as far as they are still known."""
    of_judges = dict(Rater.objects.filter(key__in=judges).values_list("key", "name"))
    of_juries = Jury.objects.filter(study=study, key__in=judges).values_list("key", "name")
    return {
        "criterion": {part.key: said(part.name) for part in study.rubric_version.content.scored},
        "judge": of_judges | dict(of_juries),
    }


def _table(content: dict[str, Any], n_looks: int, names: Mapping[str, Mapping[str, str]]) -> Table:
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
        lines=(_line(card, names) for card in content["cards"] if card["verdict"]),
    )


def _line(card: dict[str, Any], names: Mapping[str, Mapping[str, str]]) -> Line:
    verdict = Verdict(card["verdict"])
    not_met = [
        labelled(TOPICS[Topic(line["topic"])], outcome_name(LineOutcome(line["outcome"])))
        for line in card["lines"]
        if line["outcome"] != LineOutcome.MET
    ]
    return Line(
        about=tuple(Plain(name.get(card[of], card[of]), card[of]) for of, name in names.items()),
        values=(
            Plain(verdict_name(verdict), verdict.value),
            Plain(in_turn(not_met), "; ".join(not_met)),
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
