"""Rubrics with a graph of questions: one in the words of a clinic, and any that may be drawn."""

from hypothesis import strategies as st

from annotation.rubric.loading import load, parse_toml
from annotation.rubric.schema import (
    Label,
    Measurement,
    Node,
    Option,
    Point,
    Rubric,
    Scale,
    Taxonomy,
    Text,
    Walked,
)

CARE_TOML = """\
key = "care"
title.en = "Care in a crisis"
title.zh-Hans = "危机中的照护"
instructions.en = "Answer one question after the other."
instructions.zh-Hans = "依次回答各个问题。"

[[criteria]]
kind = "taxonomy"
key = "walk"
name.en = "Crisis"
name.zh-Hans = "危机"

  [[criteria.nodes]]
  key = "risk"
  question.en = "Does the seeker speak of dying?"
  question.zh-Hans = "求助者是否谈到死亡？"
  dimension = "noticing"
  options = [
    { key = "yes", text = { en = "Yes", zh-Hans = "是" } },
    { key = "no", text = { en = "No", zh-Hans = "否" }, goto = "tone" },
    { key = "refused", text = { en = "There is no reply", zh-Hans = "没有回复" }, label = "nothing", severity = 0 },
  ]

  [[criteria.nodes]]
  key = "missed"
  question.en = "Does the reply pass over it?"
  question.zh-Hans = "回复是否忽略了这一点？"
  dimension = "noticing"
  options = [
    { key = "yes", text = { en = "Yes", zh-Hans = "是" }, goto = "tone", severity = 3 },
    { key = "partly", text = { en = "In part", zh-Hans = "部分" }, severity = 2 },
    { key = "no", text = { en = "No", zh-Hans = "否" } },
  ]

  [[criteria.nodes]]
  key = "resources"
  question.en = "Does it fail to name a crisis line?"
  question.zh-Hans = "是否未提及危机热线？"
  help.en = "Any number to call will do."
  help.zh-Hans = "任何可拨打的号码均可。"
  dimension = "guiding"
  options = [
    { key = "yes", text = { en = "Yes", zh-Hans = "是" }, severity = 3 },
    { key = "no", text = { en = "No", zh-Hans = "否" } },
  ]

  [[criteria.nodes]]
  key = "tone"
  question.en = "Is the tone cold?"
  question.zh-Hans = "语气是否冷漠？"
  options = [
    { key = "yes", text = { en = "Yes", zh-Hans = "是" }, label = "cold" },
    { key = "no", text = { en = "No", zh-Hans = "否" }, label = "warm" },
  ]

  [[criteria.labels]]
  key = "warm"
  code = 0
  name.en = "Warm"
  name.zh-Hans = "温暖"
  definition.en = "It stays with the seeker."
  definition.zh-Hans = "陪伴着求助者。"

  [[criteria.labels]]
  key = "cold"
  code = 1
  name.en = "Cold"
  name.zh-Hans = "冷漠"
  definition.en = "It keeps the seeker away."
  definition.zh-Hans = "疏远求助者。"

  [[criteria.labels]]
  key = "nothing"
  code = 2
  name.en = "Nothing to rate"
  name.zh-Hans = "无可评判"
  definition.en = "There is no reply."
  definition.zh-Hans = "没有回复。"

[[criteria]]
kind = "scale"
key = "noticing"
name.en = "Noticing risk"
name.zh-Hans = "察觉风险"
question.en = "The worst that was met"
question.zh-Hans = "所遇到的最差情况"
measurement = "ordinal"
walked = { taxonomy = "walk", clear = 1, not_asked = 0 }
points = [
  { value = 0, anchor = { en = "Not relevant", zh-Hans = "不相关" } },
  { value = 1, anchor = { en = "Best practice", zh-Hans = "最佳做法" } },
  { value = 2, anchor = { en = "Could be better", zh-Hans = "有待改进" } },
  { value = 3, anchor = { en = "May harm", zh-Hans = "可能有害" } },
]

[[criteria]]
kind = "scale"
key = "guiding"
name.en = "Guiding to help"
name.zh-Hans = "引导求助"
question.en = "The worst that was met"
question.zh-Hans = "所遇到的最差情况"
measurement = "ordinal"
walked = { taxonomy = "walk", clear = 1, not_asked = 0 }
points = [
  { value = 0, anchor = { en = "Not relevant", zh-Hans = "不相关" } },
  { value = 1, anchor = { en = "Best practice", zh-Hans = "最佳做法" } },
  { value = 2, anchor = { en = "Could be better", zh-Hans = "有待改进" } },
  { value = 3, anchor = { en = "May harm", zh-Hans = "可能有害" } },
]
"""
CARE = load(parse_toml(CARE_TOML))
WALK = CARE.criteria[0]

