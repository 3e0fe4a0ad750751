"""A list of people, its extent known, to names: authors and editors in all common orders and scripts."""

from __future__ import annotations

from citeproof.reading.parse import name_run
from citeproof.text import lazy_patterns as re
from citeproof.text import names
from citeproof.text.names import OTHERS, is_chinese_family, is_given_name
from citeproof.vocabulary import Name
from citeproof.vocabulary.quick_dataclass import dataclass

MAX_NAMES = 400

_EDGE = " .,;:/&*_-–—()[]“”\"'«»"
_ET_AL = re.compile(
    r"[\s,;.&(\[]{0,4}\b(?:and\s|und\s|et\s|y\s|e\s)?(?:(?:his|her|their)\s)?(?:et\.?\s?al\b|et\s?col\b|u\.\s?a\b|u\.\s?v\.\s?a\b|y\scols?\b"
    rf"|и\sдр\b|{OTHERS})\.?[)\]]?|,?\s?等人?(?=$|[\s.,。])|\s?(?:\.\.\.|…)\s?$",
    re.IGNORECASE,
)
# A marker is in brackets, behind a comma or is a word of its own: "Müller HG" and "Ed Smith" are names.
_EDITORS = re.compile(
    r"[\s,.]{0,3}[(\[]\s?(?:[Ee]ds?|EDS?|[Ee]ditors?|[Hh]rsg|HRSG|[Hh]gg?|[Dd]irs?|[Cc]oords?|[Oo]rgs?|[Tt]rans)\b\.?[)\]]?,?\s?"
    r"|[\s.]{0,3},\s?(?:[Ee]ds?\.|EDS?\.|eds\b|[Ee]ditors?\b),?\s?"
    r"|\s?\b(?:[Ee]dited\sby|[Ee]d\.\sby|[Tt]rans(?:lated|l)?\.?\sby|[Hh]erausgegeben\svon|[Hh]rsg\.?(?:\svon)?|a\scura\sdi)\b\.?,?\s?"
)
# What a list must hold, lower-cased, to be examined by the pattern.
_CLUES = ("ed", "hg", "hrsg", "dir", "coord", "org", "trans", "herausg", "cura")
_AND = re.compile(
    r"\s{0,2}(?:,\s?)?(?:\b(?:and|und|et|y|og|och|with|mit)\b(?=[\s\ue000])|\be(?=\s[A-Z]\.)|&|·|、"
    rf"|{names.MIDDLE_DOT})\s{{0,2}}"
)
_INITIALS = re.compile(
    r"(?:[^\W\d_a-z\u3040-\ud7af]\.?[\s-]{0,2}){1,5}|[^\W\d_a-z][a-z]\.(?:\s?[^\W\d_a-z]\.)?"
)
_APART = re.compile(r"[^\W\d_] [^\W\d_a-z] [^\W\d_a-z](?=[,.]|$)")
_FAMILY_FIRST = re.compile(
    r"([^\W\d_a-z][^\W\d_]+(?:[-'’ ][^\W\d_a-z][^\W\d_]+){0,3})((?: [^\W\d_a-z]){1,4})"
)
_FAMILY = re.compile(
    r"(?:(?:van|von|de|der|den|del|della|di|da|dos|du|la|le|al|el) ){0,3}"
    r"[^\W\d_a-z][^\W\d_]{0,20}[a-z][\w'’-]{0,30}"
)
_SUFFIX = re.compile(r"(?:Jr|Sr|II|III|IV)\.?")
_SEVERAL = 2
_THREE = 3
_FOUR = 4
_LONG = 5  # words; a name of more is a body's

_PIECE = re.compile(r"([^\W\d_]{2,12}) ([^\W\d_]{2,8}(?:[-’' ]?[^\W\d_]{2,8})?)")
_CAPITALS = re.compile(
    r"([^\W\d_a-z]{2,14}(?:[- ][^\W\d_a-z]{2,14})?) ([^\W\d_a-z][a-z]{1,14}(?:[- ][^\W\d_]{2,14})?)"
)
_FEWEST = 2


@dataclass(frozen=True, slots=True)
class ListedPeople:
    """Who is listed, whether the list says that it is cut, and whether it says that they edited."""

    names: tuple[Name, ...] = ()
    et_al: bool = False
    editors: bool = False


def parse_people(text: str, walked: name_run.NameRun | None = None, *, marked: bool = False) -> ListedPeople:
    """Return who `text` lists; `walked` is the run of names found at its start, if one was searched for.

    `marked` says that the entry is in a style that puts the family first and no comma behind it.
    """
    cut = _ET_AL.search(text)
    if family_first := parse_family_first(text[: cut.start()] if cut else text, cut=bool(cut), marked=marked):
        return ListedPeople(family_first, bool(cut))
    if families := _parse_families_alone(text[: cut.start()] if cut else text):
        return ListedPeople(families, bool(cut))
    run = (
        _parse_spaced_initials(text) or walked or _parse_inverted_names(text) or name_run.find_name_run(text)
    )
    editors = run.editors or has_editors(text)
    if run and not text[run.end :].strip(_EDGE):
        return ListedPeople(run.names, run.et_al, editors)
    bare = _EDITORS.sub(" ", text) if editors else text
    cut = _ET_AL.search(bare)
    bare = _ET_AL.sub(" ", bare).strip(_EDGE) if cut else bare.strip(_EDGE)
    again = name_run.find_name_run(bare + ".")
    if again and not bare[again.end :].strip(_EDGE):
        return ListedPeople(again.names, bool(cut) or again.et_al, editors)
    people = [_parse_piece(piece) for piece in _split_names(bare)[:MAX_NAMES]]
    return ListedPeople(tuple(name for name in people if name), bool(cut) or run.et_al, editors)


