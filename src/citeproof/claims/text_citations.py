"""What a sentence of generated text cites, and where: identifiers, links, authors with years, numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass

from citeproof.claims.mention_finder import AuthorYearMention, find_mentions
from citeproof.text.ids import find_ids
from citeproof.vocabulary import Claimed, Ids

_NUMBERS = re.compile(r"\[\^?\d{1,4}(?:\s?[,;–-]\s?\^?\d{1,4}){0,30}\]")
_KEYS = re.compile(
    r"\[-?@[^\[\]\s]{1,80}(?:[;,]\s?-?@[^\[\]\s]{1,80}){0,20}\]|(?<![\w.])@[A-Za-z][\w:-]{1,80}\d"
)
_SUPERSCRIPT = re.compile(r"[⁰¹²³⁴-⁹]{1,3}(?:[⁻,–][⁰¹²³⁴-⁹]{1,3}){0,10}")
_LINK = re.compile(
    r"\[([^\[\]\n]{1,500})\]\((https?://[^\s()]{1,1000}(?:\([^\s()]{0,200}\)[^\s()]{0,500})?)\)"
)
_ADDRESS = re.compile(r"(?:https?://|www\.)[^\s<>\[\]()\"“”]{3,1000}")
_ET_AL = re.compile(r"[^\Wa-z_][\w'’-]{1,30}\s(?:et\s+al\b\.?|and colleagues\b|and co-workers\b)")
# "Sun (2025)", "He and Nguyen, 2016)": who is named may be a word as well; a reader takes it for a citation
_DATED_NAME = re.compile(
    r"[^\Wa-z_\d][\w'’-]{0,40}(?:\s(?:and|&|und|et|y|e)\s[^\Wa-z_\d][\w'’-]{0,40})?"
    r"(?:,?\s\((?:1[5-9]|20)\d\d[a-z]?(?:[^()\n]{0,40}\))?|,\s(?:1[5-9]|20)\d\d[a-z]?(?=[);]))"
)
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_TITLE = 4  # words of a link that are a title, not "this paper"
_MOST = 50  # numbers that one mark may list


@dataclass(frozen=True, slots=True)
class TextCitation:
    """One place of a sentence that cites something."""

    start: int
    end: int
    text: str
    claimed: Claimed | None = None  # an identifier and what is said of its work
    mention: AuthorYearMention | None = None
    labels: tuple[str, ...] = ()  # numbers or keys of entries in a reference list
    entry: bool = False  # a whole entry of a reference list or a BibTeX file
    label: str = ""  # by which the text knows the entry

    @property
    def year(self) -> int | None:
        """The year that it names, of a work that it names by its authors."""
        if self.labels or self.claimed is not None:
            return None
        stated = _YEAR.search(self.text)
        return self.mention.year if self.mention else int(stated[0]) if stated else None

    @property
    def span(self) -> tuple[int, int]:
        """Where it stands in its sentence."""
        return self.start, self.end


def find_text_citations(text: str) -> list[TextCitation]:
    """Return what a sentence cites, in order; where two readings overlap, the first of identifiers, mentions,
    numbers and names counts, but all of the place that either of them takes."""
    found: list[TextCitation] = []
    for citation in (*_find_identifiers(text), *_find_named(text), *_find_labels(text)):
        overlapping = [one for one in found if one.start < citation.end and citation.start < one.end]
        if not overlapping:
            found.append(citation)
    return sorted(found, key=lambda one: one.start)


def _find_identifiers(text: str) -> list[TextCitation]:
    spans: dict[tuple[int, int], list[tuple[str, str]]] = {}
    for scheme, value, start, end in find_ids(text):
        spans.setdefault((start, end), []).append((scheme, value))
    for match in _ADDRESS.finditer(text):
        start, end = match.start(), match.start() + len(match[0].rstrip(".,;:!?)'\"”’*_"))
        if not any(one < end and start < other for one, other in spans):
            spans[start, end] = [("url", match[0][: end - start])]
    links = [(match.start(), match.end(), match[1]) for match in _LINK.finditer(text)]
    found = []
    for (start, end), pairs in spans.items():
        around = next((link for link in links if link[0] <= start < link[1]), None)
        first, last = (around[0], around[1]) if around else (start, end)
        ids = Ids(tuple(pairs))
        claimed = _claim_link(around[2], ids) if around else Claimed(ids=ids, et_al=True)
        found.append(TextCitation(first, last, text[first:last], claimed))
    return found


def _claim_link(words: str, ids: Ids) -> Claimed:
    """Return what a link says of the work that it leads to: its people and year, else its title."""
    mention = next((one for one in find_mentions(words) if one.sure), None)
    if mention is not None:
        return Claimed(authors=mention.names, et_al=mention.et_al, year=mention.year, ids=ids)
    title = words.strip(" *_\"“”'")
    is_title = len(title.split()) >= _TITLE and "://" not in title
    return Claimed(title=title if is_title else None, et_al=True, ids=ids)


def _find_named(text: str) -> list[TextCitation]:
    found = [
        TextCitation(one.start, one.end, one.text, mention=one) for one in find_mentions(text) if one.sure
    ]
    shaped = (one for pattern in (_ET_AL, _DATED_NAME) for one in pattern.finditer(text))
    return [*found, *(TextCitation(one.start(), one.end(), one[0]) for one in shaped)]


def _find_labels(text: str) -> list[TextCitation]:
    found = [
        TextCitation(match.start(), match.end(), match[0], labels=_spread_numbers(match[0].strip("[]")))
        for match in _NUMBERS.finditer(text)
    ]
    for match in _SUPERSCRIPT.finditer(text):
        if match.start() and not text[match.start() - 1].isdigit() and text[match.start() - 1] not in "mx":
            numbers = _spread_numbers(match[0].translate(_DIGITS))
            found.append(TextCitation(match.start(), match.end(), match[0], labels=numbers))
    for match in _KEYS.finditer(text):
        keys = tuple(re.findall(r"@([^\[\]\s;,]{1,80})", match[0]))
        found.append(TextCitation(match.start(), match.end(), match[0], labels=keys))
    return found


def _spread_numbers(marks: str) -> tuple[str, ...]:
    """Return the numbers of a mark, ranges written out: "2, 4–6" is 2, 4, 5 and 6."""
    numbers: list[str] = []
    for part in re.split(r"[,;]", marks.replace("^", "")):
        ends = [int(end) for end in re.findall(r"\d{1,4}", part)]
        if ends:
            numbers += map(str, range(ends[0], min(ends[-1], ends[0] + _MOST) + 1))
    return tuple(numbers[:_MOST])
