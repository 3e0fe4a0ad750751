"""What mutations draw from: other works, words and titles out of them, venues, and the world they are in."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from citeproof.laboratory.measure.makers.benchmark_items import CitationFields
from citeproof.laboratory.measure.makers.edits import EditDraw, EditedCitation, TrueCitation, edit_field
from citeproof.laboratory.measure.makers.record_pool import PAPERS, RecordPool
from citeproof.laboratory.measure.makers.title_words import find_word_spans, is_meaningful_word
from citeproof.text import title as titles
from citeproof.text.package_tables import load_package_table
from citeproof.text.venue_match import is_surely_same
from citeproof.vocabulary import Kind, Record

# Preprint servers, series that take in anything, and publishers that some records have for a venue.
_NO_VENUE = re.compile(
    r"arxiv|\bcorr\b|rxiv|ssrn|preprint|openreview|zenodo|research square|lecture notes|submission"
    r"|\b(?:press|inc|ltd|kluwer|bantam|kaufmann|hall|anthropic|court)\b|publish|wiley|springer|elsevier"
    r"|addison|mcgraw|university|department|laborator",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")
_VENUE = range(3, 101)  # letters of a venue's name
_ESTABLISHED = 5  # works that appeared in a venue before another is moved there
_DRAWN = 40  # works among which strangers are searched for
FEWEST = 5  # works of other people that there must be
_TRIES = 40
_ACRONYM = 3  # letters of the shortest acronym that says something
_SHORTEST = 4  # letters that two words must have in common to be one, the shorter an abbreviation


def _find_nothing(value: str) -> bool:  # noqa: ARG001 - the shape of a question about the world
    return False


@dataclass(frozen=True, slots=True)
class MutationWorld:
    """This year, and what is known to exist."""

    year: int
    title_known: Callable[[str], bool] = _find_nothing
    works_in: Callable[[str], int] = _find_nothing  # how many works are known to have appeared in a venue
    doi_known: Callable[[str], bool] = _find_nothing


@dataclass(slots=True)
class MutationPool(RecordPool):
    """Other works to draw from, and the world they are in."""

    world: MutationWorld = field(default_factory=lambda: MutationWorld(0))

    def is_free_title(self, title: str) -> bool:
        """Return whether no work available, and none in the world that was asked, has this title."""
        return RecordPool.is_free_title(self, title) and not self.world.title_known(title)

    def find_strangers(self, truth: TrueCitation, rng: random.Random) -> list[Record]:
        """Return some works that share no author with the true one; nothing if they are too few."""
        own = {name.family.casefold() for name in (*truth.record.authors, *truth.cited.people)}
        drawn = rng.sample(self.records, min(_DRAWN, len(self.records)))
        strangers = [r for r in drawn if own.isdisjoint(n.family.casefold() for n in r.authors)]
        people = any(
            not name.collective and len(name.family) > 1 for record in strangers for name in record.authors
        )
        return strangers if people and len(strangers) >= FEWEST else []


def build_mutation_pool(pool: RecordPool, world: MutationWorld) -> MutationPool:
    """Return a pool in its world; its venues are those known for several works, if there are such."""
    venue_names = {
        v.venue
        for r in pool.records
        for v in r.versions
        if v.venue and (r.kind if v.kind is Kind.UNKNOWN else v.kind) is Kind.ARTICLE
    }
    short = sorted(venue for venue in venue_names if len(venue) in _VENUE and not _DIGIT.search(venue))
    every = [venue for venue in short if is_published_venue(venue)]
    venues = [venue for venue in every if world.works_in(venue) >= _ESTABLISHED] or every
    return MutationPool(
        pool.records, pool.titles_taken, pool.ids_taken, pool.lexicon, pool.people, venues, pool.prefixes,
        world,
    )  # fmt: skip


def is_published_venue(venue: str | None) -> bool:
    """Return whether a venue is one in which works are published: no preprint server, no publisher."""
    return bool(venue) and not _NO_VENUE.search(venue or "")


def splice_titles(truth: TrueCitation, pool: MutationPool, rng: random.Random) -> str:
    """Return the head of one work's title with the tail of another's; empty if there are too few works."""
    strangers = pool.find_strangers(truth, rng)
    if not strangers:
        return ""
    first, second = (
        titles.clean(stranger.title).split(":")[0].split() for stranger in rng.sample(strangers, 2)
    )
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
    words = [clean[start:end] for start, end in find_word_spans(clean) if clean[start:end].isascii()]
    return rng.choice(words).capitalize() if words else ""


def replace_small_word(cited: CitationFields, draw: EditDraw) -> EditedCitation | None:
    """Put another small word in the place of one inside the title."""
    others: dict[str, str] = load_word_table()["small"]
    words = cited.title.split(" ")
    at = [n for n, word in enumerate(words) if word.lower() in others and 0 < n < len(words) - 1]
    if not at:
        return None
    chosen = draw.rng.choice(at)
    new = " ".join((*words[:chosen], others[words[chosen].lower()], *words[chosen + 1 :]))
    return edit_field(cited, "title", new, "small_word_changed")


def load_word_table() -> dict[str, Any]:
    return load_package_table(__package__, "words.toml")


def is_venue_known(truth: TrueCitation) -> bool:
    """Return whether it is known where the work was published: only then is another venue wrong."""
    papers = truth.cited.kind in PAPERS
    return papers and any(is_published_venue(version.venue) for version in truth.record.versions)


def draw_other_venue(truth: TrueCitation, pool: MutationPool, rng: random.Random) -> str:
    """Return a venue in which no version of the work appeared; empty if none is certain."""
    if not is_venue_known(truth) or not pool.venues:
        return ""
    known = [version.venue for version in truth.record.versions if version.venue] + [truth.cited.venue]
    drawn = (rng.choice(pool.venues) for _ in range(_TRIES))
    return next((venue for venue in drawn if all(is_other_venue(venue, other) for other in known)), "")


def is_other_venue(a: str, b: str) -> bool:
    """Return whether two venues are two: no word, abbreviation or acronym of one belongs to the other."""
    if is_surely_same(a, b) or is_surely_same(b, a):  # renamed: "WWW" and "The Web Conference"
        return False
    if any(
        _is_same_word(x, y) or _is_same_word(y, x)
        for x in _list_distinctive_words(a)
        for y in _list_distinctive_words(b)
    ):
        return False
    return not (_is_abbreviation(a, b) or _is_abbreviation(b, a))


def _is_same_word(x: str, y: str) -> bool:
    """Return whether two words may be one: alike in their first letters, or one inside the other (NAACL)."""
    return x.startswith(y[:_SHORTEST]) or (len(x) >= _ACRONYM and x in y)


def _list_distinctive_words(venue: str) -> set[str]:
    return {
        word
        for word in titles.split_words(venue)
        if word not in load_word_table()["anywhere"] and not word.isdigit()
    }


def _is_abbreviation(short: str, long: str) -> bool:
    """Return whether a word of `short` may be made of initials of `long`, some of them left out."""
    initials = "".join(word[0] for word in titles.split_words(long) if word not in titles.STOPWORDS)
    return any(
        len(word) >= _ACRONYM and _is_subsequence(word, initials) for word in titles.split_words(short)
    )


def _is_subsequence(word: str, letters: str) -> bool:
    left = iter(letters)
    return all(letter in left for letter in word)
