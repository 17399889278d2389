"""What holds for every rubric and every raw value, not only for the shipped ones."""

import json
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.rubric.answers import Answer, Problem, read, read_all
from annotation.rubric.derived import derived
from annotation.rubric.loading import RubricError, dump, load, shipped
from annotation.rubric.schema import (
    Flag,
    Group,
    Label,
    Measurement,
    Node,
    Option,
    Point,
    Rubric,
    Scale,
    Taxonomy,
    Text,
)
from annotation.rubric.taxonomy import (
    label_of,
    path_to,
    problem_with,
    reachable,
)
from annotation.rubric.versions import breaking_changes, fingerprint
from annotation.rules.disagreement import parting_node

SHIPPED = [load(definition) for definition in shipped().values()]

words = st.sampled_from(
    ["Is it clear?", " two lines\n", "{braces}", "%s", "“说的正是我”", "0", "＃"]
)
texts = st.builds(Text, en=words, zh_hans=words)
# More than a letter, so that no key reads like one of the names below.
keys = st.from_regex(r"[a-z][a-z0-9]{1,8}", fullmatch=True)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


def name(text):
    """Names must differ from each other, so they are made of the keys."""
    return Text(en=f"{text} in English", zh_hans=f"{text} 的中文")


@st.composite
def taxonomies(draw):
    n_nodes = draw(st.integers(1, 4))
    endings = [draw(st.integers(1, 3)) for _ in range(n_nodes - 1)] + [draw(st.integers(2, 4))]
    label_keys = draw(st.lists(keys, min_size=sum(endings), max_size=sum(endings), unique=True))
    remaining = iter(label_keys)
    nodes = []
    for position, ends in enumerate(endings):
        options = [Option(key=key, text=name(key), label=key) for key in islice(remaining, ends)]
        if position < n_nodes - 1:
            options.insert(draw(st.integers(0, ends)), Option(key="go_on", text=name("go on")))
        nodes.append(
            Node(
                key=f"node{position}",
                question=draw(texts),
                help=draw(texts),
                options=tuple(options),
            )
        )
    labels = [
        Label(key=key, code=code, name=name(key), definition=draw(texts))
        for code, key in enumerate(draw(st.permutations(label_keys)))
    ]
    return Taxonomy(key=draw(keys), name=draw(texts), nodes=tuple(nodes), labels=tuple(labels))


@st.composite
def scales(draw):
    measurement = draw(st.sampled_from([Measurement.ORDINAL, Measurement.BINARY]))
    first, n_points = 0, 2
    if measurement is Measurement.ORDINAL:
        first, n_points = draw(st.integers(-3, 3)), draw(st.integers(2, 10))
    return Scale(
        key=draw(keys),
        name=draw(texts),
        question=draw(texts),
        points=tuple(Point(value=first + i, anchor=draw(texts)) for i in range(n_points)),
        measurement=measurement,
        adjudicate_from_gap=draw(st.integers(1, n_points - 1)),
    )


@st.composite
def flags(draw, criterion):
    """One that is up at some answers and down at others."""
    if isinstance(criterion, Taxonomy):
        *some, _last = [label.key for label in criterion.labels]
        return Flag(criterion=criterion.key, labels=tuple(some))
    level = draw(st.sampled_from(criterion.values[1:]))
    if draw(st.booleans()):
        return Flag(criterion=criterion.key, at_least=level)
    return Flag(criterion=criterion.key, at_most=level - 1)


@st.composite
def rubrics(draw):
    criteria = draw(
        st.lists(taxonomies() | scales(), min_size=1, max_size=3, unique_by=lambda one: one.key)
    )
    members = tuple(one.key for one in criteria if isinstance(one, Scale))
    summary = draw(st.sampled_from(["mean", "sum"]))
    groups = [Group(key="all_scales", name=draw(texts), criteria=members, summary=summary)]
    found = tuple(draw(flags(criterion)) for criterion in criteria)
    groups.append(
        Group(
            key="all_flags",
            name=draw(texts),
            criteria=tuple(flag.criterion for flag in found),
            summary="any",
            flags=found,
        )
    )
    return Rubric(
        key=draw(keys),
        title=draw(texts),
        instructions=draw(texts),
        criteria=tuple(criteria),
        groups=tuple(groups) if members else tuple(groups[1:]),
    )


