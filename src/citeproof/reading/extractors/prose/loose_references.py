"""References that are outside a reference list: footnotes, links, papers that an answer lists;
identifiers and titles in running text.

Works that have a heading each are in `headed_works.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice

from citeproof.reading.extractors.decoded_text import DecodedText
from citeproof.reading.extractors.prose.citing_sentences import MAX_BODY, SentenceIndex
from citeproof.reading.extractors.prose.entry_segments import (
    MAX_ENTRY,
    EntrySegment,
    is_likely_reference,
    join_entry_lines,
    split_segments,
)
from citeproof.reading.extractors.prose.entry_starts import has_entry_end, has_leading_name
from citeproof.reading.extractors.prose.inline_citations import find_inline_citations
from citeproof.reading.extractors.prose.line_furniture import blank_small_talk
from citeproof.reading.extractors.prose.mention_finder import is_known_venue
from citeproof.reading.extractors.prose.prose_mask import is_own_voice, mask_prose, strip_markdown
from citeproof.reading.extractors.prose.text_lines import TextLine
from citeproof.reading.extractors.records.labelled_fields import NAMES, TITLE_NAMES, read_labelled_fields
from citeproof.text import dates, ids
from citeproof.text import lazy_patterns as re
from citeproof.text.readable_text import read_as_shown
from citeproof.text.title import make_title_key
from citeproof.vocabulary import WORK_IDS, Problem

_YEAR = re.compile(r"(?<!\d)(?:1[6-9]|20)\d\d(?!\d)")
_FOOTNOTE = re.compile(r"\s{0,3}\[(\^[^\]\s]{1,60})\]:\s{0,9}(?=\S)")
_ITEM = re.compile(r"\s{0,12}(?:[-*+•]|(\d{1,6})[.)]|\[(\d{1,6})\])\s{1,4}(?=\S)")
_LINK = re.compile(
    r"\[([^\[\]\n]{8,1000})\]\(\s?(https?://[^\s()]{1,1000}(?:\([^\s()]{0,200}\)[^\s()]{0,500})?)(?:\s\"[^\"]{0,200}\")?\)"
)
SET_OFF = re.compile(r"[*_“\"]{1,3}\w[^*_“”\"]{12,300}[*_”\"]")  # as titles are
_REMARK = re.compile(r"(?:(?<=[.)\]*_\d”\"])\s{1,3}(?=[—–])|\s{1,3}(?=→))([—–→])\s{1,2}(?=\S)")
POINT = re.compile(r"\s{0,12}[-*+•–◦▪]\s{1,4}(?=\S)")
_DEFINITION = re.compile(
    r"\s{0,3}\[(\d{1,3})\]:\s{1,9}<?(https?://\S{4,1000}?)>?(?:\s{1,9}[\"'(](.{1,300})[\"')])?\s{0,9}$"
)
_DATED_HEAD = re.compile(
    r"\s{0,3}[^\Wa-z_][\w'’-]{1,30}(?:,?\s(?:&|and)\s[^\Wa-z_][\w'’-]{1,30}|\set\sal\.?)?,?"
    r"\s\(?(?:1[6-9]|20)\d\d[a-z]?\)?\s?[.:—–]\s(?![\"“][^\"“”]{1,400}[.!?][\"”])"
)
_STANDS_OUT = re.compile(r"\s{0,3}(?:\*\*\S|[\"“])")
LABEL_LINE = re.compile(
    rf"\s{{0,12}}(?:[-*+•]\s|\d{{1,3}}[.)]\s)?\s{{0,4}}[*_]{{0,3}}(?:({NAMES})|{TITLE_NAMES})[*_]{{0,3}}\s?:",
    re.IGNORECASE,
)
_CITATION_SIGNS = re.compile(
    r"^[*_]{1,3}[^\s*_]{1,60}\s[^*_\n]{3,300}[*_]{1,3}[,.]?\s(?:\(|by\s|[–—-]\s)|\bet al\b"
    r"|[^\W\d_]\s\((?:1[6-9]|20)\d\d[a-z]?\)|\*\*[^*\s]{1,60}\s[^*]{4,}\*\*|[“\"][^“”\"]{8,}[”\"]"
    r"|[^\Wa-z_][\w'’-]{1,30},\s[^\Wa-z_]\.|[^\Wa-z_]\.\s?[^\Wa-z_][\w'’-]{2,30}[,.]|,\s(?:1[6-9]|20)\d\d[.,;]|\barXiv\b"
)
_POINTS_BACK = re.compile(
    r"\(([^\Wa-z_][\w'’-]{1,30})(?:\set\sal\.?|\s(?:and|&)\s[^()\d]{2,40})?,?\s((?:1[6-9]|20)\d\d)[a-z]?\)[.\s]{0,3}$"
)
_TITLE_AND_VENUE = re.compile(r"([^.()\n]{3,300}?)\s\(([^\d(),]{2,80}),?\s['’]?(?:\d\d){1,2}\)")
_EVENT = re.compile(
    r"\b(?:review(?:er|ed)|chairs?|keynote|talks?|posters?|tutorials?|workshops?|panel|committee|attended|award)\b",
    re.IGNORECASE,
)  # what people list of themselves
_MAX_STANDALONE = 700
_TITLE_WORDS = 3  # at least behind the year
_MOST_REMARKS = 5  # dashes of an entry that are examined
_CONTINUED = 4  # lines that may complete an item that is not whole yet
_SET_OFF = re.compile(r"[\"“”„«‘*_]")  # a title between such signs, and not the words of a heading
_MOST_PROBLEMS = 50
_MOST_KNOWN, _HEAD = 2000, 500  # entries that a title is compared with, and characters of each
_LINK_WORDS = re.compile(r"\[(?P<words>[^\[\]\n]{0,1000})\]\((?P<address>[^\s()]{1,1000}).*\)", re.DOTALL)


def find_footnotes(lines: list[TextLine], taken: set[int]) -> list[EntrySegment]:
    """Return the footnotes that look like references; the lines of all footnotes go into `taken`."""
    found: list[EntrySegment] = []
    for index, line in enumerate(lines):
        match = _FOOTNOTE.match(line.text)
        if not match or index in taken:
            continue
        last = index
        while last + 1 < len(lines) and lines[last + 1].indent >= 2 and not lines[last + 1].blank:
            last += 1
        taken.update(range(index, last + 1))
        more = [line.text for line in lines[index + 1 : last + 1]]
        text = join_entry_lines([line.text[match.end() :], *more])
        if is_likely_reference(text) or ids.find_ids(text):
            found.append(EntrySegment(text[:MAX_ENTRY], line.start + match.end(), lines[last].end, match[1]))
    return found


def find_link_definitions(lines: list[TextLine], taken: set[int]) -> list[EntrySegment]:
    """Return the numbered link definitions that name a work: `[1]: https://doi.org/… "Its title"`."""
    found: list[EntrySegment] = []
    for index, line in enumerate(lines):
        match = _DEFINITION.match(line.text) if index not in taken and "]:" in line.text else None
        if match and (match[3] or _has_work_id(match[2])):
            taken.add(index)
            text = f"{match[3]} {match[2]}" if match[3] else match[2]
            found.append(EntrySegment(text, line.start + match.start(2), line.end, match[1]))
    return found


@lru_cache(maxsize=1000)  # of one item it is asked several times
def find_work_ids(text: str) -> frozenset[tuple[str, str]]:
    """Return the identifiers of works in `text`."""
    return frozenset((scheme, value) for scheme, value, _, _ in ids.find_ids(text) if scheme in WORK_IDS)


def find_listed_works(lines: list[TextLine], used: set[int]) -> list[EntrySegment]:
    """Return the papers that an answer lists without a heading: items and lines that stand out.

    Takes the lines it reads into `used`. In a list most of whose items are citations, every item
    is one: an invented reference may lack its year.
    """
    found: list[EntrySegment] = []
    for block in _find_lists(lines, used):
        items = [_read_item(lines, start, end) for start, end in block]
        chosen, most = choose_citations(items)
        if not chosen or (any(_LINK.search(item.text) for item in chosen) and not most):
            continue
        found += chosen
        used.update(index for start, end in block for index in range(start, end))
    titled = [one.text for one in found if SET_OFF.search(one.text)]
    return [one for one in found if not _points_back(one.text, titled)]


def _points_back(text: str, titled: list[str]) -> bool:
    """Return whether a point is about a work that is listed with its title: "It helps (Doe et al., 2020)"."""
    match = None if text in titled else _POINTS_BACK.search(text)
    return match is not None and any(match[1] in other and match[2] in other for other in titled)


def choose_citations(items: list[EntrySegment]) -> tuple[list[EntrySegment], bool]:
    """Return the items that are citations, or all that name a work where most are, and whether most are."""
    dated = [item for item in items if _names_venue_alone(item.text)]  # one alone may be an event
    items_dated = dated if len(dated) > 1 and 2 * len(dated) > len(items) else []
    citations = [item for item in items if item in items_dated or is_standalone_citation(item.text)]
    most = 2 * len(citations) > len(items)
    return ([item for item in items if _is_named_work(item.text)] if most else citations), most


def _names_venue_alone(text: str) -> bool:
    """Return whether an item is a title and, in brackets, a known venue with its year, without people."""
    match = _TITLE_AND_VENUE.match(text)
    return match is not None and is_known_venue(match[2]) and not _EVENT.search(match[1])


def find_bare_list(lines: list[TextLine], used: set[int]) -> list[EntrySegment]:
    """Return the entries of a document that is nothing but a list, without heading, numbers or bullets.

    Of any other, lines that cite a work: "Doe et al., 2017 — A title ([host](…))". `used` gets what is read.
    """
    headed = [i for i, line in enumerate(lines) if _DATED_HEAD.match(line.text) and ids.find_ids(line.text)]
    found = split_segments(blank_small_talk(lines))
    named = [one for one in found if has_leading_name(one.text) or _DATED_HEAD.match(one.text)]
    citations = [one for one in named if is_standalone_citation(one.text)]
    if 2 * len(citations) > len(found):
        used.update(range(len(lines)))
        return citations
    used.update(headed)
    return [EntrySegment(lines[i].text.strip(), lines[i].start, lines[i].end) for i in headed]


def _is_named_work(text: str) -> bool:
    """Return whether an item among citations names a work, and is no remark of the answer's own."""
    return (len(text.split()) > 2 or _has_work_id(text)) and not (
        is_own_voice(text) and not _has_work_id(text)
    )


