"""The plain words that every report for people uses, so that all say the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from citeproof.text.unicode import show_controls
from citeproof.vocabulary import (
    Change,
    Checked,
    Compared,
    Found,
    Label,
    Lookup,
    Place,
    Reach,
    Reason,
    Run,
    Unchecked,
    Verdict,
)

NEAR = 0.7  # a title less alike than this helps nobody to find the right one
MANY = 3  # replaced addresses that are named one by one
SHOWN = 600  # characters of a document's or registry's text that a report for people shows

CAUSES = {
    "timeout": "it did not answer in time",
    "rate_limited": "it asked us to slow down",
    "offline": "the run is offline",
    "not_covered": "it does not claim to hold such works",
    "malformed": "its answer could not be read",
    "too_large": "its answer was too large",
    "bot_wall": "it asked for proof of a human",
    "needs_key": "it needs a key",
    "over_budget": "its budget is used up",
    "bug": "our reader failed",
}


def show_line(text: str, limit: int = SHOWN) -> str:
    """Return `text` on one line: spaces joined, controls visible, cut at `limit` with an ellipsis."""
    shown = show_controls(" ".join(text[: 4 * limit].split()))
    return shown if len(shown) <= limit and len(text) <= 4 * limit else shown[: limit - 1] + "…"


def format_count(count: int, word: str) -> str:
    """Return `1 issue`, `2 issues`."""
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def list_names(names: Sequence[str]) -> str:
    """Return file names in a row, each safe to show on a terminal."""
    return ", ".join(show_line(name) for name in names)


def format_place(place: Place) -> str:
    """Return a place as file:line:column, as editors and compilers write it."""
    parts = [show_line(place.file), *(str(n) for n in (place.line, place.column) if n is not None)]
    at = ":".join(part for part in parts if part)
    return f"{at}, page {place.page}" if place.page is not None else at


def format_headline(checked: Checked) -> str:
    """Return label and verdict in a few words: `MINOR matched`, `could not check`."""
    judgement = checked.judgement
    match judgement.verdict:
        case Verdict.UNCHECKED:
            return "could not check"
        case Verdict.NOT_FOUND:
            return f"{judgement.label} not found"
        case _:
            return f"{judgement.label} {judgement.verdict}"


def format_score(checked: Checked) -> str:
    """Return score and confidence, or nothing when there are none."""
    judgement = checked.judgement
    if judgement.score is None:
        return ""
    told = None if judgement.confidence is None else min(judgement.confidence, 0.99)  # never 1.00
    sure = "" if told is None else f", confidence {told:.2f} ({judgement.band})"
    return f"score {judgement.score:.1f}/10{sure}"


def format_title(checked: Checked) -> str:
    """Return what the reference calls itself: its claimed title, else its raw text."""
    return show_line(checked.reference.claimed.title or checked.reference.raw, 160)


def describe_evidence(checked: Checked) -> str:
    """Return the line that says on whose word the verdict stands."""
    judgement = checked.judgement
    match judgement.verdict:
        case Verdict.NOT_FOUND:
            return f"no record found; asked: {describe_answers(checked)}"
        case Verdict.UNCHECKED if Reason.NOT_SURE_ENOUGH in judgement.reasons and judgement.matched:
            return format_record(judgement.matched)
        case Verdict.UNCHECKED:
            return f"could not check: {describe_causes(checked)}"
        case _:
            return format_record(judgement.matched) if judgement.matched else describe_answers(checked)


def format_record(compared: Compared) -> str:
    """Return a record as source, its own id and its DOI."""
    found = compared.record
    doi = found.ids.first("doi")
    named = f"{show_line(found.source)} {show_line(found.id)}"
    return f"{named}, doi:{show_line(doi)}" if doi else named


def describe_answers(checked: Checked) -> str:
    """Return every source that answered, with what it was asked by and how many records came."""
    answers: dict[str, list[str]] = {}
    for lookup in checked.retrieved.lookups:
        if not isinstance(lookup, Unchecked):
            count = f" ({len(lookup.records)})" if isinstance(lookup, Found) else ""
            answers.setdefault(show_line(lookup.source), []).append(lookup.by + count)
    return "; ".join(f"{source} by {', '.join(by)}" for source, by in answers.items()) or "no source answered"


def describe_causes(checked: Checked) -> str:
    """Return why no source could settle it: each source with its reason, and what it was asked by."""
    asked_by: dict[tuple[str, str], list[str]] = {}
    for lookup in checked.retrieved.lookups:
        why = _describe_cause(lookup)
        if why:
            asked_by.setdefault((show_line(lookup.source), why), []).append(lookup.by)
    alike: dict[tuple[str, str], list[str]] = {}
    for (source, why), by in asked_by.items():
        alike.setdefault((why, ", ".join(by)), []).append(source)
    told = (f"{', '.join(sources)}: {why} (asked by {by})" for (why, by), sources in alike.items())
    return "; ".join(told) or "no source was asked"


def _describe_cause(lookup: Lookup) -> str:
    match lookup:
        case Unchecked():
            return show_line(lookup.detail) or CAUSES[lookup.cause.value]
        case Found() if lookup.reach is Reach.PARTIAL:
            return "it has similar works only, and does not claim to hold such works"
        case _:
            return ""


def describe_nearest(checked: Checked) -> str:
    """Return the candidate most like a reference that was not found or not checked, if there is one."""
    judgement = checked.judgement
    if judgement.matched is not None or not judgement.candidates:
        return ""
    best = max(judgement.candidates, key=_get_title_likeness)
    if _get_title_likeness(best) < NEAR:
        return ""
    return (
        f"“{show_line(best.record.title, 160)}” ({format_record(best)}), "
        f"{_get_title_likeness(best):.0%} alike"
    )


def _get_title_likeness(candidate: Compared) -> float:
    title = candidate.of("title")
    return title.similarity if title else 0.0


@dataclass(slots=True)
class VerdictTally:
    """Counts that grow while references pass by."""

    labels: Counter[Label | None] = field(default_factory=Counter)

    def add(self, checked: Checked) -> None:
        self.labels[checked.judgement.label] += 1

    def sentence(self) -> str:
        """Return the counts in words: `5 references: 2 exact, 1 minor, 1 major, 1 not checked`."""
        total = self.labels.total()
        words = {
            Label.EXACT: "exact",
            Label.MINOR: "minor",
            Label.MAJOR: "major",
            None: "could not be checked",
        }
        counts = ", ".join(f"{self.labels[label]} {word}" for label, word in words.items())
        return f"{total} reference{'' if total == 1 else 's'}: {counts}"


def describe_completeness(run: Run) -> str:
    """Return how many references were expected and read, and how many problems reading them met."""
    parts = []
    if run.expected is not None and run.extracted is not None and run.expected > run.extracted:
        parts.append(f"the document counts up to {run.expected} references, {run.extracted} were read")
    notes = sum(problem.note for problem in run.problems)
    if problems := len(run.problems) - notes:
        parts.append(f"{problems} problem{'s' if problems > 1 else ''} while reading")
    if notes:
        parts.append(f"{notes} note{'s' if notes > 1 else ''} on the documents")
    return "; ".join(parts)


def describe_sources(run: Run) -> str:
    """Return what a run checked against, in a few words."""
    live = sum(not name.startswith("snapshot") for name in run.sources)
    parts = [*run.snapshots, *([f"{live} live source{'' if live == 1 else 's'}"] if live else [])]
    return ", ".join(parts) or "nothing"


def describe_overrides(run: Run) -> list[str]:
    """Return what of this run is not as shipped, in a few lines: replaced addresses, judge, thresholds."""
    urls = [one for one in run.overrides if one.setting.startswith("urls.")]
    told = [
        f"Not the shipped {one.setting}: {show_line(one.value, 200)} (set by {show_line(one.origin, 200)})"
        for one in run.overrides
        if one not in urls
    ]
    if urls:
        named = ", ".join(
            f"{one.setting.removeprefix('urls.')} {show_line(one.value, 200)} ({show_line(one.origin, 200)})"
            for one in urls[:MANY]
        )
        more = f" and {len(urls) - MANY} more" if len(urls) > MANY else ""
        told.append(f"Not asked at the shipped address: {named}{more}")
    return told


def format_change(one: Change) -> str:
    """Return one change of a correction: `year: 2021 → 2019`, `doi: + 10.1000/x`."""
    field, old, new = show_line(one.field), show_line(one.claimed, 200), show_line(one.resolved, 200)
    if not old:
        return f"{field}: + {new}"
    return f"{field}: {old} → {new}" if new else f"{field}: - {old}"


def describe_outcome(checked: Checked) -> tuple[str, ...]:
    """Return what was found about a reference in a few lines: the result, then each change."""
    head = f"{format_headline(checked)}: {show_line(checked.judgement.explanation, 400)}"
    changes = checked.correction.changes if checked.correction else ()
    told = (f"changed{'' if one.safe else ' (look twice)'} {format_change(one)}" for one in changes)
    return (head, *told)
