"""What the tests of statistics compare with: published tables, stored values, real ratings."""

import importlib
import json
import re
import warnings
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import openpyxl
import pytest

ATTRIBUTES = (
    "Guidance",
    "Informativeness",
    "Relevance",
    "Safety",
    "Empathy",
    "Helpfulness",
    "Understanding",
)
WORKBOOKS = {
    "human": "Human_judge.xlsx",
    "claude": "claude_llm_judge.xlsx",
    "gpt_4o": "gpt-4o_llm_judge.xlsx",
}
LABELS = (
    "Nonsense",
    "Humanoid Mimicry",
    "Linguistic Neglect",
    "Unamiable Judgment",
    "Toxic Language",
    "Unauthorized Preachment",
    "Nonfactual Statement",
    "Safe Response",
)
PUBLISHED = Path(__file__).parent / "published"


@pytest.fixture
def published():
    """A table of a paper by the name of its file; NaN where a rating is missing."""
    return lambda name: np.genfromtxt(PUBLISHED / f"{name}.csv", delimiter=",", comments="#")


@pytest.fixture(scope="session")
def library():
    """A reference library by its name, imported late and without its warnings."""

    def imported(name):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return importlib.import_module(name)

    return imported


@pytest.fixture(scope="session")
def pingouin_iccs(library):
    """ICCs of complete ratings (n, k) as pingouin has them: form -> (value, low, high)."""
    pingouin, pandas = library("pingouin"), library("pandas")
    names = {
        "ICC(1,1)": "icc_11",
        "ICC(A,1)": "icc_a1",
        "ICC(C,1)": "icc_c1",
        "ICC(1,k)": "icc_1k",
        "ICC(A,k)": "icc_ak",
        "ICC(C,k)": "icc_ck",
    }

    def iccs(table):
        n, k = table.shape
        long = pandas.DataFrame(
            {
                "item": np.repeat(np.arange(n), k),
                "rater": np.tile(np.arange(k), n),
                "rating": np.asarray(table, dtype=float).ravel(),
            }
        )
        rounding = pingouin.options["round.column.CI95"]
        pingouin.options["round.column.CI95"] = None
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = pingouin.intraclass_corr(long, "item", "rater", "rating")
        finally:
            pingouin.options["round.column.CI95"] = rounding
        return {
            names[row.Type]: (row.ICC, *row.CI95) for row in found.itertuples() if row.Type in names
        }

    return iccs


@pytest.fixture(scope="session")
def krippendorff_alpha(library):
    """Alpha of ratings (n, r) as the krippendorff package has it."""
    package = library("krippendorff")

    def alpha(table, level, points):
        return package.alpha(
            reliability_data=np.asarray(table, dtype=float).T,
            level_of_measurement=level,
            value_domain=list(points),
        )

    return alpha


@pytest.fixture(scope="session")
def reference(shared):
    """Values that other producers gave, by dataset and statistic."""
    stored = json.loads((shared / "reference" / "reference_values.json").read_text())
    values = {(row["dataset"], row["statistic"]): row for row in stored["values"]}
    return {"values": values, "grid": stored["grid_28_cells"]}


@pytest.fixture(scope="session")
def goldens(shared):
    """The published cells recomputed as released and cleaned, and classic examples."""
    return json.loads((shared / "reference" / "goldens.json").read_text())


@dataclass(frozen=True)
class MentalAlign:
    """10,000 items: `ratings[rater]` (n, 7) with NaN, `dialogues` (n,), `sources` (n,), `empty`
    (n,): the reply was the string nan."""

    ratings: dict
    dialogues: np.ndarray
    sources: np.ndarray
    empty: np.ndarray

    def pair(self, judge, attribute, *, clean=False, without=()):
        """Human and judge ratings of one attribute with the items' dialogues and sources."""
        column = ATTRIBUTES.index(attribute)
        human, judged = (self.ratings[rater][:, column].copy() for rater in ("human", judge))
        kept = ~np.isin(self.sources, without)
        if clean:
            human[(human < 1) | (human > 5)] = np.nan
            kept &= ~self.empty
        return human[kept], judged[kept], self.dialogues[kept], self.sources[kept]


@pytest.fixture(scope="session")
def mentalalign(shared):
    """The released ratings of the human experts and two judges."""
    folder = shared / "data" / "mentalalign"
    tables = {rater: rated_items(folder / name) for rater, name in WORKBOOKS.items()}
    items = sorted(tables["human"])
    ratings = {
        rater: np.array([table[item] for item in items], dtype=float)
        for rater, table in tables.items()
    }
    listed = np.loadtxt(
        shared / "reference" / "mentalalign_nan_responses.csv",
        delimiter=",",
        skiprows=1,
        usecols=(0, 1),
        dtype=str,
    )
    empty = {(int(dialogue), source) for dialogue, source in listed}
    return MentalAlign(
        ratings=ratings,
        dialogues=np.array([dialogue for dialogue, _ in items]),
        sources=np.array([source for _, source in items]),
        empty=np.array([item in empty for item in items]),
    )


def rated_items(workbook):
    """{(dialogue, source): seven ratings, None where missing or unreadable}."""
    items = {}
    with closing(openpyxl.load_workbook(workbook, read_only=True)) as book:
        rows = book.active.iter_rows(values_only=True)
        heads = [str(head).strip() for head in next(rows)]
        for row in rows:
            for head, cell in zip(heads, row, strict=True):
                if "_response_" in head:
                    items[int(row[0]), head.split("_response_")[1]] = read_cell(cell)
    return items


def read_cell(cell):
    text = re.sub(r"^\s*```(?:json)?|```\s*$", "", cell or "")
    try:
        answer = json.loads(text)
    except json.JSONDecodeError:
        answer = {}
    return [answer.get(attribute) for attribute in ATTRIBUTES]


@pytest.fixture(scope="session")
def dialogue_safety(shared):
    """Gold (800,) and what five runs of a model said (800, 5)."""
    folder = shared / "data" / "dialogue_safety"
    gold = np.array([item["label"] for item in json.loads((folder / "test.json").read_text())])
    runs = np.full((gold.size, 5), np.nan)
    recorded = folder / "completions_gpt-3.5-turbo-0301_zero_shot.jsonl"
    for line in recorded.read_text().splitlines():
        answer = json.loads(line)
        said = re.match("|".join(LABELS), answer["content"])
        runs[answer["item"], answer["run"]] = LABELS.index(said.group())
    return gold.astype(float), runs
