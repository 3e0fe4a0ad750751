"""Tables beside the code: read once, by package and file."""

from __future__ import annotations

import pytest

from citeproof.text.package_tables import load_package_table


def test_a_table_is_read_once():
    found = load_package_table("citeproof.corpus", "rules.toml")
    assert "missing-source" in found
    assert load_package_table("citeproof.corpus", "rules.toml") is found


def test_a_table_that_is_not_there_is_a_bug():
    with pytest.raises(FileNotFoundError):
        load_package_table("citeproof.corpus", "nothing.toml")
