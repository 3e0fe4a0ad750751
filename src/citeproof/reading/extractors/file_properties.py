"""Who the properties of a file name as its author; often right, sometimes the one who set up the template."""

from __future__ import annotations

from citeproof.text.names import is_group, split_names
from citeproof.vocabulary import Name

_LENGTH = 2_000  # characters that are read
_MOST = 100  # people


def read_saved_by(text: str | None) -> tuple[Name, ...]:
    """Return the people of a property such as "Jane Doe; Rick Roe"; a login name is no person."""
    parts = (text or "")[:_LENGTH].split(";")
    people = [name for part in parts for name in split_names(part.strip())[0]]
    return tuple(name for name in people if name.given and not is_group(name))[:_MOST]
