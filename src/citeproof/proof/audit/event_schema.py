"""Every event and its fields, from `event_schema.toml`; docs/event_schema.py makes the published schema.

Fields may be added under the same `v`; a finding may have any name.
"""

from __future__ import annotations

from typing import Any

from citeproof.text.package_tables import load_package_table
from citeproof.vocabulary import ID_ORDER

VERSION = 1

_TABLE = load_package_table(__package__, "event_schema.toml")
# What a line can say: its shape, and what it means.
FIELDS: dict[str, tuple[str | dict[str, Any], str]] = {
    field: described
    for name, described in _TABLE["fields"].items()
    for field in (ID_ORDER if name == "identifier" else (name,))
}
# Every name that we write: what it means, and the fields it must have next to the common ones.
EVENTS: dict[str, tuple[str, list[str]]] = _TABLE["events"]
