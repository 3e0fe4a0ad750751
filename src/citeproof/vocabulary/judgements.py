"""What we think: comparisons, judgements, findings, runs."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from enum import StrEnum
from importlib.util import find_spec
from pkgutil import iter_modules

from citeproof.vocabulary.model_stages import ModelTrace
from citeproof.vocabulary.notices import ListAnswer
from citeproof.vocabulary.policies import GateDecision
from citeproof.vocabulary.quick_dataclass import dataclass, field, replace
from citeproof.vocabulary.reasons import Reason
from citeproof.vocabulary.records import Lookup, Record, Retrieval, Stop, Unchecked
from citeproof.vocabulary.references import Claimed, Place, Problem, Reference

EXCEPT = "no-"  # before the name of a check: never fail on it
CONVICTS = 0.5  # a difference that is less likely the citation's fault is a note


def _list_check_names() -> tuple[str, ...]:
    """Return the names of the files in the folder of checks, and of what readers report like a check."""
    folder = find_spec("citeproof.judgement.checks")  # nothing of it is imported here
    files = iter_modules(folder.submodule_search_locations if folder else ())
    names = [file.name for file in files if file.name != "base" and not file.ispkg]
    return (*names, "suspicious_characters")


CHECK_NAMES = _list_check_names()  # the checks that a policy can name, one word a finding


class Outcome(StrEnum):
    SAME = "same"
    VARIANT = "variant"
    DIFFERS = "differs"
    ABSENT = "absent"  # not cited
    UNKNOWN = "unknown"  # the record lacks it

    def __init__(self, value: str) -> None:
        self.agrees = value in ("same", "variant")  # the citation says what the record says


@dataclass(frozen=True, slots=True)
class Comparison:
    """One field of a reference against one record."""

    field: str
    outcome: Outcome
    reason: Reason
    claimed: str = ""
    resolved: str = ""
    similarity: float = 0.0  # 0..1
    weight: float = 1.0  # of a difference: the probability that the citation is wrong and not the record
    detail: str = ""  # what exactly differs, where both values are long lists

    @property
    def convicts(self) -> bool:
        """Whether the field differs, and by better evidence than a poor record or another version."""
        return self.outcome is Outcome.DIFFERS and self.weight >= CONVICTS

    def set_weight(self, weight: float) -> Comparison:
        """Return the same difference with this weight; sooner than `dataclasses.replace`."""
        same = (self.field, self.outcome, self.reason, self.claimed, self.resolved, self.similarity)
        return Comparison(*same, weight, self.detail)


@dataclass(frozen=True, slots=True)
class Compared:
    """One record compared with the reference, field by field. `via` names the questions
    ("doi", "title", ...) that brought the record; `registries` the sources that have it."""

    record: Record
    comparisons: tuple[Comparison, ...]
    via: tuple[str, ...]
    registries: tuple[str, ...]
    weak: bool = False  # no source's candidate was accepted; this is the best of the rest
    index_error: bool = False  # a quorum of other sources contradicts it about an identifier
    standing: str = "fair"  # what its source's word is worth: "good", "fair" or "poor"

    def of(self, name: str) -> Comparison | None:
        for comparison in self.comparisons:
            if comparison.field == name:
                return comparison
        return None

    @property
    def title_similarity(self) -> float:
        return title.similarity if (title := self.of("title")) else 0.0


def find_unconfirmed(matched: Compared | None, compared: Iterable[Compared]) -> list[Comparison]:
    """Return the cited identifiers of a kind that no record of the work has, and that led to no record."""
    led = {by for one in compared for by in one.via}
    rows = matched.comparisons if matched else ()
    return [c for c in rows if c.reason is Reason.UNCONFIRMED and c.field not in led]


class Verdict(StrEnum):
    MATCHED = "matched"
    AMBIGUOUS = "ambiguous"
    MISMATCH = "mismatch"
    NOT_FOUND = "not_found"
    UNCHECKED = "unchecked"


class Label(StrEnum):
    """How well a citation describes the work that was found, best first."""

    EXACT = "EXACT"  # every cited field agrees or is an acceptable variant
    NOTED = "NOTED"  # a field differs from the records, and may be another version's or the record's fault
    MINOR = "MINOR"  # the citation is wrong there, but the work is plainly the one meant
    MAJOR = "MAJOR"  # another work, or none

    @property
    def passes(self) -> bool:
        """Whether it accuses no one."""
        return self in (Label.EXACT, Label.NOTED)

    @property
    def of_three(self) -> Label:
        """The class in benchmarks of three classes (after CITECHECK), which count a note as MINOR."""
        return Label.MINOR if self is Label.NOTED else self


THREE_CLASSES = (Label.EXACT, Label.MINOR, Label.MAJOR)


class Band(StrEnum):
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


@dataclass(frozen=True, slots=True)
class Mismatch:
    field: str
    claimed: str
    resolved: str
    similarity: float
    reason: Reason
    detail: str = ""  # what exactly differs, where both values are long lists


@dataclass(frozen=True, slots=True)
class Splice:
    """One part of a chimera: which fields were taken from which real work."""

    fields: tuple[str, ...]
    record: Record


@dataclass(frozen=True, slots=True)
class Provenance:
    """Which checks ran, on what; outside time, so that equal evidence gives equal bytes."""

    stages_run: tuple[str, ...]
    resolved_via: str | None
    registries_searched: tuple[Lookup, ...]
    unchecked: tuple[Unchecked, ...]
    stops: tuple[Stop, ...] = ()
    snapshots: tuple[str, ...] = ()
    judge: str = ""
    llm: ModelTrace | None = None  # what language models said, where the user asked for one


@dataclass(frozen=True, slots=True)
class Judgement:
    """Verdict, label, score, confidence, reasons. The last three of `unchecked` are null."""

    verdict: Verdict
    label: Label | None
    score: float | None
    confidence: float | None
    band: Band | None
    reasons: tuple[str, ...]  # of the verdict: a `Reason`; of a mismatch: `field:reason`
    explanation: str
    matched: Compared | None = None
    mismatches: tuple[Mismatch, ...] = ()
    candidates: tuple[Compared, ...] = ()
    splices: tuple[Splice, ...] = ()
    provenance: Provenance | None = None
    notes: tuple[Mismatch, ...] = ()  # differences that another version or a poor record explains
    summary: str | None = None  # `explanation` without what a report shows next to it; not serialized

    @property
    def work_record(self) -> Record | None:
        """The record of the cited work; None: none was found, or it describes another work."""
        return self.matched.record if self.matched and self.verdict is not Verdict.MISMATCH else None

    @property
    def differences(self) -> tuple[Mismatch, ...]:
        """Every field that differs from the record: the citation's faults, then what is only noted."""
        return (*self.mismatches, *self.notes)

    @property
    def decisive(self) -> tuple[Mismatch, ...]:
        """The differences that the label rests on: the citation's faults, and of NOTED what is noted, too."""
        return self.differences if self.label is Label.NOTED else self.mismatches


