"""The ways themselves, one function each; a way that fails now may succeed when it draws again."""

from __future__ import annotations

import random
from dataclasses import replace

from bench.selftest.mutation_pool import (
    FEWEST,
    MutationPool,
    draw_other_venue,
    draw_title_word,
    is_published_venue,
    is_venue_known,
    load_word_table,
    replace_small_word,
    splice_titles,
)

from citeproof.laboratory.measure.makers.benchmark_items import BenchmarkEdit, CitationFields
from citeproof.laboratory.measure.makers.edits import (
    EditDraw,
    Rule,
    TrueCitation,
    author_edits,
    metadata_edits,
    title_edits,
)
from citeproof.laboratory.measure.makers.rule_editor import CorruptedCitation, blend_title
from citeproof.text import title as titles
from citeproof.text.venue_match import is_surely_same
from citeproof.vocabulary import Ids, Kind, Name

MaybeCorrupted = CorruptedCitation | None  # None: the way does not apply, or its draw was no use

_PREFIXES = range(80_000, 100_000)  # of DOIs; none of them is given out
_RICH = 200  # frequent words from which a title of one's own is combined
_WHOLE = 3  # authors that a list must have to be cut in the middle


def fabricated_doi(truth: TrueCitation, pool: MutationPool, rng: random.Random) -> MaybeCorrupted:
    """Give it a DOI under a prefix that is not assigned."""
    number, year = rng.randrange(10**5, 10**7), truth.cited.year or 2020
    tail = rng.choice((f"conf/{number}", f"jour.{year}.{number}", f"{year}.{number % 10**5}"))
    doi = f"10.{rng.choice(_PREFIXES)}/{tail}"
    if pool.world.doi_known(doi):
        return None
    others = tuple(pair for pair in truth.cited.ids.pairs if pair[0] not in ("doi", "url"))
    made = replace(truth.cited, ids=Ids((("doi", doi), *others)), url="")
    return CorruptedCitation(
        made, (_make_edit("fabricated_doi", "doi", truth.cited.ids.first("doi") or "", doi),)
    )


def future_date(truth: TrueCitation, pool: MutationPool, rng: random.Random) -> MaybeCorrupted:
    """Let it appear years from now."""
    if truth.cited.year is None:
        return None
    year = pool.world.year + rng.randint(2, 10)
    edit = _make_edit("future_date", "year", str(truth.cited.year), str(year))
    return CorruptedCitation(replace(truth.cited, year=year), (edit,))


def nonexistent_venue(truth: TrueCitation, pool: MutationPool, rng: random.Random) -> MaybeCorrupted:
    """Let it appear in a venue that does not exist."""
    if not is_venue_known(truth) or len(pool.records) < FEWEST:
        return None
    words = [draw_title_word(record, rng) for record in rng.sample(pool.records, 2)]
    venue = rng.choice(load_word_table()["venues"]).format(*words)
    if not all(words) or words[0] == words[1] or pool.world.works_in(venue):
        return None
    return _set_venue(truth, truth.cited, venue, "nonexistent_venue")


def placeholder_authors(truth: TrueCitation, pool: MutationPool, rng: random.Random) -> MaybeCorrupted:
    """Put names in the authors' place that represent anybody."""
    del pool
    own = {name.family.casefold() for name in (*truth.record.authors, *truth.cited.people)}
    fit = [Name(*pair) for pair in load_word_table()["placeholders"] if pair[0].casefold() not in own]
    if not truth.cited.people or len(fit) < _WHOLE:
        return None
    return _set_people(truth.cited, tuple(rng.sample(fit, rng.choice((2, 3)))), "placeholder_authors")


def chimeric_title(truth: TrueCitation, pool: MutationPool, rng: random.Random) -> MaybeCorrupted:
    """Give it a title made of the beginning of one work's and the end of another's."""
    new = splice_titles(truth, pool, rng)
    return _set_title(truth.cited, new, "chimeric_title") if new else None


def hybrid_fabrication(truth: TrueCitation, pool: MutationPool, rng: random.Random) -> MaybeCorrupted:
    """Keep the identifiers, make the authors up, and change words of the title."""
    if not truth.cited.people or not pool.find_strangers(truth, rng):
        return None
    turned, draw = truth.cited, EditDraw(truth, pool, rng)
    authors = author_edits.fabricate_authors(truth.cited, draw)
    for rule in (title_edits.substitute_word, title_edits.add_word, replace_small_word):
        made = rule(turned, draw)
        turned = made.cited if made else turned
    if authors is None or turned.title == truth.cited.title:
        return None
    edit = _make_edit("hybrid_fabrication", "title", truth.cited.title, turned.title)
    return CorruptedCitation(replace(authors.cited, title=turned.title), (authors.edit, edit))


def merged_citation(truth: TrueCitation, pool: MutationPool, rng: random.Random) -> MaybeCorrupted:
    """Keep title and identifiers; authors and year are another work's."""
    strangers = pool.find_strangers(truth, rng)
    if not strangers or not truth.cited.people:
        return None
    other = rng.choice(strangers)
    made = _set_people(truth.cited, other.authors, "merged_citation")
    year = other.versions[0].year
    if year == truth.cited.year:
        return made
    edit = _make_edit("merged_citation", "year", str(truth.cited.year or ""), str(year))
    return CorruptedCitation(replace(made.cited, year=year), (*made.edits, edit))


