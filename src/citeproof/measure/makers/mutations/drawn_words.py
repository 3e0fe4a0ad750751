"""Words and titles drawn from other works, and the table of words."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from citeproof.measure.makers.citation_fields import CitationFields
from citeproof.measure.makers.edits import EditDraw, EditedCitation, TrueCitation, edit_title
from citeproof.measure.makers.mutations.mutation_pool import MutationPool
from citeproof.measure.makers.title_words import find_word_spans, is_meaningful_word
from citeproof.text import title as titles
from citeproof.text.package_tables import load_package_table
from citeproof.vocabulary import Record


def splice_titles(truth: TrueCitation, pool: MutationPool, rng: random.Random) -> str:
    """Return the head of one work's title with the tail of another's; empty if there are too few works."""
    found = pool.find_strangers(truth, rng)
    if not found:
        return ""
    first, second = (titles.clean(one.title).split(":")[0].split() for one in rng.sample(found, 2))
    head = list(_skip_to_meaning(first[: (len(first) + 1) // 2][::-1]))[::-1]
    tail = list(_skip_to_meaning(second[len(second) // 2 :]))
    if len(head) < 2 or len(tail) < 2:
        return ""
    return f"{' '.join(head)} {rng.choice(('for', 'with', 'in'))} {' '.join(tail)}"


def _skip_to_meaning(words: list[str]) -> Iterator[str]:
    """Yield the words from the first that carries meaning on."""
    started = False
    for word in words:
        bare = word.strip(",;.()")
        started = started or (bool(bare) and is_meaningful_word(bare))
        if started:
            yield word


def draw_title_word(record: Record, rng: random.Random) -> str:
    """Return a word of meaning out of a title, with a capital; empty if it has none."""
    clean = titles.clean(record.title)
    found = [clean[start:end] for start, end in find_word_spans(clean) if clean[start:end].isascii()]
    return rng.choice(found).capitalize() if found else ""


def replace_small_word(cited: CitationFields, draw: EditDraw) -> EditedCitation | None:
    """Put another small word in the place of one inside the title."""
    others: dict[str, str] = load_word_table()["small"]
    words = cited.title.split(" ")
    at = [n for n, word in enumerate(words) if word.lower() in others and 0 < n < len(words) - 1]
    if not at:
        return None
    chosen = draw.rng.choice(at)
    new = " ".join((*words[:chosen], others[words[chosen].lower()], *words[chosen + 1 :]))
    return edit_title(cited, new, "small_word_changed")


def load_word_table() -> dict[str, Any]:
    """Return the table of words."""
    return load_package_table(__package__, "words.toml")
