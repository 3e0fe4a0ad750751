"""Words cut at a line end: compounds keep their hyphen, broken words lose it.

The table `hyphens.toml` is learnt from titles by `bench/hyphen_table.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_package_table

_JOINING = frozenset(("and", "or", "und", "oder", "bzw", "sowie", "bis", "et", "ou", "y", "e", "to"))
_TAIL = re.compile(r"(?<![^\W\d_])[^\W\d_]+(?:[-‐‑][^\W\d_]+)*$")
_FIRST = re.compile(r"[^\W\d_]+")
_LONG_HEAD = 4  # letters; a shorter one may be a prefix: un-like, re-trained


@dataclass(frozen=True, slots=True)
class HyphenTable:
    """What is known of compounds: halves that make many, single ones, and words written as one."""

    second: frozenset[str]
    first: frozenset[str]
    compounds: frozenset[str]
    closed: frozenset[str]
    behind: frozenset[str]  # words that come after a hyphen elsewhere

    def has_hyphen(self, head: str, rest: str) -> bool:
        """Return whether `head` and `rest`, in small letters, are written with a hyphen between them."""
        if f"{head}-{rest}" in self.compounds:
            return True
        if head + rest in self.closed:
            return False
        if rest in self.second and len(head) >= _LONG_HEAD:
            return True
        return head in self.first and rest in self.behind and len(rest) >= _LONG_HEAD


@lru_cache(maxsize=1)
def load_hyphen_table() -> HyphenTable:
    """Return the table that is shipped."""
    table = load_package_table(__package__, "hyphens.toml")
    words = {name: frozenset(str(found).split()) for name, found in table.items()}
    behind = words["behind"] | words["second"] | {one.partition("-")[2] for one in words["compounds"]}
    return HyphenTable(
        words["second"], words["first"], words["compounds"], words["closed"], frozenset(behind)
    )


def find_tail_word(text: str) -> str:
    """Return the last word of a line in small letters, with the hyphens inside it."""
    match = _TAIL.search(text[-60:])
    return match[0].lower() if match else ""


def is_shared_ending(right: str) -> bool:
    """Return whether another word with the same ending follows: "pre-" and "and post-war"."""
    tail = _FIRST.match(right)
    return tail is not None and tail[0].lower() in _JOINING and right[tail.end() : tail.end() + 1] == " "


def join_broken_word(left: str, right: str) -> str:
    """Return `left-` and `right`, which continues in small letters, as one word by what is usual."""
    head, tail = find_tail_word(left), _FIRST.match(right)
    rest = tail[0].lower() if tail else ""
    if is_shared_ending(right):
        return f"{left}- {right}"
    last = head.replace("‐", "-").replace("‑", "-").rpartition("-")[2]
    return f"{left}-{right}" if load_hyphen_table().has_hyphen(last, rest) else left + right
