"""Trends and the matrix of pairs, as text."""

import re
from datetime import date

import pytest

from analytics.present.charts import heatmap, trends
from analytics.present.charts.heatmap import Cell
from analytics.present.charts.trends import Moment

WEEKS = [date(2026, 3, 2), date(2026, 3, 9), date(2026, 3, 16)]


def moments(*values):
    return [
        Moment(at=at, value=value, low=value - 0.2, high=value + 0.2)
        for at, value in zip(WEEKS, values, strict=False)
    ]


class TestTrends:
    def test_a_later_week_lies_further_right_and_a_higher_value_higher(self):
        frame = trends.frame_for(moments(0.0, 0.5, 1.0))
        assert [frame.across(at) for at in WEEKS] == sorted(map(frame.across, WEEKS))
        assert frame.down(1.0) < frame.down(0.5) < frame.down(0.0)

    def test_the_frame_holds_intervals_and_the_level(self):
        frame = trends.frame_for(moments(0.5, 0.9), around=0.0)
        assert frame.low < 0
        assert frame.high > 1.1

    @pytest.mark.parametrize("values", [(0.0, 0.1), (-2.0, 2.0), (0.2, 0.8), (-0.3, 4.0)])
    def test_few_round_ticks_are_named_and_zero_is_one(self, values):
        found = trends.ticks(trends.frame_for(moments(*values), around=0.0))
        assert 2 <= len(found) <= 5
        assert 0.0 in found

    def test_it_says_what_it_shows(self):
        drawn = trends.trend(
            moments(0.1, 0.2, 0.4),
            trends.frame_for(moments(0.1, 0.2, 0.4), around=0.0),
            says="Ben <b>: up",
            days=("2 March", "16 March"),
            around=0.0,
        )
        assert 'role="img" aria-label="Ben &lt;b&gt;: up"' in drawn
        assert drawn.count('class="trend__mark"') == 3
        assert drawn.count("trend__whisker") == 3
        assert "trend__level" in drawn
        assert "2 March" in drawn
        assert "16 March" in drawn

    def test_without_an_interval_the_mark_is_open(self):
        alone = [Moment(at=WEEKS[0], value=0.3)]
        drawn = trends.trend(alone, trends.frame_for(alone), says="", days=("a", "a"))
        assert "trend__mark--open" in drawn
        assert "trend__whisker" not in drawn
        assert drawn.count(">a</text>") == 1


class TestMatrixOfPairs:
    def drawn(self, *cells, names=("Ben", "Cleo")):
        return heatmap.triangle(names, dict(cells), says="All pairs")

    def cell(self, value, words="0.50"):
        return Cell(value=value, words=words, n="n 60", says=f"Ben and Cleo: {words}, 0.4 to 0.6")

    def test_a_cell_says_its_number_its_n_and_its_interval(self):
        drawn = self.drawn(((1, 0), self.cell(0.5)))
        assert "<title>Ben and Cleo: 0.50, 0.4 to 0.6</title>" in drawn
        assert ">0.50</text>" in drawn
        assert ">n 60</text>" in drawn
        assert 'aria-label="All pairs"' in drawn

    @pytest.mark.parametrize(
        ("value", "shade"),
        [(None, "none"), (-0.4, "0"), (0.0, "0"), (0.1, "1"), (0.59, "3"), (0.8, "5"), (1.0, "5")],
    )
    def test_its_shade_goes_by_its_value(self, value, shade):
        assert f'class="heat__cell heat__cell--{shade}"' in self.drawn(((1, 0), self.cell(value)))

    def test_the_diagonal_is_marked(self):
        assert "heat__cell--self" in self.drawn(((0, 0), self.cell(0.7)))

    def test_long_names_are_cut_and_chinese_ones_get_room(self):
        long = self.drawn(names=("N" * 60, "Cleo"))
        assert "N" * 25 + "…" in long
        wide, narrow = self.drawn(names=("王小明老师",)), self.drawn(names=("Wangx",))
        assert width(wide) > width(narrow)


def width(drawn) -> float:
    return float(re.search(r'width="([\d.]+)"', drawn).group(1))
