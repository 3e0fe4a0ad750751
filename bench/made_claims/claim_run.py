"""Look claims up in the texts that they are about, without their labels, and count how often that was right.

    python -m bench.made_claims.claim_run claims.jsonl [--format text|md]

Each claim is looked up as `citeproof claims` does it. The tables show what was found by kind, how many of
each class were taken for which, and how often the right passage came first, where the file knows it.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click
from bench.command_run import run_command
from bench.made_claims.sourced_claims import ClaimLabel, SourcedClaim, read_sourced_claims

from citeproof.claims.quotes import QuotationStatus
from citeproof.claims.support import PassageIndex, assess_support, index_passages
from citeproof.errors import Exit
from citeproof.laboratory.measure.metrics import compute_wilson_interval
from citeproof.laboratory.measure.result_tables import format_cell, format_figures, format_interval
from citeproof.laboratory.measure.retrieval_latency import ResultTable
from citeproof.vocabulary import AlarmKind, ClaimSupport, SupportOutcome

UNCHECKED = "unchecked"
RANKS = 3  # passages that are shown with a claim


@dataclass(frozen=True, slots=True)
class LookedUpClaim:
    """A claim, what was found of it, and which of the passages found has the one that says it."""

    claim: SourcedClaim
    outcome: str
    answer: ClaimLabel | None
    rank: int | None  # from 1; 0: not found; None: not known

    @property
    def right(self) -> bool:
        return self.answer is self.claim.label


def look_up_claims(claims: Sequence[SourcedClaim]) -> list[LookedUpClaim]:
    """Return what the text of each claim's source says; a text is read once."""
    indexes: dict[int, PassageIndex] = {}
    looked: list[LookedUpClaim] = []
    for claim in claims:
        if id(claim.source) not in indexes:
            indexes[id(claim.source)] = index_passages(claim.source)
        support = assess_support(claim.claim, indexes[id(claim.source)])
        rank = find_rank(claim.places, _list_places(support))
        looked.append(LookedUpClaim(claim, support.outcome.value, choose_label(support), rank))
    return looked


def _list_places(support: ClaimSupport) -> tuple[tuple[int, int], ...]:
    """Return where the source speaks of the claim: its quotations, then the passages, best first."""
    quoted = [quotation.passage for quotation in support.quotations if quotation.passage]
    return tuple(dict.fromkeys((passage.start, passage.end) for passage in (*quoted, *support.passages)))


def choose_label(support: ClaimSupport) -> ClaimLabel | None:
    """Return the class of an outcome: a passage without an alarm agrees, no text is no answer."""
    match support.outcome:
        case SupportOutcome.NO_TEXT:
            return None
        case SupportOutcome.NOT_LOCATED:
            return ClaimLabel.ABSENT
        case SupportOutcome.ALARM:
            return ClaimLabel.ABSENT if _is_absent(support) else ClaimLabel.DIFFERS
        case _:
            return ClaimLabel.AGREES


def _is_absent(support: ClaimSupport) -> bool:
    """Return whether all that is wrong is a quotation that is not in the text."""
    missing = [quotation for quotation in support.quotations if quotation.status == QuotationStatus.ABSENT]
    altered = [quotation for quotation in support.quotations if quotation.status == QuotationStatus.ALTERED]
    return bool(missing) and not altered and {a.kind for a in support.alarms} <= {AlarmKind.QUOTATION}


def find_rank(gold: Sequence[tuple[int, int]], given: Sequence[tuple[int, int]]) -> int | None:
    """Return which of the given passages has most of one that says it; 0: none; None: that is not known."""
    if not gold:
        return None
    for rank, (start, end) in enumerate(given, 1):
        if any(2 * (min(end, b) - max(start, a)) > min(end - start, b - a) for a, b in gold):
            return rank
    return 0


def build_tables(looked: Sequence[LookedUpClaim]) -> list[ResultTable]:
    """Return the tables of a run."""
    kinds = sorted({each.claim.kind for each in looked})
    of_kind = {kind: [each for each in looked if each.claim.kind == kind] for kind in kinds}
    ranked = {kind: [e.rank for e in own if e.rank is not None] for kind, own in of_kind.items()}
    tables = [_build_confusion_table(looked), _build_outcome_table(of_kind)]
    if any(ranked.values()):
        rows = [
            (format_cell(kind), str(len(ranks)), str(ranks.count(1)), *_format_share(ranks))
            for kind, ranks in ranked.items()
            if ranks
        ]
        head = ("Kind", "Items", "First", f"Among the first {RANKS}", "Share, 95 % interval")
        tables.append(ResultTable("The passage that says it, where it is known", head, tuple(rows)))
    return tables


def _build_confusion_table(looked: Sequence[LookedUpClaim]) -> ResultTable:
    cells = Counter((each.claim.label, each.answer) for each in looked)
    rows = [
        (label.value, *(str(cells[label, answer]) for answer in (*ClaimLabel, None))) for label in ClaimLabel
    ]
    return ResultTable("True class by answer", ("", *(c.value for c in ClaimLabel), UNCHECKED), tuple(rows))


def _build_outcome_table(of_kind: dict[str, list[LookedUpClaim]]) -> ResultTable:
    seen = {each.outcome for own in of_kind.values() for each in own}
    outcomes = [outcome.value for outcome in SupportOutcome if outcome.value in seen]
    rows = []
    for kind, own in of_kind.items():
        counts = Counter(each.outcome for each in own)
        right = str(sum(each.right for each in own))
        rows.append((format_cell(kind), str(len(own)), *(str(counts[o]) for o in outcomes), right))
    return ResultTable("What was found, by kind", ("Kind", "Items", *outcomes, "Right"), tuple(rows))


def _format_share(ranks: Sequence[int]) -> tuple[str, str]:
    among = sum(1 <= rank <= RANKS for rank in ranks)
    interval = format_interval(compute_wilson_interval(among, len(ranks)))
    return str(among), f"{among / len(ranks):.3f}  {interval}"


@click.command("claim_run")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--format", "format_", type=click.Choice(["text", "md"]), default="text", show_default=True)
def command(file: Path, *, format_: str) -> int:
    """Look up the claims of FILE and print how often what was found is right."""
    looked = look_up_claims(read_sourced_claims(file))
    right = sum(each.right for each in looked)
    low, high = compute_wilson_interval(right, len(looked))
    words = f"{right} of {len(looked)} claims rightly classed (95 % interval {low:.3f} to {high:.3f})"
    print(format_figures(build_tables(looked), [words], format_), end="")
    return Exit.CLEAN


if __name__ == "__main__":
    sys.exit(run_command(command))
