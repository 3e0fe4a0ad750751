"""Two JSON values -> what is another, by path."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

import msgspec

from citeproof.replay.replay_outcome import ReplayDifference

MOST = 100  # differences that are listed for one reference
LONGEST = 2000  # characters of a value that are shown
_NONE = object()


def find_differences(then: object, now: object, path: str) -> Iterator[ReplayDifference]:
    """Yield every leaf that differs, in the order of `then`; what only one side has is one difference."""
    if isinstance(then, dict) and isinstance(now, dict):
        for name in dict.fromkeys((*then, *now)):
            yield from find_differences(then.get(name, _NONE), now.get(name, _NONE), f"{path}.{name}")
    elif isinstance(then, list) and isinstance(now, list):
        for at, (one, other) in enumerate(zip_longest(then, now, fillvalue=_NONE)):
            yield from find_differences(one, other, f"{path}[{at}]")
    elif type(then) is not type(now) or then != now:
        yield ReplayDifference(path, _format_json_value(then), _format_json_value(now))


def _format_json_value(value: object) -> str:
    if value is _NONE:
        return ""
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
