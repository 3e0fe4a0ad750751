"""The page of claims: both facts of each, offline and live, with and without a list of retractions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.contract import running
from tests.surfaces.web.web_server import open_web_server

from citeproof.evidence.index.build import BuildInput, build
from citeproof.laboratory.testing import Shelf, World
from citeproof.plumbing.clock import SystemClock, today
from citeproof.service.list_import import import_files
from citeproof.settings import load
from citeproof.vocabulary import Ids, Kind, Name, Record, Version

RECORDS = Path(__file__).parents[3] / "examples" / "records.bib"
DOI = "10.18653/v1/N19-1423"
TITLE = "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding"
WORK = Record(
    "made", DOI.lower(), (TITLE,), (Name("Devlin", "Jacob"),),
    versions=(Version(2019, "NAACL", Kind.ARTICLE),), kind=Kind.ARTICLE, ids=Ids((("doi", DOI.lower()),)),
)  # fmt: skip
SENTENCE = "The larger model increased the accuracy of question answering by 7.7 points over the baseline"
FILLER = "The optimiser kept its usual settings and the data were shuffled once in every epoch. " * 40
PAGE = f"""<html><head><meta name="citation_doi" content="{DOI}"></head><body><article><h1>{TITLE}</h1>
<h2>Results</h2><p>{SENTENCE}. {FILLER}</p></article></body></html>"""
REFERENCE = {"doi": DOI, "title": TITLE, "authors": ["Devlin"], "year": 2019}
CLAIMS = {
    "claims": [
        {"text": f"{SENTENCE}.", "references": [REFERENCE]},
        {"text": f"{SENTENCE}.".replace("7.7", "9.9"), "references": [REFERENCE]},
        {"text": "Statins lower the mortality of patients with diabetes.", "references": [REFERENCE]},
        {"text": "It works.", "references": [{"doi": DOI}]},
    ]
}
CSV = """Title,Author,RetractionDate,RetractionDOI,OriginalPaperDOI,RetractionNature,Reason,
T,A,1/2/2020 0:00,10.1000/n,10.1000/x,Retraction,+Error;,
"""
HEADS = (
    "Claim 1: citation verified, content numbers agree",
    "Claim 2: citation verified, content alarm: held back",
    "Claim 3: citation verified, content not located",
    "Claim 4: citation resolved, an identifier alone, content not located",
)


@pytest.fixture
def show(tmp_path, monkeypatch):
    """The page of a run over the claims."""
    for name in ("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "x.html").write_text(PAGE)
    build([BuildInput("bibtex", (RECORDS,))], tmp_path / "snapshot", name="made")

    def call(*, live, listed, **more):
        with World(Shelf(WORK)) as world:
            for name, value in running.environment(world, tmp_path).items():
                monkeypatch.setenv(name, value)
            if listed:
                (tmp_path / "rw.csv").write_text(CSV)
                import_files(load(), SystemClock(), [tmp_path / "rw.csv"], day=today(SystemClock()))
            chosen = {
                "offline": not live,
                "texts": (tmp_path / "texts",),
                "allow_unchecked_retractions": False,
            }
            with open_web_server(tmp_path / "jobs", tmp_path / "snapshot", **(chosen | more)) as web:
                run = web.check(("h.json", json.dumps(CLAIMS).encode()), kind="ground")
                return web.get(run).text

    return call


@pytest.mark.parametrize(("live", "listed"), [(False, True), (True, True), (True, False)])
def test_each_claim_is_headed_by_both_facts(live, listed, show):
    page = show(live=live, listed=listed)
    for head in HEADS:
        assert head in page
    assert "✓ Claim 2" not in page
    assert "✓ Claim 3" not in page
    assert "3 of 4 citations verified" in page
    assert "1 claim held back" in page
    assert page.index("Claim 2:") < page.index("Claim 1:")  # what is to be looked at comes first


def test_offline_without_a_list_the_page_says_what_to_do(show):
    page = show(live=False, listed=False)
    assert "no list of retractions is installed" in page
    assert "the operator of this server can change it" in page
    assert "citation verified" not in page


def test_offline_without_a_list_allowed_each_citation_has_the_caveat(show):
    page = show(live=False, listed=False, allow_unchecked_retractions=True)
    assert "citation verified (retraction not checked), content numbers agree" in page
