"""Jupyter notebooks: their Markdown cells, read as one Markdown document. Code and output are not read."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

from citeproof.reading.extractors import markdown
from citeproof.reading.extractors.base import read_sample
from citeproof.reading.extractors.decoded_text import MAX_RUNNING, DecodedText, decode
from citeproof.vocabulary import Document, Extraction, KeyPlace, Place, Problem

_CELLS = re.compile(r'"cells"\s{0,99}:\s{0,99}\[')
_KIND = re.compile(r'"cell_type"\s{0,99}:\s{0,99}"(?:markdown|code|raw)"')
_BETWEEN = re.compile(r"[\s,]*")
_HINT = "open it in Jupyter and save it again"


class NotebookExtractor:
    """Reads Jupyter notebooks."""

    name: ClassVar[str] = "notebook"
    suffixes: ClassVar[tuple[str, ...]] = (".ipynb",)
    hostile: ClassVar[bool] = False

    def recognises(self, document: Document) -> float:
        """Return certainty for JSON that has cells of a known type."""
        text = read_sample(document)
        begins = text.lstrip().startswith("{")
        return 0.98 if begins and _CELLS.search(text) and _KIND.search(text) else 0.0

    def extract(self, document: Document) -> Extraction:
        """Return the references of the Markdown cells; their places are the cells they are in."""
        decoded = decode(document, MAX_RUNNING)
        texts: list[str] = []
        places: list[Place] = []
        starts: list[int] = []  # line of the joined text in which each cell begins
        line = 1
        problems = list(decoded.problems)
        for start, end, text in _find_markdown_cells(decoded, problems):
            places.append(decoded.locate_span(start, end))
            starts.append(line)
            texts.append(text)
            line += text.count("\n") + 2
        joined = Document(document.name, "\n\n".join(texts).encode("utf-8", "replace"), document.beside)
        read = markdown.EXTRACTOR.extract(joined)

        def cell(place: Place) -> Place:
            if place.file != document.name or not places:
                return place  # it is in a bibliography next to the notebook
            return places[max(bisect_right(starts, place.line or 1) - 1, 0)]

        return replace(
            read,
            references=tuple(
                replace(reference, place=cell(reference.place)) for reference in read.references
            ),
            problems=(*problems, *(replace(problem, place=cell(problem.place)) for problem in read.problems)),
            format=self.name,
            about=replace(
                read.about,
                undefined=tuple(KeyPlace(place.key, cell(place.place)) for place in read.about.undefined),
            ),
        )


def _find_markdown_cells(decoded: DecodedText, problems: list[Problem]) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and text of each Markdown cell, up to one that is broken."""
    opening = _CELLS.search(decoded.text)
    decoder = json.JSONDecoder()
    at = opening.end() if opening else len(decoded.text)
    while (match := _BETWEEN.match(decoded.text, at)) and decoded.text.startswith("{", match.end()):
        at = match.end()
        try:
            cell, end = decoder.raw_decode(decoded.text, at)
        except (ValueError, RecursionError):
            message = "the notebook is broken in this cell; the rest is not read"
            problems.append(Problem(decoded.locate_span(at, at), message, _HINT, decoded.text[at : at + 200]))
            return
        source = cell.get("source", "")
        lines = source if isinstance(source, list) else [source]
        if cell.get("cell_type") == "markdown" and all(isinstance(line, str) for line in lines):
            yield at, end, "".join(lines)
        at = end


EXTRACTOR = NotebookExtractor()
