"""What a run prints on standard error: what could not be read, what was sent, where it is logged."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from citeproof.answers.reporters import wording
from citeproof.answers.reporters.wording import show_line
from citeproof.errors import format_count
from citeproof.surfaces.cli.status_line import SIGN
from citeproof.vocabulary import (
    MEMORY,
    PAUSED,
    Checked,
    GroundedClaim,
    Label,
    LookupTiming,
    Problem,
    Retrieval,
    Step,
    StopReason,
    Unchecked,
)

if TYPE_CHECKING:
    from citeproof.judgement.models.base import LanguageModel
    from citeproof.plumbing.net.client import Client
    from citeproof.plumbing.net.message import SentRequest
    from citeproof.service.exit_codes import RunOutcome
    from citeproof.verifier import ReferenceVerifier

LONGEST = 20_000  # characters of an address; it is shown whole

_SNAPSHOT = "snapshot"  # begins the source of requests to a snapshot's server, which is no registry either
_OWN = (_SNAPSHOT, MEMORY)  # begin what answers without a registry
_LLM = "llm"  # the source of requests to a language model, which is no registry
_AT_HAND = (StopReason.DECIDED_AT_HAND, StopReason.RECALLED)


class LookupCounter:
    """An observer that counts how lookups were answered, and how many references are checked."""

    def __init__(self) -> None:
        self.labels: Counter[Label | None] = Counter()  # of references that are checked, in whatever order
        self.tell: Callable[[str], None] | None = None  # is reported each lookup
        self.kept: Counter[str] = Counter()  # lookups answered by an earlier answer, by source
        self.model_questions = 0  # to a language model
        self.model_gaps: Counter[str] = Counter()  # those that it did not answer, by cause
        self.at_hand = 0  # references about which no registry had to be asked
        self.spared = self.heard = False  # a registry was left alone because it failed; one answered
        self._finished: dict[int, Checked] = {}  # checked, but an earlier reference is not

    def watch(self, checked: Iterable[Checked]) -> Iterator[Checked]:
        """Yield what comes, unchanged, and remember that it did."""
        for reference in checked:
            self._finished.pop(id(reference), None)
            yield reference

    def take_finished(self) -> list[Checked]:
        """Return what was checked while an earlier reference of its document was still waiting."""
        finished, self._finished = list(self._finished.values()), {}
        return sorted(finished, key=_get_position)

    def note_step(self, step: Step) -> None:
        """Note one step of the path."""
        if isinstance(step.value, LookupTiming):
            self.kept[step.value.source] += step.value.kept
            if self.tell:
                self.tell(_format_lookup(step.key, step.value))
        elif isinstance(step.value, Checked):
            self.labels[step.value.judgement.label] += 1
            self._finished[id(step.value)] = step.value
            for lookup in step.value.retrieved.lookups:
                self.spared |= isinstance(lookup, Unchecked) and lookup.detail.startswith(PAUSED)
                self.heard |= not isinstance(lookup, Unchecked) and not lookup.source.startswith(_OWN)
            provenance = step.value.judgement.provenance
            if provenance is not None and provenance.llm is not None:
                self.model_questions += len(provenance.llm.exchanges)
                self.model_gaps.update(gap.cause for gap in provenance.llm.gaps)
        elif isinstance(step.value, Retrieval):
            self.at_hand += any(stop.reason in _AT_HAND for stop in step.value.stops)

    def count_claim_questions(self, claims: Iterable[GroundedClaim]) -> None:
        """Count what a language model was asked about the texts of claims."""
        supports = [claim.support.llm for claim in claims if claim.support and claim.support.llm]
        exchanges = [question.exchange for each in supports for question in each.asked]
        self.model_questions += len(exchanges)
        self.model_gaps.update(exchange.cause for exchange in exchanges if exchange.cause)


def _get_position(checked: Checked) -> tuple[int, ...]:
    place = checked.reference.place
    return (place.page or 0, place.line or 0, place.start or 0, place.column or 0)


def _format_lookup(key: str, lookup: LookupTiming) -> str:
    how = "kept answer" if lookup.kept else f"{lookup.seconds:.1f} s"
    asked = f"{show_line(key, 80)}: asked {show_line(lookup.source)} by {show_line(lookup.by)}"
    return f"{asked}: {lookup.outcome.replace('_', ' ')} ({how})"


def print_warnings(trouble: Iterable[str]) -> None:
    """Print what a user has set or made and a run does not use, and why."""
    for text in trouble:
        SIGN.clear()
        print(f"warning: {show_line(text, LONGEST)}", file=sys.stderr)


def print_network_report(verifier: ReferenceVerifier, watch: LookupCounter, *, explain: bool) -> None:
    """Print what left the machine, if that is wanted, and why answers could not be stored."""
    client = _get_client(verifier)
    sent = client.sent if client else ()
    sys.stdout.flush()  # the report comes first, wherever both go
    if client and client.trouble:
        print(f"warning: {show_line(client.trouble)}", file=sys.stderr)
    asked = [r for r in sent if r.source != _LLM and not r.source.startswith(_SNAPSHOT)]
    if (asked and not any(request.outcome.isdecimal() for request in asked)) or (
        watch.spared and not asked and not watch.heard
    ):
        print("warning: no registry could be reached; is this machine online?", file=sys.stderr)
        hint = "check the connection, or use --offline with a snapshot: citeproof index starter makes one"
        print(f"  hint: {hint}", file=sys.stderr)
    for text in _explain_traffic(sent, watch, offline=verifier.offline) if explain else ():
        print(text, file=sys.stderr)


def print_requests(sent: Sequence[SentRequest]) -> None:
    """Print what left the machine, for a command that asks no source."""
    for text in _explain_traffic(sent, LookupCounter(), offline=False):
        print(text, file=sys.stderr)


def _get_client(verifier: ReferenceVerifier) -> Client | None:
    if verifier.client is None:
        return None
    from citeproof.plumbing.net.client import Client  # noqa: PLC0415 - an offline run need not load it

    return verifier.client if isinstance(verifier.client, Client) else None


def add_traffic(verifier: ReferenceVerifier, sent: Sequence[SentRequest]) -> None:
    """Add what left the machine before the run, to fetch documents, to what the run sends."""
    if sent and (client := _get_client(verifier)):
        client.sent.extend(sent)


def list_waiting(verifier: ReferenceVerifier) -> Callable[[], Mapping[str, str]]:
    """Return what lists which sources a run waits for, and why."""
    client = _get_client(verifier)
    return client.waiting.list_reasons if client else dict


def _explain_traffic(sent: Sequence[SentRequest], watch: LookupCounter, *, offline: bool) -> Iterator[str]:
    """Yield the lines: a sum, then each source with host, size and every address."""
    if not sent:
        yield f"network: nothing left the machine{' (offline)' if offline else ''}"
    else:
        count, total = format_count(len(sent), "request"), sum(request.sent_bytes for request in sent)
        yield f"network: {count} left the machine, {total:,} bytes of addresses and bodies"
    for source, host in sorted({(request.source, _find_host(request)) for request in sent}):
        own = [request for request in sent if (request.source, _find_host(request)) == (source, host)]
        size = sum(request.sent_bytes for request in own)
        yield f"  {show_line(source)}  {show_line(host)}  {format_count(len(own), 'request')}, {size:,} bytes"
        yield from (f"    {_format_request(request)}" for request in own)
    if kept := +watch.kept:
        each = ", ".join(f"{source} {count}" for source, count in sorted(kept.items()))
        yield f"  answered from kept answers: {format_count(watch.kept.total(), 'lookup')} ({each})"
    if watch.at_hand:
        yield f"  decided by snapshots alone: {format_count(watch.at_hand, 'reference')}"


def _format_request(request: SentRequest) -> str:
    body = f" with {show_line(request.body, LONGEST)}" if request.body else ""
    return f"{request.method} {show_line(request.url, LONGEST)}{body}  {show_line(request.outcome)}"


def _find_host(request: SentRequest) -> str:
    try:
        return urlsplit(request.url).netloc
    except ValueError:  # an address out of a document, such as http://[x
        return "no valid host"


@contextmanager
def print_notices_afterwards(
    verifier: ReferenceVerifier, watch: LookupCounter, *, explain: bool, root_in_report: bool = False
) -> Iterator[None]:
    """Run the block, then print the notices, however it ends: what has left the machine is always reported.

    `root_in_report`: the report itself shows where the run was logged, if there is one.
    """
    reported = False
    try:
        yield
        reported = root_in_report
    finally:
        print_run_notices(verifier, watch, explain=explain, root_in_report=reported)


def print_run_notices(
    verifier: ReferenceVerifier, watch: LookupCounter, *, explain: bool, root_in_report: bool = False
) -> None:
    """Print what left the machine, if that is wanted, and where the run was logged."""
    print_network_report(verifier, watch, explain=explain)
    _print_memory_notice(verifier)
    _print_model_notice(verifier, watch)
    _print_audit_notice(verifier, root_in_report=root_in_report)


def _print_memory_notice(verifier: ReferenceVerifier) -> None:
    """Print why the memory of verified works could not be used, or not all of it."""
    if verifier.memory is None or not verifier.memory.trouble:
        return
    print(f"warning: {wording.show_line(verifier.memory.trouble)}", file=sys.stderr)
    print("  hint: the report is complete without it; the next run looks works up anew", file=sys.stderr)


def _print_model_notice(verifier: ReferenceVerifier, watch: LookupCounter) -> None:
    """Print what the language model cost, how many questions it did not answer, and why."""
    model = getattr(verifier.reviewer, "language_model", None)
    if verifier.offline and verifier.reviewer is not None and verifier.client is None:
        _print_offline_model()
        return
    if model is not None:
        _print_model_cost(model)
    if not watch.model_gaps:
        return
    gaps, asked = watch.model_gaps.total(), watch.model_questions
    causes = ", ".join(f"{cause.replace('_', ' ')} {n:,}" for cause, n in watch.model_gaps.most_common())
    what = f"{gaps:,} of {asked:,} question{'s' * (asked != 1)}"
    print(f"warning: the language model did not answer {what} ({causes})", file=sys.stderr)
    if reason := _explain_given_up(model):
        print(f"  it was not asked any more: {wording.show_line(reason)}", file=sys.stderr)
    print("  hint: those judgements are made without it; --format json shows each gap", file=sys.stderr)


def print_given_up(model: LanguageModel) -> None:
    """Print that a run did not ask its language model, or no more, and why; nothing if it did."""
    from citeproof.judgement.models.base import OfflineModel  # noqa: PLC0415 - only with a model

    if isinstance(model, OfflineModel):
        _print_offline_model()
    if reason := _explain_given_up(model):
        print(
            f"warning: the language model was not asked any more: {wording.show_line(reason)}",
            file=sys.stderr,
        )


def _print_offline_model() -> None:
    print("warning: the language model was not asked: the run is offline", file=sys.stderr)
    print("  hint: run without --offline, or leave --llm out", file=sys.stderr)


def _print_model_cost(model: LanguageModel) -> None:
    """Print what a run asked of its language model and what that cost, as far as the price is known."""
    from citeproof.judgement.models.served_model import ServedModel  # noqa: PLC0415 - only with a model
    from citeproof.judgement.models.spending import format_dollars  # noqa: PLC0415 - same

    if not isinstance(model, ServedModel) or not (model.spending.requests or model.recalled):
        return
    spent, tokens = model.spending.spent, model.spending.usage
    cost = "price unknown" if spent is None else f"${format_dollars(spent)}"
    used = f"{format_count(model.spending.requests, 'request')}, {tokens.input + tokens.output:,} tokens"
    kept = f"; {format_count(model.recalled, 'answer')} from the cache" if model.recalled else ""
    print(f"language model: {used}, {cost}{kept}", file=sys.stderr)


def _explain_given_up(model: LanguageModel | None) -> str:
    """Return why the run stopped asking its language model; empty if it did not."""
    from citeproof.judgement.models.served_model import GIVE_UP_AFTER, ServedModel  # noqa: PLC0415 - only with a model

    last = model.given_up if isinstance(model, ServedModel) else None
    return f"{GIVE_UP_AFTER} questions in a row had no reply ({last.detail})" if last else ""


def _print_audit_notice(verifier: ReferenceVerifier, *, root_in_report: bool) -> None:
    """Print where the run was logged, the root that was signed, and what an anchor could not take."""
    if verifier.keeper is None:
        return
    from citeproof.proof.audit.run_recorder import RunRecorder  # noqa: PLC0415 - a run without a log need not load it

    keeper = verifier.keeper
    if not isinstance(keeper, RunRecorder) or (sealed := keeper.sealed) is None:
        return
    sys.stdout.flush()  # the report comes first, wherever both go
    if not root_in_report:
        notice = wording.describe_log(str(keeper.place), sealed.root.hex())
        print(notice, file=sys.stderr)
    for outcome in sealed.outcomes:
        if not outcome.ok:
            notice = f"{outcome.name}: {outcome.detail or outcome.place}"
            print(f"warning: the log is not anchored at {wording.show_line(notice)}", file=sys.stderr)


def print_problems(problems: Iterable[Problem], *, notes: bool = True) -> None:
    """Print on standard error what could not be read; `notes`: also what cost no reference."""
    for problem in problems:
        if notes or not problem.note:
            print(_format_problem(problem), file=sys.stderr)


def print_written_reports(problems: Iterable[Problem], outcome: RunOutcome, files: Sequence[str]) -> None:
    """Print what a person wants to know of reports in files: what could not be read, the counts, where."""
    print_problems(problem for problem in problems if problem.whole)
    print(
        wording.VerdictTally(outcome.labels, outcome.signs, blocking=outcome.blocking).sentence(),
        file=sys.stderr,
    )
    print(f"report: {wording.list_names(files)}", file=sys.stderr)


def _format_problem(problem: Problem) -> str:
    """Return a problem on one or two lines: where, what, and how to fix it."""
    word = "note" if problem.note else "warning"
    head = f"{word}: {wording.format_place(problem.place)}: {wording.show_line(problem.message)}"
    return f"{head}\n  hint: {wording.show_line(problem.hint)}" if problem.hint else head
