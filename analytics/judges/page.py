"""What the pages about judges share, and the page that lists them side by side."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import ClassVar

from django.utils.translation import gettext as _

from accounts.punctuation import clauses, in_turn, listed
from analytics.agreement.numbers import CriterionLine, RaterLine
from analytics.judges import lookup, tables, words
from analytics.judges.numbers import JudgesReport, Reference, Versus
from analytics.judges.tables import LEADING, STATISTICS
from analytics.judges.words import REFERENCES
from analytics.juries.words import said_jury
from analytics.measures import NAMES
from analytics.present.charts.beside import looks
from analytics.present.charts.forest import Band, ForestLine, ends_of, forest_plot
from analytics.present.charts.showing import Chart
from analytics.present.grid import Grid
from analytics.present.naming import Naming
from analytics.present.page import Choice, FiguresPage, NoSuchPage, choices, shown
from analytics.present.places import place_of
from analytics.present.straw_men import nothing_certified
from analytics.present.tables import Plain
from analytics.present.viewing import items_of
from analytics.present.words import Figure, counted, figure, shared_notes, short_name
from analytics.ratings.blinding import is_alias
from analytics.ratings.juries import numbered
from analytics.stats.ceiling import UnderCeiling
from analytics.stats.estimates import Estimate, Note, in_order
from analytics.stats.several import Family, family
from annotation.queries.wording import said
from judging.models import Judge
from judging.queries.wording import asked_how


@dataclass(frozen=True, slots=True, kw_only=True)
class HowAsked:
    """How a judge is asked; blank for one whose ratings were imported."""

    llm: str = ""
    how: str = ""
    jury: str = ""
    is_stand_in: bool = False
    is_blinded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeLine:
    key: str
    name: str
    settings: HowAsked
    left_out: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rivals:
    """Two judges on the same items, `is_family` where they are editions of the same LLM."""

    pair: Plain
    is_family: bool
    sentence: str
    n: str


@dataclass(frozen=True, kw_only=True)
class JudgesPage(FiguresPage):
    """What every page about judges knows: the report, and what the reader chose."""

    room: ClassVar[str] = "judges"
    report: JudgesReport
    reference: Reference
    statistic: str
    settings: Mapping[int, HowAsked]

    @property
    def made_of(self) -> str:
        """What the figures were computed from, in words."""
        return counted(self.report.n_items, self.report.n_dialogues)

    @property
    def has_figures(self) -> bool:
        return bool(self.report.against)

    @property
    def reference_name(self) -> str:
        return str(REFERENCES[self.reference])

    @property
    def references(self) -> list[Choice]:
        """What judges can be compared with here; none where there is nothing to choose."""
        there = {one.reference for one in self.report.against}
        if len(there) < 2:
            return []
        known = ((key, name) for key, name in REFERENCES.items() if key in there)
        return choices(known, self.reference)

    @property
    def statistics(self) -> list[Choice]:
        """What the forest plot can show; where it does not suit a criterion another stands in."""
        measured = {line.measurement for line in self.report.criteria}
        known = dict.fromkeys(
            name for level, names in STATISTICS.items() if level in measured for name in names
        )
        chosen = self.statistic or next(iter(known), "")
        return choices(((name, NAMES[name]) for name in known), chosen)

    @cached_property
    def general_notes(self) -> frozenset[Note]:
        """What holds for every figure at item level: said once, above."""
        every = (one.item.estimates.values() for one in self.report.against)
        return shared_notes(chain.from_iterable(every))

    @property
    def said_general_notes(self) -> list[str]:
        return [_(note.sentence) for note in in_order(self.general_notes)]

    def figure(self, estimate: Estimate) -> Figure:
        return figure(estimate, self.footnotes, said_above=self.general_notes)

    def criterion_name(self, key: str) -> str:
        return self.naming.criterion(key).text

    def statistic_of(self, line: CriterionLine) -> str:
        """The statistic in view, or the leading one where it does not suit the criterion."""
        if self.statistic in STATISTICS[line.measurement]:
            return self.statistic
        return LEADING[line.measurement]

    @property
    def in_table(self) -> dict[str, str | Sequence[str]]:
        """What of a table is in view."""
        shown = dict.fromkeys(map(self.statistic_of, self.report.criteria))
        return {"reference": self.reference.value, "statistic_of": tuple(shown)}

    def under_ceiling(self, judge: int, line: CriterionLine) -> UnderCeiling | None:
        """The judge under the ceiling of people, where one can be told."""
        statistic = self.statistic_of(line)
        return lookup.under_ceiling(self.report, judge, line.key, self.reference, statistic)

    def agreement(self, judge: int, line: CriterionLine) -> Estimate | None:
        """The statistic in view of one judge: under the ceiling where there is one."""
        statistic = self.statistic_of(line)
        return lookup.agreement(self.report, judge, line.key, self.reference, statistic)

    @property
    def has_ceiling(self) -> bool:
        """Whether any figure of the forest plot stands under a ceiling."""
        return any(
            self.under_ceiling(judge.id, line)
            for judge in self.in_view
            for line in self.report.criteria
        )

    @property
    def in_view(self) -> tuple[RaterLine, ...]:
        """The judges that the page is about."""
        return self.report.judges

    @property
    def why_no_ceiling(self) -> str:
        """Why people cannot be set beside the judges; empty where they are."""
        if self.has_ceiling:
            return ""
        if self.reference is Reference.GOLD:
            return words.gold_has_none()
        shared = {judge.id for judge in self.in_view} & {one.judge for one in self.report.beside}
        return words.too_few_shared() if shared else words.nobody_shared()

    @cached_property
    def nothing_certified(self) -> list[str]:
        """Where a straw man comes as far as the judges in view."""
        found = (self._nothing_certified(line) for line in self.report.criteria)
        return [sentence for sentences in found for sentence in sentences]

    def _nothing_certified(self, line: CriterionLine) -> Iterator[str]:
        """Of those under the ceiling, and of those over all pairs of ratings."""
        statistic = self.statistic_of(line)
        for consensus in (True, False):
            figures = [
                (judge.name, estimate)
                for judge in self.in_view
                if bool(self.under_ceiling(judge.id, line)) is consensus
                and (estimate := self.agreement(judge.id, line))
            ]
            straw_man = lookup.straw_man(
                self.report, line.key, self.reference, statistic, consensus=consensus
            )
            if sentence := nothing_certified(self.naming, line.key, straw_man, figures):
                yield sentence

    def _says(self, judge: RaterLine, line: CriterionLine, shown: Figure) -> str:
        """The figure of a judge, with what people reach and how much of that this is."""
        named = {"criterion": said(line.name), "judge": judge.name, "figure": shown.text}
        says = _("%(criterion)s, %(judge)s: %(figure)s") % named
        says = in_turn((says, shown.n))
        under = self.under_ceiling(judge.id, line)
        if under is None:
            return says
        people = self.figure(under.people).text
        says = _("%(says)s. People: %(people)s") % {"says": says, "people": people}
        share = self._share(under)
        if share is None or share.value is None:
            return says
        return _("%(says)s. %(share)s of the ceiling") % {"says": says, "share": share.value}

    def _share(self, under: UnderCeiling | None) -> Figure | None:
        if under is None:
            return None
        return self.figure(replace(under.share, statistic="share_of_ceiling"))

    @property
    def compared_with(self) -> Collection[int]:
        """The judges that each comparison of the page is about; none where it is about any two."""
        return ()

    @cached_property
    def comparisons(self) -> list[Rivals]:
        """Each pair of judges that the page compares."""
        pairs: dict[tuple[int, int], list[Versus]] = {}
        for one in self._versus:
            pairs.setdefault((one.one, one.other), []).append(one)
        return [self._rivals(*pair, found) for pair, found in pairs.items()]

    @property
    def _versus(self) -> list[Versus]:
        return [
            one
            for one in self.report.versions
            if one.reference is self.reference and set(self.compared_with) <= {one.one, one.other}
        ]

    @property
    def tested(self) -> list[Estimate]:
        """Every difference of which the page says in words whether it may be chance."""
        return [one.differences[self._leading(one.criterion)] for one in self._versus]

    @cached_property
    def family(self) -> Family:
        """All of them together: a finding on a page is one among all that it looks at."""
        return family(self.tested)

    def _rivals(self, one: int, other: int, found: list[Versus]) -> Rivals:
        llms = [self.settings.get(judge, HowAsked()).llm for judge in (one, other)]
        sizes = [next(iter(line.differences.values())).n_items for line in found]
        return Rivals(
            pair=words.pair(self.naming, found[0]),
            is_family=bool(llms[0]) and llms[0] == llms[1],
            sentence=words.of_rivals(
                self.naming.rater(one).text,
                self.naming.rater(other).text,
                [line.differences[self._leading(line.criterion)] for line in found],
                self.reference_name,
                self.family,
            ),
            n=words.items_between(sizes),
        )

    def _leading(self, criterion: str) -> str:
        return LEADING[lookup.line_of(self.report, criterion).measurement]

    @cached_property
    def compared(self) -> Grid | None:
        """The figures of these pairs; of any two no address of a file names each."""
        whole = tables.versions(self.report, self.naming)
        chosen: dict[str, str | Sequence[str]] = {"reference": self.reference.value}
        if self.compared_with:
            chosen["judges"] = [str(one.pair.exact) for one in self.comparisons]
        return self.grid(whole, **chosen)


@dataclass(frozen=True, kw_only=True)
class Glance(JudgesPage):
    """The page that lists the judges of a study side by side."""

    latent = shown(tables.latent)

    @property
    def judges(self) -> list[JudgeLine]:
        return [
            JudgeLine(
                key=judge.key,
                name=judge.name,
                settings=self.settings.get(judge.id, HowAsked()),
                left_out=listed(judge.own_generators),
            )
            for judge in self.report.judges
        ]

    @cached_property
    def forest(self) -> Chart | None:
        found = [
            (judge, line, estimate)
            for line in self.report.criteria
            for judge in self.report.judges
            if (estimate := self.agreement(judge.id, line)) and estimate.value is not None
        ]
        if not found:
            return None
        lines = [self._forest_line(*one) for one in found]
        bands = [band for judge, line, _one in found if (band := self._band(judge, line))]
        known = looks(self.report)
        spec = forest_plot(
            lines,
            bands,
            {judge.name: known[judge.id] for judge in self.report.judges},
            ends=ends_of(lines),
            title=_("Every criterion"),
            says=in_turn(line.says for line in lines),
            x_name=_("Agreement with %(reference)s") % {"reference": self.reference_name},
            y_name=_("Criterion"),
            who=_("Judge"),
        )
        return Chart(key="forest", plot=spec)

    @property
    def charts(self) -> Mapping[str, Chart]:
        return {self.forest.key: self.forest} if self.forest else {}

    def _forest_line(self, judge: RaterLine, line: CriterionLine, estimate: Estimate) -> ForestLine:
        shown = self.figure(estimate)
        against = lookup.against(self.report, judge.id, line.key, self.reference)
        return ForestLine(
            criterion=self._criterion_in_plot(line, estimate),
            who=judge.name,
            value=estimate.value or 0.0,
            low=estimate.low,
            high=estimate.high,
            n=estimate.n_items,
            says=self._says(judge, line, shown),
            href=items_of(self.report.view, *place_of(against.item)) if against else "",
        )

    def _band(self, judge: RaterLine, line: CriterionLine) -> Band | None:
        under = self.under_ceiling(judge.id, line)
        if under is None or under.people.low is None or under.people.high is None:
            return None
        named = {"criterion": said(line.name), "people": self.figure(under.people).text}
        return Band(
            criterion=self._criterion_in_plot(line, under.people),
            who=judge.name,
            low=under.people.low,
            high=under.people.high,
            says=_("%(criterion)s, people: %(people)s") % named,
        )

    def _criterion_in_plot(self, line: CriterionLine, estimate: Estimate) -> str:
        return clauses((said(line.name), short_name(estimate.statistic)))

    @cached_property
    def ceilings(self) -> Grid | None:
        """All judges beside a person."""
        if not self.has_ceiling:
            return None
        whole = tables.ceilings(self.report, self.naming)
        return self.grid(whole, statistic_of=self.in_table["statistic_of"])

    @cached_property
    def glance(self) -> Grid | None:
        return self.grid(tables.glance(self.report, self.naming), **self.in_table)


def glance(report: JudgesReport, naming: Naming, choices: Mapping[str, str]) -> Glance:
    """The list that an address asks for; blanks are the defaults. NoSuchPage otherwise."""
    return Glance(
        report=report,
        naming=naming,
        reference=reference_named(report, choices.get("reference", "")),
        statistic=statistic_named(choices.get("statistic", "")),
        settings=settings_of(report),
    )


def reference_named(report: JudgesReport, name: str) -> Reference:
    """People by default, gold where no people rated what a judge rated."""
    there = {one.reference for one in report.against}
    if not name:
        return next((one for one in Reference if one in there), Reference.PEOPLE)
    if name not in there:
        raise NoSuchPage
    return Reference(name)


def statistic_named(name: str) -> str:
    if name and not any(name in names for names in STATISTICS.values()):
        raise NoSuchPage
    return name


def settings_of(report: JudgesReport) -> dict[int, HowAsked]:
    """How each judge that Concord itself asks is asked; not told of one that is blinded."""
    blinded = [one.id for one in report.judges if is_alias(one.id)]
    if blinded:
        return dict.fromkeys(blinded, HowAsked(is_blinded=True))
    numbers = [judge.id for judge in report.judges]
    seated = {pk: HowAsked(jury=said_jury(jury)) for pk, jury in numbered(numbers).items()}
    judges = Judge.objects.filter(rater__in=numbers)
    return seated | {
        judge.rater_id: HowAsked(
            llm=judge.llm, how=listed(asked_how(judge)), is_stand_in=judge.is_stand_in
        )
        for judge in judges
    }
