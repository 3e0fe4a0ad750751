"""Which sources are waited for at this moment, and why, for whoever watches a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager


class WaitingSources:
    """Counts the requests under way by source; another thread may read it."""

    def __init__(self) -> None:
        self._requests: Counter[str] = Counter()
        self._reasons: dict[str, str] = {}

    @contextmanager
    def wait_for(self, source: str) -> Iterator[None]:
        """Count a request to `source` as under way inside the block."""
        self._requests[source] += 1
        try:
            yield
        finally:
            self._requests[source] -= 1

    def tell_reason(self, source: str, reason: str) -> None:
        """Note what the newest request to `source` waits for; nothing: its answer."""
        self._reasons[source] = reason

    def list_reasons(self) -> dict[str, str]:
        """Return the sources that are waited for, each with the reason."""
        waited = [source for source, count in tuple(self._requests.items()) if count > 0]
        return {source: self._reasons.get(source, "") for source in waited}
