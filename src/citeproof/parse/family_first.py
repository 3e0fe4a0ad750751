"""Lists that put the family name first without a comma, as Chinese journals print them.

"ZHANG Wei, LI Ming" says so by its capitals, "Wang Wei, Li Na. …[J]" by its style and its families.
"""

from __future__ import annotations

import re

from citeproof.text import names
from citeproof.text.frequent_names import is_chinese_family
from citeproof.vocabulary import Name

_PIECE = re.compile(r"([^\W\d_]{2,12}) ([^\W\d_]{2,8}(?:[-’' ]?[^\W\d_]{2,8})?)")
_CAPITALS = re.compile(
    r"([^\W\d_a-z]{2,14}(?:[- ][^\W\d_a-z]{2,14})?) ([^\W\d_a-z][a-z]{1,14}(?:[- ][^\W\d_]{2,14})?)"
)
_FEWEST = 2


def parse_family_first(text: str, *, cut: bool, marked: bool) -> tuple[Name, ...]:
    """Return the names of a list in which each is family and given name; none if it is another list.

    `cut` says that "et al." was behind it, `marked` that its entry is in a style that inverts all names.
    """
    pieces = [piece.strip(" .") for piece in re.split(r"[,，;；]|\sand\s|\s&\s", text[: names.MAX_NAME * 20])]
    pieces = [piece for piece in pieces if piece]
    if len(pieces) + cut < _FEWEST:
        return ()
    if all(found := [_CAPITALS.fullmatch(piece) for piece in pieces]):
        return tuple(Name(match[1], match[2]) for match in found if match)
    found = [_PIECE.fullmatch(piece) for piece in pieces]
    first, last = (all(match and is_chinese_family(match[at]) for match in found) for at in (1, 2))
    if first and (marked or not last):
        return tuple(Name(match[1], match[2]) for match in found if match)
    return ()
