"""Works named by an identifier alone: which one it is, what its record says, and whether it still stands."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from citeproof.answers.serializers import Json
from citeproof.errors import UsageError
from citeproof.judgement.checks.evidence.work_notices import (
    RETRACTIONS,
    WORDS,
    StatedNotice,
    WorkEvidence,
    collect_notices,
)
from citeproof.text import arxiv, ids
from citeproof.text import lazy_patterns as re
from citeproof.verifier import ReferenceVerifier
from citeproof.vocabulary import (
    Checked,
    Claimed,
    FieldOrigin,
    FindingState,
    Ids,
    Kind,
    NoticeKind,
    Origin,
    Place,
    RawReference,
    Record,
    Verdict,
    Version,
)
from citeproof.vocabulary.quick_dataclass import dataclass

MAX_ID = 500  # characters of one identifier
_PREFIXED = re.compile(
    r"(doi|pmid|pmcid|arxiv|ads|bibcode|isbn|issn)(?:-1[03])?\s{0,3}:?\s{0,3}(\S.{0,499})", re.IGNORECASE
)
_SCHEMES = {"bibcode": "ads"}
_ADDRESS = re.compile(r"https?://\S+", re.IGNORECASE)
_DOI = re.compile(r"(?:(?:dx\.|www\.)?doi\.org/)?10\.\d{4,9}(?:\.\d{1,9}){0,4}/\S+", re.IGNORECASE)
_PMCID = re.compile(r"PMC\d{1,8}", re.IGNORECASE)
_ISSN = re.compile(r"\d{4}-\d{3}[\dX]", re.IGNORECASE)
_PMID = re.compile(r"\d{1,8}")
# A DOI may hold a comma: it parts two identifiers before a space, or where the next one plainly begins.
_BETWEEN = re.compile(r"\s*\n\s*|[,;]\s+|[,;](?=10\.\d|pmid|pmc|arxiv|isbn|issn|doi:|https?:)", re.IGNORECASE)
EXAMPLE = "10.1038/nature14539, PMID:26017442, PMC1234567, arXiv:1706.03762 or ISBN 978-0-262-03561-3"
_TYPES = {  # of notices, in the words of programs that ask for them
    **dict.fromkeys(RETRACTIONS, "retraction"),
    NoticeKind.EXPRESSION_OF_CONCERN: "expression-of-concern",
}
_WHOLE = frozenset(RETRACTIONS) - {NoticeKind.PARTIAL}


@dataclass(frozen=True, slots=True)
class IdentifiedWork:
    """An identifier, and what was found under it."""

    scheme: str
    value: str
    checked: Checked

    @property
    def record(self) -> Record | None:
        """The work's record; None if there is none, or no source could say."""
        matched = self.checked.judgement.matched
        return matched.record if matched and self.checked.verdict is Verdict.MATCHED else None

    @property
    def doi(self) -> str | None:
        """The work's DOI, of the identifier itself or of the record."""
        if self.scheme == "doi":
            return self.value
        recorded = self.record.ids.first("doi") if self.record else None
        return recorded or (f"10.48550/arxiv.{self.value}" if self.scheme == "arxiv" else None)


def split_identifiers(text: str) -> list[str]:
    """Return the identifiers of a list, separated by line breaks or commas."""
    parts = (part.strip(" \t\r,;") for part in _BETWEEN.split(text.strip()))
    return [part for part in parts if part]


def recognise_identifier(given: str) -> tuple[str, str]:
    """Return the scheme of an identifier and its plain form; UsageError if it is none."""
    plain = given.strip()
    if len(plain) > MAX_ID:
        hint = "give one identifier alone"
        raise UsageError(f"has {len(plain)} characters, at most {MAX_ID} are read", place="id", hint=hint)
    if match := _PREFIXED.fullmatch(plain):
        scheme = match[1].lower()
        if value := ids.normalise_id(_SCHEMES.get(scheme, scheme), match[2]):
            return _SCHEMES.get(scheme, scheme), value
    if _ADDRESS.fullmatch(plain) and (named := ids.identify_url(plain)):
        return named[0]
    for scheme, fits in _PLAIN_FORMS:
        if fits(plain) and (value := ids.normalise_id(scheme, plain)):
            return scheme, value
    raise UsageError(f"{plain[:80]!r} is not an identifier", place="id", hint=f"write it like {EXAMPLE}")


def _fits_arxiv(plain: str) -> bool:
    number = ids.normalise_id("arxiv", plain)
    return number is not None and arxiv.is_plausible(number)


