"""`citeproof bench`: every option that is offered is taken."""

from __future__ import annotations

import json

import pytest
from tests.evidence.sources.shelved import PLANCK, RESNET

from citeproof.laboratory.testing import Shelf, World

BIB = """
@inproceedings{a, title={Deep Residual Learning for Image Recognition}, doi={10.1109/cvpr.2016.90},
  author={He, Kaiming and Zhang, Xiangyu and Ren, Shaoqing and Sun, Jian}, year=2016}
@article{b, title={Ueber das Gesetz der Energieverteilung im Normalspectrum}, author={Planck, Max}, year=1901}
"""


@pytest.fixture
def refs(tmp_path):
    (tmp_path / "refs.bib").write_text(BIB)
    (tmp_path / "classes.json").write_text(json.dumps({"a": "EXACT", "b": "MAJOR"}))
    return tmp_path / "refs.bib"


def test_latency_prints_the_four_tables(cli, refs, monkeypatch, tmp_path):
    monkeypatch.setenv("CITEPROOF_OFFLINE", "0")
    monkeypatch.setenv("CITEPROOF_LIMITS_DIR", str(tmp_path / "limits"))
    monkeypatch.setenv("CITEPROOF_PACE", "1000")
    with World(Shelf(RESNET, PLANCK)) as world:
        for name, value in world.environment().items():
            monkeypatch.setenv(name, value)
        ended = cli(
            "bench", "latency", refs, "--classes", tmp_path / "classes.json", "--contact", "a@example.org"
        )
    assert ended.code == 0, ended.err
    for head in ("Overall latency over 2 references", "Latency and reach by stage", "Latency by true class",
                 "Source of the chosen candidate", "crossref", "MAJOR", "2 references in"):  # fmt: skip
        assert head in ended.out


@pytest.mark.parametrize(
    "flags", [("--offline",), ("--offline", "--explain-network"), ("--sources", "snapshot")]
)
def test_latency_takes_the_flags_of_check(cli, refs, flags):
    ended = cli("bench", "latency", refs, *flags)
    assert ended.code == 0, ended.err


def test_classes_that_cannot_be_read(cli, refs):
    ended = cli("bench", "latency", refs, "--offline", "--classes", refs)
    assert ended.code == 2
    assert "cannot be read as classes" in ended.err
