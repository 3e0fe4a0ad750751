"""Our log verified by the code of Go's checksum database, and Go's trees and notes by ours."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from citeproof.plumbing.signed_note import (
    COSIGNATURE,
    SignerKey,
    VerifierKey,
    add_signature,
    cosign_checkpoint,
    open_note,
    sign_note,
)
from citeproof.proof.audit import log_state, merkle
from citeproof.proof.audit.log_state import LogCheckpoint
from citeproof.proof.audit.tiles import Tiles, extend_tree, remove_partial_tiles

SOURCE = Path(__file__).with_name("go") / "verify.go"
SIZES = [1, 2, 3, 255, 256, 257, 1000, 66_000]  # the last has three levels of tiles
KEY = SignerKey.generate("log.example/for-go")
Go = Callable[..., subprocess.CompletedProcess[bytes]]


@pytest.fixture(scope="session")
def go(tmp_path_factory) -> Go:
    """The Go program, built once."""
    if not shutil.which("go"):
        pytest.skip("go is missing: install golang-go and golang-golang-x-mod-dev")
    folder = tmp_path_factory.mktemp("go")
    environment = {
        "GOPATH": "/usr/share/gocode",  # where Debian's packages of Go sources stand
        **os.environ,
        "GO111MODULE": "off",
        "GOCACHE": str(folder / "cache"),
        "GOFLAGS": "",
    }
    program = folder / "verify"
    command = ["go", "build", "-o", str(program), str(SOURCE)]
    built = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if "cannot find package" in built.stderr:
        pytest.skip("golang.org/x/mod is missing: install golang-golang-x-mod-dev")
    assert built.returncode == 0, built.stderr
    return lambda *arguments, data=b"": subprocess.run(
        [program, *arguments], input=data, capture_output=True, check=False
    )


@dataclass(frozen=True)
class Made:
    folder: Path
    proofs: dict[str, list[dict[str, object]]]


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Made:
    return log(tmp_path_factory.mktemp("log"), SIZES)


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> Made:
    return log(tmp_path_factory.mktemp("small"), SIZES[:-1])


def log(folder: Path, sizes: list[int]) -> Made:
    """A log grown in steps with its checkpoint, and proofs between all of its sizes."""
    entries = [b'{"ev":"verified","seq":%d}' % number for number in range(sizes[-1])]
    roots, size = {}, 0
    for new in sizes:
        roots[new] = extend_tree(folder, size, entries[size:new])
        remove_partial_tiles(folder, size, new)
        size = new
    state = LogCheckpoint(KEY.name, size, roots[size]).body()
    witness = SignerKey.generate("witness.example", COSIGNATURE)
    (folder / "checkpoint").write_bytes(
        add_signature(sign_note(state, KEY), cosign_checkpoint(state, witness, 1_700_000_000))
    )
    return Made(folder, proofs_of(Tiles(folder), roots))


def proofs_of(tiles: Tiles, roots: dict[int, bytes]) -> dict[str, list[dict[str, object]]]:
    records = [
        {
            "Index": index,
            "Size": size,
            "Root": text(roots[size]),
            "Proof": [text(step) for step in merkle.prove_inclusion(index, size, tiles.hashes(size))],
        }
        for size in roots
        for index in {*range(0, size, max(1, size // 250)), size - 1}
    ]
    trees = [
        {
            "Old": old,
            "New": new,
            "OldRoot": text(roots[old]),
            "NewRoot": text(roots[new]),
            "Proof": [text(step) for step in merkle.prove_consistency(old, new, tiles.hashes(new))],
        }
        for new in roots
        for old in roots
        if old <= new
    ]
    return {"Records": records, "Trees": trees}


def text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def checked(go: Go, made: Made, tmp_path: Path, key: VerifierKey = KEY.verifier) -> str:
    """What Go says: how much it verified, or why not."""
    (tmp_path / "proofs.json").write_text(json.dumps(made.proofs))
    done = go("check", made.folder, key.text, tmp_path / "proofs.json")
    assert done.returncode == bool(done.stderr), done.stderr
    return (done.stdout + done.stderr).decode().strip()


@pytest.mark.slow
def test_go_verifies_our_log(go, made, tmp_path):
    records, trees = len(made.proofs["Records"]), len(made.proofs["Trees"])
    assert records > 1200
    assert trees == 36
    assert checked(go, made, tmp_path) == f"66000 entries, {records} record proofs, {trees} tree proofs"


TILE = "inconsistent tile|not the one in the tree|another tile"
TOUCHED = [
    ("tile/entries/000", 30, "is not the one in the tree"),
    ("tile/entries/257.p/208", 9, "is not the one in the tree"),
    ("tile/0/000", 0, TILE),
    ("tile/0/257.p/208", 33, TILE),
    ("tile/1/000", 77, TILE),
    ("tile/2/000.p/1", 5, TILE),
    ("checkpoint", len(f"{KEY.name}\n"), "invalid signature"),  # the size
    ("checkpoint", len(f"{KEY.name}\n66000\n") + 3, "invalid signature"),  # the root
]


@pytest.mark.parametrize(("place", "at", "said"), TOUCHED)
def test_go_refuses_what_was_touched(go, made, tmp_path, place, at, said):
    file = made.folder / place
    data = file.read_bytes()
    try:
        file.write_bytes(flipped(data, at))
        assert re.search(said, checked(go, made, tmp_path))
    finally:
        file.write_bytes(data)


def test_go_refuses_another_signature(go, made, tmp_path):
    file = made.folder / "checkpoint"
    data = file.read_bytes()
    body = data.partition(b"\n\n")[0].decode() + "\n"
    stranger = SignerKey.generate(KEY.name)
    try:
        file.write_bytes(sign_note(body, stranger))
        assert "no verifiable signatures" in checked(go, made, tmp_path)
        blob = KEY.verifier.id + flipped(KEY.signature(body.encode()), 40)
        file.write_bytes(f"{body}\n— {KEY.name} {text(blob)}\n".encode())
        assert "invalid signature" in checked(go, made, tmp_path)
    finally:
        file.write_bytes(data)


@pytest.mark.parametrize("kind", ["Records", "Trees"])
def test_go_refuses_changed_proofs(go, small, tmp_path, kind):
    some = [dict(one) for one in small.proofs[kind] if one["Proof"]]
    proofs = {kind: some[:: len(some) // 3]}
    for one in proofs[kind]:
        whole = one["Proof"]
        for wrong in (
            whole[:-1],
            [*whole, whole[0]],
            [text(flipped(base64.b64decode(whole[0]), 3)), *whole[1:]],
        ):
            one["Proof"] = wrong
            assert "invalid" in checked(go, Made(small.folder, proofs), tmp_path)
        one["Proof"] = whole
    assert "1000 entries" in checked(go, Made(small.folder, proofs), tmp_path)


def test_we_verify_what_go_wrote(go):
    count = 40
    done = go("write", str(count))
    assert done.returncode == 0, done.stderr
    wrote = json.loads(done.stdout)
    entries = [base64.b64decode(entry) for entry in wrote["Entries"]]
    leaves = [merkle.hash_leaf(entry) for entry in entries]
    signed = open_note(base64.b64decode(wrote["Note"]), [VerifierKey.parse(wrote["Key"])])
    state = log_state.parse_checkpoint(signed.text)
    assert (state.size, state.root) == (count, merkle.compute_root(leaves))
    assert len(wrote["Records"]) == len(wrote["Trees"]) == count * (count + 1) // 2
    for one in wrote["Records"]:
        proof, root = [base64.b64decode(step) for step in one["Proof"] or []], base64.b64decode(one["Root"])
        assert merkle.check_inclusion(one["Index"], one["Size"], leaves[one["Index"]], proof, root)
        assert not merkle.check_inclusion(
            one["Index"], one["Size"], flipped(leaves[one["Index"]], 0), proof, root
        )
    for one in wrote["Trees"]:
        proof = [base64.b64decode(step) for step in one["Proof"] or []]
        old, new = base64.b64decode(one["OldRoot"]), base64.b64decode(one["NewRoot"])
        assert merkle.check_consistency(one["Old"], old, one["New"], new, proof)
        assert not merkle.check_consistency(one["Old"], flipped(old, 9), one["New"], new, proof)


def test_notes_go_back_and_forth(go):
    """A note of ours, signed a second time by Go with a private key that we wrote."""
    second = SignerKey.generate("second.example/é")
    body = LogCheckpoint(KEY.name, 7, merkle.EMPTY).body()
    done = go("resign", KEY.verifier.text, second.text, data=sign_note(body, KEY))
    assert done.returncode == 0, done.stderr
    found = open_note(done.stdout, [KEY.verifier, second.verifier])
    assert (found.text, set(found.by)) == (body, {KEY.verifier, second.verifier})
    with_both = add_signature(sign_note(body, KEY), sign_note(body, second).splitlines(keepends=True)[-1])
    assert done.stdout == with_both  # Ed25519 has one signature for a key and a text
