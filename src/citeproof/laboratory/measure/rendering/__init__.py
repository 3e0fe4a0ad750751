"""Citations printed from their fields, in the styles and habits that people cite in.

A style is deterministic: the same fields give the same text, so a true and a spoiled citation that are
printed in one style differ only where their fields do. Nothing here may import `compare` or `judge`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol, assert_never

from citeproof.laboratory.measure.makers.benchmark_items import CitationFields, Form
from citeproof.laboratory.measure.rendering.csl_style import load_csl_styles
from citeproof.laboratory.measure.rendering.rendered_entry import load_bibtex_styles
from citeproof.laboratory.measure.rendering.text_style import list_link_styles, load_text_styles

__all__ = ["CitationStyle", "Form", "load_styles"]


class CitationStyle(Protocol):
    """A way to print a citation."""

    @property
    def name(self) -> str:
        """Return the style's name: "apa", "csl:ieee", "bibtex:dblp", "link:families" …"""
        ...

    @property
    def form(self) -> Form:
        """Return what it prints: a link, a line of a reference list, or a BibTeX entry."""
        ...

    def render(self, cited: CitationFields, key: str = "") -> str:
        """Return the citation; empty if this style cannot print this work, and another one should."""
        ...


def load_styles(form: Form, folder: Path | None = None) -> tuple[CitationStyle, ...]:
    """Return all styles of a form; `folder` adds its *.csl files to those of the form "text"."""
    match form:
        case "link":
            return list_link_styles()
        case "text":
            return (*load_text_styles(), *(load_csl_styles(folder) if folder else ()))
        case "bibtex":
            return load_bibtex_styles()
        case _:
            assert_never(form)
