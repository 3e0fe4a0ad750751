"""Reading on from a bookmark: whatever the format and wherever it lies, exactly the rest comes."""

from __future__ import annotations

import gzip

import pytest

from citeproof.evidence.index.readers.base import BadRecord, Bookmark, find_reader, list_readers, read_entries
from tests.evidence.index.dumps import MAKERS, crossref_tar, tarred


def test_every_reader_is_here():
    assert set(MAKERS) == set(list_readers())


@pytest.mark.parametrize("name", list_readers())
def test_the_rest_comes_from_any_place(name, tmp_path):
    paths = MAKERS[name](tmp_path, 7)
    at = Bookmark()
    items, places = [], [(0, 0)]
    for item in read_entries(find_reader(name), paths, at):
        items.append(item)
        places.append((at.pieces, at.items))
    assert len(items) > 8
    assert any(isinstance(item, BadRecord) for item in items)
    assert not all(isinstance(item, BadRecord) for item in items)
    for taken, place in enumerate(places):
        assert list(read_entries(find_reader(name), paths, Bookmark(*place))) == items[taken:], place


@pytest.mark.parametrize("name", list_readers())
def test_reading_without_a_bookmark_is_reading_from_the_start(name, tmp_path):
    paths = MAKERS[name](tmp_path, 3)
    assert list(find_reader(name).read(paths)) == list(find_reader(name).read(paths, Bookmark()))


def test_members_before_the_bookmark_are_not_unpacked(tmp_path):
    reader = find_reader("crossref")
    at = Bookmark()
    path = crossref_tar(tmp_path, 9)[0]
    items = list(read_entries(reader, [path], at))
    damaged = gzip.compress(b"x")[:5]
    whole = gzip.compress(b'{"DOI": "10.1000/1", "title": ["The one that is read"]}')
    other = tarred(tmp_path / "b.tar", {f"{n}.json.gz": damaged for n in range(4)} | {"5.json.gz": whole})
    rest = list(read_entries(reader, [other], Bookmark(5, 0)))
    assert len(items) > len(rest) == 1
    assert not isinstance(rest[0], BadRecord)
    assert list(rest[0].titles) == ["The one that is read"]
