"""`citeproof bench import-natural` and `annotate`: references of chat answers, labelled by two people."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from citeproof import settings
from citeproof.answers import serializers
from citeproof.answers.reporters.wording import list_names, show_line
from citeproof.errors import UsageError
from citeproof.laboratory.measure import engine_run, natural_citations, result_tables
from citeproof.laboratory.measure.annotation import agreement, label_file
from citeproof.laboratory.measure.annotation.label_file import UNSURE, AnnotatorLabels, LabellingTask
from citeproof.laboratory.measure.benchmark_rows import BenchmarkQuestion, SystemAnswer
from citeproof.laboratory.measure.natural_citations import UnlabelledCitation
from citeproof.plumbing.clock import SystemClock, format_timestamp
from citeproof.service.assemble import assemble, choose_judge, make_reader
from citeproof.service.check_session import extract_documents
from citeproof.service.exit_codes import Exit
from citeproof.settings import Settings
from citeproof.surfaces.cli import command_options, report_output, run_notices, status_line
from citeproof.surfaces.cli.opened_documents import read_named_documents
from citeproof.vocabulary import Label

_KEYS = {"e": Label.EXACT.value, "m": Label.MINOR.value, "M": Label.MAJOR.value, "u": UNSURE}
_ASK = "e exact, m minor error, M major error or made up, u unsure, s skip, q quit: "
_WIDEST = 2_000  # characters of a line of a citation


@click.command(
    "annotate", short_help="Collect two blind labels per item, drop disagreements, draw an audit sample."
)
@click.argument("file", type=click.Path(path_type=Path))
@command_options.add_options("bench annotate")
def annotate_command(
    file: Path, *, by: str | None, given: Sequence[Path], merge: bool, out: Path | None, audit: float | None,
    audit_out: Path | None, seed: int, format_: str,
) -> int:  # fmt: skip
    """Label the citations of FILE, or put two people's labels together.

    With --by, each citation is shown without labels, edits or other people's answers. Every answer is
    saved at once. Run the same command again to continue; skipped items come again. With two --labels,
    the agreement and Cohen's kappa are printed. --merge keeps the items that both agree on, without
    UNSURE, and lists the rest. FILE comes from `import-natural`, or is a benchmark.

    \b
    citeproof bench import-natural chat/*.md -o natural.jsonl
    citeproof bench annotate natural.jsonl --by ann
    citeproof bench annotate natural.jsonl --by bob
    citeproof bench annotate natural.jsonl --labels natural.ann.labels.jsonl \\
        --labels natural.bob.labels.jsonl --merge --audit 0.05 -o bench.jsonl
    citeproof bench run bench.jsonl --snapshot DIR
    """
    _refuse_annotate_flags(by=by, given=given, merge=merge, out=out, audit=audit)
    wanted = label_file.read_task(file)
    if by is not None:
        return _label_items(wanted, label_file.check_annotator_name(by), out, seed)
    agreed = agreement.compare_labels(wanted, *_read_two_label_files(wanted, given))
    if merge and out is not None:
        write_items(out, natural_citations.encode_json_lines(agreed.items))
        if audit is not None:
            sample = agreement.draw_audit_sample(agreed.items, audit, seed)
            write_items(
                audit_out or out.with_suffix(".audit.jsonl"), natural_citations.encode_json_lines(sample)
            )
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


def write_items(path: Path, rows: natural_citations.Lines) -> None:
    """Write items to a file, one per line."""
    with report_output.open_destination(path, text=False) as write:
        for row in rows:
            write(row)


def _format_agreement(agreed: agreement.LabelAgreement, format_: str) -> str:
    if format_ == "json":
        return serializers.dump_pretty(agreement.build_agreement_json(agreed)) + "\n"
    tables = agreement.build_agreement_tables(agreed)
    return result_tables.format_figures(tables, agreement.describe_agreement(agreed), format_)


_HINT = "give answers with references, or the list of references alone"


@click.command("import-natural", short_help="Make benchmark items from the references in chat answers.")
@click.argument("files", nargs=-1, required=True, metavar="FILE…", type=click.Path())
@command_options.add_options("bench import-natural")
def import_natural_command(
    files: Sequence[str], *, output: Path, checked: bool, explain_network: bool, **flags: object
) -> int:
    """Write the references of FILE… (chat answers, or any document that can be read) to OUT.

    An item has the original citation, the document as its collection, and the sentences that cite it, but
    no label. `bench annotate` then collects labels from two people. The items they agree on are a
    benchmark of natural errors for `bench run`. With --checked, citeproof's own answers are written to a
    separate file for `bench compare`. They are never used as labels.

    \b
    citeproof bench import-natural chat/*.md -o natural.jsonl
    citeproof bench import-natural answer.md refs.bib -o natural.jsonl --checked --snapshot DIR

    Exit codes: 0 done, 2 wrong usage, 3 no reference was found.
    """
    chosen = settings.load(command_options.collect_given_flags(**flags))
    documents = read_named_documents(files, chosen)
    with status_line.show_reading_progress():
        read = extract_documents(make_reader(chosen, SystemClock()), documents)
    run_notices.print_problems(problem for extraction in read for problem in extraction.problems)
    items = natural_citations.collect_citations(
        zip(_name_documents([document.name for document in documents]), read, strict=True)
    )
    if not items:
        print(
            f"nothing to label: no reference found in {list_names(files)}\n  hint: {_HINT}", file=sys.stderr
        )
        return Exit.NOTHING
    write_items(output, natural_citations.encode_json_lines(items))
    count = len({item.collection for item in items})
    print(f"{show_line(str(output), 1000)}: {len(items)} items of {count} documents")
    if checked:
        proposals = output.with_suffix(".proposals.jsonl")
        write_items(
            proposals,
            natural_citations.encode_json_lines(_propose_answers(items, chosen, explain=explain_network)),
        )
        print(f"{show_line(str(proposals), 1000)}: what citeproof says; do not show it to annotators")
    return Exit.CLEAN


def _name_documents(paths: Sequence[str]) -> list[str]:
    """Return the names of the documents, with their folders where two have one name."""
    names = [Path(path).name for path in paths]
    return [path if names.count(name) > 1 else name for path, name in zip(paths, names, strict=True)]


def _propose_answers(
    items: Sequence[UnlabelledCitation], chosen: Settings, *, explain: bool
) -> list[SystemAnswer]:
    """Return the answers of citeproof, by the keys of the items."""
    watch = run_notices.LookupCounter()
    verifier = assemble(chosen, observer=watch, stage=None)
    run_notices.print_warnings(choose_judge(chosen).trouble)

    async def run() -> list[SystemAnswer]:
        with status_line.count_progress(len(items), "checking") as advance:
            try:
                answers = await engine_run.answer_questions(
                    verifier, [i.question for i in items], lambda _: advance()
                )
            finally:
                await verifier.close()
        return [engine_run.make_system_answer(answer) for answer in answers]

    try:
        return asyncio.run(run())
    finally:
        run_notices.print_network_report(verifier, watch, explain=explain)
