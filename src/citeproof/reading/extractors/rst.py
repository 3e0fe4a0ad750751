"""reStructuredText, as Sphinx reads it: citations and footnotes (`.. [Key] …`), reference lists, links.

It is read as the Markdown that says the same (`rst_markup.py`). Keys of sphinxcontrib-bibtex are not
followed: the bibliography that they are from is named in Sphinx's own settings.
"""

from __future__ import annotations

from dataclasses import replace

from citeproof.reading.extractors.base import load_format_signs, read_sample
from citeproof.reading.extractors.decoded_text import MAX_RUNNING, decode
from citeproof.reading.extractors.markdown import read_markdown
from citeproof.reading.extractors.prose.fenced_references import read_fenced_references
from citeproof.reading.extractors.prose.rst_markup import render_markdown
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import Document, Extraction, Extractor, Problem

_SIGNS = load_format_signs("rst")
_BIBLIOGRAPHY = re.compile(r"^[ \t]{0,9}\.\. (?:foot)?bibliography::", re.MULTILINE)


def _recognise_rst(document: Document) -> float:
    """Return how many of its signs the content shows; one may be chance, unless the name says so too."""
    text = read_sample(document)
    signs = sum(bool(sign.search(text)) for sign in _SIGNS)
    named = bool(signs) and document.name.lower().endswith(EXTRACTOR.suffixes)
    return min(0.95, 0.29 + 0.16 * max(0, signs - 1) + 0.4 * named) if text.strip() else 0.0


def _extract_rst(document: Document) -> Extraction:
    """Return the references in the document's order."""
    decoded = decode(document, MAX_RUNNING)
    shown = render_markdown(decoded.text)
    read = read_markdown(document, replace(decoded, text=shown.markdown))
    coded, problems_in_code = read_fenced_references(decoded, read.references, shown.code)
    printed = [
        replace(reference, key=shown.labels.get(reference.place.line or 0, reference.key))
        for reference in read.references
    ]
    references = sorted([*printed, *coded], key=lambda reference: reference.place.start or 0)
    problems = (*read.problems, *problems_in_code)
    if (named := _BIBLIOGRAPHY.search(decoded.text)) and not references:
        place = decoded.locate_span(named.start(), named.end())
        hint = "check the .bib file that the Sphinx setting bibtex_bibfiles names"
        problems += (Problem(place, "the references are in a bibliography file", hint),)
    return replace(read, references=tuple(references), problems=problems, format=EXTRACTOR.name)


EXTRACTOR = Extractor("rst", (".rst", ".rest"), _recognise_rst, _extract_rst)
