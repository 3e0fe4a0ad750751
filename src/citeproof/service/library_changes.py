"""What changed in a library since its earlier report: the two are compared reference by reference.

1. A reference is known again by its key and its work; else by its work, under another key; else by its key.
2. What could not be checked today says nothing: the earlier result stands, in the next report too.
3. What its owner accepts is neither reported nor stored: it is reported once it is no longer accepted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from operator import attrgetter

import msgspec

from citeproof.answers.serializers.judgements import find_acceptance, identify_finding, identify_judgement
from citeproof.text.title import make_title_key
from citeproof.vocabulary import (
    WORK_IDS,
    Checked,
    Finding,
    FindingState,
    Label,
    SetFinding,
    Verdict,
    fails_on_finding,
    is_failing,
)

ACCEPTED = "accepted"  # in the place of a label
UNCHECKED = "unchecked"
_SELDOM = ("kind", "check", "former_key")  # of the news: what JSON has first, or not always
_MOST_IDS = 10
_LONGEST = 300  # characters of a key or a title


class NewsKind(StrEnum):
    FINDING = "finding"  # a check has a finding that it did not have: a retraction, a published version
    CLEARED = "cleared"  # a finding is gone
    FOUND = "found"  # it was not found, and now it is
    LABEL = "label"  # it is judged otherwise
    ADDED = "added"
    REMOVED = "removed"


class WatchedFinding(msgspec.Struct, frozen=True, order=True):
    """One finding as an earlier report keeps it; `keys`: of the references that it is about together."""

    name: str
    kind: str = ""
    keys: tuple[str, ...] = ()


class WatchedReference(msgspec.Struct, frozen=True):
    """One reference as an earlier report keeps it."""

    key: str
    title: str
    ids: tuple[tuple[str, str], ...]  # those that name one work
    verdict: str
    label: str  # EXACT, MINOR, MAJOR, "unchecked" or "accepted"
    findings: tuple[WatchedFinding, ...] = ()
    author: str = ""  # family name of the first
    year: int | None = None

    def identify_work(self) -> tuple[object, ...]:
        """Return what stays when the key changes."""
        return (*sorted(self.ids),) or (make_title_key(self.title), self.author.casefold(), self.year)


class WatchedLibrary(msgspec.Struct, frozen=True):
    """The report on one library as it is stored: its time, its references, what is said of them together."""

    checked: str
    references: tuple[WatchedReference, ...]
    findings: tuple[WatchedFinding, ...] = ()
    lost: int = 0  # places that could not be read


@dataclass(frozen=True, slots=True)
class LibraryNews:
    kind: NewsKind
    key: str
    title: str
    before: str  # in a word or two, such as "EXACT" or "not_found"; empty: nothing
    after: str
    detail: str = ""
    source: str = ""
    file: str = ""
    line: int | None = None
    fails: bool = False
    former_key: str = ""
    check: str = ""  # whose finding it is

    def json(self) -> dict[str, object]:
        kind, check, former = self.kind.value, self.check, self.former_key
        rest = {name: value for name, value in asdict(self).items() if name not in _SELDOM}
        return {
            "kind": kind, **({"check": check} if check else {}), **rest,
            **({"former_key": former} if former else {}),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class LibraryComparison:
    """What changed, what is stored for the next time, and how many could be checked before and not today."""

    news: tuple[LibraryNews, ...]
    kept: WatchedLibrary
    not_today: int = 0


def compare_libraries(
    former: WatchedLibrary | None,
    checked: Sequence[Checked],
    together: Sequence[SetFinding],
    fail_on: frozenset[str],
    *,
    started: str,
    lost: int = 0,
) -> LibraryComparison:
    """Return what changed since `former`; without it nothing did, and everything is stored."""
    today = list(map(_describe_reference, checked))
    pairs = _pair_references(former.references if former else (), today)
    news: list[LibraryNews] = []
    kept: list[WatchedReference] = []
    not_today = 0
    for each, mine, before in zip(checked, today, pairs, strict=True):
        if former is not None:
            news += _list_reference_news(each, mine, before, fail_on)
        kept.append(_keep_known(each, mine, before))
        not_today += mine.label == UNCHECKED and before is not None and before.label != UNCHECKED
    met = set(map(id, pairs))
    gone = [known for known in former.references if id(known) not in met] if former else []
    news += [LibraryNews(NewsKind.REMOVED, known.key, known.title, known.label, "") for known in gone]
    sets = _list_together(together)
    renamed = {known.key: mine.key for mine, known in zip(today, pairs, strict=True) if known is not None}
    old = [
        msgspec.structs.replace(finding, keys=tuple(sorted(renamed.get(key, key) for key in finding.keys)))
        for finding in (former.findings if former else ())
    ]
    if former is not None:
        news += _list_set_news(old, together, fail_on, complete=not not_today)
    stay = [finding for finding in old if finding not in sets] if not_today else []
    library = WatchedLibrary(started, tuple(kept), tuple(sorted({*sets, *stay})), lost)
    return LibraryComparison(tuple(news), library, not_today)


def _describe_reference(checked: Checked) -> WatchedReference:
    reference, claimed = checked.reference, checked.reference.claimed
    accepted = find_acceptance(checked, identify_judgement(checked)) is not None
    label = checked.label.value if checked.label else UNCHECKED
    return WatchedReference(
        key=reference.key[:_LONGEST],
        title=(claimed.title or reference.raw.replace(reference.key, "", 1))[:_LONGEST],
        ids=tuple(pair for pair in claimed.ids.pairs if pair[0] in WORK_IDS)[:_MOST_IDS],
        verdict=checked.verdict.value,
        label=ACCEPTED if accepted else label,
        findings=tuple(sorted(set(map(_describe_finding, _list_open(checked))))),
        author=claimed.authors[0].family[:_LONGEST] if claimed.authors else "",
        year=claimed.year,
    )


def _list_open(checked: Checked) -> Iterator[Finding]:
    for finding in checked.findings:
        if finding.is_finding and find_acceptance(checked, identify_finding(checked, finding)) is None:
            yield finding


def _describe_finding(finding: Finding, keys: Iterable[str] = ()) -> WatchedFinding:
    return WatchedFinding(finding.name, finding.kind, tuple(sorted(keys)))


def _list_together(together: Iterable[SetFinding]) -> list[WatchedFinding]:
    unaccepted = (found for found in together if found.finding.is_finding and found.accepted is None)
    return [_describe_finding(found.finding, found.keys) for found in unaccepted]


def _pair_references(
    former: Sequence[WatchedReference], today: Sequence[WatchedReference]
) -> list[WatchedReference | None]:
    """Return for each reference of today the earlier one that it is, each of them once."""
    pairs: list[WatchedReference | None] = [None] * len(today)
    left = dict.fromkeys(range(len(former)))
    identify = WatchedReference.identify_work
    for same in (lambda known: (known.key, identify(known)), identify, attrgetter("key")):
        places: dict[object, list[int]] = {}
        for at in reversed(left):
            places.setdefault(same(former[at]), []).append(at)
        for n, mine in enumerate(today):
            if pairs[n] is None and (matching := places.get(same(mine))):
                at = matching.pop()
                del left[at]
                pairs[n] = former[at]
    return pairs


def _list_reference_news(
    checked: Checked, mine: WatchedReference, before: WatchedReference | None, fail_on: frozenset[str]
) -> Iterator[LibraryNews]:
    """Yield what is new about one reference: that it is there, its label, its findings."""
    place = checked.reference.place
    former = before.key if before and before.key != mine.key else ""
    failing = mine.label != ACCEPTED and is_failing(checked.label, fail_on)

    def make_news(kind: NewsKind, old: str, new: str, detail: str = "", *, bad: bool = False) -> LibraryNews:
        where = (place.file, place.line)
        return LibraryNews(kind, mine.key, mine.title, old, new, detail, "", *where, bad, former)

    if before is None:
        yield make_news(NewsKind.ADDED, "", mine.label, checked.explanation, bad=failing)
    elif mine.label not in (before.label, UNCHECKED, ACCEPTED):
        appeared = before.verdict == Verdict.NOT_FOUND and checked.verdict is Verdict.MATCHED
        kind = NewsKind.FOUND if appeared else NewsKind.LABEL
        detail = "" if checked.label is Label.EXACT else checked.explanation
        yield make_news(kind, _name_result(before), _name_result(mine), detail, bad=failing)
    known = set(before.findings) if before else set()
    for finding in _list_open(checked):
        if _describe_finding(finding) not in known:
            same = [old for old in known if old.name == finding.name]
            fails = fails_on_finding(finding, fail_on)
            old, new = (same[0].kind or same[0].name) if same else "", finding.kind or finding.name
            news = make_news(NewsKind.FINDING, old, new, finding.detail, bad=fails)
            yield replace(news, source=finding.source, check=finding.name)
    if before is not None:
        for name in _list_cleared(checked, mine, before):
            yield replace(make_news(NewsKind.CLEARED, name, ""), check=name)


def _name_result(reference: WatchedReference) -> str:
    """Return the label, with the verdict where nothing was found."""
    if reference.label in (UNCHECKED, ACCEPTED) or reference.verdict != Verdict.NOT_FOUND:
        return reference.label
    return f"{reference.label} {Verdict.NOT_FOUND.value}"


def _list_cleared(checked: Checked, mine: WatchedReference, before: WatchedReference) -> list[str]:
    """Return the checks that had a finding and have none today, though they could look."""
    if mine.label == UNCHECKED:
        return []
    now = {finding.name for finding in checked.findings if finding.state is not FindingState.CLEAR}
    return list(dict.fromkeys(old.name for old in before.findings if old.name not in now))


def _keep_known(
    checked: Checked, mine: WatchedReference, before: WatchedReference | None
) -> WatchedReference:
    """Return what is stored of a reference: today's results, and earlier ones where today had none."""
    if before is None:
        return mine
    open_ = {finding.name for finding in checked.findings if finding.state is FindingState.UNCHECKED}
    settled = {*(finding.name for finding in mine.findings), *_list_cleared(checked, mine, before)}
    silent = mine.label == UNCHECKED
    stay = [old for old in before.findings if old.name not in settled and (silent or old.name in open_)]
    known = msgspec.structs.replace(mine, findings=tuple(sorted({*mine.findings, *stay})))
    if not silent:
        return known
    return msgspec.structs.replace(known, label=before.label, verdict=before.verdict)


def _list_set_news(
    old: Sequence[WatchedFinding], together: Sequence[SetFinding], fail_on: frozenset[str], *, complete: bool
) -> Iterator[LibraryNews]:
    """Yield what is new about references together; what is gone only where all of them were looked at."""
    sets = _list_together(together)
    for found in together:
        new, place, keys = found.finding, found.place, ", ".join(found.keys)
        if new.is_finding and found.accepted is None and _describe_finding(new, found.keys) not in old:
            what = (new.kind or new.name, new.detail, new.source)
            fails = fails_on_finding(new, fail_on)
            where = (place.file, place.line)
            yield LibraryNews(NewsKind.FINDING, keys, "", "", *what, *where, fails, check=new.name)
    for gone in old if complete else ():
        if gone not in sets:
            keys, name = ", ".join(gone.keys), gone.kind or gone.name
            yield LibraryNews(NewsKind.CLEARED, keys, "", name, "", check=gone.name)
