"""The algorithm, against registries on loopback: the worked example, and every way in which a claim fails."""

from __future__ import annotations

import asyncio
import json
from datetime import date

import pytest

from citeproof.claims.trace import list_trace, summarise_hypothesis
from citeproof.laboratory.testing import ALL_FAULTS, Shelf, World
from citeproof.plumbing.clock import SystemClock, today
from citeproof.plumbing.net import client as clients
from citeproof.proof.audit import log_reader
from citeproof.proof.replay import Replay, ReplayState
from citeproof.service.assemble import assemble
from citeproof.service.claim_session import choose_exit_code, ground_document
from citeproof.service.exit_codes import Exit
from citeproof.service.list_import import import_files
from citeproof.settings import load
from citeproof.surfaces.cli import main as door
from citeproof.vocabulary import ClaimStatus, Document, FindingState, Ids, Kind, Name, Record, Version
from tests.contract import running

TODAY = today(SystemClock())
LEHMANN, PARK, OTHER, YAMADA = (
    "10.1046/j.1471-4159.2001.00407.x", "10.1038/s41591-024-99999-9", "10.1093/brain/awy123",
    "10.1093/brain/awz189",
)  # fmt: skip
GONE = "10.1126/science.adi2317"


def _work(title, author, year, venue, doi):
    named = Ids((("doi", doi),))
    version = Version(year, venue, Kind.ARTICLE)
    return Record(
        "made", doi, (title,), (Name(author, "A."),), versions=(version,), kind=Kind.ARTICLE, ids=named
    )


WORKS = (
    _work("Phosphorylation of tau protein in cultured neurons", "Lehmann", 2001, "J. Neurochem.", LEHMANN),
    _work("Cortical thinning after traumatic brain injury", "Yamada", 2018, "Brain", OTHER),
    _work("Tau pathology in early-onset Alzheimer's disease", "Yamada", 2019, "Brain", YAMADA),
    _work("A finding that did not hold", "Miller", 2023, "Science", GONE),
)  # fmt: skip
EXAMPLE = {
    "id": "h_abc123",
    "title": "Tau aggregation in early-onset Alzheimer's disease",
    "claims": [
        {
            "id": "citation-1",
            "text": "Tau is phosphorylated before it aggregates.",
            "references": [
                {
                    "text": "Lehmann 2001, J. Neurochem",
                    "title": "Phosphorylation of the tau protein in cultured neurons",
                    "authors": ["Lehmann"], "year": 2001, "venue": "J. Neurochem",
                    "doi": LEHMANN, "confidence": 0.62,
                }
            ],
        },
        {
            "id": "citation-2",
            "text": "Antibodies slow the aggregation.",
            "references": [
                {
                    "text": "Park & Ng 2024, Nat. Med.", "title": "Antibodies against tau oligomers",
                    "authors": ["Park", "Ng"], "year": 2024, "doi": PARK, "confidence": 0.78,
                }
            ],
        },
        {
            "id": "citation-3",
            "text": "It begins early in the entorhinal cortex.",
            "references": [
                {
                    "text": "Yamada et al. 2019, Brain", "title": "Tau pathology in early-onset AD",
                    "authors": ["Yamada"], "year": 2019, "venue": "Brain",
                    "candidates": [{"doi": OTHER, "confidence": 0.7}, {"doi": YAMADA, "confidence": 0.6}],
                }
            ],
        },
    ],
}  # fmt: skip
CSV = f"""Title,Author,RetractionDate,RetractionDOI,OriginalPaperDOI,RetractionNature,Reason,
A finding that did not hold,A. Miller,4/30/2026 0:00,10.1126/science.adz0001,{GONE},Retraction,+Error;,
"""


@pytest.fixture
def ground(tmp_path, monkeypatch):
    """A hypothesis, grounded in a world of registries with `faults`, and a list of retractions."""
    monkeypatch.setattr(clients, "PATIENCE", 0.1)
    monkeypatch.setattr(clients, "RETRIES", 0)

    def call(given, *, faults=None, listed=CSV, day=None, **other):
        with World(Shelf(*WORKS), faults=faults or {}) as world:
            variables = running.environment(world, tmp_path, **other)
            chosen = load(environment=variables, folder=tmp_path)
            if listed:
                (tmp_path / "rw.csv").write_text(listed)
                import_files(chosen, SystemClock(), [tmp_path / "rw.csv"], day=day or TODAY)
            engine = assemble(chosen, stage="grounding")
            return asyncio.run(_run(engine, Document("h.json", json.dumps(given).encode())))

    return call


