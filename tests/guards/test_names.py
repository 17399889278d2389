"""One word for one thing: a class name is used once, or there is a reason for it."""

from bench.house import class_names, names_used_twice

# {name: why it stands in several places}
SAME_THING_TWICE = {
    "Outcome": "the plain words of the rules, and the same as the choices of a database column",
    "Rubric": "the engine's questions, and the row of the database that is named for them",
}


def test_a_class_name_is_used_once_or_says_why_not():
    assert len(class_names()) > 300, "the classes were not found"
    twice = names_used_twice()
    unexplained = {name: found for name, found in twice.items() if name not in SAME_THING_TWICE}
    assert not unexplained, f"Name these apart, or say here why not: {unexplained}"
    assert SAME_THING_TWICE.keys() <= twice.keys(), "a reason for what is not there"
