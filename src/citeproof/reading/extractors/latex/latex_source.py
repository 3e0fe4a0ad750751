r"""The text of a LaTeX document as TeX reads it: files put in where `\input` stands, comments left out.

Every stretch remembers the file it came from, so that a citation is reported at its line and column.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from posixpath import basename, dirname, join, normpath

from citeproof.errors import InputError
from citeproof.reading.extractors.decoded_text import MAX_RUNNING, DecodedText, decode, make_inner_document
from citeproof.reading.extractors.records.cited_keys import explain_unread_file
from citeproof.text import lazy_patterns as re
from citeproof.text.latex_commands import (
    Branch,
    LatexMacro,
    Macros,
    decide_condition,
    match_branches,
    read_macros,
    set_switch,
)
from citeproof.vocabulary import Document, Place, Problem

MAX_FILES = 500
MAX_NAMES = 2_000  # that are searched for next to the document
MAX_BYTES = 200 * 1024 * 1024  # of all files next to the document
MAX_DEPTH = 20
MAX_TEXT = 20_000_000  # characters of all files together

_STOPS = re.compile(
    r"(?P<escaped>\\[\\%{}])"
    r"|(?P<comment>%[^\n]*+\n?)"
    r"|(?P<address>\\(?:url|nolinkurl|path|href)\s{0,3}\{[^{}\n]{0,2000}\})"
    r"|(?P<verb>\\(?:verb|lstinline|mintinline\s{0,3}\{[a-z]{1,20}\})\*?([^\sA-Za-z*{])[^\n]{0,500}?\5)"
    r"|\\begin\s{0,3}\{(?P<hidden>verbatim\*?|Verbatim|lstlisting|minted|comment|filecontents\*?)\}"
    r"|\\(?P<branch>else(?![A-Za-z@])|(?:newif\s{0,3}\\)?if(?!f(?![A-Za-z@]))[A-Za-z@]*+"
    r"|[A-Za-z@]{1,40}?(?:true|false)(?![A-Za-z@]))"
    r"|(?P<end>\\end\s{0,3}\{document\}|(?<=\n)\\endinput(?![A-Za-z@]))"
    r"|\\(?P<dir>sub(?:import|inputfrom|includefrom)|import|inputfrom|includefrom)\s{0,3}"
    r"\{(?P<folder>[^{}\n]{0,200})\}\s{0,3}\{(?P<inner>[^{}\n]{1,200})\}"
    r"|\\(?:input|include|subfile|subfileinclude|InputIfFileExists)\s{0,3}\{\s{0,9}(?P<file>[^{}\n]{1,200}?)\s{0,9}\}"
    r"|\\input\s{1,3}(?P<bare>[^\s{}\\%]{1,200})"
)
_FILE_HEAD = re.compile(r"\s{0,9}(?:\[[^\]\n]{0,200}\]\s{0,9})?\{([^{}\n]{1,200})\}")


class LatexSource:
    """The flattened text, the files written inside it, and what was wrong on the way."""

    def __init__(self, document: Document) -> None:
        self.problems: list[Problem] = []
        self.written: dict[str, tuple[DecodedText, int, int]] = {}  # files that `filecontents` holds
        self.beside = document.beside
        self._name = document.name
        self._parts: list[str] = []
        self._length = 0
        self._starts: list[int] = []
        self._origins: list[tuple[DecodedText, int]] = []
        self._open: list[str] = []
        self._switches: dict[str, LatexMacro] = {}
        self._branches: dict[str, dict[int, Branch]] = {}
        self._behind: dict[tuple[str, int], int] = {}  # an `else` that is not read -> behind its `fi`
        self._read: set[str] = set()
        self._sought: dict[tuple[str, str], str | None] = {}  # name and folder -> path of what was found
        self._searches = 0
        self._bytes = 0  # of what was found
        main = decode(document, MAX_RUNNING)
        self.problems += main.problems
        self.stated = main.stated or document.encoding
        self._take(main, document.name, "")
        self.text = "".join(self._parts)

    def locate_span(self, start: int, end: int) -> Place:
        """Return where the characters from `start` to `end` are in their file."""
        if not self._starts:
            return Place()
        index = bisect_right(self._starts, start) - 1
        decoded, first = self._origins[index]
        at = first + start - self._starts[index]
        return decoded.locate_span(at, min(at + end - start, len(decoded.text)))

    def _take(self, decoded: DecodedText, name: str, folder: str) -> None:
        self._open.append(name)
        self._read.add(name)
        text, at, copied = decoded.text, 0, 0
        while match := _STOPS.search(text, at):
            kind = match.lastgroup if match.lastgroup != "inner" else "dir"
            at = match.end()
            skipped = self._skip_branch(decoded, match) if kind == "branch" else at
            if kind in ("escaped", "address") or skipped is None:
                continue
            self._add(decoded, copied, match.start())
            at = skipped
            if kind == "end":
                copied = len(text)
                break
            if kind == "hidden":
                at = self._hidden(decoded, match)
            elif kind == "verb" and not set(match["verb"]) & set("%{}") and match["verb"].count("\\") == 1:
                self._add(decoded, match.end(5), match.end() - 1)  # as it is printed
            elif kind not in ("comment", "verb", "branch"):
                self._include(decoded, match, folder)
            copied = at
        self._add(decoded, copied, len(text))
        self._open.pop()

    def _add(self, decoded: DecodedText, start: int, end: int) -> None:
        if end <= start:
            return
        if self._length + end - start > MAX_TEXT:
            message = f"the files of the document have more than {MAX_TEXT:,} characters"
            raise InputError(message, place=decoded.name, hint="pass the chapters one by one")
        self._starts.append(self._length)
        self._origins.append((decoded, start))
        self._parts.append(decoded.text[start:end])
        self._length += end - start

    def _hidden(self, decoded: DecodedText, match: re.Match[str]) -> int:
        """Return the end of an environment that is not typeset as text; keep the files written in it."""
        name, text = match["hidden"], decoded.text
        end = text.find(f"\\end{{{name}}}", match.end())
        if end < 0:
            place = decoded.locate_span(match.start(), match.end())
            message = f"the environment {name} is not closed; nothing after it is read"
            self.problems.append(Problem(place, message, f"close it with \\end{{{name}}}"))
            return len(text)
        if name.startswith("filecontents") and (head := _FILE_HEAD.match(text, match.end(), end)):
            self.written.setdefault(normpath(head[1].strip()), (decoded, head.end(), end))
        return end + len(name) + 6

    def _skip_branch(self, decoded: DecodedText, match: re.Match[str]) -> int | None:
        r"""Return where reading goes on behind a part of a conditional; None: it stays, only TeX decides it.

        What is false ends behind its `\fi`, or behind its own `\else`.
        """
        text, start, name = decoded.text, match.start(), match["branch"]
        if name == "else":
            return self._behind.get((decoded.name, start))
        if (known := set_switch(text, start, self._switches)) is not None:
            return match.end() if known else None
        if decoded.name not in self._branches:
            self._branches[decoded.name] = match_branches(text, self._switches)
        holds, end = decide_condition(text, name, match.end(), self._switches)
        span = self._branches[decoded.name].get(start)
        if holds is None or (holds and span is None):
            return None
        if span is None:
            return len(text)
        if holds:
            self._behind[decoded.name, span[0]] = span[3]
        return end if holds else span[1]

    def _include(self, decoded: DecodedText, match: re.Match[str], folder: str) -> None:
        """Add the file that a command names, once; say why if it cannot be read."""
        named = match["file"] or match["bare"] or join(match["folder"] or "", match["inner"] or "")
        named = named.strip('" ')
        place = decoded.locate_span(match.start(), match.end())
        if "\\" in named or "#" in named:
            message = f"the file name {named[:80]!r} is made by a macro and is not followed"
            self.problems.append(Problem(place, message, "name the file in full"))
            return
        data = None
        if (named, folder) not in self._sought:
            data = self.find(named, folder, (".tex", ""))
            self._sought[named, folder] = data[0] if data else None
        path = self._sought[named, folder]
        if path is None:
            if not match[0].startswith("\\InputIf"):
                message, hint = explain_unread_file("the file", normpath(join(folder, named)), self.beside)
                self.problems.append(Problem(place, message, hint, match[0][:200]))
            return
        if path in self._open:
            message = f"the file {path!r} includes itself; it is read once"
            self.problems.append(Problem(place, message, "delete the command", match[0][:200]))
        if path in self._read:
            return
        if len(self._read) >= MAX_FILES or len(self._open) >= MAX_DEPTH:
            message = f"the file {path!r} is nested too deeply or exceeds the limit of files; it is not read"
            self.problems.append(Problem(place, message, "pass it on its own", match[0][:200]))
            return
        self._read.add(path)
        data = data or self.find(path, "", ("",))  # it may have been nested too deep before
        if data is None:
            return
        try:
            inner = decode(make_inner_document(*data, self.stated))
        except InputError as error:
            self.problems.append(Problem(place, f"the file {path!r} cannot be read: {error}", error.hint))
            return
        self.problems += inner.problems
        self._take(inner, path, dirname(path))

    def find(self, named: str, folder: str, endings: tuple[str, ...]) -> tuple[str, bytes] | None:
        """Return path and content of a file next to the document, searched for as TeX looks for it."""
        if self.beside is None:
            return None
        self._searches += 1
        if self._searches > MAX_NAMES or self._bytes > MAX_BYTES:
            many = self._searches > MAX_NAMES
            much = f"{MAX_NAMES:,} files" if many else f"{MAX_BYTES >> 20:,} MB of files"
            message = f"the document includes more than {much}"
            raise InputError(message, place=self._name, hint="pass the chapters one by one")
        for ending in endings:
            for base in dict.fromkeys(["", folder]):
                path = normpath(join(base, named + ending))
                data = self.beside.read(path)
                if data is not None:
                    self._bytes += len(data)
                    return path, data
        return None

    @cached_property
    def macros(self) -> Macros:
        """The commands that the document defines."""
        return read_macros(self.text)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the files next to the document."""
        return self.beside.names() if self.beside else ()

    @cached_property
    def names_by_base(self) -> dict[str, list[str]]:
        """The same by their last part, whatever folder they are in."""
        paths: dict[str, list[str]] = {}
        for name in self.names:
            paths.setdefault(basename(name), []).append(name)
        return paths
