"""The walk finds the one cell among many that is too pale, whatever makes it so."""

import pytest

from tests.browser.walking import AXE_SCRIPT, EVERYTHING, FIND_BREACHES, OF_WIDTH

ROWS = 60
PALE = 41  # of the rows; neither the first, the middle nor the last
TABLE = """
<html lang="en"><head><title>Frogs</title><style>
  body {{ color: #222; background: #fff; }} td {{ position: relative; padding: 4px; }} {style}
</style></head><body><main><h1>Frogs</h1><table><thead><tr><th scope="col">Pond</th></tr></thead>
<tbody>{rows}</tbody></table></main></body></html>
"""
CELL = "<td>Pond {n}</td>"
FAULTS = {
    "a colour of its own": ("", '<td style="color: #bbb">Pond {n}</td>'),
    "a class": (".soft { color: #bbb }", '<td class="soft">Pond {n}</td>'),
    "the background of its row": ("", '<td style="background: #444">Pond {n}</td>'),
    "its place": (f"tr:nth-child({PALE}) td {{ color: #bbb }}", CELL),
    "what it lies in": ("", '<td><div style="opacity: 0.3"><b>Pond {n}</b></div></td>'),
    "what it lies on": (
        ".below { position: absolute; inset: 0; background: #333 }",
        '<td><i class="below"></i><b style="position: relative">Pond {n}</b></td>',
    ),
}


def breaches(page, style, cell, rules):
    cells = [CELL] * ROWS
    cells[PALE - 1] = cell
    rows = "".join(f"<tr>{one.format(n=n)}</tr>" for n, one in enumerate(cells))
    page.set_content(TABLE.format(style=style, rows=rows))
    page.evaluate(AXE_SCRIPT)
    return page.evaluate(FIND_BREACHES, rules)


@pytest.fixture(scope="module")
def page(chromium):
    context = chromium.new_context()
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("rules", [EVERYTHING, OF_WIDTH], ids=["everything", "of a width"])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_pale_cell_among_many_is_found(page, fault, rules):
    (found,) = breaches(page, *FAULTS[fault], rules)
    assert found.startswith("color-contrast: 1x")
    assert f"Pond {PALE - 1}" in found


@pytest.mark.parametrize("rules", [EVERYTHING, OF_WIDTH], ids=["everything", "of a width"])
def test_of_cells_that_can_be_read_it_says_nothing(page, rules):
    assert breaches(page, "", CELL, rules) == []
