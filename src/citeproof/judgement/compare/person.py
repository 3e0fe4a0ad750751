"""One name in the form in which names are compared, and how two of them agree."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from itertools import permutations

from rapidfuzz.distance import DamerauLevenshtein

from citeproof.text import names
from citeproof.text.package_tables import load_package_table
from citeproof.vocabulary import Name
from citeproof.vocabulary.quick_init import speed_up_init

_SPELLED_OUT = {"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"}
_UMLAUTS = str.maketrans(_SPELLED_OUT | {a.upper(): b.capitalize() for a, b in _SPELLED_OUT.items()})


_AND = ("i", "y", "e")  # between two family names
_UNKNOWN_NAME = ("fnu", "lnu")  # "first name unknown", as passports of people with one name have it
_ORDERED = 5  # words of a name whose every order is tried
_MISSPELT = 4  # letters of a family name in which one may be wrong


class Likeness(IntEnum):
    """How two names agree."""

    OTHER = 0
    FAMILY = 1  # same family name, incompatible given names; or a family name that is misspelt
    VARIANT = 2
    SAME = 3


@speed_up_init
@dataclass(frozen=True, slots=True, eq=False)  # to hash all of it takes as long as to compare two people
class Person:
    family: str  # folded, particles aside
    family_words: tuple[str, ...]
    given: tuple[str, ...]
    words: tuple[str, ...]  # family and given together
    known: frozenset[str]  # the words that are no mere initial, and the whole family name; none of initials
    letters: str  # all letters in order of the alphabet: equal for any order of the words
    swapped: str  # the given name when it may as well be the family name
    glued: str  # the family name with its particles, wherever they stand: "Cun, Yann Le" ⇒ "lecun"
    first: tuple[str, ...]  # the given name without those particles
    whole: str  # all of the name in one word, as some write a family name
    spelled: tuple[str, tuple[str, ...]]  # family and given name with umlauts as two letters
    stripped: tuple[str, tuple[str, ...]]  # family and given name without the letters that have marks


@lru_cache(maxsize=65536)
def make_person(name: Name) -> Person:
    """Return the comparable form of one name."""
    family_words = names.fold_family_words(name)
    family = "".join(family_words)
    given = tuple(word for word in names.fold_given_words(name) if word not in _UNKNOWN_NAME)
    words = (*(word.rstrip(".") for word in given), *family_words)
    cut = len(given)
    while cut > 1 and given[cut - 1] in names.PARTICLES:
        cut -= 1
    glued = "".join((*given[cut:], names.fold_whole_family(name)))
    spelled = _spell_umlauts(name) or (family, given)
    stripped = _drop_marked_letters(name) or (family, given)
    forms = (word for word in (*words, family, glued, spelled[0], stripped[0]) if len(word) > 1)
    return Person(
        family=family,
        family_words=family_words,
        given=given,
        words=words,
        known=frozenset(forms if any(len(word) > 1 for word in words) else ()),
        letters="".join(sorted("".join(words))),
        swapped="".join(given) if len(given) in {1, 2} and all(len(w) > 1 for w in given) else "",
        glued=glued,
        first=given[:cut],
        whole="".join((*given[:cut], glued)),
        spelled=spelled,
        stripped=stripped,
    )


def _drop_marked_letters(name: Name) -> tuple[str, tuple[str, ...]] | None:
    """Return family and given name without the letters that have marks; None if there are none."""
    if name.family.isascii() and name.given.isascii():
        return None
    family, given = (
        "".join(c for c in unicodedata.normalize("NFC", s) if c.isascii()) for s in (name.family, name.given)
    )
    whole = Name(family, given)
    return names.make_family_key(whole), names.fold_given_words(whole)


def _spell_umlauts(name: Name) -> tuple[str, tuple[str, ...]] | None:
    """Return family and given name with umlauts as two letters, "Jörg" ⇒ "joerg"; None without umlauts."""
    if name.family.isascii() and name.given.isascii():
        return None
    family, given = (unicodedata.normalize("NFC", s).translate(_UMLAUTS) for s in (name.family, name.given))
    whole = Name(family, given)
    return names.make_family_key(whole), names.fold_given_words(whole)


def measure_likeness(a: Person, b: Person) -> Likeness:
    """Return how two names agree, whichever word is the family name."""
    if a.words == b.words:
        return Likeness.SAME
    if a.family == b.family or _is_transliterated(a.family, b.family):
        if _is_family_alone(a, b) or _is_family_alone(b, a):
            return Likeness.VARIANT
        given = _compare_given(_drop_particle(a, b), _drop_particle(b, a))
        if given >= Likeness.VARIANT:
            return given
        return max(
            given,
            _compare_glued(a, b),
            _compare_respelled(a, b),
            _compare_damaged(a, b),
            _compare_damaged(b, a),
        )
    if a.letters == b.letters and (_has_words_of(a, b) or _has_words_of(b, a)):
        return Likeness.VARIANT
    if _is_reversed(a, b) or _is_reversed(b, a) or _is_family_alone(a, b) or _is_family_alone(b, a):
        return Likeness.VARIANT
    if a.known.isdisjoint(b.known):
        return (
            Likeness.VARIANT if _has_only_initials(a, b) or _has_only_initials(b, a) else _compare_slip(a, b)
        )
    return max(
        _compare_glued(a, b),
        _compare_respelled(a, b),
        _compare_parts(a, b),
        _compare_slip(a, b),
        _compare_damaged(a, b),
        _compare_damaged(b, a),
    )


def _has_words_of(a: Person, b: Person) -> bool:
    """Return whether `a` is the words of `b` in another order: "Wang Wei" / "Wei Wang" / "Weiwang"."""
    return sorted(a.words) == sorted(b.words) or (
        len(b.words) <= _ORDERED and "".join(a.words) in map("".join, permutations(b.words))
    )


def _is_reversed(a: Person, b: Person) -> bool:
    """Return whether `a` has as given name what `b` has as family name: "Li, Fei-Fei" / "L. Fei-Fei"."""
    return (
        a.swapped != "" and a.swapped == b.family and _compare_given((a.family,), b.given) >= Likeness.VARIANT
    )


def _has_only_initials(a: Person, b: Person) -> bool:
    """Return whether `a` is nothing but the initials of `b`: "P. S. G. C." is "Paul Suganthan G. C."."""
    return not a.known and len(a.words) > 1 and a.letters == "".join(sorted(word[0] for word in b.words))


def _is_family_alone(a: Person, b: Person) -> bool:
    """Return whether all of `a` is the family name of `b`, or its only name: "de la Hamette", "Devvrit"."""
    if a.given:
        return a.whole in (b.glued, b.family)
    return len(a.family) > _MISSPELT and b.given == a.family_words


def _compare_glued(a: Person, b: Person) -> Likeness:
    """Particles written apart, together or after the given name: "LeCun" / "Le Cun" / "Cun, Yann Le"."""
    if a.glued != b.glued:
        return Likeness.OTHER
    return min(Likeness.VARIANT, _compare_given(a.first, b.first))


def _compare_respelled(a: Person, b: Person) -> Likeness:
    """An umlaut written as two letters on one side: "Jörg" / "Joerg"."""
    if a.spelled == (a.family, a.given) and b.spelled == (b.family, b.given):
        return Likeness.OTHER
    families = {a.family, a.spelled[0]} & {b.family, b.spelled[0]}
    if not families and not _is_transliterated(a.family, b.family):
        return Likeness.OTHER
    best = max(_compare_given(x, y) for x in {a.given, a.spelled[1]} for y in {b.given, b.spelled[1]})
    return min(Likeness.VARIANT, best)


def _compare_damaged(a: Person, b: Person) -> Likeness:
    """A list that lost its marked letters altogether: "Léon" ⇒ "Lon", "Saarbrücken" ⇒ "Saarbrcken"."""
    family, given = a.stripped
    if (family, given) == (a.family, a.given) or b.family not in (a.family, family) or not b.family:
        return Likeness.OTHER
    return min(Likeness.VARIANT, max(_compare_given(words, b.given) for words in (a.given, given)))


def _compare_parts(a: Person, b: Person) -> Likeness:
    """Double surnames cited by one part: "García-Ripoll" / "Garcia Ripoll" / "Garcia"."""
    if _has_more_words(a, b) or _has_more_words(b, a):
        return Likeness.VARIANT
    return Likeness.VARIANT if _is_part_of(a, b) or _is_part_of(b, a) else Likeness.OTHER


def _has_more_words(a: Person, b: Person) -> bool:
    """Return whether `b` has all words of `a` and more: "Nicholas Wong", "Nicholas Wong Wai Hin".

    A word may be an initial in one of them, if two others are the same: "R Venkatesh Babu" is
    "Venkatesh Babu Radhakrishnan".
    """
    if len(b.words) < len(a.words):
        return False
    met = [word for word in a.words if word in b.words and len(word) > 1]
    rest = [word for word in b.words if word not in met]
    left = [word for word in a.words if word not in met]
    return len(met) > 1 and all(any(is_possible_form(word, other) for other in rest) for word in left)


def _compare_slip(a: Person, b: Person) -> Likeness:
    """One wrong letter in a family name next to the same given name, or to none: a misspelt name."""
    least = _MISSPELT + bool(a.given and b.given)
    if min(len(a.family), len(b.family)) < least or (a.given and b.given and a.given != b.given):
        return Likeness.OTHER
    near = DamerauLevenshtein.distance(a.family, b.family, score_cutoff=1) <= 1
    return Likeness.FAMILY if near else Likeness.OTHER


def _is_part_of(a: Person, b: Person) -> bool:
    """Return whether the family name of `a` is a part of that of `b`, and the given names agree.

    "Juan García Ripoll" may have one family name or two, so a last given name counts as a part, if
    the first given name is written out and the same: "Bruce, W." is not "W. Bruce Croft".
    """
    if not a.family_words:
        return False
    if _has_all_families(a, b.family_words):
        return _compare_given(a.given, b.given) >= Likeness.VARIANT
    if len(b.given) < 2 or not a.given or a.given[0] != b.given[0] or len(a.given[0]) < 2:
        return False
    last = -2 if b.given[-1] in _AND and len(b.given) > 2 else -1  # "Lluís Gómez i Bigorda"
    whole = (*b.family_words, b.given[last])
    return _has_all_families(a, whole) and _compare_given(a.given, b.given[:last]) >= Likeness.VARIANT


def _has_all_families(a: Person, whole: tuple[str, ...]) -> bool:
    """Return whether each word of a family name is in `whole`, "Schroeder" as "Schröder", too."""
    return all(word in whole or any(_is_transliterated(word, o) for o in whole) for word in a.family_words)


def _is_transliterated(a: str, b: str) -> bool:
    """Return whether two family names differ by an umlaut's two spellings: "Müller" / "Mueller".

    Short names are left out: "Xu" and "Xue" are two families.
    """
    if abs(len(a) - len(b)) > 3 or min(len(a), len(b)) < 4 or a[:1] != b[:1]:
        return False
    plain = [s.replace("ae", "a").replace("oe", "o").replace("ue", "u") for s in (a, b)]
    return plain[0] == plain[1]


def _drop_particle(a: Person, b: Person) -> tuple[str, ...]:
    """Return the given name of `a` without the initial of a particle that `b` spells: "J. V. Gemert"."""
    particle = b.glued.removesuffix(b.family)
    last = a.given[-1:] == (particle[:1],) and a.glued == a.family and bool(particle)
    return a.given[:-1] if last and len(a.given) > 1 else a.given


def _compare_given(a: tuple[str, ...], b: tuple[str, ...]) -> Likeness:
    """Return whether two given names may be one person's."""
    if a == b:
        return Likeness.SAME
    if not a or not b:
        return Likeness.VARIANT
    if "".join(a) == "".join(b):
        return Likeness.VARIANT  # "Zhi Tao" / "Zhitao" / "Zhi-Tao"
    if len(a) > 1 and sorted(a) == sorted(b):
        return Likeness.VARIANT  # "Hamed S." / "S. Hamed": the same words in another order
    if all(is_possible_form(x, y) for x, y in zip(a, b, strict=False)):
        return Likeness.VARIANT
    return Likeness.VARIANT if _has_same_initials(a, b) or _is_subsequence(a, b) else Likeness.FAMILY


