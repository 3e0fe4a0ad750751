"""Who makes the edits: by rule here; a language model can take the same seat."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from citeproof.laboratory.measure.makers.benchmark_items import BenchmarkEdit, CitationFields, build_link
from citeproof.laboratory.measure.makers.edits import (
    EditDraw,
    EditedCitation,
    Rule,
    author_edits,
    metadata_edits,
    title_edits,
)
from citeproof.laboratory.measure.makers.edits.author_edits import invent_name
from citeproof.laboratory.measure.makers.edits.metadata_edits import (
    fabricate_arxiv_id,
    fabricate_doi,
    shift_year_by,
)
from citeproof.laboratory.measure.makers.record_pool import RecordPool
from citeproof.laboratory.measure.makers.title_words import TitleLexicon, copy_capitals, find_drawn_spans
from citeproof.text.title import STOPWORDS
from citeproof.vocabulary import Ids

# How often each field is spoiled in a minor corruption: metadata first, titles now and then.
_METADATA: tuple[tuple[float, tuple[Rule, ...]], ...] = (
    (3.0, author_edits.NAME_RULES),
    (3.0, (metadata_edits.shift_year,)),
    (2.5, (metadata_edits.change_digit,)),
    (1.0, (metadata_edits.swap_host,)),
    (1.5, (metadata_edits.swap_venue,)),
)
TITLE_SHARE = 0.3  # minor corruptions that touch the title as well
_TRIES = 30
_MOST_EDITS = 3  # of a minor corruption

Printed = Callable[[CitationFields], str]
_PARTS = (
    "Using the {} Method", "with the {} Dataset", "via {}", "in the {} Framework", "Based on the {} Model",
    "from the {} Survey", "with {} Networks", "by the {} Approach",
)  # fmt: skip
_OVERLAP = 0.35  # share of the original's words of meaning that may be left by chance
_INVENTIONS = 40


@dataclass(frozen=True, slots=True)
class CorruptedCitation:
    cited: CitationFields
    edits: tuple[BenchmarkEdit, ...]


class CitationEditor(Protocol):
    """Makes a true citation wrong: slightly, or altogether."""

    def minor(self, draw: EditDraw, printed: Printed) -> CorruptedCitation | None: ...

    def major(self, draw: EditDraw, fields: Sequence[TitleLexicon]) -> CorruptedCitation | None: ...


class RuleEditor:
    """Edits by rule; deterministic for a given random state."""

    def minor(self, draw: EditDraw, printed: Printed) -> CorruptedCitation | None:
        """Return one to three edits: metadata, now and then a title word; each one shows in print."""
        rng = draw.rng
        wanted = rng.choice((1, 1, 2, 2, 3))
        made = CorruptedCitation(draw.truth.cited, ())
        for _ in range(_TRIES):
            if len(made.edits) == wanted:
                break
            _, rules = rng.choices(_METADATA, [weight for weight, _ in _METADATA])[0]
            made = apply_rule(made, rng.choice(rules), draw, printed)
        if made.edits and rng.random() < TITLE_SHARE and len(made.edits) < _MOST_EDITS:
            made = apply_rule(made, rng.choice(title_edits.RULES), draw, printed)
        return made if made.edits else None

    def major(self, draw: EditDraw, fields: Sequence[TitleLexicon]) -> CorruptedCitation:
        """Return a whole fabrication, coordinated over all fields."""
        return CorruptedCitation(*fabricate_citation(draw, fields))


def apply_rule(so_far: CorruptedCitation, rule: Rule, draw: EditDraw, printed: Printed) -> CorruptedCitation:
    """Return the citation with one more edit, if the rule applies and its edit can be seen in print."""
    made = rule(so_far.cited, draw)
    if made is None or not _is_visible_edit(made, so_far.cited, printed):
        return so_far
    before = {edit.field for edit in so_far.edits}
    fields = {made.edit.field, *before}
    if made.edit.field in before or ("url" in fields and fields & {"doi", "arxiv", "pmid"}):
        return so_far  # two edits of one field, or in one address, would undo each other
    return CorruptedCitation(made.cited, (*so_far.edits, made.edit))


def _is_visible_edit(made: EditedCitation, before: CitationFields, printed: Printed) -> bool:
    """Return whether an edit shows in print; new people must be named there, not hide in an "et al."."""
    text = printed(made.cited)
    if not text or text == printed(before):
        return False
    old = {name.family for name in before.people}
    new = [name.family for name in made.cited.people if name.family not in old]
    return not new or any(re.search(rf"\b{re.escape(family)}\b", text, re.IGNORECASE) for family in new)


def fabricate_citation(
    draw: EditDraw, fields: Sequence[TitleLexicon]
) -> tuple[CitationFields, tuple[BenchmarkEdit, ...]]:
    """Return an invented citation in place of the true one, its title a blend of two subfields' words."""
    true, pool, rng = draw.truth.cited, draw.pool, draw.rng
    title = blend_title(true.title, fields, pool, rng)
    people = tuple(invent_name(draw) for _ in true.people[:8])
    moved = shift_year_by(true, draw, range(3, 9))
    year = moved.cited.year if moved else true.year
    ids = _fabricate_ids(true, pool, year or 2010, rng)
    made = replace(
        true, title=title, people=people, year=year, ids=ids, url=build_link(ids) if true.url else ""
    )
    shown = [
        ("title_fabricated", "title", true.title, title),
        ("authors_fabricated", "authors", _format_names(true), _format_names(made)),
        ("year_moved", "year", str(true.year), str(year)),
        *(
            ("identifier_fabricated", scheme, true.ids.first(scheme) or "", value)
            for scheme, value in ids.pairs
        ),
    ]
    return made, tuple(BenchmarkEdit(kind=k, field=f, before=b, after=a) for k, f, b, a in shown)


