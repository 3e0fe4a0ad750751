r"""What LaTeX prints: commands with arguments, conditionals and an author's own macros, carried out.

    \texorpdfstring{$\beta$}{beta}-VAE  ⇒  $\beta$-VAE
    \phantom{x}\iffalse y\fi z          ⇒  z

Only what surely is not printed goes. What only TeX can decide (`\ifx\a\b`) stays with all its words: a text
may be read with more than is printed, which agrees with no record, but not with less.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from citeproof.text import lazy_patterns as re
from citeproof.text.brace_groups import BraceGroups
from citeproof.text.package_tables import load_package_table
from citeproof.vocabulary.quick_dataclass import dataclass

_DEEPEST = 30  # macros inside macros
_PASSES = 3
_MOST_TEXT = 200_000  # characters that the macros of one text may stand for, each use counting as 20 or more
_GROWTH = 5  # or so many times the length of the text
_MOST_SHOWN = 5_000  # characters of a text that is too much
_FAINT = 0.95  # of white from which a colour is invisible on paper
_WHITE = "white"

DEFINED = re.compile(
    r"\\(?:(?:re)?newcommand|providecommand|DeclareRobustCommand)\*?\s{0,3}\{?\s{0,3}\\([A-Za-z@]{1,60})\s{0,3}\}?\s{0,3}"
    r"(?:\[(\d)\])?\s{0,3}(\[[^\]\n]{0,200}\])?\s{0,9}(?=\{)"
    r"|\\(?:[gex]?def|long\\def)\s{0,3}\\([A-Za-z@]{1,60})([^{}\\%\n]{0,60})(?=\{)"
    r"|\\(?:New|Renew|Provide|Declare)(?:Expandable)?DocumentCommand\s{0,3}\{?\s{0,3}\\([A-Za-z@]{1,60})\s{0,3}\}?\s{0,3}"
    r"\{([^{}]{0,60}(?:\{[^{}]{0,60}\}[^{}]{0,60}){0,5})\}\s{0,9}(?=\{)"
)
LET = re.compile(r"\\let\s{0,3}\\([A-Za-z@]{1,60})\s{0,3}=?\s{0,3}\\([A-Za-z@]{1,60})")
_COLOUR = re.compile(
    r"\\(?:definecolor\s{0,3}\{([^{}]{1,60})\}\s{0,3}\{([^{}]{1,20})\}|colorlet\s{0,3}\{([^{}]{1,60})\})\s{0,3}\{([^{}]{1,60})\}"
)
_SWITCH = re.compile(r"\\newif\s{0,3}\\(if[A-Za-z@]{1,60})|\\([A-Za-z@]{1,60})(true|false)(?![A-Za-z@])")
_ACRONYM = re.compile(
    r"\\(?:newacronym\s{0,3}(?:\[[^\[\]]{0,99}\])?|acro(?:def)?)\s{0,3}\{([^{}]{1,60})\}\s{0,3}"
    r"(?:[\[{]([^\[\]{}]{1,99})[\]}]\s{0,3})?(?=\{)\{([^{}]{1,300})\}"
)
_SETTING = re.compile("|".join(pattern.pattern for pattern in (DEFINED, LET, _COLOUR, _SWITCH, _ACRONYM)))
_TOKEN = re.compile(r"\\(?:([A-Za-z@]+)|.)|[{}$]", re.DOTALL)
_NAME = re.compile(r"\\([A-Za-z@]+)")
_ENDING = re.compile(r"\\[A-Za-z@]+\Z")  # what follows such a word must not become part of it
_ONE_TOKEN = re.compile(r"\\(?:[A-Za-z@]+|.)|[^{}\\]", re.DOTALL)
_PARAMETER = re.compile(r"#(\d)")
_DEFINING = frozenset(
    ["newcommand", "renewcommand", "providecommand", "DeclareRobustCommand", "def", "gdef", "edef", "xdef"]
    + ["long", "let", "definecolor", "colorlet", "newif", "newacronym", "acro", "acrodef"]
    + [f"{verb}DocumentCommand" for verb in ("New", "Renew", "Provide", "Declare", "NewExpandable")]
)
_PROGRAM = frozenset(
    ["catcode", "futurelet", "unhbox", "ooalign", "halign", "accent", "afterassignment", "aftergroup", "def",
     "gdef", "edef", "xdef", "let", "count", "dimen", "advance", "loop", "hidewidth", "crcr", "spacefactor"]
)  # fmt: skip
_STYLED = re.compile(r"mn@|show(?:[A-Z]|eprint)")  # of styles, for identifiers: read where entries are
_WORDS = re.compile(r"[^\W\d_]{4,}")
_OTHERS = frozenset(("verb", "csname", "setbox", "begin"))
_MATHS = {r"\(": True, r"\[": True, r"\)": False, r"\]": False}
_MATHS |= {"ensuremath": True, "mbox": False, "hbox": False, "text": False}
_VERB = re.compile(r"\\verb\*?([^\sA-Za-z*{])(.{0,500}?)\1", re.DOTALL)
_SPELLED = re.compile(r"\\csname\s{0,3}([A-Za-z@]{1,60})\s{0,3}\\endcsname")
_BOXED = re.compile(r"\\setbox\s{0,3}(?:\d{1,3}|\\[A-Za-z@]+)\s{0,3}=?\s{0,3}\\[hv]box[^{}\\]{0,40}(?=\{)")
_UNBOXED = re.compile(r"\\(?:un[hv])?(?:box|copy)(?![A-Za-z@])")
# of a conditional: `\\iff` is an arrow, and what takes its branches in braces is no primitive of TeX
_BRANCH = re.compile(
    r"\\(?:newif\s{0,3}\\(if[A-Za-z@]*)|let\s{0,3}\\[A-Za-z@]+\s{0,3}=?\s{0,3}\\[A-Za-z@]+"
    r"|(if(?!f(?![A-Za-z@]))[A-Za-z@]*+)(\s{0,3}\{)?|(else|fi)(?![A-Za-z@]))"
)
_PRIMITIVES = frozenset(
    ["if", "iftrue", "iffalse", "ifx", "ifnum", "ifdim", "ifodd", "ifcat", "ifcase", "ifmmode", "ifhmode",
     "ifvmode", "ifinner", "ifvoid", "ifhbox", "ifvbox", "ifeof", "ifdefined", "ifcsname"]
)  # fmt: skip
_EQUAL = re.compile(r"\s{0,3}([A-Za-z\d])\s?([A-Za-z\d])|\s?(0)(?=[\s%\\]|$)")
_NUMBERS = re.compile(r"\s{0,3}(-?\d{1,9})\s{0,3}([<=>])\s{0,3}(-?\d{1,9})(?:\s|(?!\d))")
_TWO_NAMES = re.compile(r"\s{0,3}\\([A-Za-z@]+)\s{0,3}\\([A-Za-z@]+)\s{0,3}")
_RECOLOURED = re.compile(r"\\(?:color|normalcolor)(?![A-Za-z@])")
_ACRONYMS = dict.fromkeys(("ac", "acf", "gls", "Gls", "acrfull"), "#1 (#2)")
_ACRONYMS |= {"acs": "#2", "acrshort": "#2", "acl": "#1", "acrlong": "#1"}
_OPTION = re.compile(r"\s{0,3}\[([^\[\]]{0,99})\]")
_TO_THE_END = frozenset(("color", "fontsize", "transparent"))  # of the group
_LEAST = {"fontsize": 1.5, "scalebox": 0.15, "resizebox": 0.15, "transparent": 0.1, "texttransparent": 0.1}
_SIZE = re.compile(r"\s{0,3}-?(\d{0,5}\.?\d{0,5})\s{0,3}(?:pt|sp|[a-z]{2})?\s{0,3}")


@dataclass(frozen=True, slots=True)
class LatexMacro:
    """A command: how many arguments it takes, what it prints, its first argument where that is left out."""

    arguments: int
    body: str
    default: str | None = None


Branch = tuple[int, int, int, int]  # the spans of `else` and `fi`
Macros = Mapping[str, LatexMacro]
NO_MACROS: Macros = MappingProxyType({})


@cache
def _load_commands() -> dict[str, LatexMacro]:
    rows = load_package_table("citeproof.text", "latex_commands.toml").items()
    return {name: LatexMacro(int(row[0]), row[2:]) for row, names in rows for name in str(names).split()}


def read_macros(text: str) -> dict[str, LatexMacro]:
    """Return the commands, colours and switches that a text defines, the last definition of each."""
    macros: dict[str, LatexMacro] = {}
    groups = BraceGroups(text) if DEFINED.search(text) else BraceGroups("")
    for match in _SETTING.finditer(text):
        _apply_setting(match, text, groups, macros)
    return macros


def _apply_setting(
    match: re.Match[str], text: str, groups: BraceGroups, macros: dict[str, LatexMacro]
) -> int:
    """Add what one setting defines, and return where it ends."""
    end = match.end()
    if alias := match[8]:
        known = macros.get(match[9]) or _load_commands().get(match[9])
        if known or alias in _load_commands() or alias in macros or match[9].startswith("if"):
            macros[alias] = known or LatexMacro(0, f"\\{match[9]} ")
    elif colour := match[10] or match[12]:
        macros[f"colour {colour}"] = LatexMacro(0, _name_colour(match[11] or "", match[13], macros))
    elif match[14] or match[15]:
        set_switch(text, match.start(), macros)
    elif match[17]:
        macros[f"acronym {match[17]}"] = LatexMacro(0, match[19], match[18] or match[17])
    elif not _STYLED.match(name := match[1] or match[4] or match[6]):
        end = groups.past_group(match.end())
        spec = re.sub(r"\{[^{}]{0,60}\}|\s", "", match[7] or "")
        number = int(match[2] or 0) or (match[5] or "").count("#") or len(spec)
        optional = re.match(r"\s{0,3}(?:o|O\{([^{}]{0,60})\})", match[7] or "")
        default = match[3][1:-1] if match[3] else (optional[1] or "") if optional else None
        odd = bool(re.search(r"[^moO]", spec) or re.search(r"[^#\d\s]", match[5] or ""))
        body = text[match.end() + 1 : end - 1] if end > match.end() else "(a macro too long to be read)"
        macros.pop(name, None)
        if (printed := _find_printed(body, 0 if odd else number, macros, odd=odd)) is not None:
            macros[name] = LatexMacro(0 if odd else number, printed, None if odd else default)
    return end


def set_switch(text: str, at: int, macros: dict[str, LatexMacro]) -> bool | None:
    r"""Return whether a `\newif` or a known `\drafttrue` at `at` was carried out; None: neither is there."""
    match = _SWITCH.match(text, at)
    if match is None or match[2] == "if":
        return None
    name = match[1] or f"if{match[2]}"
    if match[1] or name in macros:
        macros[name] = LatexMacro(0, f"\\if{match[3] or 'false'} ")
    return name in macros


def _find_printed(body: str, number: int, macros: Macros, *, odd: bool) -> str | None:
    """Return a body that can be carried out; of a program, all words and arguments, None if it has no words.

    Styles have such programs for marks and links, and journals for accents.
    """
    names = _NAME.findall(body)
    known = _load_commands().keys() | macros.keys()
    if not odd and not any(name in _PROGRAM or ("@" in name and name not in known) for name in names):
        return body
    words = [*_WORDS.findall(_NAME.sub(" ", body)), *(f"\\{name} " for name in names if name in macros)]
    return " ".join([*(f"#{at + 1}" for at in range(number)), *words]) if words else None


def print_commands(text: str, macros: Macros = NO_MACROS) -> str:
    """Return `text` as it is printed: what its commands take, choose or hide is done."""
    if "\\" not in text:
        return text
    names = {part for name in _NAME.findall(text) for part in (name, name.partition("@")[0])}
    if names.isdisjoint(_list_handled() | macros.keys()) and not any(name[:2] == "if" for name in names):
        return text
    printer, before = _Printer(macros, text), ""
    for _ in range(_PASSES):  # the last word of a macro may take what follows the macro
        before, text = text, printer.render(text)
        if text == before or printer.left < 0:
            break
    return text if printer.left >= 0 else f"{before[:_MOST_SHOWN]} (its macros nest too deep to be read)"


@cache
def _list_handled() -> frozenset[str]:
    return _DEFINING | _OTHERS | _load_commands().keys()


def match_branches(text: str, macros: Macros = NO_MACROS) -> dict[int, Branch]:
    """Return by the start of each conditional the spans of its `else` (of `fi` if it has none) and `fi`."""
    branches: dict[int, Branch] = {}
    opened: list[tuple[int, tuple[int, int] | None]] = []
    switches = _PRIMITIVES | macros.keys()
    for match in _BRANCH.finditer(text):
        if match[1]:
            switches |= {match[1]}
        elif match[2] and (not match[3] or match[2] in switches):
            opened.append((match.start(), None))
        elif match[4] == "else" and opened:
            opened[-1] = (opened[-1][0], opened[-1][1] or match.span())
        elif match[4] == "fi" and opened:
            start, other = opened.pop()
            branches[start] = (*(other or match.span()), *match.span())
    return branches


def decide_condition(
    text: str, name: str, at: int, macros: Macros = NO_MACROS, *, math: bool | None = None
) -> tuple[bool | None, int]:
    r"""Return whether the conditional `\name` before `at` holds (None: only TeX knows), and where it ends."""
    for _ in range(3):
        name = macros[name].body.strip("\\ ") if name in macros else name
    if name in ("iftrue", "iffalse"):
        return name == "iftrue", at
    if name == "ifmmode":
        return math, at
    if name == "if" and (pair := _EQUAL.match(text, at)):
        return bool(pair[1]) and pair[1] == pair[2], pair.end()
    if name == "ifnum" and (sides := _NUMBERS.match(text, at)):
        low, high = int(sides[1]), int(sides[3])
        return {"<": low < high, "=": low == high, ">": low > high}[sides[2]], sides.end()
    if name == "ifx" and (both := _TWO_NAMES.match(text, at)):
        return (True if both[1] == both[2] else None), both.end()
    return None, at


def _name_colour(model: str, value: str, macros: Macros) -> str:
    """Return "white" for all that is invisible on white paper; another colour as it is written."""
    value = value.strip()
    if known := macros.get(f"colour {value}"):
        return known.body
    figures = [float(figure) for figure in re.findall(r"\d{1,3}(?:\.\d{1,6})?|\.\d{1,6}", value)]
    match model.strip():
        case "gray" | "rgb" | "Gray" | "RGB" as scale:
            full = {"RGB": 255, "Gray": 15}.get(scale, 1)
            light = bool(figures) and min(figures) >= _FAINT * full
        case "HTML":
            light = re.fullmatch(r"(?:[Ff][2-9A-Fa-f]){3}", value) is not None
        case "cmyk" | "cmy":
            light = bool(figures) and max(figures) <= 1 - _FAINT
        case _:
            first, *mixed = value.split("!")
            share = figures[0] / 100 if mixed and figures else 1.0
            other = mixed[1] if len(mixed) > 1 else _WHITE
            light = all(
                colour == _WHITE for colour, part in ((first, share), (other, 1 - share)) if part > 1 - _FAINT
            )
    return _WHITE if light else value


class _Printer:
    """Carries out one text, within limits that hold for all macros in it together."""

    def __init__(self, macros: Macros, text: str) -> None:
        self.left = max(_MOST_TEXT, _GROWTH * len(text))  # below zero: it nests too deep or is too much
        self._reused = bool(_UNBOXED.search(text))  # boxes are printed later
        self._macros = dict(macros)
        self._paper, self._math, self._depth = _WHITE, False, 0
        self._text, self._groups = "", BraceGroups("")

    def render(self, text: str) -> str:
        """Return the text as it is printed."""
        self.left = -1 if self._depth > _DEEPEST else self.left
        if self.left < 0 or "\\" not in text:
            return text
        text = _SPELLED.sub(r"\\\1 ", text) if "csname" in text else text
        outer, self._depth = (self._text, self._groups, self._math), self._depth + 1
        self._text, self._groups = text, BraceGroups(text)
        branches = match_branches(text, self._macros)
        parts: list[str] = []
        opened: list[int] = []
        kept = at = 0
        while match := _TOKEN.search(text, at):
            at, sign = match.end(), match[0]
            if sign == "{":
                opened.append(match.start())
            elif sign == "}":
                opened = opened[:-1]
            elif not match[1]:
                self._math = not self._math if sign == "$" else _MATHS.get(sign, self._math)
            else:
                close = self._groups.past_group(opened[-1]) - 1 if opened else len(text)
                if (done := self._carry_out(match, branches.get(match.start()), close)) is not None:
                    glued = _ENDING.search(text, max(kept, match.start() - 60), match.start())
                    parts += [text[kept : match.start()], " " if glued else "", done[0]]
                    parts.append(" " if _ENDING.search(done[0][-60:]) else "")
                    kept = at = done[1]
        (self._text, self._groups, self._math), self._depth = outer, self._depth - 1
        return "".join([*parts, text[kept:]])

    def _carry_out(self, match: re.Match[str], branch: Branch | None, close: int) -> tuple[str, int] | None:
        """Return what one command prints, and where it ends with its arguments; None: it stays as it is."""
        name, start, end = match[1], match.start(), match.end()
        if name in _DEFINING or (name[-4:] in ("true", "alse") and name[:2] != "if"):
            setting = _SETTING.match(self._text, start)
            return ("", _apply_setting(setting, self._text, self._groups, self._macros)) if setting else None
        if branch is not None:
            return self._choose_branch(name, end, branch), branch[3]
        if "@" in name[1:] and name not in self._macros and name not in _load_commands():
            name = name.partition("@")[0]  # in the text of a document, "@" is no letter
            end = start + 1 + len(name)
        if macro := self._macros.get(name):
            read = self._read_arguments(end, macro)
            return (self._fill(macro.body, read[0]), read[1]) if read else None
        if macro := _load_commands().get(name):
            return self._carry_out_known(name, end, macro, close)
        if verb := _VERB.match(self._text, start):
            return re.sub(r"[\\{}$]", "", verb[2]), verb.end()
        if not self._reused and (boxed := _BOXED.match(self._text, start)):
            return "", self._groups.past_group(boxed.end())
        if self._text.startswith(r"\begin{comment}", start):
            ended = self._text.find(r"\end{comment}", start)
            return ("", ended + len(r"\end{comment}")) if ended > 0 else None
        return None

    def _choose_branch(self, name: str, end: int, branch: Branch) -> str:
        """Return the branch of a conditional that TeX takes; both where only TeX can know."""
        holds, end = decide_condition(self._text, name, end, self._macros, math=self._math)
        first, second = self._text[end : branch[0]], self._text[branch[1] : branch[2]]
        taken = (first if holds else second) if holds is not None else f"{first} {second}"
        return self.render(taken.lstrip())

    def _read_arguments(self, at: int, macro: LatexMacro) -> tuple[list[str], int] | None:
        """Return the arguments of an author's macro as TeX takes them, and their end; None if some lack."""
        text, groups, arguments = self._text, self._groups, list[str]()
        if macro.default is not None:
            start = groups.past_space(at)
            option = groups.past_options(at) if text.startswith("[", start) else at
            arguments.append(
                text[start + 1 : option].strip().removesuffix("]") if option > at else macro.default
            )
            at = option
        while len(arguments) < macro.arguments:
            start = groups.past_space(at)
            if (at := groups.past_group(start)) > start:
                arguments.append(text[start + 1 : at - 1])
            elif token := _ONE_TOKEN.match(text, start):
                arguments.append(token[0])
                at = token.end()
            else:
                return None
        return arguments, at

    def _carry_out_known(self, name: str, at: int, macro: LatexMacro, close: int) -> tuple[str, int] | None:
        """Return what a command of LaTeX prints; None without all its arguments in braces."""
        text, arguments = self._text, list[str]()
        at += text.startswith("*", at)
        option = _OPTION.match(text, at)
        count = 4 if name == "hyperref" and not option else macro.arguments
        while len(arguments) < count:
            start = self._groups.past_options(at)
            if not text.startswith("{", start) or (at := self._groups.past_group(start)) == start:
                return None
            arguments.append(text[start + 1 : at - 1])
        if name in _ACRONYMS and (known := self._macros.get(f"acronym {arguments[0]}")):
            return self._fill(_ACRONYMS[name], [known.body, known.default or ""]), at
        hidden = self._hides(name, option[1] if option else "", arguments)
        if name in _TO_THE_END and hidden:
            again = _RECOLOURED.search(text, at, close)
            return "", again.start() if again and name == "color" else max(close, at)
        before = self._paper, self._math
        self._math = _MATHS.get(name, self._math)
        if name in ("colorbox", "fcolorbox"):
            self._paper = _name_colour(option[1] if option else "", arguments[-2], self._macros)
        shown = (
            "" if hidden else self._fill("#4" if name == "hyperref" and count == 4 else macro.body, arguments)
        )
        self._paper, self._math = before
        return shown, at

    def _hides(self, name: str, model: str, arguments: list[str]) -> bool:
        """Return whether no one sees what is in such a colour or of such a size."""
        if name in ("color", "textcolor"):
            return _name_colour(model, arguments[0], self._macros) == self._paper
        sizes = (_SIZE.fullmatch(size) for size in arguments[: 2 if name == "resizebox" else 1])
        least = _LEAST.get(name, 0.0)
        return any(size is not None and size[1].strip(".") != "" and float(size[1]) < least for size in sizes)

    def _fill(self, body: str, arguments: list[str]) -> str:
        filled = _PARAMETER.sub(
            lambda m: arguments[int(m[1]) - 1] if 0 < int(m[1]) <= len(arguments) else "", body
        )
        self.left -= max(20, len(filled))
        return self.render(filled)
