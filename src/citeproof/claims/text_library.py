"""Folders of texts: the file that holds the text of a work, if one surely does."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Collection, Sequence
from pathlib import Path

from citeproof.claims.library_files import DescriptionCache, LibraryFile, list_text_files
from citeproof.claims.library_images import LibraryImages
from citeproof.claims.text_match import (
    MatchStrength,
    WantedWork,
    find_name_match,
    fold_letters,
    has_title,
    make_wanted_work,
    weigh_match,
)
from citeproof.errors import InputError, UsageError
from citeproof.plumbing.disk_files import read_plain_file
from citeproof.reading.extractors.exhibits.exhibit_images import ExhibitKey
from citeproof.reading.extractors.records.adjacent_files import FolderFiles
from citeproof.reading.extractors.source_reader import MAX_BYTES, read_source_text
from citeproof.vocabulary import Document, FoundText, Record, SourceText, TextExtent

NO_FILE = "no file of the folders is surely that of the work"
HELD = 30_000_000  # characters of texts that are kept in memory
_NAMED = 2  # files that a reason names
_BEST = ("jats", "tei", "html", "docx", "odt", "rtf", "latex", "markdown", "rst", "pdf", "plain_text")


class TextLibrary:
    """The texts in some folders. Nothing is read before the first question; safe to use from threads."""

    def __init__(self, folders: Sequence[Path], cache_dir: Path) -> None:
        """Take folders of files; what these say of themselves is kept in `cache_dir`."""
        for folder in folders:
            if not folder.is_dir():
                raise UsageError(
                    "is not a folder", place=str(folder), hint="name a folder of texts with --texts"
                )
        self._folders = tuple(folders)
        self._cache = DescriptionCache(cache_dir)
        self._lock = threading.Lock()
        self._files: list[LibraryFile] | None = None
        self._letters: list[str] = []
        self._texts: OrderedDict[str, FoundText] = OrderedDict()
        self._images = LibraryImages()

    def find_text(self, record: Record) -> SourceText | None:
        """Return the text of a work; None if no file, or more than one, may hold it."""
        return self.look_up(record).text

    def look_up(self, record: Record) -> FoundText:
        """Return the text of a work, or why it was not taken from the files that may hold it."""
        file, why = self._find_fitting_file(make_wanted_work(record.titles, record.authors, record.ids.pairs))
        return self._read_text(file) if file is not None else FoundText(None, (why,))

    def add_images(self, source: SourceText, wanted: Collection[ExhibitKey]) -> SourceText:
        """Return a text of this library with the images of those figures and tables; another as it is."""
        files = self._files or ()
        path = next(
            (one.path for one in files if one.sha256 == source.sha256 and str(one.path) == source.origin),
            None,
        )
        if path is None:
            return source
        alone = not any(one.path != path and one.path.is_relative_to(path.parent) for one in files)
        return self._images.add_images(source, wanted, path, alone=alone)

    def _find_fitting_file(self, work: WantedWork) -> tuple[LibraryFile | None, str]:
        """Return the one file that holds the work; without one, why those that are like it are not taken."""
        with self._lock:
            self._open_folders()
        rated: list[tuple[MatchStrength, LibraryFile]] = []
        refused: list[str] = []
        for file in self._list_likely(work):
            weighed = weigh_match(file.said, file.path.stem, work)
            if not isinstance(weighed, str):
                rated.append((weighed, file))
            elif weighed:
                refused.append(f"{file.path.name}: {weighed}")
        if not rated:
            return None, "; ".join((NO_FILE, *_cut_list(refused)))
        best = max(strength for strength, _ in rated)
        alike = {file.sha256: file for strength, file in reversed(rated) if strength is best}
        chosen = _choose_file(list(alike.values()), work)
        names = sorted(file.path.name for file in alike.values())
        return chosen, "" if chosen else f"several files fit equally: {', '.join(_cut_list(names))}"

    @staticmethod
    def fold_file(file: LibraryFile) -> str:
        """Return the letters among which the words of a work's title are sought first."""
        return fold_letters(" ".join((*file.said.titles, file.said.opening[:1_000])))

    @property
    def trouble(self) -> str:
        """Why what files say of themselves is not kept; empty while all is well."""
        return self._cache.trouble

    def close(self) -> None:
        """Let go of the cache."""
        self._cache.close()

    def _open_folders(self) -> None:
        """Read what all files say of themselves, once."""
        if self._files is not None:
            return
        paths = dict.fromkeys(path for folder in self._folders for path in list_text_files(folder))
        self._files = self._cache.describe_files(list(paths))
        self._letters = [self.fold_file(one) for one in self._files]

    def _list_likely(self, work: WantedWork) -> list[LibraryFile]:
        """Return the files that share an identifier or the longest words of the title with the work."""
        words = [_list_longest_words(title) for title in work.titles[:5]]
        return [
            file
            for file, letters in zip(self._files or (), self._letters, strict=True)
            if not work.ids.isdisjoint(file.said.ids)
            or any(all(word in letters for word in listed) for listed in words if listed)
            or find_name_match(file.path.stem, work)
        ]

    def _read_text(self, file: LibraryFile) -> FoundText:
        with self._lock:
            if file.sha256 in self._texts:
                self._texts.move_to_end(file.sha256)
                return self._texts[file.sha256]
        text = _read_library_file(file)
        with self._lock:
            self._texts[file.sha256] = text
            while len(self._texts) > 1 and sum(map(_measure_text, self._texts.values())) > HELD:
                self._texts.popitem(last=False)
        return text


def _measure_text(found: FoundText) -> int:
    return len(found.text.text) if found.text else 0


def _cut_list(items: Sequence[str]) -> list[str]:
    """Return the first of some items, and how many more there are."""
    more = len(items) - _NAMED
    return [*items[:_NAMED], f"{more:,} more"] if more > 0 else list(items)


def _read_library_file(file: LibraryFile) -> FoundText:
    """Return the text of a file, or why it is not used."""
    name = file.path.name
    try:
        data = read_plain_file(file.path, MAX_BYTES)
        beside = FolderFiles(file.path.parent) if file.path.suffix.lower() == ".tex" else None
        text = read_source_text(Document(file.path.name, data, beside), origin=str(file.path))
    except OSError as error:
        return FoundText(None, (f"{name}: cannot be read: {error.strerror or error}",))
    except InputError as error:
        return FoundText(None, (f"{name}: {error.message}",))
    if text.sha256 != file.sha256:  # it may be another work's by now
        return FoundText(None, (f"{name}: changed while it was read",))
    if text.extent is TextExtent.NO_TEXT:
        return FoundText(None, (f"{name}: has no text that can be read",))
    return FoundText(text)


def _choose_file(files: Sequence[LibraryFile], work: WantedWork) -> LibraryFile | None:
    """Return the file; of one work in several formats the one that is read best; None if two fit equally."""
    if len(files) > 1:
        files = [file for file in files if has_title(file.said, work)]
        ranks = {_rank_format(file) for file in files}
        files = [file for file in files if _rank_format(file) == min(ranks)]
    return files[0] if len(files) == 1 else None


def _rank_format(file: LibraryFile) -> int:
    return _BEST.index(file.said.format) if file.said.format in _BEST else len(_BEST)


def _list_longest_words(title: str) -> tuple[str, ...]:
    words = sorted({fold_letters(word) for word in title.split()}, key=len, reverse=True)
    return tuple(word for word in words[:3] if len(word) > 3)
