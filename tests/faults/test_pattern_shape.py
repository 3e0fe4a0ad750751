"""Patterns that may take exponential time are told by their shape, and the package has none."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.faults.pattern_shape import find_danger

CASES = [
    # a pattern, whether its time may double with each character
    (r"(a+)+$", True),
    (r"(a*)*", True),
    (r"(?:a|a)*b", True),
    (r"(a|aa)+$", True),
    (r"(a|b|ab)*c", True),
    (r"(\w+\s*)+:", True),
    (r"(\d+\.?)+x", True),
    (r"([\w.]+\w)*@", True),
    (r"(10\.\d{4,9}/[^\s]+(?:\.[^\s]+)*)$", True),
    (r"(?:x?){0,40}y", True),
    (r"^(([a-z])+.)+[A-Z]([a-z])+$", True),
    (r"(a+)b", False),
    (r"(?:[a-z]+,)*$", False),
    (r"(?:\.\w+)*$", False),
    (r"(?>a+)+b", False),
    (r"(?:a++)+b", False),
    (r'"(?:\\.|[^"\\])*"', False),
    (r"(?:[^{}]|\{[^{}]*\})*", False),
    (r"(?:and|apple)+x", False),
    (r"10\.\d{4,9}/\S{1,99}", False),
]


@pytest.mark.parametrize(("pattern", "danger"), CASES)
def test_shapes_that_double_are_told_from_others(pattern, danger):
    assert bool(find_danger(pattern)) is danger
    assert bool(find_danger(pattern.encode())) is danger


def test_flags_are_read_too():
    verbose = r"( a + ) +  # comment"
    assert find_danger(verbose, re.VERBOSE)
    assert not find_danger(r"(?: a , ) + # (a+)+", re.VERBOSE)


@pytest.mark.slow
def test_no_pattern_of_the_package_has_such_a_shape():
    """Run by itself, because it must see every pattern being made."""
    command = [sys.executable, "-m", "tests.faults.pattern_shape"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == []
