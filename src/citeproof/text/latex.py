r"""LaTeX and BibTeX debris out of a string: `{\"o}` ⇒ `ö`, `$\alpha$-decay` ⇒ `α-decay`.

A regular-expression pass of our own: it is some 150 times cheaper than a full LaTeX parser and
every bibliography field goes through it (docs/decisions/0005-own-latex-cleaner.md).
"""

from __future__ import annotations

import unicodedata
from functools import cache

from citeproof.text import lazy_patterns as re
from citeproof.text.latex_commands import print_commands
from citeproof.text.package_tables import load_package_table
from citeproof.text.unicode import GREEK

_TABLES = load_package_table("citeproof.text", "latex_symbols.toml")
_SYMBOLS: dict[str, str] = {name: sign for sign, name in GREEK.items()} | _TABLES["symbols"]
_COMBINING: dict[str, str] = _TABLES["accents"]
_WRITTEN: dict[str, str] = _TABLES["written"]
_ACCENTS = {mark: sign for sign, mark in _COMBINING.items() if sign != "t"}  # a tie is over two letters
# Commands that only dress their argument. An unknown command before "{" is dropped as well; an
# unknown bare word keeps its letters, because "\GPT" is a damaged "{GPT}" far more often than TeX.
_DRESS = frozenset(_TABLES["commands"]["dress"].split())

_ACCENT = re.compile(
    r"\\(?:a?(['`^\"~=.])\s{0,3}|([vcuHkrbdt])(?:\s{1,3}|(?=[{\\])))"
    r"(?:\{\s{0,3})?(?:\\(?=[ij](?![A-Za-z])))?([^\W\d_])(?:\s{0,3}\})?"
)
# Commands that were escaped on their way through another program: `$\backslash$frac`, `$\{$`.
_NEW_LINE = re.compile(r"\$\\backslash\$[nr](?![a-z])")
_ESCAPED_TWICE = re.compile(r"\$\\backslash\$\s?(?=[A-Za-z])|\{\\textbackslash\}(?=[A-Za-z])|\$\\([{}])\$")
_FRACTION = re.compile(r"\\[dt]?frac\s?\{([^{}]{1,40})\}\s?\{([^{}]{1,40})\}")
# What prints nothing: an address, a space, a place to hyphenate, the end of italics.
_UNSEEN = re.compile(
    r"\\-|\\href\s?\{[^{}]{0,2048}\}\s?(?=\{)"
    r"|\\(?:kern|raise|lower|hskip|vskip)\s?-?[\d.]{1,9}\s?[a-z]{2}\s?|\\/(?![^\W_])|(?<![^\W_])\\/"
)
_COMMAND = re.compile(r"\\([A-Za-z]{1,40})\*?(\s{0,3}\{|[ \t]{1,3})?")
_ESCAPED = re.compile(r"\\([&%$#_{}\s,;:!/@-])")
_SPACE = re.compile(r"\s{2,}|[\t\n\r\f\v]")
_NEEDS = re.compile(r"[\\{}$~]|--|``|''")


def strip_latex(text: str) -> str:
    """Return `text` with LaTeX commands, accents, braces and math signs turned into plain text."""
    if not _NEEDS.search(text):
        return text
    if "\\" in text:
        if "backslash" in text:
            text = _ESCAPED_TWICE.sub(lambda m: m[1] or "\\", _NEW_LINE.sub(" ", text))
        text = _FRACTION.sub(r"\1/\2", text) if "frac" in text else text
        text = _UNSEEN.sub("", print_commands(text))
        text = _ACCENT.sub(_render_accent, _ACCENT.sub(_render_accent, text))  # twice: \~{\^e} nests
        text = _ESCAPED.sub(lambda m: m[1] if m[1] in "&%$#_/@-" else (m[1] if m[1] in "{}" else " "), text)
        text = _COMMAND.sub(_render_command, text).replace("\\", "")
    text = text.replace("---", "—").replace("--", "–").replace("``", "“").replace("''", "”")
    text = text.replace("{", "").replace("}", "").replace("~", " ")
    if "$" in text:
        text = _strip_math(text)
    return _SPACE.sub(" ", text).strip()


def _render_accent(match: re.Match[str]) -> str:
    mark = _COMBINING[match[1] or match[2]]
    return unicodedata.normalize("NFC", match[3] + mark)


def _render_command(match: re.Match[str]) -> str:
    name, tail = match[1], match[2] or ""
    if name.startswith("up") and name[2:] in _SYMBOLS:
        name = name[2:]  # an upright Greek letter
    brace = "{" if tail.endswith("{") else ""
    if name in _SYMBOLS:
        return _SYMBOLS[name] + brace
    if word := _load_macro_words().get(name):
        return word + (brace or (" " if tail else ""))
    empty = brace and match.string[match.end() : match.end() + 1] == "}"  # \LaTeX{} prints itself
    if name in _DRESS or (brace and not empty):
        return brace
    return name + (brace or (" " if tail else ""))


@cache
def _load_macro_words() -> dict[str, str]:
    """Return what macros print as words: journals as the styles of the AAS, and so ADS, name them."""
    return {"LaTeXe": "LaTeX2e", **load_package_table("citeproof.text", "journal_macros.toml")}


def _strip_math(text: str) -> str:
    """Drop the dollars of `$^{12}C$` with the ^ and _ between them; lone dollars (prices) stay."""
    if text.count("$") < 2:
        return text
    parts = text.split("$")
    for i in range(1, len(parts) - (len(parts) % 2 == 0), 2):
        parts[i] = parts[i].replace("^", "").replace("_", "")
    return "".join(parts)


def write_letters(text: str, *, inner: bool = False) -> str:
    r"""Return `text` with letters as commands: `ö` ⇒ `{\"o}`, with `inner` `\"{o}`; others stay."""
    return "".join(_write_letter(letter, inner=inner) for letter in unicodedata.normalize("NFC", text))


def _write_letter(letter: str, *, inner: bool) -> str:
    if letter.isascii() or letter in _WRITTEN:
        return _WRITTEN.get(letter, letter)
    base, *marks = list(unicodedata.normalize("NFD", letter))
    if len(marks) != 1 or marks[0] not in _ACCENTS or not base.isascii():
        return letter  # TeX of today reads it, and no command is sure to print it
    sign = _ACCENTS[marks[0]]
    base = f"\\{base}" if base in "ij" and sign not in "ckbdHr" else base
    if inner:
        return f"\\{sign}{{{base}}}"
    return f"{{\\{sign}{{{base}}}}}" if sign.isalpha() else f"{{\\{sign}{base}}}"
