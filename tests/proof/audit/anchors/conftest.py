"""S3 servers: moto for the protocol, Ceph's radosgw (where it is at hand) for what only a lock can show."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.proof.audit.anchors import ceph

NO_CEPH = "no S3 server that enforces object lock: install radosgw, ceph-mon, ceph-osd, or see ceph.py here"


@dataclass
class Server:
    """An S3 server, and a client for what a test does behind the anchor's back."""

    url: str

    @property
    def client(self):
        import boto3
        from botocore.config import Config

        style = Config(s3={"addressing_style": "path"}, request_checksum_calculation="when_required")
        return boto3.client("s3", endpoint_url=self.url, region_name="us-east-1", config=style)

    def bucket(self, *, lock: bool = True) -> str:
        name = f"b{secrets.token_hex(6)}"
        self.client.create_bucket(Bucket=name, ObjectLockEnabledForBucket=lock)
        return name


@pytest.fixture(autouse=True)
def credentials(monkeypatch, tmp_path):
    """Keys as boto3 finds them, and nothing of the machine's own."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ceph.KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", ceph.SECRET)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")


@pytest.fixture(scope="session")
def _moto() -> Iterator[str]:
    server = pytest.importorskip("moto.server", reason="moto[server,s3] is not installed")
    running = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    yield f"http://{host}:{port}"
    running.stop()


@pytest.fixture(scope="session")
def _ceph(tmp_path_factory) -> Iterator[str]:
    found = ceph.root()
    if found is None:
        pytest.skip(NO_CEPH)
    cluster = ceph.Ceph(found, tmp_path_factory.mktemp("ceph"))
    try:
        cluster.__enter__()
    except Exception as error:  # noqa: BLE001 - its start is no part of what is tested
        pytest.skip(f"Ceph did not start: {error}"[:300])
    yield cluster.url
    cluster.__exit__()


@pytest.fixture(params=["moto", "ceph"])
def server(request) -> Server:
    """Either server: what both are known to do."""
    return Server(request.getfixturevalue(f"_{request.param}"))


@pytest.fixture
def enforcing(request) -> Server:
    """Only a server that keeps a lock against everybody."""
    return Server(request.getfixturevalue("_ceph"))