def partial_author_list(truth: TrueCitation, pool: MutationPool, rng: random.Random) -> MaybeCorrupted:
    """Leave out authors between the first and the last, with no word that somebody is missing."""
    del pool
    shown = truth.cited.people
    if len(shown) < max(_WHOLE, len(truth.record.authors)) or any(name.collective for name in shown):
        return None
    first = rng.randint(1, min(2, len(shown) - 2))
    return _set_people(truth.cited, (*shown[:first], shown[-1]), "partial_author_list")


def preprint_as_published(truth: TrueCitation, pool: MutationPool, rng: random.Random) -> MaybeCorrupted:
    """Let a work that is a preprint too be published where it was not."""
    record, cited = truth.record, truth.cited
    preprint = Kind.PREPRINT in (cited.kind, record.kind, *(version.kind for version in record.versions))
    on_server = any(version.venue and not is_published_venue(version.venue) for version in record.versions)
    if not (preprint or on_server or record.ids.first("arxiv")):
        return None
    venue = draw_other_venue(truth, pool, rng)
    if not venue:
        return None
    bare = replace(cited, kind=Kind.ARTICLE, volume="", issue="", pages="")
    return _set_venue(truth, bare, venue, "preprint_as_published")


def swapped_authors(truth: TrueCitation, pool: MutationPool, rng: random.Random) -> MaybeCorrupted:
    """Put all authors of another work in their place."""
    strangers = pool.find_strangers(truth, rng)
    if not strangers or not truth.cited.people:
        return None
    return _set_people(truth.cited, rng.choice(strangers).authors, "swapped_authors")


def wrong_venue(truth: TrueCitation, pool: MutationPool, rng: random.Random) -> MaybeCorrupted:
    """Let it appear in another venue that exists."""
    venue = draw_other_venue(truth, pool, rng) if truth.cited.venue else ""
    return _set_venue(truth, truth.cited, venue, "wrong_venue") if venue else None


def arxiv_version_mismatch(truth: TrueCitation, pool: MutationPool, rng: random.Random) -> MaybeCorrupted:
    """Mix up versions: another venue, and a year in which no version appeared."""
    venue = draw_other_venue(truth, pool, rng)
    moved = metadata_edits.shift_year(truth.cited, EditDraw(truth, pool, rng))
    if not venue or moved is None:
        return None
    placed = _set_venue(truth, moved.cited, venue, "arxiv_version_mismatch")
    return CorruptedCitation(placed.cited, (*placed.edits, moved.edit))


def near_miss_title(truth: TrueCitation, pool: MutationPool, rng: random.Random) -> MaybeCorrupted:
    rules: list[Rule] = [*title_edits.RULES, replace_small_word, title_edits.substitute_word]
    made = rng.choice(rules)(truth.cited, EditDraw(truth, pool, rng))
    return _set_title(truth.cited, made.cited.title, "near_miss_title") if made else None


def plausible_fabrication(truth: TrueCitation, pool: MutationPool, rng: random.Random) -> MaybeCorrupted:
    """Make up a work: a title of the field, people who wrote no such thing, a real venue, no identifier."""
    cited = truth.cited
    if not pool.find_strangers(truth, rng) or not cited.people:
        return None
    rich = len(pool.lexicon.frequent) >= _RICH
    new = blend_title(cited.title, (pool.lexicon,), pool, rng) if rich else splice_titles(truth, pool, rng)
    if not new:
        return None
    draw = EditDraw(truth, pool, rng)
    names = tuple(author_edits.invent_name(draw) for _ in cited.people[:4])
    made = replace(cited, title=new, people=names, ids=Ids(), url="", volume="", issue="", pages="")
    before, after = (f"{_join_names(citation.people)}: {citation.title}" for citation in (cited, made))
    return CorruptedCitation(made, (_make_edit("plausible_fabrication", "reference", before, after),))


def _set_venue(truth: TrueCitation, cited: CitationFields, venue: str, kind: str) -> CorruptedCitation:
    """Return the citation in another venue.

    Where the true venue was read as a publisher it goes too, or the citation would still name it. A
    publisher that only hints at it ("AAAI Press") stays, as it does when people err.
    """
    known = [cited.venue, *(version.venue or "" for version in truth.record.versions)]
    twice = any(
        is_surely_same(cited.publisher, known_venue)
        for known_venue in known
        if known_venue and cited.publisher
    )
    own = titles.make_title_key(cited.publisher) == titles.make_title_key(truth.record.publisher or "")
    publisher = "" if twice and not own else cited.publisher
    edit = _make_edit(kind, "venue", cited.venue, venue)
    return CorruptedCitation(replace(cited, venue=venue, publisher=publisher), (edit,))


def _set_people(cited: CitationFields, names: tuple[Name, ...], kind: str) -> CorruptedCitation:
    edit = _make_edit(kind, "authors", _join_names(cited.people), _join_names(names))
    return CorruptedCitation(replace(cited, people=names), (edit,))


def _set_title(cited: CitationFields, new: str, kind: str) -> CorruptedCitation:
    return CorruptedCitation(replace(cited, title=new), (_make_edit(kind, "title", cited.title, new),))


def _join_names(names: tuple[Name, ...]) -> str:
    return "; ".join(name.display for name in names)


def _make_edit(kind: str, field: str, before: str, after: str) -> BenchmarkEdit:
    return BenchmarkEdit(kind=kind, field=field, before=before, after=after)
