"""What the page of a judge's sentinels shows: what stands watch, and what came of each time."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from accounts.punctuation import clauses, listed
from analytics.models import SentinelCheck
from analytics.present.grid import Grid, grid
from analytics.present.page import NoSuchPage
from analytics.present.tables import Column, Line, Plain, Table, count, table
from analytics.present.words import number, percent
from analytics.stats.drift import Drift
from analytics.trust import sentinels
from annotation.models import Study
from annotation.queries.studies import StudyAccess
from annotation.queries.wording import said
from judging.actions import runs
from judging.forms.sentinels import MARGIN
from judging.models import Judge, SentinelSet
from judging.queries import sentinels as queries

OUTCOMES = {
    Drift.PASSED: (gettext_lazy("Passed"), "done"),
    Drift.FAILED: (gettext_lazy("Did not pass"), "bad"),
    Drift.INCONCLUSIVE: (gettext_lazy("Neither passed nor failed"), "alert"),
}


@dataclass(frozen=True, kw_only=True)
class SentinelsPage:
    """One judge, its sentinels in force if it has any, and each time that it was asked again.

    Of a blinded judge nothing is told that came of it.
    """

    study_access: StudyAccess
    judge: Judge

    @property
    def judge_id(self) -> int:
        return self.judge.rater_id

    @property
    def judge_name(self) -> str:
        return self.judge.rater.name

    @property
    def kept(self) -> str:
        """Why nothing is told that came of it; empty where it is."""
        return said(sentinels.BLINDED_SENTINELS) if self._study.judges_are_blinded else ""

    @property
    def criteria(self) -> list[tuple[str, str]]:
        """(key, name) of those that have a card under the name of this judge."""
        if self.kept:
            return []
        rubric = self._study.rubric_version.content
        return [(one.key, said(one.name)) for one in rubric.with_levels]

    @cached_property
    def standing(self) -> SentinelSet | None:
        return queries.of_judge(self._study, self.judge_id)

    @property
    def n_items(self) -> int:
        return self.standing.members.count() if self.standing else 0

    @property
    def margin(self) -> str:
        return percent(self._margin)

    @property
    def next_at(self) -> datetime | None:
        return queries.next_at(self.standing) if self.standing else None

    @property
    def is_being_asked(self) -> bool:
        """Until what it answered is compared, too: before that nothing is told of it."""
        return self.standing is not None and (
            queries.is_being_asked(self.standing) or sentinels.is_to_compare(self.standing)
        )

    @property
    def to_mend(self) -> str:
        """Why the judge cannot be asked about them as it stands, or what no trial has shown; empty
        where nothing stands in the way."""
        if self.standing is None:
            return ""
        judge = self.judge
        reason = runs.reason_not_to_ask_again(self._study, judge) or runs.reason_to_try(
            judge.llm, judge.base_url, judge.endpoint_id
        )
        return said(reason) if reason else ""

    @cached_property
    def newest(self) -> SentinelCheck | None:
        if self.kept:
            return None
        return sentinels.newest(self._study.pk).get(self.judge_id)

    @property
    def outcome(self) -> tuple[str, str]:
        """What came of it last in words, and the badge of that; empty before the first time."""
        if self.newest is None:
            return "", ""
        words, badge = OUTCOMES[Drift(self.newest.verdict)]
        return str(words), badge

    @property
    def waits_for_a_decision(self) -> bool:
        """Whether cards of this judge have expired until a person decides."""
        return not self.kept and self.judge_id in sentinels.failing(self._study.pk)

    @property
    def ruling(self) -> Any:
        """The decision on the newest time, if there is one."""
        return getattr(self.newest, "ruling", None)

    @cached_property
    def checks(self) -> Grid | None:
        if self.kept:
            return None
        found = sentinels.checks_of(self._study.pk, self.judge_id)
        return grid(_table(found, self._study), by_page=True) if found else None

    @property
    def others(self) -> list[Judge]:
        """Those that could be asked in the place of this one."""
        can = self.standing is not None and not self.kept and self.study_access.may_run_judges
        return list(queries.may_replace(self.standing)) if can and self.standing else []

    @property
    def least(self) -> int:
        """How many answers it takes to pass at all."""
        return sentinels.least_to_pass(self._study, self._margin)

    @property
    def planned(self) -> list[sentinels.SentinelsPlanned]:
        """How many it takes, by how many answers differ in truth."""
        return sentinels.planned(self._study, self._margin)

    @property
    def planned_in_words(self) -> list[tuple[str, int | None]]:
        return [(percent(one.share), one.items) for one in self.planned]

    @cached_property
    def bridged(self) -> list[SentinelCheck]:
        """What came of asking others that are to replace it."""
        return [] if self.kept else sentinels.bridges_of(self._study.pk, self.judge_id)

    @property
    def bridges(self) -> Grid | None:
        if not self.bridged:
            return None
        own = sentinels.checks_of(self._study.pk, self.judge_id)
        beside = sentinels.beside(self.bridged, own)
        return grid(_bridges(self.bridged, beside, self._study), by_page=True)

    @property
    def systems(self) -> Grid | None:
        """The newest time and the judges that are to replace it, system by system."""
        told = [one for one in (self.newest, *self.bridged) if one and one.figures.get("systems")]
        return grid(_by_system(told, self._study), by_page=True) if told else None

    @property
    def _margin(self) -> float:
        """That of the sentinels in force, or what the form proposes."""
        return self.standing.margin if self.standing else MARGIN / 100

    @property
    def _study(self) -> Study:
        return self.study_access.study


def sentinels_page(study_access: StudyAccess, rater: int) -> SentinelsPage:
    """The page of one judge; NoSuchPage where nobody asked it here."""
    judge = queries.judge_asked(study_access.study, rater)
    if judge is None:
        raise NoSuchPage
    return SentinelsPage(study_access=study_access, judge=judge)


def with_sentinels(study_access: StudyAccess, judge_id: int) -> tuple[SentinelsPage, SentinelSet]:
    """The same of a judge that has sentinels in force, with these; NoSuchPage."""
    page = sentinels_page(study_access, judge_id)
    if page.standing is None:
        raise NoSuchPage
    return page, page.standing


def _table(found: list[SentinelCheck], study: Study) -> Table:
    """How far the judge has drifted by each time."""
    return _lines(
        found,
        study,
        "sentinel_checks",
        _("Each time it was asked again"),
        _(
            "The share of answers to the same prompts that changed, with limits that hold for all "
            "criteria at once: passed where they lie below the margin, failed where above it."
        ),
    )


def _bridges(
    found: list[SentinelCheck], itself: Mapping[int, SentinelCheck], study: Study
) -> Table:
    """How far those that are to replace the judge answer otherwise, beside what it changes by itself."""
    return _lines(
        found,
        study,
        "sentinel_bridges",
        _("Judges that are to replace it"),
        _(
            "What another judge answers about the same replies, beside what this one answered first: "
            "the share of answers that differ, and by how much its scores lie higher. The replies "
            "are the same, so all of it is the judge's part. “By itself”: how many of its first answers this "
            "judge changed when it was asked again at the same moment."
        ),
        itself=itself,
    )


def _lines(
    found: list[SentinelCheck],
    study: Study,
    key: str,
    title: str,
    words: str,
    *,
    itself: Mapping[int, SentinelCheck] | None = None,
) -> Table:
    """A line a time and criterion, the newest first. `itself`: where others were asked, what the judge
    answered at the same time, by their run."""
    of_others = itself is not None
    rubric = study.rubric_version.content
    names = {one.key: said(one.name) for one in rubric.with_levels}
    return table(
        key,
        title,
        words,
        about=[Column("asked", pgettext("a judge", "Asked")), Column("criterion", _("Criterion"))],
        columns=[
            Column("outcome", _("Outcome"), is_words=True),
            Column("changed", _("Changed"), is_field=True),
            *([Column("itself", _("By itself"), is_field=True)] if of_others else []),
            Column("share", _("Share that changed"), is_words=True, is_field=True),
            Column("margin", _("Margin")),
            Column("shift", _("Scores moved by"), is_words=True, is_field=True),
            Column("apart", _("Other prompts")),
            Column("unanswered", _("Without an answer")),
            Column("who", _("Who answered"), is_words=True),
        ],
        lines=(
            Line(
                about=(
                    _moment(one, named=of_others),
                    Plain(names.get(key, key), key),
                ),
                values=(
                    Plain(str(OUTCOMES[Drift(mine["drift"])][0]), mine["drift"]),
                    _changed(mine),
                    *(
                        [_changed_by_itself(itself.get(one.run_id), key)]
                        if itself is not None
                        else []
                    ),
                    Plain(f"{percent(mine['low'])} – {percent(mine['high'])}", mine["high"]),
                    Plain(percent(mine["margin"]), mine["margin"]),
                    _shift(mine["shift"]),
                    count(one.figures["apart"]),
                    count(one.figures["unanswered"]),
                    _who(one),
                ),
                made_of=(_unchanged(mine),),
            )
            for one in found
            for key, mine in one.figures["criteria"].items()
        ),
        is_for_screen=True,
    )


def _by_system(found: list[SentinelCheck], study: Study) -> Table:
    """Where a judge answers otherwise about one system than about another."""
    names = {one.key: said(one.name) for one in study.rubric_version.content.with_levels}
    return table(
        "sentinel_systems",
        _("By who wrote the replies"),
        _(
            "The replies are the same both times, so that what moves here is the judge and no system; "
            "where it moves for one system alone, systems that it rates stand otherwise to each other. "
            "Limits hold for all systems and criteria at once."
        ),
        about=[
            Column("asked", pgettext("a judge", "Asked")),
            Column("criterion", _("Criterion")),
            Column("generator", _("Generator")),
        ],
        columns=[
            Column("outcome", _("Outcome"), is_words=True),
            Column("changed", _("Changed"), is_field=True),
            Column("share", _("Share that changed"), is_words=True, is_field=True),
            Column("shift", _("Scores moved by"), is_words=True, is_field=True),
        ],
        lines=(
            Line(
                about=(
                    _moment(one, named=True),
                    Plain(names.get(key, key), key),
                    Plain(system, system),
                ),
                values=(
                    Plain(str(OUTCOMES[Drift(mine["drift"])][0]), mine["drift"]),
                    _changed(mine),
                    Plain(f"{percent(mine['low'])} – {percent(mine['high'])}", mine["high"]),
                    _shift(mine["shift"]),
                ),
                made_of=(_unchanged(mine),),
            )
            for one in found
            for system, each in one.figures["systems"].items()
            for key, mine in each.items()
        ),
        is_for_screen=True,
    )


def _changed(mine: Mapping[str, Any]) -> Plain:
    return Plain(f"{mine['n_flipped']:,}/{mine['n_items']:,}", mine["n_flipped"])


def _unchanged(mine: Mapping[str, Any]) -> int:
    n: int = mine["n_items"] - mine["n_flipped"]
    return n


def _changed_by_itself(check: SentinelCheck | None, key: str) -> Plain | None:
    mine = check.figures["criteria"].get(key) if check else None
    return _changed(mine) if mine else None


def _shift(moved: dict[str, Any] | None) -> Plain | None:
    if moved is None:
        return None
    value, low, high = (number(moved[name], "bias") for name in ("value", "low", "high"))
    limits = f" ({low} – {high})" if low and high else ""
    return Plain(f"{value}{limits}", moved["value"])


def _who(check: SentinelCheck) -> Plain:
    named = sentinels.answered_by(check)
    told = listed(" ".join(filter(None, one)) for one in named) or "—"
    return Plain(told, told)


def _moment(check: SentinelCheck, *, named: bool) -> Plain:
    """When it was asked, and with its name where it is another judge."""
    at = check.made_at
    told = date_format(localtime(at), "DATETIME_FORMAT")
    if named:
        told = clauses([check.run.judge.rater.name, told])
    return Plain(told, at.isoformat())
