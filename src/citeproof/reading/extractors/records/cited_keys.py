"""Documents that cite by key: the cited entries of their bibliographies, and what is undefined or unused."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256

from citeproof.errors import InputError
from citeproof.reading.extractors.base import detect_extractor, load_extractors
from citeproof.reading.extractors.bibtex import read_bibtex
from citeproof.reading.extractors.decoded_text import decode, make_inner_document, refuse_flood
from citeproof.reading.extractors.prose.citing_sentences import MAX_SENTENCES
from citeproof.reading.extractors.records import yaml_bibliography, yaml_text
from citeproof.reading.extractors.records.adjacent_files import ArchiveFiles, FolderFiles
from citeproof.text import lazy_patterns as re
from citeproof.text.latex_commands import NO_MACROS, Macros
from citeproof.vocabulary import Document, KeyPlace, Place, Problem, RawReference
from citeproof.vocabulary.quick_dataclass import dataclass, replace
from citeproof.vocabulary.references import AdjacentFiles

_BY_SUFFIX = {".bib": "bibtex", ".bibtex": "bibtex", ".json": "csl_json", ".ris": "ris"}
_YAML = (".yml", ".yaml")
MAX_LIBRARIES = 500  # files that one document names
_SHOWN = 8  # keys named in a note
_ABOVE = re.compile(r"(?:\.\./){1,99}")
_ALIASES = re.compile(r"\bids\s{0,9}=\s{0,9}[{\"]([^{}\"]{1,2000})[}\"]", re.IGNORECASE)
_PARENT = re.compile(r"\b(?:crossref|xdata)\s{0,9}=\s{0,9}[{\"]([^{}\"]{1,300})[}\"]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class KeyedLibrary:
    """One bibliography of a document. `printed`: all of it is in the document, cited or not."""

    name: str
    references: tuple[RawReference, ...]
    problems: tuple[Problem, ...] = ()
    printed: bool = False


@dataclass(frozen=True, slots=True)
class CitedKeys:
    """What a document cites: its keys in order with the sentences, and where a key is first cited."""

    sentences: Mapping[str, tuple[str, ...]]
    where: Callable[[str], Place]
    everything: bool = False  # the whole bibliography is asked for: \\nocite{*}


@dataclass(frozen=True, slots=True)
class ResolvedCitations:
    """The cited entries in order of first citation, what was wrong, and the keys that do not fit."""

    references: tuple[RawReference, ...]
    problems: list[Problem]
    undefined: tuple[KeyPlace, ...] = ()
    uncited: tuple[KeyPlace, ...] = ()


class LibraryList:
    """The bibliographies of one document. A file may have many names, by links; each content is read once."""

    def __init__(self, macros: Macros = NO_MACROS, encoding: str = "") -> None:
        self.libraries: list[KeyedLibrary] = []
        self._macros = macros  # of the document
        self._encoding = encoding  # of the document, if it is stated
        self._known: set[tuple[str, bytes]] = set()  # how a content was read, and its hash
        self._entries = 0

    def add(self, path: str, data: bytes) -> None:
        """Add the bibliography file at `path` unless it is here; InputError if it is not one or too much."""
        suffix = _read_suffix(path)
        known = ("yaml" if suffix in _YAML else _BY_SUFFIX.get(suffix, ""), sha256(data).digest())
        if known in self._known:
            return
        self._known.add(known)
        self.put(read_library(make_inner_document(path, data, self._encoding), self._macros))

    def add_named(
        self, path: str, adjacent: AdjacentFiles | None, place: Place, problems: list[Problem]
    ) -> str:
        """Add a file that the document names at `place`; return the words for one that is not there."""
        data = adjacent.read(path) if adjacent else None
        try:
            if data is not None:
                self.add(path, data)
                return ""
            message, hint = explain_unread_file("the bibliography", path, adjacent)
        except InputError as error:
            problems.append(Problem(place, f"the bibliography {path!r}: {error.message}", error.hint))
            return ""
        problems.append(Problem(place, message, hint))
        return message

    def put(self, library: KeyedLibrary) -> None:
        """Add a bibliography; InputError if that makes too many entries."""
        refuse_flood(self._entries + len(library.references), library.name)
        self._entries += len(library.references)
        self.libraries.append(library)


def read_library(document: Document, macros: Macros = NO_MACROS) -> KeyedLibrary:
    """Return the entries of a bibliography file, as a document with `macros` prints them.

    InputError if it is not one.
    """
    path = document.name
    suffix = _read_suffix(path)
    if suffix in _YAML:
        decoded = decode(document)
        entries = yaml_text.split_yaml_entries(decoded.text)
        if csl := next((span for key, *span in entries if key == "references"), None):
            references, problems = yaml_bibliography.read_csl_yaml(decoded, *csl)
        else:
            references, problems = yaml_bibliography.read_hayagriva(decoded)
        return KeyedLibrary(document.name, tuple(references), (*decoded.problems, *problems))
    extractor = load_extractors().get(_BY_SUFFIX.get(suffix, "")) or detect_extractor(document)
    if extractor.hostile or extractor.name in ("latex", "markdown", "rst", "typst"):
        raise InputError("is not a readable bibliography", place=path, hint="save it as BibTeX or CSL-JSON")
    extraction = read_bibtex(document, macros) if extractor.name == "bibtex" else extractor.extract(document)
    return KeyedLibrary(path, extraction.references, extraction.problems)


def _read_suffix(path: str) -> str:
    return "." + path.rpartition(".")[2].lower()


def explain_unread_file(what: str, path: str, adjacent: AdjacentFiles | None) -> tuple[str, str]:
    """Return what to say of a file that could not be had, and the hint: not there, or out of bounds."""
    inside = isinstance(adjacent, ArchiveFiles) and adjacent.full(path) is not None
    if path.startswith(("../", "/", "~")) and not inside:
        message = f"{what} {path!r} is outside the document's folder and is not read"
        above = _ABOVE.match(path)
        if above is None:
            return message, "put a copy next to the document"
        folder = adjacent.show_path(above[0]) if isinstance(adjacent, FolderFiles) else above[0].rstrip("/")
        hint = f"check the folder {folder!r} as a whole or packed into an archive"
        return message, f"{hint}, or put a copy next to the document"
    return f"{what} {path!r} does not exist", "put it next to the document"


def resolve_citations(
    cited: CitedKeys, libraries: Sequence[KeyedLibrary], missing: str = ""
) -> ResolvedCitations:
    """Return the cited entries in order of first citation, and what was wrong.

    The first library that defines a key wins. `missing` says which bibliography was not available.
    """
    index, problems = _index_entries(libraries)
    by_list: dict[int, tuple[list[RawReference], list[str]]] = {}
    undefined: list[KeyPlace] = []
    for key, quoted in cited.sentences.items():
        entries = index.get(key) or index.get(key.lower())
        if entries is None:
            undefined.append(KeyPlace(key, cited.where(key)))
            problems.append(_make_undefined_problem(undefined[-1], missing))
        else:
            by_list.setdefault(id(entries), (entries, []))[1].extend(quoted)
    chosen: dict[int, RawReference] = {}
    for listed, sentences in by_list.values():  # forms of a key times entries of that key: read once each
        for entry in listed:
            citing = (*chosen.get(id(entry), entry).citing, *sentences[:MAX_SENTENCES])
            chosen[id(entry)] = replace(entry, citing=citing[:MAX_SENTENCES])
    winners = {id(entry) for key, listed in index.items() for entry in listed if entry.key == key}
    unused: list[tuple[KeyedLibrary, list[RawReference]]] = []
    for one_library in libraries:
        rest = [entry for entry in one_library.references if id(entry) not in chosen and id(entry) in winners]
        if cited.everything or one_library.printed:
            chosen |= {id(reference): reference for reference in rest}
        if not cited.everything and (left := _list_unused(one_library, rest, chosen)):
            unused.append((one_library, left))
    ordered = _order_references(chosen, libraries)
    refuse_flood(len(ordered), libraries[0].name if libraries else "")
    problems += [
        _make_unused_note(one_library, [entry.key for entry in left]) for one_library, left in unused
    ]
    problems += [problem for one_library in libraries for problem in _select_problems(one_library, chosen)]
    uncited = [
        KeyPlace(entry.key, Place(file=entry.place.file, line=entry.place.line))
        for _, left in unused
        for entry in left
    ]
    return ResolvedCitations(ordered, problems, () if missing else tuple(undefined), tuple(uncited))


def _order_references(
    chosen: dict[int, RawReference], libraries: Sequence[KeyedLibrary]
) -> tuple[RawReference, ...]:
    printed = [id(entry) for each in libraries if each.printed for entry in each.references]
    listed = frozenset(printed)
    cited = [reference for at, reference in chosen.items() if at not in listed]
    return (*cited, *(chosen[at] for at in printed if at in chosen))


def _index_entries(libraries: Sequence[KeyedLibrary]) -> tuple[dict[str, list[RawReference]], list[Problem]]:
    """Return the entries by key, exact and in lower case, and the keys that several files define."""
    index: dict[str, list[RawReference]] = {}
    problems: list[Problem] = []
    for one_library in libraries:
        own: dict[str, list[RawReference]] = {}
        for entry in one_library.references:
            alias_list = _ALIASES.search(entry.text) if "ids" in entry.text else None
            aliases = (
                [alias for part in alias_list[1].split(",") if (alias := part.strip())] if alias_list else []
            )
            for key in (entry.key, *aliases):
                own.setdefault(key, []).append(entry)
        for key, listed in own.items():
            if key not in index:
                index[key] = listed
            elif not one_library.printed:
                first = index[key][0].place
                message = (
                    f"the key {key!r} is also defined in {first.file}, line {first.line}; that one is used"
                )
                problems.append(
                    Problem(listed[0].place, message, "delete one of the two", listed[0].text[:500])
                )
    for key in list(index):
        index.setdefault(key.lower(), index[key])
    return index, problems


def _make_undefined_problem(citation: KeyPlace, missing: str) -> Problem:
    if missing:
        message = f"the key {citation.key!r} is cited, but {missing}"
        return Problem(citation.place, message, "put the bibliography next to the document", citation.key)
    message = f"the key {citation.key!r} is cited but not defined"
    hint = "define it in the bibliography, or correct the key"
    return Problem(citation.place, message, hint, citation.key, finding="undefined_key")


def _list_unused(
    one_library: KeyedLibrary, rest: Sequence[RawReference], chosen: dict[int, RawReference]
) -> list[RawReference]:
    """Return the entries that are never cited; parents that cited entries name are in use."""
    if one_library.printed and len(rest) == len(one_library.references):
        return []  # a list whose entries are never cited by key is simply a list
    parents = {m[1].strip().lower() for reference in chosen.values() if (m := _PARENT.search(reference.text))}
    return [reference for reference in rest if reference.key.lower() not in parents]


def _make_unused_note(one_library: KeyedLibrary, keys: Sequence[str]) -> Problem:
    shown = ", ".join(keys[:_SHOWN]) + (", …" if len(keys) > _SHOWN else "")
    some, were = ("1 entry", "is") if len(keys) == 1 else (f"{len(keys)} entries", "are")
    left = "listed but never cited" if one_library.printed else "never cited and skipped"
    message = f"{some} of {one_library.name} {were} {left}: {shown}"
    hint = "" if one_library.printed else "check that file itself to verify all its entries"
    return Problem(Place(file=one_library.name), message, hint, note=True, finding="uncited_entry")


def _select_problems(one_library: KeyedLibrary, chosen: dict[int, RawReference]) -> list[Problem]:
    """Return the problems of a bibliography, but for those inside entries that were left out."""
    left = [entry.place for entry in one_library.references if id(entry) not in chosen]
    spans = {(place.start, place.end) for place in left}
    return [fault for fault in one_library.problems if (fault.place.start, fault.place.end) not in spans]
