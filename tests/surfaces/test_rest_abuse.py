"""What one client can take from the others: places, bodies, connections, the queue, the rate, the loop."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
import time
from contextlib import ExitStack

import pytest
from starlette.requests import Request
from starlette.responses import Response
from tests.surfaces.rest_server import ThreadedServer
from tests.surfaces.test_rest import SteppedClock, send_bytes

from citeproof import settings as all_settings
from citeproof.errors import UsageError
from citeproof.surfaces.mcp.http_mount import MOST_VALUES, is_costly
from citeproof.surfaces.rest import server_door, server_process
from citeproof.surfaces.rest.access_tokens import AccessToken, TokenFile, hash_token
from citeproof.surfaces.rest.app import create_app
from citeproof.surfaces.rest.door_guard import is_gated
from citeproof.surfaces.rest.server_door import ServerOptions

TITLE = "Deep Residual Learning for Image Recognition"
TOKENS = TokenFile([AccessToken(name, hash_token(name), frozenset(("check",))) for name in ("ann", "bob")])
ANN, BOB = ({"Authorization": f"Bearer {name}"} for name in ("ann", "bob"))
SLOW_HEAD = b"POST /v1/verify HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500\r\n\r\n"
MULTIPART = "multipart/form-data; boundary=x"


@pytest.fixture
def serve(snapshot, tmp_path):
    """A function that starts a server with options; none is left running."""
    with ExitStack() as running:

        def start(*, tokens=None, local=True, **options):
            folder = tmp_path / f"server{time.monotonic_ns()}"
            given = {"offline": True, "snapshots": [snapshot], "cache_dir": folder / "cache"}
            settings = all_settings.load(given, environment={"XDG_CONFIG_HOME": str(folder)}, folder=tmp_path)
            app = create_app(
                settings,
                folder=folder / "jobs",
                options=ServerOptions(**options),
                tokens=tokens,
                local=local,
            )
            server = ThreadedServer(app)
            running.callback(server.close)
            return server

        yield start


def connect(server, sent=b"", source="127.0.0.1"):
    """Return a connection from an address of this machine, over which some bytes were sent."""
    port = int(server.url.rpartition(":")[2])
    made = socket.create_connection(("127.0.0.1", port), timeout=60, source_address=(source, 0))
    made.sendall(sent)
    return made


def read_end(connection):
    """Return what comes until the server closes the connection, by whatever means."""
    found = b""
    try:
        while part := connection.recv(65536):
            found += part
    except ConnectionError:
        pass
    return found


@pytest.mark.parametrize("anonymous", [False, True])
def test_bodies_that_do_not_come_take_no_place(serve, monkeypatch, anonymous):
    monkeypatch.setattr(server_door, "WINDOW", 0.05)
    server = serve(allow_anonymous=anonymous, anonymous_burst=1000)
    with ExitStack() as idle:
        for _ in range(5):
            idle.enter_context(connect(server, SLOW_HEAD))
        answers = []
        for _ in range(20):
            answers.append(server.client.post("/v1/verify", json={"title": TITLE}).status_code)
            time.sleep(0.02)
        assert answers == [200] * 20
        assert server.app.state.door.gate.inside == 0


def test_an_answer_that_nobody_reads_takes_no_place_and_ends(serve, monkeypatch):
    monkeypatch.setattr(server_process, "SLOWEST", 10**12)
    server = serve(body_seconds=0.3)

    @server.app.get("/v1/large")
    async def send_much(_: Request):
        return Response(b"x" * 30_000_000)

    asked = b"GET /v1/large HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with connect(server, asked * 3) as lazy:  # the second waits until the first is read
        for _ in range(5):
            assert server.client.post("/v1/verify", json={"title": TITLE}).status_code == 200
        until = time.monotonic() + 60
        while server.app.state.door.gate.inside or len(find_connections(server)) > 1:
            assert time.monotonic() < until
            time.sleep(0.05)
        assert len(read_end(lazy)) < 90_000_000


def find_connections(server):
    return server._server.server_state.connections


@pytest.mark.parametrize(
    ("path", "content_type", "length", "status"),
    [
        ("/v1/verify", "application/json", 100_001, 413),
        ("/v1/verify", MULTIPART, 100_001, 413),
        ("/v1/verify", MULTIPART, 40_000_000, 413),
        ("/v1/check", "application/json", 1_000_001, 413),
        ("/v1/check", "text/plain", 40_000_000, 413),
        ("/v1/check", MULTIPART, 50_200_000, 413),
        ("/v1/check", MULTIPART, 40_000_000, 100),
        ("/v1/ground", MULTIPART, 40_000_000, 100),
        ("/v1/fix", MULTIPART, 40_000_000, 100),
        ("/mcp", MULTIPART, 5_000_000, 413),
        ("/login", MULTIPART, 2_000_000, 413),
    ],
)
def test_the_size_of_a_body_is_bounded_by_its_route(shared, path, content_type, length, status):
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {content_type}\r\n"
    sent = f"{head}Sec-Fetch-Site: same-origin\r\nContent-Length: {length}\r\nExpect: 100-continue\r\n\r\n"
    with connect(shared, sent.encode()) as connection:
        assert int(connection.recv(65536).split()[1]) == status


@pytest.fixture(scope="module")
def shared(snapshot, tmp_path_factory):
    folder = tmp_path_factory.mktemp("server")
    given = {"offline": True, "snapshots": [snapshot], "cache_dir": folder / "cache"}
    settings = all_settings.load(given, environment={"XDG_CONFIG_HOME": str(folder)}, folder=folder)
    server = ThreadedServer(create_app(settings, folder=folder / "jobs"))
    yield server
    server.close()


def test_a_body_is_read_without_a_step_for_each_byte(shared):
    """Count the lines of Python that run while a body of brackets is read; they are few, whatever it is."""
    from citeproof.surfaces.rest.work_routes import read_json_body

    def count_lines(data):
        async def receive():
            return {"type": "http.request", "body": data, "more_body": False}

        async def read():
            request = Request({"type": "http", "method": "POST", "headers": []}, receive)
            await request.body()
            lines = 0

            def note(_frame, event, _argument):
                nonlocal lines
                lines += event == "line"
                return note

            before = sys.gettrace()
            sys.settrace(note)
            try:
                await read_json_body(request)
            except Exception:  # noqa: BLE001 - only its cost is asked
                pass
            finally:
                sys.settrace(before)
            return lines

        return asyncio.run(read())

    deep = b'{"references": ' + b"[" * 90_000 + b"]" * 90_000 + b"}"
    wide = b'{"references": [' + b"[]," * 90_000 + b"[]]}"
    assert max(count_lines(deep), count_lines(wide)) < 200


@pytest.mark.parametrize("depth", [60, 900, 990, 1100, 40_000])
def test_nesting_is_an_error_and_brackets_in_a_text_are_not(shared, depth):
    nested = b"[" * depth + b"]" * depth
    for body in (b'{"title": %s}', b'{"claimed": {"title": %s}}', b'{"claimed": %s}'):
        answer = shared.client.post("/v1/verify", content=body % nested)
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "BAD_REQUEST")
    listed = b'{"references": [{"title": %s}]}' % nested
    answer = shared.client.post("/v1/check", content=listed, headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 422)
    text = {"text": "[" * depth + " He (2016). Deep residual learning."}
    assert shared.client.post("/v1/check", json=text).status_code in (200, 422)


@pytest.mark.parametrize(
    ("arguments", "costly"),
    [
        ({"text": "a, b, [c], {d}\n" * 200_000}, False),
        ({"references": ["He, K. (2016). Deep learning, with commas."] * 1000}, False),
        ({"references": [[]] * MOST_VALUES}, True),
        ({"text": "x", "more": [{}] * MOST_VALUES}, True),
        ([[]] * MOST_VALUES, True),
        ([0] * 1000, False),
    ],
)
def test_a_call_of_many_values_is_refused_before_the_library_reads_it(shared, arguments, costly):
    call = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "x", "arguments": arguments},
    }
    assert is_costly(json.dumps(call).encode()) is costly
    answer = shared.client.post("/mcp", json=call, headers={"Accept": "application/json, text/event-stream"})
    assert ("too many values" in answer.text) is costly


def test_a_token_leaves_room_in_the_queue_and_a_stranger_leaves_more(serve):
    server = serve(tokens=TOKENS, local=False, workers=0, most_waiting=16, allow_anonymous=True)
    sent = {"json": {"text": "He 2016. X."}}

    def submit(count, headers):
        posted = [
            server.client.post("/v1/check", headers={"Prefer": "respond-async", **headers}, **sent)
            for _ in range(count)
        ]
        return [answer.status_code for answer in posted].count(202)

    assert submit(6, {}) == 4  # of all strangers, one address
    assert submit(16, ANN) == 6
    assert submit(16, BOB) == 3
    assert submit(1, ANN) == 0


def test_a_page_that_many_read_does_not_close_the_login(serve):
    server = serve(tokens=TOKENS, local=False, anonymous_burst=5, anonymous_rate=0.001)
    get = server.client.get
    for path, code in (("/verdicts", 200), ("/assets/x", 404)):
        assert {get(path).status_code for _ in range(30)} == {code}
    assert [get("/shared/x").status_code for _ in range(6)] == [404] * 5 + [429]
    assert get("/login").status_code == 200
    sent = {"data": {"token": "ann"}, "headers": {"Sec-Fetch-Site": "same-origin"}}
    assert server.client.post("/login", **sent).status_code == 303


@pytest.mark.parametrize("trusted", [False, True])
def test_only_a_trusted_proxy_says_who_asks_and_how(serve, trusted):
    proxies = ("127.0.0.1/32",) if trusted else ("10.0.0.0/8",)
    server = serve(tokens=TOKENS, local=False, proxies=proxies, anonymous_burst=3, anonymous_rate=0.001)
    own = {"Sec-Fetch-Site": "same-origin", "X-Forwarded-Proto": "https"}
    cookie = server.client.post("/login", data={"token": "ann"}, headers=own).headers["set-cookie"]
    assert ("Secure" in cookie) is trusted
    ways = [f"203.0.113.9, 198.51.100.{n}" for n in (1, 2)]  # the first part is what a client made up
    codes = [
        server.client.get("/shared/x", headers={"X-Forwarded-For": way}).status_code
        for way in ways
        for _ in range(4)
    ]
    assert codes == [404, 404, 404, 429] * 2 if trusted else codes == [404] * 3 + [429] * 5


@pytest.mark.parametrize(("given", "read"), [("127.0.0.1", ("127.0.0.1/32",)), ("10.0.0.0/8,::1", None)])
def test_a_trusted_proxy_is_an_address_or_a_network(given, read):
    chosen = all_settings.load({"trusted_proxies": given}, environment={})
    assert chosen.trusted_proxies == (read or ("10.0.0.0/8", "::1/128"))
    with pytest.raises(UsageError):
        all_settings.load({"trusted_proxies": "proxy.example"}, environment={})


@pytest.mark.parametrize("path", ["/v1/runs", "/healthz", "/", "/verdicts"])
@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "POST"])
def test_a_foreign_origin_is_refused_whatever_is_asked(shared, path, method):
    for origin in ("https://evil.example", "null"):
        assert shared.client.request(method, path, headers={"Origin": origin}).status_code == 403
    own = shared.client.request(method, path, headers={"Origin": shared.url})
    assert own.status_code in (200, 405, 404, 415)


@pytest.mark.parametrize(
    ("headers", "place"),
    [
        ("Host: localhost\r\nHost: evil.example", "Host"),
        ("Host: evil.example\r\nHost: localhost", "Host"),
        ("Host: localhost\r\nOrigin: http://localhost\r\nOrigin: null", "Origin"),
        ("Host: localhost\r\nAuthorization: Bearer a\r\nauthorization: Bearer b", "Authorization"),
    ],
)
def test_a_header_that_must_be_there_once_is_not_there_twice(shared, headers, place):
    sent = f"GET /v1/runs HTTP/1.1\r\n{headers}\r\nConnection: close\r\n\r\n".encode()
    head, _, body = send_bytes(shared.url, sent).partition(b"\r\n\r\n")
    assert (head.split()[1], json.loads(body)["error"]["place"]) == (b"400", place)


@pytest.mark.parametrize(
    ("size", "parts", "status"),
    [(30_000, 1, b"200"), (30_000, 3, b"200"), (40_000, 1, b"431"), (40_000, 3, b"431")],
)
def test_the_head_of_a_request_is_bounded_however_it_comes(shared, size, parts, status):
    sent = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX: " + b"y" * size + b"\r\n\r\n"
    step = len(sent) // parts + 1
    found = send_bytes(shared.url, *(sent[at : at + step] for at in range(0, len(sent), step)))
    assert found.split()[1] == status


@pytest.mark.parametrize(
    ("path", "gated"),
    [
        ("/v1/verify", True),
        ("/v1/runs/x", True),
        ("/v1/runs/x/events", False),
        ("/v1/resolve/10.1000/events", True),
        ("/runs/x/events", False),
        ("/login", False),
    ],
)
def test_only_a_stream_of_events_needs_no_place(path, gated):
    assert is_gated(path) is gated


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200),
        ("LOCALHOST:80", 200),
        ("[::1]", 200),
        ("[::1]:80", 200),
        ("127.0.0.1:8707", 200),
        ("[", 421),
        ("[::1", 421),
        ("localhost@evil.example", 421),
        ("localhost:80:80", 421),
        ("localhost.evil.example", 421),
        ("", 421),
    ],
)
def test_a_host_is_read_in_one_way(shared, host, status):
    sent = f"GET /v1/runs HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode()
    assert int(send_bytes(shared.url, sent).split()[1]) == status


@pytest.mark.parametrize("origin", ["http://[", "//localhost", "http://localhost:1", "localhost", ""])
def test_an_origin_that_is_none_is_foreign(shared, origin):
    sent = f"GET /v1/runs HTTP/1.1\r\nHost: localhost\r\nOrigin: {origin}\r\nConnection: close\r\n\r\n"
    assert int(send_bytes(shared.url, sent.encode()).split()[1]) == 403


def test_an_address_has_a_bound_of_connections_and_a_trusted_proxy_has_none(serve, monkeypatch):
    monkeypatch.setattr(server_process, "MOST_OF_ADDRESS", 3)
    server = serve(proxies=("127.0.0.9/32",))
    asked = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    with ExitStack() as opened:
        for source in ("127.0.0.7", "127.0.0.9"):
            for _ in range(3):
                opened.enter_context(connect(server, source=source))
        answers = []
        for source in ("127.0.0.7", "127.0.0.8", "127.0.0.9"):
            try:
                with connect(server, asked, source) as connection:
                    answers.append(read_end(connection)[9:12])
            except ConnectionError:
                answers.append(b"")
        assert answers == [b"", b"200", b"200"]


def test_a_refused_request_whose_body_does_not_come_ends(serve, monkeypatch):
    monkeypatch.setattr(server_process, "HEAD_SECONDS", 0.3)
    server = serve()
    gate = server.app.state.door.gate
    gate.inside, gate._refused = 64, gate._clock.elapsed()  # overloaded
    with connect(server, SLOW_HEAD) as connection:
        assert read_end(connection).split()[1] == b"408"


class MadeBody:
    """A body as the bound sees it."""

    def __init__(self, client, begun, came):
        self.client, self.begun, self.came, self.ended = client, begun, came, False

    def give_up(self):
        self.ended = True


def test_the_slowest_body_of_whoever_sends_most_is_ended():
    from citeproof.surfaces.rest import arriving_bodies

    clock = SteppedClock()
    slow = arriving_bodies.SlowBodies(clock)
    uploads = [MadeBody("ann", 0.0, 40_000_000) for _ in range(arriving_bodies.EACH - 1)]
    trickle, other = MadeBody("ann", 0.0, 10), MadeBody("bob", 0.0, 0)
    clock.at = 50.0
    for body in (*uploads, trickle, other):
        slow.add(body)
    assert not any(body.ended for body in (*uploads, trickle, other))
    slow.add(newest := MadeBody("ann", 49.0, 0))
    assert trickle.ended
    assert not any(body.ended for body in (*uploads, other, newest))


def test_all_clients_together_have_a_bound_of_slow_bodies(monkeypatch):
    from citeproof.surfaces.rest import arriving_bodies

    monkeypatch.setattr(arriving_bodies, "MOST", 4)
    slow = arriving_bodies.SlowBodies(SteppedClock())
    crowd = [MadeBody("ann", 0.0, n) for n in range(3)]
    others = [MadeBody(name, 0.0, 0) for name in ("bob", "eve")]
    for body in (*crowd, *others):
        slow.add(body)
    assert [body.ended for body in (*crowd, *others)] == [True, False, False, False, False]


def test_slow_bodies_of_one_client_are_ended_and_its_quick_ones_are_answered(serve, monkeypatch):
    from citeproof.surfaces.rest import arriving_bodies

    monkeypatch.setattr(arriving_bodies, "GRACE", 0.05)
    monkeypatch.setattr(arriving_bodies, "EACH", 2)
    server = serve()
    with ExitStack() as opened:
        slow = [opened.enter_context(connect(server, SLOW_HEAD)) for _ in range(6)]
        ended = []
        for connection in slow[:4]:
            ended.append(read_end(connection)[9:12])
            assert server.client.post("/v1/verify", json={"title": TITLE}).status_code == 200
        assert ended == [b"408"] * 4
