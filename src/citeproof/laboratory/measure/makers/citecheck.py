"""CITECHECK's recipe: true citations in topical collections, each third valid, spoiled a little, or invented.

1 works in collections · 2 as many of each as are wanted · 3 within a collection, by the seed, into valid,
minor and major · 4 printed in a style, edited, printed again · 5 whole collections into dev and test.

Works of a collection share a subject and its vocabulary. A table names subdomains and the phrases of their
themes (`topics.toml` has those of physics). Without a table the frequent pairs of words in the titles are the
themes, and subdomains are those that share a word.
"""

from __future__ import annotations

import random
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from msgspec.structs import replace

from citeproof.errors import InputError
from citeproof.laboratory.measure.makers.benchmark_items import (
    BenchmarkItem,
    Form,
    cite_record,
    list_citable_versions,
)
from citeproof.laboratory.measure.makers.edits import EditDraw, TrueCitation
from citeproof.laboratory.measure.makers.record_pool import PAPERS, RecordPool, has_link
from citeproof.laboratory.measure.makers.rule_editor import CitationEditor, CorruptedCitation, RuleEditor
from citeproof.laboratory.measure.makers.title_words import TitleLexicon, find_word_spans
from citeproof.laboratory.measure.rendering import CitationStyle
from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_package_table
from citeproof.vocabulary import Record

Share = Literal["valid", "minor", "major"]
_EACH = 12  # works that a collection needs for all three labels to occur in it
LABELS = {"valid": "EXACT", "minor": "MINOR", "major": "MAJOR"}
MOST, SUBDOMAINS = 42, 9
_FEWEST = 12  # works a theme must have to be a collection

Topics = Mapping[str, Mapping[str, Sequence[str]]]  # subdomain -> theme -> phrases


@dataclass(frozen=True, slots=True)
class CitecheckRecipe:
    """The numbers of the recipe; the defaults are the paper's."""

    seed: int = 42
    count: int = 982
    labels: tuple[int, int, int] = (356, 300, 326)  # valid, minor, major; for another count in proportion
    splits: tuple[int, int] = (190, 792)  # development and test, likewise
    exact: bool = False  # whether these very numbers are wanted
    others: float = 0.04  # citations of what is no paper: books, theses, reports
    form: Form = "link"


def make_citecheck_items(
    pool: RecordPool,
    styles: Sequence[CitationStyle],
    recipe: CitecheckRecipe | None = None,
    table: Topics | None = None,
    editor: CitationEditor | None = None,
) -> list[BenchmarkItem]:
    """Return the items of one benchmark; the same pool, recipe and styles give the same items."""
    recipe, editor = recipe or CitecheckRecipe(), editor or RuleEditor()
    rng = random.Random(recipe.seed)  # noqa: S311 - repeatable, no secret
    maker = _CitecheckMaker(pool, styles, recipe, editor, rng)
    chosen = maker.draw_collections(
        group_by_topic([r for r in pool.records if recipe.form != "link" or has_link(r)], table)
    )
    if not chosen:
        raise InputError(
            "too few records for a collection", hint="choose more records, or give --topics that fit them"
        )
    if recipe.exact and (has := sum(len(c.records) for c in chosen)) < recipe.count:
        raise InputError(f"only {has} works for {recipe.count} items", hint="choose more records")
    return list(maker.items(chosen))


