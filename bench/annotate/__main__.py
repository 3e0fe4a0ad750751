"""Two blind labels an item; what both people say becomes a benchmark.

python -m bench.annotate FILE --by NAME | --labels A --labels B [--merge -o OUT]
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click
import msgspec
from bench.annotate import label_agreement, label_file
from bench.annotate.label_file import UNSURE, AnnotatorLabels, LabellingTask
from bench.command_run import run_command

from citeproof.answers import serializers
from citeproof.answers.reporters.wording import show_line
from citeproof.errors import UsageError
from citeproof.laboratory.measure import result_tables
from citeproof.laboratory.measure.benchmark_rows import BenchmarkQuestion
from citeproof.plumbing.clock import SystemClock, format_timestamp
from citeproof.service.exit_codes import Exit
from citeproof.surfaces.cli import report_output
from citeproof.vocabulary import Label

_KEYS = {"e": Label.EXACT.value, "m": Label.MINOR.value, "M": Label.MAJOR.value, "u": UNSURE}
_ASK = "e exact, m minor error, M major error or made up, u unsure, s skip, q quit: "
_WIDEST = 2_000  # characters of a line of a citation


@click.command("annotate")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--by",
    metavar="NAME",
    help="Name of the annotator. Each annotator sees the items in a different order.",
)
@click.option(
    "--labels",
    "given",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A label file; give two to compare them.",
)
@click.option("--merge", is_flag=True, help="With two --labels: write the items both agree on to --out.")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    help="Labels with --by [FILE.NAME.labels.jsonl], items with --merge.",
)
@click.option(
    "--audit",
    type=click.FloatRange(0, 1),
    metavar="SHARE",
    help="With --merge: draw this share of the items, without labels, for a third person.",
)
@click.option("--audit-out", type=click.Path(path_type=Path), help="The audit sample [OUT.audit.jsonl].")
@click.option("--seed", type=int, default=42, show_default=True, help="Seed of the random numbers.")
@click.option(
    "--format", "format_", type=click.Choice(["text", "md", "json"]), default="text", show_default=True
)
def command(
    file: Path, *, by: str | None, given: Sequence[Path], merge: bool, out: Path | None, audit: float | None,
    audit_out: Path | None, seed: int, format_: str,
) -> int:  # fmt: skip
    """Label the citations of FILE, or put two people's labels together.

    With --by, each citation is shown without labels, edits or other people's answers. Every answer is
    saved at once. Run the same command again to continue; skipped items come again. With two --labels,
    the agreement and Cohen's kappa are printed. --merge keeps the items that both agree on, without
    UNSURE, and lists the rest. FILE comes from `citeproof extract`, or is a benchmark.

    \b
    citeproof extract chat/*.md --format jsonl > natural.jsonl
    python -m bench.annotate natural.jsonl --by ann
    python -m bench.annotate natural.jsonl --by bob
    python -m bench.annotate natural.jsonl --labels natural.ann.labels.jsonl \\
        --labels natural.bob.labels.jsonl --merge --audit 0.05 -o bench.jsonl
    citeproof bench run bench.jsonl --snapshot DIR
    """
    _refuse_annotate_flags(by=by, given=given, merge=merge, out=out, audit=audit)
    wanted = label_file.read_task(file)
    if by is not None:
        return _label_items(wanted, label_file.check_annotator_name(by), out, seed)
    agreed = label_agreement.compare_labels(wanted, *_read_two_label_files(wanted, given))
    if merge and out is not None:
        _write_items(out, agreed.items)
        if audit is not None:
            sample = label_agreement.draw_audit_sample(agreed.items, audit, seed)
            _write_items(audit_out or out.with_suffix(".audit.jsonl"), sample)
    print(_format_agreement(agreed, format_), end="")
    return Exit.CLEAN


def _refuse_annotate_flags(
    *, by: str | None, given: Sequence[Path], merge: bool, out: Path | None, audit: float | None
) -> None:
    """Raise a UsageError for flags that do not go together."""
    if (by is None) == (not given):
        hint = "--by NAME to label, or --labels A --labels B to compare"
        raise UsageError("wants one of --by and --labels", place="annotate", hint=hint)
    if given and len(given) != 2:
        raise UsageError("two files are compared", place="--labels", hint="give it twice")
    if merge and (by is not None or out is None):
        hint = "--labels A --labels B --merge -o items.jsonl"
        raise UsageError("needs two --labels and --out", place="--merge", hint=hint)
    if given and out is not None and not merge:
        raise UsageError("nothing would be written to it", place="--out", hint="add --merge")
    if audit is not None and not merge:
        raise UsageError("belongs to --merge", place="--audit", hint="add --merge, or leave it out")


def _read_two_label_files(
    wanted: LabellingTask, given: Sequence[Path]
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the two sets of labels; both must be of this file, and by two people."""
    first, second = (label_file.read_labels(path) for path in given)
    for path, labels in zip(given, (first, second), strict=True):
        if labels.head is not None and labels.head.sha256 != wanted.sha256:
            hint = f"give {show_line(labels.head.file)} as it was labelled"
            raise UsageError(f"labels another file than {wanted.path}", place=str(path), hint=hint)
        if not labels.given.keys() & {question.key for question in wanted.questions}:
            raise UsageError(
                f"has no labels for {wanted.path}", place=str(path), hint="check that the keys are the same"
            )
    if given[0].resolve() == given[1].resolve():
        raise UsageError("one file was given twice", place="--labels", hint="give two people's labels")
    if first.head and second.head and first.head.by == second.head.by:
        hint = "let another person label the file too"
        raise UsageError(f"both are by {show_line(first.head.by)}", place="--labels", hint=hint)
    return first.given, second.given


def _label_items(wanted: LabellingTask, by: str, out: Path | None, seed: int) -> int:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        hint = "run it in a terminal, or give labels made elsewhere with --labels A --labels B"
        raise UsageError("not a terminal; labels are typed", place="--by", hint=hint)
    path = out or wanted.path.with_name(f"{wanted.path.stem}.{by.replace(' ', '_')}.labels.jsonl")
    with label_file.open_labels(path, label_file.LabelsHead(by, wanted.path.name, wanted.sha256)) as store:
        left = [q for q in label_file.shuffle_questions(wanted, by, seed) if q.key not in store.given]
        _ask_for_labels(left, store, len(wanted.questions))
        missing = sum(question.key not in store.given for question in wanted.questions)
    print(f"{show_line(str(path), 1000)}: {len(wanted.questions) - missing} labelled, {missing} left")
    return Exit.CLEAN


def _ask_for_labels(left: Sequence[BenchmarkQuestion], store: AnnotatorLabels, total: int) -> None:
    """Ask about one citation after the other, until all are done or somebody has had enough."""
    clock = SystemClock()
    for question in left:
        print(f"\n[{len(store.given) + 1}/{total}]")
        for row in question.text.splitlines():
            print(f"  {show_line(row, _WIDEST)}")
        key = _read_label_key()
        if key == "q":
            return
        if key in _KEYS:
            store.add(question.key, _KEYS[key], format_timestamp(clock))


def _read_label_key() -> str:
    """Return the key that was typed, with Enter: what is typed ahead is not lost, a slip can be fixed."""
    while True:
        print(_ASK, end="", flush=True)
        row = sys.stdin.readline()
        key = row.strip()
        if not row:  # Ctrl-D ends it too
            print()
            return "q"
        if key in (*_KEYS, "s", "q"):
            return key


def _write_items(path: Path, items: Sequence[msgspec.Struct]) -> None:
    """Write items to a file, one per line."""
    with report_output.open_destination(path, text=False) as write:
        for item in items:
            write(msgspec.json.encode(item).decode() + "\n")


def _format_agreement(agreed: label_agreement.LabelAgreement, format_: str) -> str:
    if format_ == "json":
        return serializers.dump_pretty(label_agreement.build_agreement_json(agreed)) + "\n"
    tables = label_agreement.build_agreement_tables(agreed)
    return result_tables.format_figures(tables, label_agreement.describe_agreement(agreed), format_)


if __name__ == "__main__":
    sys.exit(run_command(command))