_PLAIN_FORMS: tuple[tuple[str, Callable[[str], object]], ...] = (
    ("doi", _DOI.fullmatch),
    ("pmcid", _PMCID.fullmatch),
    ("arxiv", _fits_arxiv),
    ("ads", ids.normalise_ads),
    ("issn", _ISSN.fullmatch),
    ("pmid", _PMID.fullmatch),
    ("isbn", str.strip),
)


async def look_up_work(engine: ReferenceVerifier, scheme: str, value: str) -> IdentifiedWork:
    """Return what the sources have under an identifier."""
    kind = Kind.BOOK if scheme == "isbn" else Kind.UNKNOWN
    claimed = Claimed(ids=Ids(((scheme, value),)), origins=(FieldOrigin(scheme, Origin.STRUCTURED, 1.0),))
    raw = RawReference(value, f"{scheme}:{value}", Place(), kind, claimed=claimed)
    return IdentifiedWork(scheme, value, await engine.verify_one(raw))


def describe_failure(work: IdentifiedWork) -> tuple[str, str]:
    """Return why there is no record: `not_found` or `unchecked`, and the judgement in words."""
    absent = work.checked.verdict is Verdict.NOT_FOUND
    return ("not_found" if absent else "unchecked"), work.checked.explanation


def build_retraction_json(work: IdentifiedWork) -> Json:
    """Return whether a work was retracted, corrected or doubted; `result` is null where no source can say."""
    answer: Json = {"doi": work.doi}
    if work.scheme != "doi":
        answer["resolvedFrom"] = {"type": work.scheme, "value": work.value}
    if work.scheme in ("isbn", "issn") and work.doi is None:
        return answer | {"doi": None, "reason": "no_doi", "result": None}
    standing = build_standing_json(work.checked)
    if standing["checked"]:
        title = work.record.title if work.record else None
        names = ("isRetracted", "hasCorrections", "hasConcern", "notices")
        return answer | {"result": {**{name: standing[name] for name in names}, "title": title}}
    reason, detail = describe_failure(work)
    if work.record is not None or reason == "unchecked":
        reason, detail = "unchecked", str(standing.get("detail") or detail)
    return answer | {"reason": reason, "detail": detail, "result": None}


def build_standing_json(checked: Checked) -> Json:
    """Return the notices about a cited work. Without `checked`, that there is none means nothing."""
    judged = (checked.reference, checked.judgement, checked.compared)
    stated = collect_notices(WorkEvidence(*judged, checked.listed, checked.day)).stated
    kinds = {each.notice.kind for each in stated}
    retracted = next((finding for finding in checked.findings if finding.name == "retracted"), None)
    known = retracted is not None and retracted.state is not FindingState.UNCHECKED
    matched = checked.judgement.matched
    own = checked.reference.claimed.ids.first("doi")
    answer: Json = {
        "checked": known or bool(stated),
        "doi": (matched.record.ids.first("doi") if matched else None) or own,
        "isRetracted": bool(kinds & _WHOLE),
        "hasCorrections": bool(kinds & {NoticeKind.CORRECTED, NoticeKind.PARTIAL}),
        "hasConcern": NoticeKind.EXPRESSION_OF_CONCERN in kinds,
        "notices": _list_notices(stated),
    }
    if not answer["checked"]:
        detail = retracted.detail if retracted else ""
        answer["detail"] = detail or "no list of retractions is installed: run `citeproof lists update`"
    return answer


def _list_notices(stated: Sequence[StatedNotice]) -> list[Json]:
    """Return the notices, each event once: that of a list has a date and is taken."""
    events: dict[NoticeKind, StatedNotice] = {}
    for each in sorted(stated, key=lambda each: not each.listed):
        events.setdefault(each.notice.kind, each)
    return [
        {
            "type": _TYPES.get(kind, "correction"),
            "label": WORDS[kind],
            "doi": each.notice.doi or None,
            "date": each.notice.day or None,
            "source": each.source,
        }
        for kind, each in events.items()
    ]


def build_record_fields(record: Record) -> Claimed:
    """Return a record as one would cite it: its first appearance, with its identifiers."""
    first = record.versions[0] if record.versions else Version()
    return Claimed(
        title=record.title or None,
        authors=record.authors,
        et_al=not record.authors_complete,
        year=first.year,
        venue=first.venue,
        volume=first.volume,
        issue=first.issue,
        pages=first.pages,
        publisher=record.publisher,
        ids=record.ids,
    )
