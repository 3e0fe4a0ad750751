"""Which addresses links may lead to."""

from __future__ import annotations

import asyncio

import pytest

from citeproof.net.address_safety import ForbiddenError, PublicResolver, check_free_url

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
        if host.lower() == "localhost":
            asyncio.run(PublicResolver(allowed).resolve(host, port))
    except ForbiddenError:
        return False
    return True
