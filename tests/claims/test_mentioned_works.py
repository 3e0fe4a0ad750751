"""Claims that name authors and years, grounded against registries on loopback: found, never guessed."""

from __future__ import annotations

import asyncio
import json

import pytest

from citeproof.claims.trace import list_trace
from citeproof.laboratory.testing import ALL_FAULTS, Shelf, World
from citeproof.plumbing.clock import SystemClock, today
from citeproof.plumbing.net import client as clients
from citeproof.service.assemble import assemble
from citeproof.service.claim_session import ground_document
from citeproof.service.list_import import import_files
from citeproof.settings import load
from citeproof.vocabulary import ClaimStatus, Document, Ids, Kind, Name, Record, Version
from tests.contract import running

YAMADA, OTHER, LEHMANN = "10.1093/brain/awz189", "10.1093/brain/awy123", "10.1046/j.1471-4159.2001.00407.x"
CSV = """Title,Author,RetractionDate,RetractionDOI,OriginalPaperDOI,RetractionNature,Reason,
A finding that did not hold,A. Miller,4/30/2026 0:00,10.1126/science.adz0001,10.1126/x,Retraction,+Error;,
"""


def _make_work(title, authors, year, venue, doi):
    people = tuple(Name(family, "A.") for family in authors.split())
    version = Version(year, venue, Kind.ARTICLE)
    ids = Ids((("doi", doi),))
    return Record("made", doi, (title,), people, versions=(version,), kind=Kind.ARTICLE, ids=ids)


WORKS = (
    _make_work("Tau pathology in early-onset Alzheimer's disease", "Yamada Sato Ito", 2019, "Brain", YAMADA),
    _make_work("Cortical thinning after injury", "Yamada Sato Ito", 2018, "Brain", OTHER),
    _make_work("Phosphorylation of tau protein in neurons", "Lehmann", 2001, "J. Neurochem.", LEHMANN),
    *(_make_work(f"Results about {what} of Wang", "Wang Li Hu", 2019, "Cell", f"10.1000/wang{what}")
      for what in ("mice", "yeast", "maize", "flies")),
)  # fmt: skip


@pytest.fixture
def ground(tmp_path, monkeypatch):
    """A claim, grounded in a world of registries with `faults`."""
    monkeypatch.setattr(clients, "PATIENCE", 0.1)
    monkeypatch.setattr(clients, "RETRIES", 0)

    def call(text, *, faults=None, **other):
        with World(Shelf(*WORKS), faults=faults or {}) as world:
            chosen = load(environment=running.environment(world, tmp_path, **other), folder=tmp_path)
            (tmp_path / "rw.csv").write_text(CSV)
            import_files(chosen, SystemClock(), [tmp_path / "rw.csv"], day=today(SystemClock()))
            engine = assemble(chosen, stage="grounding")
            given = Document("h.json", json.dumps({"claims": [text]}).encode())
            return asyncio.run(_run(engine, given)).claims[0]

    return call


async def _run(engine, document):
    try:
        return await ground_document(engine, document)
    finally:
        await engine.close()


@pytest.mark.parametrize(
    ("text", "doi"),
    [
        ("It begins early (Yamada et al. 2019, Brain).", YAMADA),
        ("Tau pathology is seen in early-onset disease (Yamada et al., 2019).", YAMADA),
        ("Tau is phosphorylated in neurons, as in Lehmann 2001, J. Neurochem", LEHMANN),
    ],
)
def test_a_mention_leads_to_its_work(ground, text, doi):
    claim = ground(text)
    assert claim.status is ClaimStatus.VERIFIED
    assert claim.attached.candidate.identifier == f"doi:{doi}"
    assert any(line.startswith("no title was claimed") for line in list_trace(claim))


def test_a_proposed_reference_may_be_a_mention(ground):
    claim = ground({"text": "It begins early.", "references": ["Yamada et al. 2019, Brain"]})
    assert claim.status is ClaimStatus.VERIFIED
    assert claim.attached.candidate.identifier == f"doi:{YAMADA}"


@pytest.mark.parametrize(
    "text",
    [
        "It is known (Wang et al., 2019).",  # four works, and nothing to tell them apart
        "It begins early (Yamamoto et al. 2019, Brain).",
        "It begins early (Yamada and Doe 2019, Brain).",
        "It begins early (Yamada et al. 2009, Brain).",
    ],
)
def test_no_work_is_guessed(ground, text):
    claim = ground(text)
    assert claim.status is not ClaimStatus.VERIFIED
    assert claim.attached is None


def test_registries_down_leave_a_mention_unchecked(ground):
    down = dict.fromkeys(World(Shelf()).urls, ALL_FAULTS["silence"])
    claim = ground("It begins early (Yamada et al. 2019, Brain).", faults=down, CITEPROOF_TIMEOUT="1")
    assert claim.status is ClaimStatus.UNCHECKED
