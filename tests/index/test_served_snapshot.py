"""A served snapshot: the same answers as the folder, and every fault an `Unchecked`, never a silence."""

from __future__ import annotations

import asyncio
import threading
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import msgspec
import pytest

from citeproof.errors import SnapshotError, UsageError
from citeproof.index import manifest as manifests
from citeproof.index import served_calls
from citeproof.index import snapshot_wire as wire
from citeproof.index.build import BuildInput
from citeproof.index.layer_update import update_snapshot
from citeproof.index.record_packing import pack_fields
from citeproof.index.served_calls import ServerAccess
from citeproof.index.served_snapshot import open_served
from citeproof.index.snapshot import Snapshot
from citeproof.index.snapshot_places import connect_servers, load_manifests, open_snapshots
from citeproof.index.snapshot_questions import FactQuestion, RecordQuestion, find_facts, find_records
from citeproof.index.snapshot_service import BadCallsError, SnapshotService
from citeproof.judge.absence import proves_absence
from citeproof.settings import Settings, load
from citeproof.sources._served_snapshot import ServedSnapshotSource
from citeproof.vocabulary import (
    Absent,
    Cause,
    Claimed,
    Ids,
    Kind,
    Name,
    Question,
    Reach,
    Reference,
    Secret,
    Unchecked,
)
from tests.index.conftest import write_works

ACCESS = ServerAccess("citeproof/test", 120.0)
NAMES = (Name("Einstein"), Name("Podolsky"), Name("Rosen"))
QUESTIONS = [
    RecordQuestion("title", "Attention is all you need"),
    RecordQuestion("title", "BERT", (Name("Devlin", "Jacob"),)),
    RecordQuestion("title", "deep residual learning for image recogniton"),
    RecordQuestion("title", "qwertyuiop asdfghjkl"),
    RecordQuestion("title", "lone \ud800 surrogate"),
    RecordQuestion("raw", "Vaswani 2017. Attention is all you need. NIPS."),
    RecordQuestion("authors", "", NAMES),
    RecordQuestion("mention", "", NAMES[:2], 1935, ["quantum", "reality"]),
    RecordQuestion("mention", "", NAMES[:2], None),
    RecordQuestion("doi", "https://doi.org/10.1109/CVPR.2016.90"),
    RecordQuestion("doi", "10.1109/nowhere"),
    RecordQuestion("doi", "no doi"),
    RecordQuestion("isbn", "0-201-89683-4"),
]


class Server:
    """A server of one snapshot on loopback; `spoil` gets each answer and may change it, or is a status."""

    def __init__(self, folder):
        self.service, self.requests, self.spoil, self.paths = SnapshotService(folder), 0, None, []
        self.seen_tokens = []

    def answer(self, path, body):
        self.paths.append(path)
        if path == "/v1/snapshots":
            return 200, msgspec.json.encode(
                wire.ServedList(wire.WIRE, [msgspec.Raw(self.service.describe())])
            )
        if self.service.id not in path:
            return 410, f"serves {self.service.id} now".encode()
        self.requests += 1
        if self.spoil is not None:
            return self.spoil(self.service.answer(body))
        return 200, self.service.answer(body)


