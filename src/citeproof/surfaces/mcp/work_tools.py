"""Tools about works named by identifiers: resolved, checked for notices and free copies, printed."""

from __future__ import annotations

import asyncio
import csv
import html
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from citeproof.answers import serializers
from citeproof.answers.reporters import wording
from citeproof.answers.reporters.csv import defuse_formula
from citeproof.answers.serializers import Json
from citeproof.answers.serializers.bibliography import make_safe_key
from citeproof.errors import UsageError
from citeproof.service.identified_works import (
    IdentifiedWork,
    build_record_fields,
    build_retraction_json,
    describe_failure,
    look_up_work,
    recognise_identifier,
    split_identifiers,
)
from citeproof.service.open_access import build_open_access_json, find_open_access
from citeproof.surfaces.mcp.tool_call import ToolAnswer, ToolCall
from citeproof.surfaces.mcp.tool_list import STYLE
from citeproof.text import title as titles
from citeproof.text.names import make_family_key
from citeproof.verifier import ReferenceVerifier
from citeproof.vocabulary import Claimed, Kind

if TYPE_CHECKING:
    from citeproof.laboratory.measure.rendering.text_style import TextStyle

MAX_WORKS = 50  # identifiers in one call


@dataclass(frozen=True, slots=True)
class ResolvedWorks:
    """The works that a list of identifiers names, and what could not be resolved."""

    works: tuple[IdentifiedWork, ...]
    errors: tuple[Json, ...]

    def list_warnings(self) -> list[str]:
        """Return a line for each identifier without a record."""
        return [f"{error['id']}: {error['reason']}: {error['message']}" for error in self.errors]


async def resolve_works(call: ToolCall) -> ResolvedWorks:
    """Return the works of the argument `text`, in its order."""
    parts = split_identifiers(str(call.arguments["text"]))
    if not 0 < len(parts) <= MAX_WORKS:
        hint = f"give between 1 and {MAX_WORKS} identifiers"
        raise UsageError(f"holds {len(parts)} identifiers", place="text", hint=hint)
    errors: list[Json] = []
    named: list[tuple[str, str, str]] = []
    for part in parts:
        try:
            named.append((part, *recognise_identifier(part)))
        except UsageError as error:
            errors.append({"id": part, "reason": "malformed", "message": error.message})

    async def look_up(engine: ReferenceVerifier) -> list[IdentifiedWork]:
        asked = (look_up_work(engine, scheme, value) for _, scheme, value in named)
        return list(await asyncio.gather(*asked))

    works = await call.desk.pool.run("verify", look_up) if named else []
    for (part, _, _), work in zip(named, works, strict=True):
        if work.record is None:
            reason, message = describe_failure(work)
            errors.append({"id": part, "reason": reason, "message": message})
    return ResolvedWorks(tuple(work for work in works if work.record is not None), tuple(errors))


async def resolve_identifier(call: ToolCall) -> ToolAnswer:
    """Return the metadata of works as CSL-JSON items."""
    resolved = await resolve_works(call)
    items = [build_work_item(work) for work in resolved.works]
    return ToolAnswer({"items": items, "errors": list(resolved.errors)})


def build_work_item(work: IdentifiedWork) -> Json:
    """Return the CSL-JSON item of a work, with the source of its record."""
    assert work.record is not None
    fields = build_record_fields(work.record)
    item = serializers.build_csl_item(f"{work.scheme}:{work.value}", work.record.kind, fields)
    return item | {"source": work.record.source}


async def check_retraction(call: ToolCall) -> ToolAnswer:
    """Return whether a work was retracted, corrected or doubted."""
    return ToolAnswer(build_retraction_json(await _look_up_one(call)))


async def check_open_access(call: ToolCall) -> ToolAnswer:
    """Return where a work can be read for free."""
    work = await _look_up_one(call)
    answer: Json = {"doi": work.doi}
    if work.scheme != "doi":
        answer["resolvedFrom"] = {"type": work.scheme, "value": work.value}
    settings, record = call.desk.pool.settings, work.record
    access = await find_open_access(settings, work.doi, record)
    if result := build_open_access_json(access, record.title if record else None):
        return ToolAnswer(answer | {"result": result})
    if work.doi is None and record is not None:
        return ToolAnswer(answer | {"reason": "no_doi", "result": None})
    reason, message = describe_failure(work) if record is None else ("unchecked", "")
    detail = "; ".join(part for part in (message, *access.reasons) if part)
    return ToolAnswer(answer | {"reason": reason, "detail": detail, "result": None})


async def _look_up_one(call: ToolCall) -> IdentifiedWork:
    scheme, value = recognise_identifier(str(call.arguments["id"]))

    async def look_up(engine: ReferenceVerifier) -> IdentifiedWork:
        return await look_up_work(engine, scheme, value)

    return await call.desk.pool.run("verify", look_up)


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
