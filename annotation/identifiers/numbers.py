"""What is written in figures: ids, cards, telephones, accounts of chats, addresses of mail."""

import re
from collections.abc import Iterator

from annotation.identifiers.digits import bare, is_resident_id, passes_luhn
from annotation.identifiers.kinds import IdentifierKind

# Neither figures nor ASCII letters beside it; Chinese may stand next to it without a blank.
_L, _R = r"(?<![0-9A-Za-z])", r"(?![0-9A-Za-z])"
_GAP = r"[ -]?"

_RESIDENT_ID = re.compile(
    rf"{_L}[1-9]\d{{5}}{_GAP}(?:18|19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"
    rf"{_GAP}\d{{3}}[\dXx]{_R}"
)
_CARD = re.compile(rf"{_L}[3-6]\d(?:(?:{_GAP}\d){{11,15}}|(?:{_GAP}\d){{17}}){_R}")
_SSN = re.compile(rf"{_L}(?!000|666|9)\d{{3}}([ -])(?!00)\d\d\1(?!0000)\d{{4}}{_R}")
_SSN_BY_CUE = re.compile(
    r"(?:SSN|social security(?: number)?)[^\d\n]{0,12}(?P<hit>\d{9})(?!\d)", re.IGNORECASE
)
_EMAIL = re.compile(
    r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9_%+-][A-Za-z0-9._%+-]*@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+"
)
_SAID = r"(?:号码|号|帐号|账号|ID)?(?: ?(?:是|为|叫|加|[:：=]|is|id))? *"
_WECHAT = re.compile(
    rf"(?:微信|薇信|威信|v信|wechat|weixin|(?<![A-Za-z])[vw]x){_SAID}"
    r"(?P<hit>[A-Za-z][A-Za-z0-9_-]{5,19})(?![A-Za-z0-9_-])",
    re.IGNORECASE,
)
_WORDS_OF_ENGLISH = re.compile(r"[A-Z]?[a-z]+")
_QQ = re.compile(rf"(?:QQ|扣扣|企鹅号){_SAID}(?P<hit>[1-9]\d{{4,10}})(?!\d)", re.IGNORECASE)
_MOBILE = re.compile(
    rf"(?<![0-9.])(?:\+?86{_GAP})?1[3-9]\d{_GAP}\d{{4}}{_GAP}\d{{4}}(?![0-9.]\d|\d)"
)
_LANDLINE = re.compile(r"(?<![0-9.])(?:\(0\d{2,3}\)|0\d{2,3}[- ])[2-8]\d{6,7}(?!\d)")
_AMERICAN = re.compile(
    r"(?<![0-9.-])(?:\+?1[-. ])?(?:\([2-9]\d\d\) ?|[2-9]\d\d[-. ])[2-9]\d\d[-. ]\d{4}(?![0-9-])"
)
_ABROAD = re.compile(r"(?<![0-9A-Za-z])\+[1-9]\d{0,2}(?:[ -]?\(?\d{1,4}\)?){2,5}(?!\d)")
_LEAST_ABROAD = 8  # figures

Span = tuple[IdentifierKind, int, int]


def numbers_in(text: str) -> Iterator[Span]:
    """Kinds and places, in a text whose figures are ASCII."""
    for match in _RESIDENT_ID.finditer(text):
        if is_resident_id(match[0]):
            yield IdentifierKind.RESIDENT_ID, *match.span()
    for match in _CARD.finditer(text):
        if passes_luhn(match[0]):
            yield IdentifierKind.CARD, *match.span()
    for match in _SSN.finditer(text):
        yield IdentifierKind.SSN, *match.span()
    for match in _SSN_BY_CUE.finditer(text):
        yield IdentifierKind.SSN, *match.span("hit")
    for match in _EMAIL.finditer(text):
        yield IdentifierKind.EMAIL, *match.span()
    for match in _WECHAT.finditer(text):
        if not _WORDS_OF_ENGLISH.fullmatch(match["hit"]) or _is_said(match):
            yield IdentifierKind.CHAT, *match.span("hit")
    for match in _QQ.finditer(text):
        yield IdentifierKind.CHAT, *match.span("hit")
    for pattern in (_MOBILE, _LANDLINE, _AMERICAN):
        for match in pattern.finditer(text):
            yield IdentifierKind.PHONE, *match.span()
    for match in _ABROAD.finditer(text):
        if len(bare(match[0])) > _LEAST_ABROAD:
            yield IdentifierKind.PHONE, *match.span()


def _is_said(match: re.Match[str]) -> bool:
    """Whether something says that a word is an account: “WeChat message” is none."""
    between = match.string[match.start() : match.start("hit")]
    return bool(re.search(r"号|是|为|叫|加|[:：=]|\bis\b|\bid\b", between, re.IGNORECASE))
