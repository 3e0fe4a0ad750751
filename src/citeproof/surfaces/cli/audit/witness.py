"""`citeproof audit witness`: a server that cosigns other people's checkpoints (c2sp.org/tlog-witness)."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

import click
from aiohttp import web

from citeproof.answers.reporters.wording import show_line
from citeproof.errors import AuditError, UsageError
from citeproof.plumbing.clock import SystemClock
from citeproof.plumbing.signed_note import NoteError, SignerKey, VerifierKey
from citeproof.proof.audit.key_store import check_private
from citeproof.proof.audit.log_folder_files import convert_disk_errors, make_folder, read_small_file
from citeproof.proof.audit.witness_service import LARGEST, WitnessService
from citeproof.service.exit_codes import Exit
from citeproof.surfaces.cli import command_options
from citeproof.surfaces.rest.server_door import is_loopback

PORT = 8461
_PATIENCE = 10.0  # seconds for a request to arrive whole
_AT_ONCE = 16  # requests that are judged at the same time; each may wait for the disk


@click.command(short_help="Serve as a witness that cosigns other people's logs.")
@command_options.add_options("audit witness")
def command(
    key: Path, logs: tuple[str, ...], state: Path, host: str, port: int, *, allow_remote: bool
) -> int:
    """Cosign checkpoints that extend the last one seen of the same log and refuse all others, until stopped.

    \b
    citeproof audit keygen --kind witness --origin example.org/witness --out witness.key
    citeproof audit witness --key witness.key --log VKEY --state seen

    The log's owner adds witness:URL|VKEY to the setting audit_anchors, with this witness's public key.
    The witness remembers only what is in the state folder. Never empty it or restore it from a backup
    while the key is in use.
    """
    if not allow_remote and not is_loopback(host):
        hint = "stay on 127.0.0.1 behind a web server that speaks TLS, or add --allow-remote"
        raise UsageError(f"{host!r} can be reached by others", place="--host", hint=hint)
    signer = _read_signer_key(key)
    with convert_disk_errors(state, "the state of the witness cannot be written"):
        make_folder(state)
    witness = WitnessService(signer, [_parse_log_key(text) for text in logs], state, SystemClock())
    for origin, size in witness.sizes().items():
        print(f"watching {show_line(origin)} from {size} entries on")
    print(f"as {signer.verifier.text}", flush=True)
    asyncio.run(_serve_witness(witness, host, port))
    return Exit.CLEAN


async def _serve_witness(witness: WitnessService, host: str, port: int) -> None:
    """Serve until SIGINT or SIGTERM; what is under way is answered first."""
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    runner = web.AppRunner(make_application(witness), access_log=None, shutdown_timeout=_PATIENCE)
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port).start()
    except OSError as error:
        await runner.cleanup()
        raise UsageError(
            error.strerror or str(error), place=f"{host}:{port}", hint="take another --port"
        ) from error
    where, bound = runner.addresses[0][:2]
    print(f"listening on http://{f'[{where}]' if ':' in where else where}:{bound}", flush=True)
    await stop.wait()
    await runner.cleanup()


def make_application(witness: WitnessService) -> web.Application:
    """Return the web application; it keeps nothing about who asked."""
    gate = asyncio.Semaphore(_AT_ONCE)

    async def add(request: web.Request) -> web.Response:
        try:
            async with asyncio.timeout(_PATIENCE):
                body = await request.read()
        except TimeoutError:
            return web.Response(status=408)
        async with gate:
            try:
                reply = await asyncio.to_thread(witness.add, body)
            except (AuditError, OSError) as error:
                print(f"error: {show_line(str(error))}", flush=True)
                return web.Response(status=500, text="the witness cannot keep its state\n")
        if reply.accepted:
            print(f"cosigned {show_line(reply.accepted.origin)} at {reply.accepted.size}", flush=True)
        return web.Response(status=reply.status, body=reply.body, headers={"Content-Type": reply.media})

    served = web.Application(client_max_size=LARGEST)
    served.router.add_post("/add-checkpoint", add)
    return served


def _read_signer_key(path: Path) -> SignerKey:
    with convert_disk_errors(path, "the witness's key cannot be read"):
        data = read_small_file(path)
    if data is None:
        hint = "make one with: citeproof audit keygen --kind witness"
        raise UsageError("no such file", place=str(path), hint=hint)
    check_private(path)
    try:
        return SignerKey.parse(data.decode("ascii", "replace"))
    except NoteError as error:
        raise UsageError(error.message, place=str(path), hint=error.hint) from None


def _parse_log_key(text: str) -> VerifierKey:
    try:
        return VerifierKey.parse(text)
    except NoteError as error:
        raise UsageError(
            error.message, place="--log", hint=error.hint or "copy the log's public key"
        ) from None
