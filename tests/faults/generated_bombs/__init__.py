"""Text files of a few kilobytes to megabytes that would cost much, made by rule: each kind small and large.

    BOMBS["bibtex string doubling"].files(24)  ⇒ {"bomb.bib": '@string{a0 = "…"}\\n@string{a1 = a0 # a0}…'}

The first file of a bomb is the document; the others stand beside it.
"""

from __future__ import annotations

from tests.faults.generated_bombs import bibtex, latex, markup, records, running_text
from tests.faults.generated_bombs.sizes import RECORDS, Bomb

BOMBS: dict[str, Bomb] = {
    **{f"bibtex {name}": bomb for name, bomb in bibtex.BOMBS.items()},
    **{f"latex {name}": bomb for name, bomb in latex.BOMBS.items()},
    **records.BOMBS,
    **markup.BOMBS,
    **running_text.BOMBS,
}
ALL = [(name, size) for name, bomb in BOMBS.items() for size in bomb.sizes]
# One of each format: the names begin with it.
SAMPLE = [
    (name, BOMBS[name].sizes[BOMBS[name].sizes is not RECORDS])
    for name in {name.split()[0]: name for name in [*BOMBS][::-1]}.values()
]