def _find_lists(lines: list[TextLine], used: set[int]) -> list[list[tuple[int, int]]]:
    """Return the lists of the document, each as line spans of its items."""
    blocks: list[list[tuple[int, int]]] = []
    index, open_list = 0, False
    while index < len(lines):
        line = lines[index]
        item = _ITEM.match(line.text) if index not in used else None
        if line.blank:
            index += 1
            continue
        stands = _STANDS_OUT.match(line.text) or read_label(line.text) == "title"
        if not item and not (stands and index not in used):
            open_list = False
            index += 1
            continue
        end = _find_item_end(lines, index)
        if not open_list:
            blocks.append([])
        blocks[-1].append((index, end))
        open_list = True
        index = end
    return blocks


def _find_item_end(lines: list[TextLine], start: int) -> int:
    """Return the line behind an item; what continues it is indented, follows directly, or is labelled."""
    end = start + 1
    margin = lines[start].indent
    first = read_label(lines[start].text)
    while end < len(lines):
        line = lines[end]
        label = read_label(line.text)
        # a further field of the same work; when the first label comes again, the next work begins
        if not first and line.indent <= margin and _ITEM.match(line.text) and _ITEM.match(lines[start].text):
            return end
        nested = line.indent > margin or (label not in ("", first, "title"))
        if line.blank:
            following = next((later for later in lines[end + 1 : end + 3] if not later.blank), None)
            if following is None or following.indent <= margin:
                return end
        elif not nested and (
            label or _ITEM.match(line.text) or _STANDS_OUT.match(line.text) or line.text.startswith("#")
        ):
            return end
        end += 1
    return end


