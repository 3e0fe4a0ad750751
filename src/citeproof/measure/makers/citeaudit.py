"""CiteAudit's recipe: as many true citations as spoiled ones; titles, authors or metadata are spoiled.

Of 5,000 items 2,500 are real; 1,000 have a wrong title (other key words, a paraphrase, a title made up on
the topic), 1,000 wrong authors (added, left out, swapped, all made up), 500 wrong metadata (venue, year,
a DOI nobody registered). Some have a second error elsewhere: such compounds are hallucinated too.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from msgspec import structs

from citeproof.errors import InputError
from citeproof.measure.makers.citecheck import described
from citeproof.measure.makers.cited import Cited, cited, published
from citeproof.measure.makers.editor import Corrupted, applied
from citeproof.measure.makers.edits import Edited, Rule, Truth, dates, identifiers, people, places, title
from citeproof.measure.makers.fabricate import blended
from citeproof.measure.makers.items import Edit, Item
from citeproof.measure.makers.pool import Pool
from citeproof.measure.rendering import Style
from citeproof.vocabulary import Record

COMPOUND = 0.1  # share of the spoiled ones with a second error in another field
_BATCH = 50  # items of one `collection`: the documents that intervals are drawn over
SHARES = {"real": 0.5, "title": 0.2, "author": 0.2, "metadata": 0.1}


def keyword(now: Cited, truth: Truth, pool: Pool, rng: random.Random) -> Edited | None:
    """Substitute one or two key words of the title."""
    return _several(now, truth, pool, rng, (title.word_substituted,) * rng.choice((1, 2)))


def paraphrase(now: Cited, truth: Truth, pool: Pool, rng: random.Random) -> Edited | None:
    """Say the title otherwise: words in another order, one more or less, another number."""
    rules: list[Rule] = [title.words_reordered, title.number_changed, title.word_added, title.word_dropped]
    return _several(now, truth, pool, rng, rng.sample(rules, 2))


def synthesis(now: Cited, truth: Truth, pool: Pool, rng: random.Random) -> Edited | None:
    """Make up a title on the topic."""
    del truth
    new = blended(now.title, (pool.lexicon, pool.lexicon), pool, rng)
    edit = Edit(kind="title_synthesised", field="title", before=now.title, after=new)
    return Edited(replace(now, title=new), edit)


KINDS: dict[str, dict[str, tuple[Rule, str]]] = {
    "title": {
        "keyword": (keyword, "MINOR"),
        "paraphrase": (paraphrase, "MINOR"),
        "synthesis": (synthesis, "MAJOR"),
    },
    "author": {
        "add": (people.author_added, "MINOR"),
        "delete": (people.author_dropped, "MINOR"),
        "swap": (people.family_swapped, "MINOR"),
        "fabricate": (people.all_fabricated, "MAJOR"),
    },
    "metadata": {
        "venue": (places.venue_swapped, "MINOR"),
        "year": (dates.year_shifted, "MINOR"),
        "doi": (identifiers.doi_fabricated, "MINOR"),
    },
}
_SECOND: tuple[Rule, ...] = (dates.year_shifted, people.family_swapped, places.venue_swapped)


def _several(
    now: Cited, truth: Truth, pool: Pool, rng: random.Random, rules: Sequence[Rule]
) -> Edited | None:
    changed = now
    for rule in rules:
        if made := rule(changed, truth, pool, rng):
            changed = made.cited
    if changed.title == now.title:
        return None
    kind = "title_keyword" if rules[0] is title.word_substituted else "title_paraphrased"
    return Edited(changed, Edit(kind=kind, field="title", before=now.title, after=changed.title))


@dataclass(frozen=True, slots=True)
class Recipe:
    seed: int = 42
    count: int = 5000


def citeaudit(pool: Pool, styles: Sequence[Style], recipe: Recipe | None = None) -> list[Item]:
    """Return the items of one benchmark, shuffled; the same pool, recipe and styles give the same items."""
    recipe = recipe or Recipe()
    rng = random.Random(recipe.seed)  # noqa: S311 - repeatable, no secret
    wanted = list(_kinds(recipe.count))
    if len(pool.records) < 2 * len(wanted):
        raise InputError(
            f"{len(pool.records)} records are too few for {len(wanted)} items",
            mend="choose more records, or make fewer items with --count",
        )
    rng.shuffle(wanted)
    records = iter(rng.sample(pool.records, len(pool.records)))
    return [
        structs.replace(_made(records, family, kind, index, pool, styles, rng), seed=recipe.seed)
        for index, (family, kind) in enumerate(wanted)
    ]


def _kinds(count: int) -> Iterator[tuple[str, str]]:
    """Yield the family and kind of each item, in the recipe's shares, kinds of a family evenly."""
    for family, share in SHARES.items():
        kinds = list(KINDS.get(family, {"": None}))
        for n in range(round(count * share)):
            yield family, kinds[n % len(kinds)]


def _made(
    records: Iterator[Record], family: str, kind: str, index: int, pool: Pool, styles: Sequence[Style],
    rng: random.Random,
) -> Item:  # fmt: skip
    """Return one item, made of the first record that this error can be made of."""
    for record in records:
        truth = Truth(cited(record, rng.choice(published(record))), record)
        style = rng.choice(styles)
        printed: Callable[[Cited], str] = style.render
        if not printed(truth.cited):
            continue
        made, label = Corrupted(truth.cited, ()), "EXACT"
        if family != "real":
            rule, label = KINDS[family][kind]
            made = applied(made, rule, truth, pool, printed, rng)
            if not made.edits:
                continue
            if rng.random() < COMPOUND:
                made = applied(made, rng.choice(_SECOND), truth, pool, printed, rng)
        key = f"item{index}"
        return Item(
            index=index,
            label=label,  # type: ignore[arg-type]
            kind=f"{family}:{kind}" if kind else "valid",
            form=style.form,
            original=style.render(truth.cited, key),
            corrupted=style.render(made.cited, key),
            description=described(made),
            edits=made.edits,
            collection=f"part {index // _BATCH + 1}",
            work=truth.cited.work,
            style=style.name,
        )
    raise InputError("the records ran out", mend="choose more records, or make fewer items with --count")
