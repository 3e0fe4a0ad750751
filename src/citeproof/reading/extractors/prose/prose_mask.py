"""What of a text is prose: code, mathematics, images and where links lead are masked, places stay.

`strip_markdown` gives the words that a reader of Markdown sees.

Decided by structure: Markdown's code and mathematics, LaTeX's mathematics, lines that are program text by
their signs. A block that is only indented is code if its lines look like it: prose is often indented.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from citeproof.text import lazy_patterns as re
from citeproof.text.markdown_reader import PageLink, read_blocks
from citeproof.text.package_tables import load_package_table

WALL = "\ufdd0"  # no character of any language: it is between two blocks, and no pattern reads over it
FILL = "\ufffc"  # for code, mathematics and images in a line

_MATH = re.compile(
    r"\$\$[^$]{1,3000}\$\$|(?<![\\$\w])\$(?![\s\d])[^$\n]{1,300}(?<![\s\\])\$(?![\d\w])"
    r"|\\\[(?s:.{1,3000}?)\\\]|\\\((?s:.{1,1000}?)\\\)"
    r"|\\begin\{(?P<env>equation|align|gather|multline|eqnarray|displaymath|math|verbatim|lstlisting|tikzpicture)(?P<star>\*?)\}"
    r"(?s:.{0,5000}?)\\end\{(?P=env)(?P=star)\}"
)
_BREAK = re.compile(
    r"\n(?=[ \t]{0,99}(?:\n|(?:[-*+•–]|\d{1,4}[.)]|\(?[a-z]\)|#{1,6})[ \t]|\[\^?[\w-]{1,30}\]:?[ \t]|\|))"
    r"|(?<!\\)\|"
)
_CODE_SIGNS = re.compile(
    r"^\s{0,40}(?:>>>\s|\.\.\.\s{4}|\$\s|%\s\w|#include|#define|import\s\w|from\s\w[\w.]{0,60}\simport\s|def\s\w|return\s"
    r"|//|/\*|\*/|(?:if|for|while|switch)\s?\(|(?:const|let|var|int|char|void|static|public|private|struct|class)\s\w"
    r"|[\"'][\w-]{1,60}[\"']\s?:|[{}\])];?,?\s{0,9}$)"
    r"|[;{]\s{0,9}$|==|!=|&&|\|\||\+=|\w\[[\w+-]{1,20}\]\s?(?:=|\.\w|\[|\()|\w\((?:[^()\n]{0,60}\w\[\w{1,9}\]|\))|::\w|\w->\w"
    r"|^\s{0,40}[\w.]{1,40}\s?:?=\s"
)
_DOCTEST = re.compile(r"^[ \t]{0,40}>>> [^\n]*(?:\n[ \t]{0,40}\S[^\n]*)*", re.MULTILINE)
_STRONG_CODE = re.compile(
    r"^[\s\[]{0,9}\d{4}-\d\d-\d\d[T ]\d\d:\d\d|^\s{0,40}(?:>>>\s|\$\s\w|#include|//\s)"
    r"|\w\((?:[^()\n]{0,60}\w\[\w{1,9}\])|\w\([^()\n]{0,200}\)\s?;(?:\s{0,9}$|\s//)|[\"']\w{1,40}[\"']:\s?[\[{\"\d]"
)
# What a line of code says in words: a comment at its end, a long string.
_KEPT = re.compile(
    r"(?P<said>(?<=\s)(?:#|//|--)\s[^\Wa-z_].{20,}|(?<=[\"'])(?:[^\s\"'\\]{1,60}\s){4,200}[^\"'\\]{1,200}(?=[\"'\\]))"
    r"|[^\"'#/-]+|."
)
_INDEX = re.compile(r"\[\d{1,3}\]")
_LINE = re.compile(r"[^\n\ufdd0]+")
_SHARE = 0.4  # of the lines of an indented block that look like code
# [3](https://…), [[3]](https://…) and 【3†source】 are marks, as chat programs write them; keep the number.
_MARK_LINK = re.compile(
    r"\[{1,2}\\?\[?(\d{1,3})\\?\]?\]{1,2}\(\s?[^\s()]{1,1000}(?:\s\"[^\"\n]{0,200}\")?\)"
    r"|【(\d{1,3})(?:†[^】\n]{0,60})?】"
)
_IMAGE = re.compile(r"!\[[^\[\]\n]{0,300}\]\([^()\n]{0,1000}\)")
_LINK = re.compile(
    r"(?<!!)\[([^\[\]\n]{1,1000})\]"
    r"\(\s?[^\s()]{1,1000}(?:\([^\s()]{0,200}\)[^\s()]{0,500})?(?:\s\"[^\"\n]{0,200}\")?\)"
)
_RAISED = re.compile(r"<sup>\s{0,3}\[?(\d{1,3}(?:\s?[,–-]\s?\d{1,3}){0,9})\]?\s{0,3}</sup>", re.IGNORECASE)
_DRESS = re.compile(
    r"(?<!\w)[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?!\w)|^[ \t]{0,3}(?:#{1,6}|>)[ \t]+", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class MaskedProse:
    """A text, the same with all masked that is no prose, and what Markdown says of it."""

    text: str
    prose: str
    links: tuple[PageLink, ...]
    code: tuple[tuple[int, int], ...]  # blocks and spans of code, in which identifiers of works still count


def mask_prose(text: str) -> MaskedProse:
    """Return `text` with what is no prose masked."""
    blocks = read_blocks(text)
    masked = [*text]
    fenced = [one for one in blocks.code if text[one[0]] in "`~" or _is_program(text[slice(*one)])]
    autos = {(link.start, link.end) for link in blocks.links if link.auto}
    inline = [part for one in blocks.fills if one not in autos for part in _cut_image(text, *one)]
    maths = [match.span() for pattern in (_MATH, _DOCTEST) for match in pattern.finditer(text)]
    for sign, spans in ((WALL, fenced), (FILL, inline), (FILL, maths)):
        for start, end in spans:
            masked[start:end] = sign * (end - start)
    for link in blocks.links:
        if not link.auto:
            last = max(link.inner[1], link.start + 1)
            masked[last : link.end] = FILL * (link.end - last)
            masked[link.start] = " "
    prose = _LINE.sub(_mask_code_line, _BREAK.sub(WALL, "".join(masked)))
    code = [*fenced, *(one for one in inline if text[one[0]] == "`")]
    return MaskedProse(text, prose, tuple(blocks.links), tuple(sorted(code)))


def _cut_image(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return what is masked of code, mathematics or an image: of this all but the words that describe it."""
    closing = text.find("](", start, end)
    if text[start : start + 2] != "![" or closing < 0:
        return [(start, end)]
    return [(start, start + 2), (closing, end)]


