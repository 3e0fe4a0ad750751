"""The REST door on a real server on loopback: every route, its errors, and what bounds it."""

from __future__ import annotations

import io
import json
import socket
from pathlib import Path

import pytest
from tests.surfaces.rest_server import ThreadedServer, wait_for_run

from citeproof import settings as all_settings
from citeproof.answers.reporters.base import list_formats
from citeproof.errors import AuditError
from citeproof.plumbing.clock import SystemClock
from citeproof.service.engine_pool import EnginePool
from citeproof.surfaces.rest.access_tokens import TokenFile, add_token, read_tokens
from citeproof.surfaces.rest.app import create_app
from citeproof.surfaces.rest.server_door import (
    CALM,
    WINDOW,
    AdmissionGate,
    RateBuckets,
    ServerOptions,
    make_log_writer,
)

EXAMPLES = Path(__file__).parents[2] / "examples"
BIB = (EXAMPLES / "records.bib").read_bytes()
TITLE = "Deep Residual Learning for Image Recognition"


@pytest.fixture(scope="module")
def make_server(snapshot, tmp_path_factory):
    running = []

    def make(audit=False, tokens=None, local=True, **options):
        folder = tmp_path_factory.mktemp("server")
        given = {"offline": True, "snapshots": [snapshot], "cache_dir": folder / "cache"}
        given["allow_unchecked_retractions"] = True  # no list of retractions is at hand
        if audit:
            given |= {"audit_dir": folder / "audit", "audit_key": folder / "keys"}
        settings = all_settings.load(given, environment={"XDG_CONFIG_HOME": str(folder)}, folder=folder)
        entries = []
        app = create_app(
            settings,
            folder=folder / "jobs",
            options=ServerOptions(**options),
            tokens=tokens,
            local=local,
            log=lambda event, **fields: entries.append({"event": event, **fields}),
        )
        running.append(made := ThreadedServer(app))
        made.entries, made.folder = entries, folder
        return made

    yield make
    for one in running:
        one.close()


@pytest.fixture(scope="module")
def server(make_server):
    return make_server()


@pytest.fixture
def client(server):
    return server.client


def test_verify_has_the_shape_of_the_seed(client):
    answer = client.post("/v1/verify", json={"title": TITLE, "author": "He", "year": 2016})
    assert answer.status_code == 200
    told = answer.json()
    assert (told["verdict"], told["confidence"]) == ("matched", "high")
    assert told["provenance"] == told["_provenance"]
    nested = {"claimed": {"title": TITLE, "authors": [{"family": "He"}], "year": 2016}, "options": {}}
    assert client.post("/v1/verify", json=nested).json()["matched"] == told["matched"]
    strict = client.post("/v1/verify?compat=true", json={"title": TITLE}).json()
    assert "citeproof" not in strict


def test_a_small_check_is_answered_at_once_in_every_format(client):
    answer = client.post("/v1/check", files={"file": ("refs.bib", BIB)})
    assert answer.status_code == 200
    report = answer.json()
    assert report["schema"] == "citeproof/report/1"
    assert report["summary"]["references"] == 13
    run = answer.headers["location"]
    for form in list_formats():
        assert client.get(run, params={"format": form}).status_code == 200, form
    assert client.get(run, params={"format": "json"}).json() == report
    gated = client.get(run, params={"format": "json", "policy": "strict"}).json()
    assert gated["policy"]["name"] == "strict"
    assert [one["verdict"] for one in gated["references"]] == [one["verdict"] for one in report["references"]]
    assert any(gate["gate"] == "fail" for one in gated["references"] for gate in one["gates"])
    assert client.get(run, params={"format": "json", "policy": "/etc/passwd"}).status_code == 422
    page = client.get(f"{run}/references", params={"start": 10, "limit": 2}).json()
    assert page["references"] == report["references"][10:12]
    assert page["next"] == 12
    assert len(client.get(f"{run}/trace").json()["traces"]) == 13
    assert client.get("/v1/runs").json()["runs"][0]["id"] in run


