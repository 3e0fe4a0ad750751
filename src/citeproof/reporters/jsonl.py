"""One checked reference a line, in document order, as soon as it is known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from citeproof import serial
from citeproof.vocabulary import Checked, Run


class Jsonl:
    """One compact JSON object a line; of what concerns the whole run it has only `overrides`, if any."""

    name: ClassVar[str] = "jsonl"

    def report(self, run: Run, checked: Iterable[Checked]) -> Iterator[str]:
        """Yield one line for each reference."""
        for one in checked:
            yield serial.dump_printable(serial.build_checked_json(one, run.overrides)) + "\n"


make = Jsonl
