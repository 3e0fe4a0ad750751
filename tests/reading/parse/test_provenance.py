"""The model that is shipped is the one its provenance names."""

from __future__ import annotations

import tomllib
from hashlib import sha256
from importlib.resources import files

MODEL = files("citeproof.reading.parse").joinpath("model")


def test_the_model_is_the_one_its_provenance_names():
    told = tomllib.loads(MODEL.joinpath("tagger.toml").read_text("utf-8"))
    data = MODEL.joinpath("tagger.npz").read_bytes()
    assert told["model"] == f"sha256 {sha256(data).hexdigest()}"
    assert len(data) < 8_000_000
    assert len(told["licences"]) == 3
