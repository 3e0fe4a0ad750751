"""reStructuredText to Markdown of the same length, so that a place in one is a place in the other.

What nobody reads as text is blanked: comments, code, pictures, the options of directives. docutils gives no
columns, and knows none of the directives and roles that Sphinx and its extensions add.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from string import punctuation

from citeproof.reading.extractors.prose.text_lines import MAX_LINE, is_reference_heading
from citeproof.text import lazy_patterns as re

_EXPLICIT = re.compile(r"\s{0,40}\.\.(?:\s|$)")
_NOTE = re.compile(r"\s{0,40}\.\.\s{1,4}\[([^\]\s]{1,60})\](?:\s|$)")
_DIRECTIVE = re.compile(r"\s{0,40}\.\.\s{1,4}([A-Za-z][\w:.+-]{0,60}?)::(?:\s|$)")
_OPTION = re.compile(r"\s{1,40}:[A-Za-z][\w -]{0,60}:(?:\s|$)")
_BORDER = re.compile(r"\s{0,40}(?=[=+-])[=+\s-]{3,}$")
_AUTO_NUMBER = re.compile(r"(\s{0,40})#\.(?=\s)")
_LINE_BLOCK = re.compile(r"(\s{0,40})\|(?=\s\S)")
_LINK = re.compile(
    r"(?<![:\w`])`([^`<>\n]{0,300}(?:\n[^`<>\n]{1,300}){0,3})(?<!\s)(\s{1,80})<([^<>`\s]{1,1000})>`(_{1,2})(?!\w)"
)
_ROLE = re.compile(r"(?<![\w`]):([A-Za-z][\w:.+-]{0,40}):`([^`\n]{1,500})`")
_TARGET = re.compile(r"\s{0,9}<[^<>\n]{1,300}>$")
_QUOTED = re.compile(r"(?<![\w`])`([^`\n]{1,500})`(_{0,2})(?![\w`])")
_MARK = re.compile(r"\[(#?)([^\]\s]{1,60})\]_(?!\w)")
_NAME = re.compile(r"(?<=[^\W_])_{1,2}(?=[\s.,;:)]|$)", re.MULTILINE)
_ESCAPE = re.compile(r"\\(?=[\w ])|(?<!\w)@(?=\w)")
_IDENTIFIERS = frozenset(("doi", "arxiv", "pmid", "pmcid", "isbn"))  # roles that say what they are
# Directives with text in them: with a title, and without.
_TITLED = frozenset(("admonition", "card", "dropdown", "sidebar", "tab-item", "topic"))
_READ = frozenset((
    "attention", "caution", "class", "compound", "container", "danger", "epigraph", "error", "glossary",
    "hint", "important", "note", "only", "rst-class", "seealso", "tip", "todo", "warning",
))  # fmt: skip
_CODE = frozenset(("code", "code-block", "literalinclude", "parsed-literal", "sourcecode"))
_DEEPEST = 6


@dataclass(frozen=True, slots=True)
class RstText:
    """A text as Markdown of the same length; where code is in it; the labels of entries by their line."""

    markdown: str
    code: tuple[tuple[int, int], ...]
    labels: dict[int, str]


def render_markdown(text: str) -> RstText:
    """Return reStructuredText as Markdown: headings, entries, notes and links; each at its place."""
    lines = text.split("\n")
    writer = _BlockWriter(lines)
    markdown = _render_inline("\n".join(writer.write()))
    offsets = [0, *accumulate(len(line) + 1 for line in lines)]
    code = tuple((offsets[low], min(offsets[high], len(text))) for low, high in writer.code)
    return RstText(markdown, code, writer.labels)


class _BlockWriter:
    """Goes through the lines once; what it writes has as many lines and characters."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._hidden: int | None = None  # what is further in than this is not shown
        self._styles: list[tuple[str, bool]] = []  # of headings, as they first came
        self._listed = 0  # rank of the reference heading that is open
        self._noted: int | None = None  # what is further in than this is part of an entry
        self._coded = False  # what is hidden is code
        self.code: list[tuple[int, int]] = []  # lines
        self.labels: dict[int, str] = {}

    def write(self) -> list[str]:
        """Return the lines in Markdown."""
        written: list[str] = []
        while (at := len(written)) < len(self._lines):
            written += self._write_heading(at) or [self._write_line(at)]
        return written

    def _write_heading(self, at: int) -> list[str]:
        """Return the lines of a title with the rule below it, or above and below; nothing if it is none."""
        above = _get_rule(self._lines[at])
        title, below = [*self._lines[at + bool(above) : at + bool(above) + 2], "", ""][:2]
        rule = _get_rule(below)
        if not rule or not title.strip() or _get_rule(title) or (above and rule != above):
            return []
        if (title[0].isspace() and not above) or len(below.rstrip()) < len(title.strip()) - 1:
            return []
        self._hidden = None
        words = title.strip()
        if (style := (rule, bool(above))) not in self._styles:
            self._styles.append(style)
        rank = min(self._styles.index(style) + 1, _DEEPEST)
        self._open_section(words, rank)
        room = len(title) + len(below) + len(self._lines[at]) * bool(above)
        shown = f"{'#' * rank} {words}"[:room]
        rest = " " * (room - len(shown))
        return [shown, *([""] * bool(above)), rest]

    def _open_section(self, words: str, rank: int) -> None:
        if is_reference_heading(words):
            self._listed = self._listed if 0 < self._listed < rank else rank
        elif rank <= self._listed:
            self._listed = 0

    def _write_line(self, at: int) -> str:
        """Return one line that is no heading."""
        line = self._lines[at]
        shown = line[:MAX_LINE].rstrip()
        indent = len(shown) - len(shown.lstrip())
        if not shown:
            return line
        if self._hidden is not None and indent > self._hidden:
            if self._coded:
                self._extend_code(at)
            return " " * len(line)
        self._hidden = None
        self._noted = self._noted if self._noted is not None and indent > self._noted else None
        if _EXPLICIT.match(shown):
            return self._write_explicit(at, shown, indent)
        block = shown.endswith("::")
        if block and not self._listed:
            self._hidden, self._coded = indent, True
        aside = self._listed and (block or _MARK.search(shown))
        if self._noted is None and (aside or _OPTION.match(shown)):
            return " " * len(line)
        if shown.startswith(">>> ") or _BORDER.match(shown) or _get_rule(shown):
            return " " * len(line)
        line = _AUTO_NUMBER.sub(r"\1- ", line, count=1)
        return line if shown.endswith("|") else _LINE_BLOCK.sub(r"\1-", line, count=1)

    def _extend_code(self, at: int) -> None:
        """Add a line to the code before it, with the blank lines between."""
        low, high = self.code.pop() if self.code else (at, at)
        if any(line.strip() for line in self._lines[high:at]):
            self.code.append((low, high))
            low = at
        self.code.append((low, at + 1))

    def _write_explicit(self, at: int, shown: str, indent: int) -> str:
        """Return a line that begins with two dots: an entry, a note, a directive, or nothing to read."""
        line = self._lines[at]
        if note := _NOTE.match(shown):
            self._noted = indent
            name = note[1].lstrip("#*") or str(len(self.labels) + 1)
            self.labels[at + 1] = name
            label = f"[{_begin_large(name)}]" if self._listed else f"[^{name}]:"
            return f"{label.ljust(len(note[0]))[: len(note[0])]}{line[note.end() :]}"
        directive = _DIRECTIVE.match(shown)
        name, begin = (directive[1].lower(), directive.end()) if directive else ("", 0)
        words = shown[begin:].strip()
        if name == "rubric" or (name in _TITLED and not is_reference_heading(words)):
            self._open_section(words, _DEEPEST)
            return f"{'#' * _DEEPEST} {words}"[: len(line)].ljust(len(line))
        if name in _TITLED or name in _READ:
            return " " * begin + line[begin:]
        self._hidden, self._coded = indent, name in _CODE
        return " " * len(line)


