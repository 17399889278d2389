"""The head of a column sorts its table, in a real Chromium."""

import pytest

from annotation.models import TeamRole
from tests.analytics.meadow import meadow
from tests.browser.walking import sign_in

pytestmark = pytest.mark.django_db(transaction=True)


def column(table, place) -> list[str]:
    return table.locator(f"tbody tr > :nth-child({place})").all_inner_texts()


def first_numbers(texts) -> list[float]:
    return [float(text.split()[0].replace("\N{MINUS SIGN}", "-")) for text in texts]


def test_a_column_is_sorted_and_turned_round(ada, visitor):
    meadow({ada: [TeamRole.COORDINATOR]}, n_people=11, criteria=("guidance", "empathy"))
    page = visitor()
    sign_in(page, ada)
    page.goto("/studies/meadow/agreement/raters/")
    table = page.locator("table[data-behaviour=sort]").first
    people = [f"Person{number}" for number in range(11)]

    table.get_by_role("button", name="Severity").click()
    rising = first_numbers(column(table, 4))
    assert (rising, len(set(rising)) > 5) == (sorted(rising), True)
    table.get_by_role("button", name="Severity").click()
    assert first_numbers(column(table, 4)) == rising[::-1]
    assert table.get_by_role("columnheader", name="Severity").get_attribute("aria-sort") == (
        "descending"
    )
    table.get_by_role("button", name="Person", exact=True).click()
    assert column(table, 1) == people


def test_cells_of_two_numbers_are_sorted_by_number(ada, visitor):
    meadow({ada: [TeamRole.COORDINATOR]})
    page = visitor()
    sign_in(page, ada)
    page.goto("/studies/meadow/agreement/matrix/")
    page.evaluate("document.querySelectorAll('details').forEach((fold) => (fold.open = true))")
    table = page.locator("table[data-behaviour=sort]", has_text="Without one").first
    table.get_by_role("button", name="Without one").click()
    rising = first_numbers(column(table, 4))
    n_negative = sum(number < 0 for number in rising)
    assert (rising, n_negative > 1) == (sorted(rising), True)
