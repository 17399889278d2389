"""Tables and lists of several criteria, written as the lines "criterion: value" that they stand for."""

import re
from collections.abc import Sequence
from itertools import pairwise

from annotation.rubric.answers import fold

RULE = re.compile(r"(?m)^[ \t]*(?:\|?[ \t:|-]*-{2,}[ \t:|-]*\|?|\|(?:[ \t:]*-[ \t:]*\|)+)[ \t]*$")
_VALUE_HEAD = re.compile(
    r"(?:(?:final|your|my|assigned|given) |最终|我的)?(?:scores?|ratings?|values?|grades?|marks?|verdict|label|result|(?:is |criterion )?(?:present|met|fulfilled|satisfied)|是否(?:具备|符合|满足|达到|体现)|(?:评分|得分|分数|打分|评级|等级|分值|标签)(?:结果)?|结果)"
    r"(?: ?\d+ ?(?:to|至|到)? ?\d+ ?分?| out of \d+| ?\d+| yes no| ?满分 ?\d+ ?分?| 1 not (?:met|present) 0)?"
)
_ALSO_VALUE_HEAD = re.compile(  # where no column is headed as above
    r"answers?|assessment|evaluation|judge?ments?|decision|points?|level|yes no|\d+ ?(?:to|至|到)? ?\d+|判断|判定|结论|评价|评估|是 ?否|分"
)
_IS_VALUE = re.compile(
    r"\d{1,2}|yes|no|(?:not )?(?:met|present|fulfilled)|是|否|不?(?:具备|符合|满足)|未?达到",
    re.IGNORECASE,
)
_TICKED = {"x", "X", "✓", "✔", "√", "☑", "✅", "●"}


def as_lines(text: str, names: frozenset[str], pattern: str) -> str:
    """Turn tables and lines that put the value first; `names` are folded, `pattern` finds one."""
    row = rf"(?im)^[ \t]*(?>(?:{pattern})[ \t]*[:=]?[ \t]*\d{{1,2}}[ \t]*){{2,}}+$"
    text = re.sub(row, lambda one: re.sub(r"(?<=\d)[ \t]+", "\n", one[0]), text)
    return _turned(_tables(_with_rules(text, names), names), names, pattern)


def _with_rules(text: str, names: frozenset[str]) -> str:
    """Write a line of nothing but names over one of as many values as the table that the two are."""
    lines = text.split("\n")
    for number, (head, row) in enumerate(pairwise(lines)):
        apart = next((mark for mark in ",;，；/\t|" if mark in head), "")
        cells = head.strip("| ").split(apart) if apart and not RULE.fullmatch(row) else []
        if len(cells) > 1 and all(fold(cell) in names for cell in cells):
            lines[number : number + 2] = [
                _beside(head.replace(apart, "|"), row.replace(apart, "|")),
                "",
            ]
    return "\n".join(lines)


def _tables(text: str, names: frozenset[str]) -> str:
    lines = text.split("\n")
    for number in range(len(lines) - 2):
        head, rule, row = lines[number : number + 3]
        if "|" not in head or "|" not in row or not RULE.fullmatch(rule):
            continue
        if any(fold(cell) in names for cell in _cells(head)):
            lines[number : number + 3] = [_beside(head, row), "", ""]
        else:
            _pick_values(lines, number, names)
    return "\n".join(lines)


def _beside(head: str, row: str) -> str:
    """A table whose first row names the criteria, with the second row behind the names."""
    cells, values = _cells(head), _cells(row)
    if len(cells) != len(values):
        return f"{head}\n{row}"
    return "\n".join(f"{name}: {value}" for name, value in zip(cells, values, strict=True))


def _pick_values(lines: list[str], head: int, names: frozenset[str]) -> None:
    """Leave the name of the criterion and the one column that is headed as its value; where none is,
    the numbers may be anything: "No.", "Weight", "Human"."""
    heads = [fold(cell) for cell in _cells(lines[head])]
    columns = _columns(heads, _VALUE_HEAD) or _columns(heads, _ALSO_VALUE_HEAD)
    for number in range(head + 2, len(lines) if len(columns) < 2 else 0):
        cells = _cells(lines[number])
        if "|" not in lines[number] or (columns and len(cells) <= columns[0]):
            return
        named = [cell for cell in cells if fold(cell) in names]
        if not columns:
            lines[number] = ""
        elif len(named) == 1:
            lines[number] = f"{named[0]}: {cells[columns[0]]}"


