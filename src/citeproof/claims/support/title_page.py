"""What of a work's text is no evidence: its title, its authors and where they work.

Blanks take the place of these lines, so that every other character stays where it is. The reference list is
left out by whoever reads the text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from citeproof.claims.support.claim_quotations import find_claim_quotations
from citeproof.text import lazy_patterns as re
from citeproof.text.title import split_words
from citeproof.vocabulary.records import Record
from citeproof.vocabulary.source_texts import SourceText

_FRONT = 5_000  # characters in which a title page ends
_SAME = 0.9  # of a line's words that are of the title and the authors
_LONGEST = 400  # characters of a line that may be one of people and places
_LINE = re.compile(r"[^\n]+")
_PLACE = re.compile(
    r"@|\b(?:universit|department|institut|hospital|laborator|school of|orcid|correspond|e-?mail)",
    re.IGNORECASE,
)


def blank_front_matter(source: SourceText, record: Record) -> SourceText:
    """Return the text without the lines that only name the work and its authors."""
    parts, at = [], 0
    for start, end in _find_own_lines(source.text, record):
        parts += [source.text[at:start], " " * (end - start)]
        at = end
    return replace(source, text="".join([*parts, source.text[at:]])) if parts else source


def blank_quoted_titles(claim: str, titles: Sequence[str]) -> str:
    """Return a claim without quotations that are titles of the work: these are said of it, not by it."""
    own = {tuple(split_words(title)) for title in titles} | {
        tuple(split_words(title.partition(":")[0])) for title in titles
    }
    for quoted in find_claim_quotations(claim):
        if tuple(split_words(quoted.text)) in own:
            claim = claim[: quoted.start] + " " * (quoted.end - quoted.start) + claim[quoted.end :]
    return claim


def _find_own_lines(text: str, record: Record) -> Iterator[tuple[int, int]]:
    titles = [split_words(title) for title in record.titles]
    names = {word for name in record.authors for word in split_words(name.display)}
    known = names.union({"and", "by"}, *titles)
    for match in _LINE.finditer(text):
        line = match[0]
        if match.start() > _FRONT and len(line) > _LONGEST:
            continue
        words = split_words(line)
        front = match.start() <= _FRONT and len(words) > 1
        told = [word for word in words if not word.isdigit()]
        same = front and sum(word in known for word in told) >= _SAME * len(told)
        placed = front and len(line) < _LONGEST and _PLACE.search(line) and not line.rstrip().endswith(".")
        if same or placed or words in titles:
            yield match.span()
