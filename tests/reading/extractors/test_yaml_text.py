"""Values in quotes and brackets that run over several lines: what they mean, and what they cost."""

from __future__ import annotations

import pytest

from citeproof.reading.extractors.records import yaml_text
from tests.growth import grows_linearly
from tests.soak import choose_cases

SEVERAL = [
    # text, value
    ("a: [x,\n  y]\nb: c", {"a": ["x", "y"], "b": "c"}),
    ("a: [x,\n  y\n]\nb: c", {"a": ["x", "y"], "b": "c"}),
    ("a: [x,\n\n  # why\n  y]", {"a": ["x", "y"]}),
    ("a: [[x],\n  [y]]", {"a": [["x"], ["y"]]}),
    ("a: ['[',\n  y]", {"a": ["[", "y"]}),
    ("a: ['x\n  ]', y]", {"a": ["x ]", "y"]}),
    ('a: "x\n  y"\nb: c', {"a": "x y", "b": "c"}),
    ('a: "x \\"\n  y"\nb: c', {"a": 'x " y', "b": "c"}),
    ('a: "x \\\n  y"', {"a": "x  y"}),
    ('a: "x \\\\"\nb: c', {"a": "x \\", "b": "c"}),
    ("a: 'it''s\n  y'\nb: c", {"a": "it's y", "b": "c"}),
    ("a: '''\n  ''y'\nb: c", {"a": "' 'y", "b": "c"}),
    ("a: ''\nb: c", {"a": "", "b": "c"}),
    ("- {a: b,\n   c: d}\n- e", [{"a": "b", "c": "d"}, "e"]),
]


@pytest.mark.parametrize(("text", "value"), SEVERAL)
def test_values_of_several_lines_are_joined(text, value):
    assert yaml_text.parse_yaml(text) == value


OPEN = [
    # text, message, line
    ("a: [x,\nb: c", "a bracket is not closed", 1),
    ("b: c\na: 'x\n  y\nd: e", "a quote is not closed", 2),
    ('a: "x\n  \\"', "a quote is not closed", 1),
    ("a: [\n" + "  x,\n" * 10_000 + "]", "a bracket is not closed", 1),
    ("a: [x] y", "text after a closed value", 1),
]


@pytest.mark.parametrize(("text", "message", "line"), OPEN)
def test_what_is_not_closed_is_told_with_its_line(text, message, line):
    with pytest.raises(yaml_text.YamlError, match=message) as raised:
        yaml_text.parse_yaml(text)
    assert raised.value.line == line


@pytest.mark.growth
@pytest.mark.parametrize(
    "make",
    choose_cases(
        [
            lambda size: "a: [\n" + " x\n" * (size // 3),
            lambda size: "a: [\n" + " [x]\n" * (size // 5),
            lambda size: "a: '\n" + " ''\n" * (size // 4),
            lambda size: 'a: "\n' + ' \\"\n' * (size // 4),
            lambda size: "a: [\n" + " 'x'\n" * (size // 5),
            lambda size: "a: [\n]\n" * (size // 7),
        ],
        3,
    ),
)
def test_work_grows_with_the_text(make):
    assert grows_linearly(
        lambda size: _read(make(size)), 4_000, 16_000
    )  # one value ends at 20,000 characters


def _read(text: str) -> object:
    try:
        return yaml_text.parse_yaml(text)
    except yaml_text.YamlError as error:
        return error
