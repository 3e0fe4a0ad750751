"""A phrase that interfaces often show is written once, so that all of them say the same."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import citeproof
from citeproof.vocabulary import CHECKED_AGAINST, NOT_CHECKED, NOT_READ

ROOT = Path(citeproof.__file__).parent
FILES = [path for room in ("reporters", "serializers", "surfaces") for path in (ROOT / room).rglob("*.py")]


def _list_shown_texts(path: Path) -> list[str]:
    """Return the texts of a module, without docstrings and the help of flags, which are prose."""
    tree = ast.parse(path.read_text("utf-8"))
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    prose |= {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg == "help"
    }
    texts = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in prose]
    return [node.value for node in texts if isinstance(node.value, str)]


@pytest.mark.parametrize("phrase", [CHECKED_AGAINST, NOT_CHECKED, NOT_READ])
def test_no_interface_writes_a_shared_phrase_by_hand(phrase):
    by_hand = [
        (path.name, text) for path in FILES for text in _list_shown_texts(path) if phrase in text.lower()
    ]
    assert not by_hand
