"""Works that running text cites with their titles, and numbers that it cites and nowhere lists."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from citeproof.extractors.decoded_text import DecodedText
from citeproof.extractors.prose.entry_segments import EntrySegment
from citeproof.extractors.prose.inline_citations import TextCitation, find_inline_citations
from citeproof.extractors.prose.prose_mask import mask_prose
from citeproof.text.readable_text import read_as_shown
from citeproof.text.title import make_title_key
from citeproof.vocabulary import Problem

_SET_OFF = re.compile(r"[\"“”„«‘*_]")  # a title between such signs, and not the words of a heading
_MAX_BODY = 2_000_000  # characters that are searched
_MOST_PROBLEMS = 50
_MOST_KNOWN, _HEAD = 2000, 500  # entries that a title is compared with, and characters of each


def read_inline_works(
    decoded: DecodedText, body: str, known: Sequence[EntrySegment]
) -> tuple[list[EntrySegment], list[Problem]]:
    """Return the works that `body` cites and that are not `known`, and a problem for each missing entry.

    `body` is the text with all of it blanked that was read otherwise, in its own places. A title that a known
    entry has is cited from there. A number is missing if entries have numbers, or if there is no entry.
    """
    readable = read_as_shown(body[:_MAX_BODY])
    labels = {one.label.removeprefix("^") for one in known if one.label}
    cited = find_inline_citations(mask_prose(readable.text), dict.fromkeys(labels, True))
    works = [
        EntrySegment(one.text, *readable.locate(*one.span), claimed=one.claimed)
        for one in _choose_titled(cited, known)
    ]
    if known and not any(label.isdecimal() for label in labels):
        return works, []
    missing: dict[str, tuple[int, int]] = {}
    for one in cited:
        for label in one.labels:
            if label.isdecimal() and label not in labels:
                missing.setdefault(label, readable.locate(*one.span))
    return works, [
        Problem(
            decoded.locate_span(*span), f"[{label}] is cited, but no entry has this number", "add the entry"
        )
        for label, span in list(missing.items())[:_MOST_PROBLEMS]
    ]


def _choose_titled(cited: Sequence[TextCitation], known: Sequence[EntrySegment]) -> Iterator[TextCitation]:
    """Yield each work once whose title is cited with people or a venue, unless a known entry has it."""
    listed = "\n".join(make_title_key(one.text[:_HEAD]) for one in known[:_MOST_KNOWN])
    seen: set[str] = set()
    for one in cited:
        claimed = one.claimed
        if claimed is None or not claimed.title or claimed.ids.pairs:
            continue  # what has an identifier is found by it
        key = make_title_key(claimed.title)
        told = claimed.year and (claimed.authors or claimed.venue) and _SET_OFF.search(one.text)
        if told and key and key not in seen and key not in listed and len(seen) < _MOST_KNOWN:
            seen.add(key)
            yield one
