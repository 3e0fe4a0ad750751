"""An answer that repeats who asked."""

import pytest

from citeproof.net.limits import blanked
from citeproof.net.wire import Raw

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
    assert blanked(Raw(200, {}, body, "https://x.example"), WHO).body == kept


def test_without_a_contact_nothing_is_touched():
    raw = Raw(200, {}, b"alice@example.org", "https://x.example")
    assert blanked(raw, "") is raw
