"""The body of Markdown, reStructuredText, plain text and LaTeX: what a reader sees, without the lists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from citeproof.reading.extractors.body.body_writer import (
    MAX_CAPTION,
    MAX_TEXT,
    BodyText,
    BodyWriter,
    add_exhibits,
)
from citeproof.reading.extractors.decoded_text import MAX_RUNNING, decode
from citeproof.reading.extractors.latex.cite_commands import find_cites
from citeproof.reading.extractors.latex.compiled_bibliography import find_bibliographies
from citeproof.reading.extractors.latex.latex_source import LatexSource
from citeproof.reading.extractors.latex.latex_words import render_paragraphs
from citeproof.reading.extractors.markdown import find_markdown_body
from citeproof.reading.extractors.plain_text import find_text_body
from citeproof.reading.extractors.prose.hyphenated_words import join_broken_word
from citeproof.reading.extractors.prose.prose_mask import strip_markdown
from citeproof.reading.extractors.prose.rst_markup import render_markdown
from citeproof.reading.extractors.prose.text_lines import is_reference_heading
from citeproof.text import lazy_patterns as re
from citeproof.text.brace_groups import BraceGroups
from citeproof.text.markdown_reader import skip_front_matter
from citeproof.vocabulary import Document
from citeproof.vocabulary.source_texts import Exhibit, ExhibitKind

_COMMENT = re.compile(r"(?<!`)<!--.*?-->", re.DOTALL)
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]+(\S[^\n]{0,300})")
_UNDERLINE = re.compile(r"[ \t]{0,3}(?:={3,}|-{3,})[ \t]*$")
_RULE = re.compile(r"[ \t]{0,3}(?:[-*_][ \t]{0,3}){3,40}$")
_BULLET = re.compile(r"[ \t]{0,12}(?:[-*+•]|\d{1,3}[.)])[ \t]+")
_NUMBERED = re.compile(r"(?:\d{1,2}(?:\.\d{1,2}){0,3}|[IVX]{1,5}|[A-Z])\.?[ \t]{1,4}[^\W\d_a-z][^\n]{1,80}")
_BROKEN = re.compile(r"[^\W\d_]-$")
_KNOWN = frozenset((
    "abstract", "summary", "introduction", "background", "methods", "materials and methods", "method",
    "results", "discussion", "conclusion", "conclusions", "results and discussion", "related work",
    "acknowledgements", "acknowledgments", "appendix", "limitations", "experiments", "evaluation",
))  # fmt: skip
_LATEX_SECTION = re.compile(
    r"\\(?:part|chapter|(?:sub){0,2}section|paragraph)\*?\s{0,3}(?:\[[^\]\n]{0,300}\])?\s{0,3}"
    r"\{((?:[^{}]|\{(?:[^{}]|\{[^{}]{0,200}\}){0,200}\}){0,500})\}|\\begin\s{0,3}\{(abstract)\}"
)
_MOST_PAGES = 10_000
_BEGIN = re.compile(r"\\begin\s{0,3}\{document\}")
MAX_EXHIBITS = 500  # of one work
_STEP = re.compile(
    r"\\(?:(?P<begin>begin)|(?P<close>end))\s{0,3}\{(?P<name>[A-Za-z]{1,40})\*?\}"
    r"|\\(?P<caption>caption(?:of)?)(?P<star>\*?)(?![A-Za-z])"
    r"|\\(?P<unit>chapter|section)(?P<bare>\*?)\s{0,3}[\[{]"
    r"|\\includegraphics\*?\s{0,3}(?:\[[^\]]{0,500}\]\s{0,3})?\{(?P<graphic>[^{}\n]{1,300})\}"
    r"|\\(?P<appendix>appendix)(?![A-Za-z])"
    r"|\\renewcommand\*?\s{0,3}\{?\\the(?P<renewed>figure|table)\}?\s{0,3}\{(?P<prefix>[^{}\\]{0,20})(?P<form>[^{}\n]{0,40})"
    r"|\\setcounter\s{0,3}\{(?P<counter>figure|table)\}\s{0,3}\{(?P<value>\d{1,3})\}"
)
_WITHIN = re.compile(
    r"\\(?:numberwithin|counterwithin\*?)\s{0,3}(?:\[[^\]]{0,40}\])?\{(?:figure|table)\}\s{0,3}\{(chapter|section)\}"
)
_CHAPTERS = re.compile(
    r"\\documentclass\s{0,3}(?:\[[^\]]{0,500}\]\s{0,3})?\{[^{}]{0,60}(?:book|report|thesis|scrreprt|memoir)"
)
_FIGURES = ("figure", "wrapfigure", "SCfigure", "sidewaysfigure", "floatingfigure", "marginfigure")
_TABLES = ("table", "wraptable", "SCtable", "sidewaystable", "longtable", "margintable")
_INNER = ("subfigure", "subtable", "subcaptionblock")
_HOLDERS = dict.fromkeys(_FIGURES, ExhibitKind.FIGURE) | dict.fromkeys(_TABLES, ExhibitKind.TABLE)


def strip_comments(text: str) -> str:
    """Return Markdown without its HTML comments, which no reader sees; those in code spans are text."""
    last = text.rfind("-->") + 3  # so that every comment that the pattern begins has an end: no second look
    return _COMMENT.sub("", text[:last]) + text[last:] if last > 2 else text


def read_whole_markdown(document: Document) -> str:
    """Return Markdown as it is written, without front matter and comments."""
    text = decode(document).text[:MAX_TEXT]
    return strip_comments(text[skip_front_matter(text) :])


def read_markdown_body(document: Document) -> BodyText:
    """Return the body of a Markdown document."""
    decoded = decode(document, MAX_RUNNING)
    return _write_lines(strip_comments(find_markdown_body(decoded)).split("\n"), markdown=True)


def read_rst_body(document: Document) -> BodyText:
    """Return the body of a document in reStructuredText."""
    decoded = decode(document, MAX_RUNNING)
    shown = find_markdown_body(replace(decoded, text=render_markdown(decoded.text).markdown))
    return _write_lines(shown.split("\n"), markdown=True)


def read_plain_body(document: Document) -> BodyText:
    """Return the body of a plain text; a form feed ends a printed page."""
    return _write_lines(find_text_body(decode(document, MAX_RUNNING)).split("\n"), markdown=False)


def read_latex_body(document: Document) -> BodyText:
    """Return the body of a LaTeX document; the files that it names are read if they are at hand."""
    cites, text, macros = find_cites(LatexSource(document).text)
    begin = _BEGIN.search(text)
    exhibits = find_latex_exhibits(text, macros)
    hidden = [(low, high, "\n\n") for low, high in find_bibliographies(text)]
    shown = [(cite.start, cite.end, f"[{', '.join(cite.keys)[:200]}]") for cite in cites if cite.shown]
    text = _splice_text(text, begin.end() if begin else 0, sorted([*hidden, *shown]))
    writer = BodyWriter()
    stops = list(_LATEX_SECTION.finditer(text))
    first = stops[0].start() if stops else len(text)
    _add_paragraphs(writer, render_paragraphs(text[:first], macros))
    for match, end in zip(stops, [*(stop.start() for stop in stops[1:]), len(text)], strict=False):
        title = " ".join(render_paragraphs(match[1] or "", macros)) or ("Abstract" if match[2] else "")
        if not is_reference_heading(title) or text[match.end() : end].strip():
            writer.begin_section(title, printed=not match[2])
        _add_paragraphs(writer, render_paragraphs(text[match.end() : end], macros))
    return add_exhibits(writer.make_body(), exhibits)


def _splice_text(text: str, start: int, stops: list[tuple[int, int, str]]) -> str:
    """Return the text from `start` on with some stretches replaced; one inside another has no turn."""
    parts: list[str] = []
    at = start
    for low, high, words in stops:
        if low >= at:
            parts += [text[at:low], words]
            at = high
    return "".join([*parts, text[at:]])


def _add_paragraphs(writer: BodyWriter, paragraphs: list[str]) -> None:
    for paragraph in paragraphs:
        if any(map(str.isalnum, paragraph)):
            writer.add_paragraph(paragraph)


def _write_lines(lines: list[str], *, markdown: bool) -> BodyText:
    """Return paragraphs, which blank lines part; headings begin sections, form feeds pages."""
    writer, paged = BodyWriter(), not markdown and any("\f" in line for line in lines)
    opened: list[str] = []
    breaks: list[int] = []  # how many lines of the open paragraph precede each page that begins in it

    def close() -> None:
        text, starts = _join_wrapped(opened)
        start = writer.add_paragraph(strip_markdown(text) if markdown else text)
        opened.clear()
        for at in breaks:
            inside = start >= 0 and at < len(starts)
            writer.begin_page(min(start + starts[at], writer.size) if inside else None)
        breaks.clear()

    if paged:
        writer.begin_page()
    for index, printed in enumerate(lines):
        feeds, line = printed.count("\f") if paged else 0, printed.replace("\f", "").rstrip("\r")
        breaks += [len(opened)] * min(feeds, _MOST_PAGES - len(breaks))
        title = _find_heading(lines, index, line, markdown=markdown, alone=not opened)
        if title:
            close()
            writer.begin_section(title)
        elif not line.strip() or (markdown and (_RULE.match(line) or _UNDERLINE.match(line))):
            close()
        else:
            if _BULLET.match(line):
                close()
            opened.append(line)
    close()
    return writer.make_body()


def _find_heading(lines: list[str], index: int, line: str, *, markdown: bool, alone: bool) -> str:
    """Return the title in a line that is a heading, else nothing."""
    following = lines[index + 1] if index + 1 < len(lines) else ""
    if markdown:
        if match := _HEADING.match(line):
            return strip_markdown(match[1]).rstrip("# ").strip()
        return strip_markdown(line) if line.strip() and alone and _UNDERLINE.match(following) else ""
    words = line.strip()
    if not alone or not words or len(words) > 90 or (following.strip() and words.lower() not in _KNOWN):
        return ""
    known = words.lower().rstrip(":.") in _KNOWN or bool(_NUMBERED.fullmatch(words))
    return words if known or (words.isupper() and len(words) > 4) else ""


def _join_wrapped(lines: list[str]) -> tuple[str, list[int]]:
    """Return the lines of a paragraph as one text, and where each of them begins in it.

    Words that a line end broke are whole again.
    """
    parts: list[str] = []
    starts: list[int] = []
    length = 0
    for line in lines:
        words = line.strip()
        if parts and words[:1].islower() and _BROKEN.search(parts[-1]):
            left, space, last = parts.pop().rpartition(" ")
            length -= len(last)
            parts += [left, space] if space else []
            starts.append(length + len(last) - 1)
            words = join_broken_word(last[:-1], words)
        elif parts:
            parts.append(" ")
            length += 1
            starts.append(length)
        else:
            starts.append(0)
        parts.append(words)
        length += len(words)
    return "".join(parts), starts


@dataclass(slots=True)
class _Counting:
    """The counters while the text is read."""

    unit: str  # chapter or section, in which numbers begin anew; empty: none
    units: int = 0
    lettered: bool = False  # behind \appendix
    counts: dict[ExhibitKind, int] = field(default_factory=dict)
    prefixes: dict[ExhibitKind, str] = field(default_factory=dict)

    def begin_unit(self) -> None:
        self.units += 1
        self.counts.clear()

    def count_next(self, kind: ExhibitKind) -> str:
        """Return the number of the next figure or table."""
        self.counts[kind] = self.counts.get(kind, 0) + 1
        number = str(self.counts[kind])
        if kind in self.prefixes:
            return f"{self.prefixes[kind]}{number}"
        if not self.unit or not self.units:
            return number
        return f"{chr(64 + min(self.units, 26))}{number}" if self.lettered else f"{self.units}.{number}"


def find_latex_exhibits(text: str, macros: Mapping[str, str]) -> tuple[Exhibit, ...]:
    """Return the figures and tables of a flattened document, with the file of the first image of each."""
    reader = _LatexReader(text, macros)
    for match in _STEP.finditer(text):
        if len(reader.found) >= MAX_EXHIBITS:
            break
        reader.take_step(match)
    return tuple(reader.found)


class _LatexReader:
    """Walks over environments and captions."""

    def __init__(self, text: str, macros: Mapping[str, str]) -> None:
        self.found: list[Exhibit] = []
        self._text, self._macros = text, macros
        self._groups = BraceGroups(text)
        within = _WITHIN.search(text)
        self._counting = _Counting(within[1] if within else "chapter" if _CHAPTERS.search(text) else "")
        self._open: list[str] = []
        self._graphics: list[str] = []
        self._pending: list[tuple[ExhibitKind, str, str]] = []  # captions of the environment that is open

    def take_step(self, match: re.Match[str]) -> None:
        """Take one command."""
        if match["begin"] and (match["name"] in _HOLDERS or match["name"] in _INNER):
            self._open.append(match["name"])
        elif match["close"] and self._open and match["name"] == self._open[-1]:
            self._open.pop()
            if not self._open:
                self._close_exhibits()
        elif match["caption"]:
            self._take_caption(match)
        elif match["graphic"] and self._open:
            self._graphics.append(match["graphic"].strip())
        else:
            counting = self._counting
            if match["unit"] and match["unit"] == counting.unit and not match["bare"]:
                counting.begin_unit()
            elif match["appendix"]:
                counting.lettered, counting.units = True, 0
            elif match["renewed"] and "arabic" in match["form"]:
                counting.prefixes[ExhibitKind(match["renewed"])] = match["prefix"].strip()
            elif match["counter"]:
                counting.counts[ExhibitKind(match["counter"])] = int(match["value"])

    def _take_caption(self, match: re.Match[str]) -> None:
        start = match.end()
        holder = next((name for name in reversed(self._open) if name in _HOLDERS), "")
        if match["caption"] == "captionof":
            end = self._groups.past_group(start)
            named = self._text[start:end].strip(" {}\n")
            start, holder = end, named if named in _HOLDERS else ""
        inner = bool(self._open) and self._open[-1] in _INNER
        if not holder or inner or match["star"]:
            return
        begin = self._groups.past_options(start)
        end = self._groups.past_group(begin)
        if end == begin:
            return
        words = " ".join(render_paragraphs(self._text[begin + 1 : end - 1], self._macros))[:MAX_CAPTION]
        kind = _HOLDERS[holder]
        self._pending.append((kind, self._counting.count_next(kind), words))
        if not self._open:
            self._close_exhibits()

    def _close_exhibits(self) -> None:
        """Add the captions of an environment, each with its share of the images in order."""
        share = max(1, len(self._graphics) // max(len(self._pending), 1))
        for index, (kind, number, words) in enumerate(self._pending):
            graphic = self._graphics[index * share] if index * share < len(self._graphics) else ""
            label = f"{kind.value.capitalize()} {number}"
            self.found.append(Exhibit(kind, number, label, words, graphic=graphic))
        self._pending, self._graphics = [], []
