"""A stored run as its pages need it: how far it is, its references as JSON, what people decided."""

from __future__ import annotations

import json
import threading
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import msgspec

from citeproof.answers import serializers
from citeproof.answers.reporters.html.reference_view import has_finding
from citeproof.answers.serializers import Json, build_run_json
from citeproof.answers.serializers.grounded_claims import build_claims_json
from citeproof.answers.serializers.judgements import build_set_finding_json
from citeproof.claims.trace import list_trace
from citeproof.plumbing.stores.decision_store import DecisionChoice, DecisionStore, RunDecision
from citeproof.plumbing.stores.job_store import Job, JobStore
from citeproof.service.input_documents import GROUND
from citeproof.service.job_reports import read_report
from citeproof.service.job_work import JobHead, JobTail
from citeproof.service.stored_values import StaleValueError, decode_value
from citeproof.surfaces.web.page_frame import DECISIONS, give_advice
from citeproof.text.unicode import show_controls

CHECK, CLAIMS = "check", "ground"  # kinds of runs
_KEPT = 8  # ended runs whose references stay in memory


@dataclass(frozen=True, slots=True)
class RunView:
    """One run. `base` is where its pages are; a run that is shared with others cannot be changed there."""

    id: str
    kind: str
    state: str
    name: str  # its documents, in a few words
    created: str
    base: str
    done: int = 0
    total: int | None = None
    error: str = ""
    counts: Mapping[str, int] = field(default_factory=dict)  # of labels or of statuses, once it is done
    head: Json | None = None  # of the report: `run`, and what is known without the results
    references: Mapping[int, Json] = field(default_factory=dict)  # that are there, by number, from 0
    findings: Sequence[Json] = ()  # about references together
    claims: Json | None = None  # the report on claims, if it is about claims
    decisions: Mapping[int, RunDecision] = field(default_factory=dict)  # by number of the reference, from 0
    shared: str = ""  # the address under which others can read it
    read_only: bool = False
    batch: str = ""  # the address of the documents that were handed over with it

    @property
    def ended(self) -> bool:
        """Whether nothing more will come."""
        return self.state not in ("queued", "running")

    @property
    def documents(self) -> list[str]:
        """The names of what was handed over."""
        return list(self.head["run"]["documents"]) if self.head else []

    @property
    def problems(self) -> list[Json]:
        """What could not be read of them."""
        return list(self.head["run"]["problems"]) if self.head else []


@dataclass(slots=True)
class DocumentTally:
    """The counts of one document of a run."""

    file: str
    labels: Counter[str | None] = field(default_factory=Counter)
    findings: int = 0
    unread: bool = False

    def rank(self) -> tuple[int, ...]:
        """Return what the worst document has least of."""
        return (-self.labels["MAJOR"], -self.labels["MINOR"], -self.findings, -self.labels[None])


def count_labels(references: Iterable[Json]) -> Counter[str | None]:
    """Return how many references have each label; None: could not be checked."""
    return Counter(reference["label"] for reference in references)


def tally_documents(run: RunView) -> list[DocumentTally]:
    """Return the counts of each document, the worst first."""
    tallies = {name: DocumentTally(name) for name in run.documents}
    for reference in run.references.values():
        file = find_document(reference["location"]["file"], tallies)
        tally = tallies.setdefault(file, DocumentTally(file))
        tally.labels[reference["label"]] += 1
        tally.findings += has_finding(reference)
    for problem in run.problems:
        file = find_document(problem["location"]["file"], tallies)
        if file in tallies and not problem["note"] and not tallies[file].labels.total():
            tallies[file].unread = run.ended
    inside = any("!/" in name for name in tallies)
    shown = [tally for tally in tallies.values() if tally.labels.total() or tally.unread or not inside]
    return sorted(shown, key=DocumentTally.rank)


def find_document(file: str, documents: Mapping[str, object] | Sequence[str]) -> str:
    """Return the document that a file belongs to: itself, also in an archive, or the only one there is."""
    if file in documents or "!/" in file:
        return file
    return next(iter(documents)) if len(documents) == 1 else file


class RunLoader:
    """Makes what pages show of a job. Safe between threads."""

    def __init__(self, jobs: JobStore, decisions: DecisionStore) -> None:
        self._jobs, self._decisions = jobs, decisions
        self._ended: OrderedDict[str, Mapping[int, Json]] = OrderedDict()
        self._lock = threading.Lock()

    def load(self, job: Job, base: str, *, read_only: bool = False) -> RunView:
        """Return a run with all that is stored of it."""
        run = replace(
            make_brief(job, base),
            decisions=self._decisions.load(job.id),
            shared=self._decisions.find_address(job.id),
            read_only=read_only,
        )
        if job.kind == GROUND:
            claims = self._load_claims(job)
            return replace(run, claims=claims, head={"run": claims["run"]} if claims else None)
        references = self._load_references(job)
        head = _decode_head(job, references.values())
        return replace(run, head=head, references=references, findings=_list_findings(job))

    def _load_references(self, job: Job) -> Mapping[int, Json]:
        with self._lock:
            if (known := self._ended.get(job.id)) is not None:
                self._ended.move_to_end(job.id)
                return known
        references = {n: msgspec.json.decode(body) for n, body in self._jobs.read_bodies(job.id)}
        if job.state.ended:
            with self._lock:
                self._ended[job.id] = references
                while len(self._ended) > _KEPT:
                    self._ended.popitem(last=False)
        return references

    def _load_claims(self, job: Job) -> Json | None:
        if job.head is None:
            return None
        made = build_claims_json(read_report(self._jobs, job).ground(), list_trace)
        return dict(msgspec.json.decode(msgspec.json.encode(made)))