def _parse_spaced_initials(text: str) -> name_run.NameRun | None:
    """Return the names of "HARICH S A, YANG X, et al": the family first, its initials apart and undotted."""
    if not _APART.search(text):
        return None
    cut = _ET_AL.search(text)
    pieces = [piece.strip(_EDGE) for piece in (text[: cut.start()] if cut else text).split(",")]
    pieces = [piece for piece in pieces if piece]
    if len(pieces) + bool(cut) < _SEVERAL or not all(_FAMILY_FIRST.fullmatch(piece) for piece in pieces):
        return None
    matches = (_FAMILY_FIRST.fullmatch(piece) for piece in pieces)
    people = (Name(m[1], " ".join(f"{c}." for c in m[2].split())) for m in matches if m)
    return name_run.NameRun(tuple(people), len(text), et_al=bool(cut))


def _parse_families_alone(text: str) -> tuple[Name, ...]:
    """Return the names of "Du, Li, Torralba": three or more families, not pairs of family and given name."""
    first, *more = _AND.split(text)
    pieces = [piece.strip(" .") for piece in (*first.split(","), *more) if piece.strip(_EDGE)]
    double = sum(" " in piece and not _FAMILY.fullmatch(piece) for piece in pieces)
    if not _THREE <= len(pieces) <= MAX_NAMES or double > (1 if len(pieces) > _FOUR else 0):
        return ()
    if not all(_FAMILY.fullmatch(part) for piece in pieces for part in _list_family_parts(piece)):
        return ()
    given = sum(map(is_given_name, pieces[1::2]))
    if given > (0 if len(pieces) % 2 == 0 else len(pieces) // 4):
        return ()
    return tuple(Name(piece) for piece in pieces)


def _list_family_parts(piece: str) -> list[str]:
    """Return the parts of a family name of two words, "Ngonga Ngomo"; else the name."""
    parts = piece.split(" ")
    return parts if len(parts) == _SEVERAL and parts[0][:1].isupper() else [piece]


def _parse_inverted_names(text: str) -> name_run.NameRun | None:
    """Return the names of "Family, Given and Family, Given": several parts with one comma each."""
    parts = [part.strip(_EDGE) for part in _AND.split(text)]
    if len(parts) < _SEVERAL or any(part.count(",") != 1 or len(part) > names.MAX_NAME for part in parts):
        return None
    if any(_INITIALS.fullmatch(part.split(",")[0].strip()) for part in parts) or has_editors(text):
        return None
    return name_run.NameRun(tuple(names.parse(part) for part in parts), len(text))


def has_editors(text: str) -> bool:
    """Return whether a list says that its people edited."""
    low = text.lower()
    return bool([clue for clue in _CLUES if clue in low]) and _EDITORS.search(text) is not None


def _split_names(text: str) -> list[str]:
    """Return the names of a list apart: at semicolons or strokes if it has them, else at "and" and commas."""
    for mark in (";", " / ", "/"):
        if mark in text:
            return [part.strip(_EDGE) for piece in text.split(mark) for part in _AND.split(piece)]
    pieces: list[str] = []
    for part in _AND.split(text):
        pieces.extend(_pair_name_parts([piece.strip(" ") for piece in part.split(",") if piece.strip(_EDGE)]))
    return [piece for piece in pieces if piece.strip(_EDGE)]


def _pair_name_parts(pieces: list[str]) -> list[str]:
    """Return comma pieces as names: "Family, G." and "Given Family"; a family alone takes the next piece."""
    paired: list[str] = []
    at = 0
    while at < len(pieces):
        piece, behind = pieces[at], pieces[at + 1] if at + 1 < len(pieces) else ""
        if behind and (_INITIALS.fullmatch(behind) or (" " not in piece and not paired)):
            piece, at = f"{piece}, {behind}", at + 1
        if at + 1 < len(pieces) and _SUFFIX.fullmatch(pieces[at + 1]):
            piece, at = f"{piece}, {pieces[at + 1]}", at + 1
        paired.append(piece)
        at += 1
    return paired


def _parse_piece(piece: str) -> Name | None:
    piece = " ".join(piece.split()).strip(' ,;:/&*_–—()[]“”"«»')
    if not any(char.isalpha() for char in piece):
        return None
    if len(piece.split()) > _LONG and "," not in piece:
        return Name(family=piece.strip("."), collective=True)
    name = names.parse(piece)
    return name if any(map(str.isalnum, name.family)) else None


def parse_family_first(text: str, *, cut: bool, marked: bool) -> tuple[Name, ...]:
    """Return the names of a list in which each is family and given name; none if it is another list.

    `cut` says that "et al." was behind it, `marked` that its entry is in a style that inverts all names.
    """
    pieces = [piece.strip(" .") for piece in re.split(r"[,，;；]|\sand\s|\s&\s", text[: names.MAX_NAME * 20])]
    pieces = [piece for piece in pieces if piece]
    if len(pieces) + cut < _FEWEST:
        return ()
    if all(families := [_CAPITALS.fullmatch(piece) for piece in pieces]):
        return tuple(Name(match[1], match[2]) for match in families if match)
    families = [_PIECE.fullmatch(piece) for piece in pieces]
    first, last = (all(match and is_chinese_family(match[at]) for match in families) for at in (1, 2))
    if first and (marked or not last):
        return tuple(Name(match[1], match[2]) for match in families if match)
    return ()