async def _run(engine, document):
    try:
        return await ground_document(engine, document)
    finally:
        await engine.close()


def _statuses(grounded):
    return [one.status for one in grounded.claims]


def test_the_worked_example(ground, tmp_path):
    audit = tmp_path / "audit"
    grounded = ground(EXAMPLE, CITEPROOF_AUDIT_DIR=str(audit), CITEPROOF_AUDIT_RUN="h_abc123",
                      CITEPROOF_AUDIT_KEY=str(tmp_path / "keys"))  # fmt: skip
    assert _statuses(grounded) == [ClaimStatus.VERIFIED, ClaimStatus.UNSUPPORTED, ClaimStatus.VERIFIED]
    counts = {status: grounded.count(status) for status in ClaimStatus}
    assert summarise_hypothesis(counts) == "2 of 3 citations verified, 1 claim unsupported"
    first, second, third = grounded.claims
    assert "VERIFIED (doi:10.1046/j.1471-4159.2001.00407.x)" in list_trace(first)
    assert second.tried[0].outcome == "crossref_miss"
    assert [one.outcome for one in third.tried] == ["title_mismatch", "verified"]
    assert third.tried[0].title_similarity < 0.6
    assert third.tried[1].title_similarity > 0.7
    assert third.attached.retraction is FindingState.CLEAR
    assert "VERIFIED (doi:10.1093/brain/awz189)" in list_trace(third)
    assert choose_exit_code(grounded) is Exit.PROBLEMS
    events = [one["ev"] for one in log_reader.read_entries(audit, "h_abc123")]
    wanted = {"verified": 2, "crossref_miss": 1, "title_mismatch": 1, "claim_verified": 2, "unsupported": 1}
    assert {name: events.count(name) for name in wanted} == wanted
    assert events[-1] == "merkle_commit"
    everything = (audit / "h_abc123.jsonl").read_text()
    assert "aggregation" not in everything  # the user's words are in the sidecar


def test_the_trace_of_the_worked_example_for_a_reader(ground, tmp_path, monkeypatch, capfd):
    """The whole door: the command, its formats, and the root of the log at the end of each."""
    (tmp_path / "h.json").write_text(json.dumps(EXAMPLE))
    (tmp_path / "rw.csv").write_text(CSV)
    printed = {}
    with World(Shelf(*WORKS)) as world:
        for name, value in running.environment(world, tmp_path).items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("CITEPROOF_AUDIT_KEY", str(tmp_path / "keys"))
        import_files(load(), SystemClock(), [tmp_path / "rw.csv"], day=TODAY)
        for form in ("text", "md", "json", "csv"):
            log = ["--audit", str(tmp_path / "audit"), "--audit-run", f"h_{form}"]
            with pytest.raises(SystemExit) as ended:
                door.main(["claims", str(tmp_path / "h.json"), "--format", form, *log])
            assert int(ended.value.code) == Exit.PROBLEMS
            printed[form] = capfd.readouterr()
    roots = {
        form: [e["root"] for e in log_reader.read_entries(tmp_path / "audit", f"h_{form}") if "root" in e][-1]
        for form in printed
    }
    cut = {form: f"(Merkle root: {root[:6]}…{root[-4:]})" for form, root in roots.items()}
    *trace, sealed = printed["text"].out.splitlines()
    counts = next(line for line in trace if "citations verified" in line)
    assert counts == "2 of 3 citations verified, 1 claim unsupported; content: 2 not compared."
    assert sealed.startswith("audit log: ")
    assert sealed.endswith(f"h_text.jsonl {cut['text']}")
    for line in (
        "→ doi:10.1046/j.1471-4159.2001.00407.x (confidence 0.62, proposed)",
        "→ VERIFIED (doi:10.1046/j.1471-4159.2001.00407.x)", "→ not found (crossref_miss)",
        "→ DROPPED: the claim is unsupported", "→ candidates: 2", "→ VERIFIED (doi:10.1093/brain/awz189)",
    ):  # fmt: skip
        assert f"    {line}" in trace
    assert any(line.startswith("    → #1 rejected (title_mismatch)") for line in trace)
    assert printed["md"].out.splitlines()[-1].endswith(f"(Merkle root: {roots['md']})")
    assert json.loads(printed["json"].out)["log"]["root"] == roots["json"]
    assert all("Merkle root" not in printed[form].err for form in ("text", "md", "json"))  # said once
    assert cut["csv"] in printed["csv"].err


