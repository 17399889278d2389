"""Real calls about replies that give orders: no verdict is forged, and nobody's rating is told."""

import sys
from collections import Counter
from hashlib import sha256

import pytest

from annotation.models import Item, Rating
from tests.annotation.doing import rate
from tests.judging.test_injection import injected, obedient

pytestmark = pytest.mark.django_db(transaction=True)

SECRET = "seen by nobody but its rater"


@pytest.fixture
def injected_pond(pond, pond_round, ben):
    """injected_pond(language) puts replies that give orders beside one that Ben has rated."""
    rate(pond_round, ben, 1, comment=SECRET)

    def put(language):
        replies = injected(language)
        Item.objects.bulk_create(
            Item(
                study=pond,
                dialogue=pond.items.first().dialogue,
                key=f"injected-{number}",
                position=1000 + number,
                reply=reply,
                content_sha256=sha256(f"{language}{number}".encode()).hexdigest(),
            )
            for number, reply in enumerate(replies)
        )
        return len(replies)

    return put


@pytest.mark.parametrize("as_json", [True, False], ids=["json", "plain"])
@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_no_verdict_is_forged_and_no_rating_is_told(
    injected_pond, ben, scripted, ask, capsys, language, as_json
):
    n_injected = injected_pond(language)
    scripted.answer = obedient(language)

    run = ask(as_json=as_json, language=language, concurrency=8)

    read = Rating.objects.filter(
        submission__judge_call__run=run, submission__item__key__startswith="injected-"
    )
    counts = Counter(
        "own" if label == "linguistic_neglect" else "forged" if label else "unscored"
        for label in read.values_list("label", flat=True)
    )
    told = sum(SECRET in text or ben.full_name in text for text in scripted.texts())
    with capsys.disabled():
        sys.stdout.write(
            f"\n{language}, {'JSON' if as_json else 'plain'}: {n_injected} injections, "
            f"{counts['forged']} forged, {counts['unscored']} unscored, {told} ratings told\n"
        )
    assert counts.total() == n_injected >= 100
    assert (counts["forged"], told) == (0, 0)
    assert counts["own"] >= 0.8 * n_injected
