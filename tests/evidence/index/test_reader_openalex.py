"""OpenAlex's snapshot, as JSON lines: what is written comes back."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from citeproof.evidence.index.readers.base import BadRecord, find_reader
from citeproof.evidence.index.readers.openalex import READER
from citeproof.evidence.upstream_records.openalex import make_record
from citeproof.laboratory.testing.apis.openalex import build_openalex_work
from citeproof.vocabulary import Record
from tests.evidence.sources.bending import bent
from tests.evidence.sources.shelved import ALL, RESNET

WORKS: list[dict[str, Any]] = [{**build_openalex_work(one), "abstract_inverted_index": None} for one in ALL]


def same(found: list[Record | BadRecord]) -> bool:
    records = [one for one in found if isinstance(one, Record)]
    return records == [make_record(work) for work in WORKS]


def test_lines(tmp_path: Path) -> None:
    path = tmp_path / "part_0000.gz"
    path.write_bytes(gzip.compress("".join(json.dumps(work) + "\n" for work in WORKS).encode()))
    found = list(READER.read([path]))
    assert same(found)
    for made, wanted in zip(found, ALL, strict=True):
        assert isinstance(made, Record)
        assert (made.title, made.authors, made.kind) == (wanted.title, wanted.authors, wanted.kind)
        assert made.versions[0].year == wanted.versions[0].year
    assert find_reader("openalex") is READER
    assert "arXiv" in READER.covers_note


def test_fields_of_wrong_types_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "0.jsonl"
    works = list(bent(build_openalex_work(RESNET)))
    path.write_text("".join(json.dumps(work) + "\n" for work in works))
    found = list(READER.read([path]))
    assert len(found) == len(works)
    for made, work in zip(found, works, strict=True):
        assert isinstance(made, BadRecord) if make_record(work) is None else made == make_record(work)
