"""Generated text as it comes -> sentences, list items, rows and lines of code, in order, nothing lost.

Where a segment ends depends on the text up to there and `AHEAD` characters more, never on how the text came
in chunks. Prose is cut behind a sentence, not inside of brackets or quotation marks. What may be an entry of
a reference list, a BibTeX entry or a row of a table is one segment. Joined again, the segments are the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from citeproof.reading.extractors.prose.entry_starts import has_entry_end, has_leading_name
from citeproof.reading.extractors.prose.field_records import is_field_line, names_columns
from citeproof.reading.extractors.prose.sentence_spans import find_sentence_spans
from citeproof.reading.extractors.prose.text_lines import is_reference_heading
from citeproof.text import lazy_patterns as re

AHEAD = 40  # characters behind a place that are read before it is decided whether a segment ends there
LONGEST = 20_000  # characters of one segment; a longer one is cut
LONGEST_BIBTEX = 6000  # same, of a BibTeX entry
LONGEST_OPEN = (
    1500  # characters of a sentence that ends inside brackets or quotation marks, with what follows
)
CONTEXT = 600  # characters before a sentence, of its block, that are read with it
_QUOTE = r"[ \t]{0,12}(?:>[ \t]?){0,4}"
_ENTRY_MARK = re.compile(
    rf"{_QUOTE}(?:[-*+•][ \t]+|\(?\d{{1,3}}[.)][ \t]+)?(?:\[\^?([^\[\]\s]{{1,30}})\]:?[ \t])?"
)
_FENCE = re.compile(rf"{_QUOTE}(`{{3,}}|~{{3,}})")
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}(?:[ \t]|$)")
_BIBTEX = re.compile(
    r"[ \t]{0,12}@(?:article|book|booklet|conference|collection|dataset|electronic|inbook|incollection"
    r"|inproceedings|manual|(?:master|phd)?s?thesis|misc|online|patent|proceedings|report|software|techreport|unpublished|www)"
    r"[ \t]{0,4}\{",
    re.IGNORECASE,
)
_WHOLE_LINE = re.compile(rf"{_QUOTE}(?:#{{1,6}}(?:[ \t]|$)|`{{3}}|~{{3}}|\|)")
# what begins a segment of its own on a new line
_STRUCTURE = re.compile(
    rf"{_QUOTE}(?:[-*+•][ \t]|\(?\d{{1,3}}[.)][ \t]|#{{1,6}}[ \t]|`{{3}}|~{{3}}|\||@[A-Za-z]{{4,20}}[ \t]?\{{"
    r"|\[\^?[^\[\]\s]{1,30}\](?::|[ \t]+[^\Wa-z_]))"
)
_BLANK = re.compile(r"[ \t\r\f\v>]*\n")
_CANDIDATE = re.compile(r"[.!?…][^\s.!?…。！？]{0,80}[ \t]+(?=\S)|[。！？]|\n")
_PAIRS = ("[]", "()", "{}", "“”", "«»")
_HEADED_ENTRY = re.compile(
    r"[ \t]{0,3}#{1,6}[ \t]{1,3}\[\d{1,3}\][ \t][^\n]{5,300}\n{1,2}"
)  # its title is below
_DATA_FENCE = re.compile(
    rf"{_QUOTE}(`{{3,}}|~{{3,}})[ \t]{{0,3}}(?:(?:json\w{{0,2}}|ya?ml|toml|xml|bib\w{{0,6}}|ris|csv|tsv"
    rf"|endnote|nbib|text|txt|markdown|md|plaintext)?"
    r"[ \t]{0,9}\n(?=\s{0,20}(?:[\[{<%@|]|TY\b|PMID|-\s|[^\n:]{1,30}:\s|[\w\"]+[,;\t])))"
)
_DATA = re.compile(r"[ \t]{0,9}(?:\[\s{0,9})?\{\s{0,9}[\"'}]")
_ELEMENT = re.compile(
    r"[ \t]{0,9}<(?!(?:a|b|i|p|em|strong|span|br|hr|img|div|details|sup|sub|center|html|body|head"
    r"|think)\b)([a-z][\w-]{1,30})\b[^<>]{0,200}>(?=\s*<)",
    re.IGNORECASE,
)
_ITEM = re.compile(rf"{_QUOTE}(?:[-*+•][ \t]|\(?\d{{1,3}}[.)][ \t])")
_SIGN = re.compile(  # of a work, in the first item of a list
    r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)|10\.\d{4}|arxiv|\bet al\b|[\"“*_][^\"”*_\n]{15,}[\"”*_]|\bby [A-Z]",
    re.IGNORECASE,
)
_HEAD = re.compile(rf"{_QUOTE}(?:#{{1,6}}[ \t]|\*\*|\d{{1,3}}[.)][ \t]|[-*+•][ \t]|[\"“_*]|\[\d)")
_PEOPLE_BELOW = re.compile(
    r"[\s>*_•+-]{0,24}(?:by\s|[^\Wa-z_]\.\s|[^\Wa-z_][\w.'’-]+\s[^\Wa-z_][\w.'’-]*(?:[,;&*_\n]|\s(?:and|&|et)\b))"
)
# Of a work that the text may go on to describe: a year, an identifier, people, a title
_WORK_SIGN = re.compile(
    r"(?<![\d.])(?:1[5-9]|20)\d\d(?![\d])|10\.\d{4}|://|\bet\sal\b|[\"“„«*_‘][^\"”“»*_’\n]{12,}[\"”“»*_’]"
    r"|(?<![\w.])[^\Wa-z_\d]\.[\s-][^\Wa-z_]|[^\W\d_]{2},\s[^\Wa-z_\d]\.|[^\W\d_]{2}\s[A-Z]{1,2},\s[^\Wa-z_]"
    r"|[^\Wa-z_\d][^\W\d_]+(?:,\s|\s(?:and|&|und|et|y|e)\s)[^\Wa-z_\d][^\W\d_]+"
    r"|[^\Wa-z_][\w-]+(?:\s(?:of|for|and|the|in|on|with|to|a|an|by|from)){0,2}\s[^\Wa-z_][\w-]+"
    r"(?:\s(?:of|for|and|the|in|on|with|to|a|an|by|from)){0,2}\s[^\Wa-z_][\w-]+|\bby\s[^\Wa-z_]"
)
_LONGEST_PARAGRAPH = 3000  # characters of one that is not cut behind its sentences
_LONGEST_BLOCK = 18_000  # of a list or a table that is read as a whole


@dataclass(frozen=True, slots=True)
class TextSegment:
    """One piece of the text. `context`: what stands before it in its block, below its heading or fence."""

    text: str
    start: int = 0  # in the whole text
    context: str = ""
    in_code: bool = False


class SegmentReader:
    """Takes chunks and gives whole segments."""

    def __init__(self) -> None:
        self._left, self._at = "", 0  # what is not cut yet, and where it begins
        self._rejected = 0  # up to here nothing of it ends a segment
        self._head, self._block = "", ""
        self._fence = ""
        self._in_list = False

    @property
    def size(self) -> int:
        """How many characters came."""
        return self._at + len(self._left)

    def feed(self, chunk: str) -> Iterator[TextSegment]:
        """Yield the segments that are whole now."""
        self._left += chunk
        yield from self._cut_segments(final=False)

    def finish(self) -> Iterator[TextSegment]:
        """Yield what is left."""
        yield from self._cut_segments(final=True)

    def _cut_segments(self, *, final: bool) -> Iterator[TextSegment]:
        while self._left and (end := self._find_end(final=final)):
            text, self._left = self._left[:end], self._left[end:]
            yield self._make_segment(text)
            self._at, self._rejected = self._at + end, 0

    def _make_segment(self, text: str) -> TextSegment:
        made = TextSegment(text, self._at, self._head + self._block, in_code=bool(self._fence))
        if _BIBTEX.match(text) and text.endswith("}"):
            return made
        if fence := _FENCE.match(text):
            if not self._fence:
                self._fence, self._head, self._block = fence[1], text, ""
                return made
            if fence[1].startswith(self._fence):
                self._fence, self._head = "", ""
        elif not self._fence:
            if not text.strip(" \t\r\n>"):
                self._block = ""
                return made
            heading = is_reference_heading(text)
            if heading or _HEADING.match(text):
                self._in_list, self._head, self._block = heading, text if heading else "", ""
                return made
        alone = self._fence or text.endswith("\n")  # a line, row or item is read by itself
        self._block = "" if alone else (self._block + text)[-CONTEXT:]
        return made

    def _find_end(self, *, final: bool) -> int | None:
        """Return where the first segment of what is left ends; None while that is not known."""
        left = self._left
        bibtex = _find_bibtex_end(left) if _BIBTEX.match(left, 0, AHEAD) else None
        if bibtex or (bibtex == 0 and not final):
            return bibtex or None
        limit = min(len(left), LONGEST)
        known = final and len(left) < LONGEST
        end = None if self._fence else self._find_data_end(left[:limit], known=known)
        if end is not None and (end or not known):
            return end or None
        if self._fence:
            return left.find("\n", 0, limit) + 1 or (limit if known or limit == LONGEST else None)
        for candidate in _CANDIDATE.finditer(left, self._rejected):
            end = candidate.end()
            if end + AHEAD > limit and not known:
                break
            if cut := self._decide(left[: end + AHEAD], candidate):
                return cut
            self._rejected = candidate.start() + 1
        return limit if known or limit == LONGEST else None

    def _find_data_end(self, left: str, *, known: bool) -> int | None:
        """Return where data that is read as a whole ends; 0 while it goes on, None if it is none."""
        if fence := _DATA_FENCE.match(left):
            close = re.compile(rf"^{_QUOTE}{re.escape(fence[1])}[ \t]*(?:\n|\Z)", re.MULTILINE).search(
                left, fence.end()
            )
            return close.end() if close and (known or close[0].endswith("\n")) else self._give_up(left)
        if element := _ELEMENT.match(left):
            end = left.lower().find(f"</{element[1].lower()}>", element.end())
            return (
                left.find("\n", end) + 1 or (len(left) if known else 0) if end >= 0 else self._give_up(left)
            )
        if left.startswith("\\bibitem"):
            last = re.search(r"\n(?=[ \t]*(?:\n|\\bibitem|\\end\{))", left)
            return last.end() if last else len(left) if known else self._give_up(left)
        if _DATA.match(left):
            blank = re.search(r"\n[ \t]*\n", left)
            end = _find_balanced_end(left) or (blank.end() if blank else 0)
            return (left.find("\n", end - 1) + 1 or (end if known else 0)) if end else self._give_up(left)
        if (
            len(left) < 2 * AHEAD
            and not known
            and re.match(rf"{_QUOTE}(?:[`~]{{3,}}|<[a-z]|[\[{{]\s*$)", left)
        ):
            return 0  # what kind of block it is will be seen
        return None

    @staticmethod
    def _give_up(left: str) -> int | None:
        return 0 if len(left) < _LONGEST_BLOCK else None

    def _goes_on(self, text: str, end: int) -> bool:
        """Return whether the lines of one work, list or table go on behind a line."""
        block, following = text[:end], text[end:]
        if len(block) > _LONGEST_BLOCK:
            return False
        rows = following.lstrip("\n")
        lines = block.rstrip("\n").split("\n")
        gap = len(block) - len(block.rstrip("\n")) + len(following) - len(rows)
        if rows.startswith("#") or gap > 2 or not rows.strip():
            return False
        table = lines[0].lstrip(" \t>").startswith(("|", "+-")) or names_columns(lines[0])
        if table:
            return gap <= 1
        if is_field_line(rows) and (
            is_field_line(lines[-1]) or _HEAD.match(lines[-1]) or is_field_line(lines[0])
        ):
            return True
        if (
            _HEAD.match(lines[0])
            and len(lines) == 1
            and len(lines[0].split()) > 3
            and _PEOPLE_BELOW.match(rows)
        ):
            return True
        indents = [len(line) - len(line.lstrip(" \t")) for line in (lines[0], rows)]
        deeper = gap <= 1 and (indents[1] > indents[0] or rows[0] == "-")
        if deeper and any(is_field_line(line) for line in lines[-12:]):
            return True
        if deeper and indents[1] > indents[0] and len(lines) > 1 and _PEOPLE_BELOW.match(lines[1] + "\n"):
            return True
        if self._in_list or not _ITEM.match(lines[0]):
            return False
        listed = _ITEM.match(rows) or (rows[0] in " \t" and gap <= 1)
        return bool(listed and _SIGN.search(lines[0]))

    def _decide(self, text: str, candidate: re.Match[str]) -> int | None:
        """Return where a segment ends whose end may be at the candidate; None if it does not end there."""
        end = candidate.end()
        if candidate[0] == "\n" and self._goes_on(text, end):
            return None
        if candidate[0] == "\n" and self._ends_with_line(text, end):
            return end
        if end < _LONGEST_PARAGRAPH and _WORK_SIGN.search(text, 0, end):
            return None  # what it says of a work may go on
        if _WHOLE_LINE.match(text) or self._may_be_entry(text[:end]) or _is_open(text[:end]):
            return None
        low = max(0, candidate.start() - CONTEXT)
        ends = (low + one for _, one in find_sentence_spans(text[low:]))
        cut = next((one for one in ends if one > candidate.start()), len(text))
        if candidate[0] == "\n":  # a sentence that ends with its line
            return None if text[end:cut].strip() else end
        return cut if cut < len(text) and (cut == end or text[end] == "[") else None

    def _ends_with_line(self, text: str, end: int) -> bool:
        """Return whether a segment ends with its line, whatever the line says."""
        line = text[text.rfind("\n", 0, end - 1) + 1 : end]
        if (headed := _HEADED_ENTRY.match(text)) and end <= headed.end():
            return not text[end:].strip()
        following = text[end:]
        if (
            not following.strip()
            or following.startswith("\\bibitem")
            or _BLANK.match(following)
            or _STRUCTURE.match(following)
            or not line.strip()
        ):
            return True
        if _WHOLE_LINE.match(text) or is_reference_heading(line):
            return True
        ended = has_entry_end(line) or has_leading_name(following)
        return self._in_list and ended and not following[0].isspace()

    def _may_be_entry(self, text: str) -> bool:
        mark = _ENTRY_MARK.match(text)
        label = mark[0] if mark else ""
        if mark and mark[1] and text[len(label) : len(label) + 1].islower():
            label = ""  # "[1] shows that": a sentence
        return self._in_list or bool(label.strip(" \t>")) or has_leading_name(text[len(label) :])


def _is_open(text: str) -> bool:
    """Return whether text ends inside of brackets or quotation marks, as in the title of a link."""
    if len(text) > LONGEST_OPEN:
        return False
    pairs = (pair for pair in _PAIRS if pair != "“”" or "„" not in text)
    return text.count('"') % 2 == 1 or any(text.count(pair[0]) > text.count(pair[1]) for pair in pairs)


def _find_balanced_end(text: str) -> int:
    """Return where the first object or list of JSON ends; 0 if it does not."""
    depth = 0
    for match in re.finditer(r"\"(?:\\.|[^\"\\\n])*\"|[{}\[\]]", text):
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(match[0], 0)
        if depth == 0 and match[0] in "}]":
            return match.end()
    return 0


def _find_bibtex_end(text: str) -> int | None:
    """Return where a BibTeX entry ends that begins the text; 0 while it goes on, None if it is too long."""
    depth = 0
    for match in re.finditer(r"\\.|[{}]", text[:LONGEST_BIBTEX]):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth == 0 and match[0] == "}":
            return match.end()
    return 0 if len(text) < LONGEST_BIBTEX else None
