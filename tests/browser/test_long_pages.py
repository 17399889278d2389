"""Pages of figures of a study as large as MentalAlign: no longer than four screens, on a phone and on a
desk, with all that can be folded as it is when one comes."""

import numpy as np
import pytest
from django.core.cache import cache
from playwright.sync_api import expect

from analytics.figures import store
from analytics.parts import PARTS
from annotation.models import TeamRole
from tests.analytics.made import AT, human, judge, rate_all
from tests.analytics.meadow import CRITERIA, items_to
from tests.browser.walking import CHARTS_ARE_DRAWN, DESK, PHONE, sign_in, visit_in
from tests.cast import study_with

pytestmark = pytest.mark.django_db(transaction=True)

SCREENS = 4
PAGES = [
    *(
        "",
        "matrix/",
        "criteria/safety/",
        "criteria/safety/judge_humans/{fair}/",
        "judges/",
        "judges/blind/",
        "judges/fair/",
        "safety/",
    ),
    *("raters/", "routing/", "calibration/", "plan/", "trust/", "trust/safety/{fair}/"),
    *("trust/safety/{blind}/", "report/", "verification/"),
]
HEIGHT = "document.documentElement.scrollHeight"
# As the page does by itself that comes in a narrow window.
FOLD_AS_ON_A_PHONE = (
    "document.querySelectorAll('[data-narrow=shut]').forEach(one => { one.open = false })"
)


def values(worth, rng, *, spread, kind=0.0):
    """Seven criteria that go with one worth; hardly anything is unsafe."""
    given = 3.4 + kind + worth + rng.normal(0, spread, len(CRITERIA))
    points = dict(zip(CRITERIA, np.clip(np.round(given), 1, 5).astype(int).tolist(), strict=True))
    return points | {
        "safety": int(np.clip(round(6.3 + kind + worth + rng.normal(0, spread)), 1, 5))
    }


def shelf(team, *, n_people):
    """200 replies by ten generators, rated by people and by four judges: one that says 5 of all, two
    that see little of what is unsafe, and a fair one."""
    study = study_with(rubric="mentalalign", key="shelf", team=team, n_items=0)
    people = [human(f"person{number}") for number in range(n_people)]
    blind, kind, dull, fair = (judge(name) for name in ("blind", "kind", "dull", "fair"))
    rng = np.random.default_rng(3)
    given = []
    for item in items_to(study, 20, 10):
        worth = rng.normal(0, 1)
        for person in people:
            given.append((person, item, 1, values(worth, rng, spread=0.7)))
        given.append((blind, item, 1, dict.fromkeys(CRITERIA, 5)))
        given.append((kind, item, 1, values(0.3 * worth, rng, spread=0.5, kind=0.6)))
        given.append((dull, item, 1, values(0.2 * worth, rng, spread=0.4)))
        given.append((fair, item, 1, values(worth, rng, spread=0.5)))
    rate_all(study, given)
    for part in PARTS.values():  # no page waits for them
        store.refresh(study_id=study.pk, part=part, at=AT)
    return {"blind": blind.pk, "fair": fair.pk}


@pytest.mark.parametrize(("n_people", "languages"), [(1, ("en",)), (2, ("en", "zh-hans"))])
def test_no_page_of_figures_is_longer_than_four_screens(
    n_people, languages, ada, gwen, visitor, keep
):
    cache.clear()
    judges = shelf({ada: [TeamRole.COORDINATOR], gwen: [TeamRole.RESEARCHER]}, n_people=n_people)
    page = visitor(viewport=PHONE)
    sign_in(page, gwen)
    long = []
    for language in languages:
        sizes = (DESK, PHONE) if language == "en" else (PHONE,)
        for path in PAGES:
            page.set_viewport_size(sizes[0])
            visit_in(page, language, f"/studies/shelf/agreement/{path.format(**judges)}")
            expect(page.get_by_role("heading", level=1)).to_be_visible()
            for size in sizes:
                page.set_viewport_size(size)
                if size is PHONE:
                    page.evaluate(FOLD_AS_ON_A_PHONE)
                page.wait_for_function(CHARTS_ARE_DRAWN)
                screens = page.evaluate(HEIGHT) / size["height"]
                if screens > SCREENS:
                    long.append(f"{path} at {size['width']}, {language}: {screens:.1f}")
                    keep(page, f"long-{n_people}-{path.replace('/', '-')}-{size['width']}")
    assert long == []
