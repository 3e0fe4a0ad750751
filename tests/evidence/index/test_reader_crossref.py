"""Crossref's dump: what is written comes back, fields of wrong types do no harm."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from citeproof.evidence.index.readers.base import BadRecord, find_reader, read_entries
from citeproof.evidence.index.readers.crossref import READER
from citeproof.evidence.upstream_records.crossref import make_record
from citeproof.laboratory.testing.apis.crossref import build_crossref_item
from citeproof.vocabulary import Kind, Record
from tests.evidence.sources.bending import bent
from tests.evidence.sources.shelved import ELEMENTS, HIGGS, PLANCK, RESNET, WAKEFIELD


def test_what_is_written_comes_back(tmp_path: Path) -> None:
    held = (RESNET, WAKEFIELD, PLANCK, ELEMENTS, HIGGS)
    path = tmp_path / "0.json"
    path.write_text(json.dumps({"items": [build_crossref_item(one) for one in held]}))
    found = list(READER.read([path]))
    for made, wanted in zip(found, held, strict=True):
        assert isinstance(made, Record)
        assert (made.titles, made.authors, made.kind) == (wanted.titles, wanted.authors, wanted.kind)
        assert made.publisher == wanted.publisher
        assert set(made.marks) == set(wanted.marks)
        assert made.versions[0].venue == wanted.versions[0].venue
        published = [v.year for v in wanted.versions if v.kind is not Kind.PREPRINT]
        assert [v.year for v in made.versions] == published
        assert made.versions[0].pages == wanted.versions[0].pages
        assert made.ids.first("isbn") == wanted.ids.first("isbn")
        assert made.id == wanted.ids.first("doi")
        assert (made.work, made.read_at, made.content_hash) == ("", None, "")


def test_fields_of_wrong_types_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "0.jsonl"
    works = list(bent(build_crossref_item(WAKEFIELD)))
    path.write_text("".join(json.dumps(work) + "\n" for work in works))
    found = list(READER.read([path]))
    assert len(found) == len(works)
    for made, work in zip(found, works, strict=True):
        assert isinstance(made, BadRecord) if make_record(work) is None else made == make_record(work)


def test_it_is_found_by_name_and_gives_entries(tmp_path: Path) -> None:
    path = tmp_path / "0.jsonl"
    path.write_text(json.dumps(build_crossref_item(PLANCK)))
    assert find_reader("crossref") is READER
    (entry,) = read_entries(READER, [path])
    assert not isinstance(entry, BadRecord)
    assert ("doi", "10.1002/andp.19013090310") in entry.ids
    assert "Crossref DOI" in READER.covers_note


@pytest.mark.parametrize("text", ['"\\ud800"', '{"DOI": "10.1234/a", "title": ["\\ud800"]}'])
def test_half_a_character_is_a_bad_record(tmp_path: Path, text: str) -> None:
    path = tmp_path / "0.jsonl"
    path.write_text(text)
    assert [type(one) for one in read_entries(READER, [path])] == [BadRecord]
