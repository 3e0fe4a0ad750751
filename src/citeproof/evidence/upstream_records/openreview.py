"""One note of OpenReview, of either API version, to a record.

Fields of `content` are `{"value": …}` in version 2 and plain in version 1; dates are milliseconds. The id is
the forum's. What was submitted and not accepted is a preprint; what was withdrawn is marked so.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

from citeproof.evidence.upstream_records import json_fields
from citeproof.text import dates, names
from citeproof.vocabulary import Ids, Kind, Name, Record, Version

_TRACK = re.compile(
    r"\s{1,3}(?:conference\s{1,3})?(?:(?:desk )?rejected|withdrawn|blind|workshop)?\s{0,3}"
    r"(?:poster|oral|spotlight|talk|notable top \d{1,2}%|top-\d{1,2}%|submission|accept|reject)"
    r"(?:\s.{0,40})?\Z",
    re.IGNORECASE,
)
_STATE = re.compile(r"\A(?:submitted to|submission to|accepted (?:by|at|to))\s{1,3}", re.IGNORECASE)
_REFUSED = re.compile(r"\b(?:submitted|submission|rejected?|desk|withdrawn)\b", re.IGNORECASE)
_WITHDRAWN = re.compile(r"\bwithdrawn\b", re.IGNORECASE)
_PREPRINT = re.compile(r"\A(?:corr|arxiv)(?![a-z])", re.IGNORECASE)
_GLUED = re.compile(r"(?<=[A-Za-z])(?=\d{4}\Z)")  # "CoRR2018", as some imports have it


def is_work(note: dict[str, object]) -> bool:
    """Return whether a note is a submission, not a review or comment in the forum of one."""
    forum = note.get("forum")
    return not note.get("replyto") and (not isinstance(forum, str) or forum == note.get("id"))


def make_record(note: dict[str, object]) -> Record | None:
    """Return the record of a note; None without an id and a title."""
    content = {
        name: value.get("value") if isinstance(value, dict) else value
        for name, value in json_fields.read_table(note.get("content")).items()
    }
    own = json_fields.make_id_pairs("openreview", [note.get("id")])
    titles, marks = json_fields.split_retraction_mark(json_fields.list_titles(content.get("title")))
    if not own or not titles:
        return None
    venue, venue_id = (json_fields.read_text(content.get(name)) for name in ("venue", "venueid"))
    refused = _REFUSED.search(venue) or _REFUSED.search(venue_id.replace("_", " "))
    kind = Kind.PREPRINT if not venue or refused or _PREPRINT.match(venue) else Kind.ARTICLE
    withdrawn = ("withdrawn",) if _WITHDRAWN.search(f"{venue} {venue_id.replace('_', ' ')}") else ()
    return Record(
        source="",
        id=own[0][1],
        titles=titles,
        authors=_read_authors(content.get("authors")),
        versions=_read_versions(note, venue, venue_id, kind),
        kind=kind,
        ids=Ids((*own, *json_fields.make_id_pairs("doi", [content.get("doi")]))),
        marks=tuple(dict.fromkeys((*marks, *withdrawn))),
    )


def _read_authors(listed: object) -> tuple[Name, ...]:
    """Return the authors; a list of objects has the name in `fullname`. "Anonymous" is no one."""
    authors = listed[: json_fields.MAX_ROWS] if isinstance(listed, list) else []
    spelt = [author.get("fullname") if isinstance(author, dict) else author for author in authors]
    people = json_fields.parse_people(name[: names.MAX_NAME] for name in spelt if isinstance(name, str))
    return tuple(name for name in people if not name.display.lower().startswith("anonymous"))


def _read_versions(note: dict[str, object], venue: str, venue_id: str, kind: Kind) -> tuple[Version, ...]:
    """Return the appearance at the venue, then the submission itself where its year is another."""
    name = _GLUED.sub(" ", _TRACK.sub("", _STATE.sub("", venue)).strip())
    year = dates.find_year(name) or dates.find_year(venue_id.replace("/", " "))
    dated = (_read_year(note.get(name)) for name in ("pdate", "cdate", "tcdate"))
    submitted = next(filter(None, dated), None)
    first = Version(year or submitted, name or "OpenReview", kind)
    if submitted is None or submitted == first.year:
        return (first,)
    return (first, Version(submitted, "OpenReview", Kind.PREPRINT))


def _read_year(milliseconds: object) -> int | None:
    if not isinstance(milliseconds, int) or not 0 < milliseconds < 4_000_000_000_000:
        return None
    return datetime.fromtimestamp(milliseconds / 1000, UTC).year