def read_label(text: str) -> str:
    """Return the name of the field that a line states, in lower case: "- **Authors:** …"."""
    match = LABEL_LINE.match(text)
    return (match[1] or "title").lower() if match else ""


def strip_item_mark(text: str) -> str:
    """Return a line without the bullet or number it begins with."""
    match = _ITEM.match(text)
    return text[match.end() :] if match else text


def _read_item(lines: list[TextLine], start: int, end: int) -> EntrySegment:
    """Return one item: its first line, and the lines behind it that still belong to the citation."""
    first = lines[start]
    match = _ITEM.match(first.text)
    skipped = match.end() if match else first.indent
    label = (match[1] or match[2] or "") if match else ""
    parts, last = [first.text[skipped:]], start
    for index in range(start + 1, end):
        line = lines[index]
        needed = index - start <= _CONTINUED and _is_going_on(parts, line.text)
        if not line.blank and (needed or LABEL_LINE.match(line.text)):
            parts.append(strip_item_mark(line.text))
            last = index
    text = cut_remark(join_entry_lines(parts))[:MAX_ENTRY]
    return EntrySegment(text, first.start + skipped, lines[last].end, label)


def _is_going_on(parts: list[str], line: str) -> bool:
    """Return whether an item is no citation yet, or one that has not ended: within a quotation or phrase."""
    text = join_entry_lines(parts)
    if not is_standalone_citation(text):
        return True
    closed = text.count('"') % 2 == 0 and text.count("“") <= text.count("”")
    ended = closed and not text[-1:].isalpha() and has_entry_end(text)
    return not (ended or LABEL_LINE.match(parts[-1]) or POINT.match(line))


