"""What answers in other languages call a score, "out of" and points, written in English.

The names of criteria and labels are a rubric's own, in whatever languages it has. Yes and no stand
with the other words for them, in `judging.parsing.polar`.
"""

import re

_SCORES = (
    r"bewertung|punktzahl|wertung|gesamtnote|puntuaci[oó]n|calificaci[oó]n|valoraci[oó]n|puntaje|punteggio|valutazione|voto"
    r"|pontua[cç][aã]o|avalia[cç][aã]o|nota|note finale|beoordeling|cijfer|vurdering|betyg|ocena|wynik|puan|skor|điểm(?: số)?"
    r"|оценка|балл|оцінка|評価|評点|点数|スコア|점수|평점|평가|التقييم|الدرجة|ציון"
)
_OUT_OF = r"von|de|sur|su|di|из|van|av|af|z|trên"
_POINTS = r"punkte?n?|puntos?|punti|pontos?|punten|poäng|punktów|балл(?:а|ов)?|점|điểm"
_HEAD = re.compile(  # "Bewertung: 4", and "Note : 4/5", which in English leads to a remark
    rf"(?im)^(?P<before>[\W_]*)(?:(?:{_SCORES})(?=[\W_]*\d)|note(?=[\s*_]*:[\s*_]*\d\s*(?:/|sur)\s*\d{{1,2}}[\s*_]*(?:$|[.,;(–—-])))[ \t*_]*[:：=][ \t*_]*"
    rf"(?=\d{{1,2}}(?:[.,]\d)?[*_]*\s*(?:$|[.,;/(–—-]|(?:{_OUT_OF})\s+\d| points))"
)
_TOP = re.compile(rf"(?i)(?<=\d)\s+(?:{_OUT_OF})\s+(?=\d{{1,2}}(?!\d))")
_COUNTED = re.compile(rf"(?i)(?<=\d)\s*(?:(?:{_POINTS})(?![^\W\d_])|점(?:입니다|이다|이에요|을|$))")
_LABEL = re.compile(  # "La etiqueta es", "Das Label lautet:", "選択ラベル:"
    r"(?im)^(?P<before>[\W_]*)(?:(?:la|l'|il|das|die|o|le)[ \t]*)?(?:etiqueta|étiquette|etichetta|rótulo|label(?=[ \t]+(?:lautet|ist)\b)|kategorie|catégorie|categoría|categoria|метка|категория|(?:選択)?ラベル|라벨|레이블)"
    r"(?:[ \t]*[:：=][ \t]*|[ \t]+(?:es|est|è|é|ist|lautet)\b[ \t]*[:：]?[ \t]*)(?=[*_\"“]*[^\W\d])(?![^\n]*\b(?:si|wenn|falls|если)\b)"
)
_JAPANESE = re.compile(r"[\u3040-\u30ff]")
_GIVES = re.compile(
    r"(?i)\b(?:je (?:donne|mets|donnerais)|j'attribue|ich (?:gebe|vergebe|würde)|(?:le )?(?:doy|dar[ií]a)|dou|daria|ik geef|do(?= un ))\b (?:un[ea]? |ein[en]? |een )?(?=\d)"
)


def in_english(text: str) -> str:
    """The same text with what heads, tops and counts a score in English."""
    if _JAPANESE.search(text):
        text = re.sub(r"(\d{1,2})点満点[中で]?\s*(\d{1,2})点", r"\2/\1点", text)
        text = re.sub(r"(?<=\d)点(?:です|でした|だ)?", " points", text)
    text = _COUNTED.sub(" points", _TOP.sub("/", text))
    text = _LABEL.sub(r"\g<before>Label: ", text)
    return _GIVES.sub("I give ", _HEAD.sub(r"\g<before>Score: ", text))
