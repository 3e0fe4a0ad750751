"""The snapshot as a source: what it finds, and what its silence means."""

from __future__ import annotations

import asyncio

import pytest

from citeproof.errors import SnapshotError
from citeproof.evidence.index.coverage import parse_claim
from citeproof.evidence.sources.snapshot import NOT_COVERED, SnapshotSource
from citeproof.vocabulary import (
    Absent,
    Cause,
    Claimed,
    Found,
    Ids,
    Kind,
    Name,
    Question,
    Reach,
    Reference,
    Unchecked,
)

NAACL = Claimed(title="A Paper that Was Not There", venue="NAACL", year=2019)
NOBODY = Claimed(title="Qwertyuiop asdfghjkl", venue="Elsewhere", year=2019)
EPR = Claimed(authors=(Name("Einstein"), Name("Podolsky"), Name("Rosen")), ids=Ids((("doi", "10.1103/x"),)))


def ask(snapshot, by: str, value: str, claimed: Claimed, kind=Kind.ARTICLE, **more):
    question = Question(by, value, Reference("k", value, kind, claimed))
    return asyncio.run(SnapshotSource(snapshot, **more).lookup(question))


@pytest.mark.parametrize(
    ("by", "value", "claimed", "kind", "answer", "reach"),
    [
        ("title", "Attention is all you need", NOBODY, Kind.ARTICLE, Found, Reach.PARTIAL),
        ("title", "BERT", NAACL, Kind.ARTICLE, Found, Reach.COVERS),
        ("title", "qwertyuiop asdfghjkl", NAACL, Kind.ARTICLE, Absent, Reach.COVERS),
        ("title", "qwertyuiop asdfghjkl", NOBODY, Kind.ARTICLE, Unchecked, Reach.PARTIAL),
        ("title", "qwertyuiop asdfghjkl", NOBODY, Kind.BOOK, Absent, Reach.COMPLETE),
        ("raw", "Vaswani 2017. Attention is all you need. NIPS.", NOBODY, Kind.ARTICLE, Found, Reach.PARTIAL),
        ("raw", "qwertyuiop", NOBODY, Kind.ARTICLE, Unchecked, Reach.PARTIAL),
        ("authors", "", EPR, Kind.ARTICLE, Found, Reach.COMPLETE),
        ("doi", "10.1103/physrev.47.777", NOBODY, Kind.ARTICLE, Found, Reach.COMPLETE),
        ("doi", "10.1103/physrev.47.778", NOBODY, Kind.ARTICLE, Absent, Reach.COMPLETE),
        ("doi", "10.1109/cvpr.2016.90", NOBODY, Kind.ARTICLE, Found, Reach.PARTIAL),
        (
            "doi",
            "10.1109/cvpr.2016.91",
            NAACL,
            Kind.ARTICLE,
            Unchecked,
            Reach.PARTIAL,
        ),  # a venue covers no identifier
        ("pmid", "1", NOBODY, Kind.ARTICLE, Unchecked, Reach.PARTIAL),
    ],
)
def test_answers(snapshot, by, value, claimed, kind, answer, reach):
    lookup = ask(snapshot, by, value, claimed, kind)
    assert type(lookup) is answer
    assert lookup.by == by
    assert lookup.source == "snapshot:small"
    assert getattr(lookup, "reach", None) is reach
    if isinstance(lookup, Unchecked):
        assert (lookup.cause, lookup.detail) == (Cause.NOT_COVERED, NOT_COVERED)


def test_claims_can_be_given(snapshot):
    nothing = ask(snapshot, "title", "qwertyuiop", NAACL, claims=())
    assert isinstance(nothing, Unchecked)
    everything = ask(snapshot, "pmid", "1", NOBODY, claims=[parse_claim("all")])
    assert everything == Absent(snapshot.source, "pmid", Reach.COMPLETE)


def test_damage_is_not_absence(snapshot, monkeypatch):
    def fail(*_, **__):
        raise SnapshotError("block 7 cannot be read")

    monkeypatch.setattr(snapshot, "by_title", fail)
    answer = ask(snapshot, "title", "qwertyuiop", NAACL)
    assert isinstance(answer, Unchecked)
    assert (answer.cause, "block 7" in answer.detail) == (Cause.MALFORMED, True)


def test_every_answer_is_asked_for(snapshot):
    for by in SnapshotSource.answers:
        assert ask(snapshot, by, "", Claimed()).by == by