def is_standalone_citation(text: str) -> bool:
    """Return whether `text` by itself is a citation and not a sentence that holds a year."""
    if len(text) > _MAX_STANDALONE and not LABEL_LINE.search(text):
        return False
    if _has_work_id(text) or (LABEL_LINE.match(text) and read_labelled_fields(text)):
        return True
    if is_own_voice(text):
        return False
    return is_likely_reference(text) and bool(_CITATION_SIGNS.search(text))


def cut_remark(text: str) -> str:
    """Return a citation without the remark behind its end: "… 63(3), 581–592. — Defines MCAR."."""
    for match in islice(_REMARK.finditer(text[:MAX_ENTRY]), _MOST_REMARKS):
        before = text[: match.start()]
        if is_likely_reference(before) and (match[1] == "→" or _has_title(before)):
            return before.rstrip()
    return text


def _has_title(text: str) -> bool:
    """Return whether a citation goes on behind names and year: a title that is set off, or more words."""
    if any(not dates.find_years(one[0]) for one in SET_OFF.finditer(text)):
        return True
    year = _YEAR.search(text)
    return year is not None and text.endswith(".") and len(text[year.end() :].split()) > _TITLE_WORDS


def blank_remarks(lines: Sequence[TextLine]) -> list[TextLine]:
    """Return the lines of a list without the points that are made below a citation: "- Used for: …".

    A point is indented further than the entry, or right below one that is no point itself. Fields of the
    work stay, and so do further citations.
    """
    kept: list[TextLine] = []
    entry: list[str] = []
    margin, item = 0, False
    for line in lines:
        match = POINT.match(line.text)
        below = bool(entry) and match is not None and (line.indent > margin + 1 or not item)
        if line.blank or (match and not below) or not entry:
            entry = [] if line.blank else [line.text]
            margin, item = line.indent, match is not None
        elif below and is_standalone_citation(join_entry_lines(entry[:_CONTINUED])):
            if not LABEL_LINE.match(line.text) and not is_standalone_citation(strip_item_mark(line.text)):
                line = replace(line, text="")  # noqa: PLW2901 - the line without its words
        else:
            entry.append(line.text)
        kept.append(line)
    return kept


def _has_work_id(text: str) -> bool:
    return bool(find_work_ids(text))


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
