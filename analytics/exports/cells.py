"""Values as cells of a table that a spreadsheet opens without running them."""

_STARTS_A_FORMULA = tuple("=+-@\t\r\n＝＋－＠")


def cell(value: object) -> str:
    """One value as text; text that a spreadsheet would take for a formula gets a quote before it.

    So does text that begins with such a quote of its own, for `text_in` to give it back. Numbers
    are no danger and stay numbers, a truth value is true or false, nothing is empty.
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and _is_formula(value):
        return "'" + value
    return str(value)


def text_in(cell_: str) -> str:
    """The text that `cell` made a cell of."""
    return cell_[1:] if cell_.startswith("'") and _is_formula(cell_) else cell_


def _is_formula(text: str) -> bool:
    """Whether a spreadsheet would run it, or would once the quotes before it are gone."""
    return text.lstrip("'").lstrip(" ").startswith(_STARTS_A_FORMULA)