@given(rubrics())
def test_a_rubric_survives_json(rubric):
    definition = json.loads(json.dumps(dump(rubric)))
    again = load(definition)
    assert again == rubric
    assert fingerprint(definition) == fingerprint(dump(again))
    assert breaking_changes(rubric, again) == ()


@given(taxonomies())
def test_every_labels_path_is_valid_and_no_proper_prefix_is(taxonomy):
    for label in taxonomy.labels:
        path = path_to(taxonomy, label.key)
        assert problem_with(taxonomy, path) is None
        assert label_of(taxonomy, path) == label.key
        assert all(problem_with(taxonomy, path[:length]) for length in range(len(path)))
        assert reachable(taxonomy, dict(path)).dropped == ()


@given(taxonomies())
def test_a_label_is_read_from_its_key_code_names_and_path(taxonomy):
    for label in taxonomy.labels:
        answer = Answer(criterion=taxonomy.key, label=label.key)
        assert read(taxonomy, label.key) == answer
        assert read(taxonomy, label.code) == answer
        assert read(taxonomy, label.name.in_("en").upper()) == answer
        assert read(taxonomy, f"“{label.name.in_('zh-hans')}”。") == answer
        assert read(taxonomy, dict(path_to(taxonomy, label.key))) == answer


@given(taxonomies())
def test_two_paths_agree_up_to_where_they_part(taxonomy):
    for one in taxonomy.labels:
        for other in taxonomy.labels:
            ends = [Answer(criterion=taxonomy.key, label=label.key) for label in (one, other)]
            depth = parting_node(taxonomy, ends)
            assert (depth is None) == (one is other)
            shared = path_to(taxonomy, one.key)[:depth]
            assert shared == path_to(taxonomy, other.key)[:depth]


@given(taxonomies(), st.data())
def test_a_walk_keeps_or_drops_every_answer(taxonomy, data):
    options = st.sampled_from([option.key for node in taxonomy.nodes for option in node.options])
    nodes = st.sampled_from([node.key for node in taxonomy.nodes])
    answers = data.draw(st.dictionaries(nodes | keys, options | keys))
    walk = reachable(taxonomy, answers)
    assert {key for key, _ in walk.path} | set(walk.dropped) == answers.keys()
    assert (walk.label is None) == (walk.in_view is not None)
    if walk.label:
        assert walk.path == path_to(taxonomy, walk.label)


@given(st.sampled_from(SHIPPED), json_values)
def test_reading_never_fails_and_gives_an_answer_or_a_problem(rubric, raw):
    for criterion in rubric.criteria:
        result = read(criterion, raw)
        if isinstance(result, Answer):
            assert (result.label is None) != (result.score is None)
        else:
            assert isinstance(result, Problem)
            assert result.sentence


@given(st.sampled_from(SHIPPED), st.data())
def test_a_reading_accounts_for_every_criterion_and_every_key(rubric, data):
    known = st.sampled_from([criterion.key for criterion in rubric.criteria])
    raw = data.draw(st.dictionaries(known | st.text(), json_values))
    reading = read_all(rubric, raw)
    accounted = [one.criterion for one in (*reading.answers, *reading.problems)]
    assert sorted(accounted) == sorted(
        {criterion.key for criterion in rubric.criteria} | raw.keys()
    )
    for group in rubric.groups:
        is_complete = set(group.criteria) <= {answer.criterion for answer in reading.answers}
        assert (derived(rubric, reading.answers)[group.key] is not None) == is_complete


@given(st.dictionaries(st.sampled_from(["key", "title", "criteria", "groups"]), json_values))
def test_a_broken_definition_is_refused_in_sentences(definition):
    with pytest.raises(RubricError) as refusal:
        load(definition)
    assert "instructions is missing." in refusal.value.problems
