"""CSL-JSON: an array, an object with `items` or `references`, or one object a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from citeproof.reading.extractors.base import read_sample
from citeproof.reading.extractors.decoded_text import DecodedText, decode, refuse_flood
from citeproof.reading.extractors.records.csl_fields import build_csl_reference
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import Document, Extraction, Extractor, Problem, RawReference

_LOOKS = re.compile(r'\s{0,999}(?:\[\s{0,999}\{\s{0,999}"|\{\s{0,999}")')
# An array whose first element is no object: `[null, {"title": …}]`. "[1] Smith" has no comma there.
_ODD_FIRST = re.compile(
    r'\s{0,999}\[\s{0,999}(?:\[|(?:null|true|false|-?\d[\d.eE+-]{0,40}|"[^"\\\n]{0,500}")\s{0,999},)'
)
_OBJECT = re.compile(r'[\[,]\s{0,999}\{\s{0,999}"')
_EMPTY = re.compile(r"\s{0,99}\[\s{0,99}\]\s{0,99}")
FIELDS = frozenset(["title", "DOI", "container-title", "author", "issued", "type", "URL"])
KNOWN = re.compile(rf'"(?:{"|".join(sorted(FIELDS))})"\s{{0,9}}:')
MAX_PROBLEMS = 1000  # of one document that are reported one by one
_LIST = re.compile(r'"(?:items|references)"\s{0,99}:\s{0,99}\[')
_SPACE = re.compile(r"[\s,]*")
_NEXT_ITEM = re.compile(r"\}\s{0,999},\s{0,999}(?=\{)|\}\s{0,99}\n\s{0,99}(?=\{)")
_MARK = re.compile(r'"(?:[^"\\\n]|\\.){0,80}+"|[{}\[\]]')
# Characters that may be read in vain; to tell the line of an error, all before it are counted (fast).
_VAIN, _GRACE, _COUNTED = 20, 1_000_000, 16


def _recognise_csl_json(document: Document) -> float:
    """Return how sure the content is CSL-JSON: JSON objects with its field names."""
    text = read_sample(document)
    if _LOOKS.match(text):
        return 0.95 if KNOWN.search(text) else 0.5
    if _ODD_FIRST.match(text) and _OBJECT.search(text) and KNOWN.search(text):
        return 0.95
    return 0.4 if _EMPTY.fullmatch(text[:300]) else 0.0


def _extract_csl_json(document: Document) -> Extraction:
    """Return one reference per item; a broken item is a problem with its line."""
    decoded = decode(document)
    problems = ProblemList(decoded)
    references: list[RawReference] = []
    for start, end, item in JsonItems(decoded.text, problems):
        if not FIELDS.isdisjoint(item):
            key = item.get("id") or item.get("citation-key") or f"ref-{len(references) + 1}"
            references.append(build_csl_reference(item, str(key)[:200], decoded, start, end))
            refuse_flood(len(references), document.name)
        else:
            problems.add(start, end, "not a bibliographic item", "give it a title")
    return Extraction(tuple(references), problems.list_problems(), None, EXTRACTOR.name)


class ProblemList:
    """The problems of one document, in its order; behind `MAX_PROBLEMS` they are only counted."""

    def __init__(self, decoded: DecodedText) -> None:
        self._decoded = decoded
        self._kept = list(decoded.problems)
        self._first_more: tuple[int, int] | None = None
        self._more = 0

    def add(self, start: int, end: int, message: str, hint: str) -> None:
        """Note what is wrong with the characters from `start` to `end`."""
        if len(self._kept) >= MAX_PROBLEMS:
            self._first_more = self._first_more or (start, end)
            self._more += 1
            return
        text = self._decoded.text[start : min(end, start + 500)]
        self._kept.append(Problem(self._decoded.locate_span(start, end), message[:200], hint, text))

    def list_problems(self) -> tuple[Problem, ...]:
        """Return all problems; the last one counts those that are not shown."""
        if self._first_more is None:
            return tuple(self._kept)
        message = f"{self._more:,} more problems from here on"
        rest = Problem(self._decoded.locate_span(*self._first_more), message, "fix the problems above first")
        return (*self._kept, rest)


class JsonItems:
    """The objects of `text` as (start, end, object); everything else is one problem a run."""

    def __init__(self, text: str, problems: ProblemList) -> None:
        self._text = text
        self._problems = problems
        self._decoder = json.JSONDecoder()
        self._opened = 0  # brackets of lists within the list
        self._vain = _VAIN * len(text) + _GRACE

    def __iter__(self) -> Iterator[tuple[int, int, dict[str, Any]]]:
        text = self._text
        at = _find_first_item(text)
        while (at := _find_match_end(_SPACE, text, at)) < len(text):
            if text[at] == "{":
                try:
                    item, end = self._decoder.raw_decode(text, at)
                except (ValueError, RecursionError) as error:
                    at = self._behind_broken(at, error)
                    continue
                yield at, end, item
                at = end
            elif text[at] not in "]}":
                at = self._behind_strangers(at)
            elif self._opened:
                self._opened, at = self._opened - 1, at + 1
            else:
                return

    def _behind_broken(self, at: int, error: ValueError | RecursionError) -> int:
        """Return where the next item begins; a document that breaks over and over is left."""
        text = self._text
        # How far nested brackets were followed is not reported; a document has few that are too deep.
        reached = error.pos if isinstance(error, json.JSONDecodeError) else at + 4 * len(text)
        self._vain -= reached - at + reached // _COUNTED
        if self._vain < 0:
            hint = "fix the first broken items, then run again"
            self._problems.add(at, len(text), "too much of it is broken; the rest is not read", hint)
            return len(text)
        following = _NEXT_ITEM.search(text, at)
        end = following.end() if following else len(text)
        reason = error if isinstance(error, ValueError) else "brackets nested too deeply"
        self._problems.add(at, end, f"broken JSON: {reason}", "check quotes, commas and brackets")
        return end

    def _behind_strangers(self, at: int) -> int:
        """Return where what is no object ends: at the next object or the end of the list."""
        end = len(self._text)
        for mark in _MARK.finditer(self._text, at):
            if mark[0] == "[":
                self._opened += 1
            elif mark[0] == "{" or (mark[0] in "]}" and not self._opened):
                end = mark.start()
                break
            elif mark[0] in "]}":
                self._opened -= 1
        stop = at + len(self._text[at:end].rstrip(" \t\r\n,"))
        self._problems.add(at, stop, "not a bibliographic item", "delete it")
        return end


def _find_first_item(text: str) -> int:
    """Return where the first item begins: inside the array, or inside `items` or `references`."""
    start = len(text) - len(text.lstrip("\ufeff \t\r\n"))
    if text.startswith("[", start):
        return start + 1
    listed = _LIST.search(text, start, start + 2000)
    if listed and not KNOWN.search(text, start, listed.start()):
        return listed.end()
    return start


def _find_match_end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at


EXTRACTOR = Extractor("csl_json", (".json", ".jsonl"), _recognise_csl_json, _extract_csl_json)
