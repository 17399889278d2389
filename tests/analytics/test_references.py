"""The works that reports cite are BibTeX, each entry read whole and told as the APA manual has it."""

import re

import pytest

from analytics.report import references

BIB = references.known()


def test_every_entry_is_read():
    text = "".join(work.bibtex for work in BIB.values())
    assert (
        text.count("\n@") + 1
        == len(BIB)
        == len(re.findall(r"^@", references._WORKS.read_text(), re.M))
    )


@pytest.mark.parametrize(
    ("key", "words"),
    [
        (
            "zou2008",
            (
                "Zou, G. Y., & Donner, A. (2008). Construction of confidence limits about effect "
                "measures: a general approach. Statistics in Medicine, 27(10), 1693–1702."
            ),
        ),
        (
            "angelopoulos2023",
            (
                "Angelopoulos, A. N., Duchi, J. C., & Zrnic, T. (2023). PPI++: efficient "
                "prediction-powered inference. arXiv:2311.01453."
            ),
        ),
        ("brennan2001", "Brennan, R. L. (2001). Generalizability theory. Springer."),
        (
            "badawi2025",
            (
                "Badawi, A., et al. (2025). When can we trust LLMs in mental health? Large-scale "
                "benchmarks for reliable LLM evaluation. arXiv:2510.19032."
            ),
        ),
    ],
)
def test_a_work_in_words(key, words):
    assert BIB[key].in_words == words


def test_what_is_cited_is_there_and_what_is_there_is_cited():
    cited = {
        *references._OF_STATISTICS.values(),
        *references._OF_METHODS.values(),
        references._REML,
        *(key for keys in references._OF_TABLES.values() for key in keys),
    }
    assert cited == BIB.keys()
