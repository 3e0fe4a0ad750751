r"""The citations of a LaTeX text: `\cite{a,b}` and its relatives, the author's own macros included."""

from __future__ import annotations

from citeproof.text import lazy_patterns as re
from citeproof.text.brace_groups import BraceGroups
from citeproof.text.latex_commands import DEFINED, LET
from citeproof.vocabulary.quick_dataclass import dataclass

MAX_KEYS = 5_000  # characters of one list of keys
MAX_MARK = 1_000  # keys of one mark; more are cited there and shown nowhere
_MAX_BODY = 2_000  # characters of a definition that are examined
_MAX_WORDS = 60  # characters of a macro that is put in where it is used

_COMMAND = re.compile(r"\\([A-Za-z@]{1,60})\*?")
_ARGUMENT = re.compile(r"#(\d)")
_NAME = re.compile(r"cite|cquote|^bibentry$", re.IGNORECASE)
# They hold "cite" and cite nothing: settings, definitions, the text around inner citations.
_NO_CITES = re.compile(
    r"setcitestyle|citestyle|citetext|bibcite|citesetup|citereset|citeindex|citetracker|DeclareCite|defcitealias"
    r"|citenamefont|citeauthoryear|mcite[A-Z]|mcitedefault|citation(?:s)?$|citeproc|citedash|citepunct|citeleft|citeright|citeform|citemid"
)


@dataclass(frozen=True, slots=True)
class CiteCommand:
    """One citing command: where it is, the keys it names, whether it prints anything."""

    start: int
    end: int
    keys: tuple[str, ...]
    shown: bool = True


@dataclass(frozen=True, slots=True)
class CiteMacro:
    r"""A command of the author's own: `keys` it always cites, or `argument` (from 1) that holds the keys."""

    argument: int = 0
    optional: bool = False  # its first argument is in square brackets, if at all
    keys: tuple[str, ...] = ()
    shown: bool = True


def find_cites(text: str) -> tuple[list[CiteCommand], str, dict[str, str]]:
    """Return the citations of `text` in order, the text with the definitions of macros blanked, and
    the macros that only represent words."""
    macros, words, text = _read_macros(text)
    lists = KeyLists(text)
    commands: list[CiteCommand] = []
    mark, keys = -1, set[str]()  # where the last mark is in `commands`, and all keys in it
    listed = 0  # end of the last list of several groups
    for match in _COMMAND.finditer(text):
        name = match[1]
        if macro := macros.get(name):
            command = _read_macro_use(lists, match, macro)
        elif _NAME.search(name) and not _NO_CITES.search(name):
            several = name.endswith("cites") and match.start() >= listed  # one inside another has one group
            command = _read_cite(lists, match, several=several)
            listed = command.end if command and several else listed
        else:
            continue
        if command is None:
            continue
        if (
            command.shown and mark >= 0 and command.start < commands[mark].end
        ):  # \cite[see \citealp{x}]{y} is one mark
            commands[mark], rest = _merge_marks(commands[mark], command, keys)
            commands += [rest] if rest else []
            continue
        commands.append(command)
        mark, keys = len(commands) - 1, set(command.keys)
    return commands, text, words


def _merge_marks(
    mark: CiteCommand, inner: CiteCommand, keys: set[str]
) -> tuple[CiteCommand, CiteCommand | None]:
    """Return a mark with the keys of a command inside it, and what is too much for one mark."""
    new = tuple(key for key in inner.keys if key not in keys)
    keys.update(new)
    end = max(mark.end, inner.end)
    if len(mark.keys) + len(new) <= MAX_MARK:
        return CiteCommand(mark.start, end, mark.keys + new, mark.shown), None
    rest = CiteCommand(inner.start, inner.end, new, shown=False)
    return CiteCommand(mark.start, end, mark.keys, mark.shown), rest


class KeyLists:
    """The lists of keys in a text; a list that ends another one is not read again."""

    def __init__(self, text: str) -> None:
        self.text, self.groups = text, BraceGroups(text)
        self._start, self._close = 0, -1  # of the list that was read last

    def read(self, opened: int) -> tuple[list[str], int]:
        """Return the keys in the braces that open at `opened`, and the end of them; -1 if they never close.

        Of a list inside the one that was read last, only the first key is news.
        """
        close = self.text.find("}", opened, opened + MAX_KEYS)
        if close < 0:
            return [], -1
        if close == self._close and self._start <= opened:
            return _split_keys(self.text[opened + 1 : close].partition(",")[0]), close + 1
        self._start, self._close = opened, close
        return _split_keys(self.text[opened + 1 : close]), close + 1


