"""What changed in a library since its earlier report: the two are compared reference by reference.

1. A reference is known again by its key and its work; else by its work, under another key; else by its key.
2. What could not be checked today tells nothing: the earlier result stands, in the next report too.
3. What its owner accepts is not told and not kept, so that it is told once it is no longer accepted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import msgspec

from citeproof.serializers.fingerprints import find_acceptance, identify_finding, identify_judgement
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
_MOST_IDS = 10
_LONGEST = 300  # characters of a key or a title


class NewsKind(StrEnum):
    """What happened to a reference of the library."""

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
    """The report on one library as it is kept: its time, its references, what is said of them together."""

    checked: str
    references: tuple[WatchedReference, ...]
    findings: tuple[WatchedFinding, ...] = ()
    lost: int = 0  # places that could not be read


@dataclass(frozen=True, slots=True)
class LibraryNews:
    """One thing that changed."""

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
        """Return it for programs."""
        return {
            "kind": self.kind.value,
            **({"check": self.check} if self.check else {}),
            "key": self.key,
            "title": self.title,
            "before": self.before,
            "after": self.after,
            "detail": self.detail,
            "source": self.source,
            "file": self.file,
            "line": self.line,
            "fails": self.fails,
            **({"former_key": self.former_key} if self.former_key else {}),
        }


@dataclass(frozen=True, slots=True)
class LibraryComparison:
    """What changed, what is kept for the next time, and how many could be checked before and not today."""

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
    """Return what changed since `former`; without it nothing did, and everything is kept."""
    today = [_describe_reference(one) for one in checked]
    pairs = _pair_references(former.references if former else (), today)
    news: list[LibraryNews] = []
    kept: list[WatchedReference] = []
    not_today = 0
    for one, mine, before in zip(checked, today, pairs, strict=True):
        if former is not None:
            news += _list_reference_news(one, mine, before, fail_on)
        kept.append(_keep_known(one, mine, before))
        not_today += mine.label == UNCHECKED and before is not None and before.label != UNCHECKED
    met = {id(one) for one in pairs if one is not None}
    gone = [one for one in former.references if id(one) not in met] if former else []
    news += [LibraryNews(NewsKind.REMOVED, one.key, one.title, one.label, "") for one in gone]
    sets = _list_together(together)
    renamed = {one.key: mine.key for mine, one in zip(today, pairs, strict=True) if one is not None}
    old = [_rename_keys(one, renamed) for one in former.findings] if former else []
    if former is not None:
        news += _list_set_news(old, together, fail_on, complete=not not_today)
    stay = [one for one in old if one not in sets] if not_today else []
    return LibraryComparison(
        tuple(news), WatchedLibrary(started, tuple(kept), tuple(sorted({*sets, *stay})), lost), not_today
    )


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
        findings=tuple(sorted({_describe_finding(one) for one in _list_told(checked)})),
        author=claimed.authors[0].family[:_LONGEST] if claimed.authors else "",
        year=claimed.year,
    )


def _list_told(checked: Checked) -> Iterator[Finding]:
    """Yield the findings that nobody accepts."""
    for one in checked.findings:
        accepted = find_acceptance(checked, identify_finding(checked, one))
        if one.state is FindingState.FINDING and accepted is None:
            yield one


def _describe_finding(finding: Finding, keys: Iterable[str] = ()) -> WatchedFinding:
    return WatchedFinding(finding.name, finding.kind, tuple(sorted(keys)))


def _rename_keys(finding: WatchedFinding, renamed: Mapping[str, str]) -> WatchedFinding:
    """Return a finding about references together under the keys that they have today."""
    keys = tuple(sorted(renamed.get(key, key) for key in finding.keys))
    return msgspec.structs.replace(finding, keys=keys)


def _list_together(together: Iterable[SetFinding]) -> list[WatchedFinding]:
    told = (one for one in together if one.finding.is_finding and one.accepted is None)
    return [_describe_finding(one.finding, one.keys) for one in told]


def _pair_references(
    former: Sequence[WatchedReference], today: Sequence[WatchedReference]
) -> list[WatchedReference | None]:
    """Return for each reference of today the earlier one that it is, each of them once."""
    pairs: list[WatchedReference | None] = [None] * len(today)
    left = dict.fromkeys(range(len(former)))
    for same in (_get_key_and_work, WatchedReference.identify_work, _get_key):
        places: dict[object, list[int]] = {}
        for at in reversed(left):
            places.setdefault(same(former[at]), []).append(at)
        for n, one in enumerate(today):
            if pairs[n] is None and (found := places.get(same(one))):
                at = found.pop()
                del left[at]
                pairs[n] = former[at]
    return pairs


def _get_key_and_work(one: WatchedReference) -> object:
    return one.key, one.identify_work()


def _get_key(one: WatchedReference) -> object:
    return one.key


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
        found = before.verdict == Verdict.NOT_FOUND and checked.verdict is Verdict.MATCHED
        kind = NewsKind.FOUND if found else NewsKind.LABEL
        detail = "" if checked.label is Label.EXACT else checked.explanation
        yield make_news(kind, _name_result(before), _name_result(mine), detail, bad=failing)
    known = set(before.findings) if before else set()
    for one in _list_told(checked):
        if _describe_finding(one) not in known:
            same = [old for old in known if old.name == one.name]
            fails = fails_on_finding(one, fail_on)
            old = (same[0].kind or same[0].name) if same else ""
            told = make_news(NewsKind.FINDING, old, one.kind or one.name, one.detail, bad=fails)
            yield replace(told, source=one.source, check=one.name)
    if before is not None:
        for name in _list_cleared(checked, mine, before):
            yield replace(make_news(NewsKind.CLEARED, name, ""), check=name)


def _name_result(one: WatchedReference) -> str:
    """Return the verdict where there is no label, and where nothing was found."""
    if one.label in (UNCHECKED, ACCEPTED) or one.verdict != Verdict.NOT_FOUND:
        return one.label
    return f"{one.label} {Verdict.NOT_FOUND.value}"


def _list_cleared(checked: Checked, mine: WatchedReference, before: WatchedReference) -> list[str]:
    """Return the checks that had a finding and have none today, though they could look."""
    if mine.label == UNCHECKED:
        return []
    now = {one.name for one in checked.findings if one.state is not FindingState.CLEAR}  # found or unchecked
    return list(dict.fromkeys(one.name for one in before.findings if one.name not in now))


def _keep_known(
    checked: Checked, mine: WatchedReference, before: WatchedReference | None
) -> WatchedReference:
    """Return what is kept of a reference: today's results, and earlier ones where today had none."""
    if before is None:
        return mine
    open_ = {one.name for one in checked.findings if one.state is FindingState.UNCHECKED}
    named = {one.name for one in mine.findings}
    cleared = set(_list_cleared(checked, mine, before))
    silent = mine.label == UNCHECKED
    stay = [
        one
        for one in before.findings
        if one.name not in named and one.name not in cleared and (silent or one.name in open_)
    ]
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
        told = found.finding
        if told.is_finding and found.accepted is None and _describe_finding(told, found.keys) not in old:
            yield LibraryNews(
                NewsKind.FINDING,
                ", ".join(found.keys),
                "",
                "",
                told.kind or told.name,
                told.detail,
                told.source,
                found.place.file,
                found.place.line,
                fails_on_finding(told, fail_on),
                check=told.name,
            )
    if complete:
        for one in old:
            if one not in sets:
                yield LibraryNews(
                    NewsKind.CLEARED, ", ".join(one.keys), "", one.kind or one.name, "", check=one.name
                )
