"""A report to paste into a review or a pull request. Document text can form no markup in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import ClassVar
from urllib.parse import quote

from citeproof.reporters import words
from citeproof.vocabulary import Checked, Compared, Label, Run

_MARKUP = re.compile(r"([\\`*_\[\]|~#$!])")
_BARE_LINK = re.compile(r"(://|\bwww\.|@)", re.IGNORECASE)  # what readers turn into links by themselves


class Markdown:
    """A table of all references, then one section for each that is not EXACT."""

    name: ClassVar[str] = "markdown"

    def report(self, run: Run, checked: Iterable[Checked]) -> Iterator[str]:
        """Yield the report: the table as results come, the details after it."""
        tally, details = words.Tally(), []
        yield _head(run)
        for one in checked:
            tally.add(one)
            yield _row(one)
            if one.judgement.label is not Label.EXACT:
                details.append(_section(one))
        yield f"\n{escape(tally.sentence())}.\n"
        yield from details
        yield _problems(run)


def escape(text: str, limit: int = words.SHOWN) -> str:
    """Return `text` as one line that Markdown shows as it is: no markup, no HTML, no link."""
    text = _BARE_LINK.sub(_unlinked, words.line(text, limit).replace("&", "\0"))
    text = _MARKUP.sub(r"\\\1", text).replace("<", "&lt;").replace(">", "&gt;")
    return text.replace("\0", "&amp;").replace("\1", "&#").replace("\2", ";")


def _unlinked(found: re.Match[str]) -> str:
    # As character references: a backslash stops some readers from linking, these stop all.
    return "".join(f"\1{ord(c)}\2" if c in ":.@" else c for c in found[0])


def link(text: str, url: str) -> str:
    """Return a link when `url` is http or https, else only the text."""
    if not url.startswith(("https://", "http://")) or re.search(r"[\s<>\\\"()\[\]|`]", url):
        return escape(text)
    return f"[{escape(text)}]({url})"


def _head(run: Run) -> str:
    against = words.against(run)
    replaced = "".join(f"**{escape(text, 2000)}**\n\n" for text in words.overrides(run))
    return (
        f"# Citation report\n\nDocuments: {escape(', '.join(run.documents))}  \n"
        f"Checked against: {escape(against)}  \nStarted: {escape(run.started)}\n\n{replaced}"
        "| key | place | result | score | title |\n| --- | --- | --- | --- | --- |\n"
    )


def _row(checked: Checked) -> str:
    judgement = checked.judgement
    score = "" if judgement.score is None else f"{judgement.score:.1f}"
    cells = (checked.reference.key, words.where(checked.reference.place), words.headline(checked))
    return f"| {' | '.join(escape(cell) for cell in cells)} | {score} | {escape(words.title(checked))} |\n"


def _section(checked: Checked) -> str:
    judgement = checked.judgement
    score = words.score(checked)
    parts = [f"\n## {escape(checked.reference.key)}: {escape(words.headline(checked))}\n"]
    parts.append(f"{escape(judgement.explanation, 2000)}{f' ({score})' if score else ''}\n")
    if judgement.mismatches:
        parts.append("| field | claimed | found | reason |\n| --- | --- | --- | --- |")
        for m in judgement.mismatches:
            cells = (m.field, m.claimed, m.resolved, m.reason)
            parts.append(f"| {' | '.join(escape(cell) for cell in cells)} |")
        parts.append("")
    parts.append(f"Evidence: {_evidence(checked)}\n")
    if nearest := words.nearest(checked):
        parts.append(f"Nearest: {escape(nearest)}\n")
    return "\n".join(parts)


def _evidence(checked: Checked) -> str:
    matched = checked.judgement.matched
    if matched is None:
        return escape(words.evidence(checked))
    return _record(matched)


def _record(compared: Compared) -> str:
    doi = compared.record.ids.first("doi")
    named = escape(f"{compared.record.source} {compared.record.id}")
    return f"{named}, {link('doi:' + doi, 'https://doi.org/' + quote(doi, safe='/:;.'))}" if doi else named


def _problems(run: Run) -> str:
    if not run.problems and not words.completeness(run):
        return ""
    lines = [f"\n## Reading the documents\n\n{escape(words.completeness(run))}.\n"]
    for problem in run.problems:
        mend = f" Hint: {escape(problem.mend)}" if problem.mend else ""
        lines.append(f"- {escape(words.where(problem.place))}: {escape(problem.message)}.{mend}")
    return "\n".join(lines) + "\n"


make = Markdown
