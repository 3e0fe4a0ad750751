"""A venue's name as written ⇒ its segments, and of each the words that name the venue.

Knows how names are combined, not which venues there are (that is `series`).
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_package_table, read_pairs
from citeproof.text.title import clean
from citeproof.text.unicode import strip_marks
from citeproof.vocabulary.quick_dataclass import dataclass

MAX_VENUE = 600  # characters read of a name; nothing real is longer
MAX_SEGMENTS = 16
_AND_NTH = r"\sand\s(?:the\s)?(?=\d{1,3}(?:st|nd|rd|th)\b)"
_SEPARATOR = rf"[,;:()\[\]=|]|\s-{{1,3}}\s|\s/{{1,2}}\s|\s(?=Volume \d+$)|{_AND_NTH}"
_SPLIT = re.compile(rf"({_SEPARATOR})")
# In a name written out, a full stop after a long word ends the title proper ("Hesperia. Journal of ...").
_SPLIT_FULL = re.compile(rf"({_SEPARATOR}|(?<=[a-z]{{4}}\.)\s(?=[A-Z]))")
_TOKEN = re.compile(r"[^\W_]+\.?")
_ELISION = re.compile(r"\b([ldmLDM]|dell|all|nell|sull|qu|Dell|All)'(?=\w)")
_APOSTROPHE = re.compile(r"(?<=[^\W\d_])'(?=[a-z])")
_ABSTRACTS = re.compile(r"^([A-Z]{2,8}) EA(?=\s?['’]?\d{2}|$)")  # ACM's "CHI EA '16"
_PAIR = re.compile(r"\s{0,9}([A-Za-z])\s?&\s?([A-Za-z])\s{0,9}")  # "A&A"
_VOLUME_SECTION = re.compile(r"\d{1,3}(?P<section>[A-Z])")  # "Phys. Lett. 12B" is volume 12 of section B
_MAX_SECTION = 4  # letters of a section's number ("VIII")
_MAX_CITY = 3  # words of a city's name
_STATE_CODE = 2
_DIMENSIONS = frozenset({"2D", "3D", "4D"})
_ARTICLES = frozenset({"a", "an", "the"})
_COUNTRY_WORDS = frozenset({"united", "states", "kingdom", "america"})
_ROMANS = {r: str(n) for n, r in enumerate(("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"), 1)}
_FEWEST = 3  # words of a journal whose last one may be "Series"
_OF_SERIES = frozenset({"book", "conference", "lecture", "monograph", "note", "supplement", "suppl"})
_SECTION_HEADS = frozenset(
    {"part", "series", "section", "ser", "sect", "reihe", "serie", "pt", "parte", "seriia", "seriya"}
)
_ORDINAL = re.compile(r"\d{1,3}(?:st|nd|rd|th)")
_ROMAN = re.compile(r"(?:x{0,3})(?:ix|iv|v?i{0,3})")
_TRAILING_NUMBER = re.compile(r"([a-z]{2,12})(\d{2}|\d{4})")
_YEARS = frozenset(str(year) for year in range(1800, 2100))
_SPELT = 5  # letters from which a word has a British and an American form
Part = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class VenueSegment:
    """What is between two separators of a name; `before` is the separator before it."""

    before: str
    tokens: tuple[VenueToken, ...]
    joint: bool = False  # holds a stroke: "COLT/EuroCOLT" names two events

    def replace_tokens(self, tokens: tuple[VenueToken, ...]) -> VenueSegment:
        return VenueSegment(self.before, tokens, self.joint)


def clean_venue(raw: str) -> str:
    """Return a name as plain Latin text, case kept, elisions opened, bounded."""
    text = strip_marks(clean(raw[:MAX_VENUE])).replace("@", " @ ")
    text = _ABSTRACTS.sub(r"\1 Extended Abstracts", text)
    if (pair := _PAIR.fullmatch(text)) is not None:
        return f"{pair[1]}and{pair[2]}"  # one word, because two single letters would be cut words
    if "'" in text:
        text = _ELISION.sub(" ", text)
        text = _APOSTROPHE.sub("", text)
    return text


def split_segments(text: str, *, ends_cut: bool) -> list[VenueSegment]:
    """Return the parts of a plain name between its separators; `ends_cut`: a full stop was at its end."""
    dots = text.count(".") + ends_cut
    pieces = (_SPLIT_FULL if 0 < dots < text.count(" ") / 2 else _SPLIT).split(text)
    segments: list[VenueSegment] = []
    before, depth = "", 0
    for i in range(0, min(len(pieces), 2 * MAX_SEGMENTS), 2):
        tokens = _split_tokens(pieces[i])
        if tokens:
            segments.append(VenueSegment("(" if depth > 0 else before, tokens, "/" in pieces[i]))
        if i + 1 < len(pieces):
            before = pieces[i + 1].strip() or "."
            depth += (before in "([") - (before in ")]")
    if dots and segments:
        last = segments[-1]
        segments[-1] = last.replace_tokens((*last.tokens[:-1], last.tokens[-1].shorten()))
    if 2 * dots >= sum(len(s.tokens) for s in segments) > 1:
        segments = [
            s.replace_tokens(tuple(t.shorten() if len(t.word) > 1 and not t.is_stop else t for t in s.tokens))
            for s in segments
        ]
    return segments


def _split_tokens(piece: str) -> tuple[VenueToken, ...]:
    words = load_tables()
    out: list[VenueToken] = []
    tokens = _TOKEN.findall(piece)
    if (
        len(tokens) > 2
        and (volume := _VOLUME_SECTION.fullmatch(tokens[-1]))
        and tokens[-1] not in _DIMENSIONS
    ):
        tokens[-1] = volume["section"]
    for match in tokens:
        raw = match.rstrip(".")
        word = raw.casefold()
        cut = match[-1] == "." or word in words.expand
        several = words.replace.get(word) if raw.isupper() else words.spelling.get(word)
        if several and not cut:
            out.extend(VenueToken(w, raw, cut=False) for w in several)
        else:
            out.append(VenueToken(word, raw, cut))
    return tuple(_join_letters(out)) if len(out) > 1 else tuple(out)


def _join_letters(tokens: list[VenueToken]) -> list[VenueToken]:
    """Runs of single letters that spell a short form ("U. S. A.", "N.Y.") as one word."""
    letters = "".join(t.word[0] if len(t.word) == 1 else " " for t in tokens)
    for short in ("usa", "ussr", "sssr", "us", "uk", "nz", "ny"):
        at = letters.find(short)
        if at >= 0:
            whole = load_tables().replace.get(short, (short,))
            middle = [VenueToken(w, short.upper(), cut=False) for w in whole]
            return [*tokens[:at], *middle, *tokens[at + len(short) :]]
    return tokens


def read_content(segment: VenueSegment, *, event: bool, loose: bool) -> tuple[Part, frozenset[str]]:
    """Return the words of a segment that name the venue, and the sponsors named next to them."""
    words = load_tables()
    out: list[str] = []
    sponsors: set[str] = set()
    for at, token in enumerate(segment.tokens):
        word = words.expand.get(token.word, token.word) if token.cut else token.word
        if _is_section(segment, at, loose=loose):
            if not event:
                while out and out[-1].rstrip(".") in _SECTION_HEADS:
                    out.pop()
                out.append(f"§{_ROMANS.get(token.word, token.word)}")
        elif (
            (token.is_stop and not token.cut)
            or find_word_year(word)
            or (at == 0 and word in _ARTICLES and not (token.cut or loose))
        ):
            continue
        elif event and word in words.sponsor:
            sponsors.add(word)
        elif event and (word in words.event or word in words.event_noise or is_number(word)):
            continue
        elif not (at and is_number(word)):
            form = unify_spelling(token.word)
            out.append(f"{form}." if loose or token.cut else form)
    if len(out) > _FEWEST and out[-1].rstrip(".") in _SECTION_HEADS and out[-2].rstrip(".") not in _OF_SERIES:
        out.pop()  # its letter was cut off
    return tuple(out), frozenset(sponsors)


def _is_section(segment: VenueSegment, at: int, *, loose: bool) -> bool:
    """Whether a token is a section of a journal ("Phys. Rev. A", "Part II"), not a word cut to a letter."""
    token = segment.tokens[at]
    headed = at > 0 and segment.tokens[at - 1].word in _SECTION_HEADS
    small = headed and len(token.word) == 1 and at == len(segment.tokens) - 1  # "series b"
    if len(token.word) > _MAX_SECTION or not (token.raw.isupper() or token.word.isdigit() or small):
        return False
    if headed:
        return len(token.word) == 1 or token.word.isdigit() or is_roman(token.word)
    if token.word.isdigit() or (at == 0 and (len(segment.tokens) > 1 or not segment.before)):
        return False
    last = at == len(segment.tokens) - 1
    if len(token.word) == 1:
        words = load_tables()
        whole = last or not (token.cut or loose)
        return whole and token.raw.isalpha() and token.word not in words.expand
    return is_roman(token.word)


def is_date(segment: VenueSegment) -> bool:
    """Return whether a segment is a date or a place in a run ("June 16-22", "Volume 27", "virtual")."""
    words = load_tables()
    if all(t.word in words.date or is_number(t.word) for t in segment.tokens):
        return True
    counted = any(t.word in words.counted for t in segment.tokens) and any(
        t.word.isdigit() for t in segment.tokens
    )
    return counted and all(
        t.word in words.counted or t.word in words.date or is_number(t.word) for t in segment.tokens
    )


def is_place(segment: VenueSegment) -> bool:
    """Return whether a segment is a country or a state ("USA", "South Korea", "CA")."""
    words = load_tables()
    if " ".join(t.word for t in segment.tokens) in words.place_phrases:
        return True
    return all(
        t.word in _COUNTRY_WORDS
        or (t.word in load_tables().place and (len(t.word) > _STATE_CODE or t.raw.isupper()))
        for t in segment.tokens
    )


def keep_essential(parts: list[VenueSegment]) -> list[VenueSegment]:
    """Return the segments without asides, dates, countries and the cities before them; the first stays."""
    end = next((at for at, s in enumerate(parts) if at and _is_aside(s)), len(parts))
    places = _find_places(parts[:end])
    return [s for at, s in enumerate(parts[:end]) if not at or not (at in places or is_date(s))]


@lru_cache(maxsize=4096)
def list_places(venue: str) -> frozenset[str]:
    """Return the countries and cities that a name states, in small letters."""
    parts = split_segments(clean_venue(venue), ends_cut=False)
    return frozenset(" ".join(t.raw for t in parts[at].tokens).casefold() for at in _find_places(parts))


def _find_places(parts: list[VenueSegment]) -> set[int]:
    """Return which segments behind the first are countries, states, and the cities before them."""
    places: set[int] = set()
    city_next = False
    for at in range(len(parts) - 1, 0, -1):
        if is_date(parts[at]):
            continue
        if is_place(parts[at]):
            places.add(at)
            city_next = True
        else:
            if city_next and _may_be_city(parts[at]):
                places.add(at)
            city_next = False
    return places


def _is_aside(segment: VenueSegment) -> bool:
    """Whether a segment begins to tell of something else ("Special Issue on ...", "part of SPLASH")."""
    start = tuple(t.word for t in segment.tokens[:2])
    return any(start[: len(phrase)] == phrase for phrase in load_tables().aside)


def _may_be_city(segment: VenueSegment) -> bool:
    words = load_tables()
    return (
        len(segment.tokens) <= _MAX_CITY
        and segment.before in {",", "(", "["}
        and all(
            t.raw[:1].isupper() and not t.word.isdigit() and t.word not in words.event for t in segment.tokens
        )
    )


@dataclass(frozen=True, slots=True)
class VenueWords:
    """The tables of journal_words.toml, as sets."""

    stop: frozenset[str]
    maybe_stop: frozenset[str]
    event: frozenset[str]
    event_noise: frozenset[str]
    sponsor: frozenset[str]
    periodical: frozenset[str]
    expand: dict[str, str]
    contraction: dict[str, frozenset[str]]
    never: dict[str, str]
    replace: dict[str, tuple[str, ...]]
    spelling: dict[str, tuple[str, ...]]
    ordinal: dict[str, int]
    date: frozenset[str]
    counted: frozenset[str]
    aside: tuple[Part, ...]
    place: frozenset[str]
    place_phrases: frozenset[str]
    apart: tuple[Part, ...]
    within: tuple[Part, ...]
    main: tuple[Part, ...]
    noise: frozenset[str]  # next to an acronym these name nothing
    vague: frozenset[str]
    vague_names: frozenset[Part]


@cache
def load_tables() -> VenueWords:
    """Return the word tables, read once."""
    data = load_package_table("citeproof.text", "journal_words.toml")
    words = {name: frozenset(value.split()) for name, value in data.items() if isinstance(value, str)}
    noise = words["event_noise"] | words["sponsor"] | words.pop("preprint_noise")
    date, place, vague = data["date"], data["place"], data["vague"]
    tables: dict[str, Any] = {**words, "never": data["never"], "expand": read_pairs(data["expand"]["pairs"])}
    tables["ordinal"] = {word: int(n) for word, n in read_pairs(data["ordinal"]["pairs"]).items()}
    for name in ("replace", "spelling"):
        tables[name] = {word: tuple(parts.split()) for word, parts in data[name].items()}
    for name in ("apart", "within", "main"):
        phrases = {tuple(w for w in t.split() if w not in words["stop"]) for t in data["tracks"][name]}
        tables[name] = tuple(sorted(phrases, key=len, reverse=True))
    return VenueWords(
        **tables,
        contraction={word: frozenset(forms) for word, forms in data["contraction"].items()},
        date=frozenset(date["words"].split()),
        counted=frozenset(date["counted"].split()),
        aside=tuple(tuple(text.split()) for text in date["aside"]),
        place=frozenset(place["words"].split()),
        place_phrases=frozenset(place["phrases"]),
        noise=noise,
        vague=frozenset(vague["words"].split()),
        vague_names=frozenset(tuple(name.split()) for name in vague["names"]),
    )


@dataclass(frozen=True, slots=True)
class VenueToken:
    """One word as written: folded, with its first spelling, and whether it may be cut short."""

    word: str
    raw: str
    cut: bool

    def shorten(self) -> VenueToken:
        return VenueToken(self.word, self.raw, cut=True)

    @property
    def is_stop(self) -> bool:
        """Whether it is a little word; a capital letter alone, or a short form, is not."""
        words = load_tables()
        if self.word not in words.stop or self.raw.islower():
            return self.word in words.stop
        return len(self.word) > 1 and self.word not in words.maybe_stop


@lru_cache(maxsize=32768)
def unify_spelling(word: str) -> str:
    """Return a word in the one spelling in which British and American forms agree. Not for people."""
    if len(word) < _SPELT or word.isdigit():
        return word
    word = word.replace("ae", "e").replace("oe", "e").replace("our", "or")
    return word.replace("isation", "ization").replace("yse", "yze")


def is_number(word: str) -> bool:
    """Return whether a word only counts: a number, "31st", "thirty", "sixth"."""
    return (
        word.isdigit()
        or word in load_tables().ordinal
        or (word[:1].isdigit() and _ORDINAL.fullmatch(word) is not None)
    )


def is_roman(word: str) -> bool:
    return bool(word) and _ROMAN.fullmatch(word) is not None


def find_word_year(word: str) -> int | None:
    """Return the year a word names, or None."""
    return int(word) if word in _YEARS else None


def strip_year(word: str) -> str:
    """Return "aaai" for "aaai88" and "ijcai2019"; other words as they are."""
    match = _TRAILING_NUMBER.fullmatch(word) if word[-1].isdigit() else None
    return match[1] if match else word
