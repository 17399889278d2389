"""The works that a report cites, by what in it follows them; `works.bib` has them all."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from analytics.measures import NAMES

_WORKS = Path(__file__).with_name("works.bib")
_ENTRY = re.compile(r"^@(\w+)\{(\w+),\n(.*?)^\}\n", re.M | re.S)
_FIELD = re.compile(r"^  (\w+) = \{(.*)\},$", re.M)
_OF_STATISTICS: Mapping[str, str] = {
    "icc": "mcgraw1996",
    "kappa": "cohen1960",
    "kappa_": "cohen1968",
    "fleiss": "fleiss1971",
    "alpha": "hayes2007",
    "ac": "gwet2008",
    "bias": "bland1986",
    "ccc": "lin1989",
}
_REML = "tenhove2024"
_OF_METHODS: Mapping[str, str] = {
    "pivotal": "weerahandi1993",
    "recovery": "zou2008",
    "over runs": "obuchowski1995",
    "common correlation": "donner1992",
    "jackknife": "efron1981",
}
_OF_TABLES: Mapping[str, tuple[str, ...]] = {
    "judges_ceiling": ("dubois2023",),
    "judges_alternative": ("calderon2025", "benjamini2001"),
    "judges_latent": ("dawid1979",),
    "raters_latent": ("dawid1979",),
    "judges_strata": ("elangovan2025",),
    "safety_prevalence": ("rogan1978", "lang2014"),
    "trust_tiers": ("badawi2025",),
    "pairs_wins": ("zheng2023", "wilson1927"),
    "powered_means": ("angelopoulos2023",),
    "routing": ("jung2025", "clopper1934", "angelopoulos2025", "zou2008"),
    "plan": ("bonett2002",),
    "plan_variance": ("brennan2001", "patterson1971", "searle1992"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedWork:
    """An entry of the bibliography: its fields as BibTeX has them, and the entry word for word."""

    key: str
    fields: Mapping[str, str]
    bibtex: str

    @property
    def in_words(self) -> str:
        """As the seventh edition of the APA manual writes it."""
        told = {name: re.sub(r"[{}]", "", text) for name, text in self.fields.items()}
        return f"{_authors(told['author'])} ({told['year']}). {told['title']}. {_place(told)}."


def works(
    *, statistics: Collection[str], methods: Collection[str], tables: Collection[str]
) -> list[CitedWork]:
    """What these statistics, methods of intervals and tables (keys) follow, by author."""
    found = [
        work
        for begin, work in _OF_STATISTICS.items()
        if any(
            name == begin or (begin not in NAMES and name.startswith(begin)) for name in statistics
        )
    ]
    found += [_REML] if any(name.endswith("_reml") for name in statistics) else []
    found += [
        work for word, work in _OF_METHODS.items() if any(word in method for method in methods)
    ]
    found += [work for key in tables for work in _OF_TABLES.get(key, ())]
    return sorted((known()[key] for key in set(found)), key=lambda work: work.in_words.casefold())


@cache
def known() -> Mapping[str, CitedWork]:
    """{key: work} of all that `works.bib` has."""
    return {work.key: work for work in _read(_WORKS.read_text(encoding="utf-8"))}


def _read(text: str) -> Iterator[CitedWork]:
    for entry in _ENTRY.finditer(text):
        _kind, key, fields = entry.groups()
        yield CitedWork(key=key, fields=dict(_FIELD.findall(fields)), bibtex=entry.group())


def _authors(text: str) -> str:
    """Family names and initials, as BibTeX parts them."""
    *names, last = text.split(" and ")
    if last == "others":
        return f"{', '.join(names)}, et al."
    return f"{', '.join(names)}, & {last}" if names else last


def _place(told: Mapping[str, str]) -> str:
    """Where it appeared: volume, number and pages follow the journal or the proceedings."""
    if "eprint" in told:
        return f"{told['archiveprefix']}:{told['eprint']}"
    where = told.get("journal") or told.get("booktitle") or told["publisher"]
    volume = told.get("volume", "") + (f"({told['number']})" if "number" in told else "")
    pages = told.get("pages", "").replace("--", "–")
    return ", ".join(filter(None, (where, volume, pages)))