def load_nicknames() -> dict[str, list[str]]:
    """Return the table of `nicknames.toml`."""
    return load_package_table(__package__, "nicknames.toml")


def is_possible_form(x: str, y: str) -> bool:
    """One may be short for the other: an initial, a shortened form ("Rob"), a nickname ("Bob")."""
    short, long = (x, y) if len(x) <= len(y) else (y, x)
    if short == long:
        return True  # "Ed" / "Ed H.": two letters may be a whole name
    if len(short) == 1:
        return any(form.startswith(short) for form in (long, *load_nicknames().get(long, ())))
    if "." in short or "." in long:
        return long.rstrip(".").startswith(short.rstrip("."))  # "Yu." / "Yuri"
    if long in load_nicknames().get(short, ()) or short in load_nicknames().get(long, ()):
        return True
    return len(short) >= 3 and long.startswith(short) and _is_short_form(short, long)


def _is_short_form(short: str, long: str) -> bool:
    """Tell "Rob" / "Robert" and the slip "Alexande" / "Alexander" from "Paul" / "Paula", "Yan" / "Yang"."""
    more = len(long) - len(short)
    if more >= 3 or more == 0:
        return True
    if more == 2:
        return len(short) <= 4  # "Josh" / "Joshua"
    return len(short) > 5 and long[-1] not in "aeiouy"


def _has_same_initials(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    """Glued initials against words: "yw" / "yan wei", "ricky tq" / "tian qi"."""
    for some, other in ((a, b), (b, a)):
        if len(other) > 1 and "".join(word[0] for word in other) in some:
            return True
    short, long = sorted((a, b), key=lambda words: len("".join(words)))
    return len(short) == 1 and len(short[0]) <= 3 and short[0] == "".join(word[0] for word in long)


def _is_subsequence(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    """A dropped first or middle name: "W. Bruce" / "Bruce", "Jacob Daniel" / "Daniel"."""
    short, long = sorted((a, b), key=len)
    if len(short) == len(long):
        return False
    left = iter(long)
    return all(any(is_possible_form(word, other) for other in left) for word in short)
