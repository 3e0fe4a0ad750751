"""Finding records by a noisy title: signature keys first, full text for the rest, letters decide.

1. probe     the whole title, then its edges, head and word subsets: a few microseconds each
2. compare   the records that share most keys; one that is near enough ends the search
3. widen     full text on the rarest words, twenty candidates, compared in the same way
4. misspelt  only for a short title that found nothing: full text on words nearly like these

The order is by similarity, papers before front matter.

A mention in running text ("Smith & Jones 2004") gives authors and a year instead. Full text knows the family
names of the first two authors and the years of every record, marked by "@"; of a family name of several words
only the first has the mark: "@garcia lopez".
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from citeproof.evidence.index import signature_keys
from citeproof.evidence.index.full_text import MARK, FullText
from citeproof.evidence.index.key_table import CAP, KeyTable
from citeproof.evidence.index.record_blocks import RecordBlocks
from citeproof.evidence.index.record_packing import RecordHeading, unpack_heading, unpack_titles
from citeproof.evidence.index.signature_keys import hash_text, is_front_matter
from citeproof.text.names import fold_family_words
from citeproof.text.title import STOPWORDS, fold_title, make_title_key, split_words
from citeproof.vocabulary import Name
from citeproof.vocabulary.quick_dataclass import dataclass

ACCEPT = 0.90  # similarity at which a candidate is taken for the work meant
WIDEN = 0.72  # a best candidate below this sends the query to full text
SUBTITLE = 0.85  # what a title scores of which only the subtitle is missing
EQUALS = 20  # records with an equal title that are returned
FEW, MANY = 4, 16  # candidates of the keys that are compared first, and at most
CANDIDATES = 20  # candidates of full text
SHORT, DOUBTFUL = 6, 0.6  # words of a title that is also tried as misspelt, when nothing better was found
RARE = 6  # words of a title asked of full text
FRONT_FACTOR = 0.9  # front matter comes after papers that are nearly as similar
MIN_SCORE = 0.4  # what is less alike is no candidate
TRUNCATED = 0.96  # the most a title may score that the query only begins
MIN_PREFIX = 12  # letters; a shorter beginning proves nothing
TOLD_AUTHORS = 2  # authors of a record whom full text knows
MOST_WORDS = 80  # words of the sentence and the document that put the works in order
WIDER = 3  # times as many are looked at: full text does not know who is the first author
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})
_SPELLED = (("ae", "a"), ("oe", "o"), ("ue", "u"), ("aa", "a"))


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A record by ordinal, and how like the query it is."""

    ordinal: int
    score: float


class TitleSearch:
    def __init__(self, blocks: RecordBlocks, keys: KeyTable, text: FullText) -> None:
        self._blocks, self._keys, self._text = blocks, keys, text

    def find(self, title: str, likely: Iterable[int] = ()) -> list[SearchHit]:
        """Return the records whose title is like `title`, best first.

        `likely` are records to compare in any case, such as those by the same authors.
        """
        folded = fold_title(title)
        whole = make_title_key(title)
        if not whole:
            return []
        # 1. the whole title, and the same with or without a subtitle
        if equal := self.equal(title):
            return equal + self._score_records(self._find_main_titles(folded, whole), whole, skip=equal)
        # 2. what shares most keys
        asked = split_words(title)
        hits = merge_hits(self._score_records(likely, whole), self._by_keys(folded, whole, asked))
        if not hits or hits[0].score < WIDEN:
            # 3. full text
            rare = self._text.rarest((w for w in asked if w not in STOPWORDS), RARE)
            ordinals = self._text.find(rare, limit=CANDIDATES)
            hits = merge_hits(hits, self._score_records(ordinals, whole, skip=hits))
        if len(asked) <= SHORT and (not hits or hits[0].score < DOUBTFUL):
            # 4. a short title with every telling word misspelt
            telling = [w for w in asked if w not in STOPWORDS]
            ordinals = self._text.find_misspelt(telling, limit=CANDIDATES)
            hits = merge_hits(hits, self._score_records(ordinals, whole, skip=hits))
        return hits

    def list_filed(self, whole: str) -> list[int]:
        """Return the records filed under the title key `whole`."""
        return self._keys.find(hash_text(signature_keys.TITLE, whole))

    def equal(self, title: str) -> list[SearchHit]:
        """Return the records whose title is equal to `title`, papers before front matter."""
        whole = make_title_key(title)
        hits = [
            SearchHit(ordinal, 1.0)
            for ordinal in self.list_filed(whole)[:EQUALS]
            if whole in map(make_title_key, self._titles(ordinal))
        ]
        return sorted(hits, key=lambda hit: is_front_matter(self._titles(hit.ordinal)[0].lower()))

    def _find_main_titles(self, folded: str, whole: str) -> list[int]:
        """Return records that have `whole` as the part before their subtitle, or lack ours."""
        ordinals = self._keys.find(hash_text(signature_keys.HEAD, whole))
        if head := signature_keys.find_title_head(folded):
            ordinals += self.list_filed(head)
        return ordinals if len(ordinals) < CAP else []

    def _by_keys(self, folded: str, whole: str, asked: list[str]) -> list[SearchHit]:
        """Return the compared records that share most keys with the query, best first."""
        values = signature_keys.pick_longest(
            signature_keys.hash_telling_word(word.encode("utf-8", "replace")) for word in asked
        )
        votes: Counter[int] = Counter(self._find_main_titles(folded, whole))
        for probe in (*signature_keys.make_edge_keys(whole), *signature_keys.make_query_keys(values)):
            votes.update(self._keys.find(probe))
        likely = [ordinal for ordinal, _ in votes.most_common(MANY)]
        hits = self._score_records(likely[:FEW], whole)
        if not hits or hits[0].score < ACCEPT:
            hits = merge_hits(hits, self._score_records(likely[FEW:], whole))
        return hits

    def _score_records(
        self, ordinals: Iterable[int], whole: str, skip: Iterable[SearchHit] = ()
    ) -> list[SearchHit]:
        seen = {hit.ordinal for hit in skip}
        hits = []
        for ordinal in dict.fromkeys(ordinals):
            if ordinal in seen:
                continue
            titles = self._titles(ordinal)
            score = _score_titles(whole, titles)
            if score >= MIN_SCORE and is_front_matter(titles[0].lower()):
                score *= FRONT_FACTOR
            if score >= MIN_SCORE:
                hits.append(SearchHit(ordinal, score))
        return merge_hits(hits)

    def heading(self, ordinal: int) -> RecordHeading:
        """Return the titles, authors and versions of a record."""
        return unpack_heading(self._blocks[ordinal])

    def _titles(self, ordinal: int) -> list[str]:
        return unpack_titles(self._blocks[ordinal])


