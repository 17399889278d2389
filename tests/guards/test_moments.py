"""A day is written in one form, and a sentence that ends in one ends in one full stop, whatever the
moment is."""

import re
from datetime import datetime

import pytest
from django.conf import settings
from django.utils.formats import date_format
from django.utils.translation import override

from config import translations

LANGUAGES = [language for language, _name in settings.LANGUAGES]
WITH_TIME = ("TIME_FORMAT", "DATETIME_FORMAT", "SHORT_DATETIME_FORMAT")
FORMATS = (*WITH_TIME, "DATE_FORMAT", "SHORT_DATE_FORMAT", "YEAR_MONTH_FORMAT", "MONTH_DAY_FORMAT")
MOMENTS = [
    datetime(2026, month, 9, hour, minute)  # noqa: DTZ001 -- as a page writes it, wherever it is
    for month in range(1, 13)
    for hour, minute in ((0, 0), (7, 57), (12, 0), (19, 5))
]
DAYS = {"en": "Nov. 9, 2026", "zh-hans": "2026年11月9日"}
FILLED_IN = re.compile(r"(%\(\w+\)s|\{\w+\})(?=[.。]$)")


def sentences_in(language):
    """All that end in something that is filled in."""
    for one in translations.catalogue():
        texts = one.id if language == "en" else one.string
        yield from filter(FILLED_IN.search, [texts] if isinstance(texts, str) else texts)


@pytest.mark.parametrize("language", LANGUAGES)
def test_sentences_end_in_one_full_stop(language):
    found = list(sentences_in(language))
    assert len(found) > 20, "the sentences were not found"
    with override(language):
        ends = {date_format(moment, name) for moment in MOMENTS for name in FORMATS}
    twice = {
        FILLED_IN.sub(end, sentence)
        for sentence in found
        for end in ends
        if end.endswith((".", "。"))
    }
    assert not sorted(twice)[:5]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", WITH_TIME)
def test_times_have_24_hours(language, name):
    with override(language):
        written = [date_format(moment, name) for moment in MOMENTS[:4]]
    assert [re.search(r"\d+:\d\d$", one)[0].zfill(5) for one in written] == [
        *("00:00", "07:57", "12:00", "19:05")
    ]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["DATE_FORMAT", "SHORT_DATE_FORMAT", *WITH_TIME[1:]])
def test_a_day_is_written_in_one_form_that_says_which_is_the_month(language, name):
    [morning] = [moment for moment in MOMENTS if (moment.month, moment.hour) == (11, 7)]
    with override(language):
        written = date_format(morning, name)
    assert written.removesuffix("07:57").rstrip(", ") == DAYS[language]