class FindingState(StrEnum):
    FINDING = "finding"
    CLEAR = "clear"
    UNCHECKED = "unchecked"


class FindingLevel(StrEnum):
    """How grave a finding is: its own level, then what the user's policy makes of it."""

    BLOCKING = "blocking"  # it fails the run
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Finding:
    """One integrity fact about the cited work or the set of references."""

    name: str  # "retracted", "future_date", ...
    state: FindingState
    detail: str = ""
    source: str = ""
    kind: str = ""  # of a notice: its `NoticeKind`
    level: FindingLevel = FindingLevel.WARNING
    evidence: tuple[str, ...] = ()  # what it rests on, a line each
    own_level: FindingLevel | None = None  # the check's own, where what the user fails on changed it

    @property
    def is_finding(self) -> bool:
        """Whether something was found: neither clear nor unchecked."""
        return self.state is FindingState.FINDING

    @property
    def blocks(self) -> bool:
        """Whether it fails the run; others are warnings or notes."""
        return self.is_finding and self.level is FindingLevel.BLOCKING


@dataclass(frozen=True, slots=True)
class Change:
    """One field of a correction. `safe`: it adds or fixes what leaves no doubt about the work meant."""

    field: str
    claimed: str  # empty: the citation did not say
    resolved: str  # empty: it is to go
    safe: bool


