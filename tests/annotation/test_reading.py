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


def listed(verb):
    return list(Event.objects.filter(verb=verb).values_list("actor", "subject", "facts"))


def test_the_queue_of_cases_names_those_on_its_page(as_user, pond_round, ben, cleo, dora):
    of_pond = f"study:{pond_round.study_id}"
    browser = as_user(dora)
    browser.get(reverse("adjudicate", args=["pond"]))
    assert listed("items.listed") == [], "of an empty page there is nothing to tell"
    for position, answer in ((1, NONSENSE), (2, SAFE), (3, NONSENSE)):
        rate(pond_round, ben, position, SAFE)
        rate(pond_round, cleo, position, answer)
    browser.get(reverse("adjudicate", args=["pond"]))
    items = sorted(round_item(pond_round, position).item_id for position in (1, 3))
    assert listed("items.listed") == [(dora.pk, of_pond, {"items": items})]


def test_a_list_of_own_work_names_assignments(as_user, pond_round, ben):
    """Not items: an auditor who annotates would see what came back."""
    rate(pond_round, ben, 1)
    as_user(ben).get(reverse("my_work", args=["pond"]))
    own = [assignment_of(pond_round, ben, 1).pk]
    of_pond = f"study:{pond_round.study_id}"
    assert listed("work.listed") == [(ben.pk, of_pond, {"assignments": own})]


def test_lists_of_items_name_those_that_they_tell(as_user, pond, ada):
    browser, of_pond = as_user(ada), f"study:{pond.pk}"
    items = sorted(pond.items.values_list("pk", flat=True))
    browser.get(reverse("items", args=["pond"]))
    browser.get(reverse("api_items", args=["pond"]), {"limit": 2})
    told = [(ada.pk, of_pond, {"items": found}) for found in (items, items[:2])]
    assert listed("items.named") == told


def test_what_is_shown_once_more_is_noted_once_more(as_user, pond_round, ben):
    first = assignment_of(pond_round, ben, 1)
    sent = {"assignment": first.pk, "key": "6f1c2b1e-1111-4222-8333-abcdefabcdef"}
    answer = as_user(ben).post(reverse("rate", args=["pond"]), sent)
    assert answer.status_code == 422
    assert shown("assignment.shown") == [(f"assignment:{first.pk}", ben.pk)]
