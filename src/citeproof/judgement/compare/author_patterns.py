"""In what way a cited author list differs from a record's: the patterns that `credit.toml` knows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from rapidfuzz.distance import DamerauLevenshtein

from citeproof.judgement.compare.authors import INSTITUTION, find_unmatched, has_same_lead, is_team
from citeproof.judgement.compare.person import is_possible_form, make_person
from citeproof.text import lazy_patterns as re
from citeproof.text.names import is_asian_family, is_given_name, is_group, make_family_key
from citeproof.vocabulary import Claimed, Name, Reason

# Patterns that no slip in a record explains: other people altogether, an institution among them.
BEYOND_RECORDS = ("other_people", "no_person")
CUT_AT = (10, 20)  # names at which some lists are cut without saying so
_STRANGERS = 0.4  # people more than the record has, beyond which they were hardly in an earlier version
_MANY = 25  # names from which a few of them differ between versions and lists
_FEW = 0.5
_OF_TEAM = 3  # of them who are in two lists, so that both are of one team
_INITIALS = re.compile(r"[A-Z][-.][A-Z]\.?$")  # where a family name should be
_MISSPELT = 2  # letters by which a misspelt name differs
_LONG_FAMILY = 6  # letters of a family name beyond which two of them may be wrong
_SHORT_GIVEN = 2  # letters of a given name that may be initials
_SHORT_FAMILY = 3
_LONG_GIVEN = 5  # letters of a given name in which a slip is told from another name


def find_author_pattern(claimed: Claimed, known: Sequence[Name], reason: Reason) -> str:
    """Return the name of the pattern, more exact than the comparison's reason."""
    cited = claimed.authors
    added, missing, renamed = find_unmatched(cited, known)
    given = {word for name in cited for word in make_person(name).given}
    split = any(make_person(name).family in given for name in missing if not name.given)
    if is_damaged(known) or split:  # one person as two: "Muggleton", "Stephen"
        return "damaged"
    if reason == Reason.AUTHORS_OTHER and min(len(cited), len(known)) > 1:
        met = len(cited) - len(added)
        if met >= _OF_TEAM and max(len(cited), len(known)) >= _MANY:
            return "few_of_many"  # lists of a large team name some of it
        return "mostly_other" if met else "other_people"
    if reason == Reason.ORDER_SWAPPED and not (missing and not claimed.et_al):
        return "order_swapped" if has_same_lead(cited, known) else "order_first"
    if len(cited) > 1 and is_team(known):
        return "team_alone"
    if added and _is_one_of_many(claimed, known, added, missing):
        return "few_of_many"
    if any(map(_is_no_person, added)):
        return "no_person"
    match reason:
        case Reason.AUTHOR_ADDED:
            return _find_added_pattern(known, added, missing, single=not renamed)
        case Reason.AUTHORS_MISSING | Reason.ORDER_SWAPPED:
            return _find_missing_pattern(claimed, known, missing)
        case Reason.GIVEN_NAME | Reason.NAME_TYPO:
            pattern = _find_renamed_pattern(renamed)
            behind = pattern.startswith("given_") and all(name is not cited[0] for name, _ in renamed)
            return "few_of_many" if behind and max(len(cited), len(known)) >= _MANY else pattern
        case Reason.AUTHORS_OTHER if _shares_name(cited, known):
            return "name_mixed"
        case _:
            return reason


def _find_renamed_pattern(renamed: Sequence[tuple[Name, Name]]) -> str:
    """Return how names came to differ that are otherwise those of the record's people."""
    if all(_is_turned(a.given, b.given) for a, b in renamed):
        return "name_typo"
    if all(_has_lost_letter(b.given, a.given) for a, b in renamed):
        return "damaged"
    if all(_is_slip(a, b) for a, b in renamed):
        return "name_slip"
    if any(_is_other_given(a, b) for a, b in renamed):
        return "given_replaced"
    typo = all(_is_misspelt(a.given, b.given) or a.family != b.family for a, b in renamed)
    return "given_names" if len(renamed) > 1 and not typo else "given_name"


