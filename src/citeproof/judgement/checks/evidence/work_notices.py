"""What lists, records and titles say about the standing of one work, each thing once and still in force.

1. Lists say it with a date, records with a mark, registries with "RETRACTED:" before a title.
2. A reinstatement cancels what was said before it; a later notice holds again.
3. One event that several report is one notice: that of a list is taken, since it has a date and reasons.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from citeproof.text.url import get_host
from citeproof.vocabulary import (
    Compared,
    Finding,
    FindingLevel,
    FindingState,
    Judgement,
    ListAnswer,
    ListQuestion,
    Notice,
    NoticeKind,
    Record,
    Reference,
    Verdict,
)

MARKS = {  # of records
    "retracted": NoticeKind.RETRACTED,
    "withdrawn": NoticeKind.WITHDRAWN,
    "removed": NoticeKind.REMOVED,
    "partial_retraction": NoticeKind.PARTIAL,
    "expression_of_concern": NoticeKind.EXPRESSION_OF_CONCERN,
    "corrected": NoticeKind.CORRECTED,
}
REGISTRIES = "registries"  # in the place of a list: they were asked, and none could say
WORDS = {
    NoticeKind.RETRACTED: "the work was retracted",
    NoticeKind.PARTIAL: "a part of the work was retracted",
    NoticeKind.WITHDRAWN: "the work was withdrawn",
    NoticeKind.REMOVED: "the work was removed by its publisher",
    NoticeKind.REPLACED: "the work was retracted and replaced by a corrected version",
    NoticeKind.EXPRESSION_OF_CONCERN: "its publisher has expressed concern about the work",
    NoticeKind.CORRECTED: "the work was corrected",
    NoticeKind.REINSTATED: "the work was reinstated; earlier notices no longer hold",
}
RETRACTIONS = (  # the first that is stated is the word for all of them
    NoticeKind.REPLACED,
    NoticeKind.WITHDRAWN,
    NoticeKind.REMOVED,
    NoticeKind.RETRACTED,
    NoticeKind.PARTIAL,
)
_CANCELLED = frozenset((*RETRACTIONS, NoticeKind.EXPRESSION_OF_CONCERN))
_LEVELS = {  # the others are warnings
    NoticeKind.RETRACTED: FindingLevel.BLOCKING,
    NoticeKind.WITHDRAWN: FindingLevel.BLOCKING,
    NoticeKind.REMOVED: FindingLevel.BLOCKING,
    NoticeKind.CORRECTED: FindingLevel.NOTE,
    NoticeKind.REINSTATED: FindingLevel.NOTE,
}
_REASONS = 3  # that are shown
_IDENTIFYING = frozenset({"doi", "arxiv", "pmid"})
_VERSIONS = 4  # of a record whose venues are looked up
_RESOLVERS = frozenset({"doi.org", "dx.doi.org", "hdl.handle.net"})  # say nothing about a venue


@dataclass(frozen=True, slots=True)
class WorkEvidence:
    """What a check may know about one reference."""

    reference: Reference
    judgement: Judgement
    compared: Sequence[Compared]
    listed: Sequence[ListAnswer] = ()
    day: date | None = None  # on which it is judged


@dataclass(frozen=True, slots=True)
class StatedNotice:
    """A notice, and who states it."""

    notice: Notice
    source: str
    listed: bool = False


@dataclass(frozen=True, slots=True)
class WorkNotices:
    """The notices about one work that are in force, and what the lists are worth today."""

    stated: tuple[StatedNotice, ...]
    listed: tuple[ListAnswer, ...]
    identified: bool  # an identifier or a match says which work it is
    dated: str = ""  # the document's own date
    accessed: str = ""  # when the work was looked at, as the document says

    def make_finding(self, name: str, *kinds: NoticeKind) -> Finding | None:
        """Return the finding for notices of these kinds, under its first kind that is stated; None: none."""
        stated = [notice for notice in self.stated if notice.notice.kind in kinds]
        if not stated:
            return None
        from_lists = [notice for notice in stated if notice.listed]
        kind = _choose_kind(stated, from_lists, kinds)
        chosen = max((notice for notice in stated if notice.notice.kind is kind), key=_rank_notice).notice
        sources = ", ".join(dict.fromkeys(notice.source for notice in (*from_lists, *stated)))
        detail = describe_notice(chosen, relate_dates(chosen.day, self.dated, self.accessed))
        level = _LEVELS.get(kind, FindingLevel.WARNING)
        return Finding(name, FindingState.FINDING, detail, sources, kind.value, level)


def collect_notices(evidence: WorkEvidence) -> WorkNotices:
    """Return the notices about the cited work that are in force."""
    stated = list(_list_stated(evidence))
    in_force = keep_notices_in_force([notice.notice for notice in stated])
    cited, record = evidence.reference, evidence.judgement.work_record
    ids = (*cited.claimed.ids.pairs, *(record.ids.pairs if record else ()))
    return WorkNotices(
        tuple(notice for notice in stated if notice.notice in in_force),
        tuple(answer for answer in evidence.listed if answer.subject == "works"),
        evidence.judgement.verdict is Verdict.MATCHED or any(scheme in _IDENTIFYING for scheme, _ in ids),
        cited.dated,
        cited.accessed,
    )


def keep_notices_in_force(notices: Sequence[Notice]) -> Sequence[Notice]:
    """Return the notices about one work that still hold: a reinstatement cancels what was said before it."""
    lifted = max((notice.day for notice in notices if notice.kind is NoticeKind.REINSTATED), default=None)
    if lifted is None:
        return notices
    later = [notice for notice in notices if notice.kind in _CANCELLED and notice.day > lifted]
    gone = _CANCELLED | {NoticeKind.REINSTATED} if later else _CANCELLED
    return [*later, *(notice for notice in notices if notice.kind not in gone)]


def make_cited_question(judgement: Judgement, compared: Sequence[Compared]) -> ListQuestion | None:
    """Return what names the works that the cited work cites; None where no record of it has a list."""
    for candidate in compared:  # quickly: most records have none
        if candidate.record.cites:
            break
    else:
        return None
    records = list_work_records(judgement, compared)
    names = dict.fromkeys(name for record in records for name in record.cites)
    if not names:
        return None
    pmids = [name.removeprefix("pmid:") for name in names if name.startswith("pmid:")]
    return ListQuestion(tuple(name for name in names if not name.startswith("pmid:")), tuple(pmids))


def make_list_question(reference: Reference, judgement: Judgement) -> ListQuestion:
    """Return what names the work and its venue in lists: as cited, then what its record adds.

    A record adds something only if it is of the cited work.
    """
    claimed, record = reference.claimed, judgement.work_record
    ids: dict[str, list[str]] = {"doi": [], "arxiv": [], "pmid": [], "issn": [], "url": []}
    for scheme, value in (*claimed.ids.pairs, *(record.ids.pairs if record else ())):
        if scheme in ids:
            ids[scheme].append(value)
    preprints = [f"10.48550/arxiv.{number}" for number in ids["arxiv"]]
    hosts = [host for address in ids["url"] if (host := get_host(address)) not in _RESOLVERS]
    places = [version.venue for version in record.versions[:_VERSIONS]] if record else []
    return ListQuestion(
        _keep_each(ids["doi"] + preprints),
        _keep_each(ids["pmid"]),
        claimed.title or "",
        tuple([name.family for name in claimed.authors[:50]]),
        claimed.year,
        _keep_each([claimed.venue, *places]),
        _keep_each(ids["issn"]),
        _keep_each([claimed.publisher, record.publisher if record else None]),
        _keep_each(hosts),
    )


def _keep_each(values: Sequence[str | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([value for value in values if value])) if values else ()


def relate_dates(day: str, dated: str, accessed: str) -> str:
    """Return whether a notice of that day came before or after the citation; empty: it is not known.

    Dates that agree as far as both are known, such as 2021 and 2021-05-03, say nothing.
    """
    cited = dated or accessed
    known = min(len(day), len(cited))
    if not known or day[:known] == cited[:known]:
        return ""
    word = "before" if day < cited else "after"
    if dated:
        return f"{word} this document of {dated}"
    return f"{word} it was accessed {'on' if len(accessed) > len('2021-05') else 'in'} {accessed}"


def describe_notice(notice: Notice, when: str = "") -> str:
    """Return a notice in words: what, when (and `when` seen from the citation), which work, where, why."""
    day = f" on {notice.day}" if notice.day else ""
    day += f", {when}" if day and when else ""
    where = f"notice {notice.doi}" if notice.doi and notice.doi != notice.about else ""
    about = f"found by {notice.about}" if " and " in notice.about else notice.about
    why = ", ".join(notice.reasons[:_REASONS])
    rest = "; ".join(part for part in (about, where, why) if part)
    head, mark, tail = WORDS[notice.kind].partition(";")
    return f"{head}{day}{mark}{tail}" + (f" ({rest})" if rest else "")


def _choose_kind(
    stated: Sequence[StatedNotice], from_lists: Sequence[StatedNotice], kinds: Sequence[NoticeKind]
) -> NoticeKind:
    """Return the word for the notices: the latest of a list, but a part is the whole if others say so."""
    known = {notice.notice.kind for notice in stated}
    if from_lists:
        latest = max(from_lists, key=_rank_notice).notice.kind
        if latest is not NoticeKind.PARTIAL or known == {NoticeKind.PARTIAL}:
            return latest
    return next(kind for kind in kinds if kind in known)


def _rank_notice(stated: StatedNotice) -> tuple[bool, str, str]:
    return stated.listed, stated.notice.day, stated.notice.doi


def _list_stated(evidence: WorkEvidence) -> Iterator[StatedNotice]:
    """Yield what lists say, then the marks of the work's records, then the cited title ("RETRACTED: ...")."""
    for answer in evidence.listed:
        for notice in answer.notices if answer.subject == "works" else ():
            yield StatedNotice(notice, answer.name, listed=True)
    records = list_work_records(evidence.judgement, evidence.compared)
    for mark, kind in MARKS.items():
        for source in sorted({record.source for record in records if mark in record.marks}):
            yield StatedNotice(Notice(kind, about=records[0].id), source)
    for code in evidence.reference.suspicious:
        if code.startswith("titled_") and (titled := MARKS.get(code.removeprefix("titled_"))):
            yield StatedNotice(Notice(titled, about="its cited title"), "document")


def list_work_records(judgement: Judgement, compared: Sequence[Compared]) -> list[Record]:
    """Return the record that was matched and those of the same work; those of another work say nothing."""
    own = judgement.work_record
    if own is None or not own.work:
        return [own] if own else []
    records = (candidate.record for candidate in compared)
    return [own, *(record for record in records if record.work == own.work and record is not own)]
