"""The corpus of a root, read in numbered steps. What cannot be read is a problem, never an exception.

In memory it is a `CorpusLibrary`: entries by path, REF id, author and DOI, and which of them belong together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import PurePosixPath

from citeproof.corpus.corpus_types import CorpusEntry, CorpusLayout, CorpusTrouble
from citeproof.corpus.entries.assessments import (
    Assessment,
    load_assessments,
    match_assessed_entries,
    read_entry_grade,
)
from citeproof.corpus.entries.body_metadata import find_link_address, strip_markup
from citeproof.corpus.entries.entry_drafts import DOCUMENTS, EntryDraft, gather_drafts
from citeproof.corpus.entries.entry_fields import EntryFields, read_scalar, resolve_project_path
from citeproof.corpus.entries.ref_ids import (
    parse_file_ref_id,
    parse_ref_id,
    split_ref_heading,
    strip_ref_suffix,
)
from citeproof.corpus.grade.grade_computation import parse_grade
from citeproof.corpus.project_root import ProjectRoot
from citeproof.reading.extractors.bibtex import read_bibtex
from citeproof.reading.parse import parse_all
from citeproof.text import doi, names
from citeproof.text.title import clean
from citeproof.text.unicode import show_one_line
from citeproof.vocabulary import Claimed, Document, Name, Place, RawReference

_SURE = 0.7  # below it, a field of the parser is left out
_MAX_CITATION = 2000

_MAX_TROUBLES = 1000
_MAX_RELATED = 50  # entries that belong to one; a hostile corpus could give all of them one id
_EXAMINED = 2 * _MAX_RELATED  # entries with the same id or DOI


def load(root: ProjectRoot, layout: CorpusLayout) -> CorpusLibrary:
    """Return the corpus that a layout describes."""
    troubles: list[CorpusTrouble] = []
    drafts = gather_drafts(root, layout, troubles)  # 1 files and what they say of themselves
    add_citation_fields(drafts)  # and what their own citations say
    known = frozenset(path for draft in drafts for path in (draft.path, *draft.also, *draft.aliases))
    links = {draft.path: link for draft in drafts if (link := _find_link(draft, known))}
    _copy_descriptions(drafts, links)  # 2 documents that only a finding describes
    entries = [_make_entry(draft, layout, known, troubles) for draft in drafts]
    judged = load_assessments(root, layout, known, troubles)
    entries = _apply_assessments(entries, judged, drafts, troubles)  # 3 what assessments say of them
    troubles += _find_duplicate_refs(entries, drafts)  # 4 what does not fit
    troubles += _find_misnamed_files(entries)
    shown = (replace(item, message=show_one_line(item.message)[:300]) for item in troubles[:_MAX_TROUBLES])
    return CorpusLibrary(
        entries,
        tuple(shown),
        present=bool(drafts or judged),
        beside={side: draft.path for draft in drafts for side in (*draft.also, *draft.aliases)},
        sources=links,
    )


def _find_link(draft: EntryDraft, known: frozenset[str]) -> str:
    """Return the file of the corpus that an entry says it comes from, or has as its full text."""
    both, folder = (draft.fields(), EntryFields(draft.said)), str(PurePosixPath(draft.path).parent)
    for value in (value for own in both for name in ("source", "text") for value in own.values(name)):
        path = resolve_project_path(read_scalar(value), folder, known)
        if path in known and path != draft.path and path not in draft.also:
            return path
    return ""


def _copy_descriptions(drafts: Sequence[EntryDraft], links: dict[str, str]) -> None:
    """Give a document without metadata that of the file which names it."""
    by_path = {draft.path: draft for draft in drafts}
    for path, target in links.items():
        bare, describing = by_path.get(target), by_path[path]
        if bare is not None and bare.bare and not describing.bare:
            bare.table, bare.described = dict(describing.table), path
            bare.said, bare.authors = dict(describing.said), describing.authors
            bare.digests += describing.digests


def _make_entry(
    draft: EntryDraft, layout: CorpusLayout, known: frozenset[str], troubles: list[CorpusTrouble]
) -> CorpusEntry:
    """Return a draft as an entry, with the level that its own metadata gives."""
    fields, said, path = draft.fields(), EntryFields(draft.said), PurePosixPath(draft.path)
    pages, total = fields.pages() if any(fields.pages()) else said.pages()
    given = read_entry_grade(fields, own=True)
    grade = given.grade or parse_grade(said.text("keys", "grades"))
    troubles += [CorpusTrouble(draft.path, message) for message in given.troubles if not draft.described]
    refs = (
        parse_ref_id(read_scalar(value), layout.ref) for own in (fields, said) for value in own.values("ref")
    )
    texts = (
        resolve_project_path(read_scalar(value), str(path.parent), known)
        for own in (fields, said)
        for value in own.values("text")
    )
    return CorpusEntry(
        path=draft.path,
        role=draft.role,
        ref=next(filter(None, refs), ""),
        named=parse_file_ref_id(path.stem, layout.ref),
        title=fields.title()
        or said.title()
        or clean(split_ref_heading(strip_markup(draft.heading), layout.ref)[1]),
        authors=fields.authors() or said.authors() or draft.authors,
        year=fields.year() or said.year(),
        doi=fields.doi() or said.doi(),
        pages=pages,
        total_pages=total,
        type=(fields.text("type") or said.text("type"))[:200],
        grade=grade,
        grade_from=(draft.described or draft.path) if grade else "",
        verified=fields.read_verified_date() or said.read_verified_date(),
        retracted=fields.is_retracted() or (said.is_retracted() and not fields.is_retraction_denied()),
        text=next((text for text in texts if text and text != draft.path), ""),
        digest=_hash_parts([draft.path, *draft.digests]),
    )


def _apply_assessments(
    entries: list[CorpusEntry],
    judged: Iterable[Assessment],
    drafts: Sequence[EntryDraft],
    troubles: list[CorpusTrouble],
) -> list[CorpusEntry]:
    """Return the entries with what assessments say of them; of two, the newer counts."""
    beside = {side: draft.path for draft in drafts for side in (*draft.also, *draft.aliases)}
    library = CorpusLibrary(entries, beside=beside)
    stems: dict[str, list[str]] = defaultdict(list)
    for entry in entries:
        stems[PurePosixPath(entry.path).stem.casefold()].append(entry.path)

    def find(way: str, name: str) -> list[str]:
        if way == "stem":
            return stems.get(name, [])
        if way == "path":
            return [entry.path] if (entry := library.find_entry(name)) else []
        return [entry.path for entry in (library.ref(name) if way == "ref" else library.doi(name))]

    by_path = {entry.path: entry for entry in entries}
    for judgement in judged:
        paths = match_assessed_entries(judgement, find)
        if not paths:
            what = next(iter((*judgement.refs, *judgement.paths, judgement.doi, judgement.stem)))
            troubles.append(
                CorpusTrouble(judgement.path, f"it assesses {what}, which the corpus does not have")
            )
        for path in paths:
            by_path[path] = _add_assessment(by_path[path], judgement, troubles)
    return list(by_path.values())


def _add_assessment(entry: CorpusEntry, assessment: Assessment, troubles: list[CorpusTrouble]) -> CorpusEntry:
    if entry.grade not in (None, assessment.grade):
        level = assessment.grade
        message = f"it gives {level}, but {entry.grade_from} gives {entry.grade}; {level} counts"
        troubles.append(CorpusTrouble(assessment.path, message))
    return replace(
        entry,
        grade=assessment.grade,
        grade_from=assessment.path,
        verified=max(entry.verified, assessment.verified),
        retracted=entry.retracted or assessment.retracted,
        digest=_hash_parts([entry.digest, assessment.path, assessment.digest]),
    )


def _find_duplicate_refs(
    entries: Sequence[CorpusEntry], drafts: Sequence[EntryDraft]
) -> Iterator[CorpusTrouble]:
    """Yield files of one folder that claim the same REF id; a source and its finding may share one."""
    drafted = {draft.path: draft for draft in drafts}
    owners: dict[tuple[str, str], str] = {}
    for entry in entries:
        draft, ref = drafted[entry.path], entry.ref or entry.named
        if not ref or (entry.path.lower().endswith(DOCUMENTS) and not draft.also):
            continue  # a PDF without metadata is the full text of the entry of that id
        first = owners.setdefault((draft.home, ref), entry.path)
        if first != entry.path:
            yield CorpusTrouble(entry.path, f"{ref} is also the id of {first}")


def _find_misnamed_files(entries: Iterable[CorpusEntry]) -> Iterator[CorpusTrouble]:
    for entry in entries:
        if entry.ref and entry.named and strip_ref_suffix(entry.ref) != entry.named:
            yield CorpusTrouble(entry.path, f"its name says {entry.named}, but it states {entry.ref}")


def _hash_parts(parts: Sequence[str]) -> str:
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def add_citation_fields(drafts: Iterable[EntryDraft]) -> None:
    """Add to each draft what its citation says and nothing else does; all strings are read together."""
    citing = [draft for draft in drafts if draft.citation]
    wanting = [draft for draft in citing if _is_incomplete(draft)]
    for draft, reference in zip(wanting, parse_all(map(_make_raw_reference, wanting)), strict=True):
        _add_sure_fields(draft, reference.claimed)
    for draft in citing:
        plain = draft.citation[:_MAX_CITATION]
        if cited_doi := doi.normalise(strip_markup(plain)) or doi.normalise(find_link_address(plain)):
            draft.said.setdefault("doi", cited_doi)


def _make_raw_reference(draft: EntryDraft) -> RawReference:
    """Return a citation as the parser takes it: an entry of BibTeX with its fields, else a string."""
    if draft.citation.startswith("@"):
        cited = Document(draft.path, draft.citation.encode("utf-8", "replace"))
        entries = read_bibtex(cited).references
        if entries:
            return entries[0]
    return RawReference(draft.path, draft.citation[:_MAX_CITATION], Place())


def _is_incomplete(draft: EntryDraft) -> bool:
    """Return whether authors or year are still to be found."""
    own, said = draft.fields(), EntryFields(draft.said)
    return not (own.authors() or said.authors()) or not (own.year() or said.year())


def _add_sure_fields(draft: EntryDraft, claimed: Claimed) -> None:
    """Give a draft the sure fields of its citation; a string with only one of them may be no citation."""
    if cited_doi := claimed.ids.first("doi"):
        draft.said.setdefault("doi", cited_doi)
    given = {"title": claimed.title, "year": claimed.year, "authors": claimed.authors}
    sure = {field for field, value in given.items() if value and claimed.confidence(field) >= _SURE}
    if len(sure) < 2:
        return
    if "authors" in sure:
        draft.authors = claimed.authors
    for field in ("title", "year"):
        if field in sure:
            draft.said.setdefault(field, str(given[field]))


class CorpusLibrary:
    """The entries of a corpus; made once, asked many times."""

    def __init__(
        self,
        entries: Sequence[CorpusEntry] = (),
        problems: Sequence[CorpusTrouble] = (),
        *,
        present: bool = False,
        beside: Mapping[str, str] | None = None,
        sources: Mapping[str, str] | None = None,
    ) -> None:
        """`beside`: sidecar to entry; `sources`: finding to what its `source:` names."""
        self.entries, self.problems, self.present = tuple(entries), tuple(problems), present
        self._at = {entry.path: entry for entry in self.entries}
        self._at.update({side: self._at[path] for side, path in (beside or {}).items() if path in self._at})
        stems = ((str(PurePosixPath(path).with_suffix("")), entry) for path, entry in self._at.items())
        self._stems = dict(reversed([*stems]))  # the first of a stem counts
        self._refs = _map_ref_ids(self.entries)
        self._named = _group_by_key((entry.named, entry) for entry in self.entries)
        self._dois = _group_by_key((entry.doi, entry) for entry in self.entries)
        self._families = _group_by_key(
            (key, entry)
            for entry in self.entries
            for key in {k for name in entry.authors for k in _list_family_keys(name)}
        )
        self._links = _link_entries(self, sources or {})

    def find_entry(self, path: str) -> CorpusEntry | None:
        """Return the entry of a file or sidecar, also by its path without suffix."""
        return self._at.get(path) or self._at.get(f"{path}.md") or self._stems.get(path)

    def ref(self, ref: str) -> tuple[CorpusEntry, ...]:
        """Return what a REF id means: by front matter first, then files named after it that state none."""
        return self._refs.get(ref, ())

    def list_misnamed(self, ref: str) -> tuple[CorpusEntry, ...]:
        """Return files that are named after a REF id, but state another one."""
        return tuple(
            entry for entry in self._named.get(ref, ()) if entry.ref and strip_ref_suffix(entry.ref) != ref
        )

    def family(self, folded: str) -> tuple[CorpusEntry, ...]:
        """Return the entries that an author of this folded family name wrote."""
        return self._families.get(folded, ())

    def doi(self, doi: str) -> tuple[CorpusEntry, ...]:
        return self._dois.get(doi, ())

    def find_related(self, entry: CorpusEntry) -> tuple[CorpusEntry, ...]:
        """Return the source of a finding and the findings of a source, sources first."""
        same = (*self.ref(entry.ref or entry.named)[:_EXAMINED], *self.doi(entry.doi)[:_EXAMINED])
        related = {other.path: other for other in (*same, *self._links.get(entry.path, ()))}
        related.pop(entry.path, None)
        return tuple(sorted(related.values(), key=lambda other: other.role != "source"))[:_MAX_RELATED]


def _group_by_key(pairs: Iterable[tuple[str, CorpusEntry]]) -> dict[str, tuple[CorpusEntry, ...]]:
    groups: dict[str, list[CorpusEntry]] = {}
    for key, entry in pairs:
        if key:
            groups.setdefault(key, []).append(entry)
    return {key: tuple(entries) for key, entries in groups.items()}


def _map_ref_ids(entries: Sequence[CorpusEntry]) -> dict[str, tuple[CorpusEntry, ...]]:
    """Return what each REF id means; REF-056 means REF-056-fair where no entry has just that id."""
    stated = _group_by_key((entry.ref, entry) for entry in entries)
    suffixed = _group_by_key(
        (strip_ref_suffix(entry.ref), entry) for entry in entries if strip_ref_suffix(entry.ref) not in stated
    )
    by_name = _group_by_key((entry.named, entry) for entry in entries if not entry.ref)
    both = {**suffixed, **stated}
    return {ref: (*both.get(ref, ()), *by_name.get(ref, ())) for ref in {**both, **by_name}}


def is_first_author(entry: CorpusEntry, folded: str) -> bool:
    """Return whether the first author of an entry has this folded family name."""
    return bool(entry.authors) and folded in _list_family_keys(entry.authors[0])


def _list_family_keys(name: Name) -> set[str]:
    """Return what a family name may be searched for by: whole, without particles, and its parts."""
    return {names.make_family_key(name), names.fold_whole_family(name), *names.fold_family_words(name)} - {""}


def _link_entries(library: CorpusLibrary, sources: Mapping[str, str]) -> dict[str, tuple[CorpusEntry, ...]]:
    """Return what `source:` and the full text join, both ways."""
    pairs = []
    for path, target in sources.items():
        entry, other = library.find_entry(path), library.find_entry(target)
        if entry and other and entry is not other:
            pairs += [(entry.path, other), (other.path, entry)]
    return _group_by_key(pairs)