def _begin_large(label: str) -> str:
    """Return a label as lists in Markdown have them: with a capital or a number; as long as it was."""
    large = label[0].upper()
    return large + label[1:] if label.islower() and len(large) == 1 else label


def _get_rule(line: str) -> str:
    """Return the character that a rule under or over a heading is made of."""
    rule = line.rstrip()
    made = len(rule) > 2 and rule[0] in punctuation and rule == rule[0] * len(rule)
    return rule[0] if made else ""


def _render_inline(text: str) -> str:
    text = _LINK.sub(_render_link, text)
    text = _ROLE.sub(_render_role, text)
    text = _QUOTED.sub(lambda match: f" {match[1]} {' ' * len(match[2])}", text)
    text = _MARK.sub(lambda match: f" [{'^' * len(match[1])}{_begin_large(match[2])}]", text)
    return _ESCAPE.sub(" ", _NAME.sub(lambda match: " " * len(match[0]), text))


def _render_link(match: re.Match[str]) -> str:
    """Return `words <address>`_ as [words](address), the rest as space where it does no harm."""
    words, between, address, _ = match.groups()
    between = between if "\n" in between else ""
    shown = f"[{words}{between}]({address})" if "://" in address else f"{words}{between}"
    after = match.string[match.end() : match.end() + 1]
    return shown.rjust(len(match[0])) if after and after in ".,;:)\"”'" else shown.ljust(len(match[0]))


def _render_role(match: re.Match[str]) -> str:
    """Return what a role shows: :doi:`10.1000/182` is "doi:10.1000/182"."""
    name = match[1].lower()
    words = _TARGET.sub("", match[2])
    return (f"{name}:{match[2]}" if name in _IDENTIFIERS else words).rjust(len(match[0]))
