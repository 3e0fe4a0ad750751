"""What documents rest on: the files of a root, the entries of its corpus, its history, today's date.

Every answer has a digest. A document's result names the questions it asked and the digests it was given;
while asking again would give the same ones, the result holds and need not be made again.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from functools import cached_property
from hashlib import sha256
from pathlib import PurePosixPath

import msgspec

from citeproof.claims.quotes import SourceIndex, index_source
from citeproof.corpus.code.history import FileHistory, find_citation_drift, is_transient
from citeproof.corpus.corpus_types import AskedQuestion, CitationMark, CorpusLayout, Drift, Grade
from citeproof.corpus.entries import CorpusEntry, CorpusLibrary, load
from citeproof.corpus.project_root import Artefact, ProjectRoot
from citeproof.corpus.result_cache import NEVER
from citeproof.errors import InputError
from citeproof.plumbing import sandbox
from citeproof.plumbing.clock import Clock, SystemClock
from citeproof.plumbing.sandbox import Limits, StoppedError
from citeproof.reading.extractors.body.body_writer import MAX_TEXT
from citeproof.reading.extractors.body.text_body import read_whole_markdown
from citeproof.reading.extractors.decoded_text import decode
from citeproof.vocabulary import Document

FIRST_YEAR = 1900
HELD = 10_000_000  # characters that are stored in memory
IN_ALL = 300.0  # seconds that one process spends on reading sources

MAX_BYTES = 64_000_000  # of one source
_LIMITS = Limits(memory=1 << 30, seconds=60.0, answer=1 << 25)
_CAGED = {
    ".pdf": "citeproof.reading.extractors.body.body_reader:read_pdf_pages",
    ".html": "citeproof.reading.extractors.body.body_reader:read_html_text",
    ".htm": "citeproof.reading.extractors.body.body_reader:read_html_text",
    ".xhtml": "citeproof.reading.extractors.body.body_reader:read_html_text",
}
_MARKDOWN = (".md", ".markdown")
_PLAIN = (".txt", ".text")
_read = msgspec.msgpack.Decoder(list[str])


class CorpusContext:
    """The answers of one run; made once a process, shared by all documents."""

    def __init__(self, root: ProjectRoot, layout: CorpusLayout, day: str) -> None:
        self.root, self.layout, self.day = root, layout, day
        self.history = FileHistory(root.folder)
        self._digests: dict[str, str] = {}
        self._drifts: dict[tuple[str, str, str], Drift] = {}
        self._related: dict[str, tuple[CorpusEntry, ...]] = {}
        self._grades: dict[str, Grade | None] = {}
        self.texts = SourceTextCache(root)
        self._kinds: dict[str, Callable[[str], str]] = {
            "file": lambda path: self.root.artefact(path).digest(),
            "at": lambda path: self._digest_entries([entry] if (entry := self.find_entry(path)) else []),
            "ref": lambda ref: self._digest_entries(
                [*self.library.ref(ref), *self.library.list_misnamed(ref)]
            ),
            "family": lambda family: self._digest_entries(self.library.family(family)),
            "doi": lambda doi: self._digest_entries(self.library.doi(doi)),
            "present": lambda _: str(self.library.present),
            "older": lambda about: str(self._is_older(about)),
            "year": self.find_last_year,
            "head": lambda _: self.history.head(),
        }

    def alike(self, root: ProjectRoot) -> CorpusContext:
        """Return a ground over the same corpus for another process: files and history it opens itself."""
        other = CorpusContext(root, self.layout, self.day)
        if "library" in self.__dict__:
            other.__dict__["library"] = self.library
        return other

    @cached_property
    def library(self) -> CorpusLibrary:
        return load(self.root, self.layout)

    def digest(self, question: str) -> str:
        """Return the digest of today's answer to a question that an earlier result names.

        That to NEVER is another one each time: a result that asks it is never used again.
        """
        if question == NEVER:
            return secrets.token_hex(8)
        known = self._digests.get(question)
        if known is None:
            kind, _, about = question.partition(":")
            known = self._digests[question] = self._kinds[kind](about) if kind in self._kinds else "unknown"
        return known

    def find_drift(self, mark: CitationMark, artefact: Artefact) -> Drift:
        """Return what changed since a stale citation was written; asked once for the same citation."""
        key = (mark.target, mark.hash, mark.lines)
        if key not in self._drifts:
            self._drifts[key] = find_citation_drift(self.root, self.history, mark, artefact)
        return self._drifts[key]

    def find_entry(self, path: str) -> CorpusEntry | None:
        """Return the corpus entry at a project path, however that is spelled."""
        real = self.root.resolve_path(path)
        return self.library.find_entry(path) or (self.library.find_entry(real) if real else None)

    def find_related(self, entry: CorpusEntry) -> tuple[CorpusEntry, ...]:
        """Return the source of a finding and the findings of a source."""
        known = self._related.get(entry.path)
        if known is None:
            known = self._related[entry.path] = self.library.find_related(entry)
        return known

    def grade(self, entry: CorpusEntry) -> Grade | None:
        """Return the level of an entry, or that of the source it belongs to."""
        if entry.path not in self._grades:
            every = (entry, *self.find_related(entry))
            self._grades[entry.path] = next((other.grade for other in every if other.grade), None)
        return self._grades[entry.path]

    def _is_older(self, about: str) -> bool:
        days, _, then = about.partition(":")
        try:
            return (date.fromisoformat(self.day[:10]) - date.fromisoformat(then[:10])).days > int(days)
        except ValueError:
            return False

    def find_last_year(self, year: str) -> str:
        """Return the last year that a work can be of, if `year` is not one; empty if it is one."""
        last = int(self.day[:4]) + 1
        return "" if FIRST_YEAR <= int(year) <= last else str(last)

    def _digest_entries(self, entries: Iterable[CorpusEntry]) -> str:
        """Return one digest of entries and of those that belong to them."""
        parts = [
            f"{each.path}\0{each.digest}" for entry in entries for each in (entry, *self.find_related(entry))
        ]
        return sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16] if parts else ""


class TrackedContext:
    """The ground as one document asks it: every question is noted with the digest of its answer."""

    def __init__(self, ground: CorpusContext) -> None:
        self._ground, self.layout = ground, ground.layout
        self._asked: dict[str, str] = {}

    def list_questions(self) -> tuple[AskedQuestion, ...]:
        return tuple(AskedQuestion(question, digest) for question, digest in self._asked.items())

    def _note(self, question: str) -> str:
        digest = self._asked[question] = self._ground.digest(question)
        return digest

    def file(self, path: str) -> Artefact:
        self._note(f"file:{path}")
        return self._ground.root.artefact(path)

    def find_entry(self, path: str) -> CorpusEntry | None:
        self._note(f"at:{path}")
        return self._ground.find_entry(path)

    def ref(self, ref: str) -> tuple[CorpusEntry, ...]:
        self._note(f"ref:{ref}")
        return self._ground.library.ref(ref)

    def list_misnamed(self, ref: str) -> tuple[CorpusEntry, ...]:
        self._note(f"ref:{ref}")
        return self._ground.library.list_misnamed(ref)

    def family(self, folded: str) -> tuple[CorpusEntry, ...]:
        self._note(f"family:{folded}")
        return self._ground.library.family(folded)

    def doi(self, doi: str) -> tuple[CorpusEntry, ...]:
        self._note(f"doi:{doi}")
        return self._ground.library.doi(doi)

    def present(self) -> bool:
        self._note("present:")
        return self._ground.library.present

    def is_older(self, then: str) -> bool:
        """Return whether a day lies longer back than sources may wait to be examined again."""
        return self._note(f"older:{self.layout.stale_days}:{then[:10]}") == "True"

    def find_last_year(self, year: int) -> str:
        return self._note(f"year:{year}")

    def find_related(self, entry: CorpusEntry) -> tuple[CorpusEntry, ...]:
        """Return the source of a finding and the findings of a source; the entry's own digest covers them."""
        return self._ground.find_related(entry)

    def grade(self, entry: CorpusEntry) -> Grade | None:
        return self._ground.grade(entry)

    def find_drift(self, mark: CitationMark, artefact: Artefact) -> Drift:
        self._note("head:")
        drift = self._ground.find_drift(mark, artefact)
        if is_transient(drift):
            self._note(NEVER)
        return drift

    def texts(self, entry: CorpusEntry) -> Iterator[tuple[CorpusEntry, str, SourceIndex | None]]:
        """Yield the files of an entry and of those that belong to it: whose, project path, text if any."""
        for owner in (entry, *self.find_related(entry)):
            # the full text that an entry names is below the root, or next to the entry
            named = (owner.text, str(PurePosixPath(owner.path).parent / owner.text)) if owner.text else ()
            for path in dict.fromkeys([owner.path, *named]):
                if self.file(path).there:
                    text = self._ground.texts.get(path)
                    if path in self._ground.texts.stopped:
                        self._note(NEVER)
                    yield owner, path, text


