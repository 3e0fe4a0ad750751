"""The client of a witness, over HTTP: it believes no more than it must."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from aiohttp import web

from citeproof.plumbing import signed_note
from citeproof.plumbing.clock import SystemClock
from citeproof.plumbing.signed_note import COSIGNATURE, SignerKey, VerifierKey
from citeproof.proof.audit.anchors.base import AnchorContext, HeldStatus, make
from citeproof.proof.audit.audit_log import AuditLog
from citeproof.proof.audit.key_store import KeyStore
from citeproof.proof.audit.log_state import parse_checkpoint
from tests.proof.audit.anchors.making import HOUR, NOW, ORIGIN, Tree, around, keyed, serving
from tests.proof.audit.anchors.witness_server import WitnessService, make_application

pytestmark = pytest.mark.slow

KEY = keyed("example.org/witness", COSIGNATURE)
LOG = keyed(ORIGIN)
TREE = Tree(60, LOG)
FORK = Tree(60, LOG, fork=5)
PLAIN = "text/plain"


@contextmanager
def hosting(state: Path, *logs: VerifierKey, key: SignerKey = KEY) -> Iterator[str]:
    """Yield the address of a witness in a thread."""
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
        assert anchor(tmp_path, url).put("run", HOUR, TREE.checkpoint(20)).ok
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
