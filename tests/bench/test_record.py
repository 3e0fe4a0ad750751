"""Answers of the loopback world => a file of recordings that has them all, and nothing of who asked."""

from __future__ import annotations

import json
from hashlib import sha256

import zstandard
from bench.record import REFERENCES, record_answers

from citeproof import settings
from citeproof.laboratory.testing import Shelf, World
from citeproof.reading.extractors.base import extract
from citeproof.vocabulary import Document, Ids, Kind, Name, Record, Version

KEY, CONTACT = "s3cretk3y-of-somebody", "somebody@example.org"
WORK = Record(
    "made",
    "1",
    ("Deep learning of things that float",),
    authors=(Name("LeCun", "Yann"),),
    versions=(Version(2015, "Nature", Kind.ARTICLE),),
    kind=Kind.ARTICLE,
    ids=Ids((("doi", "10.1038/nature14539"),)),
)
ENTRY = """@article{{{key}, title={{Deep learning of things that float}}, author={{LeCun, Yann}}, year=2015,
  journal={{Nature}}{more}}}
"""


def test_every_answer_is_written_down_without_who_asked(tmp_path, capsys):
    out = tmp_path / "upstreams.jsonl.zst"
    text = ENTRY.format(key="a", more=", doi={10.1038/nature14539}") + ENTRY.format(key="b", more="")
    with World(Shelf(WORK)) as world:
        chosen = settings.load(
            environment={
                **world.environment(),
                "CITEPROOF_CACHE_DIR": str(tmp_path / "cache"),
                "CITEPROOF_LIMITS_DIR": str(tmp_path / "limits"),
                "CITEPROOF_CONTACT": CONTACT,
                "CITEPROOF_OPENALEX_KEY": KEY,
                "CITEPROOF_SEMANTIC_SCHOLAR_KEY": KEY,
                "CITEPROOF_SOURCES": "crossref,openalex,semantic_scholar",
                "CITEPROOF_PACE": "1000",
            },
            folder=tmp_path,
        )
        statuses = record_answers(Document("a.bib", text.encode()), out, chosen)
        asked = len(world.log)
    assert "2 references" in capsys.readouterr().out
    written = zstandard.open(out, "rt", encoding="utf-8").read()
    rows = [json.loads(line) for line in written.splitlines()]
    assert len(rows) == sum(statuses.values()) == asked > 1
    assert "10.1038/nature14539" in written
    for hidden in (KEY, CONTACT, CONTACT.replace("@", "%40")):
        assert hidden not in written
    bodies = {row["sha256"]: row["body"] for row in rows if row["body"]}
    assert all(sha256(body.encode()).hexdigest() == digest for digest, body in bodies.items())
    assert {row["sha256"] for row in rows} <= {*bodies, sha256(b"").hexdigest()}
    assert {row["upstream"] for row in rows} <= {"crossref", "openalex", "semantic_scholar"}


def test_the_list_has_300_references_of_all_types():
    found = extract(Document(REFERENCES.name, REFERENCES.read_bytes()))
    assert len(found.references) == 300
    assert not found.problems
    kinds = {reference.kind for reference in found.references}
    assert {Kind.ARTICLE, Kind.BOOK, Kind.CHAPTER, Kind.DATASET, Kind.SOFTWARE, Kind.THESIS} <= kinds
