"""Stored jobs as the runs that pages show."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import msgspec

from citeproof.claims.trace import list_trace
from citeproof.serializers import Json, build_run_json
from citeproof.serializers.grounded_claims import build_claims_json
from citeproof.serializers.judgements import build_set_finding_json
from citeproof.service.job_reports import read_report
from citeproof.service.job_requests import GROUND
from citeproof.service.job_work import JobHead, JobTail
from citeproof.service.stored_values import StaleValueError, decode_value
from citeproof.stores.decision_store import DecisionStore
from citeproof.stores.job_store import Job, JobStore
from citeproof.surfaces.web.run_view import RunView

_KEPT = 8  # ended runs whose references stay in memory


class RunLoader:
    """Makes what pages show of a job. Safe between threads."""

    def __init__(self, jobs: JobStore, decisions: DecisionStore) -> None:
        self._jobs, self._decisions = jobs, decisions
        self._ended: OrderedDict[str, Sequence[Json]] = OrderedDict()
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
        head = _decode_head(job, references)
        return replace(run, head=head, references=references, findings=_decode_findings(job))

    def _load_references(self, job: Job) -> Sequence[Json]:
        with self._lock:
            if (known := self._ended.get(job.id)) is not None:
                self._ended.move_to_end(job.id)
                return known
        found = [msgspec.json.decode(one) for one in self._jobs.read_results(job.id)]
        if job.state.ended:
            with self._lock:
                self._ended[job.id] = found
                while len(self._ended) > _KEPT:
                    self._ended.popitem(last=False)
        return found

    def _load_claims(self, job: Job) -> Json | None:
        if job.head is None:
            return None
        made = build_claims_json(read_report(self._jobs, job).ground(), list_trace)
        return dict(msgspec.json.decode(msgspec.json.encode(made)))


def make_brief(job: Job, base: str) -> RunView:
    """Return a run without its results, for a list of runs."""
    created = datetime.fromtimestamp(job.created, UTC).isoformat(timespec="seconds")
    name = msgspec.json.decode(job.options).get("name", "") or job.id
    message, place, hint = [*job.error.split("\n"), "", ""][:3]
    error = message + f" ({place})" * bool(place) + f". Hint: {hint}" * bool(hint)
    return RunView(
        job.id, job.kind, job.state.value, name, created, base, done=job.done, total=job.total, error=error
    )


def _decode_head(job: Job, references: Sequence[Json]) -> Json | None:
    if job.head is None:
        return None
    try:
        return {"run": build_run_json(decode_value(JobHead, job.head).run, references)}
    except StaleValueError:
        return None


def _decode_findings(job: Job) -> list[Json]:
    if job.tail is None:
        return []
    try:
        return [build_set_finding_json(one) for one in decode_value(JobTail, job.tail).findings]
    except StaleValueError:
        return []
