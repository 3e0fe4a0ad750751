"""Web addresses and Zotero as inputs, on loopback: what comes, and what hostile ones try."""

from __future__ import annotations

import gzip

import pytest
from tests.service.zotero_api import ZoteroApi

from citeproof import settings
from citeproof.errors import InputError, UsageError
from citeproof.laboratory.testing import ALL_FAULTS, Faults, Reply, Shelf, World
from citeproof.laboratory.testing.faults import Fault
from citeproof.reading.extractors.base import extract_here
from citeproof.service.fetched_documents import DocumentFetcher, find_raw_address
from citeproof.service.input_documents import make_document, read_documents

BIB = b"@book{knuth1984, title={The TeXbook}, author={Knuth, Donald E.}, year={1984}}\n"
PAGE = (
    b"<html><body><h2>References</h2><ol><li>Knuth, D. E. (1984). The TeXbook. Addison-Wesley.</li>"
    b"<li>LeCun, Y., Bengio, Y., Hinton, G. (2015). Deep learning. Nature 521, 436-444.</li></ol></body>"
)
LIMIT = 200_000


def site(call, _):
    match call.parts:
        case ("refs.bib",):
            return Reply(200, BIB, "application/octet-stream")
        case ("page",):
            return Reply(200, PAGE, "text/html; charset=utf-8")
        case ("moved",):
            return Reply(302, b"", "text/html", {"Location": f"{call.base}/refs.bib"})
        case ("large",):
            return Reply(200, b"x" * (LIMIT + 1), "text/plain")
        case ("empty",):
            return Reply(200, b"", "text/plain")
    return Reply(404, b"<h1>Not Found</h1>", "text/html")


@pytest.fixture
def fetcher(tmp_path):
    """Make a fetcher that may reach one port of this machine, as a user's own network."""

    def make(world=None, tell=lambda _: None, **flags):
        given = {"cache_dir": tmp_path, "limits_dir": tmp_path / "limits", "offline": False, **flags}
        given.setdefault("max_document_bytes", LIMIT)
        if world is not None:
            given["private_hosts"] = [world.origin.removeprefix("http://")]
            given["urls"] = {"zotero": world.urls.get("zotero", world.origin)}
        return DocumentFetcher(settings.load(given, environment={}, folder=tmp_path), tell)

    return make


@pytest.fixture
def world():
    with World(Shelf(), apis={"site": site}) as running:
        yield running


@pytest.mark.parametrize(
    ("path", "form", "count"), [("refs.bib", "bibtex", 1), ("page", "html", 2), ("moved", "bibtex", 1)]
)
def test_what_stands_at_an_address_is_a_document_of_that_name(path, form, count, world, fetcher):
    address = f"{world.urls['site']}/{path}"
    ours = fetcher(world)
    [document] = read_documents([address], LIMIT, remote=ours)
    assert document.name == address
    found = extract_here(document)
    assert (found.format, len(found.references)) == (form, count)
    assert [one.outcome for one in ours.sent] == (["200", "redirect"] if path == "moved" else ["200"])
    assert make_document(address, LIMIT, ours) == document


NOWHERE = [
    # address, what is said
    ("http://169.254.169.254/latest/meta-data/", "not on the public internet"),
    ("http://127.0.0.1/", "not on the public internet"),
    ("http://10.0.0.1/refs.bib", "not on the public internet"),
    ("http://[::1]/refs.bib", "not on the public internet"),
    ("http://[::ffff:127.0.0.1]/", "not on the public internet"),
    ("http://0x7f.1/", "not on the public internet"),
    ("http://2130706433/", "not on the public internet"),
    ("http://localhost/refs.bib", "not on the public internet"),
    ("http://127.0.0.1:22/", "only the ports 80 and 443"),
    ("https://user:secret@example.org/", "user name in it"),
    ("https://scholar.google.com/scholar?q=x", "does not allow programs"),
    ("file:///etc/passwd", "only http and https"),
    ("ftp://example.org/refs.bib", "only http and https"),
    ("gopher://127.0.0.1:70/_x", "only http and https"),
    ("https://", "only http and https"),
]


