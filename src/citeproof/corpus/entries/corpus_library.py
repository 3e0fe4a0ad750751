"""A corpus in memory: entries by path, REF id, author and DOI, and which of them belong together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath

from citeproof.corpus.corpus_types import CorpusEntry, CorpusTrouble
from citeproof.corpus.entries.ref_ids import strip_ref_suffix
from citeproof.text import names
from citeproof.vocabulary import Name

_MAX_RELATED = 50  # entries that belong to one; a hostile corpus could give all of them one id
_EXAMINED = 2 * _MAX_RELATED  # entries with the same id or DOI


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
