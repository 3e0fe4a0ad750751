"""The running text of a paper: sections of sentences that cite every work of its list."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pdf_corpus.works import Work

TEXTS: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_name("texts.toml").read_text("utf-8"))
Cite = Callable[[Sequence[Work]], str]


@dataclass(frozen=True, slots=True)
class Marks:
    """How a format writes a citation in brackets, one inside the sentence, and odd characters."""

    cite: Cite
    who: Cite
    escape: Callable[[str], str]


def sections(
    works: Sequence[Work], language: str, marks: Marks, rng: random.Random, *, filler: float = 1.0
) -> Iterator[tuple[str, list[str]]]:
    """Yield each section's heading and paragraphs; together they cite all `works`, in order."""
    texts = TEXTS[language]
    sentences = list(_sentences(works, texts, marks, rng, filler))
    heads = texts["sections"]
    share = -(-len(sentences) // len(heads))
    for number, head in enumerate(heads):
        part = sentences[number * share : (number + 1) * share]
        joint = "" if language == "zh" else " "
        size = rng.randint(4, 7)
        yield head, [joint.join(part[at : at + size]) for at in range(0, len(part), size)]


def title(work: Work, language: str) -> str:
    """Return the title of the paper itself."""
    return str(TEXTS[language]["title"]).format(title=work.title)


def _sentences(
    works: Sequence[Work], texts: dict[str, Any], marks: Marks, rng: random.Random, filler: float
) -> Iterator[str]:
    at = 0
    most = 2 if len(works) < 100 else 5
    while at < len(works):
        form = rng.choice(texts["cited"])
        first = works[at : at + rng.randint(1, most)]
        at += len(first)
        if "{who}" in form and "{cite}" not in form:
            at -= len(first) - 1
        who = marks.who(first[:1]) if "{who}" in form else ""
        cite = marks.cite(first) if "{cite}" in form else ""
        yield form.format(title=marks.escape(first[0].title), who=who, cite=cite)
        for _ in range(round(rng.random() * 2.4 * filler)):
            yield rng.choice(texts["plain"])
    for _ in range(round(12 * filler)):
        yield rng.choice(texts["plain"])
