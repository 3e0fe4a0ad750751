"""`citeproof audit commit`, `rotate`, `observe`, `keygen`: a log signed, closed, tied to others; its keys."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

import click

from citeproof import settings
from citeproof.answers.reporters.wording import show_line
from citeproof.errors import UsageError
from citeproof.plumbing.signed_note import SignerKey, open_note
from citeproof.plumbing.stores.private_store import PrivateStore
from citeproof.proof.audit import erasure
from citeproof.proof.audit.key_store import KeyStore, check_origin, make_origin, store_key
from citeproof.proof.audit.log_setup import make_anchors
from citeproof.proof.audit.log_state import convert_disk_errors, make_folder, parse_checkpoint
from citeproof.proof.audit.observed_logs import ObservedLogError, observe_log
from citeproof.proof.audit.run_lock import RunLock
from citeproof.service.exit_codes import Exit
from citeproof.surfaces.cli import command_options
from citeproof.surfaces.cli.audit import log_argument


@click.command("commit", short_help="Sign and anchor the log now, for example from a timer.")
@log_argument.argument
@command_options.add_options("audit commit")
def commit_command(folder: Path | None, *, run: str) -> int:
    """Sign everything logged in DIR, send the checkpoint to the anchors, and log their answers.

    A run does this every hour and at its end. Use a timer to cover runs that were killed. The command does
    nothing if nothing was logged since the last commit and every anchor accepted that commit.

    \b
    0 * * * *  citeproof audit commit /var/lib/citeproof/audit

    \b
    Exit codes: 0 signed and anchored, or nothing new, 2 wrong usage, 3 no log there,
    4 an anchor failed (the log is signed), 5 the log cannot be written.
    """
    chosen = settings.load()
    log = log_argument.open_log(folder, chosen)
    with log, RunLock(log.folder), closing(PrivateStore(log.folder)) as private:
        erasure.finish_erasures(log, private)  # what was not erased because of a crash
        anchors = make_anchors(chosen, log.folder, log.clock)
        done = None if log.is_committed(anchors) else log.commit(run, anchors)
        signed = parse_checkpoint(open_note(done.checkpoint if done else log.integrate(), [log.key]).text)
    root = f"root {signed.root.hex()[:8]}…{signed.root.hex()[-4:]}"
    if done is None:
        print(
            f"{show_line(signed.origin)}: nothing new since the last commit: {signed.size:,} entries, {root}"
        )
        return Exit.CLEAN
    print(f"{show_line(signed.origin)}: {signed.size:,} entries signed, {root}")
    for outcome in done.outcomes:
        if outcome.ok:
            print(f"  {show_line(outcome.name)}: {show_line(outcome.place)}")
        else:
            print(
                f"warning: {show_line(f'{outcome.name}: {outcome.detail or outcome.place}')}", file=sys.stderr
            )
    return Exit.CLEAN if all(outcome.ok for outcome in done.outcomes) else Exit.UNCHECKED


@click.command("rotate", short_help="Close this log and start a new one linked to it.")
@log_argument.argument
@command_options.add_options("audit rotate")
def rotate_command(folder: Path | None, *, origin: str | None) -> int:
    """Close the log in DIR and start a new one with a new key. Its first entry names the old root.

    The old log is signed, anchored and moved to DIR/closed with its evidence and sidecar. It stays
    verifiable there. The command does nothing while a run is being written. Keys and files in DIR that do
    not belong to the log are not moved.

    \b
    citeproof audit rotate audit
    citeproof audit verify audit/closed/main-20261115T120000
    """
    chosen = settings.load()
    log = log_argument.open_log(folder, chosen)
    with log:
        closed = log.rotate(make_anchors(chosen, log.folder, log.clock), origin)
        print(f"closed: {show_line(str(closed))}")
        print(f"new log: {show_line(log.key.text)}")
    return Exit.CLEAN


@click.command("observe", short_help="Record the checkpoint of another log in this one.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("other", metavar="OTHER", type=click.Path(path_type=Path))
@command_options.add_options("audit observe")
def observe_command(folder: Path, other: Path, *, keys: tuple[str, ...]) -> int:
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


@click.command("keygen", short_help="Make a key pair for a log.")
@command_options.add_options("audit keygen")
def keygen_command(*, origin: str | None, out: Path | None) -> int:
    """Print a new public key and write the private key to a file that only you can read.

    A new log creates its own key. To name the log yourself, create a key first and set
    CITEPROOF_AUDIT_KEY to its file before the first run. Existing files are never overwritten.

    \b
    citeproof audit keygen --origin example.org/logs/main --out main.key
    """
    key = SignerKey.generate(check_origin(origin or make_origin()))
    path = out or KeyStore(settings.load().audit_keys).path(key.verifier)
    with convert_disk_errors(path, "the key cannot be written"):
        make_folder(path.parent)
    store_key(path, key)
    print(key.verifier.text)
    print(f"private key: {show_line(str(path))} (keep a copy elsewhere and keep it secret)", file=sys.stderr)
    return Exit.CLEAN
