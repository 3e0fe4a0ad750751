"""The plain words that every report for people uses, so that all say the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher

from citeproof.answers.serializers.judgements import find_acceptance, identify_judgement
from citeproof.errors import format_count
from citeproof.judgement.compare.venue import is_published_somewhere
from citeproof.judgement.judge.explanation import cite_briefly, find_causes
from citeproof.text import lazy_patterns as re
from citeproof.text.unicode import show_controls
from citeproof.vocabulary import (
    COULD_NOT_CHECK,
    NOT_CHECKED,
    PAUSED,
    Cause,
    Change,
    Checked,
    Compared,
    Finding,
    Found,
    InventionSign,
    Judgement,
    Label,
    Mismatch,
    Override,
    Place,
    Reason,
    Run,
    Unchecked,
    Verdict,
    count_signs,
    find_signs,
    find_unconfirmed,
)
from citeproof.vocabulary.quick_dataclass import dataclass, field

NEAR = 0.7  # a title less alike than this does not help to find the right one
MANY = 3  # replaced addresses that are named one by one
BARE = 100  # characters of a reference that is hardly more than an identifier
LONG_LISTS = 300  # characters of two values from which on it helps to see what exactly differs
SHOWN = 600  # characters of a document's or registry's text that a report for people shows

CAUSES = {cause.value: cause.words for cause in Cause}
_LABEL_WORDS = {
    "EXACT": "exact", "NOTED": "with a note", "MINOR": "minor", "MAJOR": "major",
    "none": NOT_CHECKED,
}  # fmt: skip
_OF_VERSION = ("venue", "doi", "pmid", "pmcid", "acl", "ads")  # what distinguishes versions of a work
_PREPRINTS = (Reason.PREPRINT, Reason.PREPRINT_CITED, Reason.OTHER_SERVER)
_ALIKE = (Reason.SAME, Reason.MARKUP, Reason.CASE, Reason.PUNCTUATION, Reason.FOUND_IN_TEXT)
_IN_SUMMARY = (Reason.NOT_REGISTERED, Reason.MALFORMED)  # identifiers that a summary names one by one
_WORD = re.compile(r"\w+|\s+|[^\w\s]")
_LONGEST = 400  # words; beyond that the cost of aligning them is not worth its while


def show_line(text: str, limit: int = SHOWN) -> str:
    """Return `text` on one line: spaces joined, controls visible, cut at `limit` with an ellipsis."""
    shown = show_controls(" ".join(text[: 4 * limit].split()))
    return shown if len(shown) <= limit and len(text) <= 4 * limit else shown[: limit - 1] + "…"


def format_minute(moment: str) -> str:
    """Return a moment as `2026-11-19 04:51 UTC`."""
    return f"{moment[:16].replace('T', ' ')} UTC"


def join_lines(lines: Iterable[str]) -> str:
    """Return lines as one text, each with its end."""
    return "".join(f"{line}\n" for line in lines)


def list_names(names: Sequence[str]) -> str:
    """Return file names in a row, each safe to show on a terminal."""
    return ", ".join(show_line(name) for name in names)


def format_place(place: Place) -> str:
    """Return a place as file:line:column, as editors and compilers write it."""
    parts = [show_line(place.file), *(str(n) for n in (place.line, place.column) if n is not None)]
    at = ":".join(part for part in parts if part)
    return f"{at}, page {place.page}" if place.page is not None else at


def format_headline(checked: Checked) -> str:
    """Return label and verdict in a few words: `MINOR matched`, `could not check (accepted)`."""
    judgement = checked.judgement
    known = " (accepted)" if is_accepted(checked) else ""
    match judgement.verdict:
        case Verdict.UNCHECKED:
            return f"{COULD_NOT_CHECK}{known}"
        case Verdict.NOT_FOUND:
            return f"{judgement.label} not found{known}"
        case _:
            return f"{judgement.label} {judgement.verdict}{known}"


def list_findings(checked: Checked) -> list[Finding]:
    """Return what was found about the cited work, without what is clear or could not be checked."""
    return [finding for finding in checked.findings if finding.is_finding]


def describe_finding(finding: Finding) -> str:
    """Return a finding in words: its name, then its detail."""
    name = finding.name.replace("_", " ")
    return f"{name}: {finding.detail}" if finding.detail else name


def is_accepted(checked: Checked) -> bool:
    """Return whether the owner accepts what was judged of a reference; a finding may still be new."""
    return find_acceptance(checked, identify_judgement(checked)) is not None


def has_open_id(checked: Checked) -> bool:
    """Return whether a reference is EXACT and no record of the work confirms one of its identifiers."""
    judgement = checked.judgement
    return judgement.label is Label.EXACT and bool(find_unconfirmed(judgement.matched, judgement.candidates))


def describe_acceptance(checked: Checked) -> str:
    """Return why problems of a reference are accepted: `accepted: known from the baseline`."""
    by = {a.reason or f"known from the {a.by}": a.expires for a in checked.accepted}
    each = (f"{why} (until {until})" if until else why for why, until in by.items())
    return show_line(f"accepted: {'; '.join(each)}") if by else ""


def format_score(checked: Checked) -> str:
    """Return score and confidence, empty if there are none."""
    judgement = checked.judgement
    if judgement.score is None:
        return ""
    confidence = None if judgement.confidence is None else min(judgement.confidence, 0.99)  # never 1.00
    sure = "" if confidence is None else f", confidence {confidence:.2f} ({judgement.band})"
    return f"score {judgement.score:.1f}/10{sure}"


def format_title(checked: Checked) -> str:
    """Return what the reference calls itself: its claimed title, else its raw text, and whose it is."""
    reference, matched = checked.reference, checked.judgement.matched
    if not reference.claimed.title and matched is not None and len(reference.raw) <= BARE:
        return show_line(f"{cite_briefly(matched.record)}, “{matched.record.title}” ({reference.raw})", 240)
    return show_line(reference.claimed.title or reference.raw, 160)


def format_summary(checked: Checked) -> str:
    """Return what was found in words, without what a block shows elsewhere."""
    judgement = checked.judgement
    summary = judgement.explanation if judgement.summary is None else judgement.summary
    return show_line(f"{_explain_note(judgement)} {summary}{describe_invention(judgement)}", 2000)


def describe_invention(judgement: Judgement) -> str:
    """Return a sentence, a space before it, with the signs of invention; the verdict says what is nowhere."""
    each = [sign.words for sign in find_signs(judgement) if sign is not InventionSign.FOUND_NOWHERE]
    return f" {'Signs' if len(each) > 1 else 'Sign'} of invention: {', '.join(each)}." if each else ""


def _explain_note(judgement: Judgement) -> str:
    """Return what may explain the differences of a citation that passed with a note; empty: no note."""
    if judgement.label is not Label.NOTED or judgement.matched is None:
        return ""
    if all(note.reason is Reason.UNCONFIRMED for note in judgement.notes):
        return "Identifier not confirmed: no record of the work has one of its kind."
    named = any(
        c.field in _OF_VERSION and c.outcome.agrees and c.reason not in _PREPRINTS
        for c in judgement.matched.comparisons
    )
    if not named and is_published_somewhere(judgement.matched.record):
        return "The published version differs: please check; `citeproof fix --unsafe` updates the citation."
    return "Citation and record differ: please check which is right."


def list_differences(judgement: Judgement) -> list[Mismatch]:
    """Return the differences to show in a table: all that the summary does not name already."""
    said = judgement.summary or ""
    titles = {m.resolved for m in judgement.decisive if m.field == "title"}
    return [
        m
        for m in judgement.decisive
        if (m.reason not in _IN_SUMMARY or m.claimed not in said)
        and (m.field == "title" or m.resolved not in titles)  # where an identifier leads is shown once
    ]


def describe_reason(mismatch: Mismatch) -> str:
    """Return what a reason means, and its code; of long lists also what exactly differs."""
    long = len(mismatch.claimed) + len(mismatch.resolved) > LONG_LISTS
    exactly = f"; {mismatch.detail}" if mismatch.detail and long else ""
    return f"{mismatch.reason.meaning.rstrip('.')}{exactly} ({mismatch.reason})"


def describe_note(note: Mismatch) -> str:
    """Return a difference that does not count: what is cited, what the record has, and what it is called."""
    cited, known = show_line(note.claimed, 200), show_line(note.resolved, 200) or "nothing"
    why = f"{note.reason}; it may be another version"
    return f"{show_line(note.field)}: cited {cited}; the record has {known} ({why})"


def describe_record(checked: Checked, *, ids: bool = True) -> str:
    """Return the matched record, with its title where that is not shown elsewhere; `ids`: and its own id."""
    judgement = checked.judgement
    if judgement.matched is None:
        return ""
    title, record = judgement.matched.of("title"), judgement.matched.record
    alike = title is not None and title.reason in _ALIKE
    shown = alike or has_title_difference(judgement)
    work = cite_briefly(record) if shown else f"“{record.title}”, {cite_briefly(record)}"
    return f"{show_line(work)}; {format_record(judgement.matched, ids=ids)}"


def has_title_difference(judgement: Judgement) -> bool:
    """Return whether the table of differences shows both titles."""
    return any(m.field == "title" for m in list_differences(judgement))


def describe_evidence(checked: Checked) -> str:
    """Return the evidence of the verdict: the record, the sources asked, or why none could answer."""
    judgement = checked.judgement
    match judgement.verdict:
        case Verdict.NOT_FOUND:
            return f"no record found; asked: {describe_answers(checked)}"
        case Verdict.UNCHECKED if Reason.NOT_SURE_ENOUGH in judgement.reasons and judgement.matched:
            return format_record(judgement.matched)
        case Verdict.UNCHECKED:
            return f"{COULD_NOT_CHECK}: {describe_causes(checked)}"
        case _:
            return format_record(judgement.matched) if judgement.matched else describe_answers(checked)


def format_record(compared: Compared, *, ids: bool = True) -> str:
    """Return a record as source, its own id (with `ids`) and its DOI."""
    record = compared.record
    doi = record.ids.first("doi")
    named = f"{record.source} {record.id}" if ids else record.source.partition(":")[0]
    named = show_line(named)
    return f"{named}, doi:{show_line(doi)}" if doi else named


def describe_answers(checked: Checked) -> str:
    """Return every source that answered, with its questions and the number of records."""
    answers: dict[str, list[str]] = {}
    for lookup in checked.retrieved.lookups:
        if not isinstance(lookup, Unchecked):
            count = f" ({len(lookup.records)})" if isinstance(lookup, Found) else ""
            answers.setdefault(show_line(lookup.source), []).append(lookup.by + count)
    return "; ".join(f"{source} by {', '.join(by)}" for source, by in answers.items()) or "no source answered"


def describe_causes(checked: Checked) -> str:
    """Return why no source could decide it: each source with its reason and its questions."""
    asked_by: dict[tuple[str, str], dict[str, None]] = {}
    for lookup, why in find_causes(checked.retrieved.lookups):
        asked_by.setdefault((show_line(lookup.source), show_line(why)), {})[lookup.by] = None
    alike: dict[tuple[str, str], list[str]] = {}
    for (source, why), by in asked_by.items():
        alike.setdefault((why, ", ".join(by)), []).append(source)
    causes = (f"{', '.join(sources)}: {why} (asked by {by})" for (why, by), sources in alike.items())
    return "; ".join(causes) or "no source was asked"


def name_causes(checked: Checked) -> str:
    """Return why no source could settle it in the fewest words, the same for all with the same causes."""
    if checked.judgement.matched is not None:
        return show_line(checked.judgement.explanation.partition(":")[0], 200)
    causes: dict[str, dict[str, None]] = {}
    for lookup, why in find_causes(checked.retrieved.lookups):
        cause = show_line(why.replace(PAUSED, ""), 200)  # whether asked or spared: shown once
        causes.setdefault(cause, {})[show_line(lookup.source, 80)] = None
    lines = (f"{', '.join(sources)}: {why}" for why, sources in causes.items())
    return "; ".join(sorted(lines)) or "no source was asked"


def describe_nearest(checked: Checked, *, ids: bool = True) -> str:
    """Return the candidate most like a reference that was not found or not checked, if there is one."""
    judgement = checked.judgement
    if judgement.matched is not None or not judgement.candidates:
        return ""
    best = max(judgement.candidates, key=lambda candidate: candidate.title_similarity)
    if best.title_similarity < NEAR:
        return ""
    return (
        f"“{show_line(best.record.title, 160)}” ({format_record(best, ids=ids)}), "
        f"{best.title_similarity:.0%} alike"
    )


@dataclass(slots=True)
class VerdictTally:
    """Counts that grow while references pass by."""

    labels: Counter[Label | None] = field(default_factory=Counter)
    signs: Counter[str] = field(default_factory=Counter)
    accepted: int = 0  # problems, of references of any label
    blocking: Counter[str] = field(default_factory=Counter)  # findings that fail the run

    def add(self, checked: Checked) -> None:
        self.labels[checked.judgement.label] += 1
        self.signs += count_signs(checked.judgement.label, find_signs(checked.judgement))
        self.accepted += len(checked.accepted)
        self.blocking += Counter(finding.name for finding in checked.findings if finding.blocks)

    def sentence(self) -> str:
        """Return the counts in words, as `describe_labels` does, and what is accepted."""
        known = f"; {format_count(self.accepted, 'problem')} accepted" if self.accepted else ""
        labels = {str(label or "none"): n for label, n in self.labels.items()}
        blocking = "".join(f"; {n:,} {name.replace('_', ' ')}" for name, n in sorted(self.blocking.items()))
        return f"{describe_labels(labels, self.signs)}{blocking}{known}"


def describe_labels(labels: Mapping[str, int], signs: Mapping[str, int]) -> str:
    """Return counts in words: `4 references: 1 exact, 2 with a note, 1 minor, 0 major, …`.

    What has no label is counted under "none". Signs of invention follow, if there are any, and the slips.
    """
    counts = ", ".join(f"{labels.get(label, 0):,} {word}" for label, word in _LABEL_WORDS.items())
    return f"{format_count(sum(labels.values()), 'reference')}: {counts}{describe_signs(signs)}"


def describe_signs(signs: Mapping[str, int]) -> str:
    """Return `; 2 with signs of invention (1 chimera, 1 found nowhere), 3 with slips only`, or nothing."""
    if not signs.get("any"):
        return ""
    each = ", ".join(f"{count:,} {sign.words}" for sign in InventionSign if (count := signs.get(sign, 0)))
    slips = f", {signs['slips']:,} with slips only" if signs.get("slips") else ""
    return f"; {signs['any']:,} with signs of invention ({each}){slips}"


def describe_completeness(run: Run, *, keys: bool = False) -> str:
    """Return how many references were expected and read, with how many problems, and `keys` without entry."""
    parts = []
    undefined = sum(problem.finding == "undefined_key" for problem in run.problems)
    counted = (run.expected or 0) - undefined
    if run.extracted is not None and counted > run.extracted:
        parts.append(f"the document counts up to {counted} references, {run.extracted} were read")
    if undefined and keys:
        parts.append(f"{undefined} cited key{'s have' if undefined > 1 else ' has'} no entry to check")
    own = [problem for problem in run.problems if not problem.finding]
    notes = sum(problem.note for problem in own)
    if problems := len(own) - notes:
        parts.append(f"{problems} problem{'s' if problems > 1 else ''} while reading")
    if notes:
        parts.append(f"{notes} note{'s' if notes > 1 else ''} on the documents")
    return "; ".join(parts)


def describe_log(path: str, root: str) -> str:
    """Return where a run was logged, with the root of the log's tree, cut."""
    return f"audit log: {show_line(path)} (Merkle root: {root[:6]}…{root[-4:]})"


