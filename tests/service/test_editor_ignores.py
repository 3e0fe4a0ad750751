"""Problems that are accepted in an editor."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path

import pytest

from citeproof.errors import CiteproofError
from citeproof.service.accepted_problems import EditorIgnores

DAY = date(2026, 11, 17)


def test_editors_that_accept_at_once_lose_no_entry(tmp_path: Path) -> None:
    path = tmp_path / "ignore.toml"
    fingerprints = [f"{number:032x}" for number in range(64)]
    with ThreadPoolExecutor(8) as editors:
        list(editors.map(lambda one: EditorIgnores(path).accept(one, DAY), fingerprints))
    assert sorted(entry.id for entry in EditorIgnores(path).list_entries()) == fingerprints
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


def test_a_folder_that_is_not_there_is_told_and_not_made_a_file(tmp_path: Path) -> None:
    with pytest.raises((OSError, CiteproofError)):
        EditorIgnores(tmp_path / "gone" / "ignore.toml").accept("0" * 32, DAY)
    assert list(tmp_path.iterdir()) == []