def test_text_and_lists_are_checked_too(client):
    text = "1. He, K. et al. (2016). Deep residual learning for image recognition. CVPR.\n"
    for sent in (
        {"content": text, "headers": {"content-type": "text/plain"}},
        {"json": {"text": text}},
        {"json": {"references": [text, {"title": TITLE, "key": "own"}]}},
    ):
        answer = client.post("/v1/check", **sent)
        assert answer.status_code == 200, answer.text
        assert answer.json()["references"][0]["verdict"] == "matched"
    assert answer.json()["references"][1]["key"] == "own"


def test_more_references_than_a_caller_waits_for_are_a_run(client):
    many = {"references": [f"He (2016). Deep residual learning {n}." for n in range(30)]}
    answer = client.post("/v1/check", json=many)
    assert answer.status_code == 202
    assert answer.json()["state"] in ("queued", "running", "done")
    state = wait_for_run(client, answer.headers["location"])
    assert (state["state"], state["done"], state["total"]) == ("done", 30, 30)


def test_a_run_is_followed_by_events_and_taken_up_by_their_id(client):
    answer = client.post("/v1/check", files={"file": ("refs.bib", BIB)}, headers={"Prefer": "respond-async"})
    run = answer.headers["location"]
    events = client.get(f"{run}/events").text
    assert [line for line in events.splitlines() if line.startswith("id:")] == [f"id: {n}" for n in range(13)]
    assert events.rstrip().splitlines()[-2] == "event: end"
    later = client.get(f"{run}/events", headers={"Last-Event-ID": "10"}).text
    assert [line for line in later.splitlines() if line.startswith("id:")] == ["id: 11", "id: 12"]


def test_the_same_key_gives_the_same_run(client):
    headers = {"Idempotency-Key": "k1", "Prefer": "respond-async"}
    first = client.post("/v1/check", json={"text": "Attention is all you need"}, headers=headers)
    again = client.post("/v1/check", json={"text": "Attention is all you need"}, headers=headers)
    assert first.headers["location"] == again.headers["location"]
    other = client.post("/v1/check", json={"text": "Deep residual learning is all"}, headers=headers)
    assert (other.status_code, other.json()["error"]["code"]) == (409, "IDEMPOTENCY_CONFLICT")


def test_ground_and_fix(client):
    text = "Nets are deep (He et al., 2016).\n\n# References\n\n1. He, K. (2016). " + TITLE + ". CVPR.\n"
    answer = client.post("/v1/ground", json={"text": text, "name": "a.md"})
    assert answer.status_code == 200, answer.text
    assert answer.json()["summary"]["claims"] == 1
    (claim,) = answer.json()["claims"]
    assert (claim["status"], claim["content"], claim["held"]) == ("verified", "not_compared", False)
    assert claim["caveat"] == "retraction_unchecked"
    run = answer.headers["location"]
    assert client.get(f"{run}/references").json()["claims"]
    assert client.get(f"{run}/trace").json()["traces"][0]["trace"]
    assert client.get(f"{run}/document").status_code == 409
    wrong = BIB.replace(b"Kaiming He", b"Kaiming Hee")
    answer = client.post("/v1/fix", files={"file": ("refs.bib", wrong)}, data={"unsafe": "true"})
    assert answer.status_code == 200, answer.text
    assert answer.json()["files"][0]["changed"]
    assert client.get(f"/v1/runs/{answer.json()['id']}/document").content == BIB


def test_identifiers(client):
    found = client.get("/v1/resolve/10.1109/CVPR.2016.90").json()
    assert found["record"]["title"] == TITLE
    assert client.get("/v1/resolve/10.9999/none").json()["found"] is False
    assert "result" in client.get("/v1/retraction/10.1109/CVPR.2016.90").json()
    assert client.get("/v1/resolve/nothing").status_code == 400