def _mask_code_line(match: re.Match[str]) -> str:
    line = match[0]
    is_code = _STRONG_CODE.search(line) or len(_CODE_SIGNS.findall(line[:2000])) > 1
    if not is_code:
        return line
    said = _KEPT.sub(lambda part: part["said"] or WALL * len(part[0]), line)
    return _INDEX.sub(lambda part: WALL * len(part[0]), said)


def _is_program(block: str) -> bool:
    """Return whether an indented block is program text by the signs of its lines."""
    lines = [line for line in block.splitlines() if line.strip()]
    return sum(bool(_CODE_SIGNS.search(line)) for line in lines) >= _SHARE * len(lines)


def blank_spans(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """Return the text without what is in spans; lines and places stay."""
    pieces, at = [], 0
    for start, end in sorted(spans):
        pieces += [text[at:start], re.sub(r"[^\n]", " ", text[max(at, start) : end])]
        at = max(at, end)
    return "".join([*pieces, text[at:]])


def strip_markdown(text: str) -> str:
    """Return Markdown as plain text: links as their words, marks as [3], no emphasis, no images."""
    if "[" in text or "【" in text:
        text = _MARK_LINK.sub(lambda m: f"[{m[1] or m[2]}]", text)
        text = _LINK.sub(r"\1", _IMAGE.sub("", text))
    if "<" in text:
        text = _RAISED.sub(r"[\1]", text)
    return _DRESS.sub("", text)


def is_own_voice(text: str) -> bool:
    """Return whether `text` is an answer's own voice ("I cannot verify …", "Hope this helps")."""
    return _compile_openings().match(text) is not None


@cache
def _compile_openings() -> re.Pattern[str]:
    opens: list[str] = load_package_table(__package__, "talk.toml")["opens"]
    words = "|".join(re.escape(one).replace("'", "['’]") for one in sorted(opens, key=len, reverse=True))
    return re.compile(rf"[\s*_>#-]{{0,12}}(?:{words})(?!\w)(?!,\s[A-Z]\.)")  # "Best, J." is an author