@dataclass(frozen=True, slots=True)
class _CitecheckMaker:
    pool: RecordPool
    styles: Sequence[CitationStyle]
    recipe: CitecheckRecipe
    editor: CitationEditor
    rng: random.Random

    def draw_collections(self, collections: Sequence[TopicCollection]) -> list[TopicCollection]:
        """Return the collections with as many works as are wanted, evenly as far as they go."""
        left = self.recipe.count
        most = max(1, self.recipe.count // _EACH)
        collections = collections if len(collections) <= most else self.rng.sample(list(collections), most)
        chosen = []
        for at, collection in enumerate(sorted(collections, key=lambda c: len(c.records))):
            size = min(len(collection.records), -(-left // (len(collections) - at)))
            chosen.append(
                TopicCollection(collection.name, collection.subdomain, self._works(collection, size))
            )
            left -= size
        return sorted(chosen, key=lambda c: (c.subdomain, c.name))

    def _works(self, collection: TopicCollection, size: int) -> tuple[Record, ...]:
        """Return `size` works, a few of them no papers where there are such."""
        papers = [r for r in collection.records if r.kind in PAPERS]
        others = [r for r in collection.records if r.kind not in PAPERS]
        few = min(len(others), round(size * self.recipe.others))
        few = max(few, size - len(papers))
        chosen = self.rng.sample(others, few) + self.rng.sample(papers, size - few)
        self.rng.shuffle(chosen)
        return tuple(chosen)

    def items(self, chosen: Sequence[TopicCollection]) -> Iterator[BenchmarkItem]:
        wide = {
            name: TitleLexicon(
                r.title for c in chosen if c.subdomain == name for r in c.records for _ in range(3)
            )
            for name in sorted({c.subdomain for c in chosen})
        }
        dev = self._draw_dev_part(chosen)
        index = 0
        owed: list[Share] = []  # what could not be made of another work
        for collection in chosen:
            elsewhere = [s for s in wide if s != collection.subdomain] or list(wide)
            for record, drawn in zip(
                collection.records, self._shares(index, len(collection.records)), strict=True
            ):
                share = owed.pop() if owed and drawn == "valid" else drawn
                fields = (wide[collection.subdomain], wide[self.rng.choice(elsewhere)])
                item = self._item(record, share, fields, collection, index)
                if self.recipe.exact and item.label != LABELS[share]:
                    owed.append(share)
                yield replace(item, split="dev" if collection.name in dev else "test")
                index += 1

    def _shares(self, before: int, size: int) -> list[Share]:
        """Return what becomes of each work of a collection, shuffled; the sums over all are right."""
        labels = self.recipe.labels
        few, many = (
            round((before + size) * count / sum(labels)) - round(before * count / sum(labels))
            for count in labels[1:]
        )
        many = min(many, size - few)
        counts: tuple[tuple[Share, int], ...] = (
            ("valid", size - few - many), ("minor", few), ("major", many),
        )  # fmt: skip
        made = [share for share, count in counts for _ in range(count)]
        self.rng.shuffle(made)
        return made

    def _draw_dev_part(self, chosen: Sequence[TopicCollection]) -> set[str]:
        """Return whole collections for the development part, whose items come nearest to its share."""
        wanted = sum(len(c.records) for c in chosen) * self.recipe.splits[0] / sum(self.recipe.splits)
        sums: dict[int, frozenset[str]] = {0: frozenset()}
        for collection in self.rng.sample(list(chosen), len(chosen)):
            for items, names in list(sums.items()):
                sums.setdefault(items + len(collection.records), names | {collection.name})
        nearest = min((items for items in sums if items), key=lambda items: abs(items - wanted))
        if self.recipe.exact and nearest != wanted:
            raise InputError(
                f"no whole collections have {wanted:g} items, but {nearest}", hint="change --split-counts"
            )
        return {*sums[nearest]}

    def _style(self, truth: TrueCitation) -> CitationStyle:
        for style in self.rng.sample(list(self.styles), len(self.styles)):
            if style.render(truth.cited):
                return style
        raise InputError(f"no style prints {truth.record.title!r}", hint="give other --styles")

    def _item(
        self, record: Record, share: Share, fields: Sequence[TitleLexicon], where: TopicCollection, index: int
    ) -> BenchmarkItem:
        truth = TrueCitation(cite_record(record, self.rng.choice(list_citable_versions(record))), record)
        style = self._style(truth)
        made: CorruptedCitation | None = None
        if share == "minor":
            made = self.editor.minor(EditDraw(truth, self.pool, self.rng), style.render)
        elif share == "major":
            made = self.editor.major(EditDraw(truth, self.pool, self.rng), fields)
        if made is None:  # nothing could be spoiled: the citation stays valid rather than be lost
            share, made = "valid", CorruptedCitation(truth.cited, ())
        where_from = {"collection": where.name, "subdomain": where.subdomain, "seed": self.recipe.seed}
        return make_item(index, LABELS[share], share, style, truth, made, **where_from)


def make_item(
    index: int,
    label: str,
    kind: str,
    style: CitationStyle,
    truth: TrueCitation,
    made: CorruptedCitation,
    **more: Any,  # noqa: ANN401 - fields of BenchmarkItem, which checks their names
) -> BenchmarkItem:
    """Return the item of a citation and what was made of it, both printed in one style."""
    key = f"item{index}"
    return BenchmarkItem(
        index=index, label=label, kind=kind, form=style.form, original=style.render(truth.cited, key),  # type: ignore[arg-type] # one of three
        corrupted=style.render(made.cited, key), description=describe_edits(made), edits=made.edits,
        work=truth.cited.work, style=style.name, **more,
    )  # fmt: skip


def describe_edits(made: CorruptedCitation) -> str:
    if not made.edits:
        return "kept as it is"
    return "; ".join(f"{e.kind.replace('_', ' ')}: {e.before or 'none'} → {e.after}" for e in made.edits)


@dataclass(frozen=True, slots=True)
class TopicCollection:
    name: str
    subdomain: str
    records: tuple[Record, ...]


def load_topics(name: str | Path) -> Topics:
    """Return a table of topics: that of the package called `name`, or a TOML file's."""
    if isinstance(name, str):
        tables = load_package_table(__package__, "topics.toml")
        if name in tables:
            return tables[name]  # type: ignore[no-any-return]
        raise InputError(
            f"unknown table of topics: {name!r}", hint=f"give one of {', '.join(tables)}, or a TOML file"
        )
    try:
        return tomllib.loads(name.read_text("utf-8"))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(
            f"cannot be read as topics: {error}", place=str(name), hint="write [subdomain] theme = [phrases]"
        ) from error


def group_by_topic(records: Sequence[Record], table: Topics | None = None) -> list[TopicCollection]:
    """Return the collections of the records, each work in the first theme whose phrase its title holds.

    Where no table is given, works without a theme are collected by decade.
    """
    has_table = table is not None
    table = table or find_topics(records)
    themes = [
        (subdomain, theme, re.compile("|".join(rf"\b{re.escape(p)}" for p in phrases), re.IGNORECASE))
        for subdomain, themes in table.items()
        for theme, phrases in themes.items()
    ]
    works: dict[tuple[str, str], list[Record]] = defaultdict(list)
    rest: list[Record] = []
    for record in records:
        for subdomain, theme, pattern in themes:
            if pattern.search(record.title):
                works[subdomain, theme].append(record)
                break
        else:
            rest.append(record)
    if not has_table:
        for record in rest:
            works["other subjects", _name_decade_group(record)].append(record)
    return [
        TopicCollection(theme, subdomain, tuple(members))
        for (subdomain, theme), members in sorted(works.items())
        if len(members) >= _FEWEST
    ]


def _name_decade_group(record: Record) -> str:
    """Return where a work without a theme is put: the decade in which it appeared."""
    years = [version.year for version in record.versions if version.year]
    return f"works of the {min(years) // 10 * 10}s" if years else "undated works"


def find_topics(records: Sequence[Record]) -> Topics:
    """Return topics read off the titles: their frequent pairs of words, under the word that many share."""
    # Each once, in the order of the title: the order of a set differs from run to run, and breaks ties.
    pairs = Counter(pair for record in records for pair in dict.fromkeys(_list_word_pairs(record.title)))
    heads = Counter(pair.split()[-1] for pair, count in pairs.items() if count >= _FEWEST)
    table: dict[str, dict[str, list[str]]] = {}
    for head, _ in heads.most_common():
        if len(table) == SUBDOMAINS:
            break
        of_head = [p for p, n in pairs.most_common() if n >= _FEWEST and p.split()[-1] == head]
        table[head] = {pair: [pair] for pair in of_head[: -(-MOST // SUBDOMAINS)]}
    return table or {"all": {"all works": [""]}}


def _list_word_pairs(title: str) -> Iterable[str]:
    places = find_word_spans(title)
    for (a, b), (c, d) in pairwise(places):
        if c - b == 1:
            yield f"{title[a:b]} {title[c:d]}".lower()
