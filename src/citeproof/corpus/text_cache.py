"""The texts of sources, ready for looking up quotations: each read once while there is room for it."""

from __future__ import annotations

from citeproof.clock import Clock, SystemClock
from citeproof.corpus import source_text
from citeproof.corpus.project_root import ProjectRoot
from citeproof.quotes import SourceIndex, index_source
from citeproof.sandbox import StoppedError

HELD = 10_000_000  # characters that are kept in memory
IN_ALL = 300.0  # seconds that one process spends on reading sources


class SourceTextCache:
    """The texts that one process has read."""

    def __init__(self, root: ProjectRoot, clock: Clock | None = None) -> None:
        self._root, self._clock = root, clock or SystemClock()
        self._kept: dict[str, SourceIndex] = {}  # the one asked for last comes last
        self._none: set[str] = set()
        self._held = 0
        self._spent = 0.0
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
            pages = source_text.read_source_pages(path, data) if data is not None else None
        except StoppedError:
            self.stopped.add(path)
            return None
        return index_source("\f".join(pages)) if pages else None
