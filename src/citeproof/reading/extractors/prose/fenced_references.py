"""References inside the code blocks of a Markdown document: BibTeX or JSON that an answer gives as code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from citeproof.reading.extractors import bibtex
from citeproof.reading.extractors.csl_json import JsonItems, ProblemList
from citeproof.reading.extractors.decoded_text import DecodedText, refuse_flood
from citeproof.reading.extractors.records.csl_fields import build_csl_reference
from citeproof.text import lazy_patterns as re
from citeproof.text import title
from citeproof.vocabulary import Document, Problem, RawReference

_COMPARED = 500  # printed references that entries in code blocks are compared with

_FENCE = re.compile(r"^[ \t]{0,3}(`{3,}|~{3,})[^\n`]{0,100}\n", re.MULTILINE)
_JSON = re.compile(r"\s{0,99}[\[{]\s{0,99}[{\"\]}]")
# What language models call the fields, and what CSL calls them.
_RENAMED = {
    "authors": "author", "year": "issued", "date": "issued", "publication_year": "issued",
    "journal": "container-title", "venue": "container-title", "booktitle": "container-title",
    "conference": "container-title", "doi": "DOI", "url": "URL", "link": "URL", "isbn": "ISBN",
    "pmid": "PMID", "pages": "page", "arxiv_id": "arxiv", "number": "issue",
}  # fmt: skip


def read_fenced_references(
    decoded: DecodedText, printed: Sequence[RawReference] = (), code: Sequence[tuple[int, int]] | None = None
) -> tuple[list[RawReference], list[Problem]]:
    """Return the references that are in code blocks and are not `printed` as well, with their places.

    `code` says where the blocks are; without it they are what Markdown's fences enclose.
    JSON beside printed references may be anything; only alone it is taken for references.
    """
    found: list[RawReference] = []
    problems: list[Problem] = []
    for start, end in _find_fences(decoded.text) if code is None else code:
        inside = decoded.text[start:end]
        if bibtex.EXTRACTOR.recognises(Document(decoded.name, inside.encode())) > 0.5:
            _read_fenced_bibtex(decoded, start, end, found, problems)
        elif not printed and _JSON.match(inside):
            _read_fenced_json(decoded, start, end, found, problems)
        refuse_flood(len(found), decoded.name)
    known = [(title.make_title_key(one.text), one.text) for one in printed[:_COMPARED]] if found else []
    return [one for one in found if not _is_known_work(one, known)], problems


def _is_known_work(one: RawReference, known: Sequence[tuple[str, str]]) -> bool:
    """Return whether one of the `known` texts names the work of an entry: by DOI, or by title and year."""
    stated = one.claimed
    if stated is None:
        return False
    doi, year = stated.ids.first("doi"), str(stated.year or "")
    name = title.make_title_key(stated.title or "")
    return any(
        (doi is not None and doi in text.lower()) or (bool(name) and name in letters and year in text)
        for letters, text in known
    )


def _find_fences(text: str) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    at = 0
    while opening := _FENCE.search(text, at):
        closing = text.find("\n" + opening[1][:3], opening.end() - 1)
        end = closing if closing >= 0 else len(text)
        found.append((opening.end(), max(end, opening.end())))
        stop = text.find("\n", end + 1)
        at = stop if stop >= 0 else len(text)
    return found


def _read_fenced_bibtex(
    decoded: DecodedText, start: int, end: int, found: list[RawReference], problems: list[Problem]
) -> None:
    inside = bibtex.EXTRACTOR.extract(Document(decoded.name, decoded.text[start:end].encode()))
    last = start
    for one in inside.references:
        at = decoded.text.find(one.text[:200], last, end)
        place = decoded.locate_span(at, at + len(one.text)) if at >= 0 else one.place
        found.append(replace(one, place=place))
        last = max(last, at)
    place = decoded.locate_span(start, end)
    problems += [replace(problem, place=place) for problem in inside.problems]


def _read_fenced_json(
    decoded: DecodedText, start: int, end: int, found: list[RawReference], problems: list[Problem]
) -> None:
    wrong = ProblemList(decoded)
    for low, high, item in JsonItems(decoded.text[start:end], wrong):
        renamed = {_RENAMED.get(str(name).lower(), str(name)): value for name, value in item.items()}
        if not isinstance(renamed.get("title"), str):
            continue
        if isinstance(renamed.get("author"), str):
            renamed["author"] = _split_full_names(renamed["author"])
        key = f"ref-{len(found) + 1}"
        found.append(build_csl_reference(renamed, key, decoded, start + low, start + high))
    if wrong.list_problems():
        message = "a part of the JSON in this code block cannot be read"
        problems.append(Problem(decoded.locate_span(start, end), message, "check its commas and quotes"))


def _split_full_names(authors: str) -> list[str] | str:
    """Return "Ashish Vaswani, Noam Shazeer" as a list; what is written in another way stays a string."""
    pieces = [piece.strip().removeprefix("and ") for piece in authors[:20_000].split(",")]
    full = len(pieces) > 1 and all(len(piece.split()) > 1 and "." not in piece[-2:] for piece in pieces)
    return pieces if full else authors
