"""The verifier in plain Python that goes into archives: hostile archives, its Ed25519, its size."""

from __future__ import annotations

import io
import os
import random
import shutil
import sys
import tarfile
from pathlib import Path

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from citeproof.plumbing.signed_note import SignerKey, sign_note
from tests.proof.audit.making import ORIGIN, SCRIPT, Made, archive, loaded, make_log, verified

pytestmark = pytest.mark.slow

HOSTILE = [
    "checkpoint",
    "log.json",
    "export.json",
    "h_0.jsonl",
    "tile/0/000",
    "tile/entries/000",
    "commits/h_0/a.merkle",
]


@pytest.fixture(scope="module")
def slim(tmp_path_factory) -> tuple[Made, Path]:
    """A log without evidence, and its export."""
    place = tmp_path_factory.mktemp("slim")
    made = make_log(place, 300, bare=True)
    with tarfile.open(fileobj=io.BytesIO(archive(made))) as tar:
        tar.extractall(place / "export", filter="data")
    return made, place / "export/audit"


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("kind", ["fifo", "link", "folder", "rubbish", "deep"])
def test_hostile_archives(slim, tmp_path, name, kind):
    made, folder = slim[0], tmp_path / "audit"
    shutil.copytree(slim[1], folder)
    (folder / name).unlink(missing_ok=True)
    match kind:
        case "fifo":
            os.mkfifo(folder / name)
        case "link":
            (folder / name).symlink_to("/etc/passwd")
        case "folder":
            (folder / name).mkdir()
        case "rubbish":
            (folder / name).write_bytes(bytes(range(256)) * 40)
        case _:
            (folder / name).write_bytes(b"[" * 100_000)
    code, out = verified(folder, "--key", made.key.text)
    assert code == 1, out


@pytest.mark.soak
def test_every_damage_is_told(slim, tmp_path, soak_share):
    """Random damage to any signed file of an archive: found, and never a traceback."""
    made, chance = slim[0], random.Random(6)
    shutil.copytree(slim[1], tmp_path / "audit")
    paths = sorted(path for path in (tmp_path / "audit").rglob("*") if path.is_file())
    paths = [
        path
        for path in paths
        if path.name not in {"verify.py", "FORMAT.md", "README.md", "log.json", "export.json"}
    ]
    for number in range(round(1000 * soak_share)):
        path = chance.choice(paths)
        before = path.read_bytes()
        at = chance.randrange(len(before))
        touched = [
            before[:at] + bytes([before[at] ^ 1 << chance.randrange(8)]) + before[at + 1 :],
            before[:at],
            before[:at] + chance.randbytes(9) + before[at:],
            before[:at] + before[at + 1 :],
        ]
        path.write_bytes(touched[number % 4])
        code, out = verified(tmp_path / "audit", "--key", made.key.text)
        path.write_bytes(before)
        assert code == 1, f"{path} {number % 4} {at}: {out}"
    assert verified(tmp_path / "audit", "--key", made.key.text)[0] == 0


def test_a_false_size_does_not_keep_it_busy(slim, tmp_path):
    key = SignerKey.generate(ORIGIN)
    folder = tmp_path / "audit"
    shutil.copytree(slim[1], folder)
    (folder / "checkpoint").write_bytes(sign_note(f"{ORIGIN}\n{2**62}\n{'A' * 43}=\n", key))
    about = (folder / "export.json").read_text()
    (folder / "export.json").write_text(about.replace('"size":302', f'"size":{2**62}'))
    code, out = verified(folder, "--key", key.verifier.text)
    assert (code, "can no longer be proved" in out) == (1, True)


# --- Ed25519 in plain Python ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def plain():
    return loaded(SCRIPT)


# RFC 8032, section 7.1: public key, message, signature
VECTORS = [
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        ("e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
         "d25bf5f0595bbe24655141438e7a100b"),
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        ("92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c"
         "387b2eaeb4302aeeb00d291612bb0c00"),
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        ("6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc659"
         "4a7c15e9716ed28dc027beceea1ec40a"),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("public", "message", "signature"), VECTORS)
def test_ed25519_vectors(plain, public, message, signature):
    key, text, signed = map(bytes.fromhex, (public, message, signature))
    assert plain.ed25519_verifies(key, text, signed)
    assert not plain.ed25519_verifies(key, text + b"x", signed)


def test_ed25519_as_cryptography_has_it(plain):
    """Random messages, true signatures and malformed ones: both say the same."""
    chance = random.Random(8032)
    for number in range(60):
        private = Ed25519PrivateKey.from_private_bytes(chance.randbytes(32))
        public, message = private.public_key().public_bytes_raw(), chance.randbytes(chance.randrange(200))
        signature = bytearray(private.sign(message))
        match number % 6:
            case 1:
                signature[chance.randrange(64)] ^= 1 << chance.randrange(8)
            case 2:  # the same signature with S + L, which a lax verifier takes too
                s = int.from_bytes(signature[32:], "little") + plain.ORDER
                signature[32:] = s.to_bytes(32, "little")
            case 3:
                signature = signature[: chance.randrange(64)]
            case 4:
                message += b"."
            case 5:
                public = chance.randbytes(32)
        assert plain.ed25519_verifies(public, message, bytes(signature)) == _by_cryptography(
            public, message, bytes(signature)
        ) == (number % 6 == 0)  # fmt: skip


def _by_cryptography(public: bytes, message: bytes, signature: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def test_it_is_one_short_file():
    assert len(SCRIPT.read_text().splitlines()) < 400
    imports = [line for line in SCRIPT.read_text().splitlines() if line.startswith(("import ", "from "))]
    names = imports[0].removeprefix("import ").split(", ")
    assert (len(imports), [name for name in names if name not in sys.stdlib_module_names]) == (1, [])