def _find_missing_pattern(claimed: Claimed, known: Sequence[Name], missing: Sequence[Name]) -> str:
    """Return how people came to be left out of a cited list."""
    if claimed.et_al:
        return "left_out_of_et_al"
    if len(claimed.authors) == 1 and not claimed.authors[0].given:
        return "left_out_of_et_al"  # an organisation, which the record names before its people
    pairs = [pair for pair in pairwise(known) if _may_be_one_person(*pair)]
    if all(any(name in pair for pair in pairs) for name in missing):
        return "damaged"  # one person twice: "Xi Chen, Peter Chen"
    return "authors_missing"


def _may_be_one_person(a: Name, b: Name) -> bool:
    """Return whether two names next to each other may be of one: a form of it, or that for the West."""
    mine, theirs = make_person(a).given, make_person(b).given
    western = [any(map(is_given_name, name.given.split())) for name in (a, b)]
    one = western[0] != western[1] or any(map(is_possible_form, mine[:1], theirs[:1]))
    return make_family_key(a) == make_family_key(b) and one


def _find_added_pattern(
    known: Sequence[Name], added: Sequence[Name], missing: Sequence[Name], *, single: bool
) -> str:
    """Return how people came into a cited list who are not in the record's; `single`: no other change."""
    if not missing:
        return "authors_padded" if len(added) > _STRANGERS * len(known) else "author_added"
    if all(any(_has_lost_vowel(b.family, a.family) for b in missing) for a in added):
        return "damaged"
    given = {make_person(name).given for name in (*added, *missing)}
    if len(added) == len(missing) == len(given) == 1 and len(added[0].given) >= _LONG_GIVEN:
        return "family_changed"  # of a person who took another name
    if all(any(_is_misspelt_name(a, b) for b in missing) for a in added):
        return "name_typo"
    if known[0] not in missing and len(added) == 1:
        if len(missing) > 1:
            return "author_added"
        return "one_replaced" if single else "author_replaced"
    return "author_replaced"


def _is_one_of_many(
    claimed: Claimed, known: Sequence[Name], added: Sequence[Name], missing: Sequence[Name]
) -> bool:
    """Return whether the list is so long, or cut at such a place, that a few names in it say little."""
    lengths, others = (len(claimed.authors), len(known)), min(len(added), len(missing) or len(added))
    long = max(lengths) >= _MANY and others <= _FEW * min(lengths)
    return long or (len(known) in CUT_AT and (claimed.et_al or not missing))


def is_damaged(people: Sequence[Name]) -> bool:
    """Return whether a list was made wrongly: several people in one name, one twice, or letters lost."""
    if len(set(people)) < len(people):
        return True
    persons = [name for name in people if not name.collective]
    if any(len(n.given) > 3 and n.given[0].islower() and n.family[:1].isupper() for n in persons):
        return True  # "lvaro Barbero" lost its first letter
    return any(_is_several(name) or _INITIALS.match(name.family) for name in persons)


def _is_several(name: Name) -> bool:
    """Return whether one name holds the names of several people."""
    shown = name.display
    joined = "," in name.family or " and " in shown or " et al" in shown
    return joined or len(name.family.split()) > 3 or len(name.given.split()) > 4


def _shares_name(claimed: Sequence[Name], known: Sequence[Name]) -> bool:
    """Return whether two single authors share a name, so that one of the two was taken apart wrongly."""
    if len(claimed) != 1 or len(known) != 1:
        return False
    return not make_person(claimed[0]).known.isdisjoint(make_person(known[0]).known)


def _is_no_person(name: Name) -> bool:
    """Return whether an institution is in the place of an author, of a collaboration's people none."""
    return not is_group(name) and INSTITUTION.search(name.display) is not None


