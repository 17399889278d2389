"""Items are set aside from figures with a reason, come back, and the history stays."""

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from accounts.models import Event
from annotation.actions import quarantine
from annotation.actions.quarantine import CannotQuarantine
from annotation.models import Quarantine, RoundItem
from annotation.queries.rounds import n_fresh_items
from annotation.rules.lifecycle import ItemState
from tests.annotation.doing import opened, rate, rate_and_close, state_of


def set_aside(study, by, key="d1.1", reason=" The reply is\x00 missing."):
    return quarantine.quarantine(
        study_id=study.pk, item_key=key, reason=reason, by=by, at=timezone.now()
    )


def lift(study, by, made):
    return quarantine.lift(study_id=study.pk, quarantine_id=made.pk, by=by, at=timezone.now())


def revision(study):
    study.refresh_from_db()
    return study.revision


class TestActions:
    def test_an_item_is_set_aside_and_figures_are_told(self, pond, ada):
        before = revision(pond)
        made = set_aside(pond, ada)
        assert (made.item.key, made.reason, made.quarantined_by) == (
            "d1.1",
            "The reply is missing.",
            ada,
        )
        assert revision(pond) == before + 1
        event = Event.objects.get(verb="item.quarantined")
        assert (event.actor, event.subject) == (ada, f"item:{made.item_id}")

    def test_an_item_comes_back_and_may_be_set_aside_again(self, pond, ada):
        first = set_aside(pond, ada)
        before = revision(pond)
        lift(pond, ada, first)
        assert revision(pond) == before + 1
        assert Event.objects.filter(verb="item.quarantine_lifted").count() == 1
        set_aside(pond, ada, reason="It is missing after all.")
        kept = Quarantine.objects.order_by("pk")
        assert [one.lifted_by for one in kept] == [ada, None]

    @pytest.mark.parametrize(
        ("key", "reason", "words"),
        [
            ("d9.1", "Missing.", "The study has no item “d9.1”."),
            ("d1.1", "  ", "Say why the item is set aside."),
            ("d2.1", "Missing.", "The item “d2.1” is set aside already."),
        ],
    )
    def test_what_cannot_be_set_aside_is_said(self, pond, ada, key, reason, words):
        set_aside(pond, ada, key="d2.1")
        before = revision(pond)
        with pytest.raises(CannotQuarantine) as refusal:
            set_aside(pond, ada, key=key, reason=reason)
        assert str(refusal.value) == words
        assert revision(pond) == before

    def test_a_quarantine_is_lifted_once_and_in_its_own_study(self, pond, ada):
        made = set_aside(pond, ada)
        with pytest.raises(CannotQuarantine):
            quarantine.lift(study_id=pond.pk + 1, quarantine_id=made.pk, by=ada, at=timezone.now())
        lift(pond, ada, made)
        with pytest.raises(CannotQuarantine):
            lift(pond, ada, made)

    @pytest.mark.parametrize(
        "change",
        [
            lambda one: Quarantine.objects.filter(pk=one.pk).update(reason="Another."),
            lambda one: Quarantine.objects.filter(pk=one.pk).delete(),
            lambda one: Quarantine.objects.filter(pk=one.pk).update(lifted_at=timezone.now()),
            lambda one: Quarantine.objects.create(
                item=one.item, reason="Twice.", quarantined_at=timezone.now()
            ),
        ],
        ids=["its reason", "its row", "half of a lift", "a second one"],
    )
    def test_the_database_keeps_the_history(self, pond, ada, change):
        made = set_aside(pond, ada)
        with pytest.raises(IntegrityError), transaction.atomic():
            change(made)


class TestRounds:
    def test_a_new_round_leaves_out_what_is_set_aside(self, pond, ada, ben, cleo):
        made = set_aside(pond, ada)
        assert n_fresh_items(pond) == 5
        rating_round = opened(pond, ada, [ben, cleo])
        assert not RoundItem.objects.filter(round=rating_round, item=made.item).exists()
        lift(pond, ada, made)
        assert n_fresh_items(pond) == 1

    def test_a_round_is_rated_again_without_what_is_set_aside(self, pond_round, ada, ben, cleo):
        before = rate_and_close(pond_round, [ben, cleo], ada, kappa=0.1)
        made = set_aside(before.study, ada)
        again = opened(before.study, ada, [ben, cleo], re_review_of=before.pk)
        items = set(again.round_items.values_list("item", flat=True))
        assert items == set(before.round_items.values_list("item", flat=True)) - {made.item_id}

    def test_a_round_that_has_the_item_goes_on_with_it(self, pond_round, ada, ben, cleo):
        for position in range(1, 7):
            set_aside(pond_round.study, ada, key=f"d{position}.1")
        rate(pond_round, ben, 1)
        rate(pond_round, cleo, 1)
        assert state_of(pond_round, 1) is ItemState.AGREED


class TestPages:
    def test_a_coordinator_sets_an_item_aside_and_lets_it_count_again(self, pond, ada, as_user):
        browser = as_user(ada)
        address = reverse("quarantine", args=["pond"])
        assert "Every item counts" in browser.get(address).text

        page = browser.post(address, {"item": "d3.1", "reason": "Cut off."}, follow=True)
        assert "1 item is set aside now." in page.text
        assert "Cut off." in page.text

        made = Quarantine.objects.get()
        page = browser.post(reverse("quarantine_lift", args=["pond", made.pk]), follow=True)
        assert "0 items are set aside now." in page.text
        assert "counts again" in page.text

    def test_what_is_wrong_is_said_beside_the_field(self, pond, ada, as_user):
        page = as_user(ada).post(
            reverse("quarantine", args=["pond"]), {"item": "d9.1", "reason": "Cut off."}
        )
        assert page.status_code == 422
        assert "The study has no item “d9.1”." in page.text

    def test_who_lifts_too_late_is_told(self, pond, ada, as_user):
        made = set_aside(pond, ada)
        lift(pond, ada, made)
        page = as_user(ada).post(reverse("quarantine_lift", args=["pond", made.pk]), follow=True)
        assert "The item counts in figures already." in page.text

    def test_a_researcher_reads_and_changes_nothing(self, pond, ada, gwen, as_user):
        made = set_aside(pond, ada)
        browser = as_user(gwen)
        page = browser.get(reverse("quarantine", args=["pond"]))
        assert "The reply is missing." in page.text
        assert "Set it aside" not in page.text
        assert browser.post(page.request["PATH_INFO"], {"item": "d2.1"}).status_code == 403
        lifting = reverse("quarantine_lift", args=["pond", made.pk])
        assert browser.post(lifting).status_code == 403

    def test_an_annotator_does_not_see_it(self, pond, ben, as_user):
        assert as_user(ben).get(reverse("quarantine", args=["pond"])).status_code == 403

    def test_an_item_that_somebody_looks_at_can_be_set_aside(self, pond, ada, as_user):
        browser = as_user(ada)
        item = pond.items.get(key="d4.1")
        looked_at = reverse("agreement_item", args=["pond", item.pk])
        link = f"{reverse('quarantine', args=['pond'])}?item=d4.1#one-more"
        assert link in browser.get(looked_at).text
        assert 'value="d4.1"' in browser.get(link).text
        set_aside(pond, ada, key="d4.1")
        page = browser.get(looked_at).text
        assert "figures leave it out by default: The reply is missing." in page
        assert link not in page
        assert looked_at in browser.get(reverse("quarantine", args=["pond"])).text
