# ruff: noqa: INP001 - next to a script, not in a package
"""What the documentation says of the live sources: the tables over all of them, and the page of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from urllib.parse import urlsplit

from citeproof.evidence.sources import base
from citeproof.evidence.sources.base import LiveSource, SourceProfile
from citeproof.service.source_status import format_rate, read_page
from citeproof.vocabulary import Kind

# Whose address the question or the settings bring.
HOSTS = {"url": "the host of the cited address", "web": "your own server, or the model's"}


def _profiles() -> Iterator[tuple[str, SourceProfile]]:
    return ((name, base.find_source(name).profile) for name in base.list_sources())


def _linked(names: Iterable[str]) -> str:
    return (
        ", ".join(f"[{base.find_source(name).profile.title}](sources/{name}.md)" for name in names) or "none"
    )


def format_kinds_table() -> str:
    """Return a table: for each type of work, whose silence counts and who must have answered."""
    rows = ["| cited | silence counts of | must have answered |", "| --- | --- | --- |"]
    for kind in Kind:
        if kind is not Kind.PERSONAL_COMMUNICATION:
            covering = _linked(name for name, profile in _profiles() if kind in profile.covers)
            required = _linked(name for name, profile in _profiles() if kind in profile.required)
            word = "a type that could not be told" if kind is Kind.UNKNOWN else kind.value.replace("_", " ")
            rows.append(f"| {word} | {covering} | {required} |")
    return "\n".join(rows)


def format_identifiers_table() -> str:
    """Return a table: for each identifier, the source that knows all of them."""
    rows = ["| identifier | its own registry |", "| --- | --- |"]
    for scheme in sorted({scheme for _, profile in _profiles() for scheme in profile.authority}):
        owner = _linked(name for name, profile in _profiles() if scheme in profile.authority)
        rows.append(f"| `{scheme}` | {owner} |")
    return "\n".join(rows)


def format_sources_table() -> str:
    rows = [
        "| source | hosts | asked by | key | limit | asked by default |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name, profile in _profiles():
        asked = ", ".join(f"`{by}`" for by in sorted(base.find_source(name).answers))
        default = "yes" if profile.by_default else "no"
        key, limit = profile.key, format_rate(profile.rate)
        if profile.anonymous:
            limit += f" (without a contact address {format_rate(profile.anonymous)})"
        hosts = ", ".join(
            dict.fromkeys(
                urlsplit(url).netloc or HOSTS[name] for url in (profile.url, *profile.further.values())
            )
        )
        rows.append(
            f"| [{profile.title}]({name}.md) | {hosts or '–'} | {asked} | {key} | {limit} | {default} |"
        )
    return "\n".join(rows)


def format_source_page(source: type[LiveSource]) -> str:
    """Return the page of a source: its docstring, then what its profile states."""
    text = read_page(source)
    heading = "" if text.startswith("# ") else f"# {source.profile.title}\n\n"
    file = f"src/citeproof/evidence/sources/{source.name}.py"
    made = f"<!-- Made from {file} by docs/generate.py: change it there. -->"
    rows = ["| | |", "| --- | --- |", *(f"| {label} | {value} |" for label, value in _stated(source))]
    return "\n".join([f"{made}\n\n{heading}{text}\n\n## At a glance\n", *rows, ""])


def _stated(source: type[LiveSource]) -> Iterator[tuple[str, str]]:
    profile, name = source.profile, source.name
    yield "name in `--sources`", f"`{name}`"
    yield "asked by", _coded(source.answers)
    if profile.turns:
        yield "its turn", ", ".join(f"`{by}` {turn}" for by, turn in profile.turns.items())
    if profile.confirms:
        yield "second opinion on", _coded(profile.confirms)
    yield "tested with", "{} `{}`".format(*profile.probe)
    yield "silence on a title counts for", _coded(profile.covers)
    yield "must have answered for", _coded(profile.required)
    yield "its own identifiers", _coded(profile.authority)
    yield (
        "key",
        f"{profile.key}" if profile.key == "none" else f"{profile.key}: `CITEPROOF_{name.upper()}_KEY`",
    )
    yield from _limits(profile)
    if profile.url:
        yield "base URL", f"`{profile.url}`, replaced by `CITEPROOF_{name.upper()}_URL`"
    for other, url in profile.further.items():
        if other in profile.inner:
            yield "further URL", f"`{url}`; below `CITEPROOF_{name.upper()}_URL` when that is set"
            continue
        told = f"`{url}`, replaced by" if url else "none, set by"
        yield "further URL", f"{told} `CITEPROOF_{other.upper()}_URL`"
    yield "asked by default", "yes" if profile.by_default else "no, only when named in `--sources`"
    yield "author lists", "may be cut" if profile.truncates_authors else "whole"
    yield "licence", profile.licence or "–"


def _limits(profile: SourceProfile) -> Iterator[tuple[str, str]]:
    """Yield every rate that may hold."""
    known = "limit with a contact address" if profile.anonymous else "limit"
    yield known, format_rate(profile.rate)
    if profile.anonymous:
        yield "limit without one", format_rate(profile.anonymous)
    if profile.keyed_rate:
        yield "limit with a key", format_rate(profile.keyed_rate)
    for lane, rate in profile.lanes.items():
        yield f"of these, {lane}", format_rate(rate)
    if profile.budget:
        yield "budget", f"in {profile.budget}, as the server tells"


def _coded(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names)) or "–"
