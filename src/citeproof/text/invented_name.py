"""How much a venue's name reads like an invented one: log odds, from its words and its shape.

There is no list of all venues. What tells names apart that no registry knows: real ones have places,
languages, societies, numbers, acronyms, other tongues; invented ones are a form and fashionable words
("Symposium on …", "International Journal of Advanced …"). The weights were fitted on 60,000 real names and
on invented ones (`bench/train_venues.py`); each is the log odds that one word or trait adds.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.resources import files
from itertools import groupby, pairwise
from typing import NamedTuple

import msgspec

from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_package_table
from citeproof.text.title import clean
from citeproof.text.typed_decoding import convert_value, decode_json
from citeproof.text.unicode import strip_marks
from citeproof.text.venue_parts import load_tables

MAX_NAME = 400  # characters read
MOST_WORDS = 40
_TELLING = 6  # words that are shown

_TOKEN = re.compile(r"[^\W\d_]+|\d+(?:st|nd|rd|th)?|\(")
_MOST_COUNTED = 12  # words that a name's length is counted to
_LONG_WORD = 6
_EDGE = 4  # letters of the beginning and the end of a word
_ACRONYM = 3
_YEAR = 4
_SURER = 1.0  # log odds above the limit


class NameWeights(msgspec.Struct, frozen=True):
    """The weights as they are stored, in hundredths."""

    bias: float
    limit: float  # log odds from which a name is called invented
    limit_contradicted: float  # the same, where the record of the work names another venue
    weights: dict[str, int]

    def score(self, name: str) -> float:
        """Return the log odds that a name was invented; -inf where its words cannot tell.

        They cannot where it does not say what it is, and of a society's periodical: there are many
        "IEEE Transactions on …", all named alike.
        """
        traits = list_traits(name)
        if "#form" not in traits or _names_society_periodical(traits):
            return float("-inf")
        return self.bias + sum([self.weights.get(trait, 0) for trait in traits]) / 100


def _names_society_periodical(traits: frozenset[str]) -> bool:
    tables = load_tables()
    return not (tables.sponsor.isdisjoint(traits) or tables.periodical.isdisjoint(traits))


class WordClasses(msgspec.Struct, frozen=True):
    """The word classes of invented_name.toml."""

    forms: str  # words that say what a venue is
    ordinals: str
    links: str
    reaches: str  # words that say how wide a venue is
    nations: str  # words for a country, its people or its language


@cache
def load_weights() -> NameWeights:
    """Return the table of invented_name.json, read once."""
    data = files("citeproof.text").joinpath("invented_name.json").read_bytes()
    return decode_json(data, type=NameWeights)


class _WordSets(NamedTuple):
    forms: frozenset[str]
    ordinals: frozenset[str]
    frame: frozenset[str]
    nations: frozenset[str]


@cache
def _load_sets() -> _WordSets:
    table = convert_value(load_package_table("citeproof.text", "invented_name.toml"), WordClasses)
    frame = f"{table.forms} {table.links} {table.reaches}"
    return _WordSets(*(frozenset(t.split()) for t in (table.forms, table.ordinals, frame, table.nations)))


@lru_cache(maxsize=2048)
def is_invented(name: str, *, contradicted: bool = False, sure: bool = False) -> bool:
    """Return whether a name that no registry knows reads like an invented one.

    `contradicted`: the work was found, and appeared in another venue; less is then needed. `sure`: a label
    rests on it; more is needed.
    """
    table = load_weights()
    limit = table.limit + _SURER if sure else table.limit_contradicted if contradicted else table.limit
    return table.score(name) >= limit


def list_telling_words(name: str) -> tuple[str, ...]:
    """Return the words of a name that speak for an invention, the strongest first."""
    table = load_weights().weights
    words = {
        trait: table.get(trait, 0) for trait in list_traits(name) if trait.isalpha() and len(trait) >= _EDGE
    }
    telling = sorted((word for word, weight in words.items() if weight > 0), key=lambda word: -words[word])
    return tuple(telling[:_TELLING])


def list_traits(name: str) -> frozenset[str]:
    """Return the words and the shape of a name, as the weights know them."""
    text = clean(name[:MAX_NAME])
    pieces = _TOKEN.findall(text)[:MOST_WORDS]
    tokens = [_fold_token(token, capitals=text.isupper()) for token in pieces]
    words = [token for token in tokens if token.isalpha()]
    sets = _load_sets()
    traits = {*tokens, f"^{' '.join(tokens[:2])}", f"${tokens[-1] if tokens else ''}"}
    traits.add(f"#words{min(len(words), _MOST_COUNTED)}")
    for word in words:
        if len(word) >= _LONG_WORD:
            traits |= {f"{word[:_EDGE]}-", f"-{word[-_EDGE:]}"}
    traits.update(f"{before} {after}" for before, after in pairwise(tokens))
    traits.update(_list_frames(tokens))
    if not sets.nations.isdisjoint(words):
        traits.add("#nation")
    if not sets.forms.isdisjoint(words):
        traits.add("#form")
    traits.update(_list_marks(text, pieces))
    return frozenset(traits)


def _list_frames(tokens: list[str]) -> Iterator[str]:
    """Yield a name without its telling words, "journal of * * and *", and with any number of them as one."""
    frame, nations = _load_sets().frame, _load_sets().nations
    kept = [word if word in frame or word[0] in "#(" else "@" if word in nations else "*" for word in tokens]
    yield f"~{' '.join(kept)}"
    runs = [(word, len(list(run))) for word, run in groupby(kept)]
    yield "~" + " ".join("+" if word == "*" and size > 1 else " ".join([word] * size) for word, size in runs)


_MARKS = {",": "#comma", ":": "#colon", "&": "#and", "-": "#hyphen", "'": "#apostrophe"}


def _list_marks(text: str, tokens: list[str]) -> Iterator[str]:
    for mark, trait in _MARKS.items():
        if mark in text:
            yield trait
    if "." in text.rstrip("."):
        yield "#stop"
    if not text.isascii():
        yield "#marks"
    later = [word for word in tokens[1:] if word[0].isalpha() and len(word) >= _EDGE]
    if later and 2 * sum(word[0].islower() for word in later) > len(later):
        yield "#small"


def _fold_token(token: str, *, capitals: bool) -> str:
    """Return a word without marks and capitals; a number or an acronym as what it is."""
    word = strip_marks(token).casefold()
    if word[0].isdigit():
        return "#year" if len(word) == _YEAR else "#number" if word.isdigit() else "#nth"
    if word in _load_sets().ordinals:
        return "#nth"
    acronym = len(token) >= _ACRONYM and sum(letter.isupper() for letter in token) > 1 and not capitals
    return "#acronym" if acronym and word not in ("ieee", "acm") else word