def describe_overrides(run: Run) -> list[str]:
    """Return what of this run is not as shipped, in a few lines: replaced addresses, judge, thresholds."""
    urls = [override for override in run.overrides if override.setting.startswith("urls.")]
    lines = [
        f"{_name_override(o)}: {show_line(o.value, 200)} (set by {show_line(o.origin, 200)})"
        for o in run.overrides
        if o not in urls
    ]
    if urls:
        named = ", ".join(
            f"{url.setting.removeprefix('urls.')} {show_line(url.value, 200)} ({show_line(url.origin, 200)})"
            for url in urls[:MANY]
        )
        more = f" and {len(urls) - MANY} more" if len(urls) > MANY else ""
        lines.append(f"Not asked at the shipped address: {named}{more}")
    return lines


def _name_override(override: Override) -> str:
    named = {"lists_pin": "Lists pinned", "snapshots": "Snapshot that you neither built nor pulled"}
    return named.get(override.setting, f"Not the shipped {override.setting}")


def format_change(change: Change) -> str:
    """Return one change of a correction: `year: 2021 → 2019`, `doi: + 10.1000/x`."""
    field, old, new = show_line(change.field), show_line(change.claimed, 200), show_line(change.resolved, 200)
    if not old:
        return f"{field}: + {new}"
    return f"{field}: {old} → {new}" if new else f"{field}: - {old}"


