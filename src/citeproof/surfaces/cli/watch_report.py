"""What `citeproof watch` prints: only what changed, as text, Markdown or JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citeproof.answers import serializers
from citeproof.answers.reporters import wording
from citeproof.answers.reporters.markdown import escape_markdown
from citeproof.service.library_changes import (
    UNCHECKED,
    LibraryComparison,
    LibraryNews,
    NewsKind,
    WatchedFinding,
    WatchedLibrary,
)
from citeproof.vocabulary import Label, Place

SCHEMA = "citeproof/watch-report/1"
_MOST_KEYS = 10  # that the first report names for a finding


@dataclass(frozen=True, slots=True)
class WatchedResult:
    """One library as it was compared; `since` is the time of its earlier report, empty on the first run."""

    library: str
    state: str
    since: str
    comparison: LibraryComparison

    def json(self) -> serializers.Json:
        """Return it for programs."""
        kept = self.comparison.kept
        return {
            "library": self.library,
            "state": self.state,
            "since": self.since or None,
            "checked": kept.checked,
            "first": not self.since,
            "references": len(kept.references),
            "labels": _count_labels(kept),
            "not_today": self.comparison.not_today,
            "changes": [news.json() for news in self.comparison.news],
        }


def format_results(results: Sequence[WatchedResult], form: str) -> Iterator[str]:
    """Yield the report in pieces; none where nothing changed, but for JSON."""
    if form == "json":
        whole = {"schema": SCHEMA, "citeproof": serializers.get_version()}
        yield serializers.dump_pretty({**whole, "libraries": [result.json() for result in results]}) + "\n"
        return
    write = _format_markdown if form == "md" else _format_text
    for result in results:
        if not result.since or result.comparison.news:
            yield from write(result)


def _format_text(result: WatchedResult) -> Iterator[str]:
    yield f"{wording.show_line(result.library)}: {_describe_head(result)}\n"
    for line in _describe_first(result) if not result.since else ():
        yield f"  {line}\n"
    for news in result.comparison.news:
        title = f"  {wording.show_line(news.title, 100)}" if news.title else ""
        yield f"  {'✗' if news.fails else '•'} {wording.show_line(news.key, 200)}{title}\n"
        yield f"      {_describe_news(news)}\n"
        if news.file:
            yield f"      {wording.format_place(Place(news.file, news.line))}\n"


def _format_markdown(result: WatchedResult) -> Iterator[str]:
    yield f"## {escape_markdown(result.library)}\n\n{escape_markdown(_describe_head(result))}\n\n"
    for line in _describe_first(result) if not result.since else ():
        yield f"- {escape_markdown(line, 2000)}\n"
    if result.comparison.news:
        yield "| | key | title | what changed |\n| --- | --- | --- | --- |\n"
    for news in result.comparison.news:
        cells = (news.key, wording.show_line(news.title, 160), _describe_news(news))
        row = " | ".join(escape_markdown(cell, 2000) for cell in cells)
        yield f"| {'❌' if news.fails else 'ℹ️'} | {row} |\n"
    yield "\n"


def _describe_head(result: WatchedResult) -> str:
    if result.since:
        count = wording.format_count(len(result.comparison.news), "change")
        return f"{count} since {result.since}"
    counts = _count_labels(result.comparison.kept)
    total = wording.format_count(sum(counts.values()), "reference")
    each = ", ".join(f"{count:,} {name.lower()}" for name, count in counts.items() if count)
    return f"first report stored: {total}" + (f" ({each})" if each else "")


def _describe_first(result: WatchedResult) -> Iterator[str]:
    """Yield what a first report already has: nothing of it is news later."""
    kept = result.comparison.kept
    named: dict[str, list[str]] = {}
    for reference in kept.references:
        for finding in reference.findings:
            named.setdefault(_name_finding(finding), []).append(reference.key)
    for finding in kept.findings:
        named.setdefault(_name_finding(finding), []).append(", ".join(finding.keys[:_MOST_KEYS]))
    for name, keys in named.items():
        more = f" and {len(keys) - _MOST_KEYS:,} more" if len(keys) > _MOST_KEYS else ""
        yield wording.show_line(f"{name}: {', '.join(keys[:_MOST_KEYS])}{more}", 2000)
    yield wording.show_line(f"kept in {result.state}", 2000)


def _name_finding(finding: WatchedFinding) -> str:
    words = finding.name if finding.kind in ("", finding.name) else f"{finding.name} ({finding.kind})"
    return words.replace("_", " ")


def _describe_news(news: LibraryNews) -> str:
    """Return what changed, on one line."""
    source = f" ({news.source})" if news.source else ""
    detail = f". {news.detail}" if news.detail else ""
    former = f"; its key was {news.former_key}" if news.former_key else ""
    match news.kind:
        case NewsKind.FINDING:
            change = f"{news.check.replace('_', ' ')}: {news.detail}{source}"
        case NewsKind.CLEARED:
            change = f"no longer reported: {news.before.replace('_', ' ')}"
        case NewsKind.FOUND:
            change = f"found now: {news.after}{detail}"
        case NewsKind.LABEL:
            change = f"was {_name_label(news.before)}, is now {_name_label(news.after)}{detail}"
        case NewsKind.ADDED:
            change = f"added: {_name_label(news.after)}{detail if news.fails else ''}"
        case NewsKind.REMOVED:
            change = "removed from the library"
    return wording.show_line(change + former, 2000)


def _name_label(label: str) -> str:
    return "not checked" if label == UNCHECKED else label.replace("_", " ")


def _count_labels(kept: WatchedLibrary) -> dict[str, int]:
    counts = dict.fromkeys([label.value for label in Label] + [UNCHECKED], 0)
    for reference in kept.references:
        counts[reference.label] = counts.get(reference.label, 0) + 1
    return counts
