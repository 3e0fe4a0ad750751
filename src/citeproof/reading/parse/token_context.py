"""What the tagger sees around a token: position, marks, quotation, years, "In", the segment it is in.

The tokens are written as a string of coarse kinds, one letter each, in which marks stand as themselves;
small keys are made of what lies between two marks. Each distinct key is spelled out as features once and
its weights are then stored by the tagger.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import lru_cache
from itertools import accumulate, pairwise
from operator import sub

from citeproof.text import lazy_patterns as re
from citeproof.text.dates import YEAR
from citeproof.text.names import load_given_names
from citeproof.text.package_tables import load_package_table
from citeproof.text.unicode import strip_marks
from citeproof.vocabulary.quick_dataclass import dataclass

_MARKS = re.compile(r"[.,;:?!()\[\]\"“”„«»‘’'/–—-]")
_STOPS = frozenset('.;:?!()[]"“”„«»/')
_CLAUSES = _STOPS | frozenset(",–—")
_OPEN = frozenset("“„«")
_TURNS = frozenset('"“„«”»()[]')  # marks that change what is quoted or in brackets
_QUOTED = re.compile('["“„«]')
_WITHIN = re.compile(r"(?<=[.;:?!()\[\]\"“”„«»/])O|[oO](?=:)")  # "In" behind a stop, "in:" anywhere
_LAST = 7  # the segment from which on they are counted no further
_FAR = 4  # the distance from which on it is counted no further
_NEAR = _FAR + 2  # tokens from one mark to the next whose keys may all differ
_SOON, _LATER = 12, 40  # how many tokens before a word such as "Hrsg." it is seen to come
Key = tuple[object, ...]
Pieces = tuple[list[Key], list[int]]  # the key of each piece of a string, and how many tokens it has
Spans = list[tuple[str, int, int]]  # identifiers: scheme, first token, the token behind the last
MAX_TOKENS = 1500  # tokens of one string that are tagged
LONG = 100  # characters of a token from which on only its ends are looked at: what is seen stays in memory
# Every character but trailing space is in one part, so that lengths give places.
_PARTS = re.compile(r"\s*(?:[^\W\d_]+|\d+|[^\w\s]|_)")
_ASCII_PARTS = re.compile(r"[ \t-\r\x1c-\x1f]*(?:[A-Za-z]+|[0-9]+|[^ \t-\r\x1c-\x1f])")  # the same, faster
_YEAR = re.compile(YEAR)
_ROMAN = re.compile(r"[IVXLC]{1,6}|[ivxl]{2,6}")
_AFFIXED = 3  # letters a word must have more of to be examined by its ends
_LONG = 9
_LENGTHS = [f"n={length}" for length in range(_LONG + 1)]
_YEAR_DIGITS = 4


@dataclass(frozen=True, slots=True)
class TokenContext:
    """What each token's key is made of: one a token, or one a piece of several tokens."""

    coarse: str
    marks: list[Key]
    state: Pieces
    segments: Pieces
    clauses: Pieces


def build_context(tokens: CitationTokens, anchored: Spans, run_end: int) -> TokenContext:
    """Return the keys of all tokens; `anchored` says which are part of an identifier."""
    words = shorten_words(tokens.words)
    kinds = "".join(map(classify_token, words))
    marks = [match.start() for match in _MARKS.finditer(kinds)]
    ends = [at for at in marks if kinds[at] in _CLAUSES]
    short = [at for at in ends if at and (len(words[at - 1]) == 1 or words[at - 1].lower() in _ABBREVIATION)]
    ends = [at for at in ends if kinds[at] != "." or at not in short]
    stops = [at for at in ends if kinds[at] in _STOPS]
    past = bisect_left(tokens.starts, run_end) if run_end > 0 else -1
    state = _list_state_pieces(kinds, anchored, [at + 1 for at in stops[:_LAST]], past)
    return TokenContext(
        kinds,
        _list_mark_keys(kinds, marks),
        state,
        _list_segment_pieces(kinds, stops),
        _list_segment_pieces(kinds, ends),
    )


def list_piece_numbers(pieces: Pieces) -> list[int]:
    """Return for each token the number of the piece it is in."""
    return [number for number, size in enumerate(pieces[1]) for _ in range(size)]


