"""References that stand outside a reference list: footnotes, links, lists of papers in an answer."""

from __future__ import annotations

import re

from citeproof.extractors.lines import Line
from citeproof.extractors.segments import MAX_ENTRY, Segment, joined, looks_whole
from citeproof.text import ids

_FOOTNOTE = re.compile(r"\s{0,3}\[(\^[^\]\s]{1,60})\]:\s{0,9}(?=\S)")
_ITEM = re.compile(r"\s{0,12}(?:[-*+•]|(\d{1,4})[.)]|\[(\d{1,4})\])\s{1,4}(?=\S)")
_LINK = re.compile(
    r"\[([^\[\]\n]{8,1000})\]\(\s?(https?://[^\s()]{1,1000}(?:\([^\s()]{0,200}\)[^\s()]{0,500})?)(?:\s\"[^\"]{0,200}\")?\)"
)
_DATED = re.compile(r"[^\W\d_][.,]{0,2}\s\(?(?:1[6-9]|20)\d\d[a-z]?\)?[,.:]?\s")
_STANDS_OUT = re.compile(r"\s{0,3}(?:\*\*\S|[\"“])")
_LABEL_LINE = re.compile(
    r"\s{0,12}[-*+•]?\s{0,4}[*_]{0,3}(?:title|authors?|year|date|journal|published in|venue|conference|"
    r"publication|publisher|volume|issue|pages|doi|arxiv|url|link|source)[*_]{0,3}\s?:",
    re.IGNORECASE,
)
_CITATION_SIGNS = re.compile(
    r"\bet al\b|[^\W\d_]\s\((?:1[6-9]|20)\d\d[a-z]?\)|\*\*[^*]{8,}\*\*|[“\"][^“”\"]{8,}[”\"]"
    r"|[^\Wa-z_][\w'’-]{1,30},\s[^\Wa-z_]\.|[^\Wa-z_]\.\s?[^\Wa-z_][\w'’-]{2,30}[,.]|,\s(?:1[6-9]|20)\d\d[.,;]|\barXiv\b"
)
_MAX_STANDALONE = 700
_CONTINUED = 4  # lines that may complete an item that is not whole yet


def footnotes(lines: list[Line], taken: set[int]) -> list[Segment]:
    """Return the footnotes that look like references; the lines of all footnotes go into `taken`."""
    found: list[Segment] = []
    for index, line in enumerate(lines):
        match = _FOOTNOTE.match(line.text)
        if not match or index in taken:
            continue
        last = index
        while last + 1 < len(lines) and lines[last + 1].indent >= 2 and not lines[last + 1].blank:
            last += 1
        taken.update(range(index, last + 1))
        text = joined([line.text[match.end() :], *(more.text for more in lines[index + 1 : last + 1])])
        if looks_whole(text) or ids.from_text(text):
            found.append(Segment(text[:MAX_ENTRY], line.start + match.end(), lines[last].end, match[1]))
    return found


def links(lines: list[Line], used: set[int]) -> list[Segment]:
    """Return the links outside lists whose text is a citation: author, year, title."""
    found: list[Segment] = []
    for index, line in enumerate(lines):
        if index in used or "](" not in line.text:
            continue
        found += [
            Segment(match[0], line.start + match.start(), line.start + match.end())
            for match in _LINK.finditer(line.text)
            if _DATED.search(match[1]) and len(match[1].split()) > 3
        ]
    return found


def listed(lines: list[Line], used: set[int]) -> list[Segment]:
    """Return the papers that an answer lists without a heading: items and lines that stand out.

    Takes the lines it reads into `used`. In a list most of whose items are citations, every item
    is one: an invented reference may lack its year.
    """
    found: list[Segment] = []
    for block in _lists(lines, used):
        items = [_item(lines, start, end) for start, end in block]
        citations = [item for item in items if _citation(item.text)]
        if not citations:
            continue
        most = 2 * len(citations) > len(items)
        chosen = [item for item in items if len(item.text.split()) > 2] if most else citations
        if any(_LINK.search(item.text) for item in chosen) and not most:
            continue
        found += chosen
        used.update(index for start, end in block for index in range(start, end))
    return found


def _lists(lines: list[Line], used: set[int]) -> list[list[tuple[int, int]]]:
    """Return the lists of the document, each as line spans of its items."""
    blocks: list[list[tuple[int, int]]] = []
    index, open_list = 0, False
    while index < len(lines):
        line = lines[index]
        item = _ITEM.match(line.text) if index not in used else None
        if line.blank:
            index += 1
            continue
        if not item and not (_STANDS_OUT.match(line.text) and index not in used):
            open_list = False
            index += 1
            continue
        end = _item_end(lines, index)
        if not open_list:
            blocks.append([])
        blocks[-1].append((index, end))
        open_list = True
        index = end
    return blocks


def _item_end(lines: list[Line], start: int) -> int:
    """Return the line behind an item: its continuation lines are indented or follow directly."""
    end = start + 1
    margin = lines[start].indent
    while end < len(lines):
        line = lines[end]
        nested = line.indent > margin
        if line.blank:
            following = next((later for later in lines[end + 1 : end + 3] if not later.blank), None)
            if following is None or following.indent <= margin:
                return end
        elif not nested and (
            _ITEM.match(line.text) or _STANDS_OUT.match(line.text) or line.text.startswith("#")
        ):
            return end
        end += 1
    return end


def _item(lines: list[Line], start: int, end: int) -> Segment:
    """Return one item: its first line, and the lines behind it that still belong to the citation."""
    first = lines[start]
    match = _ITEM.match(first.text)
    skipped = match.end() if match else first.indent
    label = (match[1] or match[2] or "") if match else ""
    parts, last = [first.text[skipped:]], start
    for index in range(start + 1, end):
        line = lines[index]
        needed = index - start <= _CONTINUED and not _citation(joined(parts))
        if not line.blank and (needed or _LABEL_LINE.match(line.text)):
            parts.append(_ITEM.sub("", line.text, count=1))
            last = index
    return Segment(joined(parts)[:MAX_ENTRY], first.start + skipped, lines[last].end, label)


def _citation(text: str) -> bool:
    """Return whether `text` by itself is a citation and not a sentence that holds a year."""
    if len(text) > _MAX_STANDALONE and not _LABEL_LINE.search(text):
        return False
    return looks_whole(text) and bool(_CITATION_SIGNS.search(text) or _scholarly(text))


def _scholarly(text: str) -> bool:
    return any(scheme not in ("url", "isbn", "issn") for scheme, _, _, _ in ids.from_text(text))