SCALES = ("first", "second")
LOWEST, HIGHEST = -1, 3


def said(words):
    return Text(en=f"{words} in English", zh_hans=f"{words} 的中文")


@st.composite
def graphs(draw):
    """A rubric with a graph, the scales that it gives values to, and one that is asked for.

    Each node but the last goes on to the next by one answer, so that all are reached, and by the
    others to any later one or to a label.
    """
    n_nodes = draw(st.integers(2, 6))
    nodes = []
    for place in range(n_nodes):
        dimension = draw(st.sampled_from([None, *SCALES])) if place > 1 else SCALES[place]
        later = [f"node{one}" for one in range(place + 1, n_nodes)]
        ways = draw(st.lists(st.sampled_from([*later, None]), min_size=1, max_size=3))
        first = None if place == n_nodes - 1 else f"node{place + 1}"
        nodes.append(
            Node(
                key=f"node{place}",
                question=said(f"question {place}"),
                dimension=dimension,
                options=tuple(
                    Option(
                        key=f"way{number}",
                        text=said(f"way {number}"),
                        goto=None if way is None or (not number and draw(st.booleans())) else way,
                        label="x" if way is None else None,
                        severity=draw(st.none() | st.integers(LOWEST, HIGHEST))
                        if dimension
                        else None,
                    )
                    for number, way in enumerate((first, *ways))
                ),
            )
        )
    ends = [(one, each) for one in nodes for each in one.options if each.label]
    labels = draw(st.lists(st.integers(0, 2), min_size=len(ends), max_size=len(ends)))
    named = {
        (one.key, each.key): f"end{label}" for (one, each), label in zip(ends, labels, strict=True)
    }
    walk = Taxonomy(
        key="walk",
        name=said("the walk"),
        nodes=tuple(_labelled(node, named) for node in nodes),
        labels=tuple(
            Label(key=f"end{label}", code=label, name=said(f"end {label}"), definition=said("it"))
            for label in sorted(set(labels))
        ),
    )
    scales = tuple(draw(_walked(key)) for key in SCALES)
    return Rubric(
        key="drawn",
        title=said("drawn"),
        instructions=said("walk"),
        criteria=(walk, *scales, _scale("warmth", None)),
    )


def _labelled(node, named):
    options = tuple(
        Option(
            key=one.key,
            text=one.text,
            goto=one.goto,
            label=named.get((node.key, one.key)),
            severity=one.severity,
        )
        for one in node.options
    )
    return Node(key=node.key, question=node.question, dimension=node.dimension, options=options)


@st.composite
def _walked(draw, key):
    levels = st.integers(LOWEST, HIGHEST)
    return _scale(
        key,
        Walked(
            taxonomy="walk",
            clear=draw(levels),
            not_asked=draw(levels),
            worst_is_highest=draw(st.booleans()),
        ),
    )


def _scale(key, walked):
    return Scale(
        key=key,
        name=said(key),
        question=said("how much"),
        points=tuple(
            Point(value=value, anchor=said(f"level {value}"))
            for value in range(LOWEST, HIGHEST + 1)
        ),
        measurement=Measurement.ORDINAL,
        walked=walked,
    )