def _read_cite(lists: KeyLists, match: re.Match[str], *, several: bool) -> CiteCommand | None:
    """Return what one citing command cites; None if no keys follow it."""
    name, at, groups = match[1], match.end(), lists.groups
    if name.endswith("volcite"):
        at = groups.past_group(groups.past_options(at))
    if name.lower().startswith(("foreign", "hyphen")) and name.endswith("quote"):
        at = groups.past_group(groups.past_options(at))  # the language comes first
    keys: list[str] = []
    end = match.end()
    while lists.text.startswith("{", opened := groups.past_options(at)):
        inside, close = lists.read(opened)
        if close < 0:
            break
        keys += inside
        at = end = close
        if not several:
            break
    if keys:
        return CiteCommand(match.start(), end, tuple(dict.fromkeys(keys)), name.lower() != "nocite")
    return None


def _read_macro_use(lists: KeyLists, match: re.Match[str], macro: CiteMacro) -> CiteCommand | None:
    """Return what the use of an author's macro cites."""
    if macro.keys:
        return CiteCommand(match.start(), match.end(), macro.keys, macro.shown)
    at, number, groups = match.end(), 1, lists.groups
    if macro.optional:
        at, number = groups.past_options(at), 2
    while number < macro.argument:
        at, number = groups.past_group(groups.past_options(at)), number + 1
    at = groups.past_space(at)
    keys, close = lists.read(at) if lists.text.startswith("{", at) else ([], -1)
    return CiteCommand(match.start(), close, tuple(dict.fromkeys(keys)), macro.shown) if keys else None


def _read_macros(text: str) -> tuple[dict[str, CiteMacro], dict[str, str], str]:
    """Return the author's macros that cite, those that represent words, and `text` without either."""
    macros: dict[str, CiteMacro] = {}
    words: dict[str, str] = {}
    parts: list[str] = []
    copied = 0
    defined = list(DEFINED.finditer(text))
    groups = BraceGroups(text if defined else "")
    for match in defined:
        if match.start() < copied:
            continue
        end = groups.past_group(match.end())
        body = text[match.end() : min(end, match.end() + _MAX_BODY)]
        name = match[1] or match[4] or match[6]
        if (macro := _read_macro(match, body, macros)) is not None and end > match.end():
            macros.setdefault(name, macro)
        elif not (match[2] or match[5] or match[7]) and len(body) <= _MAX_WORDS:
            words.setdefault(name, body[1:-1])
        parts += [text[copied : match.start()], re.sub(r"[^\n]", " ", text[match.start() : end])]
        copied = end
    text = "".join([*parts, text[copied:]])
    for match in LET.finditer(text):
        if match[2] in macros:
            macros.setdefault(match[1], macros[match[2]])
        elif _NAME.search(match[2]) and not _NAME.search(match[1]):
            macros.setdefault(match[1], CiteMacro(argument=1))
    return macros, words, text


def _read_macro(match: re.Match[str], body: str, known: dict[str, CiteMacro]) -> CiteMacro | None:
    optional = bool(match[3]) or (match[7] or "").lstrip()[:1] in ("O", "o", "d", "D")
    literal: list[str] = []
    lists = KeyLists(body)
    for command in _COMMAND.finditer(body):
        if not (command[1] in known or (_NAME.search(command[1]) and not _NO_CITES.search(command[1]))):
            continue
        opened = lists.groups.past_options(command.end())
        keys, close = lists.read(opened) if body.startswith("{", opened) else ([], -1)
        shown = command[1].lower() != "nocite"
        if close > 0 and (argument := _ARGUMENT.search(body, opened, close)):
            return CiteMacro(int(argument[1]), optional, shown=shown)
        literal += keys
    return CiteMacro(keys=tuple(dict.fromkeys(literal))) if literal else None


def _split_keys(written: str) -> list[str]:
    keys = (" ".join(part.split()) for part in written.split(","))
    return [key for key in keys if key and not re.search(r"[\\#{]", key)]
