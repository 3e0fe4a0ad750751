"""The ways themselves, one function each; a way that fails now may succeed when it draws again."""

from __future__ import annotations

import random
from dataclasses import replace

from citeproof.measure.makers.cited import Cited
from citeproof.measure.makers.editor import Corrupted
from citeproof.measure.makers.edits import Rule, Truth, dates, people, title
from citeproof.measure.makers.fabricate import blended
from citeproof.measure.makers.items import Edit
from citeproof.measure.makers.mutations.around import FEWEST, Around, published
from citeproof.measure.makers.mutations.drawn import small_word, spliced, table, word_of
from citeproof.measure.makers.mutations.venues import appeared, elsewhere
from citeproof.text import title as titles
from citeproof.text.journal import surely_same
from citeproof.vocabulary import Ids, Kind, Name

_PREFIXES = range(80_000, 100_000)  # of DOIs; none of them is given out
_RICH = 200  # frequent words from which a title of one's own is put together
_WHOLE = 3  # authors that a list must have to be cut in the middle


def fabricated_doi(truth: Truth, pool: Around, rng: random.Random) -> Corrupted | None:
    """Give it a DOI under a prefix that nobody has."""
    number, year = rng.randrange(10**5, 10**7), truth.cited.year or 2020
    tail = rng.choice((f"conf/{number}", f"jour.{year}.{number}", f"{year}.{number % 10**5}"))
    doi = f"10.{rng.choice(_PREFIXES)}/{tail}"
    if pool.world.doi_known(doi):
        return None
    others = tuple(pair for pair in truth.cited.ids.pairs if pair[0] not in ("doi", "url"))
    made = replace(truth.cited, ids=Ids((("doi", doi), *others)), url="")
    return Corrupted(made, (_edit("fabricated_doi", "doi", truth.cited.ids.first("doi") or "", doi),))


def future_date(truth: Truth, pool: Around, rng: random.Random) -> Corrupted | None:
    """Let it appear years from now."""
    if truth.cited.year is None:
        return None
    year = pool.world.year + rng.randint(2, 10)
    edit = _edit("future_date", "year", str(truth.cited.year), str(year))
    return Corrupted(replace(truth.cited, year=year), (edit,))


def nonexistent_venue(truth: Truth, pool: Around, rng: random.Random) -> Corrupted | None:
    """Let it appear in a venue that does not exist."""
    if not appeared(truth) or len(pool.records) < FEWEST:
        return None
    words = [word_of(one, rng) for one in rng.sample(pool.records, 2)]
    venue = rng.choice(table()["venues"]).format(*words)
    if not all(words) or words[0] == words[1] or pool.world.works_in(venue):
        return None
    return _moved(truth, truth.cited, venue, "nonexistent_venue")


def placeholder_authors(truth: Truth, pool: Around, rng: random.Random) -> Corrupted | None:
    """Put names in the authors' place that stand for anybody."""
    del pool
    own = {name.family.casefold() for name in (*truth.record.authors, *truth.cited.people)}
    fit = [Name(*pair) for pair in table()["placeholders"] if pair[0].casefold() not in own]
    if not truth.cited.people or len(fit) < _WHOLE:
        return None
    return _by(truth.cited, tuple(rng.sample(fit, rng.choice((2, 3)))), "placeholder_authors")


def chimeric_title(truth: Truth, pool: Around, rng: random.Random) -> Corrupted | None:
    """Give it a title made of the beginning of one work's and the end of another's."""
    new = spliced(truth, pool, rng)
    return _retitled(truth.cited, new, "chimeric_title") if new else None


def hybrid_fabrication(truth: Truth, pool: Around, rng: random.Random) -> Corrupted | None:
    """Keep the identifiers, make the authors up, and change words of the title."""
    if not truth.cited.people or not pool.strangers(truth, rng):
        return None
    authors = people.all_fabricated(truth.cited, truth, pool, rng)
    turned = truth.cited
    for rule in (title.word_substituted, title.word_added, small_word):
        made = rule(turned, truth, pool, rng)
        turned = made.cited if made else turned
    if authors is None or turned.title == truth.cited.title:
        return None
    edit = _edit("hybrid_fabrication", "title", truth.cited.title, turned.title)
    return Corrupted(replace(authors.cited, title=turned.title), (authors.edit, edit))


def merged_citation(truth: Truth, pool: Around, rng: random.Random) -> Corrupted | None:
    """Keep title and identifiers; authors and year are another work's."""
    found = pool.strangers(truth, rng)
    if not found or not truth.cited.people:
        return None
    other = rng.choice(found)
    made = _by(truth.cited, other.authors, "merged_citation")
    year = other.versions[0].year
    if year == truth.cited.year:
        return made
    edit = _edit("merged_citation", "year", str(truth.cited.year or ""), str(year))
    return Corrupted(replace(made.cited, year=year), (*made.edits, edit))


