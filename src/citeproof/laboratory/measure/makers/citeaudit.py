"""CiteAudit's recipe: as many true citations as spoiled ones; titles, authors or metadata are spoiled.

Of 5,000 items 2,500 are real; 1,000 have a wrong title (other key words, a paraphrase, a title made up on
the topic), 1,000 wrong authors (added, left out, swapped, all made up), 500 wrong metadata (venue, year,
an unregistered DOI). Some have a second error elsewhere: such compounds are hallucinated too.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from citeproof.errors import InputError
from citeproof.laboratory.measure.makers.benchmark_items import (
    BenchmarkItem,
    CitationFields,
    cite_record,
    list_citable_versions,
)
from citeproof.laboratory.measure.makers.citecheck import make_item
from citeproof.laboratory.measure.makers.edits import (
    EditDraw,
    EditedCitation,
    Rule,
    TrueCitation,
    author_edits,
    edit_field,
    metadata_edits,
    title_edits,
)
from citeproof.laboratory.measure.makers.record_pool import RecordPool
from citeproof.laboratory.measure.makers.rule_editor import CorruptedCitation, apply_rule, blend_title
from citeproof.laboratory.measure.rendering import CitationStyle
from citeproof.vocabulary import Record

COMPOUND = 0.1  # share of the spoiled ones with a second error in another field
_BATCH = 50  # items of one `collection`: the documents that intervals are drawn over
SHARES = {"real": 0.5, "title": 0.2, "author": 0.2, "metadata": 0.1}


def substitute_keywords(now: CitationFields, draw: EditDraw) -> EditedCitation | None:
    """Substitute one or two key words of the title."""
    return _apply_title_rules(now, draw, (title_edits.substitute_word,) * draw.rng.choice((1, 2)))


def paraphrase_title(now: CitationFields, draw: EditDraw) -> EditedCitation | None:
    """Say the title otherwise: words in another order, one more or less, another number."""
    rules: list[Rule] = [
        title_edits.reorder_words,
        title_edits.change_plural,
        title_edits.add_word,
        title_edits.drop_word,
    ]
    return _apply_title_rules(now, draw, draw.rng.sample(rules, 2))


def synthesise_title(now: CitationFields, draw: EditDraw) -> EditedCitation | None:
    """Make up a title on the topic."""
    new = blend_title(now.title, (draw.pool.lexicon, draw.pool.lexicon), draw.pool, draw.rng)
    return edit_field(now, "title", new, "title_synthesised")


KINDS: dict[str, dict[str, tuple[Rule, str]]] = {
    "title": {
        "keyword": (substitute_keywords, "MINOR"),
        "paraphrase": (paraphrase_title, "MINOR"),
        "synthesis": (synthesise_title, "MAJOR"),
    },
    "author": {
        "add": (author_edits.add_author, "MINOR"),
        "delete": (author_edits.drop_author, "MINOR"),
        "swap": (author_edits.swap_family_name, "MINOR"),
        "fabricate": (author_edits.fabricate_authors, "MAJOR"),
    },
    "metadata": {
        "venue": (metadata_edits.swap_venue, "MINOR"),
        "year": (metadata_edits.shift_year, "MINOR"),
        "doi": (metadata_edits.replace_doi, "MINOR"),
    },
}
_SECOND: tuple[Rule, ...] = (
    metadata_edits.shift_year,
    author_edits.swap_family_name,
    metadata_edits.swap_venue,
)


def _apply_title_rules(now: CitationFields, draw: EditDraw, rules: Sequence[Rule]) -> EditedCitation | None:
    changed = now
    for rule in rules:
        if made := rule(changed, draw):
            changed = made.cited
    if changed.title == now.title:
        return None
    kind = "title_keyword" if rules[0] is title_edits.substitute_word else "title_paraphrased"
    return edit_field(now, "title", changed.title, kind)


@dataclass(frozen=True, slots=True)
class CiteauditRecipe:
    seed: int = 42
    count: int = 5000


def make_citeaudit_items(
    pool: RecordPool, styles: Sequence[CitationStyle], recipe: CiteauditRecipe | None = None
) -> list[BenchmarkItem]:
    """Return the items of one benchmark, shuffled; the same pool, recipe and styles give the same items."""
    recipe = recipe or CiteauditRecipe()
    rng = random.Random(recipe.seed)  # noqa: S311 - repeatable, no secret
    wanted = list(_plan_kinds(recipe.count))
    if len(pool.records) < 2 * len(wanted):
        raise InputError(
            f"{len(pool.records)} records are too few for {len(wanted)} items",
            hint="choose more records, or make fewer items with --count",
        )
    rng.shuffle(wanted)
    records = iter(rng.sample(pool.records, len(pool.records)))
    return [
        _make_item(records, family, kind, index, pool, styles, rng, recipe.seed)
        for index, (family, kind) in enumerate(wanted)
    ]


def _plan_kinds(count: int) -> Iterator[tuple[str, str]]:
    """Yield the family and kind of each item, in the recipe's shares, kinds of a family evenly."""
    for family, share in SHARES.items():
        kinds = list(KINDS.get(family, {"": None}))
        for n in range(round(count * share)):
            yield family, kinds[n % len(kinds)]


def _make_item(
    records: Iterator[Record],
    family: str,
    kind: str,
    index: int,
    pool: RecordPool,
    styles: Sequence[CitationStyle],
    rng: random.Random,
    seed: int,
) -> BenchmarkItem:
    """Return one item, made of the first record that this error can be made of."""
    for record in records:
        truth = TrueCitation(cite_record(record, rng.choice(list_citable_versions(record))), record)
        style, draw = rng.choice(styles), EditDraw(truth, pool, rng)
        printed: Callable[[CitationFields], str] = style.render
        if not printed(truth.cited):
            continue
        made, label = CorruptedCitation(truth.cited, ()), "EXACT"
        if family != "real":
            rule, label = KINDS[family][kind]
            made = apply_rule(made, rule, draw, printed)
            if not made.edits:
                continue
            if rng.random() < COMPOUND:
                made = apply_rule(made, rng.choice(_SECOND), draw, printed)
        kind = f"{family}:{kind}" if kind else "valid"
        part = f"part {index // _BATCH + 1}"
        return make_item(index, label, kind, style, truth, made, collection=part, seed=seed)
    raise InputError("the records ran out", hint="choose more records, or make fewer items with --count")