@pytest.mark.parametrize(("address", "said"), NOWHERE)
def test_addresses_that_nobody_is_sent_to(address, said, fetcher):
    ours = fetcher()
    with pytest.raises(InputError, match=said) as caught:
        read_documents([address], LIMIT, remote=ours)
    assert caught.value.hint
    assert not any(one.outcome.isdecimal() for one in ours.sent)


async def _send_without_end(wire, _call, _good):
    await wire.head(200, "text/plain", length=10_000_000_000)
    for _ in range(10_000):
        await wire.send_raw(bytes(1_000_000))
    return 200


HOSTILE = [
    # what goes wrong, what is said
    (ALL_FAULTS["redirect_metadata"], "not on the public internet"),
    (ALL_FAULTS["redirect_private"], "not on the public internet"),
    (ALL_FAULTS["redirect_loopback"], "only the ports 80 and 443"),
    (ALL_FAULTS["redirect_file"], "only http and https"),
    (ALL_FAULTS["redirect_loop"], "more than 5 redirects"),
    (Faults.redirect("http://localhost/admin"), "not on the public internet"),
    (Fault("endless", _send_without_end), "larger than 200,000 bytes"),
    (Faults.gzip_bomb(50), "larger than 200,000 bytes"),
    (ALL_FAULTS["status_403"], "answered 403"),
    (ALL_FAULTS["status_500"], "answered 500"),
    (ALL_FAULTS["not_http"], "not HTTP"),
    (ALL_FAULTS["reset"], "broke off"),
    (ALL_FAULTS["half_body"], "broke off"),
]


@pytest.mark.parametrize(("fault", "said"), HOSTILE, ids=lambda one: getattr(one, "name", None))
def test_a_server_that_goes_wrong_is_an_error_with_a_hint(fault, said, fetcher):
    with World(Shelf(), apis={"site": site}, faults={"site": fault}) as world:
        address = f"{world.urls['site']}/refs.bib"
        with pytest.raises(InputError, match=said) as caught:
            read_documents([address], LIMIT, remote=fetcher(world))
    assert caught.value.place == address
    assert caught.value.hint


@pytest.mark.parametrize(
    ("path", "said"),
    [("nothing", "no such page .*404"), ("empty", "page is empty"), ("large", "larger than 200,000 bytes")],
)
def test_a_page_that_cannot_be_read_says_why(path, said, world, fetcher):
    with pytest.raises(InputError, match=said):
        fetcher(world).fetch_page(f"{world.urls['site']}/{path}")


def test_a_compressed_document_is_unpacked_once(fetcher):
    packed = gzip.compress(BIB)
    send = Faults.reply("gzip", lambda *_: Reply(200, packed, "text/plain", {"Content-Encoding": "gzip"}))
    with World(Shelf(), apis={"site": site}, faults={"site": send}) as world:
        assert fetcher(world).fetch_page(f"{world.urls['site']}/refs.bib") == BIB


RAW = [
    ("https://github.com/a/b/blob/main/refs.bib", "https://raw.githubusercontent.com/a/b/main/refs.bib"),
    ("https://github.com/a/b/blob/v1/x/r.bib?raw=1#L3", "https://raw.githubusercontent.com/a/b/v1/x/r.bib"),
    ("https://gitlab.com/g/s/p/-/blob/main/refs.bib", "https://gitlab.com/g/s/p/-/raw/main/refs.bib"),
    ("https://github.com/a/b", "https://github.com/a/b"),
    ("https://github.com.evil.example/a/b/blob/c", "https://github.com.evil.example/a/b/blob/c"),
    ("https://example.org/a/b/blob/main/refs.bib", "https://example.org/a/b/blob/main/refs.bib"),
]


@pytest.mark.parametrize(("address", "raw"), RAW)
def test_a_page_that_shows_a_file_leads_to_the_file(address, raw):
    assert find_raw_address(address) == raw


def test_who_waits_is_told_for_what(world, fetcher):
    told: list[str] = []
    ours = fetcher(world, tell=told.append)
    ours.fetch_page(f"{world.urls['site']}/refs.bib")
    assert told == [f"fetching {world.urls['site']}/refs.bib"]


