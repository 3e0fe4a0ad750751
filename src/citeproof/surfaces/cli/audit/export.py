"""`citeproof audit export`: one archive for strangers."""

from __future__ import annotations

import os
import secrets
import sys
from pathlib import Path

import click

from citeproof.audit import reading
from citeproof.audit.exporting import Exported
from citeproof.audit.exporting import export as export_log
from citeproof.errors import UsageError
from citeproof.reporters.words import line
from citeproof.surfaces.exits import Exit


@click.command(short_help="Write one archive that a stranger can verify.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", required=True, type=click.Path(path_type=Path, dir_okay=False), metavar="FILE.tar",
    help="The archive.",
)  # fmt: skip
@click.option("--run", "runs", multiple=True, metavar="RUN", help="Only this run. Repeatable.")
@click.option("--private", is_flag=True, help="Put in the clear values behind commitments: your own text.")
def command(folder: Path, *, output: Path, runs: tuple[str, ...], private: bool) -> int:
    """Write the signed part of the log in DIR, its evidence, its format and a verifier into FILE.tar.

    Whoever gets it needs Python 3.8 and nothing else: `python3 verify.py --key VKEY` in the unpacked folder.
    Send the key another way. The same log gives the same archive, byte for byte.

    \b
    citeproof audit export audit -o audit.tar
    citeproof audit export audit --run h_abc123 -o one-run.tar

    With --run the text of other runs stays out and only their hashes go in: each line of the run is still
    proved, but not that it has no other line. Events that are not signed yet stay out: see `audit commit`.

    \b
    Exit codes: 0 written, 2 wrong usage, 3 no log there, 5 the log cannot be read.
    """
    if not reading.present(folder):
        print(f"there is no audit log in {line(str(folder))}", file=sys.stderr)
        return Exit.NOTHING
    done = _written(folder, output, runs, private=private)
    absent = f"; {len(done.absent):,} bodies are no longer kept" if done.absent else ""
    told = f"{done.size:,} events, {done.runs:,} runs, {done.bodies:,} bodies{absent}"
    print(f"wrote {line(str(output))}: {told}", file=sys.stderr)
    if private:
        print(f"warning: {done.rows:,} values in clear are in it: mind whom you send it to", file=sys.stderr)
    return Exit.CLEAN


def _written(folder: Path, output: Path, runs: tuple[str, ...], *, private: bool) -> Exported:
    """Write beside `output` and move it there when it is whole; for the user's eyes only when private."""
    beside = output.with_name(f".{output.name[:200]}.{secrets.token_hex(4)}.part")
    try:
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if private else 0o666)
        with os.fdopen(handle, "wb") as target:
            done = export_log(folder, target, runs=runs, private=private)
            target.flush()
            os.fsync(target.fileno())
        beside.replace(output)
    except OSError as error:
        mend = "check that the folder exists, can be written to and has room"
        raise UsageError(f"cannot write: {error.strerror}", place=str(output), mend=mend) from error
    finally:
        beside.unlink(missing_ok=True)
    return done
