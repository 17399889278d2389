"""Self-preference: own family against others, the judge against its peers."""

import numpy as np
import pytest

from analytics.stats.estimates import Note
from analytics.stats.preference import self_preference

NAN = np.nan


def rated(preference, seed=1, n_dialogues=60, n_sources=5):
    """Source 0 is the judge's own; all judges overrate source 0 by 0.5."""
    rng = np.random.default_rng(seed)
    dialogues = np.repeat(np.arange(n_dialogues), n_sources)
    own = np.tile(np.arange(n_sources) == 0, n_dialogues)
    human = rng.normal(3, 1, own.size)
    judge = human + 0.3 + (0.5 + preference) * own + rng.normal(0, 0.4, own.size)
    peers = human[:, None] + 0.5 * own[:, None] + rng.normal(0, 0.4, (own.size, 3))
    return judge, peers, human, own, dialogues


@pytest.mark.parametrize("preference", [0, 0.4])
def test_only_what_peers_do_not_share_is_preference(preference):
    judge, peers, human, own, dialogues = rated(preference)
    found = self_preference(judge, peers, human, own=own, clusters=dialogues)
    assert found["own_gap"].low < 0.5 + preference < found["own_gap"].high
    assert found["peers_gap"].low < 0.5 < found["peers_gap"].high
    assert found["self_preference"].low < preference < found["self_preference"].high
    assert (found["self_preference"].low > 0) == (preference > 0)


def test_they_are_differences_of_means():
    judge, peers, human, own, dialogues = rated(0.2, seed=4)
    human[:4], judge[10], peers[20] = NAN, NAN, NAN
    peers[30, :2] = NAN
    found = self_preference(judge, peers, human, own=own, clusters=dialogues)
    used = np.isfinite(judge) & np.isfinite(human) & np.isfinite(peers).any(axis=1)
    mean = np.nanmean(peers[used], axis=1)
    mine = own[used]

    def gap(rater):
        apart = rater - human[used]
        return apart[mine].mean() - apart[~mine].mean()

    assert found["own_gap"].value == pytest.approx(gap(judge[used]))
    assert found["peers_gap"].value == pytest.approx(gap(mean))
    assert found["self_preference"].value == pytest.approx(gap(judge[used]) - gap(mean))
    assert found["self_preference"].n_items == used.sum()
    assert found["self_preference"].n_raters == 5


def test_a_judge_without_replies_of_its_family_has_no_preference_to_show():
    judge, peers, human, own, _ = rated(0)
    found = self_preference(judge, peers, human, own=np.zeros_like(own))["self_preference"]
    assert (found.value, found.note) == (None, Note.NOTHING_TO_DIVIDE)


def test_without_peers_there_is_nothing_to_compare():
    judge, peers, human, own, _ = rated(0)
    found = self_preference(judge, peers[:, :0], human, own=own)["self_preference"]
    assert (found.value, found.note) == (None, Note.NO_OVERLAP)
    with pytest.raises(ValueError, match="items by judges"):
        self_preference(judge, judge, human, own=own)


def test_of_two_released_judges_one_prefers_its_family(mentalalign):
    for judge, peer, own, prefers in (
        ("claude", "gpt_4o", "claude", True),
        ("gpt_4o", "claude", "gpt4o", False),
    ):
        human, said, dialogues, sources = mentalalign.pair(judge, "Helpfulness", clean=True)
        others = mentalalign.pair(peer, "Helpfulness", clean=True)[1][:, None]
        found = self_preference(said, others, human, own=sources == own, clusters=dialogues)[
            "self_preference"
        ]
        assert (found.low > 0) is prefers
        assert (found.high < 0) is not prefers


def test_only_peers_who_rated_such_replies_are_counted():
    judge, peers, human, own, _ = rated(0.2)
    peers[:, 2] = NAN
    assert self_preference(judge, peers, human, own=own)["self_preference"].n_raters == 4