@pytest.mark.parametrize(
    ("method", "path", "sent", "status", "code", "place"),
    [
        ("POST", "/v1/verify", {"json": {}}, 400, "BAD_REQUEST", "title"),
        ("POST", "/v1/verify", {"json": []}, 400, "BAD_REQUEST", "body"),
        ("POST", "/v1/verify", {"content": "{"}, 400, "BAD_REQUEST", "body"),
        ("POST", "/v1/verify", {"content": "[" * 5000}, 400, "BAD_REQUEST", "body"),
        ("POST", "/v1/verify", {"json": {"title": "x", "colour": 1}}, 400, "BAD_REQUEST", "colour"),
        ("POST", "/v1/verify", {"json": {"title": "x", "doi": "no"}}, 400, "BAD_REQUEST", "doi"),
        ("POST", "/v1/verify", {"json": {"title": "x", "year": 10000}}, 400, "BAD_REQUEST", "year"),
        (
            "POST", "/v1/verify", {"json": {"title": "x", "screenWithLlm": True}},
            400, "LLM_SCREEN_FORBIDDEN", "screenWithLlm",
        ),
        ("POST", "/v1/check", {"json": {"text": "a", "references": []}}, 400, "BAD_REQUEST", "body"),
        ("POST", "/v1/check", {"json": {"references": [1]}}, 400, "BAD_REQUEST", "references[0]"),
        ("POST", "/v1/check", {"json": {"references": ["a"] * 1001}}, 400, "BAD_REQUEST", "references"),
        ("POST", "/v1/check", {"content": b"x"}, 415, "UNSUPPORTED_MEDIA_TYPE", "Content-Type"),
        ("POST", "/v1/check", {"files": {"other": b"x"}}, 400, "BAD_REQUEST", "file"),
        (
            "POST", "/v1/check", {"files": {"file": ("x.pdf", b"%PDF-1.7 broken")}},
            422, "UNREADABLE_DOCUMENT", "x.pdf",
        ),
        ("POST", "/v1/verify", {"content": b" " * 1_000_001}, 413, "TOO_LARGE", "body"),
        ("GET", "/v1/runs/none", {}, 404, "NOT_FOUND", "none"),
        ("DELETE", "/v1/runs/none", {}, 404, "NOT_FOUND", "none"),
        ("GET", "/v1/runs/a%00b", {}, 422, "BAD_PARAMETER", "run"),
        ("GET", "/v1/runs?limit=0", {}, 422, "BAD_PARAMETER", "limit"),
        ("GET", "/nothing", {}, 404, "NOT_FOUND", ""),
        ("PUT", "/v1/verify", {}, 405, "METHOD_NOT_ALLOWED", ""),
    ],
)  # fmt: skip
def test_an_error_says_what_where_and_what_to_do(client, method, path, sent, status, code, place):
    answer = client.request(method, path, **sent)
    assert answer.status_code == status, answer.text
    error = answer.json()["error"]
    assert (error["code"], error["place"]) == (code, place)
    assert error["message"]
    assert error["hint"]
    assert "Traceback" not in answer.text


def test_other_sites_and_names_are_refused(client):
    foreign = client.post("/v1/verify", json={"title": "x"}, headers={"Origin": "https://evil.example"})
    assert (foreign.status_code, foreign.json()["error"]["code"]) == (403, "FOREIGN_ORIGIN")
    rebound = client.get("/v1/runs", headers={"Host": "evil.example"})
    assert (rebound.status_code, rebound.json()["error"]["code"]) == (421, "FOREIGN_HOST")
    assert "access-control-allow-origin" not in client.get("/v1/runs").headers


def test_health_readiness_metrics_and_a_log_without_words_of_documents(server):
    client = server.client
    assert client.get("/healthz").json()["status"] == "ok"
    assert client.get("/readyz").json() == {"ready": True}
    client.post(
        "/v1/verify", json={"title": "A very secret title"}, headers={"Authorization": "Bearer s3cr3t"}
    )
    metrics = client.get("/metrics").text
    assert 'citeproof_requests_total{method="POST",route="/v1/verify",status="200"}' in metrics
    told = json.dumps(server.entries) + metrics
    assert "secret" not in told
    assert "s3cr3t" not in told


def test_a_bug_is_told_without_its_details(make_server):
    server = make_server()

    @server.app.get("/broken")
    async def break_down():
        raise RuntimeError("secret words of a document")

    answer = server.client.get("/broken")
    assert (answer.status_code, answer.json()["error"]["code"]) == (500, "INTERNAL")
    assert "secret" not in answer.text + json.dumps(server.entries)
    assert [one["what"] for one in server.entries if one["event"] == "fault"] != []


