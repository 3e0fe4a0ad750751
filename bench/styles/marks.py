"""Labelled text as one string: private-use characters around a value say which field it is.

A marked string survives everything a renderer does to text (case, joining, quoting, affixes), and turns into
tokens with labels in one place, `labelled`, by the conventions of the hand-tagged training data:

- a token is a run of letters, a run of digits, or one other character; a Chinese, Japanese or Korean
  character is a token of its own;
- the inner mark wins where marks nest;
- two parts of one author list, editor list or date are one span when only commas and the like part them;
- punctuation at the ends of a span is `O`, but a bracket whose partner is inside stays, and so does the
  question mark of a title.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

LABELS = (
    "O", "author", "title", "container", "date", "volume", "issue", "pages", "publisher", "location",
    "editor", "doi", "url", "note", "citnum", "idno", "series", "edition", "access",
)  # fmt: skip
_FIRST = 0xE000
CLOSE = "\ue0ff"
_OPEN = {label: chr(_FIRST + at) for at, label in enumerate(LABELS)}
_LABEL = {sign: label for label, sign in _OPEN.items()}
MARKS = "".join(_LABEL) + CLOSE
_EAST = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_TOKEN = re.compile(rf"[{_EAST}]|[^\W\d_{_EAST}]+|\d+|[^\w\s]|_")
_JOINED = frozenset({"author", "editor", "date", "note", "edition"})
_BRACKETS = {")": "(", "]": "[", "）": "（", "》": "《"}
_GLUE = frozenset(",./-–—;&()[]、，・")


class LostMarkError(ValueError):
    """A mark was opened and not closed, or closed twice: the string cannot be trusted."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """Tokens, '1' where a space stands before, and one label a token."""

    tokens: tuple[str, ...]
    space: str
    labels: tuple[str, ...]

    def text(self) -> str:
        """The plain string."""
        pairs = zip(self.tokens, self.space, strict=True)
        return "".join((" " if space == "1" else "") + token for token, space in pairs).strip()

    def value(self, label: str) -> str:
        """The first span of that label, as it stands; empty when there is none."""
        out = ""
        for token, space, own in zip(self.tokens, self.space, self.labels, strict=True):
            if own == label:
                out += (" " if space == "1" and out else "") + token
            elif out:
                break
        return out


def mark(label: str, text: str) -> str:
    """`text` between the marks of `label`; nothing stays nothing."""
    return f"{_OPEN[label]}{text}{CLOSE}" if text else ""


def plain(marked: str) -> str:
    """The string without its marks."""
    return marked.translate(dict.fromkeys(map(ord, MARKS)))


def labelled(marked: str) -> Labelled:
    """Tokens and labels of a marked string; raises LostMarkError when marks do not pair."""
    text, owners = _owners(marked)
    tokens: list[str] = []
    spaces: list[str] = []
    labels: list[str] = []
    end = 0
    for found in _TOKEN.finditer(text):
        tokens.append(found.group())
        spaces.append("1" if found.start() > end or not end else "0")
        labels.append(owners[found.start()])
        end = found.end()
    _spread_access(tokens, labels)
    _join(tokens, labels)
    _trim(tokens, labels)
    return Labelled(tuple(tokens), "".join(spaces), tuple(labels))


def _owners(marked: str) -> tuple[str, list[str]]:
    """The plain text and the label of each of its characters."""
    text: list[str] = []
    owners: list[str] = []
    stack: list[str] = []
    for sign in marked:
        if sign == CLOSE:
            if not stack:
                raise LostMarkError("closed before it was opened")
            stack.pop()
        elif sign in _LABEL:
            stack.append(_LABEL[sign])
        else:
            text.append(sign)
            owners.append(stack[-1] if stack else "O")
    if stack:
        raise LostMarkError("opened and not closed")
    return "".join(text), owners


def _spread_access(tokens: list[str], labels: list[str]) -> None:
    """ "Accessed 3 May 2019" and "Retrieved …, from" are one note: words beside the date belong to it."""
    for at, label in enumerate(labels):
        if label != "access":
            continue
        back = at - 1
        while back >= 0 and labels[back] == "O" and (tokens[back].isalpha() or tokens[back] in ":,"):
            labels[back] = "access"
            back -= 1
        ahead = at + 1
        while (
            ahead < len(labels)
            and labels[ahead] == "O"
            and (tokens[ahead].isalpha() or tokens[ahead] in ":,")
        ):
            labels[ahead] = "access"
            ahead += 1
    labels[:] = ["note" if label == "access" else label for label in labels]


def _join(tokens: list[str], labels: list[str]) -> None:
    last = -1
    for at, label in enumerate(labels):
        if label == "O":
            continue
        gap = tokens[last + 1 : at]
        if last >= 0 and gap and labels[last] == label and label in _JOINED and len(gap) <= 3:
            allowed = _GLUE if label in {"author", "editor"} else _GLUE - set("()[];.&")
            if all(token in allowed for token in gap):
                labels[last + 1 : at] = [label] * len(gap)
        last = at


def _trim(tokens: list[str], labels: list[str]) -> None:
    for start, end in _spans(labels):
        first, last = start, end
        while first < last and _outer(tokens[first]):
            first += 1
        while last > first and _outer(tokens[last - 1]) and not _kept(tokens, first, last, labels[start]):
            last -= 1
        labels[start:first] = ["O"] * (first - start)
        labels[last:end] = ["O"] * (end - last)


def _spans(labels: list[str]) -> list[tuple[int, int]]:
    spans = []
    start = 0
    for at in range(1, len(labels) + 1):
        if at == len(labels) or labels[at] != labels[start]:
            if labels[start] != "O":
                spans.append((start, at))
            start = at
    return spans


def _outer(token: str) -> bool:
    return unicodedata.category(token[0])[0] == "P" or token in "`´~|"


def _kept(tokens: list[str], first: int, last: int, label: str) -> bool:
    """Whether the closing sign before `last` belongs to the value."""
    sign = tokens[last - 1]
    if sign in "?!":
        return label in {"title", "container"}
    opener = _BRACKETS.get(sign)
    if opener is None or label in {"editor", "author"}:
        return False
    inside = tokens[first : last - 1]
    return inside.count(opener) > inside.count(sign)
