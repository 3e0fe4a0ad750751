"""`formatCitation` and `exportCitation`: works by identifier, printed from their records."""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from citeproof.answers import serializers
from citeproof.answers.reporters import wording
from citeproof.answers.reporters.csv import defuse_formula
from citeproof.answers.serializers.bibliography import make_safe_key
from citeproof.service.identified_works import IdentifiedWork, build_record_fields
from citeproof.surfaces.mcp.tool_call import ToolAnswer, ToolCall
from citeproof.surfaces.mcp.tool_list import STYLE
from citeproof.surfaces.mcp.work_tools import ResolvedWorks, build_work_item, resolve_works
from citeproof.text import title as titles
from citeproof.text.names import make_family_key
from citeproof.vocabulary import Claimed, Kind

if TYPE_CHECKING:
    from citeproof.laboratory.measure.rendering.text_style import TextStyle

_COLUMNS = ("id", "type", "title", "authors", "year", "venue", "volume", "issue", "pages", "publisher", "doi")


async def format_citation(call: ToolCall) -> ToolAnswer:
    """Return entries of a reference list in one style."""
    from citeproof.laboratory.measure.rendering.cited_text import choose_style  # noqa: PLC0415 - few calls need it

    given = call.arguments
    style = choose_style(given.get("style") or STYLE, footnote=bool(given.get("footnote")))
    resolved = await resolve_works(call)
    output = given.get("output", "text")
    head: serializers.Json = {"formatter": "citeproof", "styleUsed": style.name}
    tail = {"errors": list(resolved.errors), "warnings": resolved.list_warnings()}
    if output == "json":
        return ToolAnswer({**head, "items": [build_work_item(work) for work in resolved.works], **tail})
    entries = print_entries(resolved, style)
    text = (
        ("<ol>" + "".join(f"<li>{html.escape(entry)}</li>" for entry in entries) + "</ol>")
        if output == "html"
        else "\n".join(entries)
    )
    return ToolAnswer({**head, output: text, **tail}, _append_warnings(text, resolved, output))


def print_entries(resolved: ResolvedWorks, style: TextStyle) -> list[str]:
    """Return each work in the style; one that the style cannot print is its title and identifier."""
    from citeproof.laboratory.measure.makers.citation_fields import cite_record  # noqa: PLC0415 - few calls need it
    from citeproof.laboratory.measure.rendering.cited_text import MAX_ENTRY  # noqa: PLC0415 - same

    return [
        wording.show_line(
            style.render(cite_record(work.record)) or f"{work.record.title}. {work.scheme}:{work.value}",
            MAX_ENTRY,
        )
        for work in resolved.works
        if work.record is not None
    ]


async def export_citation(call: ToolCall) -> ToolAnswer:
    """Return a bibliography file."""
    from citeproof.laboratory.measure.rendering.cited_text import choose_style  # noqa: PLC0415 - few calls need it

    given = call.arguments
    form = given["format"]
    style = choose_style(given.get("style") or STYLE)
    resolved = await resolve_works(call)
    if form == "txt":
        text = "".join(f"{entry}\n" for entry in print_entries(resolved, style))
    else:
        text = _EXPORTS[form](resolved.works)
    payload = {"format": form, "text": text, "errors": list(resolved.errors)}
    return ToolAnswer(payload | {"warnings": resolved.list_warnings()}, text)


def _append_warnings(text: str, resolved: ResolvedWorks, output: str) -> str:
    """Return the text with what is missing in it: a model that reads only this must know."""
    if output != "text" or not resolved.errors:
        return text
    return "\n".join([*([text] if text else []), "", "Not resolved:", *resolved.list_warnings()]).lstrip("\n")


def _list_cited(works: Sequence[IdentifiedWork]) -> Iterator[tuple[str, Kind, Claimed]]:
    """Yield key, kind and fields of each work; its key is family name, year and first word of the title."""
    taken = serializers.UniqueKeys()
    for work in works:
        assert work.record is not None
        fields = build_record_fields(work.record)
        family = make_family_key(fields.authors[0]) if fields.authors else ""
        words = titles.split_words(fields.title or "")
        first = next((word for word in words if len(word) > 3), words[0] if words else "")
        key = taken.make_unique(make_safe_key(f"{family}{fields.year or ''}{first}" or work.value))
        yield key, work.record.kind, fields


def _export_csv(works: Sequence[IdentifiedWork]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL)
    writer.writerow(_COLUMNS)
    for work, (_, kind, fields) in zip(works, _list_cited(works), strict=True):
        people = "; ".join(name.display for name in fields.authors)
        row = (
            f"{work.scheme}:{work.value}", kind.value, fields.title, people, fields.year, fields.venue,
            fields.volume, fields.issue, fields.pages, fields.publisher, fields.ids.first("doi"),
        )  # fmt: skip
        writer.writerow([defuse_formula(str(cell or "")) for cell in row])
    return out.getvalue()


_EXPORTS: Mapping[str, Callable[[Sequence[IdentifiedWork]], str]] = {
    "bib": lambda works: "\n".join(serializers.build_bibtex_entry(*c) + "\n" for c in _list_cited(works)),
    "ris": lambda works: "".join(serializers.build_ris_record(*c) + "\r\n" for c in _list_cited(works)),
    "csl": lambda works: (
        serializers.dump_pretty([serializers.build_csl_item(*cited) for cited in _list_cited(works)]) + "\n"
    ),
    "csv": _export_csv,
}
