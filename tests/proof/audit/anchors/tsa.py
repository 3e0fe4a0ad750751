"""A real time-stamping authority on loopback: `openssl ts -reply` behind a small server."""

from __future__ import annotations

import secrets
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.proof.audit.anchors.making import serving

OPENSSL = shutil.which("openssl")
_CONFIG = """
oid_section = oids
[oids]
policy1 = 1.2.3.4.1
[req]
distinguished_name = name
prompt = no
[name]
CN = {name}
[ca]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign
subjectKeyIdentifier = hash
[stamping]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = critical, timeStamping
[tsa]
default_tsa = tsa1
[tsa1]
serial = {folder}/serial
signer_digest = sha256
default_policy = policy1
digests = sha256
accuracy = secs:1
ess_cert_id_chain = no
"""


def openssl(*arguments: object, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["openssl", *map(str, arguments)], input=data, capture_output=True, check=False)


class Authority:
    """A root certificate and a signer below it, perhaps with another one between them."""

    def __init__(self, folder: Path, name: str = "root", *, between: bool = False) -> None:
        if OPENSSL is None:
            pytest.skip("openssl is not installed")
        self.folder = folder
        self.roots = folder / "root.pem"
        (folder / "serial").write_text("01\n")
        self.config = folder / "tsa.cnf"
        self.config.write_text(_CONFIG.format(name=name, folder=folder))
        self._made("root", "ca", signed_by=None)
        self._chain: list[object] = []
        if between:
            self._made("between", "ca", signed_by="root")
            self._chain = ["-chain", folder / "between.pem"]
        self._made("signer", "stamping", signed_by="between" if between else "root")

    def _made(self, name: str, extensions: str, signed_by: str | None) -> None:
        at = self.folder / name
        openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", f"{at}.key")
        subject = f"/CN={name} {self.folder.name}"
        openssl(
            "req", "-new", "-key", f"{at}.key", "-subj", subject, "-config", self.config, "-out", f"{at}.csr"
        )
        by = self.folder / (signed_by or name)
        signer = (
            ["-signkey", f"{at}.key"] if signed_by is None else ["-CA", f"{by}.pem", "-CAkey", f"{by}.key"]
        )
        made = openssl(
            "x509", "-req", "-in", f"{at}.csr", *signer, "-days", "30",
            "-set_serial", f"0x{secrets.token_hex(8)}", "-extfile", self.config, "-extensions", extensions,
            "-out", f"{at}.pem",
        )  # fmt: skip
        assert made.returncode == 0, made.stderr

    def reply(self, query: bytes) -> bytes:
        """Return the answer to a query, made by openssl."""
        asked, answered = self.folder / "query.tsq", self.folder / "answer.tsr"
        asked.write_bytes(query)
        made = openssl(
            "ts", "-reply", "-config", self.config, "-section", "tsa1", "-queryfile", asked, "-signer",
            self.folder / "signer.pem", "-inkey", self.folder / "signer.key", *self._chain, "-out", answered,
        )  # fmt: skip
        assert made.returncode == 0, made.stderr
        return answered.read_bytes()

    def agrees(self, answer: Path, checkpoint: Path) -> bool:
        """Return the second opinion: what `openssl ts -verify` says."""
        told = openssl("ts", "-verify", "-in", answer, "-data", checkpoint, "-CAfile", self.roots)
        return told.returncode == 0

    @contextmanager
    def serving(self) -> Iterator[str]:
        """Yield the address of this authority."""

        def answer(_path: str, headers: dict[str, str], body: bytes) -> tuple[int, str, bytes]:
            assert headers["Content-Type"] == "application/timestamp-query"
            return 200, "application/timestamp-reply", self.reply(body)

        with serving(answer) as url:
            yield url
