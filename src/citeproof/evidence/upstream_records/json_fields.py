"""Fields of upstream JSON as the types they should have; what has another type counts as not given.

All of it is text by strangers: bounded, without markup and control characters.
"""

from __future__ import annotations

from collections.abc import Iterable

from citeproof.text import dates, ids, names
from citeproof.text import lazy_patterns as re
from citeproof.text.title import NOTICE, clean
from citeproof.vocabulary import Name

MAX_TEXT = 2000  # characters of a title or a name list; nothing real is longer
MAX_ROWS = 3000  # authors, editions or hits that are read of one list
MAX_CITED = 500  # works of a reference list that are read

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")  # U+0098/U+009C frame articles in catalogues
_ESCAPED_BREAK = re.compile(r"\\[nrt](?=\s)")  # a line break that somebody escaped twice
_LETTER = re.compile(r"[^\W_]")
_WORD = re.compile(r"[^\W_]+")
_SUFFIXES = frozenset(("Jr", "Sr", "2nd", "3rd", "4th", "II", "III", "IV"))
_INITIALS = re.compile(r"[^\W\d_a-z](?:-?[^\W\d_a-z]){0,4}")


def read_text(value: object, limit: int = MAX_TEXT) -> str:
    """Return `value` as plain text; "" if it is not text."""
    return clean(_ESCAPED_BREAK.sub(" ", _CONTROL.sub("", value[:limit]))) if isinstance(value, str) else ""


def squeeze_text(value: object, limit: int = MAX_TEXT) -> str:
    """Return `value` with its punctuation, but without control characters and doubled spaces."""
    return " ".join(_CONTROL.sub("", value[:limit]).split()) if isinstance(value, str) else ""


def read_texts(value: object) -> list[str]:
    """Return the texts of a list, or the one text that is in the place of a list."""
    many = value if isinstance(value, list) else [value]
    return [text for one in many[:MAX_ROWS] if (text := read_text(one))]


def read_table(value: object) -> dict[str, object]:
    """Return `value` if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def read_rows(value: object) -> list[dict[str, object]]:
    """Return the JSON objects of a list."""
    return [row for row in value[:MAX_ROWS] if isinstance(row, dict)] if isinstance(value, list) else []


def read_path(value: object, *names: str) -> object:
    """Return what is at a path of nested objects; None where there is nothing."""
    for name in names:
        value = read_table(value).get(name)
    return value


def list_titles(main: object, subtitle: object = "", *others: object) -> tuple[str, ...]:
    """Return "Title: Subtitle", "Title", then all others; () if there is no usable title."""
    first, second = read_text(main), read_text(subtitle)
    joined = f"{first}: {second}"[:MAX_TEXT] if first and second else first
    titles = dict.fromkeys((joined, first, *map(read_text, others)))
    return tuple(title for title in titles if _LETTER.search(title))


def split_retraction_mark(titles: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the titles without "RETRACTED:" before them, and that word as a mark."""
    notice = NOTICE.match(titles[0]) if titles else None
    if not notice:
        return titles, ()
    mark = notice[1].lower()
    bare = dict.fromkeys(NOTICE.sub("", title, count=1) for title in titles)
    return tuple(title for title in bare if _LETTER.search(title)), (mark,)


def parse_people(listed: Iterable[str]) -> tuple[Name, ...]:
    """Return the names that the texts spell."""
    listed = (name for name in listed if not name.startswith(":un"))  # :unav, :unkn
    parsed = (names.parse(name[: names.MAX_NAME]) for name in listed)
    return tuple(name for name in parsed if _LETTER.search(name.family))


def parse_family_first(text: str) -> Name:
    """Return who "Zech Xu Z", "Snove O Jr" or "van Leenders GJLH" is: the initials stand last, all before
    them is the family name. What does not end in initials is read as any other name.
    """
    words = names.tidy_name(text[: names.MAX_NAME]).rstrip(".").split()
    suffix = words.pop() if len(words) > 2 and words[-1] in _SUFFIXES else ""
    if len(words) > 1 and _INITIALS.fullmatch(words[-1]):
        given = " ".join(f"{letter}." for letter in words[-1] if letter != "-")
        return Name(" ".join(words[:-1]), given, suffix)
    return names.parse(text)


def make_id_pairs(scheme: str, values: Iterable[object]) -> tuple[tuple[str, str], ...]:
    """Return the identifiers that are well formed, each once; what a DOI implies comes with it."""
    known = (ids.normalise_id(scheme, value) for value in values if isinstance(value, str))
    each = (ids.expand_doi(value) if scheme == "doi" else ((scheme, value),) for value in known if value)
    return tuple(dict.fromkeys(pair for implied in each for pair in implied))


def collect_ids(*stated: tuple[str, Iterable[object]]) -> tuple[tuple[str, str], ...]:
    """Return the well-formed identifiers of several schemes, in their order, each once."""
    return tuple(dict.fromkeys(pair for scheme, values in stated for pair in make_id_pairs(scheme, values)))


def read_year(value: object) -> int | None:
    """Return the year that a number or a text states."""
    return dates.find_year(str(value) if isinstance(value, int) else read_text(value))


def check_year(value: object) -> int | None:
    """Return a number that can be a year; None for any other value."""
    return value if isinstance(value, int) and dates.EARLIEST <= value <= dates.LATEST else None


def make_query_words(title: str, limit: int = 300) -> str:
    """Return a title as lower-case words: nothing in it is query syntax, AND and OR neither."""
    words = _WORD.findall(clean(title[:MAX_TEXT]).lower())
    spoken = " ".join(words)
    return spoken if len(spoken) <= limit else spoken[:limit].rpartition(" ")[0]


def strip_subtitle(title: str) -> str:
    """Return a title without its subtitle; the whole title if what comes before is one short word."""
    first = re.split(r":\s|\s[-–—]\s", title, maxsplit=1)[0].strip()
    return first if len(first) >= 8 or len(first.split()) > 1 else title