def merge_batches(runs: Iterable[RunView], batches: Mapping[str, str]) -> list[RunView]:
    """Return the rows of a list of runs: what was handed over together is one."""
    groups: dict[str, list[RunView]] = {}
    for run in runs:
        groups.setdefault(batches.get(run.id, run.id), []).append(run)
    return [
        replace(
            group[-1],
            name=f"{len(group)} documents: {group[-1].name}, …",
            base=f"/batches/{batch}",
            state=next((run.state for run in group if not run.ended), "done"),
            done=sum(run.done for run in group),
            total=sum(run.total or 0 for run in group),
            counts=sum((Counter(run.counts) for run in group), Counter[str]()),
        )
        if len(group) > 1
        else group[0]
        for batch, group in groups.items()
    ]


def make_brief(job: Job, base: str) -> RunView:
    """Return a run without its results, for a list of runs."""
    created = datetime.fromtimestamp(job.created, UTC).isoformat(timespec="seconds")
    options = msgspec.json.decode(job.options)
    name = options.get("title") or options.get("name") or job.id
    message, place, hint = [*job.error.split("\n"), "", ""][:3]
    error = message + f" ({place})" * (place not in ("", name))
    if hint:
        error += f". Hint: {give_advice(hint)}"
    return RunView(
        job.id, job.kind, job.state.value, name, created, base, done=job.done, total=job.total,
        error=error, counts=dict(tail.counts) if (tail := _decode_tail(job)) else {},
    )  # fmt: skip


def _list_findings(job: Job) -> list[Json]:
    tail = _decode_tail(job)
    return [build_set_finding_json(finding) for finding in tail.findings] if tail else []


def _decode_head(job: Job, references: Iterable[Json]) -> Json | None:
    if job.head is None:
        return None
    try:
        return {"run": build_run_json(decode_value(JobHead, job.head).run, references)}
    except StaleValueError:
        return None


def _decode_tail(job: Job) -> JobTail | None:
    try:
        return decode_value(JobTail, job.tail) if job.tail is not None else None
    except StaleValueError:
        return None


_LISTED = (DecisionChoice.ACCEPT, DecisionChoice.DISPUTE)  # what is put on the ignore list


def write_ignore_list(run: RunView) -> str:
    """Return the accepted and disputed problems as a list for `citeproof check --ignore FILE`."""
    lines = ["# What people decided on the web page of citeproof; for `citeproof check --ignore FILE`.\n"]
    for number, decision in sorted(run.decisions.items()):
        if decision.choice in _LISTED and number in run.references:
            reference = run.references[number]
            note = " ".join(show_controls(" ".join(decision.note.split())).split())
            reason = (
                f"{DECISIONS[decision.choice].capitalize()} on {decision.at[:10]}{': ' if note else '.'}"
                f"{note}"
            )
            lines += [_write_entry(each, reference, reason) for each in list_problem_fingerprints(reference)]
    return "".join(lines)


def list_problem_fingerprints(reference: Json) -> Iterator[str]:
    """Yield by what each problem of a reference is known: its judgement unless EXACT, and each finding."""
    if reference["label"] != "EXACT":
        yield reference["fingerprint"]
    for finding in reference["findings"]:
        if finding["state"] == "finding":
            yield finding["fingerprint"]


def _write_entry(fingerprint: str, reference: Json, reason: str) -> str:
    about = show_controls(" ".join(reference["key"].split()))[:80]
    quoted = json.dumps(reason[:2000])  # a basic string of TOML is written as one of JSON
    return f'\n[[ignore]]  # {about}\nid = "{fingerprint}"\nreason = {quoted}\n'


def write_decisions(run: RunView) -> str:
    """Return all decisions as JSON."""
    rows = [
        {
            "number": number + 1,
            "key": run.references[number]["key"],
            "fingerprint": run.references[number]["fingerprint"],
            "decision": decision.choice.value,
            "note": decision.note,
            "at": decision.at,
        }
        for number, decision in sorted(run.decisions.items())
        if number in run.references
    ]
    return (
        serializers.dump_pretty({"schema": "citeproof/decisions/1", "run": run.id, "decisions": rows}) + "\n"
    )
