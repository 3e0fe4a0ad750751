"""Documents of a bucket, from an S3 server on loopback."""

from __future__ import annotations

import pytest

from citeproof import settings
from citeproof.errors import InputError, NotADocumentError, UsageError
from citeproof.service.batch.batch_items import ListedDocument, list_items
from citeproof.service.batch.batch_session import BucketDocuments


@pytest.fixture
def bucket(monkeypatch, tmp_path):
    server = pytest.importorskip("moto.server", reason="moto[server,s3] is not installed")
    boto3 = pytest.importorskip("boto3", reason="the extra s3 is not installed")
    running = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    for name, value in {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "k",
        "AWS_SECRET_ACCESS_KEY": "s",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_CONFIG_FILE": str(tmp_path / "none"),
        "AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "none"),
    }.items():
        monkeypatch.setenv(name, value)
    client = boto3.client("s3")
    client.create_bucket(Bucket="papers")
    for key in ("2026/b.bib", "2026/a.bib", "2026/figure.png", "2026/.hidden.bib", "2025/c.bib"):
        client.put_object(Bucket="papers", Key=key, Body=b"@article{a, title={On %s}}" % key.encode())
    yield BucketDocuments(settings.load({"max_document_bytes": 1000}, environment={}))
    running.stop()


def test_documents_below_a_prefix_in_the_order_of_their_keys(bucket):
    items = list_items(["s3://papers/2026/"], print, bucket)
    names = [f"s3://papers/2026/{name}" for name in ("a.bib", "b.bib", "figure.png")]
    assert [item.id for item in items] == names
    with pytest.raises(NotADocumentError):
        items[2].source.read(1000)
    assert items[0].source.read(1000).data == b"@article{a, title={On 2026/a.bib}}"
    listed = [ListedDocument("s3://papers/2025/c.bib", "p7", "list.csv:2")]
    (item,) = list_items([], print, bucket, listed)
    assert (item.id, item.source.read(1000).name) == ("p7", "s3://papers/2025/c.bib")


def test_what_is_not_there_is_told(bucket):
    with pytest.raises(UsageError, match="S3 answers NoSuchBucket"):
        list_items(["s3://nobody/x"], print, bucket)
    with pytest.raises(UsageError, match="names no bucket"):
        list_items(["s3://"], print, bucket)
    with pytest.raises(InputError, match="no such object"):
        bucket.find("s3://papers/none.bib").read(1000)
