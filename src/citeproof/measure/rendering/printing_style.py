"""Which fields of a citation a style shows."""

from __future__ import annotations

from dataclasses import replace

from citeproof.measure.makers.citation_fields import CitationFields
from citeproof.vocabulary import Ids


class PrintingStyle:
    """What every style can tell by printing twice."""

    __slots__ = ()

    def render(self, cited: CitationFields, key: str = "") -> str:
        """Return the citation; empty if this style cannot print this work."""
        raise NotImplementedError

    def shows(self, field: str, cited: CitationFields) -> bool:
        """Return whether a field would be seen: one of `CitationFields`, or the scheme of an identifier."""
        return self.render(cited, "k") != self.render(clear_field(field, cited), "k")


def clear_field(field: str, cited: CitationFields) -> CitationFields:
    """Return the citation with that field, or the identifiers of that scheme, empty."""
    match field:
        case "people":
            return replace(cited, people=())
        case "year":
            return replace(cited, year=None)
        case "ids":
            return replace(cited, ids=Ids())
        case "title" | "venue" | "volume" | "issue" | "pages" | "publisher" | "url":
            return replace(cited, **{field: ""})  # type: ignore[arg-type]  # all of them are text
        case scheme:
            return replace(cited, ids=Ids(tuple(pair for pair in cited.ids.pairs if pair[0] != scheme)))
