"""Patterns that are compiled when they are first used, and that every module has them."""

import pickle
import re
from pathlib import Path

import pytest

import citeproof
from citeproof.text import lazy_patterns

SOURCE = Path(citeproof.__file__).parent
TEXT = "A12 b3\nc456"
PATTERN, FLAGS = r"(?P<letter>[a-z])(\d+)", re.IGNORECASE | re.MULTILINE


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("match", (TEXT,)),
        ("match", (TEXT, 4)),
        ("search", (TEXT, 2, 7)),
        ("fullmatch", ("x1",)),
        ("finditer", (TEXT,)),
    ],
)
def test_matches_as_the_standard_library(method: str, arguments: tuple[str | int, ...]) -> None:
    results = [
        getattr(make(PATTERN, FLAGS), method)(*arguments) for make in (re.compile, lazy_patterns.compile)
    ]
    expected, given = (
        [match.groupdict() | {"span": match.span()} for match in (found if method == "finditer" else [found])]
        for found in results
    )
    assert given == expected


@pytest.mark.parametrize(
    ("method", "arguments"),
    [("findall", (TEXT,)), ("sub", (r"\2\1", TEXT)), ("subn", ("", TEXT, 1)), ("split", (TEXT,))],
)
def test_cuts_as_the_standard_library(method: str, arguments: tuple[str | int, ...]) -> None:
    lazy, compiled = lazy_patterns.compile(PATTERN, FLAGS), re.compile(PATTERN, FLAGS)
    for _ in range(2):  # the second time, the method is remembered
        assert getattr(lazy, method)(*arguments) == getattr(compiled, method)(*arguments)


def test_has_the_attributes_of_a_pattern() -> None:
    lazy, compiled = lazy_patterns.compile(PATTERN, FLAGS), re.compile(PATTERN, FLAGS)
    for name in ("pattern", "flags", "groups", "groupindex"):
        assert getattr(lazy, name) == getattr(compiled, name)
    assert pickle.loads(pickle.dumps(lazy)).findall(TEXT) == compiled.findall(TEXT)


def test_is_compiled_at_first_use() -> None:
    wrong = lazy_patterns.compile("(")
    assert wrong.pattern == "("
    with pytest.raises(re.error):
        wrong.search("")


def test_no_module_compiles_patterns_when_it_is_imported() -> None:
    eager = [
        file.relative_to(SOURCE).as_posix()
        for file in SOURCE.rglob("*.py")
        if re.search("^import re$", text := file.read_text("utf-8"), re.MULTILINE)
        and re.search(r"^\S[^\n]{0,200}= re\.compile\(", text, re.MULTILINE)
    ]
    assert eager == []
