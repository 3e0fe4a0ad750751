"""What a witness answers, case by case; and that no order of requests makes it sign two histories."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor

import pytest

from citeproof.errors import AuditError, UsageError
from citeproof.plumbing import signed_note
from citeproof.plumbing.clock import FixedClock, SystemClock
from citeproof.plumbing.signed_note import COSIGNATURE
from citeproof.proof.audit.witness_service import LARGEST, WitnessService, parse_request
from tests.proof.audit.anchors.making import NOW, ORIGIN, Tree, keyed

pytestmark = pytest.mark.slow

STILL = FixedClock(NOW)
KEY = keyed("example.org/witness", COSIGNATURE)
LOG = keyed(ORIGIN)
TREE = Tree(40, LOG)
FORK = Tree(40, LOG, fork=5)  # the first five entries are the same


def witness(folder, *logs, clock=STILL):
    return WitnessService(KEY, logs or [LOG.verifier], folder, clock)


def request(tree, old, new, proof=None, signed=None):
    proof = (tree.proof(old, new) if 0 < old < new else []) if proof is None else proof
    lines = [b"old %d" % old, *map(b64encode, proof), b"", b""]
    return b"\n".join(lines) + (tree.checkpoint(new) if signed is None else signed)


def test_a_log_that_grows_is_cosigned(tmp_path):
    watching = witness(tmp_path)
    for old, new in ((0, 3), (3, 3), (3, 17), (17, 40)):
        reply = watching.add(request(TREE, old, new))
        assert reply.status == 200
        opened = signed_note.open_note(TREE.checkpoint(new) + reply.body, [KEY.verifier, LOG.verifier])
        assert opened.times == {KEY.verifier: int(NOW.timestamp())}
        assert watching.sizes() == {ORIGIN: new}
    assert witness(tmp_path).sizes() == {ORIGIN: 40}  # another process knows


def test_the_empty_log_is_cosigned(tmp_path):
    watching = witness(tmp_path)
    assert watching.add(request(TREE, 0, 0)).status == 200
    assert watching.add(request(TREE, 0, 5)).status == 200


@pytest.mark.parametrize(
    ("body", "status"),
    [
        # what is not a request
        (b"", 400),
        (b"old 7\n", 400),
        (b"old 07\n\n" + TREE.checkpoint(9), 400),
        (b"old -1\n\n" + TREE.checkpoint(9), 400),
        (b"old 99999999999999999999\n\n" + TREE.checkpoint(9), 400),
        (b"old 9223372036854775808\n\n" + TREE.checkpoint(9), 400),
        (b"size 7\n\n" + TREE.checkpoint(9), 400),
        (b"old 7\nnot base64\n\n" + TREE.checkpoint(9), 400),
        (b"old 7\nAAAA\n\n" + TREE.checkpoint(9), 400),
        (b"old 7\n\xff\n\n" + TREE.checkpoint(9), 400),
        (request(TREE, 7, 9, [b"\0" * 32] * 64), 400),
        (request(TREE, 7, 9) + b"x" * LARGEST, 400),
        (request(TREE, 9, 7, []), 400),  # the old size is larger
        (request(TREE, 7, 9, signed=signed_note.sign_note(f"{ORIGIN}\nnine\nAAAA\n", LOG)), 400),
        # who signed it
        (request(Tree(9, keyed("example.org/other")), 7, 9), 404),
        (request(TREE, 7, 9, signed=b"no note at all"), 404),
        (request(Tree(9, keyed(ORIGIN, other=True)), 7, 9), 403),
        (request(TREE, 7, 9, signed=TREE.checkpoint(9).replace(b"\n9\n", b"\n8\n")), 403),
        (request(TREE, 7, 9, signed=TREE.checkpoint(9).rpartition(b"\xe2\x80\x94")[0]), 403),
        (request(TREE, 7, 9, signed=ORIGIN.encode() + b"\n"), 403),
        # where it stands
        (request(TREE, 0, 9), 409),
        (request(TREE, 5, 9), 409),
        (request(TREE, 5, 5), 409),  # rolled back
        (request(TREE, 8, 9), 409),
        (request(FORK, 7, 7), 409),  # the same size, another root
        # what it proves
        (request(FORK, 7, 9), 422),
        (request(TREE, 7, 9, []), 422),
        (request(TREE, 7, 9, TREE.proof(6, 9)), 422),
        (request(TREE, 7, 9, [*TREE.proof(7, 9), b"\0" * 32]), 422),
        (request(TREE, 7, 7, [b"\0" * 32]), 422),
        (request(TREE, 7, 9), 200),
    ],
)  # fmt: skip
def test_answers_when_seven_entries_were_seen(body, status, tmp_path):
    watching = witness(tmp_path)
    assert watching.add(request(TREE, 0, 7)).status == 200
    reply = watching.add(body)
    assert reply.status == status
    assert watching.sizes() == {ORIGIN: 9 if status == 200 else 7}
    if status == 409:
        assert (reply.body, reply.media) == (b"7\n", "text/x.tlog.size")


def test_signatures_of_others_are_left_aside(tmp_path):
    signed = TREE.checkpoint(7)
    for number in range(20):
        signed = signed_note.add_signature(
            signed, signed_note.cosign_checkpoint(TREE.text(7), keyed(f"w{number}", COSIGNATURE), 1)
        )
    assert witness(tmp_path).add(request(TREE, 0, 7, signed=signed)).status == 200


def test_each_log_has_its_own_state(tmp_path):
    second = Tree(9, keyed("example.org/second"))
    watching = witness(tmp_path, LOG.verifier, second.key.verifier)
    assert watching.add(request(TREE, 0, 7)).status == 200
    assert watching.add(request(second, 0, 9)).status == 200
    assert watching.sizes() == {ORIGIN: 7, "example.org/second": 9}


def test_a_damaged_state_is_an_error_and_never_a_beginning(tmp_path):
    watching = witness(tmp_path)
    watching.add(request(TREE, 0, 7))
    (state,) = tmp_path.glob("*.checkpoint")
    whole = state.read_bytes()
    for damaged in (b"", whole[:-10], whole.replace(b"\n7\n", b"\n0\n"), b"rubbish"):
        state.write_bytes(damaged)
        with pytest.raises(AuditError, match="damaged"):
            watching.add(request(TREE, 0, 9))
        with pytest.raises(AuditError, match="damaged"):
            watching.sizes()
        assert state.read_bytes() == damaged


def test_the_key_of_a_log_is_no_witness(tmp_path):
    with pytest.raises(UsageError, match="not the key of a witness"):
        WitnessService(LOG, [LOG.verifier], tmp_path, FixedClock(NOW))


def test_rubbish_is_never_more_than_refused(tmp_path):
    """Bytes of a good request changed at random: never an exception, never a new state but the right one."""
    watching = witness(tmp_path)
    assert watching.add(request(TREE, 0, 7)).status == 200
    good, chosen = request(TREE, 7, 30), random.Random(3)
    for _ in range(500):
        body = bytearray(good)
        for _ in range(chosen.randint(1, 4)):
            body[chosen.randrange(len(body))] = chosen.randrange(256)
        if bytes(body) != good:
            assert watching.add(bytes(body)).status in (400, 403, 404, 409, 422)
    assert watching.sizes() == {ORIGIN: 7}
    assert parse_request(good) is not None


@pytest.mark.parametrize("seed", range(3))
def test_no_race_makes_it_sign_two_histories(seed, tmp_path):
    """Eight threads, each with a witness of its own over one state, offer two forks: only one ever grows."""
    long = {name: Tree(120, LOG, fork=fork) for name, fork in (("straight", None), ("forked", 5))}
    assert witness(tmp_path).add(request(long["straight"], 0, 4)).status == 200

    def offer(number):
        own, mine = random.Random(seed * 1000 + number), witness(tmp_path)
        name = ("straight", "forked")[number % 2]
        signed, stands = [], 4
        for _ in range(25):
            new = min(stands + own.randint(0, 3), 120)
            reply = mine.add(request(long[name], stands, new))
            assert reply.status in (200, 409, 422)
            if reply.status == 200:
                signed.append((name, new))
            stands = int(reply.body) if reply.status == 409 else new if reply.status == 200 else stands
        return signed

    with ThreadPoolExecutor(8) as threads:
        signed = [one for found in threads.map(offer, range(8)) for one in found]
    grown = {name for name, size in signed if size > 5}
    assert len(grown) == 1, "trees of both forks were cosigned"
    assert len({size for _, size in signed}) > 20
    assert witness(tmp_path).sizes() == {ORIGIN: max(size for _, size in signed)}


DYING = """
import os, signal, sys
from pathlib import Path
from citeproof.plumbing.signed_note import SignerKey, VerifierKey
from citeproof.proof.audit.witness_service import WitnessService
class Death:
    def now(self):  # asked for between the store and the answer
        os.kill(os.getpid(), signal.SIGKILL)