@lru_cache(maxsize=2048)
def list_place_keys(count: int) -> list[Key]:
    """Return for each of `count` tokens how far it is from the start and the end."""
    made: list[Key] = [(min(at, 9), 10 * at // count, min(count - 1 - at, 4)) for at in range(count)]
    return [_PLACES.setdefault(key, key) for key in made]  # the same few, which are stored once


_PLACES: dict[Key, Key] = {}


def _list_mark_keys(kinds: str, marks: list[int]) -> list[Key]:
    """Return for each token: its quotation and bracket, the marks before and behind, how far the next."""
    framed, ends = kinds + "$", [*marks, len(kinds)]
    quoted, bracket, before, mark = 0 if _QUOTED.search(kinds) else 3, "", "^", "^"
    keys = _list_far_keys(quoted, bracket, before, mark, framed[ends[0]], ends[0])
    for at, end in pairwise(ends):
        mark = kinds[at]
        if mark in _TURNS:
            quoted, bracket = _track_quotation(mark, quoted, bracket)
        if end - at <= _NEAR:
            keys += _make_mark_keys(quoted, bracket, before, mark, framed[end], end - at)
        else:
            keys += _list_far_keys(quoted, bracket, before, mark, framed[end], end - at)
        before = mark
    return keys


def _track_quotation(mark: str, quoted: int, bracket: str) -> tuple[int, str]:
    """Return what is quoted (0 not yet, 1 this, 2 something before) and in brackets from a mark on."""
    if mark == '"':
        return 2 if quoted == 1 else 1, bracket
    if mark in _OPEN:
        return 1, bracket
    if mark in "([":
        return quoted, mark
    if mark in ")]":
        return quoted, ""
    return 2 if quoted == 1 else quoted, bracket


def _list_far_keys(
    quoted: int, bracket: str, before: str, mark: str, following: str, count: int
) -> list[Key]:
    """Return the keys of the `count` tokens from a mark, which is the first of them, up to the next one."""
    keys = _make_mark_keys(quoted, bracket, before, mark, following, min(count, _NEAR))
    return [*keys[:1], *keys[1:2] * (count - len(keys) + 1), *keys[2:]]  # those far from the next are equal


@lru_cache(maxsize=20_000)
def _make_mark_keys(
    quoted: int, bracket: str, before: str, mark: str, following: str, count: int
) -> tuple[Key, ...]:
    """Return the keys of `count` tokens, as `_list_far_keys`; few, because they are stored."""
    far = [min(far, _FAR) for far in range(count - 1, -1, -1)]
    first = [(quoted, bracket, before, following, distance) for distance in far[:1]]
    return (*first, *((quoted, bracket, mark, following, distance) for distance in far[1:]))


def _list_state_pieces(kinds: str, anchored: Spans, later: list[int], past: int) -> Pieces:
    """Return for each token: identifier, years seen and to come, whether "In" and editors were or come.

    `later` are the starts of all segments but the first, `past` is where the names end; pieces begin
    where something changes.
    """
    count = len(kinds)
    first = kinds.find("Y") + 1 or count  # behind the first year
    second = kinds.find("Y", first) + 1 or count
    years = min(kinds.count("Y"), 3)
    match = _WITHIN.search(kinds) if "O" in kinds or "o" in kinds else None
    within = match.start() if match else count
    edited = kinds.find("e") if "e" in kinds else count
    ahead = _find_editors_ahead(kinds) if edited < count else ()
    changes = [at for at, (left, right) in enumerate(pairwise(ahead), 1) if left != right]
    cuts = {0, first, second, within, edited, past, *later, *changes}
    for _, start, end in anchored:
        cuts |= {start, end}
    starts = [cut for cut in sorted(cuts) if 0 <= cut < count]
    keys: list[Key] = []
    for at in starts:
        within_ids = (scheme for scheme, start, end in reversed(anchored) if start <= at < end)
        scheme = next(within_ids, "") if anchored else ""
        run = 0 if past < 0 else 1 if at < past else 2
        keys.append((
            scheme, (at >= first) + (at >= second), years, int(at >= within), int(at >= edited),
            ahead[at] if ahead else 0, run, bisect_right(later, at),
        ))  # fmt: skip
    return keys, list(map(sub, [*starts[1:], count], starts))


def _find_editors_ahead(kinds: str) -> list[int]:
    """Return for each token whether a word such as "Hrsg." comes: 2 soon, 1 later, 0 not."""
    ahead = [0] * len(kinds)
    at = kinds.find("e")
    start = 0
    while at >= 0:
        for before in range(max(start, at - _LATER), at + 1):
            ahead[before] = 2 if at - before <= _SOON else 1
        start = at + 1
        at = kinds.find("e", start)
    return ahead


def _list_segment_pieces(kinds: str, ends: list[int]) -> Pieces:
    framed = f"^{kinds}$"
    bounds = [-1, *ends, len(kinds)]
    pieces = [framed[start + 1 : end + 2] for start, end in pairwise(bounds)]
    keys = [_find_segment_key(piece) if len(piece) <= LONG else _describe_segment(piece) for piece in pieces]
    bounds[-1] -= 1  # the end itself is not a token
    return keys, list(map(sub, bounds[1:], bounds))


_ABBREVIATION = frozenset(load_package_table("citeproof.reading.parse", "clues.toml")["abbreviation"])
_CAPITAL = frozenset("CAGFBULOz")


def _describe_segment(framed: str) -> Key:
    """Return what a segment is made of, coarsely; the marks around it are at its edges."""
    opener, kinds, closer = framed[0], framed[1:-1], framed[-1]
    present = frozenset(kinds)
    function = kinds.count("f")
    lower = kinds.count("c") + function
    capital = sum(map(kinds.count, present & _CAPITAL))
    total = capital + lower
    return (
        min(total, 4) if total < 5 else 5 if total < 9 else 6,
        0 if not total else 1 + 4 * capital // (total + 1),
        min(function, 2),
        min(kinds.count("I"), 3),
        min(kinds.count(","), 3),
        "Y" in present,
        not present.isdisjoint("12345"),
        not present.isdisjoint("jk"),
        kinds.count("b") + kinds.count("B") > 1,
        not present.isdisjoint("Uu"),
        "L" in present,
        not present.isdisjoint("pvi"),
        opener,
        closer,
    )


_find_segment_key = lru_cache(maxsize=20_000)(_describe_segment)  # of short segments, which are stored


def spell_place(key: Key) -> list[str]:
    first, tenth, last = key
    return [f"t={first}", f"r={tenth}", f"z={last}"]


def spell_marks(key: Key) -> list[str]:
    quoted, bracket, before, behind, far = key
    return [
        f"q={quoted}", f"b={bracket}", f"m={before}", f"M={behind}", f"mM={before}{behind}",
        f"Mf={behind}{far}", f"qb={quoted}{bracket}", f"qm={quoted}{before}",
    ]  # fmt: skip


def spell_state(key: Key) -> list[str]:
    anchored, passed, years, within, edited, ahead, run, segment = key
    return [
        f"a={anchored}", f"y={passed}{years}", f"I={within}{edited}{ahead}", f"R={run}", f"g={segment}",
        f"gy={segment}{passed}{years}", f"gI={segment}{within}", f"Ry={run}{passed}{years}",
        f"gR={segment}{run}", f"IR={within}{ahead}{run}",
    ]  # fmt: skip


def is_segment_feature_seen(feature: str, offset: int) -> bool:
    """Return whether a segment's feature is seen from the segments next to it."""
    return not offset or feature[:2] in ("S=", "Si", "So", "Sd", "Sv")


def spell_segment(key: Key) -> list[str]:
    """Return the features of a segment, in the order `_describe_segment` counts."""
    size, capital, function, initials, commas, year, digit, venue, short, *rest = key
    publisher, place, locator, opener, closer = rest
    return [
        f"S={size}{capital}{function}",
        f"Si={initials}{commas}{size}",
        f"So={opener}{closer}",
        f"Sd={year}{digit}{locator}",
        f"Sv={venue}{short}{publisher}{place}",
        f"Sf={function}{capital}{initials}",
        f"Sc={closer}{size}{function}",
        f"Sb={short}{digit}{size}",
        f"SV={venue}{capital}{function}{digit}",
    ]


@dataclass(frozen=True, slots=True)
class CitationTokens:
    """Tokens side by side with where they start and whether a space comes before them."""

    words: list[str]
    starts: list[int]
    keys: list[str]  # the token, led by a space if one comes before it: what word features see

    def end(self, at: int) -> int:
        return self.starts[at] + len(self.words[at])


def split_tokens(text: str) -> CitationTokens:
    """Return the tokens of `text`, at most `MAX_TOKENS`."""
    parts = (_ASCII_PARTS if text.isascii() else _PARTS).findall(text)[:MAX_TOKENS]
    words = list(map(str.lstrip, parts))
    starts = list(map(sub, accumulate(map(len, parts)), map(len, words)))
    if " ".join(text.split()) != text:  # spaces other than single ones
        parts = [word if part == word else " " + word for part, word in zip(parts, words, strict=True)]
    keys = [" " + word for word in words[:1]] + parts[1:]
    return CitationTokens(words, starts, shorten_words(keys))


def shorten_words(words: list[str]) -> list[str]:
    """Return the words, of long ones only both ends."""
    if max(map(len, words), default=0) <= LONG:
        return words
    return [word if len(word) <= LONG else word[: LONG // 2] + word[-LONG // 2 :] for word in words]


def _load_word_classes() -> dict[str, tuple[str, ...]]:
    classes: dict[str, tuple[str, ...]] = {}
    for name, words in load_package_table("citeproof.reading.parse", "wordclasses.toml").items():
        for word in words.split():
            classes[word] = (*classes.get(word, ()), name)
    return classes


CLASSES = _load_word_classes()


# One letter for each coarse kind of token; patterns of three in a row are features.
_COARSE = {
    "month": "m", "ed": "e", "edition": "n", "volume": "v", "issue": "i", "page": "p", "in": "o",
    "journal": "j", "conference": "k", "abbrev": "b", "publisher": "u", "place": "l", "access": "h",
    "english": "f", "german": "f", "romance": "f", "particle": "f", "join": "f",
}  # fmt: skip


# The letter of each clue word: that of its first class which has one.
_LETTERS = {
    word: next(_COARSE[name] for name in classes if name in _COARSE)
    for word, classes in CLASSES.items()
    if not _COARSE.keys().isdisjoint(classes)
}


def list_word_features(key: str) -> list[str]:
    """Return the features of a token; `key` is led by a space if one comes before the token."""
    word, glued = (key[1:], "s=") if key[0] == " " else (key, "s=_")
    if not word[0].isalnum():
        return ["w=" + word, glued + word]
    shape = find_word_shape(word)
    if word[0].isdigit():
        return [glued + shape, "w=" + (shape if len(word) > _AFFIXED else word), "digit"]
    low = fold_word(word)
    features = ["w=" + low, glued + shape, "c=" + classify_token(word)]
    if low in CLASSES:
        features += ["k=" + name for name in CLASSES[low]]
    if len(low) > _AFFIXED:
        features += ("p=" + low[:3], "e=" + low[-3:], "E=" + low[-2:], _LENGTHS[min(len(low), _LONG)])
    if low in load_given_names():
        features.append("given")
    return features


_SEEN = ("", "wsckgd", "wck")  # which features a neighbour one and two tokens away sees, by first letter


def is_feature_seen(feature: str, offset: int) -> bool:
    """Return whether a token `offset` away sees the feature; affixes are for the token itself."""
    return not offset or feature[0] in _SEEN[abs(offset)]


def list_kind_features(key: str) -> list[str]:
    """Return the features of the coarse kinds of three tokens in a row."""
    return ["T" + key, "P" + key[:2]]


def find_word_shape(word: str) -> str:
    """Return the shape of a word: case pattern or script, or what sort of number it is."""
    if word.isdigit():
        return "YEAR" if _YEAR.fullmatch(word) else f"9{min(len(word), 6)}"
    if not word[0].isascii() and ord(word[0]) > 0x24F:
        code = ord(word[0])
        if 0x400 <= code < 0x530:
            return "CYR" + ("X" if word[0].isupper() else "x")
        if 0x3040 <= code <= 0x9FFF or 0xAC00 <= code <= 0xD7AF:
            return f"CJK{min(len(word), 5)}"
        return "other" + ("X" if word[0].isupper() else "x")
    if len(word) == 1:
        return "X" if word.isupper() else "x"
    if word.isupper():
        return "XX" if len(word) <= 3 else "XXXX"
    if word.islower():
        return "xx" if len(word) <= 3 else "xxxx"
    return ("Xx" if len(word) <= 3 else "Xxxx") if word[0].isupper() and word[1:].islower() else "xX"


@lru_cache(maxsize=50_000)
def classify_token(word: str) -> str:
    """Return one letter for the kind of token: a clue word's class, a case pattern, a mark itself."""
    first = word[0]
    if not first.isalnum():
        return first
    if first.isdigit():
        return "Y" if len(word) == _YEAR_DIGITS and _YEAR.fullmatch(word) else str(min(len(word), 5))
    upper = first.isupper()
    if upper and len(word) == 1:
        return "I"
    if letter := _LETTERS.get(fold_word(word)):
        return letter.upper() if upper and letter in "ofbul" else letter
    if first in "IVXLCivxl" and _ROMAN.fullmatch(word):
        return "R"
    if word.isupper():
        return "A" if len(word) <= _AFFIXED else "G"
    return "c" if word.islower() else "C" if upper else "z"


def fold_word(word: str) -> str:
    """Return a word in small letters without marks."""
    return word.lower() if word.isascii() else strip_marks(word).casefold()
