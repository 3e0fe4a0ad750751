"""What a run prints on standard error: what could not be read, what was sent, where it is logged."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from citeproof.answers.reporters import wording
from citeproof.surfaces.cli.network_report import LookupCounter, print_network_report
from citeproof.vocabulary import Problem

if TYPE_CHECKING:
    from citeproof.judgement.models.base import LanguageModel
    from citeproof.service.exit_codes import RunOutcome
    from citeproof.verifier import ReferenceVerifier


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
    used = (
        f"{wording.format_count(model.spending.requests, 'request')}, {tokens.input + tokens.output:,} tokens"
    )
    kept = f"; {wording.format_count(model.recalled, 'answer')} from the cache" if model.recalled else ""
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
    print(wording.VerdictTally(outcome.labels, outcome.signs).sentence(), file=sys.stderr)
    print(f"report: {wording.list_names(files)}", file=sys.stderr)


def _format_problem(problem: Problem) -> str:
    """Return a problem on one or two lines: where, what, and how to fix it."""
    word = "note" if problem.note else "warning"
    head = f"{word}: {wording.format_place(problem.place)}: {wording.show_line(problem.message)}"
    return f"{head}\n  hint: {wording.show_line(problem.hint)}" if problem.hint else head
