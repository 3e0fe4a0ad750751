"""Documents through an engine: order, lost references, documents that cannot be read."""

from __future__ import annotations

from dataclasses import replace

import pytest

from citeproof.errors import InputError
from citeproof.service.check_session import begin_check
from citeproof.vocabulary import (
    Document,
    Extraction,
    Finding,
    FindingState,
    Place,
    Problem,
    RawReference,
    SetFinding,
)


class Engine:
    """An engine that reads nothing and gives back what it was made with."""

    def __init__(self, checked, **extractions):
        self._checked, self._extractions = checked, extractions

    def extract(self, document):
        found = self._extractions[document.name]
        if isinstance(found, Exception):
            raise found
        return found

    async def verify(self, extraction, done=0, *, unordered=False):
        for raw in extraction.references[done:][:: -1 if unordered else 1]:
            checked = self._checked[raw.key]
            reference = replace(checked.reference, place=raw.place) if unordered else checked.reference
            yield replace(checked, reference=reference) if unordered else checked

    async def examine_set(self, document, extraction, members):
        found = Finding("duplicate_reference", FindingState.FINDING, source="document")
        assert len(members) == len(extraction.references)
        keys = tuple(member.key for member in members)
        return [SetFinding(found, Place(document, 1), keys)] if len(members) > 1 else []

    def run(self, documents, extractions):
        return tuple(p for e in extractions for p in e.problems)

    async def close(self):
        self.closed = True


def _references(*keys):
    return tuple(RawReference(key, "", Place("f", 10 * n, 1, 10 * n + 5)) for n, key in enumerate(keys, 1))


def test_references_come_in_document_order(made_checked):
    engine = Engine(
        made_checked, a=Extraction(_references("minor", "exact")), b=Extraction(_references("unchecked"))
    )
    checking = begin_check(engine, [Document("a", b""), Document("b", b"")])
    assert checking.total == 3
    assert list(checking) == [made_checked[name] for name in ("minor", "exact", "unchecked")]
    assert [(one.place.file, one.keys) for one in checking.set_findings] == [
        ("a", (made_checked["minor"].key, made_checked["exact"].key))
    ]


def test_references_that_come_as_they_are_done_are_looked_at_together_in_order(made_checked):
    engine = Engine(made_checked, a=Extraction(_references("minor", "exact", "unchecked")))
    checking = replace(begin_check(engine, [Document("a", b"")]), unordered=True)
    keys = [made_checked[name].key for name in ("minor", "exact", "unchecked")]
    assert [checked.key for checked in checking] == keys[::-1]
    assert [one.keys for one in checking.set_findings] == [tuple(keys)]


def test_a_reader_that_stops_early_leaves_nothing_running(made_checked):
    checking = begin_check(
        Engine(made_checked, a=Extraction(_references("minor", "exact"))), [Document("a", b"")]
    )
    stream = iter(checking)
    assert next(stream) is made_checked["minor"]
    stream.close()


@pytest.mark.parametrize(
    ("lines", "expected", "lost"),
    [
        ([], None, 0),
        ([12], None, 0),  # on a reference: a warning about it
        ([17], None, 1),  # between references: one was lost
        ([None], None, 0),  # about the whole document
        ([17, 40], None, 2),
        ([], 2, 0),
        ([], 5, 3),
        ([17], 3, 1),
    ],
)
def test_lost(lines, expected, lost, made_checked):
    problems = tuple(Problem(Place("f", line), "m") for line in lines)
    extraction = Extraction(_references("minor", "exact"), problems, expected)
    assert begin_check(Engine(made_checked, a=extraction), [Document("a", b"")]).lost == lost


@pytest.mark.parametrize(
    ("places", "lost"),
    [
        ([Place("f", 1, start=5, end=9)], 0),  # inside a reference
        ([Place("f", 1, start=25, end=30)], 1),  # on its line, behind it
        ([Place("f", 1, start=10, end=12), Place("f", 1, start=45, end=50)], 2),
        ([Place("f", 1)], 0),  # only its line is known
        ([Place("f", 2)], 1),
    ],
)
def test_on_one_line_bytes_tell_what_was_lost(places, lost, made_checked):
    references = tuple(
        RawReference("exact", "", Place("f", 1, 1, 1, start=start, end=end))
        for start, end in [(0, 10), (20, 25)]
    )
    extraction = Extraction(references, tuple(Problem(place, "m") for place in places))
    assert begin_check(Engine(made_checked, a=extraction), [Document("a", b"")]).lost == lost


def test_one_unreadable_document_is_a_problem_beside_the_others(made_checked):
    engine = Engine(
        made_checked, a=InputError("is binary", hint="convert it"), b=Extraction(_references("exact"))
    )
    checking = begin_check(engine, [Document("a", b""), Document("b", b"")])
    assert checking.run == (Problem(Place("a", 1), "is binary", "convert it", whole=True),)
    assert (checking.total, checking.lost) == (1, 1)


def test_nothing_readable_is_an_error(made_checked):
    with pytest.raises(InputError, match="is binary"):
        begin_check(Engine(made_checked, a=InputError("is binary")), [Document("a", b"")])