def describe_outcome(checked: Checked) -> tuple[str, ...]:
    """Return what was found about a reference in a few lines: the result, then each change."""
    headline, said = format_headline(checked), show_line(checked.judgement.explanation, 400)
    head = said if said.lower().startswith(headline.lower()) else f"{headline}: {said}"
    changes = checked.correction.changes if checked.correction else ()
    noted = checked.label is Label.NOTED  # and stays as it is cited
    doubtful = "please check" if noted else "changed (please check)"
    lines = (f"{'changed' if change.safe else doubtful} {format_change(change)}" for change in changes)
    return (head, *lines)


@dataclass(frozen=True, slots=True)
class WordPiece:
    """A stretch of one value, and whether it is missing in the other."""

    text: str
    changed: bool


def split_differences(mine: str, theirs: str) -> tuple[list[WordPiece], list[WordPiece]]:
    """Return both values in pieces; those that only one of them has are marked."""
    left, right = (_WORD.findall(show_line(value)) for value in (mine, theirs))
    if len(left) > _LONGEST or len(right) > _LONGEST:
        return [WordPiece("".join(left), changed=True)], [WordPiece("".join(right), changed=True)]
    match = SequenceMatcher(None, [w.casefold() for w in left], [w.casefold() for w in right], autojunk=False)
    ours: list[WordPiece] = []
    others: list[WordPiece] = []
    for kind, a, b, c, d in match.get_opcodes():
        if a < b:
            ours.append(WordPiece("".join(left[a:b]), kind != "equal"))
        if c < d:
            others.append(WordPiece("".join(right[c:d]), kind != "equal"))
    return ours, others
