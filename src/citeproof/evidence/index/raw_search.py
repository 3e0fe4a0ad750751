"""Finding records by a raw citation string, in which the place of the title is not known yet.

1. cut       the string at punctuation; a title begins at one cut and ends at another
2. probe     the 24 letters after and before each cut, and short stretches as whole titles
3. compare   is the title contained in the string? Are its first author and a year of its there?
4. widen     word subsets of the likely title, then full text on words, names and years

A contained title alone is never enough: a short title, or that of the proceedings, may be in the
venue part of another citation. Authors and year decide between candidates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from citeproof.evidence.index import signature_keys
from citeproof.evidence.index.full_text import MARK, FullText
from citeproof.evidence.index.key_table import CAP, KeyTable
from citeproof.evidence.index.record_packing import RecordHeading
from citeproof.evidence.index.signature_keys import EDGE, hash_text, is_front_matter
from citeproof.evidence.index.title_search import SearchHit, TitleSearch, merge_hits, score_contained
from citeproof.text import lazy_patterns as re
from citeproof.text.names import fold_family_words
from citeproof.text.title import STOPWORDS, fold_title, make_title_key
from citeproof.vocabulary import Name
from citeproof.vocabulary.quick_dataclass import dataclass

MAX_TEXT = 2000  # characters of a citation that are read
MAX_CUTS = 60
SPAN = 3  # pieces that a short title may stretch over
ACCEPT = 0.85
FEW, MANY = 6, 30  # candidates of the keys that are compared first, and at most
CANDIDATES = 20  # candidates of full text
RARE = 8  # words of the likely title asked of full text
ALL_WORDS = 40  # words of the whole string asked of full text
SPARSE = 6  # records under a key that distinguishes them well
WHOLE_VOTE = 3  # what a whole title counts against the half that an edge is
MIN_WHOLE = 6  # letters of a title that may be searched for as a whole

_CUT = re.compile(r"[.,;:?!\"()\[\]]+(?=\s|$|[\"(\[])|\s-+\s|[\"()\[\]]")
_WORD = re.compile(r"[^\W_]+")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")


@dataclass(frozen=True, slots=True)
class _CitedString:
    """A citation string taken apart."""

    whole: str  # all its letters
    cuts: tuple[int, ...]  # offsets in `whole` where a piece begins or ends, ascending
    pieces: tuple[tuple[str, ...], ...]  # the words of each piece
    words: frozenset[str]


def _split_citation(text: str) -> _CitedString:
    pieces = [tuple(_WORD.findall(piece)) for piece in _CUT.split(fold_title(text[:MAX_TEXT]))[:MAX_CUTS]]
    cuts, at = [0], 0
    for piece in pieces:
        if piece:
            at += sum(map(len, piece))
            cuts.append(at)
    whole = "".join("".join(piece) for piece in pieces)
    return _CitedString(
        whole, tuple(cuts), tuple(p for p in pieces if p), frozenset(w for p in pieces for w in p)
    )


class RawSearch:
    """Searches one open snapshot by raw citation strings."""

    def __init__(self, titles: TitleSearch, keys: KeyTable, text: FullText) -> None:
        self._titles, self._keys, self._text = titles, keys, text

    def find(self, text: str) -> list[SearchHit]:
        """Return the records that the citation `text` may mean, best first."""
        cited = _split_citation(text)
        if not cited.whole:
            return []
        seen: dict[int, SearchHit] = {}
        likely = self._by_cuts(cited)
        for ordinals in (likely[:FEW], likely[FEW:MANY]):
            if self._compare(ordinals, cited, seen) >= ACCEPT:
                return merge_hits(list(seen.values()))
        for widen in (self._by_subsets, self._by_title_words, self._by_all_words):
            if self._compare(widen(cited), cited, seen) >= ACCEPT:
                break
        return merge_hits(list(seen.values()))

    def _by_cuts(self, cited: _CitedString) -> list[int]:
        """Return the records whose title begins or ends at a cut, those with both first."""
        votes: Counter[int] = Counter()
        whole, cuts = cited.whole, cited.cuts
        for at in cuts:
            if at + EDGE <= len(whole):
                _count_votes(votes, self._keys.find(hash_text(signature_keys.FIRST, whole[at : at + EDGE])))
            if at >= EDGE:
                _count_votes(votes, self._keys.find(hash_text(signature_keys.LAST, whole[at - EDGE : at])))
        for number, start in enumerate(cuts):
            for end in cuts[number + 1 : number + 1 + SPAN]:
                if MIN_WHOLE <= end - start <= EDGE:
                    _count_votes(votes, self._titles.list_filed(whole[start:end]), WHOLE_VOTE)
        return [ordinal for ordinal, _ in votes.most_common(MANY)]

    def _by_subsets(self, cited: _CitedString) -> list[int]:
        """Return the records that share word subsets with the pieces that look most like titles."""
        votes: Counter[int] = Counter()
        for piece in sorted(cited.pieces, key=_weigh_piece, reverse=True)[:2]:
            values = signature_keys.pick_longest(
                signature_keys.hash_telling_word(w.encode("utf-8", "replace")) for w in piece
            )
            for probe in signature_keys.make_query_keys(values):
                ordinals = self._keys.find(probe)
                if len(ordinals) < CAP:
                    votes.update(ordinals)
        return [ordinal for ordinal, _ in votes.most_common(FEW)]

    def _by_title_words(self, cited: _CitedString) -> list[int]:
        likely = max(cited.pieces, key=_weigh_piece)
        rare = self._text.rarest((w for w in likely if w not in STOPWORDS), RARE)
        return self._text.find(rare, limit=CANDIDATES)

    def _by_all_words(self, cited: _CitedString) -> list[int]:
        words = [w for piece in cited.pieces for w in piece if w not in STOPWORDS]
        marked = [MARK + word for word in words]
        return self._text.find(self._text.rarest(words + marked, ALL_WORDS), limit=CANDIDATES)

    def _compare(self, ordinals: Iterable[int], cited: _CitedString, seen: dict[int, SearchHit]) -> float:
        """Add the hits for `ordinals` to `seen`; return the best score so far."""
        for ordinal in ordinals:
            if ordinal not in seen:
                seen[ordinal] = SearchHit(ordinal, _score_record(self._titles.heading(ordinal), cited))
        return max((hit.score for hit in seen.values()), default=0.0)


def _count_votes(votes: Counter[int], ordinals: list[int], weight: int = 1) -> None:
    """Count a key for the records it found; one that found few says more."""
    weight += len(ordinals) <= SPARSE
    for ordinal in ordinals:
        votes[ordinal] += weight


def _weigh_piece(piece: tuple[str, ...]) -> int:
    """Return how much a piece looks like a title: the letters of its longer words."""
    return sum(len(word) for word in piece if len(word) > signature_keys.MIN_WORD and not word.isdigit())


def _score_record(record: RecordHeading, cited: _CitedString) -> float:
    """Return how likely the citation means `record`: title contained, first author and year there."""
    similarity, length = max(
        (score_contained(whole, cited.whole), len(whole)) for whole in map(make_title_key, record.titles)
    )
    family = fold_family_words(Name(record.authors[0][0])) if record.authors else ()
    author = 0.5 if not family else float(all(word in cited.words for word in family))
    years = [str(version[0]) for version in record.versions if version[0]]
    year = 0.5 if not years else float(any(each in cited.words for each in years))
    score = similarity * (0.65 + 0.2 * author + 0.1 * year + 0.05 * min(1.0, length / 60))
    return score * (0.8 if is_front_matter(record.titles[0].lower()) else 1.0)
