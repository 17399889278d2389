"""The walk finds the one text among many that is too pale, whatever makes it so."""

import pytest

from tests.browser.walking import AXE, EVERYTHING, FIND_BREACHES, OF_WIDTH

ROWS = 60
PALE = 41  # of the rows; neither the first, the middle nor the last
PAGE = """
<html lang="en"><head><title>Frogs</title><style>
  body {{ color: #222; background: #fff; }} .cell {{ position: relative; padding: 4px; }} {style}
</style></head><body><main><h1>Frogs</h1>{many}</main></body></html>
"""
HEAD = '<table><thead><tr><th scope="col">Pond</th></tr></thead><tbody>'
# What stands before the rows, a row, the tag of what is in it, and what stands behind.
PLACES = {
    "a table": (HEAD, "<tr>{cell}</tr>", "td", "</tbody></table>"),
    "a list": ("<ul>", "<li>{cell}</li>", "div", "</ul>"),
}
CELL = '<{tag} class="cell">Pond {n}</{tag}>'
FAULTS = {
    "a colour of its own": ("", '<{tag} class="cell" style="color: #bbb">Pond {n}</{tag}>'),
    "a class": (".soft { color: #bbb }", '<{tag} class="cell soft">Pond {n}</{tag}>'),
    "the background of its row": (
        "",
        '<{tag} class="cell" style="background: #444">Pond {n}</{tag}>',
    ),
    "its place": (f":nth-child({PALE}) > .cell {{ color: #bbb }}", CELL),
    "what it lies in": (
        "",
        '<{tag} class="cell"><div style="opacity: 0.3"><b>Pond {n}</b></div></{tag}>',
    ),
    "what it lies on": (
        ".below { position: absolute; inset: 0; background: #333 }",
        '<{tag} class="cell"><i class="below"></i><b style="position: relative">Pond {n}</b></{tag}>',
    ),
}


def breaches(page, place, style, cell, rules):
    before, row, tag, behind = PLACES[place]
    cells = [CELL] * ROWS
    cells[PALE - 1] = cell
    rows = "".join(row.format(cell=one.format(tag=tag, n=n)) for n, one in enumerate(cells))
    page.set_content(PAGE.format(style=style, many=before + rows + behind))
    return page.evaluate(FIND_BREACHES, rules)


@pytest.fixture(scope="module")
def page(chromium):
    context = chromium.new_context()
    page = context.new_page()
    page.evaluate(AXE)
    yield page
    context.close()


@pytest.mark.parametrize("rules", [EVERYTHING, OF_WIDTH], ids=["everything", "of a width"])
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_pale_one_among_many_is_found(page, place, fault, rules):
    (found,) = breaches(page, place, *FAULTS[fault], rules)
    assert found.startswith("color-contrast: 1x")
    assert f"Pond {PALE - 1}" in found


@pytest.mark.parametrize("rules", [EVERYTHING, OF_WIDTH], ids=["everything", "of a width"])
@pytest.mark.parametrize("place", PLACES)
def test_of_those_that_can_be_read_it_says_nothing(page, place, rules):
    assert breaches(page, place, "", CELL, rules) == []