@contextmanager
def serve(folder):
    served = Server(folder)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            served.seen_tokens.append(self.headers.get("authorization"))
            status, data = served.answer(self.path, body)
            if status is None:
                self.close_connection = True
                return
            self.send_response(abs(status))
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            with suppress(OSError):  # nobody waits any more
                self.wfile.write(data if status > 0 else data[: len(data) // 2])
            self.close_connection = self.close_connection or status < 0

        do_GET = do_POST  # noqa: N815 - the name that the library calls

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    served.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
        served.service.close()


@pytest.fixture(autouse=True)
def _one_name(monkeypatch):
    """Answers of a server are compared with those of the folder, but for the place that each is called by."""
    monkeypatch.setattr(manifests, "name_source", lambda made, _: f"snapshot:{made.name}")


@pytest.fixture
def server(folder, monkeypatch):
    monkeypatch.setattr(served_calls, "PAUSES", (0.01, 0.01))
    with serve(folder) as served:
        yield served


def ask(url, work, record=None):
    """Return what `work` returns with the one snapshot of a server."""

    async def run():
        (snapshot,) = opened
        try:
            return await work(snapshot)
        finally:
            await snapshot.close()

    opened = open_served(url, ACCESS, record)
    return asyncio.run(run())


def test_every_question_is_answered_as_by_the_folder(server, snapshot):
    async def work(served):
        return await asyncio.gather(*(served.find_records(asked) for asked in QUESTIONS))

    kept = {}
    found = ask(server.url, work, kept.__setitem__)
    assert found == [find_records(snapshot, asked) for asked in QUESTIONS]
    assert sum(map(len, found)) > 8
    assert kept.keys() == {record.content_hash for records in found for record in records}
    assert server.requests <= 4  # not one for each question


def test_a_snapshot_with_a_layer_is_served_too(folder, tmp_path):
    added = write_works(tmp_path / "new.jsonl", [{"t": "Layers over layers of snow", "d": "10.1103/snow"}])
    update_snapshot(folder, [BuildInput("works", (added,))], tmp_path / "layered")
    asked = RecordQuestion("title", "Layers over layers of snow")

    async def work(served):
        return served.id, await served.find_records(asked)

    with serve(tmp_path / "layered") as served, Snapshot.open(tmp_path / "layered") as here:
        assert ask(served.url, work) == (here.id, find_records(here, asked))
        assert len(find_records(here, asked)) == 1


def test_facts_and_properties_are_those_of_the_folder(server, snapshot):
    questions = [FactQuestion("10.1109", "CVPR"), FactQuestion("", ""), FactQuestion("10.9", "Nowhere")]

    async def work(served):
        told = served.id, served.source, served.covers, served.tells_venues, served.has_venue_names
        return told, [await served.find_facts(asked) for asked in questions]

    told, facts = ask(server.url, work)
    same = snapshot.id, snapshot.source, snapshot.covers, snapshot.tells_venues, snapshot.has_venue_names
    assert told == same
    assert facts == [find_facts(snapshot, asked) for asked in questions]


def test_a_server_may_leave_calls_for_later(server, snapshot, monkeypatch):
    monkeypatch.setattr("citeproof.index.snapshot_service.ENOUGH", 1)

    async def work(served):
        return await asyncio.gather(*(served.find_records(asked) for asked in QUESTIONS))

    assert ask(server.url, work) == [find_records(snapshot, asked) for asked in QUESTIONS]
    assert server.requests >= len(QUESTIONS) - 2  # one for each that had to be asked


REFERENCE = Reference(
    "k", "Attention is all you need", Kind.BOOK, Claimed(title="Attention is all you need", year=2017)
)
CITES_DOI = Reference("k", "x", Kind.ARTICLE, Claimed(ids=Ids((("doi", "10.1103/x"),))))


def _rewrite(change):
    def spoil(data):
        answer = wire.ANSWER.decode(data)
        change(answer)
        return 200, wire.ENCODER.encode(answer)

    return spoil


def _other_id(answer):
    answer.id = "cps1-" + "0" * 24


def _too_many(answer):
    answer.replies = answer.replies * 2


def _none(answer):
    answer.replies = []


def _other_kind(answer):
    answer.replies = [wire.VenueReply(True) for _ in answer.replies]


def _bad_record(answer):
    answer.replies = [wire.RecordsReply([(b"\x93\xa1", None, 0)]) for _ in answer.replies]


def _replace_records(titles):
    record = pack_fields(titles, (), (), "x", (), Kind.ARTICLE)
    return _rewrite(
        lambda answer: setattr(
            answer, "replies", [wire.RecordsReply([(record, None, 0)])] * len(answer.replies)
        )
    )


def _bad_source(answer):
    for reply in answer.replies:
        reply.rows = [(row[0], row[1], 99) for row in reply.rows]


def _damaged(answer):
    answer.replies = [wire.FaultReply("block 3 cannot be read") for _ in answer.replies]


FAULTS = {
    "dropped": lambda _: (None, b""),
    "cut": lambda data: (-200, data),
    "empty": lambda _: (200, b""),
    "page": lambda _: (200, b"<html>please log in</html>"),
    "half": lambda data: (200, data[: len(data) // 2]),
    "server error": lambda _: (500, b"oops"),
    "too busy": lambda _: (429, b""),
    "needs a token": lambda _: (401, b""),
    "redirect": lambda _: (302, b""),
    "another snapshot": lambda _: (410, b"serves cps1-0123456789abcdef01234567 now"),
    "other id": _rewrite(_other_id),
    "too many": _rewrite(_too_many),
    "none": _rewrite(_none),
    "other kind": _rewrite(_other_kind),
    "bad record": _rewrite(_bad_record),
    "bad source": _rewrite(_bad_source),
    "thousands of titles": _replace_records(["Attention is all you need"] * 1000),
    "huge record": _replace_records(["x" * (wire.MAX_RECORD + 1)]),
    "damaged": _rewrite(_damaged),
}


@pytest.mark.parametrize(
    ("by", "fault"),
    [(by, fault) for by in ("title", "facts") for fault in FAULTS if (by, fault) != ("facts", "bad source")],
)
def test_a_fault_is_unchecked_and_never_proves_absence(server, fault, by):
    server.spoil = FAULTS[fault]

    async def work(served):
        source = ServedSnapshotSource(served)
        if by == "facts":
            return await source.fetch_facts(CITES_DOI, "doi"), served
        return await source.lookup(Question("title", "Attention is all you need", REFERENCE)), served

    found, served = ask(server.url, work)
    assert isinstance(found, Unchecked)
    assert found.reach is Reach.COMPLETE
    assert server.url in found.detail
    assert served.trouble == found.detail
    others = [Absent(name, "title", Reach.COVERS) for name in ("crossref", "openalex")]
    assert proves_absence(others)
    assert not proves_absence([*others, found])


def test_a_fault_that_ends_is_not_noticed(server, snapshot):
    left = ["dropped", "cut"]

    def spoil(data):
        return FAULTS[left.pop()](data) if left else (200, data)

    server.spoil = spoil
    asked = QUESTIONS[0]
    assert ask(server.url, lambda served: served.find_records(asked)) == find_records(snapshot, asked)
    assert not left


def test_a_server_that_is_down_is_left_alone_then_asked_again(server, snapshot, monkeypatch):
    asked = QUESTIONS[0]

    async def work(served):
        server.spoil = FAULTS["server error"]
        source = ServedSnapshotSource(served)
        question = Question("title", asked.value, REFERENCE)
        first = await source.lookup(question)
        before = server.requests
        second = await source.lookup(question)  # nobody is asked
        assert server.requests == before
        monkeypatch.setattr(served.caller, "_rests_until", 0.0)
        server.spoil = None
        return first, second, await source.lookup(question)

    first, second, third = ask(server.url, work)
    assert isinstance(first, Unchecked)
    assert first == second
    assert first.cause is Cause.TIMEOUT
    assert list(third.records) == find_records(snapshot, asked)


def test_a_server_that_is_too_slow_is_unchecked(server):
    (hasty,) = open_served(server.url, ACCESS)
    hasty.caller._access = ServerAccess("citeproof/test", 0.2)
    goes_on = threading.Event()

    def spoil(data):
        goes_on.wait(120)
        return 200, data

    server.spoil = spoil

    async def work():
        try:
            return await ServedSnapshotSource(hasty).lookup(Question("title", "BERT", REFERENCE))
        finally:
            goes_on.set()
            await hasty.close()

    found = asyncio.run(work())
    assert isinstance(found, Unchecked)
    assert (found.cause, found.reach) == (Cause.TIMEOUT, Reach.COMPLETE)
    assert "no answer within 0.2 s" in found.detail


def test_who_gives_up_leaves_the_others_waiting(server, snapshot):
    """One reference of a run may be cancelled while its question travels with those of others."""

    async def work(served):
        asked = [asyncio.ensure_future(served.find_records(one)) for one in QUESTIONS]
        await asyncio.sleep(0)
        asked[0].cancel()
        return await asyncio.gather(*asked, return_exceptions=True)

    first, *others = ask(server.url, work)
    assert isinstance(first, asyncio.CancelledError)
    assert others == [find_records(snapshot, asked) for asked in QUESTIONS[1:]]


def test_no_call_is_left_behind_when_all_requests_end_at_once(server, monkeypatch):
    """Two requests are answered in the same moment, and one of those who waited asks again at once."""

    async def work(served):
        opened, caller = asyncio.Event(), served.caller

        async def send(calls, _):
            await opened.wait()
            return [wire.VenueReply(True) for _ in calls]

        async def ask_times(times):
            for number in range(times):
                await caller.ask(wire.VenueCall(b"%d" % number))

        monkeypatch.setattr(caller, "_send", send)
        asked = []
        for times in (3, 1):
            asked.append(asyncio.ensure_future(ask_times(times)))
            for _ in range(5):
                await asyncio.sleep(0)  # its request is on the way
        opened.set()
        await asyncio.wait_for(asyncio.gather(*asked), 120)
        return True

    assert ask(server.url, work)


def test_a_snapshot_that_was_replaced_is_told(server, snapshot):
    async def work(served):
        served.caller._url = served.caller._url.replace(snapshot.id, "cps1-" + "0" * 24)
        return await ServedSnapshotSource(served).lookup(Question("title", "BERT", REFERENCE))

    found = ask(server.url, work)
    assert isinstance(found, Unchecked)
    assert "no longer has the snapshot that the run began with" in found.detail
    assert snapshot.id in found.detail


def test_every_request_is_noted_with_what_it_says(server):
    sent = []

    async def work(served):
        served.caller.note = sent.append
        await served.find_records(QUESTIONS[1])

    ask(server.url, work)
    (one,) = sent
    assert (one.source, one.outcome, one.method) == ("snapshot:small", "200", "POST")
    assert one.body == "title: BERT; Jacob Devlin"


@pytest.mark.parametrize(
    ("answer", "word"),
    [
        ((200, b"{}"), "something else answers there"),
        ((200, b'{"citeproof_snapshots": 9, "snapshots": []}'), "speaks version 9"),
        ((200, b'{"citeproof_snapshots": 1, "snapshots": []}'), "has no snapshot"),
        ((200, b'{"citeproof_snapshots": 1, "snapshots": [{"format": 1}]}'), "not a snapshot's manifest"),
        ((404, b""), "answered 404"),
        ((401, b""), "wants a token"),
        ((503, b""), "answered 503"),
        ((None, b""), "connection broke off"),
    ],
)
def test_what_is_no_server_is_told_at_once(server, monkeypatch, answer, word):
    monkeypatch.setattr(server, "answer", lambda *_: answer)
    monkeypatch.setattr("citeproof.index.served_snapshot.OPENING_PAUSES", (0.01, 0.0))
    with pytest.raises(SnapshotError) as caught:
        open_served(server.url, ACCESS)
    assert word in caught.value.message
    assert caught.value.place == server.url
    assert caught.value.hint


def test_offline_opens_no_connection(server):
    chosen = load({"offline": True, "snapshots": [server.url]}, environment={})
    for use in (open_snapshots, load_manifests):
        with pytest.raises(UsageError, match="offline, no server can be asked"):
            use(chosen)
    assert not server.paths


def test_places_keep_their_order(server, folder):
    chosen = load({"snapshots": [server.url, str(folder)]}, environment={})
    assert [type(one).__name__ for one in open_snapshots(chosen)] == ["ServedSnapshot", "Snapshot"]
    assert len({one.id for one in load_manifests(chosen)}) == 1


def test_a_token_goes_to_the_users_servers_only(server):
    key = {"snapshot": Secret("cpt_x")}
    own = Settings(snapshots=(server.url,), keys=key)
    open_served(server.url, connect_servers(own))
    assert server.seen_tokens == ["Bearer cpt_x"]
    theirs = Settings(snapshots=(server.url,), keys=key, set_by_project=frozenset(("snapshots",)))
    assert connect_servers(theirs).token is None


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xff",
        wire.ENCODER.encode([]),
        wire.ENCODER.encode([("lookup", "title", b"\xff\xff")]),
        wire.ENCODER.encode([("lookup", "title", b"x" * (wire.MAX_TEXT + 1))]),
        wire.ENCODER.encode([("lookup", "mention", b"", [], 10**9)]),
        wire.ENCODER.encode([("lookup", "mention", b"", [(b"x" * (wire.MAX_TEXT + 1), b"", b"", False)])]),
        wire.ENCODER.encode([("lookup", "mention", b"", [], None, [b"x" * (wire.MAX_TEXT + 1)])]),
        wire.ENCODER.encode([("lookup", "x" * (wire.MAX_TEXT + 1), b"x")]),
        wire.ENCODER.encode([("lookup", "title", b"x")] * (wire.MAX_CALLS + 1)),
        wire.ENCODER.encode([("delete", "title", b"x")]),
    ],
)
def test_a_service_refuses_what_no_client_sends(folder, body):
    service = SnapshotService(folder)
    with pytest.raises(BadCallsError):
        service.answer(body)
    service.close()


def test_a_text_that_is_too_long_is_not_asked(server):
    async def work(served):
        question = Question("title", "x" * (wire.MAX_TEXT + 1), REFERENCE)
        return await ServedSnapshotSource(served).lookup(question)

    found = ask(server.url, work)
    assert isinstance(found, Unchecked)
    assert found.cause is Cause.NOT_COVERED
    assert not server.requests