def _score_titles(whole: str, titles: Sequence[str]) -> float:
    """Return how like `whole` the best of the titles is; without its subtitle a title counts as well."""
    best = 0.0
    for title in titles:
        key = make_title_key(title)
        score = score_title(whole, key)
        if score < SUBTITLE and key.startswith(whole):
            without = signature_keys.find_title_head(fold_title(title)) == whole
            score = SUBTITLE if without else score
        best = max(best, score)
    return best


def score_title(query: str, title: str) -> float:
    """Return the similarity of two title keys; a query that is cut short still scores high.

    `query` and `title` are `text.title.make_title_key` forms: folded letters and digits only.
    """
    if query == title:
        return 1.0
    whole = Levenshtein.normalized_similarity(query, title)
    if len(query) < len(title) and len(query) >= MIN_PREFIX:
        begun = Levenshtein.normalized_similarity(query, title[: len(query)])
        return max(whole, TRUNCATED * begun * begun)
    return whole


def score_contained(title: str, text: str) -> float:
    """Return how well the title key `title` is contained somewhere in the longer key `text`."""
    if title in text:
        return 1.0
    if len(title) > len(text):
        return Levenshtein.normalized_similarity(title, text)
    return fuzz.partial_ratio(title, text, score_cutoff=50) / 100


def merge_hits(*lists: list[SearchHit]) -> list[SearchHit]:
    """Return all hits, each record once at its best score, best first."""
    best: dict[int, SearchHit] = {}
    for hit in (hit for hits in lists for hit in hits):
        if hit.ordinal not in best or best[hit.ordinal].score < hit.score:
            best[hit.ordinal] = hit
    return sorted(best.values(), key=lambda hit: (-hit.score, hit.ordinal))


class AuthorYearSearch:
    def __init__(self, blocks: RecordBlocks, text: FullText) -> None:
        self._blocks, self._text = blocks, text

    def find(self, names: Sequence[Name], year: int, words: Iterable[str], *, limit: int) -> list[int]:
        """Return the records by these people, the year meant before the years next to it."""
        people = [list_family_forms(name) for name in names[:TOLD_AUTHORS]]
        if not people or not all(people):
            return []
        rare = self._text.rarest(words, MOST_WORDS)
        marked = [[[MARK + form[0], *form[1:]] for form in forms] for forms in people]
        for years in ((year,), (year - 1, year + 1)):
            dated = [[f"{MARK}{dated_year}"] for dated_year in years]
            ordinals = self._text.find_all_of([*marked, dated], rare, limit=WIDER * limit)
            if by_people := [ordinal for ordinal in ordinals if self._has_authors(ordinal, people)]:
                return by_people[:limit]
        return []

    def _has_authors(self, ordinal: int, people: Sequence[Sequence[tuple[str, ...]]]) -> bool:
        """Return whether the first of these people is the record's first author, and the second an author."""
        heading = unpack_heading(self._blocks[ordinal])
        families = [fold_family_words(Name(author[0])) for author in heading.authors]
        if not families or families[0] not in people[0]:
            return False
        return all(any(family in forms for family in families[1:]) for forms in people[1:])


def list_family_forms(name: Name) -> tuple[tuple[str, ...], ...]:
    """Return the folded forms under which a family name may be filed: double, with umlauts spelled out."""
    printed = [name.family, f"{name.given} {name.family}"] if name.given else [name.family]
    forms: dict[tuple[str, ...], None] = {}
    for spelling in printed:
        folded = fold_family_words(Name(spelling))
        forms.setdefault(folded)
        if not spelling.isascii():
            spelled = unicodedata.normalize("NFC", spelling.lower()).translate(_UMLAUTS)
            forms.setdefault(fold_family_words(Name(spelled)))
        for pair, letter in _SPELLED:
            if any(pair in word for word in folded):
                forms.setdefault(tuple(word.replace(pair, letter) for word in folded))
    return tuple(form for form in forms if form)