def partial_author_list(truth: Truth, pool: Around, rng: random.Random) -> Corrupted | None:
    """Leave out authors between the first and the last, with no word that somebody is missing."""
    del pool
    shown = truth.cited.people
    if len(shown) < max(_WHOLE, len(truth.record.authors)) or any(name.collective for name in shown):
        return None
    kept = rng.randint(1, min(2, len(shown) - 2))
    return _by(truth.cited, (*shown[:kept], shown[-1]), "partial_author_list")


def preprint_as_published(truth: Truth, pool: Around, rng: random.Random) -> Corrupted | None:
    """Let a work that is a preprint too be published where it was not."""
    record, cited = truth.record, truth.cited
    preprint = Kind.PREPRINT in (cited.kind, record.kind, *(version.kind for version in record.versions))
    on_server = any(version.venue and not published(version.venue) for version in record.versions)
    if not (preprint or on_server or record.ids.first("arxiv")):
        return None
    venue = elsewhere(truth, pool, rng)
    if not venue:
        return None
    bare = replace(cited, kind=Kind.ARTICLE, volume="", issue="", pages="")
    return _moved(truth, bare, venue, "preprint_as_published")


def swapped_authors(truth: Truth, pool: Around, rng: random.Random) -> Corrupted | None:
    """Put all authors of another work in their place."""
    found = pool.strangers(truth, rng)
    if not found or not truth.cited.people:
        return None
    return _by(truth.cited, rng.choice(found).authors, "swapped_authors")


def wrong_venue(truth: Truth, pool: Around, rng: random.Random) -> Corrupted | None:
    """Let it appear in another venue that exists."""
    venue = elsewhere(truth, pool, rng) if truth.cited.venue else ""
    return _moved(truth, truth.cited, venue, "wrong_venue") if venue else None


def arxiv_version_mismatch(truth: Truth, pool: Around, rng: random.Random) -> Corrupted | None:
    """Mix up versions: another venue, and a year in which no version appeared."""
    venue = elsewhere(truth, pool, rng)
    moved = dates.year_shifted(truth.cited, truth, pool, rng)
    if not venue or moved is None:
        return None
    placed = _moved(truth, moved.cited, venue, "arxiv_version_mismatch")
    return Corrupted(placed.cited, (*placed.edits, moved.edit))


def near_miss_title(truth: Truth, pool: Around, rng: random.Random) -> Corrupted | None:
    """Change the title by one word."""
    rules: list[Rule] = [*title.RULES, small_word, title.word_substituted]
    made = rng.choice(rules)(truth.cited, truth, pool, rng)
    return _retitled(truth.cited, made.cited.title, "near_miss_title") if made else None


def plausible_fabrication(truth: Truth, pool: Around, rng: random.Random) -> Corrupted | None:
    """Make up a work: a title of the field, people who wrote no such thing, a real venue, no identifier."""
    cited = truth.cited
    if not pool.strangers(truth, rng) or not cited.people:
        return None
    rich = len(pool.lexicon.frequent) >= _RICH
    new = blended(cited.title, (pool.lexicon,), pool, rng) if rich else spliced(truth, pool, rng)
    if not new:
        return None
    names = tuple(people.invented(truth, pool, rng) for _ in cited.people[:4])
    made = replace(cited, title=new, people=names, ids=Ids(), url="", volume="", issue="", pages="")
    before, after = (f"{_names(one.people)}: {one.title}" for one in (cited, made))
    return Corrupted(made, (_edit("plausible_fabrication", "reference", before, after),))


def _moved(truth: Truth, cited: Cited, venue: str, kind: str) -> Corrupted:
    """Return the citation in another venue.

    Where the true venue was read as a publisher it goes too, or the citation would still name it. A
    publisher that only hints at it ("AAAI Press") stays, as it does when people err.
    """
    known = [cited.venue, *(version.venue or "" for version in truth.record.versions)]
    twice = any(surely_same(cited.publisher, one) for one in known if one and cited.publisher)
    own = titles.key(cited.publisher) == titles.key(truth.record.publisher or "")
    publisher = "" if twice and not own else cited.publisher
    edit = _edit(kind, "venue", cited.venue, venue)
    return Corrupted(replace(cited, venue=venue, publisher=publisher), (edit,))


def _by(cited: Cited, names: tuple[Name, ...], kind: str) -> Corrupted:
    edit = _edit(kind, "authors", _names(cited.people), _names(names))
    return Corrupted(replace(cited, people=names), (edit,))


def _retitled(cited: Cited, new: str, kind: str) -> Corrupted:
    return Corrupted(replace(cited, title=new), (_edit(kind, "title", cited.title, new),))


def _names(names: tuple[Name, ...]) -> str:
    return "; ".join(name.display for name in names)


def _edit(kind: str, field: str, before: str, after: str) -> Edit:
    return Edit(kind=kind, field=field, before=before, after=after)
