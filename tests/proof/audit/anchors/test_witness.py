"""The client of a witness and its server over HTTP: neither believes the other more than it must."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from aiohttp import web

from citeproof.plumbing import signed_note
from citeproof.plumbing.clock import SystemClock
from citeproof.plumbing.signed_note import COSIGNATURE, SignerKey, VerifierKey
from citeproof.proof.audit.anchors.base import AnchorContext, HeldStatus, make
from citeproof.proof.audit.audit_log import AuditLog
from citeproof.proof.audit.key_store import KeyStore
from citeproof.proof.audit.log_checkpoint import parse_checkpoint
from citeproof.proof.audit.witness_service import WitnessService
from citeproof.service.exit_codes import Exit
from citeproof.surfaces.cli.audit.witness import make_application
from citeproof.surfaces.cli.main import main
from tests.proof.audit.anchors.making import HOUR, NOW, ORIGIN, Tree, around, keyed, serving
from tests.proof.audit.anchors.test_witnessing import request

pytestmark = pytest.mark.slow

KEY = keyed("example.org/witness", COSIGNATURE)
LOG = keyed(ORIGIN)
TREE = Tree(60, LOG)
FORK = Tree(60, LOG, fork=5)
PLAIN = "text/plain"


@contextmanager
def witnessing(
    state: Path, *logs: str, key: SignerKey = KEY, more=()
) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Yield address and process of the server, as a user starts it."""
    secret = state.parent / f"{state.name}.key"
    secret.write_text(key.text + "\n")
    secret.chmod(0o600)
    watched = [part for log in logs or (LOG.verifier.text,) for part in ("--log", log)]
    command = [
        "-m",
        "citeproof",
        "audit",
        "witness",
        "--key",
        secret,
        "--state",
        state,
        "--port",
        "0",
        *watched,
        *more,
    ]
    with subprocess.Popen([sys.executable, *map(str, command)], stdout=subprocess.PIPE, text=True) as process:
        told = []
        for line in process.stdout:
            told.append(line)
            if line.startswith("listening on "):
                break
        else:
            pytest.fail("".join(told))
        try:
            yield line.split()[-1], process
        finally:
            process.kill()