def read_source_pages(path: str, data: bytes) -> tuple[str, ...] | None:
    """Return the text of a source, one string a page, one in all if it has none; None: cannot be checked.

    StoppedError: its reading was interrupted for a reason that another time may not be there.
    """
    suffix = PurePosixPath(path.replace("\\", "/")).suffix.lower()
    if len(data) > MAX_BYTES:
        return None
    if suffix in _CAGED:
        return _read_in_sandbox(_CAGED[suffix], data)
    if suffix not in (*_MARKDOWN, *_PLAIN):
        return None
    document = Document(path, data)
    try:
        text = read_whole_markdown(document) if suffix in _MARKDOWN else decode(document).text[:MAX_TEXT]
    except InputError:
        return None
    pages = tuple(text.split("\f")) if suffix in _PLAIN else (text,)  # a form feed ends a printed page
    return pages if any(page.strip() for page in pages) else None


def _read_in_sandbox(entry: str, data: bytes) -> tuple[str, ...] | None:
    """Return the pages that a child with limits read; None if it came to no text."""
    try:
        pages = _read.decode(sandbox.run(entry, data, _LIMITS))
    except StoppedError as error:
        if error.kind != "too_large":
            raise
        return None
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return tuple(pages) if any(page.strip() for page in pages) else None