def blend_title(title: str, fields: Sequence[TitleLexicon], pool: RecordPool, rng: random.Random) -> str:
    """Return a title of about that length whose words come from two subfields, with one invented name."""
    for _ in range(_INVENTIONS):
        made = add_invented_name(_refill_title(title, fields, rng), pool, rng)
        old, new = ({text[a:b].lower() for a, b in find_drawn_spans(text)} for text in (title, made))
        if pool.is_free_title(made) and len(old & new) <= _OVERLAP * max(1, len(old)):
            return made
    return made


def _refill_title(title: str, fields: Sequence[TitleLexicon], rng: random.Random) -> str:
    """Return the title with every word of meaning drawn again, from one subfield and the other in turn."""
    parts: list[str] = []
    at, count = 0, 0
    for start, end in find_drawn_spans(title):
        word = fields[count % len(fields)].draw_word(title[start:end], rng) or title[start:end]
        parts += [title[at:start], copy_capitals(word, title[start:end])]
        at, count = end, count + 1
    if not count:  # nothing to draw again (formulas): words of the subfields alone
        return " ".join(fields[n % len(fields)].draw_word("Model", rng) or "" for n in range(5))
    return "".join((*parts, title[at:]))


def add_invented_name(title: str, pool: RecordPool, rng: random.Random) -> str:
    """Return the title with an invented proper noun in the place of its last two words."""
    words = title.split()
    left = words if len(words) < 6 else words[:-2]
    while left and left[-1].lower().strip(",:;(") in _DANGLING:
        left = left[:-1]
    kept = " ".join(left).rstrip(",:;([")
    kept += "".join(end * (kept.count(begin) - kept.count(end)) for begin, end in ("()", "[]", "《》", "“”"))
    return f"{kept} {rng.choice(_PARTS).format(coin_name(pool, rng))}"


_DANGLING = STOPWORDS | {"between", "under", "within"}


def coin_name(pool: RecordPool, rng: random.Random) -> str:
    """Return a name that no title holds, made from the beginnings of two words."""
    frequent = pool.lexicon.frequent
    while True:
        first, second = (rng.choice(frequent) if frequent else "helio" for _ in range(2))
        made = first[: rng.randint(3, 5)].capitalize() + second[: rng.randint(3, 5)].capitalize()
        if made.lower() not in pool.lexicon.counts:
            return made


def _fabricate_ids(true: CitationFields, pool: RecordPool, year: int, rng: random.Random) -> Ids:
    """Return fabricated identifiers of the kinds that the citation had."""
    made = []
    if true.ids.first("arxiv"):
        made.append(("arxiv", fabricate_arxiv_id(pool, year, rng)))
    if true.ids.first("doi") or not made:
        made.append(("doi", fabricate_doi(pool, year, rng)))
    return Ids(tuple(made))


def _format_names(cited: CitationFields) -> str:
    return "; ".join(name.display for name in cited.people)
