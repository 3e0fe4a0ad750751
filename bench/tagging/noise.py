"""Tagged references with the damage and the variety that documents bring; the labels stay true."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator

from tagging.corpus import Tagged
from tagging.made import Pieces, joined

_QUOTES = ("“”", '""', "„“", "«»", "‘’", "''")


def pieces(one: Tagged) -> Pieces:
    """Return the text as runs of one label each, white space with what stands before it."""
    found: list[list[str]] = []
    for char, label in zip(one.text, one.labels, strict=True):
        if found and (label in ("", found[-1][1])):
            found[-1][0] += char
        else:
            found.append([char, label or "O"])
    return [(text, label) for text, label in found]


def upper_authors(parts: Pieces, _rng: random.Random) -> Pieces:
    return [(_families_upper(t) if label in ("author", "editor") else t, label) for t, label in parts]


def _families_upper(text: str) -> str:
    return re.sub(
        r"[^\W\d_]{3,}", lambda m: m[0] if m[0] in ("and", "und") or m[0].islower() else m[0].upper(), text
    )


def recased_title(parts: Pieces, rng: random.Random) -> Pieces:
    change: Callable[[str], str] = rng.choice((str.upper, str.lower, str.title))
    return [(change(t) if label == "title" and len(change(t)) == len(t) else t, label) for t, label in parts]


def lost_stops(parts: Pieces, rng: random.Random) -> Pieces:
    """Drop the full stops or commas between the fields, or those of initials."""
    mark = rng.choice(".,")
    where = rng.choice(("O", "author"))
    return [(t.replace(mark, "") if label == where else t, label) for t, label in parts]


def unquoted(parts: Pieces, _rng: random.Random) -> Pieces:
    return [(re.sub('[“”"„«»]', "", t) if label == "O" else t, label) for t, label in parts]


def quoted(parts: Pieces, rng: random.Random) -> Pieces:
    """Put the title in quotation marks, if it has none."""
    if any(re.search('[“”"„«»]', t) for t, _ in parts):
        return parts
    opened, closed = rng.choice(_QUOTES)
    found: Pieces = []
    for t, label in parts:
        if label != "title":
            found.append((t, label))
            continue
        bare = t.rstrip()
        found += [(opened, "O"), (bare, label), (closed + t[len(bare) :], "O")]
    return found


def numbered(parts: Pieces, rng: random.Random) -> Pieces:
    if any(label == "citnum" for _, label in parts):
        return parts
    number = str(rng.randint(1, 120))
    before, behind = rng.choice((("[", "] "), ("", ". "), ("(", ") "), ("", " "), ("[", "]")))
    return [(before, "O"), (number, "citnum"), (behind, "O"), *parts]


def hyphenated(parts: Pieces, rng: random.Random) -> Pieces:
    """Break a long word of the title, as a line's end does."""
    return [(_broken(t, rng) if label == "title" else t, label) for t, label in parts]


def _broken(text: str, rng: random.Random) -> str:
    words = list(re.finditer(r"[a-z]{8,}", text))
    if not words:
        return text
    word = rng.choice(words)
    cut = word.start() + len(word[0]) // 2
    return text[:cut] + rng.choice(("- ", "-", " ")) + text[cut:]


def lost_spaces(parts: Pieces, rng: random.Random) -> Pieces:
    return [
        (re.sub(r"(?<=[.,;:]) ", lambda _: "" if rng.random() < 0.5 else " ", t), label) for t, label in parts
    ]


def germanised(parts: Pieces, rng: random.Random) -> Pieces:
    """Turn the literal words between fields into another language's."""
    table = rng.choice((
        {"pp.": "S.", "p.": "S.", "vol.": "Bd.", "no.": "Nr.", "In ": "In: "},
        {"pp.": "p.", "vol.": "t.", "no.": "n°", "In ": "dans "},
        {"pp.": "págs.", "vol.": "vol.", "no.": "núm.", "In ": "En "},
    ))  # fmt: skip
    return [(_replaced(t, table) if label == "O" else t, label) for t, label in parts]


def _replaced(text: str, table: dict[str, str]) -> str:
    for old, new in table.items():
        text = text.replace(old, new)
    return text


CHANGES: tuple[tuple[Callable[[Pieces, random.Random], Pieces], int], ...] = (
    (upper_authors, 2), (recased_title, 2), (lost_stops, 2), (unquoted, 1), (quoted, 3), (numbered, 2),
    (hyphenated, 1), (lost_spaces, 1), (germanised, 2),
)  # fmt: skip


def noised(rows: Iterable[Tagged], share: float, seed: int) -> Iterator[Tagged]:
    """Yield changed copies of a share of `rows`."""
    rng = random.Random(seed)
    changes, weights = zip(*CHANGES, strict=True)
    for row in rows:
        if rng.random() >= share:
            continue
        parts = pieces(row)
        for change in rng.choices(changes, weights, k=rng.choice((1, 1, 2))):
            parts = change(parts, rng)
        yield joined("noised/" + row.id, parts)
