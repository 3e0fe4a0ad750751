"""The memory as a source: what enters it, what it proposes, and what it says about where that is from."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256

import pytest

from citeproof.answers.serializers.remembered_work import (
    ForgottenError,
    decode_remembered_work,
    encode_remembered_work,
)
from citeproof.evidence.embedding import MODEL, is_embedding_installed
from citeproof.evidence.embedding.title_vectors import TitleVectors
from citeproof.evidence.sources.memory import MemorySource, make_remembered_work
from citeproof.judgement.compare import Evidence
from citeproof.judgement.judge import judge
from citeproof.plumbing.clock import FixedClock
from citeproof.plumbing.stores.memory_database import MemoryDatabase
from citeproof.vocabulary import (
    Checked,
    Claimed,
    Finding,
    FindingState,
    FirstJudgement,
    Found,
    Ids,
    Kind,
    ModelTrace,
    Name,
    Question,
    Record,
    Reference,
    Unchecked,
    Version,
)

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)
WORK = Record(
    "crossref",
    "10.1103/1",
    ("Spin Waves in Thin Iron Films: A Study of Their Lifetimes",),
    (Name("Dahl", "Eva"), Name("Berg", "Jon")),
    versions=(Version(2001, "Physical Review Letters", Kind.ARTICLE, "86", "3", "1-4"),),
    kind=Kind.ARTICLE,
    ids=Ids((("doi", "10.1103/1"), ("arxiv", "0101.00001"))),
    read_at="2026-11-01T00:00:00Z",
    content_hash="ab" * 32,
)
needs_model = pytest.mark.skipif(not is_embedding_installed(), reason="the extra `memory` is not installed")


def cite(record: Record = WORK, **changed: object) -> Reference:
    first = record.versions[0]
    fields = {"title": record.title, "authors": record.authors, "year": first.year, "venue": first.venue}
    ids = Ids(record.ids.pairs[:1])
    return Reference("k", "the user's own text", Kind.ARTICLE, Claimed(**(fields | {"ids": ids} | changed)))


def check(reference: Reference, *records: Record, by: str = "doi", source: str = "crossref") -> Checked:
    evidence = Evidence(reference, lookups=[Found(source, by, records)])
    compared = evidence.compare()
    judged = judge(reference, evidence.retrieval, compared)
    return Checked(reference, evidence.retrieval, compared, judged)


@pytest.fixture
def memory(tmp_path):
    """A function that opens the memory, some days after noon."""
    opened = []

    def make(days: float = 0, **more: object) -> MemorySource:
        store = MemoryDatabase(tmp_path / "memory", model=MODEL if more.get("vectors") else "")
        opened.append(MemorySource(store, FixedClock(NOON + timedelta(days=days)), **more))
        return opened[-1]

    yield make
    for one in opened:
        one.close()


def ask(source: MemorySource, by: str, value: str, reference: Reference | None = None):
    return asyncio.run(source.lookup(Question(by, value, reference or cite())))


@pytest.mark.parametrize(
    ("by", "value", "reference"),
    [
        ("doi", "10.1103/1", cite()),
        ("arxiv", "0101.00001", cite()),
        ("title", WORK.title, cite()),
        ("title", "SPIN WAVES in thin {I}ron films -- a study of their lifetimes.", cite()),
    ],
)
def test_a_matched_work_is_found_again(memory, by, value, reference):
    memory().remember(check(cite(), WORK))
    found = ask(memory(), by, value, reference)
    assert isinstance(found, Found)
    assert found.records == (WORK,)  # with its own source, hash and time
    assert found.source == "memory"
    assert found.heard[0].at == "2026-11-15T12:00:00.000Z"


@pytest.mark.parametrize(
    ("by", "value", "reference"),
    [
        ("doi", "10.1103/2", cite()),
        ("title", WORK.title, cite(year=2002)),
        ("title", WORK.title, cite(authors=(Name("Berg", "Jon"),))),
        ("title", WORK.title, cite(authors=())),
        ("title", "Spin Waves in Thin Iron Films", cite()),
    ],
)
def test_another_key_finds_nothing_and_that_means_nothing(memory, by, value, reference):
    memory().remember(check(cite(), WORK))
    assert isinstance(ask(memory(), by, value, reference), Unchecked)


@needs_model
def test_a_similar_title_is_found_by_its_embedding(memory):
    memory(vectors=TitleVectors()).remember(check(cite(), WORK))
    similar = "Spin waves in thin iron film: study of their lifetime"
    assert isinstance(ask(memory(vectors=TitleVectors()), "title", similar), Found)
    assert isinstance(ask(memory(), "title", similar), Unchecked)  # without the extra
    other = "Sea ice and the ecology of polar bears"
    assert isinstance(ask(memory(vectors=TitleVectors()), "title", other), Unchecked)


def test_what_is_not_matched_or_has_a_finding_or_came_from_here_does_not_enter(memory):
    other = replace(WORK, titles=("Sea Ice and the Ecology of Polar Bears",), authors=(Name("Low", "A"),))
    retracted = Finding("retracted", FindingState.FINDING, source="retraction_watch")
    own = Finding("future_date", FindingState.FINDING, source="document")
    good = check(cite(), WORK)
    assert make_remembered_work(check(cite(), other), "") is None
    assert make_remembered_work(replace(good, findings=(retracted,)), "") is None
    assert make_remembered_work(check(cite(), WORK, source="memory"), "") is None
    assert make_remembered_work(check(cite(), replace(WORK, marks=("web",))), "") is None
    assert make_remembered_work(replace(good, findings=(own,)), "") is not None
    assert make_remembered_work(check(cite(year=2003), WORK), "") is not None  # the work, not the citation


@pytest.mark.parametrize(("before", "kept"), [("matched", True), ("mismatch", False)])
def test_what_only_a_language_model_made_a_match_does_not_enter(before, kept):
    good = check(cite(), WORK)
    told = replace(
        good.judgement.provenance, llm=ModelTrace("m", FirstJudgement(before, None, None, None, None))
    )
    moved = replace(good, judgement=replace(good.judgement, provenance=told))
    assert (make_remembered_work(moved, "") is not None) is kept


def test_nothing_of_the_document_is_kept(memory):
    kept = encode_remembered_work(make_remembered_work(check(cite(year=2003), WORK), "now"))
    assert b"own text" not in kept
    assert b"2003" not in kept


def test_a_stale_work_is_not_proposed_and_is_kept_anew(memory):
    memory().remember(check(cite(), WORK))
    assert isinstance(ask(memory(days=29.9), "doi", "10.1103/1"), Found)
    assert isinstance(ask(memory(days=30.1), "doi", "10.1103/1"), Unchecked)
    assert isinstance(ask(memory(days=7), "doi", "10.1103/1"), Found)
    memory(days=31).remember(check(cite(), WORK))
    assert isinstance(ask(memory(days=40), "doi", "10.1103/1"), Found)


def test_what_is_proposed_is_kept_as_evidence(memory):
    memory().remember(check(cite(), WORK))
    kept = {}
    found = ask(memory(record=kept.__setitem__), "doi", "10.1103/1")
    digest = found.heard[0].sha256
    assert sha256(kept[digest]).hexdigest() == digest
    assert decode_remembered_work(kept[digest]).records == (WORK,)


def test_a_work_that_is_too_large_loses_what_it_cites_then_its_kin_and_is_never_an_error():
    many = tuple(f"10.1000/{n}" for n in range(20_000))
    work = make_remembered_work(check(cite(), replace(WORK, cites=many)), "now")
    assert work.records[0] == WORK
    huge = replace(WORK, titles=("Spin " * 20_000,))
    assert make_remembered_work(check(cite(huge), huge), "now") is None
    assert make_remembered_work(check(cite(), replace(WORK, publisher="half \ud800")), "now") is None


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"{}",
        b"\xff\xfe",
        b"[" * 50_000,
        b" " * 70_000,
        b'{"records": [], "at": "", "label": "", "score": 1, "judge": "", "citeproof": ""}',
        b'{"records": 1, "at": "", "label": "", "score": 1, "judge": "", "citeproof": "", "version": 2}',
    ],
)
def test_bytes_that_are_not_a_work_are_refused(data):
    with pytest.raises(ForgottenError):
        decode_remembered_work(data)


def test_a_work_of_a_later_version_is_refused():
    work = make_remembered_work(check(cite(), WORK), "now")
    later = encode_remembered_work(work).replace(b'"version":1', b'"version":2')
    with pytest.raises(ForgottenError, match="another version"):
        decode_remembered_work(later)
