"""Postal addresses: a street with a number, a building with a door."""

import re
from collections.abc import Iterator

from annotation.identifiers.kinds import IdentifierKind
from annotation.identifiers.numbers import Span

# A part of a Chinese name of a place: no verb or pronoun that leads up to it.
_PART = r"(?:(?![在是到于住我你他她们址家搬去从来的了号])[\u4e00-\u9fff])"
_NUMBER = r"(?:\d{1,5}|[一二三四五六七八九十百零〇]{1,6})"
_REGION = rf"(?:{_PART}{{2,8}}?(?:省|自治区))?(?:{_PART}{{2,7}}?市)?(?:{_PART}{{1,6}}?(?:新区|区|县|镇|乡))?"
_DOOR = rf"(?:{_NUMBER}(?:号楼|栋|幢|座))?(?:{_NUMBER}单元)?(?:{_NUMBER}(?:层|楼))?(?:{_NUMBER}(?:室|房|号房))?"
_STREET = re.compile(
    rf"{_REGION}{_PART}{{1,10}}?(?:大道|路|街|巷|弄|胡同|村){_NUMBER}(?:号楼|号院|号|弄)"
    rf"(?:{_PART}{{2,10}}?(?:小区|花园|公寓|大厦|苑|里))?{_DOOR}"
)
_ESTATE = re.compile(
    rf"{_REGION}{_PART}{{2,10}}?(?:小区|花园|公寓|宿舍|大厦|新村|苑|家园){_NUMBER}(?:号楼|栋|幢|座|号|单元){_DOOR}"
)
_WAYS = (
    r"Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct|Way|Place|Pl|Terrace"
)
_ENGLISH = re.compile(
    rf"(?<![\w.])\d{{1,5}}[A-Z]? (?:(?:N|S|E|W|North|South|East|West)\.? )?(?:[A-Z][a-z']+ |\d+(?:st|nd|rd|th) ){{1,3}}"
    rf"(?:{_WAYS})\b\.?(?:,? (?:Apt|Apartment|Unit|Suite|Flat|#)\.? ?\w+)?"
    r"(?:, [A-Z][a-z]+(?: [A-Z][a-z]+)?)?(?:,? [A-Z]{2})?(?: \d{5}(?:-\d{4})?)?"
)
_BOX = re.compile(r"\bP\.? ?O\.? Box \d+", re.IGNORECASE)


# Every address has a number with something beside it, which is found in no time.
_NUMBERED = re.compile(rf"{_NUMBER}(?:号|弄|栋|幢|座|单元)")
_FIGURE = re.compile(r"\d")


def places_in(text: str) -> Iterator[Span]:
    patterns = [_STREET, _ESTATE] if _NUMBERED.search(text) else []
    if _FIGURE.search(text):
        patterns += [_ENGLISH, _BOX]
    for pattern in patterns:
        for match in pattern.finditer(text):
            yield IdentifierKind.ADDRESS, *match.span()
