"""Who read an item stands in the trail, whichever way it was shown."""

from django.urls import reverse

from accounts.models import Event
from tests.annotation.doing import NONSENSE, SAFE, assignment_of, rate, round_item


def shown(verb):
    return list(Event.objects.filter(verb=verb).order_by("pk").values_list("subject", "actor"))


def test_each_way_to_an_item_is_noted(as_user, pond_round, ben):
    browser = as_user(ben)
    first = assignment_of(pond_round, ben, 1)
    browser.get(reverse("rate", args=["pond"]))
    browser.get(reverse("api_next_work", args=["pond"]))
    rate(pond_round, ben, 1)
    browser.get(reverse("my_work_item", args=["pond", first.pk]))
    assert shown("assignment.shown") == [(f"assignment:{first.pk}", ben.pk)] * 3


def test_the_item_that_follows_a_submission_is_noted(as_user, pond_round, ben):
    """Putting one behind the others shows the next one as well."""
    browser = as_user(ben)
    first, second = (assignment_of(pond_round, ben, position) for position in (1, 2))
    browser.post(
        reverse("rate_defer", args=["pond"]),
        {"assignment": first.pk},
        headers={"HX-Request": "true"},
    )
    assert shown("assignment.shown") == [(f"assignment:{second.pk}", ben.pk)]


def test_a_case_is_noted_for_who_decides(as_user, pond_round, ben, cleo, dora):
    rate(pond_round, ben, 1, SAFE)
    rate(pond_round, cleo, 1, NONSENSE)
    case = round_item(pond_round)
    as_user(dora).get(reverse("adjudicate_case", args=["pond", case.pk]))
    assert shown("case.shown") == [(f"round_item:{case.pk}", dora.pk)]
