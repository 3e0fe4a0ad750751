r"""One BibTeX value: braced, quoted, bare, or several joined by `#`.

All patterns are possessive: each character is read once per nesting level and never again.
"""

from __future__ import annotations

from citeproof.text import lazy_patterns as re
from citeproof.vocabulary.quick_dataclass import dataclass, field

_FLAT = r"[^{}]*+"
_ONE = rf"(?:[^{{}}]++|\{{{_FLAT}\}})*+"
_TWO = rf"(?:[^{{}}]++|\{{{_ONE}\}})*+"
BRACED = rf"\{{((?:[^{{}}]++|\{{{_TWO}\}})*+)\}}"
# A quote inside braces does not end the value; \" is an accent written without its braces.
QUOTED = rf'"((?:[^"{{}}\\]++|\\.|\{{{_TWO}\}})*+)"'
BARE = r"([^\s,{}\"#=()]++)"
# The values most files are made of: at most one pair of braces inside, no joining, no macro.
SIMPLE = r"(?:\{([^{}]*+(?:\{[^{}]*+\}[^{}]*+)*+)\}|\"([^\"{}\\]*+)\"|(\d++))"

_VALUE = re.compile(rf"(?:{BRACED}|{QUOTED}|{BARE})\s*+", re.DOTALL)
MAX_JOINED = 100_000  # characters of a value that is joined by `#`
MAX_EXPANDED = 10_000_000  # characters that the @strings of a file may represent, all uses together
MAX_GROWTH = 10  # or so many times the length of the file
_SHORT = 100  # characters of a @string that is not counted: months, and what ordinary files have
_DEEPEST = 500  # braces inside braces; more is a flood, not a value
_BRACES = re.compile(r"[{}]")
_JOIN = re.compile(r"#\s*+")
_NUMBER_OR_NAME = re.compile(r"\d++|[^\W\d][\w:.+/*'-]*+")

_MONTHS = {
    "jan": "January", "feb": "February", "mar": "March", "apr": "April", "may": "May", "jun": "June",
    "jul": "July", "aug": "August", "sep": "September", "oct": "October", "nov": "November",
    "dec": "December",
}  # fmt: skip


_TOO_LONG = f"the @strings in it stand for more than {MAX_JOINED:,} characters; the rest was left out"
_SPENT = "the @strings of this file stand for too much text together; the rest was left out"


@dataclass(slots=True)
class BibtexMacros:
    """The @string definitions read so far, over the twelve months; `left` is how much they may still add.

    Thirty lines like `@string{b = a # a}` make a billion characters of one.
    """

    left: int = MAX_EXPANDED
    known: dict[str, str] = field(default_factory=lambda: dict(_MONTHS))
    _cut: dict[str, str] = field(default_factory=dict)  # name -> why its value is not all there

    @classmethod
    def of_file(cls, text: str) -> BibtexMacros:
        """Return the macros of a file before any is defined."""
        return cls(max(MAX_EXPANDED, MAX_GROWTH * len(text)))

    def define(self, name: str, value: str, problem: str = "") -> None:
        """Take in one @string, and the problem with its value."""
        self.known[name] = value
        if problem in (_TOO_LONG, _SPENT):
            self._cut[name] = problem

    def value(self, name: str) -> tuple[str, str]:
        """Return what a bare word represents, and the problem with it ("" if none)."""
        if name.isdecimal():
            return name, ""
        macro = self.known.get(name.lower())
        if macro is not None:
            if len(macro) > _SHORT:
                self.left -= len(macro)
                if self.left < 0:
                    return "", _SPENT
            return macro, self._cut.get(name.lower(), "")
        if _NUMBER_OR_NAME.fullmatch(name):
            return name, f"undefined @string {name[:40]!r}"
        return name, f"value {name[:40]!r} has neither braces nor quotes"


def read_plain_value(match: re.Match[str]) -> str:
    """Return the value that a pattern's last group holds, on one line."""
    value = match[match.lastindex or 0]
    return " ".join(value.split()) if "\n" in value else value.strip()


def read_value(text: str, at: int, end: int, macros: BibtexMacros) -> tuple[str, int, str] | None:
    """Return (value, position after it and its spaces, problem) of the value at `at`.

    None when a brace or quote is not closed before `end`, or no value is there.
    """
    start = at
    piece = _read_one_value(text, at, end, macros)
    if piece is None or not text.startswith("#", piece[1], end):
        return piece
    value, at, problem = piece
    parts = [_keep_edge_spaces(text, start, at, value)]
    length = len(parts[0])
    while joint := _JOIN.match(text, at, end):
        piece = _read_one_value(text, joint.end(), end, macros)
        if piece is None:
            return None
        at, problem = piece[1], problem or piece[2]
        if length > MAX_JOINED:
            continue
        parts.append(_keep_edge_spaces(text, joint.end(), at, piece[0]))
        length += len(parts[-1])
    if length > MAX_JOINED:
        return " ".join("".join(parts)[:MAX_JOINED].split()), at, problem or _TOO_LONG
    return " ".join("".join(parts).split()), at, problem


def _keep_edge_spaces(text: str, start: int, end: int, value: str) -> str:
    """Return a value that is to be joined with the spaces inside its edges: `"LeCun" # " and Bengio"`."""
    held = text[start:end].rstrip()
    if held[:1] not in '{"' or len(held) < 3:
        return value
    before, behind = (" " if held[at].isspace() else "" for at in (1, -2))
    return f"{before}{value}{behind}"


def _read_one_value(text: str, at: int, end: int, macros: BibtexMacros) -> tuple[str, int, str] | None:
    match = _VALUE.match(text, at, end)
    if match is None:
        return _read_deep_value(text, at, end)
    if match.lastindex == 3:
        value, problem = macros.value(match[3])
        return value, match.end(), problem
    return read_plain_value(match), match.end(), ""


def _read_deep_value(text: str, at: int, end: int) -> tuple[str, int, str] | None:
    """Read a braced value nested deeper than the pattern goes, by counting."""
    if not text.startswith("{", at, end):
        return None
    close = find_closing_brace(text, at, end)
    if close is None:
        return None
    after = close + 1
    while after < end and text[after] in " \t\r\n":
        after += 1
    return " ".join(text[at + 1 : close].split()), after, ""


def find_closing_brace(text: str, at: int, end: int) -> int | None:
    """Return where the brace at `at` is closed, None if it is not before `end`."""
    depth = 0
    for brace in _BRACES.finditer(text, at, end):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.start()
        if depth > _DEEPEST:
            return None
    return None