def send_bytes(url, *pieces):
    """Return what the server answers until it closes."""
    address = url.removeprefix("http://").split(":")
    with socket.create_connection((address[0], int(address[1])), timeout=60) as connection:
        for piece in pieces:
            connection.sendall(piece)
        found = b""
        while piece := connection.recv(65536):
            found += piece
    return found


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"not http at all\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nX: " + b"y" * 100_000, b"431"),
        (b"GET /" + b"y" * 100_000, b"431"),
    ],
)
def test_a_head_that_cannot_be_read_ends_the_connection(server, sent, status):
    head, _, body = send_bytes(server.url, sent).partition(b"\r\n\r\n")
    assert head.split()[1] == status
    assert set(json.loads(body)["error"]) == {"code", "message", "place", "hint"}


@pytest.mark.parametrize(
    ("head", "answered"),
    [
        (b"Content-Length: 3000000\r\n", 1),
        (b"Content-Length: 3000000\r\nExpect: 100-continue\r\n", 0),
        (b"Transfer-Encoding: chunked\r\n", 1),
    ],
)
def test_a_sender_of_too_much_reads_why_it_was_refused(server, head, answered):
    chunked = b"chunked" in head
    sent = b"POST /v1/verify HTTP/1.1\r\nHost: localhost\r\n" + head + b"\r\n"
    body = b"186a0\r\n" + b" " * 100_000 + b"\r\n" if chunked else b" " * 100_000
    pieces = [sent, *[body] * 30 * answered, b"0\r\n\r\n" * chunked]
    answer = send_bytes(server.url, *pieces)
    assert answer.split()[1] == b"413"
    assert b"TOO_LARGE" in answer


def test_a_long_body_in_one_piece_is_no_long_head(server):
    body = json.dumps({"title": "x" * 2000, "container": "y" * 90_000}).encode()
    head = b"POST /v1/verify HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
    assert send_bytes(server.url, head % len(body) + body).split()[1] == b"400"  # it is the container


def test_an_overloaded_server_refuses_at_the_door(make_server):
    server = make_server(at_once_overloaded=0)
    codes = [server.client.post("/v1/verify", json={"title": "x"}).status_code for _ in range(2)]
    gate = server.app.state.door.gate
    gate._refused = gate._clock.elapsed()
    again = [server.client.post("/v1/verify", json={"title": "x"}) for _ in range(3)]
    assert codes == [200, 200]
    assert [one.status_code for one in again] == [429] * 3
    assert again[0].headers["retry-after"] == "1"
    assert server.client.get("/healthz").status_code == 200
    assert 'route="refused",status="429"} 3' in server.client.get("/metrics").text


def test_tokens_scopes_and_other_peoples_runs(make_server, tmp_path):
    path = tmp_path / "tokens.txt"
    ann, bob = add_token(path, "ann", ["metrics"]), add_token(path, "bob", [])
    assert ann not in path.read_text()
    assert path.stat().st_mode & 0o077 == 0
    server = make_server(tokens=read_tokens(path), local=False)
    client = server.client
    assert client.get("/v1/runs").status_code == 401
    assert client.get("/v1/runs", headers={"Authorization": "Bearer cpt_wrong"}).status_code == 401
    guessed = [client.get("/v1/runs", headers={"Authorization": f"Bearer {n}"}) for n in range(25)]
    assert guessed[-1].status_code == 429
    assert client.get("/healthz").status_code == 200
    hers, his = {"Authorization": f"Bearer {ann}"}, {"Authorization": f"Bearer {bob}"}
    run = client.post("/v1/check", json={"text": "He 2016. X."}, headers=hers).headers["location"]
    assert client.get(run, headers=hers).status_code == 200
    for path in (run, f"{run}/references", f"{run}/trace", f"{run}/events", f"{run}/document"):
        assert client.get(path, headers=his).status_code == 404
    assert client.delete(run, headers=his).status_code == 404
    assert client.get("/v1/runs", headers=his).json() == {"runs": []}
    assert client.get("/metrics", headers=his).status_code == 403
    assert client.get("/metrics", headers=hers).status_code == 200


def test_strangers_are_served_at_a_low_rate(make_server):
    client = make_server(
        tokens=TokenFile([]), local=False, allow_anonymous=True, anonymous_burst=3, anonymous_rate=0.001
    ).client
    answers = [client.get("/v1/runs") for _ in range(5)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429, 429]
    assert int(answers[-1].headers["retry-after"]) > 0
    assert client.get("/healthz").status_code == 200


