r"""Who wrote a LaTeX document: `\author`, as the usual classes have it."""

from __future__ import annotations

import re

from citeproof.text.brace_groups import BraceGroups
from citeproof.text.latex import strip_latex
from citeproof.text.names import is_group, split_names
from citeproof.vocabulary import Name

_HEAD = 200_000  # characters of a document in which its authors are named
_MOST = 200  # authors
_COMMAND = re.compile(r"\\(?:author|IEEEauthorblockN|addauthor)(?![A-Za-z])")
_INNER = re.compile(r"\\IEEEauthorblockN(?![A-Za-z])")
# what stands next to a name: marks, notes, addresses
_NOTE = re.compile(
    r"\\(?:thanks|footnote|footnotemark|inst|textsuperscript|orcid(?:ID|Link|link)?|email|mailto|texttt|href|url"
    r"|affiliation|institute|affil|address|small|tt|authormark|authorrefmark|IEEEauthorrefmark|IEEEmembership"
    r"|corref|fnref|ead|samethanks|comma)(?![A-Za-z])\*?(?:\[[^\]\n]{0,99}\])?(?:\{(?:[^{}]|\{[^{}]{0,300}\}){0,500}\})?"
    r"|\$[^$\n]{0,99}\$|\^\{[^{}]{0,99}\}|(?<!\\)%[^\n]*+"
)
_BETWEEN = re.compile(r"\\(?:and|And|AND|quad|qquad|hspace|hfill)(?![A-Za-z])(?:\{[^{}]{0,20}\})?|;")
_LINE = re.compile(r"\\\\|\\newline|\n\s{0,20}\n")
_DIGIT = re.compile(r"[0-9@]")
_WORDS = 6  # of a person's name


def read_latex_authors(text: str) -> tuple[Name, ...]:
    """Return the authors that a document names, as far as they can be read."""
    text = text[:_HEAD]
    if "\\author" not in text:
        return ()
    groups = BraceGroups(text)
    found: dict[Name, None] = {}
    for command in _COMMAND.finditer(text):
        start = groups.past_options(command.end())
        end = groups.past_group(start)
        if end <= start or len(found) >= _MOST:
            continue
        held = text[start + 1 : end - 1]
        if not _INNER.search(held):
            found |= dict.fromkeys(_read_people(held))
    return tuple(found)[:_MOST]


def _read_people(held: str) -> list[Name]:
    people: list[Name] = []
    for block in _BETWEEN.split(_NOTE.sub(" ", held)):
        lines = [line for line in _LINE.split(block) if line.strip(" ~\n\t{},")]
        first = " ".join(strip_latex(lines[0]).replace("~", " ").split()) if lines else ""
        people += [name for name in split_names(first.strip(" ,*†‡"))[0] if _is_person(name)]
    return people


def _is_person(name: Name) -> bool:
    """Return whether a line is a name and not an address: both parts, few words, no digits."""
    whole = name.display
    return (
        bool(name.given) and not is_group(name) and not _DIGIT.search(whole) and len(whole.split()) <= _WORDS
    )
