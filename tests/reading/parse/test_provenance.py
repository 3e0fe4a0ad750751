"""The models that are shipped are those that their provenance names."""

from __future__ import annotations

import tomllib
from hashlib import sha256
from importlib.resources import files

import pytest


@pytest.mark.parametrize(
    ("package", "name", "licences"),
    [
        ("citeproof.reading.parse", "model/tagger", 3),
        ("citeproof.reading.extractors.prose", "prose_tagger", 2),
    ],
)
def test_the_model_is_the_one_its_provenance_names(package, name, licences):
    told = tomllib.loads(files(package).joinpath(f"{name}.toml").read_text("utf-8"))
    data = files(package).joinpath(f"{name}.npz").read_bytes()
    assert told["model"] == f"sha256 {sha256(data).hexdigest()}"
    assert len(data) < 8_000_000
    assert len(told["licences"]) == licences