def test_the_worked_example_is_replayed_without_a_difference(ground, tmp_path):
    """Its third claim has two candidates; the DOI of the first belongs to another work."""
    audit = tmp_path / "audit"
    ground(EXAMPLE, CITEPROOF_AUDIT_DIR=str(audit), CITEPROOF_AUDIT_RUN="h_abc123",
           CITEPROOF_AUDIT_KEY=str(tmp_path / "keys"))  # fmt: skip
    with Replay.open(audit, "h_abc123") as replay:
        found = [*replay.references(), *replay.further()]
    assert [(one.subject, one.state) for one in found if one.state is not ReplayState.IDENTICAL] == []
    assert {one.subject for one in found} == {"references", "claims", "events"}


def test_a_retracted_source_ends_the_search(ground):
    references = [
        {"title": "A finding that didn't hold", "authors": ["Miller"], "doi": GONE, "confidence": 0.9},
        {"title": "Tau pathology in early-onset AD", "authors": ["Yamada"], "doi": YAMADA, "confidence": 0.5},
    ]
    (one,) = ground({"claims": [{"text": "It holds.", "references": references}]}).claims
    assert one.status is ClaimStatus.RETRACTED_SOURCE
    assert (len(one.tried), one.candidates) == (1, 2)
    assert "retracted on 2026-04-30" in one.reason
    assert one.attached is None
    assert one.tried[0].outcome == "retracted"
    assert not any("accepted" in line or "VERIFIED" in line for line in list_trace(one))


def test_a_claim_without_a_candidate_is_kept(ground):
    grounded = ground({"claims": ["Nobody says where this is from."]})
    (one,) = grounded.claims
    assert (one.status, one.candidates, one.tried) == (ClaimStatus.UNSUPPORTED, 0, ())
    assert choose_exit_code(grounded) is Exit.PROBLEMS


def test_registries_down_verify_nothing(ground):
    grounded = ground(EXAMPLE, faults=dict.fromkeys(World(Shelf()).urls, ALL_FAULTS["silence"]),
                      CITEPROOF_TIMEOUT="1")  # fmt: skip
    assert _statuses(grounded) == [ClaimStatus.UNCHECKED] * 3
    assert choose_exit_code(grounded) is Exit.UNCHECKED


@pytest.mark.parametrize("day", [None, date(2026, 4, 1)])
def test_without_a_current_list_registries_are_asked_and_without_these_nothing_is_verified(day, ground):
    grounded = ground(EXAMPLE, listed=CSV if day else None, day=day)
    assert _statuses(grounded) == [ClaimStatus.VERIFIED, ClaimStatus.UNSUPPORTED, ClaimStatus.VERIFIED]
    grounded = ground(EXAMPLE, listed=None, CITEPROOF_SOURCES="acl,doi,semantic_scholar")
    assert ClaimStatus.VERIFIED not in _statuses(grounded)
    assert "whether it was retracted could not be checked" in grounded.claims[0].reason


def test_an_identifier_in_the_text_is_a_candidate(ground):
    (one,) = ground({"claims": [f"It begins early (https://doi.org/{YAMADA})."]}).claims
    assert one.status is ClaimStatus.RESOLVED
    assert "no title was claimed" in list_trace(one)


def test_a_wrong_author_is_no_citation(ground):
    reference = {"authors": ["Lovelace"], "year": 2019, "venue": "Brain", "doi": YAMADA}
    (one,) = ground({"claims": [{"text": "It begins early.", "references": [reference]}]}).claims
    assert one.status is ClaimStatus.UNSUPPORTED


def test_a_title_does_not_stand_in_for_an_identifier_that_nobody_knows(ground, tmp_path):
    reference = {"title": "Tau pathology in early-onset Alzheimer's disease", "doi": "10.1093/brain/zzz999"}
    given = {"claims": [{"text": "It begins early.", "references": [reference]}]}
    (one,) = ground(given, CITEPROOF_SOURCES="crossref").claims
    assert one.status is not ClaimStatus.VERIFIED