def test_offline_nothing_is_fetched(world, fetcher):
    with pytest.raises(UsageError, match="offline") as caught:
        fetcher(world, offline=True).fetch_page(f"{world.urls['site']}/refs.bib")
    assert "--offline" in caught.value.hint
    assert not world.log


# --- Zotero ------------------------------------------------------------------------------------

ENTRIES = [BIB.decode().replace("knuth1984", f"work{n}") for n in range(5)]
LIBRARY = {
    "ABCD2345": ("Thesis", ENTRIES[:3]),
    "EFGH6789": ("Reading list", ENTRIES[3:4]),
    "JKLM2345": ("Twice", ENTRIES[:1]),
    "NPQR2345": ("Twice", ENTRIES[1:2]),
    "STUV2345": ("Empty", []),
}
ASKED = [
    # input, keys of the works
    ("zotero:", ["work0", "work1", "work2", "work3", "work4"]),
    ("zotero:ABCD2345", ["work0", "work1", "work2"]),
    ("zotero:Thesis", ["work0", "work1", "work2"]),
    ('zotero:"Reading list"', ["work3"]),
    ("zotero:reading LIST", ["work3"]),
]


@pytest.mark.parametrize("page", [0, 2])
@pytest.mark.parametrize(("given", "keys"), ASKED)
def test_a_collection_is_a_document(given, keys, page, fetcher):
    with World(Shelf(), apis={"zotero": ZoteroApi(LIBRARY, ENTRIES[4:], page=page)}) as world:
        [document] = read_documents([given], LIMIT, remote=fetcher(world, offline=True))  # it is this machine
    assert document.name == given.replace('"', "")
    assert [one.key for one in extract_here(document).references] == keys


REFUSED = [
    ("zotero:Thesys", {}, "no such collection", "collections: Thesis"),
    ("zotero:WXYZ2345", {}, "no such collection", "collections: "),
    ("zotero:../../items", {}, "no such collection", "collections: "),
    ("zotero:Twice", {}, "2 collections have this name", "zotero:JKLM2345, zotero:NPQR2345"),
    ("zotero:Empty", {}, "has no works in it", "check the collection"),
    ("zotero:Thesis", {"enabled": False}, "does not allow other programs", "Settings > Advanced"),
    ("zotero:", {"enabled": False}, "does not allow other programs", "Settings > Advanced"),
]


@pytest.mark.parametrize(("given", "options", "said", "hint"), REFUSED)
def test_a_collection_that_cannot_be_read_says_why(given, options, said, hint, fetcher):
    with (
        World(Shelf(), apis={"zotero": ZoteroApi(LIBRARY, **options)}) as world,
        pytest.raises(InputError, match=said) as caught,
    ):
        read_documents([given], LIMIT, remote=fetcher(world))
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    "fault", ["status_500", "not_http", "reset", "bot_wall", "deep_json", "gzip_bomb", "redirect_metadata"]
)
@pytest.mark.parametrize("given", ["zotero:Thesis", "zotero:ABCD2345"])
def test_another_server_at_its_port_is_told(given, fault, fetcher):
    with World(Shelf(), apis={"zotero": ZoteroApi(LIBRARY)}, faults={"zotero": ALL_FAULTS[fault]}) as world:
        ours = fetcher(world)
        with pytest.raises(InputError) as caught:
            read_documents([given], LIMIT, remote=ours)
    assert caught.value.hint


def test_zotero_that_does_not_run_is_told(fetcher):
    with World(Shelf(), apis={"zotero": ZoteroApi(LIBRARY)}) as world:
        ours = fetcher(world)
    with pytest.raises(InputError, match="does not answer") as caught:
        ours.fetch_collection("Thesis")
    assert "start Zotero" in caught.value.hint


def test_a_zotero_elsewhere_is_not_asked_offline(fetcher):
    with pytest.raises(UsageError, match="not this machine"):
        fetcher(urls={"zotero": "http://192.0.2.7:23119"}, offline=True).fetch_collection("")
