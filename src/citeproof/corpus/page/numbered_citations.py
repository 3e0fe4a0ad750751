"""Citations by number, `[3]` or `[12, 13]`: they cite something only where the document lists it."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cached_property

from citeproof.corpus.page.prose import Prose
from citeproof.corpus.page.word_lists import load_phrases

_PLACES = 2  # of one number: that of a citation, and another
# "[3] Smith, J. …", "- [3] …", "[3]: https://…"
_BEGINS = re.compile(r"^[ \t>*+-]{0,12}(?:\d{1,4}[.)][ \t]{1,4})?(\[\^?(\d{1,4})\])", re.MULTILINE)
_ITEM = re.compile(r"^[ \t]{0,9}((\d{1,4})[.)])[ \t]", re.MULTILINE)  # "3. Smith, J. …" below "References"
_NUMBER = re.compile(r"\d{1,4}")


class NumberedCitations:
    """What a document lists by number."""

    def __init__(self, prose: Prose) -> None:
        self._prose = prose

    def cites(self, match: re.Match[str]) -> bool:
        """Return whether brackets cite something: a key, or a number that is listed elsewhere."""
        inside = match[0][1:-1]
        if not inside[:1].isdecimal():
            return True
        return any(
            place != match.start()
            for number in _NUMBER.findall(inside)
            for place in self._listed.get(int(number), ())
        )

    @cached_property
    def _listed(self) -> dict[int, list[int]]:
        """Where each number begins a line or an item of the list of references."""
        found: dict[int, list[int]] = defaultdict(list)
        text = self._prose.text
        matches = [*_BEGINS.finditer(text)]
        if (start := self._references()) >= 0:
            matches += _ITEM.finditer(text, start)
        for match in matches:
            places = found[int(match[2])]
            if len(places) < _PLACES:
                places.append(match.start(1))
        return found

    def _references(self) -> int:
        """Return where the list of references begins: behind its heading; -1 if there is none."""
        titles = load_phrases("reference_titles")
        for leaf in self._prose.blocks.leaves:
            title = self._prose.masked[leaf.start : min(leaf.end, leaf.start + 60)]
            if leaf.heading and " ".join(title.split()).strip(":*_ ").lower() in titles:
                return leaf.end
        return -1
