"""The documents of one archive, read one after the other, to one extraction."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from posixpath import dirname

from citeproof.errors import InputError
from citeproof.reading.extractors import reading_progress
from citeproof.reading.extractors.archive.archive_members import UnpackedArchive, unpack_archive
from citeproof.reading.extractors.archive.file_choice import FileChoice, choose_documents
from citeproof.reading.extractors.base import detect_extractor
from citeproof.reading.extractors.decoded_text import make_inner_document, refuse_flood
from citeproof.reading.extractors.records.adjacent_files import ArchiveFiles
from citeproof.vocabulary import (
    NO_FACTS,
    Document,
    DocumentFacts,
    Extraction,
    KeyPlace,
    Place,
    Problem,
    RawReference,
)

FORMAT = "archive"
_NAMED = 5  # files that a note names
_CITING = 20  # sentences of one reference
_ONCE = "unpack it and pass its files"
# Zips that are neither archives nor read: the folder that gives them away, what they are, what to do.
_OFFICE = (
    ("xl/", "an Excel workbook", "save the sheet as CSV"),
    ("ppt/", "a PowerPoint presentation", "save its references as plain text"),
)


def read_archive(document: Document) -> Extraction:
    """Return the references of every document in an archive, and what could not be read."""
    unpacked = unpack_archive(document)
    unpacked.encoding = document.encoding
    if unpacked.single:
        return _read_single_file(unpacked)
    if "[Content_Types].xml" in unpacked.members:
        for folder, what, hint in _OFFICE:
            if any(name.startswith(folder) for name in unpacked.members):
                raise InputError(f"is {what}", place=unpacked.archive, hint=hint)
    choice = choose_documents(unpacked.members)
    reading = _ArchiveReader(unpacked)
    reading.all_of(choice)
    return reading.extraction(choice)


class _ArchiveReader:
    """What came out of each document so far."""

    def __init__(self, unpacked: UnpackedArchive) -> None:
        self._found = unpacked
        self._read: dict[str, tuple[Extraction, ArchiveFiles]] = {}

    def all_of(self, choice: FileChoice) -> None:
        """Read every document; one that cannot be read is a problem next to the others."""
        for done, name in enumerate(choice.documents, start=1):
            adjacent = ArchiveFiles(self._found.members, dirname(name))
            data, full = self._found.members[name], f"{self._found.archive}!/{name}"
            document = replace(make_inner_document(full, data, self._found.encoding), beside=adjacent)
            try:
                with reading_progress.forward_progress(lambda *_: None):
                    self._read[name] = choice.documents[name].extract(document), adjacent
            except InputError as error:
                self._fail(name, error)
            reading_progress.report_progress(done, len(choice.documents))
        for name, why in choice.unreadable.items():
            self._fail(name, why)
        for name in choice.nested:
            self._fail(name, InputError("an archive inside an archive is not unpacked", hint=_ONCE))

    def _fail(self, name: str, error: InputError) -> None:
        self._found.tell(name, error.message, error.hint)

    def extraction(self, choice: FileChoice) -> Extraction:
        """Return all that was read, each reference once; InputError if nothing could be."""
        names = self._list_documents()
        if not names:
            raise self._explain_nothing()
        references: dict[tuple[str, Place, str], RawReference] = {}
        problems = [*self._found.problems]
        counts: list[int] = []
        twice = 0
        for name in names:
            extraction, adjacent = self._read[name]
            for reference in extraction.references:
                moved = replace(reference, place=self._move_place(reference.place, adjacent))
                known = (moved.key, moved.place, moved.text)
                before = references.get(known)
                citing = (*before.citing, *moved.citing) if before else moved.citing
                references[known] = replace(moved, citing=tuple(dict.fromkeys(citing))[:_CITING])
                twice += before is not None
            problems += (replace(p, place=self._move_place(p.place, adjacent)) for p in extraction.problems)
            counts.append(len(extraction.references) if extraction.expected is None else extraction.expected)
        refuse_flood(len(references), self._found.archive)
        counted = any(self._read[name][0].expected is not None for name in names)
        return Extraction(
            tuple(references.values()),
            (*dict.fromkeys(problems), *self._note_left_out(choice, names)),
            sum(counts) - twice if counted else None,
            FORMAT,
            self._merge_facts(names, list(references.values())),
            dated=next(iter(days)) if len(days := {self._read[name][0].dated for name in names}) == 1 else "",
        )

    def _merge_facts(self, names: list[str], references: list[RawReference]) -> DocumentFacts:
        """Return what the documents say: authors of one alone, keys of all; what one cites is in use."""
        facts = [(self._read[name][0].about, self._read[name][1]) for name in names]
        cited = {(reference.key, reference.place.file) for reference in references}
        undefined, uncited = (
            dict.fromkeys(
                KeyPlace(value.key, self._move_place(value.place, adjacent))
                for about, adjacent in facts
                for value in getattr(about, field)
            )
            for field in ("undefined", "uncited")
        )
        unused = tuple(entry for entry in uncited if (entry.key, entry.place.file) not in cited)
        alone = facts[0][0] if len(facts) == 1 else NO_FACTS
        return DocumentFacts(alone.authors, tuple(undefined), unused, alone.saved_by)

    def _list_documents(self) -> list[str]:
        used = {name: adjacent.used - {name} for name, (_, adjacent) in self._read.items()}
        names: list[str] = []
        for name in sorted(used, key=lambda name: any(name in theirs for theirs in used.values())):
            if not any(name in used[other] for other in names):
                names.append(name)
        return [name for name in used if name in names]

    def _move_place(self, place: Place, adjacent: ArchiveFiles) -> Place:
        if place.file.startswith(f"{self._found.archive}!/"):
            return place
        full = adjacent.full(place.file) if place.file else None
        return replace(place, file=f"{self._found.archive}!/{full or place.file}")

    def _explain_nothing(self) -> InputError:
        first = next(iter(self._found.problems), None)
        if first is None:
            message = "contains no document in a known format"
            return InputError(message, place=self._found.archive, hint="see docs/formats.md")
        return InputError(first.message, place=first.place.file, hint=first.hint)

    def _note_left_out(self, choice: FileChoice, names: list[str]) -> Iterable[Problem]:
        used = {name for read in names for name in self._read[read][1].used}
        if passed := [name for name in choice.passed if name not in used]:
            yield self._note(passed, "no document in a known format")
        if unused := [name for name in choice.parts if name not in used]:
            yield self._note(unused, f"not used by {', '.join(choice.mains[:3])}")

    def _note(self, names: list[str], why: str) -> Problem:
        telling = sorted(names, key=lambda name: name.startswith(".") or "/." in name)  # hidden ones last
        shown = ", ".join(name[-100:] for name in telling[:_NAMED])
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        count = "1 file was" if len(names) == 1 else f"{len(names)} files were"
        message = f"{count} passed over ({why}): {shown}{more}"
        return Problem(Place(self._found.archive), message, note=True)


def _read_single_file(unpacked: UnpackedArchive) -> Extraction:
    ((name, data),) = unpacked.members.items()
    document = make_inner_document(f"{unpacked.archive}!/{name}", data, unpacked.encoding)
    extractor = detect_extractor(document)
    if extractor.name == FORMAT:
        raise InputError("an archive inside an archive is not unpacked", place=document.name, hint=_ONCE)
    extraction = extractor.extract(document)
    return replace(extraction, problems=(*unpacked.problems, *extraction.problems), format=FORMAT)
