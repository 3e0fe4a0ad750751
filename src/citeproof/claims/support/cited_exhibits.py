"""Which figures and tables of the cited work a claim names.

In a document, `Fig. 3` mostly is a figure of its own. One of the cited work is tied to the citation: in the
same brackets (`[12, Fig. 2]`, `(Smith et al. 2020, Fig. 2b)`), before it (`Fig. 2 of [12]`) or behind it
(`Smith et al. (2020), their Fig. 2`). A claim without a document around it has no figures of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from citeproof.text import lazy_patterns as re
from citeproof.text.exhibit_labels import ExhibitMention, find_exhibit_mentions

MOST_CLAIM = 20_000  # characters of a claim that are read
MOST_EXHIBITS = 10  # of one claim
_MOST_MENTIONS = 100
_MOST_MARKS = 200

_BRACKETS = re.compile(r"\[([^\[\]\n]{1,400})\]")
_PARENTHESES = re.compile(r"\(([^()\n]{1,400})\)")
_YEAR = re.compile(r"(?<![\d.])(?:1[89]|20)\d\d[a-z]?(?!\d)")
_NUMBERS = re.compile(
    r"(?:(?:see|cf\.|e\.g\.,?|refs?\.?)\s{0,2})?\d{1,4}(?:\s?[,–-]\s?\d{1,4}){0,20}", re.IGNORECASE
)
_KEY = re.compile(r"@?[A-Za-z][\w:./+-]{2,80}(?:\s?,\s?[A-Za-z][\w:./+-]{2,80}){0,20}$")
_NAME = r"[A-Z][\w'’-]{1,40}(?:\s(?:et\sal\.?|and|&|und|[A-Z][\w'’-]{1,40})){0,4}"
_BARE = re.compile(rf"\b({_NAME}),?\s(?:1[89]|20)\d\d[a-z]?\b")
_MONTHS = frozenset((
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December", "In", "Since", "By", "Until", "From", "During", "After", "Before",
))  # fmt: skip
_OF = re.compile(
    r"\s{0,3}\)?\s{0,3}(?:of|in|from|by|von|aus|in der Arbeit von)\s{1,3}"
    r"(?:(?:[Rr]efs?\.|[Rr]eferences?|the (?:work|paper|study|review|article) (?:of|by))\s{1,2})?"
    rf"(?P<mark>\[|{_NAME},?\s{{0,2}}[\[(]?(?:1[89]|20)\d\d)"
)
_THEIR = re.compile(r"(?:\btheir|\bibid\.?,?|\bop\. cit\.,?|\btherein,?)\s{1,3}(?:the\s)?$", re.IGNORECASE)
_COMMA = re.compile(
    r"[,:]\s{0,2}(?:(?:see|cf\.|their|p(?:p)?\.\s?\d{1,5}(?:[–-]\d{1,5})?,?)\s{0,2}){0,2}$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class CitationStretch:
    """Where a claim cites something, and how many works."""

    start: int
    end: int
    works: int


def find_cited_exhibits(
    claim: str, *, cited_at: int | None = None, own_document: bool = True
) -> list[ExhibitMention]:
    """Return the figures and tables of the cited work that a claim names, each once.

    `cited_at` is where the claim cites the work; without it, a claim that cites several works names none for
    sure. `own_document`: the claim is a sentence of a document, which may have figures itself.
    """
    claim = claim[:MOST_CLAIM]
    mentions = find_exhibit_mentions(claim)[:_MOST_MENTIONS]
    if not mentions:
        return []
    marks = list(islice(_find_marks(claim), _MOST_MARKS))
    several = sum(mark.works for mark in marks) > 1
    ends = {one.start: one.end for one in mentions}  # of `Figures 2 and 3` the last
    found: dict[tuple[str, str], ExhibitMention] = {}
    for mention in mentions:
        tied = _find_tied_mark(claim, mention, ends[mention.start], marks)
        if tied is None:
            kept = not own_document and not several
        elif cited_at is not None:
            kept = tied.start <= cited_at <= tied.end and tied.works == 1
        else:
            kept = not several
        if kept and len(found) < MOST_EXHIBITS:
            found.setdefault((mention.kind, mention.number), mention)
    return list(found.values())


def _find_marks(claim: str) -> Iterator[CitationStretch]:
    """Yield the citations of a claim: each part of a group that cites, and authors with a year behind."""
    for pattern in (_BRACKETS, _PARENTHESES):
        for match in pattern.finditer(claim):
            at = match.start() + 1
            for part in match[1].split(";"):
                if works := _count_works(part, bracket=pattern is _BRACKETS):
                    yield CitationStretch(at, at + len(part), works)
                at += len(part) + 1
        claim = pattern.sub(lambda group: " " * len(group[0]), claim)
    for match in _BARE.finditer(claim):
        if match[1] not in _MONTHS:
            yield CitationStretch(match.start(), match.end(), 1)


def _count_works(part: str, *, bracket: bool) -> int:
    """Return how many works a part of a group cites; 0: none."""
    mentions = find_exhibit_mentions(part)
    words = part
    for one in reversed(mentions):
        words = words[: one.start] + words[one.end :]
    words = words.strip(" ,.:")
    years = _YEAR.findall(words)
    if years:
        return len(years)
    if bracket and (match := _NUMBERS.match(words)):
        numbers = re.findall(r"\d{1,4}", match[0])
        return 2 if re.search(r"\d\s?[–-]\s?\d", match[0]) else len(numbers)
    if bracket and _KEY.match(words) and not mentions:
        return words.count(",") + 1
    return 1 if bracket and mentions and _KEY.match(words.rstrip(" ,")) else 0


def _find_tied_mark(
    claim: str, mention: ExhibitMention, end: int, marks: list[CitationStretch]
) -> CitationStretch | None:
    """Return the citation that a mention belongs to, None: to none. `end` is that of its list."""
    for mark in marks:  # [12, Fig. 2]
        if mark.start <= mention.start < mark.end:
            before = claim[mark.start : mention.start]
            if _has_citation(before) and _COMMA.search(before):
                return mark
            return mark if _OF.match(claim, end) else None
        between = claim[mark.end : mention.start]
        inside = claim.rfind("(", 0, mark.start) > claim.rfind(")", 0, mark.start)
        if inside and between.startswith("]") and _COMMA.fullmatch(between[1:]):  # (see [12], Fig. 2)
            return mark
    if match := _OF.match(claim, end):  # Fig. 2 of [12]
        behind = (mark for mark in marks if mark.end > match.start("mark"))
        first = min(behind, key=lambda mark: mark.start, default=None)
        return first if first is not None and first.start - match.end() < 60 else None
    before = claim[: mention.start]
    if _THEIR.search(before[-40:]):  # Smith (2020), their Fig. 2
        return max(
            (mark for mark in marks if mark.end <= mention.start), key=lambda mark: mark.end, default=None
        )
    return None


def _has_citation(text: str) -> bool:
    """Return whether a text in brackets cites something: a year, a number or a key before a comma."""
    return bool(_YEAR.search(text) or re.search(r"\d", text) or _KEY.match(text.strip(" ,:")))
