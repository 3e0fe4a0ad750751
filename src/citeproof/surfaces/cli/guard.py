"""`citeproof guard`: lets a text through only if a receipt covers each of its references, or renders it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from citeproof import serializers, settings
from citeproof.service.exit_codes import Exit
from citeproof.surfaces.cli import rendered_answer, setting_flags

if TYPE_CHECKING:
    from citeproof.service.citation_receipts import GuardedReference

_WORDS = {
    "valid": "receipt of {day}",
    "missing": "no receipt is about it",
    "differs": "a receipt has its identifier, but another title or author",
    "expired": "its receipt of {day} is too old",
}


@click.command(short_help="Fail on references without a valid receipt, or render markers.")
@click.argument("file", metavar="FILE")
@click.option(
    "--receipts",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Receipts that `citeproof claims --receipts` wrote.",
)
@click.option("--key", "keys", multiple=True, metavar="KEY", help="Public key that may have signed them.")
@click.option(
    "--max-age",
    type=click.IntRange(0, 36500),
    default=30,
    show_default=True,
    metavar="DAYS",
    help="Receipts that are older do not count: a work may have been retracted since.",
)
@setting_flags.make_setting_flag("encoding", metavar="NAME")
@setting_flags.make_format_flag("text", "json")
@rendered_answer.add_render_flags
def command(
    file: str,
    *,
    receipts: Path | None,
    keys: Sequence[str],
    max_age: int,
    encoding: str | None,
    form: str,
    render: bool,
    **flags: object,
) -> int:
    """Fail if a reference in FILE has no valid receipt; with --render, write the text that may be shown.

    With --receipts nothing is looked up, and nothing leaves the machine.
    `citeproof claims FILE --receipts OUT` writes a signed receipt for each citation that was verified.
    Without --key only receipts of this machine's own key count; the file of receipts names its key.

    \b
    citeproof claims hypothesis.json --receipts receipts.json
    citeproof guard answer.md --receipts receipts.json

    With --render FILE is the answer of a language model, as text or as JSON with `text` and `citations`. A
    KEY is a key of --bibliography or of these citations, a DOI or an arXiv number. What is not verified, or
    is cited without a marker, is replaced by a mark.

    \b
    citeproof guard answer.json --render --style ieee
    citeproof guard answer.md --render --bibliography library.bib -o shown.md

    \b
    Exit codes: 0 every reference has a valid receipt, or every marker is a citation, 1 one is not, 2 the
    receipts cannot be trusted, 3 no reference found, 4 with --render: something could not be checked.
    """
    if receipts is None or render:
        flags |= {"encoding": encoding} if render else {}
        return rendered_answer.render_file(file, form, receipts, flags, render=render)
    rendered_answer.refuse_render_flags(flags)
    from citeproof.assemble import make_reader  # noqa: PLC0415 - takes its time
    from citeproof.clock import SystemClock, today  # noqa: PLC0415 - same
    from citeproof.parse import parse_all  # noqa: PLC0415 - same
    from citeproof.service.citation_receipts import guard_references, read_receipts  # noqa: PLC0415 - same
    from citeproof.surfaces.cli.opened_documents import read_one_document  # noqa: PLC0415 - same

    chosen, clock = settings.load({"offline": True, "encoding": encoding}), SystemClock()
    statements = read_receipts(receipts, chosen, keys)
    document = read_one_document(file, chosen)
    references = parse_all(make_reader(chosen, clock)(document).references)
    guarded = guard_references(references, statements, today(clock) - timedelta(days=max_age))
    _print_guarded(guarded, form)
    if not guarded:
        return Exit.NOTHING
    return Exit.CLEAN if all(one.state == "valid" for one in guarded) else Exit.PROBLEMS


def _print_guarded(guarded: Sequence[GuardedReference], form: str) -> None:
    from citeproof.reporters.wording import format_count, format_place, show_line  # noqa: PLC0415 - same

    if form == "json":
        rows = [
            {
                "key": one.reference.key,
                "raw": one.reference.raw,
                "location": serializers.build_place_json(one.reference.place),
                "state": one.state.value,
                "receipt": one.statement.day if one.statement else None,
            }
            for one in guarded
        ]
        print(serializers.dump_pretty({"schema": "citeproof/guard/1", "references": rows}))
        return
    failing = [one for one in guarded if one.state != "valid"]
    for one in failing:
        told = _WORDS[one.state].format(day=one.statement.day if one.statement else "")
        print(f"✗ {show_line(one.reference.key, 80)}  {format_place(one.reference.place)}")
        print(f"    {show_line(one.reference.claimed.title or one.reference.raw)}\n    {told}")
    print(f"{format_count(len(guarded), 'reference')}: {len(guarded) - len(failing)} with a valid receipt")