@dataclass(frozen=True, slots=True)
class Correction:
    """The fields as the matched record has them, and what changed. Only from a full match."""

    claimed: Claimed
    changes: tuple[Change, ...]
    record: Record
    safe: Claimed = field(default_factory=Claimed)  # the fields after the safe changes alone
    held_by: tuple[tuple[str, Record], ...] = ()  # fields whose value another record of the work has

    def get_record(self, field: str) -> Record:
        """Return the record that has the new value of a field."""
        return dict(self.held_by).get(field, self.record)


class FailOn(StrEnum):
    """What may make a run fail, next to names of checks. NOTED implies MINOR, and MINOR implies MAJOR."""

    MAJOR = "major"
    MINOR = "minor"
    NOTED = "noted"
    UNCHECKED = "unchecked"
    FINDINGS = "findings"


DEFAULT_FAIL_ON: frozenset[str] = frozenset({FailOn.MINOR, FailOn.UNCHECKED})


def is_failing(label: Label | None, fail_on: frozenset[str]) -> bool:
    """Return whether a label is a problem that a run fails on."""
    order = (Label.NOTED, Label.MINOR, Label.MAJOR)  # what fails on one label fails on those after it, too
    return label in order and any(worse.lower() in fail_on for worse in order[: order.index(label) + 1])


def fails_on_finding(finding: Finding, fail_on: frozenset[str]) -> bool:
    """Return whether a run fails on a finding: a retraction counts as MAJOR, others only where named."""
    if finding.state is not FindingState.FINDING or f"{EXCEPT}{finding.name}" in fail_on:
        return False
    named = finding.name in fail_on or FailOn.FINDINGS in fail_on
    return named or (finding.blocks and is_failing(Label.MAJOR, fail_on))


def apply_fail_on(finding: Finding, fail_on: frozenset[str]) -> Finding:
    """Return the finding at the level that applies: blocking where the run fails on it, and only there."""
    if finding.state is not FindingState.FINDING or finding.blocks == fails_on_finding(finding, fail_on):
        return finding
    return set_level(finding, FindingLevel.WARNING if finding.blocks else FindingLevel.BLOCKING)


def set_level(finding: Finding, level: FindingLevel) -> Finding:
    """Return a finding at another level; it remembers its own."""
    if level is finding.level:
        return finding
    return replace(finding, level=level, own_level=finding.own_level or finding.level)


@dataclass(frozen=True, slots=True)
class Acceptance:
    """A problem that its owner knows of: it is reported as accepted, and no run fails because of it."""

    fingerprint: str  # of the problem
    by: str  # "baseline" or "ignore"
    reason: str = ""  # why, in the owner's words
    expires: date | None = None


@dataclass(frozen=True, slots=True)
class SetFinding:
    """One integrity fact about the references of one document together."""

    finding: Finding
    place: Place  # the document, or the reference where it shows
    keys: tuple[str, ...] = ()  # of the references that it is about
    accepted: Acceptance | None = None
    gate: GateDecision | None = None  # what the policy decided, if the run has one


