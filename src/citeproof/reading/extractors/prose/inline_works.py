"""Works that running text cites with an identifier or a title, and numbers that it nowhere lists."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from citeproof.reading.extractors.decoded_text import DecodedText
from citeproof.reading.extractors.prose.citing_sentences import MAX_BODY, SentenceIndex
from citeproof.reading.extractors.prose.entry_segments import EntrySegment
from citeproof.reading.extractors.prose.inline_citations import find_inline_citations
from citeproof.reading.extractors.prose.loose_references import find_work_ids
from citeproof.reading.extractors.prose.markdown_words import strip_markdown
from citeproof.reading.extractors.prose.prose_mask import mask_prose
from citeproof.text import lazy_patterns as re
from citeproof.text.readable_text import read_as_shown
from citeproof.text.title import make_title_key
from citeproof.vocabulary import WORK_IDS, Problem

_SET_OFF = re.compile(r"[\"“”„«‘*_]")  # a title between such signs, and not the words of a heading
_MOST_PROBLEMS = 50
_MOST_KNOWN, _HEAD = 2000, 500  # entries that a title is compared with, and characters of each
_LINK_WORDS = re.compile(r"\[(?P<words>[^\[\]\n]{0,1000})\]\((?P<address>[^\s()]{1,1000}).*\)", re.DOTALL)


class InlineWorks:
    """What running text cites: `body` has all blanked that was read otherwise."""

    def __init__(self, body: str, known: Sequence[EntrySegment]) -> None:
        self._body = body[:MAX_BODY]
        self._labels = {one.label.removeprefix("^") for one in known if one.label}
        self._readable = read_as_shown(self._body)
        masked = mask_prose(self._readable.text)
        self._cited = find_inline_citations(masked, dict.fromkeys(self._labels, True))

    def list_identified(self, known: Sequence[EntrySegment]) -> list[EntrySegment]:
        """Return the works that an identifier names and no known entry has, each with its first sentence."""
        seen = {pair for segment in known for pair in find_work_ids(segment.text)}
        sentences: SentenceIndex | None = None
        works: list[EntrySegment] = []
        for citation in self._cited:
            claimed = citation.claimed
            pairs = {pair for pair in claimed.ids.pairs if pair[0] in WORK_IDS} if claimed else set()
            named = claimed is not None and claimed.authors and claimed.ids.pairs and citation.text[0] == "["
            badge = citation.text.startswith("[![")
            if claimed is None or badge or not (named or (pairs and not pairs & seen)):
                continue
            seen |= pairs
            sentences = sentences or SentenceIndex(self._body)
            start, end = self._readable.locate(*citation.span)
            link = _LINK_WORDS.fullmatch(citation.text)
            untold = link and not claimed.title and not claimed.authors  # "[this study](https://doi.org/…)"
            text = link["address"] if link and untold else citation.text
            citing = tuple(map(strip_markdown, sentences.find_sentences([start])))
            works.append(EntrySegment(text, start, end, citing=citing))
        return works

    def list_titled(self, known: Sequence[EntrySegment]) -> Iterator[EntrySegment]:
        """Yield each work once whose title is cited with people or a venue, unless a known entry has it."""
        listed = "\n".join(make_title_key(one.text[:_HEAD]) for one in known[:_MOST_KNOWN])
        seen: set[str] = set()
        for citation in self._cited:
            claimed = citation.claimed
            if claimed is None or not claimed.title or claimed.ids.pairs:
                continue  # what has an identifier is found by it
            key = make_title_key(claimed.title)
            described = claimed.year and (claimed.authors or claimed.venue) and _SET_OFF.search(citation.text)
            if described and key and key not in seen and key not in listed and len(seen) < _MOST_KNOWN:
                seen.add(key)
                yield EntrySegment(citation.text, *self._readable.locate(*citation.span), claimed=claimed)

    def list_missing(self, decoded: DecodedText, known: Sequence[EntrySegment]) -> list[Problem]:
        """Return a problem for each number without an entry, if entries have numbers or there is none."""
        labels = {one.label.removeprefix("^") for one in known if one.label}
        if known and not any(label.isdecimal() for label in labels):
            return []
        missing: dict[str, tuple[int, int]] = {}
        for citation in self._cited:
            for label in citation.labels:
                if label.isdecimal() and label not in labels:
                    missing.setdefault(label, self._readable.locate(*citation.span))
        return [
            Problem(
                decoded.locate_span(*span),
                f"[{label}] is cited, but no entry has this number",
                "add the entry",
            )
            for label, span in list(missing.items())[:_MOST_PROBLEMS]
        ]
