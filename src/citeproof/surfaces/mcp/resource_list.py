"""The resources of the door: identifiers, styles, and what the words of an answer mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from mcp_types import Resource

from citeproof.service.citation_input import EXAMPLES
from citeproof.surfaces.mcp.tool_list import EXPORTS
from citeproof.surfaces.mcp.verdict_tools import format_explanations

_SCHEME = "citeproof://"
MARKDOWN = "text/markdown"
_LINE = "\n"


class _ResourceText(NamedTuple):
    title: str
    description: str
    write: Callable[[], str]


def _write_identifiers() -> str:
    names = {"who_iris": "WHO IRIS address", "ads": "NASA ADS bibcode", "arxiv": "arXiv number"}
    rows = [f"- {names.get(scheme, scheme.upper())}: `{example}`" for scheme, example in EXAMPLES.items()]
    return (
        "# Identifiers\n\n"
        "Prefixes (`PMID:`, `arXiv:`), addresses (`https://doi.org/...`) and hyphens are fine.\n"
        f"If a citation has several, they are looked up in this order:\n\n{_LINE.join(rows)}\n"
    )


def _write_styles() -> str:
    from citeproof.measure.rendering.cited_text import ALIASES, load_named_styles  # noqa: PLC0415 - few ask

    other = ", ".join(f"`{alias}` (`{name}`)" for alias, name in sorted(ALIASES.items()))
    rows = _LINE.join(f"- `{name}`" for name in sorted(load_named_styles()))
    return (
        "# Citation styles\n\nFor formatCitation, and exportCitation with the format `txt`:\n\n"
        f"{rows}\n\nAlso understood: {other}.\n\n"
        f"File formats of exportCitation: {', '.join(f'`{one}`' for one in EXPORTS)}.\n"
    )


def _write_verdicts() -> str:
    parts = {"Verdicts": "verdict", "Labels": "label", "States of claims": "status"}
    parts["Why something could not be checked"] = "cause"
    lines = ["# Verdicts", ""]
    for heading, kind in parts.items():
        lines += [f"## {heading}", "", *format_explanations(kind), ""]
    return "\n".join(lines)


def _write_reasons() -> str:
    lines = ["# Findings", "", *format_explanations("finding"), "", "# Reason codes", ""]
    return "\n".join([*lines, *format_explanations("reason"), ""])


RESOURCES: Mapping[str, _ResourceText] = {
    "identifiers": _ResourceText("Identifiers", "Which identifiers are understood.", _write_identifiers),
    "styles": _ResourceText("Citation styles", "Which styles and file formats there are.", _write_styles),
    "verdicts": _ResourceText("Verdicts", "What verdicts, labels and causes mean.", _write_verdicts),
    "reasons": _ResourceText("Reason codes", "What reason codes and findings mean.", _write_reasons),
}


def list_resources() -> list[Resource]:
    """Return every resource."""
    return [
        Resource(
            uri=f"{_SCHEME}{name}",
            name=name,
            title=one.title,
            description=one.description,
            mime_type=MARKDOWN,
        )
        for name, one in RESOURCES.items()
    ]


def read_resource(uri: str) -> str | None:
    """Return the text of a resource; None if there is none at this address."""
    found = RESOURCES.get(uri.removeprefix(_SCHEME).rstrip("/")) if uri.startswith(_SCHEME) else None
    return found.write() if found else None