def _is_other_given(a: Name, b: Name) -> bool:
    """Return whether one family name has two full given names, of which none may be for the West."""
    mine, theirs = make_person(a), make_person(b)
    asian = len(mine.family) <= _SHORT_FAMILY or is_asian_family(a.family)
    if any(map(is_possible_form, mine.given[:1], theirs.given[:1])):
        return False  # "Yannis M." and "Ioannis Alexandros": one of two given names
    if mine.family != theirs.family or (
        asian and not all(any(map(is_given_name, name.given.split())) for name in (a, b))
    ):
        return False
    full = all(any(len(word) > _SHORT_GIVEN for word in given) for given in (mine.given, theirs.given))
    alike = not {word[:1] for word in mine.given}.isdisjoint(word[:1] for word in theirs.given)
    if not full or (alike and not _are_unlike(mine.given, theirs.given)):
        return False
    pairs = [(x, y) for x in mine.given for y in theirs.given if min(len(x), len(y)) > _SHORT_GIVEN]
    return not any(x.endswith(y) or y.endswith(x) for x, y in pairs)  # "Drew" for "Andrew"


def _are_unlike(a: Sequence[str], b: Sequence[str]) -> bool:
    """Return whether two long given names share an initial and nothing else: "Pratham", "Patricia"."""
    if len(a) != 1 or len(b) != 1 or a[0][1:2] == b[0][1:2] or min(len(a[0]), len(b[0])) <= _LONG_GIVEN:
        return False
    return 2 * DamerauLevenshtein.distance(a[0], b[0]) >= max(len(a[0]), len(b[0]))


def _is_misspelt(a: str, b: str) -> bool:
    """Return whether a slip of the pen parts two given names, long enough to tell."""
    short = min(len(a), len(b))
    near = 0 < DamerauLevenshtein.distance(a.casefold(), b.casefold()) <= _MISSPELT
    return _is_turned(a, b) or (short >= _LONG_GIVEN and near)


def _has_lost_letter(damaged: str, whole: str) -> bool:
    """Return whether a letter is gone inside a name, as records lose those with marks: "Senn" for "Senén"."""
    places = range(1, len(whole) - 1)
    return any(damaged.casefold() == (whole[:at] + whole[at + 1 :]).casefold() for at in places)


def _has_lost_vowel(damaged: str, whole: str) -> bool:
    """Return whether a vowel is gone between consonants, as records lose marked ones: "Schlkopf", "Kck"."""
    lost, vowels = damaged.casefold(), re.compile("[aeiouy]+")
    return len(lost) > _MISSPELT + bool(vowels.search(lost)) and any(
        lost == whole[: v.start()].casefold() + whole[v.end() :].casefold()
        for v in vowels.finditer(whole, 1, len(whole) - 1)
    )


def _is_slip(a: Name, b: Name) -> bool:
    """Return whether one letter of a name is another: records err there as often as citations."""
    mine, theirs = a.display.casefold(), b.display.casefold()
    return a.family != b.family or DamerauLevenshtein.distance(mine, theirs, score_cutoff=1) <= 1


def _is_turned(a: str, b: str) -> bool:
    """Return whether letters of a given name changed places: "Drik", "Pitor"."""
    mine, theirs = a.casefold(), b.casefold()
    return mine != theirs and mine[:1] == theirs[:1] and sorted(mine) == sorted(theirs)


def _is_misspelt_name(a: Name, b: Name) -> bool:
    """Return whether a slip of the pen parts two family names of people whose given names may be one."""
    mine, theirs = a.family.casefold(), b.family.casefold()
    short = min(len(mine), len(theirs))
    slips = _MISSPELT if short > _LONG_FAMILY else 1
    if a.given[:1].casefold() != b.given[:1].casefold() or short <= _MISSPELT + 1:
        return False
    return DamerauLevenshtein.distance(mine, theirs, score_cutoff=slips) <= slips