class SourceTextCache:
    """The texts that one process has read."""

    def __init__(self, root: ProjectRoot, clock: Clock | None = None) -> None:
        self._root, self._clock = root, clock or SystemClock()
        self._kept: dict[str, SourceIndex] = {}  # the one asked for last comes last
        self._none: set[str] = set()
        self._held, self._spent = 0, 0.0
        self.stopped: set[str] = set()  # their reading was interrupted; another time it may not be

    def get(self, path: str) -> SourceIndex | None:
        """Return the text of a source; None if it has none, or if that cannot be read."""
        if path in self._none:
            return None
        if path in self._kept:
            self._kept[path] = self._kept.pop(path)
            return self._kept[path]
        began = self._clock.elapsed()
        made = self._read(path)
        self._spent += self._clock.elapsed() - began
        if made is None:
            self._none.add(path)
            return None
        self._kept[path] = made
        self._held += len(made.text)
        while self._held > HELD and len(self._kept) > 1:
            self._held -= len(self._kept.pop(next(iter(self._kept))).text)
        return made

    def _read(self, path: str) -> SourceIndex | None:
        if self._spent > IN_ALL:
            self.stopped.add(path)
            return None
        data = self._root.data(path)
        try:
            pages = read_source_pages(path, data) if data is not None else None
        except StoppedError:
            self.stopped.add(path)
            return None
        return index_source("\f".join(pages)) if pages else None
