"""The corpus of a root, read in numbered steps. What cannot be read is a problem, never an exception."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import PurePosixPath

from citeproof.corpus.entries.assessing import Assessment, assessments, matched
from citeproof.corpus.entries.base import Entry, Reading, Trouble
from citeproof.corpus.entries.cited import cite
from citeproof.corpus.entries.fields import Fields, located, scalar
from citeproof.corpus.entries.gather import DOCUMENTS, Draft, drafts
from citeproof.corpus.entries.grading import graded
from citeproof.corpus.entries.library import Library
from citeproof.corpus.entries.markup import unmarked
from citeproof.corpus.entries.refs import headed, named, number, ref_id
from citeproof.corpus.grade.levels import level
from citeproof.corpus.layout import Layout
from citeproof.text.title import clean
from citeproof.text.unicode import one_line

_MAX_TROUBLES = 1000


def load(root: Reading, layout: Layout) -> Library:
    """Return the corpus that a layout describes."""
    troubles: list[Trouble] = []
    found = drafts(root, layout, troubles)  # 1 files and what they say of themselves
    cite(found)  # and what their own citations say
    known = frozenset(path for draft in found for path in (draft.path, *draft.also, *draft.aliases))
    links = {draft.path: link for draft in found if (link := _link(draft, known))}
    _described(found, links)  # 2 documents that only a finding describes
    entries = [_entry(draft, layout, known, troubles) for draft in found]
    judged = assessments(root, layout, known, troubles)
    entries = _assessed(entries, judged, found, troubles)  # 3 what assessments say of them
    troubles += [*_twice(entries, found), *_misnamed(entries)]  # 4 what does not fit
    return Library(
        entries,
        [replace(one, message=one_line(one.message)[:300]) for one in troubles[:_MAX_TROUBLES]],
        present=bool(found or judged),
        beside={side: draft.path for draft in found for side in (*draft.also, *draft.aliases)},
        sources=links,
    )


def _link(draft: Draft, known: frozenset[str]) -> str:
    """Return the file of the corpus that an entry says it comes from, or has as its full text."""
    both, folder = (draft.fields(), Fields(draft.said)), str(PurePosixPath(draft.path).parent)
    for value in (value for own in both for name in ("source", "text") for value in own.values(name)):
        path = located(scalar(value), folder, known)
        if path in known and path != draft.path and path not in draft.also:
            return path
    return ""


def _described(found: Sequence[Draft], links: dict[str, str]) -> None:
    """Give a document without metadata that of the file which names it."""
    by_path = {draft.path: draft for draft in found}
    for path, target in links.items():
        bare, describing = by_path.get(target), by_path[path]
        if bare is not None and bare.bare and not describing.bare:
            bare.table, bare.described = dict(describing.table), path
            bare.said, bare.authors = dict(describing.said), describing.authors
            bare.digests += describing.digests


def _entry(draft: Draft, layout: Layout, known: frozenset[str], troubles: list[Trouble]) -> Entry:
    """Return a draft as an entry, with the level that its own metadata gives."""
    fields, said, path = draft.fields(), Fields(draft.said), PurePosixPath(draft.path)
    pages, total = fields.pages() if any(fields.pages()) else said.pages()
    given = graded(fields, own=True)
    grade = given.grade or level(said.text("keys", "grades"))
    troubles += [Trouble(draft.path, message) for message in given.troubles if not draft.described]
    refs = (ref_id(scalar(value), layout.ref) for own in (fields, said) for value in own.values("ref"))
    texts = (
        located(scalar(value), str(path.parent), known)
        for own in (fields, said)
        for value in own.values("text")
    )
    return Entry(
        path=draft.path,
        role=draft.role,
        ref=next(filter(None, refs), ""),
        named=named(path.stem, layout.ref),
        title=fields.title() or said.title() or clean(headed(unmarked(draft.heading), layout.ref)[1]),
        authors=fields.authors() or said.authors() or draft.authors,
        year=fields.year() or said.year(),
        doi=fields.doi() or said.doi(),
        pages=pages,
        total_pages=total,
        type=(fields.text("type") or said.text("type"))[:200],
        grade=grade,
        grade_from=(draft.described or draft.path) if grade else "",
        verified=fields.verified() or said.verified(),
        retracted=fields.retracted() or (said.retracted() and not fields.denied()),
        text=next((one for one in texts if one and one != draft.path), ""),
        digest=_digest([draft.path, *draft.digests]),
    )


def _assessed(
    entries: list[Entry], judged: Iterable[Assessment], found: Sequence[Draft], troubles: list[Trouble]
) -> list[Entry]:
    """Return the entries with what assessments say of them; of two, the newer counts."""
    beside = {side: draft.path for draft in found for side in (*draft.also, *draft.aliases)}
    library = Library(entries, beside=beside)
    stems: dict[str, list[str]] = defaultdict(list)
    for entry in entries:
        stems[PurePosixPath(entry.path).stem.casefold()].append(entry.path)

    def find(way: str, name: str) -> list[str]:
        if way == "stem":
            return stems.get(name, [])
        if way == "path":
            return [entry.path] if (entry := library.at(name)) else []
        return [entry.path for entry in (library.ref(name) if way == "ref" else library.doi(name))]

    by_path = {entry.path: entry for entry in entries}
    for one in judged:
        paths = matched(one, find)
        if not paths:
            what = next(iter((*one.refs, *one.paths, one.doi, one.stem)))
            troubles.append(Trouble(one.path, f"it assesses {what}, which the corpus does not have"))
        for path in paths:
            by_path[path] = _with(by_path[path], one, troubles)
    return list(by_path.values())


def _with(entry: Entry, one: Assessment, troubles: list[Trouble]) -> Entry:
    if entry.grade not in (None, one.grade):
        message = f"it gives {one.grade}, but {entry.grade_from} gives {entry.grade}; {one.grade} counts"
        troubles.append(Trouble(one.path, message))
    return replace(
        entry,
        grade=one.grade,
        grade_from=one.path,
        verified=max(entry.verified, one.verified),
        retracted=entry.retracted or one.retracted,
        digest=_digest([entry.digest, one.path, one.digest]),
    )


def _twice(entries: Sequence[Entry], found: Sequence[Draft]) -> Iterator[Trouble]:
    """Yield files of one folder that claim the same REF id; a source and its finding may share one."""
    drafted = {draft.path: draft for draft in found}
    owners: dict[tuple[str, str], str] = {}
    for entry in entries:
        draft, ref = drafted[entry.path], entry.ref or entry.named
        if not ref or (entry.path.lower().endswith(DOCUMENTS) and not draft.also):
            continue  # a PDF without metadata is the full text of the entry of that id
        first = owners.setdefault((draft.home, ref), entry.path)
        if first != entry.path:
            yield Trouble(entry.path, f"{ref} is also the id of {first}")


def _misnamed(entries: Iterable[Entry]) -> Iterator[Trouble]:
    for entry in entries:
        if entry.ref and entry.named and number(entry.ref) != entry.named:
            yield Trouble(entry.path, f"its name says {entry.named}, but it states {entry.ref}")


def _digest(parts: Sequence[str]) -> str:
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]
