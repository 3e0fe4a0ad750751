"""An answer that repeats who asked."""

import pytest

from citeproof.plumbing.net.http_transport import RawResponse
from citeproof.plumbing.net.response_rules import blank_contact

WHO = "alice@example.org"


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        (b'{"mailto": "alice@example.org"}', b'{"mailto": "xxxxxxxxxxxxxxxxx"}'),
        (b"?mailto=alice%40example.org&", b"?mailto=xxxxxxxxxxxxxxxxxxx&"),
        (b'{"author": "bob@example.org"}', b'{"author": "bob@example.org"}'),
        (b"", b""),
    ],
)
def test_the_address_of_whoever_asks_is_not_kept(body, kept):
    assert blank_contact(RawResponse(200, {}, body, "https://x.example"), WHO).body == kept


def test_without_a_contact_nothing_is_touched():
    raw = RawResponse(200, {}, b"alice@example.org", "https://x.example")
    assert blank_contact(raw, "") is raw
