"""A live answer with a reference list, the list of retractions, and a replay without either."""

from __future__ import annotations

import json
import os

import pytest

from citeproof.laboratory.testing import Shelf, World
from citeproof.vocabulary import Ids, Kind, Name, Record, Version

WORK = Record(
    "made", "deep", ("Deep learning",), authors=(Name("LeCun", "Yann"),),
    versions=(Version(2015, "Nature", Kind.ARTICLE, "521", "7553", "436-444"),), kind=Kind.ARTICLE,
    ids=Ids((("doi", "10.1038/nature14539"), ("pmid", "26017442"))),
    cites=("10.1000/x1", "10.1000/sound", "pmid:7"),
)  # fmt: skip
LIST = """Title,Author,RetractionDate,RetractionDOI,OriginalPaperDOI,OriginalPaperPubMedID,RetractionNature,
A retracted work,Jane Doe,1/2/2020 0:00,10.1000/n1,10.1000/x1,0,Retraction,
Another,Jane Doe,1/3/2020 0:00,10.1000/n2,10.1000/x2,7,Retraction,
"""
BIB = """@article{deep, title={Deep learning}, author={LeCun, Yann}, journal={Nature}, volume={521},
  year={2015}, {}}
"""


@pytest.mark.parametrize(
    ("source", "cited", "works"),
    [("crossref", "doi={10.1038/nature14539}", 1), ("pubmed", "pmid={26017442}", 2)],
)
def test_a_live_answer_with_a_reference_list(source, cited, works, cli, tmp_path, monkeypatch):
    for name in [name for name in os.environ if name.startswith("CITEPROOF_")]:
        monkeypatch.delenv(name)
    (tmp_path / "list.csv").write_text(LIST)
    (tmp_path / "refs.bib").write_text(BIB.replace("{}", cited))
    monkeypatch.setenv("CITEPROOF_CACHE_DIR", str(tmp_path / "cache"))
    assert cli("lists", "import", "list.csv", "--date", "2026-08-17").code == 0
    with World(Shelf(WORK)) as world:
        for name, value in {
            **world.environment(),
            "CITEPROOF_PACE": "1000",
            "CITEPROOF_REFERENCE_LISTS": "1",
        }.items():
            monkeypatch.setenv(name, value)
        ended = cli("check", "refs.bib", "--sources", source, "--audit", "log", "--format", "json")
    (row,) = json.loads(ended.out)["references"]
    (found,) = [one for one in row["findings"] if one["name"] == "cites_retracted"]
    assert (found["level"], len(found["evidence"])) == ("note", works)
    assert "10.1000/x1 (retracted on 2020-01-02)" in found["detail"]
    assert "cites" not in row["matched"]
    (run,) = (tmp_path / "log").glob("2*.jsonl")
    for file in (tmp_path / "cache/lists").iterdir():
        file.unlink()
    again = cli("audit", "replay", "log", run.stem)
    assert again.code == 0, again.out + again.err