def test_a_full_queue_and_a_full_server_say_when_to_come_again(make_server):
    client = make_server(workers=0, most_waiting=1).client
    headers = {"Prefer": "respond-async"}
    first = client.post("/v1/check", json={"text": "He 2016. X."}, headers=headers)
    full = client.post("/v1/check", json={"text": "He 2016. X."}, headers=headers)
    assert (first.status_code, full.status_code) == (202, 429)
    assert full.headers["retry-after"]
    cancelled = client.delete(first.headers["location"])
    assert cancelled.json()["state"] == "cancelled"
    assert client.get(first.headers["location"] + "?format=json").status_code == 400
    closed = make_server(at_once=0).client
    refused = closed.post("/v1/verify", json={"title": "x"})
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")


class SteppedClock(SystemClock):
    """A clock that a test moves."""

    def __init__(self):
        self.at = 0.0

    def elapsed(self):
        return self.at


def test_an_overloaded_server_takes_few_at_a_time_until_it_is_calm():
    clock = SteppedClock()
    gate = AdmissionGate(5, 2, clock)
    assert [gate.enter() for _ in range(6)] == [True] * 5 + [False]  # a burst may wait
    for _ in range(5):
        gate.leave()
    assert [gate.enter() for _ in range(3)] == [True] * 3
    clock.at += WINDOW + 0.1  # and three have been inside all the time
    for _ in range(3):
        assert not gate.enter()
        gate.leave()
    assert gate.enter()
    assert not gate.enter()  # one at a time
    gate.leave()
    clock.at += CALM + 0.1
    assert [gate.enter() for _ in range(6)] == [True] * 5 + [False]


def test_an_entry_of_the_log_is_written_in_one_go():
    class WriteList(io.StringIO):
        def __init__(self):
            super().__init__()
            self.writes = []

        def write(self, text):
            self.writes.append(text)
            return len(text)

    stream = WriteList()
    write = make_log_writer(SteppedClock(), stream)
    write("listening", port=1)
    write("stopped")
    assert [json.loads(text)["event"] for text in stream.writes] == ["listening", "stopped"]
    assert all(text.endswith("}\n") for text in stream.writes)


def test_a_bucket_fills_again():
    clock = SteppedClock()
    buckets = RateBuckets(2.0, 3, clock)
    assert [buckets.take("a") for _ in range(4)] == [0.0, 0.0, 0.0, 0.5]
    assert buckets.take("b") == 0.0
    clock.at += 0.5
    assert buckets.take("a") == 0.0
    assert buckets.take("a") > 0


def test_a_log_that_cannot_be_used_is_named_in_the_log_of_the_server_alone(make_server):
    server = make_server(audit=True)
    (key,) = (server.folder / "keys").glob("*.key")  # made at the start
    key.unlink()
    verified = server.client.post("/v1/verify", json={"title": "Mask R-CNN"})
    checked = server.client.post("/v1/check", files={"file": ("refs.bib", BIB)})
    assert (verified.status_code, checked.status_code) == (503, 422)
    assert str(key) not in verified.text + checked.text
    troubles = [entry["trouble"] for entry in server.entries if entry["event"] == "files"]
    assert len(troubles) == 2
    assert all(str(key) in trouble for trouble in troubles)


def test_a_server_does_not_start_without_the_log_that_it_is_to_write(snapshot, tmp_path):
    (tmp_path / "audit").write_text("a file, no folder")
    settings = all_settings.load(
        {"offline": True, "snapshots": [snapshot], "audit_dir": tmp_path / "audit"},
        environment={"XDG_CONFIG_HOME": str(tmp_path)},
        folder=tmp_path,
    )
    pool = EnginePool(settings)
    with pytest.raises(AuditError, match="cannot be written"):
        pool.prepare()
    pool.close()


def test_with_an_audit_log_every_answer_is_in_it(make_server):
    server = make_server(audit=True)
    answer = server.client.post("/v1/verify", json={"title": TITLE, "author": "He"})
    assert answer.status_code == 200
    run = server.client.post("/v1/check", files={"file": ("refs.bib", BIB)}).headers["location"]
    state = server.client.get(run).json()
    lines = (server.folder / "audit" / state["log"]["file"]).read_text().splitlines()
    assert sum("verdict" in json.loads(line) for line in lines) == 13
