r"""Where the groups of a LaTeX text close: `{…}` and optional arguments, all matched in one pass."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property

from citeproof.text import lazy_patterns as re

_MAX_OPTION = 2_000
_MAX_GROUP = 5 * _MAX_OPTION
_MAX_SPACE = 200
_SIGN = re.compile(r"\\.|[{}\])>]", re.DOTALL)
_CLOSERS = {"[": "]", "(": ")", "<": ">"}


class BraceGroups:
    """The closing signs of one text; a scan from every opening one would be quadratic where none closes."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._partner: dict[int, int] = {}
        self._closers: dict[tuple[str, int], list[int]] = {}  # sign and depth of braces -> places, in order
        opened: list[int] = []
        for match in _SIGN.finditer(text):
            sign, at = match[0], match.start()
            if sign == "{":
                opened.append(at)
            elif sign == "}":
                if opened:
                    self._partner[opened.pop()] = at
            elif len(sign) == 1:
                self._closers.setdefault((sign, len(opened)), []).append(at)
        self._unclosed = opened

    @cached_property
    def _depths(self) -> _BraceDepths:
        return _BraceDepths(self._partner, self._unclosed)

    def past_space(self, at: int) -> int:
        """Return the first place from `at` on that is no space."""
        stop = min(len(self._text), at + _MAX_SPACE)
        while at < stop and self._text[at].isspace():
            at += 1
        return at

    def past_options(self, at: int) -> int:
        """Return where the first `{` group may begin: behind `*`, `[…]`, `(…)` and `<…>`."""
        for _ in range(6):
            at = self.past_space(at)
            closer = _CLOSERS.get(self._text[at : at + 1], "")
            if not closer:
                return at
            places = self._closers.get((closer, self._depths.get_depth(at)), ()) if self._closers else ()
            index = bisect_right(places, at)
            end = places[index] if index < len(places) and places[index] - at < _MAX_OPTION else -1
            if end < 0:
                return len(self._text)
            at = end + 1
        return at

    def past_group(self, at: int) -> int:
        """Return the end of the `{…}` group at `at`; `at` itself if there is none that closes soon."""
        at = self.past_space(at)
        close = self._partner.get(at, -1)
        return close + 1 if 0 <= close - at < _MAX_GROUP else at


class _BraceDepths:
    """How deep in braces each place of a text stands."""

    def __init__(self, partner: dict[int, int], unclosed: list[int]) -> None:
        steps = [*((at, 1) for at in (*partner, *unclosed)), *((at, -1) for at in partner.values())]
        self._places: list[int] = []
        self._depth = [0]
        for at, step in sorted(steps):
            self._places.append(at)
            self._depth.append(self._depth[-1] + step)

    def get_depth(self, place: int) -> int:
        return self._depth[bisect_right(self._places, place)]