@contextmanager
def hosting(state: Path, *logs: VerifierKey, key: SignerKey = KEY) -> Iterator[str]:
    """Yield the address of the same server in a thread: quicker to start."""
    state.mkdir()
    watching = WitnessService(key, logs or [LOG.verifier], state, SystemClock())
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    async def start() -> web.AppRunner:
        runner = web.AppRunner(make_application(watching), access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        return runner

    runner = asyncio.run_coroutine_threadsafe(start(), loop).result()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def anchor(folder: Path, url: str, tree: Tree = TREE, key: SignerKey = KEY, more: str = ""):
    return make(f"witness:{url}|{key.verifier.text}{more}", around(folder, tree))


def posted(url: str, body: bytes) -> tuple[int, bytes]:
    try:
        with urlopen(Request(f"{url}/add-checkpoint", body, {"Content-Type": PLAIN}), timeout=30) as answer:
            return answer.status, answer.read()
    except HTTPError as error:
        with error:
            return error.code, error.read()


def test_a_log_grows_under_the_eyes_of_a_witness(tmp_path):
    with hosting(tmp_path / "state") as url:
        watched = anchor(tmp_path, url)
        for size in (3, 3, 20, 60):
            outcome = watched.put("run", HOUR, TREE.checkpoint(size))
            assert outcome.ok, outcome.detail
            (line,) = outcome.cosignatures
            signed = signed_note.add_signature(TREE.checkpoint(size), line)
            assert KEY.verifier in signed_note.open_note(signed, [KEY.verifier, LOG.verifier]).by
            assert (tmp_path / f"witness-{KEY.verifier.id.hex()}.size").read_bytes() == b"%d\n" % size
        assert outcome.detail.startswith("example.org/witness at ")
        assert "its clock differs" in outcome.detail  # the log's clock stands still in July
        (
            tmp_path / f"witness-{KEY.verifier.id.hex()}.size"
        ).unlink()  # forgotten: the witness says where it stands
        assert watched.put("run", HOUR, TREE.checkpoint(60)).ok


def test_what_is_remembered_may_be_wrong(tmp_path):
    memory = tmp_path / f"witness-{KEY.verifier.id.hex()}.size"
    with hosting(tmp_path / "state") as url:
        assert posted(url, request(TREE, 0, 20))[0] == 200
        for more, remembered in enumerate((b"3\n", b"60\n", b"rubbish", b"-1\n", b"9" * 100, b"")):
            memory.write_bytes(remembered)
            size = 21 + more
            assert anchor(tmp_path, url).put("run", HOUR, TREE.checkpoint(size)).ok
            assert memory.read_bytes() == b"%d\n" % size


@pytest.mark.parametrize(
    ("tree", "size", "told"),
    [
        (TREE, 10, "it saw 20 entries, and this log has 10: it was rolled back"),
        (FORK, 20, "at 20 entries it saw another root: the log was changed"),
        (FORK, 30, "it does not accept the consistency proof: the log is not what it saw"),
    ],
)
def test_a_log_that_was_changed(tree, size, told, tmp_path):
    with hosting(tmp_path / "state") as url:
        assert anchor(tmp_path, url).put("run", HOUR, TREE.checkpoint(20)).ok
        changed = anchor(tmp_path, url, tree)
        outcome = changed.put("run", HOUR, tree.checkpoint(size))
        assert (outcome.ok, outcome.detail, outcome.cosignatures) == (False, told, ())
        (tmp_path / "checkpoint").write_bytes(tree.checkpoint(size))
        (held,) = changed.list_held()
        assert (held.standing, held.detail, held.checkpoint) == (HeldStatus.CONTRADICTED, told, b"")


def test_held_is_what_the_witness_cosigns_now(tmp_path):
    with hosting(tmp_path / "state") as url:
        watched = anchor(tmp_path, url)
        assert not list(watched.list_held())  # nothing was published
        (tmp_path / "checkpoint").write_bytes(TREE.checkpoint(20))
        before = sorted(path.name for path in tmp_path.iterdir())
        (held,) = watched.list_held()
        assert held.standing is HeldStatus.HELD
        assert KEY.verifier in signed_note.open_note(held.checkpoint, [KEY.verifier]).by
        assert sorted(path.name for path in tmp_path.iterdir()) == before  # verifying writes nothing here
    (held,) = watched.list_held()
    assert (held.standing, held.detail) == (HeldStatus.UNREAD, "no connection")


def test_unknown_logs_and_keys(tmp_path):
    stranger = Tree(5, keyed("example.org/stranger"))
    impostor = Tree(5, keyed(ORIGIN, other=True))
    with hosting(tmp_path / "state") as url:
        told = [
            anchor(tmp_path, url, tree).put("run", HOUR, tree.checkpoint()).detail
            for tree in (stranger, impostor)
        ]
        assert told == [
            "it does not know this log: give its operator the log's public key",
            "it does not accept the signature of this log",
        ]
        other = keyed("example.org/witness", COSIGNATURE, other=True)
        outcome = anchor(tmp_path, url, key=other).put("run", HOUR, TREE.checkpoint(3))
        assert not outcome.ok
        assert "no valid cosignature by its key" in outcome.detail


def cosigned(size=60, key=KEY, when=None):
    return signed_note.cosign_checkpoint(TREE.text(size), key, int(NOW.timestamp()) if when is None else when)


OTHER = keyed("example.org/other", COSIGNATURE)


@pytest.mark.parametrize(
    ("status", "body", "told"),
    [
        (200, b"", "no valid cosignature"),
        (200, b"<html>", "no valid cosignature"),
        (200, cosigned(59), "no valid cosignature"),  # of another checkpoint
        (200, cosigned(key=OTHER), "no valid cosignature"),
        (200, cosigned()[:-1], "no valid cosignature"),
        (200, cosigned() + cosigned(59), "no valid cosignature"),
        (200, cosigned(key=OTHER) * 200, "no valid cosignature"),
        (
            200,
            b"x\n\n" + signed_note.cosign_checkpoint(TREE.checkpoint().decode() + "x\n", KEY, 1),
            "no valid cosignature",
        ),
        (
            200,
            b"\n" + signed_note.cosign_checkpoint(TREE.checkpoint().decode(), KEY, 1),
            "no valid cosignature",
        ),
        (200, cosigned() + b"\n" + cosigned(), "no valid cosignature"),
        (200, cosigned() + b"\n", "no valid cosignature"),
        (200, b"x" * 100_000, "larger than"),
        (409, b"", "does not say"),
        (409, b"-1\n", "does not say"),
        (409, b"99999999999999999999\n", "does not say"),
        (409, b"61\n", "rolled back"),
        (409, b"7\n", "it was at 7 entries, now at 7"),  # whatever is asked
        (409, b"60\n", "another root"),
        (400, b"", "could not read"),
        (500, b"\x1b[2Jboom", "it answered 500: \\x1b[2Jboom"),
        (302, b"/elsewhere", "redirects"),
    ],
)
def test_answers_that_are_not_believed(status, body, told, tmp_path):
    with serving(lambda *_: (status, PLAIN, body)) as url:
        outcome = anchor(tmp_path, url).put("run", HOUR, TREE.checkpoint())
    assert (outcome.ok, outcome.cosignatures) == (False, ())
    assert told in outcome.detail
    assert outcome.detail.isprintable()
    assert not list(tmp_path.iterdir())


def test_signatures_of_others_are_left_out(tmp_path):
    answer = cosigned(key=OTHER) + cosigned() + cosigned(key=OTHER, when=5)
    with serving(lambda *_: (200, PLAIN, answer)) as url:
        outcome = anchor(tmp_path, url).put("run", HOUR, TREE.checkpoint())
    assert outcome.cosignatures == (cosigned(),)
    assert outcome.detail == f"example.org/witness at {int(NOW.timestamp())}"


def test_a_log_without_its_tiles(tmp_path):
    """The proof comes from the log's own tiles; when they are gone the anchor says so and asks nobody."""
    (tmp_path / f"witness-{KEY.verifier.id.hex()}.size").write_bytes(b"20\n")
    lost = make(f"witness:http://127.0.0.1:1|{KEY.verifier.text}", AnchorContext(tmp_path, SystemClock()))
    outcome = lost.put("run", HOUR, TREE.checkpoint())
    assert not outcome.ok
    assert "the log cannot prove it" in outcome.detail


def test_two_logs_watch_each_other(tmp_path):
    """Each host has a log and a witness for the other's; both checkpoints carry the other's cosignature."""
    clock = SystemClock()
    logs = [
        AuditLog.open_or_create(tmp_path / name, clock, KeyStore(tmp_path / "keys"), f"example.org/{name}")
        for name in "ab"
    ]
    keys = [keyed(f"example.org/witness-{name}", COSIGNATURE) for name in "ab"]
    with (
        hosting(tmp_path / "at-a", logs[1].key, key=keys[0]) as first,
        hosting(tmp_path / "at-b", logs[0].key, key=keys[1]) as second,
    ):
        for log, url, key in zip(logs, (second, first), reversed(keys), strict=True):
            eyes = make(f"witness:{url}|{key.verifier.text}", AnchorContext(log.folder, clock))
            for round_ in range(3):
                log.append("run", [{"ev": "config", "n": n} for n in range(50 * round_ + 1)])
                (outcome,) = log.commit("run", [eyes]).outcomes
                assert outcome.ok, outcome.detail
            published = (log.folder / "checkpoint").read_bytes()
            assert key.verifier in signed_note.open_note(published, [key.verifier]).by
            assert parse_checkpoint(signed_note.open_note(published, [log.key]).text).size == log.size
            (held,) = eyes.list_held()
            assert held.standing is HeldStatus.HELD, held.detail
            log.close()


def test_forks_race_two_servers_over_one_state(tmp_path):
    """Whatever order requests arrive in, and at which server: beyond the fork, one history is cosigned."""

    def offer(number):
        own, tree = random.Random(number), (TREE, FORK)[number % 2]
        signed, stands = [], 0
        for _ in range(12):
            new = min(stands + own.randint(1, 3), 60)
            status, body = posted(own.choice(urls), request(tree, stands, new))
            if status == 200:
                assert KEY.verifier in signed_note.open_note(tree.checkpoint(new) + body, [KEY.verifier]).by
                signed.append((number % 2, new))
            stands = int(body) if status == 409 else new if status == 200 else stands
        return signed

    state = tmp_path / "state"
    with witnessing(state) as (first, _), witnessing(state) as (second, _):
        urls = (first, second)
        with ThreadPoolExecutor(8) as threads:
            signed = [one for found in threads.map(offer, range(8)) for one in found]
    assert len({fork for fork, size in signed if size > 5}) == 1
    assert max(size for _, size in signed) > 10


@pytest.mark.soak
def test_a_server_killed_under_load_never_contradicts_itself(tmp_path, soak_share):
    """kill -9 while forks are offered: what was cosigned before is never contradicted after."""
    chosen, signed = random.Random(5), {0: set(), 1: set()}
    for _ in range(max(3, round(40 * soak_share))):
        doom = chosen.randint(6, 30)
        with witnessing(tmp_path / "state") as (url, process):

            def offer(number, url=url, process=process, doom=doom):
                fork = number % 2
                try:
                    status, body = posted(url, request((TREE, FORK)[fork], 0, 1))
                    stands = int(body) if status == 409 else 1
                    new = min(stands + 1, 60)
                    if number == doom:
                        process.send_signal(signal.SIGKILL)
                    if posted(url, request((TREE, FORK)[fork], stands, new))[0] == 200:
                        signed[fork].add(new)
                except OSError:
                    pass

            with ThreadPoolExecutor(4) as threads:
                list(threads.map(offer, range(40)))
    assert min(max(sizes, default=0) for sizes in signed.values()) <= 5
    assert max(max(sizes, default=0) for sizes in signed.values()) > 5


@pytest.fixture
def refused(tmp_path, capsys):
    """Run the command on something wrong; its exit code and what it says."""

    def run(*more, key=KEY, log=LOG.verifier.text):
        (tmp_path / "key").write_text(key if isinstance(key, str) else key.text)
        (tmp_path / "key").chmod(0o600)
        place = ["--key", str(tmp_path / "key"), "--state", str(tmp_path / "s"), "--log", log]
        with pytest.raises(SystemExit) as left:
            main(["audit", "witness", *place, *more])
        told = capsys.readouterr()
        return left.value.code, told.out + told.err

    return run


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org"])
def test_it_stays_on_loopback_unless_told_otherwise(host, refused):
    code, told = refused("--host", host, "--port", "0")
    assert code == Exit.USAGE
    assert "can be reached by others" in told
    assert "--allow-remote" in told


def test_it_listens_elsewhere_when_told(tmp_path):
    with witnessing(tmp_path / "state", more=("--host", "0.0.0.0", "--allow-remote")) as (url, _):
        assert url.startswith("http://0.0.0.0:")


def test_a_port_that_is_taken(refused):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        code, told = refused("--port", str(taken.getsockname()[1]))
    assert (code, "hint: take another --port" in told) == (Exit.USAGE, True)


@pytest.mark.parametrize("key", [LOG, "rubbish", KEY.text[:-8]], ids=["log", "rubbish", "cut"])
def test_wrong_keys_are_told_and_not_shown(key, refused):
    code, told = refused(key=key)
    assert code == Exit.USAGE
    assert KEY.text[-30:-8] not in told
    assert LOG.text[-30:-8] not in told


def test_a_log_key_that_is_none(refused):
    assert refused(log="rubbish")[0] == Exit.USAGE


def test_a_damaged_state_is_told_at_the_start(tmp_path, refused):
    with witnessing(tmp_path / "s") as (url, _):
        assert posted(url, request(TREE, 0, 7))[0] == 200
        (state,) = (tmp_path / "s").glob("*.checkpoint")
        state.write_bytes(b"rubbish")
        assert posted(url, request(TREE, 7, 9)) == (500, b"the witness cannot keep its state\n")
    code, told = refused("--port", "0")
    assert code == Exit.AUDIT
    assert "damaged" in told


def test_bodies_are_bounded_and_other_addresses_unknown(tmp_path):
    with witnessing(tmp_path / "state") as (url, process):
        assert posted(url, b"0" * 300_000)[0] == 413
        assert posted(url + "/elsewhere", b"")[0] == 404
        with pytest.raises(HTTPError, match="405"):
            urlopen(url + "/add-checkpoint", timeout=10)
        os.kill(process.pid, signal.SIGTERM)
        assert process.wait(60) == 0
