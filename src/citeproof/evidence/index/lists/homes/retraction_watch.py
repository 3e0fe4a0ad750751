"""Retraction Watch: retractions, expressions of concern, corrections and reinstatements.

Its CSV has quirks: a trailing empty column; dates as `M/D/YYYY 0:00`; lists with `;`; reasons that begin
with `+`; `unavailable` for no DOI and `0` for no PubMed number. Column names in small letters and lists as
`['+a' '+b']`, as in copies of it, are read too. A work is named by its *original* DOI: that of the notice
names the notice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from citeproof.evidence.index.lists.list_home import ListForm, ListHome
from citeproof.evidence.index.lists.list_tables import read_day, read_table
from citeproof.evidence.index.lists.notice_rows import ListedNotice
from citeproof.text import doi, ids, names
from citeproof.text import lazy_patterns as re
from citeproof.text.title import make_title_key, strip_notice
from citeproof.vocabulary import NoticeKind

NEEDED = frozenset({"originalpaperdoi", "retractionnature", "retractiondate"})
MOST_REASONS, MOST_AUTHORS = 12, 30
_REASON = re.compile(r"\+([^;'\"\]+]{2,100})")
_NATURES = {
    "retraction": NoticeKind.RETRACTED,
    "partial retraction": NoticeKind.PARTIAL,
    "withdrawal": NoticeKind.WITHDRAWN,
    "removal": NoticeKind.REMOVED,
    "expression of concern": NoticeKind.EXPRESSION_OF_CONCERN,
    "correction": NoticeKind.CORRECTED,
    "reinstatement": NoticeKind.REINSTATED,
}
_REFINED = (  # of a retraction: what its reasons say it was; the first that fits
    (re.compile(r"retract and replace", re.IGNORECASE), NoticeKind.REPLACED),
    (re.compile(r"partial retraction", re.IGNORECASE), NoticeKind.PARTIAL),
    (re.compile(r"^(?:temporary )?removed$|^temporary removal$", re.IGNORECASE), NoticeKind.REMOVED),
    (re.compile(r"^withdraw", re.IGNORECASE), NoticeKind.WITHDRAWN),
)
_VERSION = re.compile(r"\.pub\d{1,2}$")  # Cochrane gives each version of a review a DOI of its own
_LIFTED = re.compile(r"\bEOC lifted\b", re.IGNORECASE)


def read_retraction_csv(data: bytes, place: str) -> Iterator[ListedNotice]:
    """Yield the notices of the file; UsageError if it is another kind of file, or ends in the middle."""
    for row in read_table(data, place, "Retraction Watch", NEEDED):
        if notice := _read_row(row):
            yield notice


def _read_row(row: Mapping[str, str]) -> ListedNotice | None:
    """Return the notice of a row; None without a nature that is known, or without a work."""
    reasons = tuple(dict.fromkeys(reason.strip() for reason in _REASON.findall(row.get("reason", ""))))
    kind = _read_kind(row["retractionnature"], reasons)
    notice = doi.normalise(row.get("retractiondoi", "")) or ""
    title = make_title_key(strip_notice(row.get("title", "")))
    work = doi.normalise(row["originalpaperdoi"]) or ""
    number = ids.normalise_id("pmid", row.get("originalpaperpubmedid", "")) or ""
    if kind is None or not (work or number or title):
        return None
    if kind is NoticeKind.REPLACED and (
        work != notice and _VERSION.sub("", work) == _VERSION.sub("", notice)
    ):
        kind = NoticeKind.RETRACTED  # the corrected version has another DOI; this one is the retracted
    people = [names.parse(author.strip()[:200]) for author in row.get("author", "").split(";")[:MOST_AUTHORS]]
    return ListedNotice(
        kind.value,
        read_day(row["retractiondate"]),
        work,
        number,
        title[:400],
        int(read_day(row.get("originalpaperdate", ""))[:4] or 0),
        notice,
        tuple(key for name in people if (key := make_title_key(name.family))),
        reasons[:MOST_REASONS],
    )


def _read_kind(nature: str, reasons: tuple[str, ...]) -> NoticeKind | None:
    kind = _NATURES.get(nature.strip().lower())
    if kind is NoticeKind.RETRACTED:
        fitting = (refined for form, refined in _REFINED if any(form.search(reason) for reason in reasons))
        return next(fitting, kind)
    if kind is NoticeKind.EXPRESSION_OF_CONCERN and any(map(_LIFTED.search, reasons)):
        return NoticeKind.REINSTATED
    return kind


LISTS = (
    ListHome(
        name="retraction_watch",
        title="Retraction Watch",
        url="https://gitlab.com/crossref/retraction-watch-data/-/raw/main/retraction_watch.csv",
        licence="CC BY 4.0; cite The Retraction Watch Database (Crossref)",
        form=ListForm.NOTICES,
        read=read_retraction_csv,
        recognises=lambda _name, start: "retractionnature" in start.lower().replace(" ", ""),
        about="retractions, concerns, corrections, reinstatements",
        days=7,  # the setting retraction_list_days
        optional=False,
    ),
)