@dataclass(frozen=True, slots=True, repr=False)
class Checked:
    """One reference with everything found about it; the most used values are properties."""

    reference: Reference
    retrieved: Retrieval
    compared: tuple[Compared, ...]
    judgement: Judgement
    findings: tuple[Finding, ...] = ()
    correction: Correction | None = None
    day: date | None = None  # on which it was judged: a year may be in the future
    listed: tuple[ListAnswer, ...] = ()  # what lists say about the work, on which findings rest
    accepted: tuple[Acceptance, ...] = ()  # of its problems, those that their owner accepts
    gates: tuple[GateDecision, ...] = ()  # what the policy decided about it and its findings, if there is one

    @property
    def key(self) -> str:
        """The key of the reference in its document."""
        return self.reference.key

    @property
    def title(self) -> str:
        """The title as it is cited, else the raw text of the reference."""
        return self.reference.claimed.title or self.reference.raw

    @property
    def verdict(self) -> Verdict:
        """What became of the reference: matched, ambiguous, mismatch, not_found or unchecked."""
        return self.judgement.verdict

    @property
    def label(self) -> Label | None:
        """EXACT, NOTED, MINOR or MAJOR; None if it could not be checked."""
        return self.judgement.label

    @property
    def score(self) -> float | None:
        """From 0 (fabricated) to 10 (perfect); None if it could not be checked."""
        return self.judgement.score

    @property
    def confidence(self) -> float | None:
        """The probability that the label is right; None if it could not be checked."""
        return self.judgement.confidence

    @property
    def explanation(self) -> str:
        """The judgement in plain words."""
        return self.judgement.explanation

    @property
    def retraction(self) -> Finding | None:
        """The notice that the cited work was retracted; such a reference is never called verified."""
        retractions = (
            finding for finding in self.findings if finding.name == "retracted" and finding.is_finding
        )
        blocking = (
            finding
            for finding in retractions
            if (finding.own_level or finding.level) is FindingLevel.BLOCKING
        )
        return next(blocking, None) if self.verdict is Verdict.MATCHED else None

    @property
    def mismatches(self) -> tuple[Mismatch, ...]:
        """Every difference between the citation and the record, with both values."""
        return self.judgement.mismatches

    @property
    def record(self) -> Record | None:
        """The record of the work that was found, if one was."""
        return self.judgement.matched.record if self.judgement.matched else None

    @property
    def strict_match(self) -> bool | None:
        """Whether title, authors, year, venue and identifiers are the record's, character for character.

        What the citation leaves out is not compared. None: it could not be checked.
        """
        if self.verdict is Verdict.UNCHECKED:
            return None
        return self.record is not None and _is_same_to_the_letter(self.reference.claimed, self.record)

    def __repr__(self) -> str:
        label = self.label.value if self.label else "could not check"
        title = self.title if len(self.title) <= 60 else f"{self.title[:59]}…"
        return f"<Checked {self.key!r}: {label}, {self.verdict.value}, {title!r}>"


@dataclass(frozen=True, slots=True)
class Override:
    """An address, a judge or a threshold that is not the shipped one; every report names it first."""

    setting: str  # such as "urls.crossref"
    value: str
    shipped: str
    origin: str  # who set it: a file, a variable, a flag


@dataclass(frozen=True, slots=True)
class Run:
    """What one call checked against what; goes into the report's head."""

    started: str
    documents: tuple[str, ...]
    snapshots: tuple[str, ...]
    sources: tuple[str, ...]
    offline: bool
    judge: str
    problems: tuple[Problem, ...] = ()
    expected: int | None = None
    extracted: int | None = None
    overrides: tuple[Override, ...] = ()


def _is_same_to_the_letter(claimed: Claimed, record: Record) -> bool:
    """Return whether every field that a citation states is the record's, character for character."""
    people = [name.display for name in record.authors]
    cited = [name.display for name in claimed.authors]
    venues = {version.venue for version in record.versions}
    return (
        (claimed.title is None or claimed.title in record.titles)
        and (cited == people[: len(cited)] if claimed.et_al else not cited or cited == people)
        and (not claimed.venue or claimed.venue in venues)
        and (not claimed.year or claimed.year in {version.year for version in record.versions})
        and all(value in record.ids.all(kind) for kind, value in claimed.ids.pairs)
    )


class Act(StrEnum):
    """What a remedy does to the document."""

    REPLACE = "replace"  # the span becomes `text`
    REMOVE = "remove"  # the span goes; a comment that says `text` stays
    TODO = "todo"  # the span stays; a TODO comment that says `text` comes behind it
    ANNOTATE = "annotate"  # the span stays; `text` itself comes behind it


@dataclass(frozen=True, slots=True)
class Remedy:
    """What --fix does about an issue; places are characters of the document's text, from 0."""

    act: Act
    start: int
    end: int
    text: str
    kept: tuple[int, int] | None = None  # REMOVE: the text of this span stays in place of the whole
    stand: str = ""  # REMOVE: what is in its place, where the sentence would fall apart without
