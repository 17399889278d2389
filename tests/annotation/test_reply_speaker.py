"""A reply stands on the side of who is meant to say it."""

import pytest

from annotation.models import Item


@pytest.mark.parametrize(("speaker", "name"), [("supporter", "Supporter"), ("seeker", "Seeker")])
def test_a_reply_is_shown_in_the_part_it_plays(pond, pond_round, ben, as_user, speaker, name):
    Item.objects.filter(study=pond).update(reply_speaker=speaker)
    page = as_user(ben).get("/studies/pond/rate/").content.decode()
    assert f"{name} · the reply to judge" in page
    assert f"turn turn--{speaker} turn--judged" in page
