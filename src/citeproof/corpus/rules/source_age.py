"""The age of sources: one that states when somebody last examined it should not have waited too long."""

from __future__ import annotations

from citeproof.corpus.document_check import DocumentCheck


def check(desk: DocumentCheck) -> None:
    """Note every cited source that was last examined longer ago than the layout allows.

    Of several that a citation may mean, the one that was examined last counts.
    """
    reported: set[str] = set()
    for mark, entries in desk.means.items():
        entry = max(entries, key=lambda examined: examined.verified, default=None)
        if entry is None or not entry.verified or entry.path in reported:
            continue
        reported.add(entry.path)
        if desk.asking.is_older(entry.verified):
            days = desk.asking.layout.stale_days
            message = f"{entry.path} was last reviewed on {entry.verified}, more than {days} days ago"
            fix = "Review the source and note the date in its front matter."
            desk.tell("stale-source", mark, message=message, fix=fix)