key, log, state = sys.argv[1:]
witness = WitnessService(SignerKey.parse(key), [VerifierKey.parse(log)], Path(state), Death())
print(witness.add(sys.stdin.buffer.read()).status, flush=True)
"""


def test_killed_between_store_and_answer(tmp_path):
    """It kept what it did not get to sign: the same checkpoint is signed later, another history never."""
    assert witness(tmp_path).add(request(TREE, 0, 7)).status == 200
    command = [sys.executable, "-c", DYING, KEY.text, LOG.verifier.text, str(tmp_path)]
    died = subprocess.run(command, input=request(TREE, 7, 20), capture_output=True, check=False)
    assert (died.returncode, died.stdout) == (-signal.SIGKILL, b"")
    watching = witness(tmp_path)
    assert watching.sizes() == {ORIGIN: 20}
    reply = watching.add(request(FORK, 7, 20))
    assert (reply.status, reply.body) == (409, b"20\n")
    assert watching.add(request(FORK, 20, 20)).status == 409
    assert watching.add(request(TREE, 20, 20)).status == 200


OFFERING = """
import sys
from pathlib import Path
from citeproof.plumbing.signed_note import SignerKey, VerifierKey
from citeproof.proof.audit.witness_service import WitnessService
from citeproof.plumbing.clock import SystemClock
from tests.proof.audit.anchors.making import Tree
from tests.proof.audit.anchors.test_witnessing import request
key, log, state = sys.argv[1:]
signer = SignerKey.parse(log)
tree = Tree(200, signer)
witness = WitnessService(SignerKey.parse(key), [signer.verifier], Path(state), SystemClock())
old = witness.sizes()[signer.name]
print("ready", flush=True)
for new in range(old + 1, 201):
    assert witness.add(request(tree, new - 1, new)).status == 200
    print(new, flush=True)
"""


@pytest.mark.soak
def test_killed_at_any_moment_it_never_forgets(tmp_path, soak_share):
    """What was cosigned before the kill is in the state after it; the state is always whole."""
    chosen = random.Random(7)
    command = [sys.executable, "-c", OFFERING, KEY.text, LOG.text, str(tmp_path)]
    size = 0
    for _ in range(max(2, round(50 * soak_share))):
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            process.stdout.readline()
            for _ in range(chosen.randint(1, 6)):
                process.stdout.readline()
            process.send_signal(signal.SIGKILL)
            told = [int(line) for line in process.stdout.read().split("\n")[:-1]]
        stands = witness(tmp_path, clock=SystemClock()).sizes()[ORIGIN]
        assert stands >= max([size, *told])
        size = stands
        if size > 180:
            break
    assert size > 3
