"""Two people import the same file at the same moment."""

import pytest
from django.utils import timezone

from annotation.actions.imports.items import import_items
from annotation.actions.imports.raters import RaterGiven
from annotation.actions.imports.ratings import import_ratings
from annotation.models import Submission
from tests.services import together


@pytest.mark.django_db(transaction=True)
def test_one_of_them_imports_and_the_other_finds_nothing_new(pond, put):
    rows = "".join(f"k{n},[seeker]Hi {n},Ho {n}\n" for n in range(300))
    items = put("items.csv", "key,dialogue,reply\n" + rows)
    now = timezone.now()
    first, second = together(
        *[lambda: import_items(study_id=pond.pk, source=items, by=None, at=now)] * 2
    )
    assert sorted([first.new, second.new]) == [0, 300]
    assert sorted([first.unchanged, second.unchanged]) == [0, 300]

    given = "".join(f"k{n},safety,7\n" for n in range(300))
    ratings = put("r.csv", "item,criterion,value\n" + given)
    rater = RaterGiven(key="zoe")
    first, second = together(
        *[lambda: import_ratings(study_id=pond.pk, source=ratings, rater=rater, by=None, at=now)]
        * 2
    )
    assert sorted([first.new, second.new]) == [0, 300]
    assert Submission.objects.count() == 300
