"""A few lines that show people how cited lines changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import islice

from citeproof.text.unicode import show_controls

LINES, WIDTH = 20, 200
_WINDOW = 60  # lines of either side that are compared: more is not shown, and difflib can take their cube


def format_line_diff(old: Sequence[bytes], new: Sequence[bytes], old_at: int, new_at: int) -> str:
    """Return a unified diff of lines that begin at these places of their files; bounded, safe to show."""
    ahead = _count_same_lines(old, new)
    skip = max(0, ahead - 1)  # one line before the first change is shown
    before = [_format_diff_line(line) for line in old[skip : skip + _WINDOW]]
    after = [_format_diff_line(line) for line in new[skip : skip + _WINDOW]]
    found = list(islice(_format_hunks(before, after, old_at + skip, new_at + skip), LINES + 1))
    return "\n".join(found if len(found) <= LINES else [*found[: LINES - 1], "…"])


def _format_hunks(old: Sequence[str], new: Sequence[str], old_at: int, new_at: int) -> Iterator[str]:
    for group in SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(1):
        i1, i2, j1, j2 = group[0][1], group[-1][2], group[0][3], group[-1][4]
        yield f"@@ -{_format_diff_range(old_at + i1, i2 - i1)} +{_format_diff_range(new_at + j1, j2 - j1)} @@"
        for tag, a1, a2, b1, b2 in group:
            if tag == "equal":
                yield from (f" {line}" for line in old[a1:a2])
            else:
                yield from (f"-{line}" for line in old[a1:a2])
                yield from (f"+{line}" for line in new[b1:b2])


def _format_diff_range(at: int, count: int) -> str:
    """Return a range as unified diffs write it: an empty one names the line before it."""
    return f"{at + 1 if count else at},{count}"


def _count_same_lines(old: Sequence[bytes], new: Sequence[bytes]) -> int:
    """Return how many lines are the same at the beginning."""
    most = min(len(old), len(new))
    return next((at for at in range(most) if old[at] != new[at]), most)


def _format_diff_line(line: bytes) -> str:
    """Return one line as text that a terminal may see, cut to its width."""
    text = line[: 4 * WIDTH].decode("utf-8", "replace").rstrip("\r").expandtabs(4)
    text = show_controls(text)
    return text if len(text) < WIDTH else text[: WIDTH - 2] + "…"