def heads_values(row: str) -> bool:
    """Say whether a row is the head of a table with a column of values."""
    return _columns([fold(cell) for cell in _cells(row)], _VALUE_HEAD) != []


def _columns(heads: Sequence[str], wanted: re.Pattern[str]) -> list[int]:
    return [number for number, head in enumerate(heads) if wanted.fullmatch(head)]


def with_ticks_told(text: str) -> str:
    """Write rows with a tick under one of several values, or under yes or no, as lines "name: value"."""
    lines = text.split("\n")
    for rule in range(1, len(lines) - 1):
        heads = _cells(lines[rule - 1])
        columns = [number for number, cell in enumerate(heads) if _IS_VALUE.fullmatch(cell)]
        if len(columns) < 2 or "|" not in lines[rule] or not RULE.fullmatch(lines[rule]):
            continue
        for number in range(rule + 1, len(lines)):
            if "|" not in lines[number] or RULE.fullmatch(lines[number]):
                break
            lines[number] = _ticked(lines[number], heads, columns)
        lines[rule - 1 : rule + 1] = ["", ""]
    return "\n".join(lines)


_DENIED = re.compile(r":[ \t]+(?:none|no|not|nothing|absent|missing|lacking)\b", re.IGNORECASE)


def _ticked(row: str, heads: Sequence[str], columns: Sequence[int]) -> str:
    """Its line; of a row with a cell too few or too many nobody can say what is ticked."""
    cells = _cells(row)
    told = columns if len(cells) == len(heads) else ()
    ticked = [heads[one] for one in told if cells[one].strip("\x02\x03") in _TICKED]
    others = [cell for one, cell in enumerate(cells) if one not in columns]
    name = next((cell for cell in others if re.search(r"[^\W\d]", cell)), "")
    numbers = [f" ({cell})" for cell in cells[columns[-1] + 1 :] if cell.isdigit()]
    return f"{name}: {' or '.join(ticked) or '?'}{''.join(numbers)}".removeprefix(": ")


def with_lone_row_told(text: str) -> str:
    """Write a table of one row and one column that is headed as a value as the line "label: value"."""
    lines = text.split("\n")
    rules = [number for number, line in enumerate(lines) if "|" in line and RULE.fullmatch(line)]
    if len(rules) != 1 or not 0 < rules[0] < len(lines) - 1:
        return text
    rule = rules[0]
    head, row = _cells(lines[rule - 1]), _cells(lines[rule + 1])
    columns = _columns([fold(cell) for cell in head], _VALUE_HEAD)
    is_alone = not any("|" in line for line in lines[rule + 2 :])
    if len(columns) != 1 or len(head) != len(row) or not is_alone:
        return text
    lines[rule - 1 : rule + 2] = [f"{head[columns[0]]}: {row[columns[0]]}"]
    return "\n".join(lines)


def _turned(text: str, names: frozenset[str], pattern: str) -> str:
    """Write "4 – Safety" and "[x] Safety" as "Safety: 4" and "Safety: yes", where all lines are such."""
    line = re.compile(
        r"(?im)^[ \t]*(?:[-*•]|\d{1,2}[.)](?=[ \t]*[\[(☑☐✅❌]))?[ \t]*(?:[\[(](?P<boxed>\d|[xX✓✔✗✘ ]?)[\])]|(?P<bare>\d)[ \t]*[–—-]|(?P<share>\d/\d{1,2}):?(?=[ \t])|(?P<sign>[☑☐✅❌✓✔✗✘])) *"
        rf"(?P<name>{pattern})[ \t]*(?:(?:[–—-]|:(?![ \t]*(?:yes|no|(?:not )?(?:met|present)|absent|[是否✅❌✓✗]|不?(?:符合|具备|满足))\W*$))[ \t]+[^\d\n]*)?$"
    )
    found = list(line.finditer(text))
    values = [_told(one) for one in found]
    is_count = values == [str(number) for number in range(1, len(found) + 1)]
    is_other = any(
        value == "yes" and _DENIED.search(one[0]) for one, value in zip(found, values, strict=True)
    )
    if len({fold(one["name"]) for one in found}) < 2 or is_count or is_other:
        return text
    return line.sub(lambda one: f"{one['name']}: {_told(one)}", text)


def _told(line: re.Match[str]) -> str:
    value = next(filter(None, line.group("boxed", "bare", "share", "sign")), "").strip()
    return value if value[:1].isdigit() else "yes" if value in _TICKED else "no"


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().strip("|").split("|")]
