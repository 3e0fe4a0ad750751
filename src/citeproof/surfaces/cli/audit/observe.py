"""`citeproof audit observe`: the checkpoint of another log, logged in ours."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from citeproof import settings
from citeproof.answers.reporters.wording import show_line
from citeproof.errors import UsageError
from citeproof.proof.audit.observed_logs import ObservedLogError, observe_log
from citeproof.service.exit_codes import Exit
from citeproof.surfaces.cli import command_options
from citeproof.surfaces.cli.audit import log_argument


@click.command("observe", short_help="Record the checkpoint of another log in this one.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("other", metavar="OTHER", type=click.Path(path_type=Path))
@command_options.add_options("audit observe")
def command(folder: Path, other: Path, *, keys: tuple[str, ...]) -> int:
    """Record in DIR the current checkpoint of OTHER: the folder of another log, or a checkpoint file.

    This log then detects if OTHER is rolled back or changed. It refuses a checkpoint that is smaller than
    an earlier one, belongs to another tree, or is not signed by that key. If logs of several hosts observe
    each other, an attacker must falsify all of them.

    \b
    citeproof audit observe audit /mnt/host2/audit --key host2.example/log+530d903a+AekyeRrm…

    \b
    Exit codes: 0 logged, 1 rolled back, changed or not signed by that key, 2 wrong usage or no OTHER,
    3 no log in DIR, 5 the log cannot be written.
    """
    given = log_argument.parse_keys(keys)
    if len(given) != 1:
        raise UsageError("name the public key of the other log", place="--key", hint="give --key once")
    log = log_argument.open_log(folder, settings.load())
    with log:
        try:
            seen, shown = observe_log(log, other, given[0])
        except ObservedLogError as error:
            print(f"✗ {show_line(error.place)}: {show_line(error.message)}")
            print(f"  hint: {error.hint}", file=sys.stderr)
            return Exit.PROBLEMS
    root = seen.root.hex()
    doubt = "" if shown else "; not shown to continue what was seen before, since only a checkpoint was given"
    print(f"{show_line(seen.origin)}: {seen.size:,} entries, root {root[:8]}…{root[-4:]}{doubt}")
    return Exit.CLEAN
