"""Which addresses links may lead to."""

from __future__ import annotations

import asyncio
import socket

import aiohttp.connector
import pytest

from citeproof.plumbing.net.address_safety import (
    ForbiddenError,
    PublicResolver,
    check_free_url,
    is_allowed,
    open_public_socket,
)
from citeproof.plumbing.net.http_transport import HttpTransport, TransportError
from citeproof.plumbing.net.message import Request

# what the setting allows, the address, and whether it is fetched
CASES = (
    ("localhost:18999", "http://localhost:18999/", True),
    ("localhost:18999", "http://localhost/", False),
    ("localhost:18999", "https://localhost/", False),
    ("localhost:18999", "http://localhost:80/", False),
    ("localhost:18999", "http://localhost:18998/", False),
    ("localhost", "http://localhost/", True),
    ("localhost", "http://LOCALHOST:80/", True),
    ("localhost", "https://localhost/", True),
    ("localhost", "http://localhost:18999/", False),
    ("localhost:80", "http://localhost/", True),
    ("localhost:80", "https://localhost/", False),
    ("127.0.0.1:18999", "http://127.0.0.1:18999/", True),
    ("127.0.0.1:18999", "http://127.0.0.1/", False),
    ("127.0.0.1:18999", "http://localhost:18999/", False),
    ("127.0.0.1", "http://127.0.0.1:80/", True),
    ("[::1]:18999", "http://[::1]:18999/", True),
    ("[::1]:18999", "http://[::1]/", False),
    ("[::1]", "http://[::1]/", True),
)


@pytest.mark.parametrize(("allowed", "url", "fetched"), CASES, ids=[f"{c[0]} {c[1]}" for c in CASES])
def test_a_private_host_opens_its_own_port_only(allowed, url, fetched):
    assert _fetched(url, {allowed}) is fetched


def _fetched(url, allowed):
    """Go through the two gates of the wire: the address, then, for a name, what it leads to."""
    host, _, port = url.partition("://")[2].strip("/").partition(":")
    port = int(port) if port.isdecimal() else 443 if url.startswith("https") else 80
    try:
        check_free_url(url, allowed)
        if is_allowed(host.lower(), port, allowed):
            return True
        if host.lower() == "localhost":
            asyncio.run(PublicResolver().resolve(host, port))
    except ForbiddenError:
        return False
    return True


# every way to write an address that is not on the public internet
PRIVATE = (
    "127.0.0.1", "127.1", "127.0.1", "0177.0.0.1", "0x7f.0.0.1", "0x7f000001", "0X7F000001", "017700000001",
    "2130706433", "0", "0.0.0.0", "0x0", "00", "127.0.0.1.", "10.1", "10.0.0.1", "169.254.169.254",
    "2852039166", "100.64.0.1", "192.168.1.1", "0300.0250.1.1", "198.18.0.1", "240.0.0.1", "255.255.255.255",
    "127.0.0.01", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]",
    "[64:ff9b::7f00:1]", "[64:ff9b:1::a00:1]", "[2002:7f00:1::]", "[2001::1]", "[fe80::1%25lo]", "[fe80::1]",
    "[fc00::1]", "[ff02::1]", "[::ffff:0:127.0.0.1]", "\uff11\uff12\uff17.1", "127\u30021", "127.0.0.%31",
)  # fmt: skip


@pytest.fixture
def reached(monkeypatch):
    """Where connections go; none is made. The library looks at no address itself, as its oldest version."""
    addresses = []

    async def refuse(_loop, sock, address):
        addresses.append(address)
        raise ConnectionRefusedError

    for loop in (asyncio.SelectorEventLoop, asyncio.BaseEventLoop):
        monkeypatch.setattr(loop, "sock_connect", refuse, raising=False)
    monkeypatch.setattr(aiohttp.connector, "is_canonical_ipv4_address", lambda _: True, raising=False)
    return addresses


def _send(url, **names):
    async def send():
        wire = HttpTransport("test", 5.0)
        if names:
            asyncio.get_running_loop().getaddrinfo = _make_resolver(names)
        try:
            await wire.send(Request("page", url, free=True))
        finally:
            await wire.close()

    with pytest.raises(TransportError) as error:
        asyncio.run(send())
    return error.value


def _make_resolver(names):
    answers = {name: iter(addresses) for name, addresses in names.items()}

    async def getaddrinfo(host, port, **_):
        found = next(answers[host.replace(".", "_")])
        family = socket.AF_INET6 if ":" in found[0] else socket.AF_INET
        return [(family, socket.SOCK_STREAM, 6, "", (address, port)) for address in found]

    return getaddrinfo


@pytest.mark.parametrize("host", PRIVATE)
@pytest.mark.parametrize("checked", [True, False])
def test_no_spelling_of_a_private_address_is_connected_to(reached, monkeypatch, host, checked):
    if not checked:  # then what is connected to is still looked at
        monkeypatch.setattr("citeproof.plumbing.net.http_transport.check_free_url", lambda *_: None)
    _send(f"http://{host}/")
    assert reached == []


@pytest.mark.parametrize("host", [host for host in PRIVATE if host.isascii() and "%" not in host])
def test_every_spelling_of_a_private_address_is_refused_by_our_own_check(host):
    with pytest.raises(ForbiddenError):
        check_free_url(f"http://{host}/")
    with pytest.raises(ForbiddenError):
        open_public_socket((socket.AF_INET, socket.SOCK_STREAM, 6, "", (host.strip("[]"), 80)))


@pytest.mark.parametrize(
    "host", ["8.8.8.8", "example.org", "1.example", "0x7f.example", "3com.com", "[2606:4700::1]", "a.b1"]
)
def test_a_public_address_and_a_name_with_digits_are_fetched(host):
    check_free_url(f"http://{host}/")


@pytest.mark.parametrize(
    "addresses",
    [["10.0.0.1"], ["127.0.0.1"], ["8.8.8.8", "10.0.0.1"], ["::1"], ["::ffff:10.0.0.1"], ["fe80::1%lo"]],
)
def test_a_name_that_leads_to_a_private_address_is_not_connected_to(reached, addresses):
    _send("http://rebound.example/", rebound_example=[addresses])
    assert reached == []


def test_the_address_that_was_checked_is_connected_to(reached):
    _send("http://rebound.example/", rebound_example=[["8.8.8.8"], ["127.0.0.1"]])
    assert reached == [("8.8.8.8", 80)]
