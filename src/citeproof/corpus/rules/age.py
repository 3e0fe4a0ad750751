"""The age of sources: one that states when somebody last looked at it should not have waited too long."""

from __future__ import annotations

from datetime import date

from citeproof.corpus.desk import Desk


def check(desk: Desk) -> None:
    """Note every cited source that was last looked at longer ago than the layout allows."""
    told: set[str] = set()
    for mark, entries in desk.means.items():
        for entry in entries:
            if not entry.verified or entry.path in told:
                continue
            told.add(entry.path)
            days = _days(entry.verified, desk.asking.day())
            if days > desk.asking.layout.stale_days:
                desk.tell(
                    "stale-source",
                    mark.span,
                    mark.sentence,
                    source=mark.raw,
                    message=f"{entry.path} was last looked at {days} days ago, on {entry.verified}",
                    fix="Look at the source again and note the date in its front matter.",
                )


def _days(then: str, now: str) -> int:
    try:
        return (date.fromisoformat(now[:10]) - date.fromisoformat(then[:10])).days
    except ValueError:
        return 0
