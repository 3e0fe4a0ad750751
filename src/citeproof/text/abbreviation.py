"""Whether one run of words abbreviates another, and whether letters spell its initials.

A word that ends in a full stop may be cut short; others are whole. Greedy and linear: two names
of twenty words cost some ten microseconds.
"""

from __future__ import annotations

from rapidfuzz.distance import OSA

from citeproof.text.venue_parts import load_tables
from citeproof.vocabulary.quick_dataclass import dataclass

SECTION = "§"  # a word "§a" is a section letter ("Phys. Rev. A"); it equals itself alone
_MIN_TYPO = 7  # letters of a word in which one slip is still seen as a slip
_MIN_CONTRACTION, _MAX_CONTRACTION = 4, 5
_MIN_SHORT = 2
_MIN_PLURAL = 4
_MAX_ACRONYM = 14
_MAX_SPELLED = 16

Form = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WordAlignment:
    """How far two names run together: words matched, what is left of each, how they matched."""

    matched: int
    left_a: Form
    left_b: Form
    cut: bool  # some word was an abbreviation of the other
    typo: bool
    skipped_a: Form  # soft words that was on one side only
    skipped_b: Form


def match_words(a: str, b: str) -> str:
    """Return how two words agree: "same", "cut", "typo" or "" when they do not."""
    if a == b:
        return "same"
    if a[0] != b[0]:
        return "same" if SECTION in (a[0], b[0]) and a.strip("§.") == b.strip("§.") else ""  # "§e" and "e."
    bare_a, bare_b = a.rstrip("."), b.rstrip(".")
    if bare_a == bare_b or _is_plural(bare_a, bare_b):
        return "same"
    if not bare_a or not bare_b or a[0] == SECTION:
        return ""
    if (a[-1] == "." and _is_abbreviation(bare_a, bare_b)) or (
        b[-1] == "." and _is_abbreviation(bare_b, bare_a)
    ):
        return "cut"
    return "typo" if _is_slip(bare_a, bare_b) else ""


def _is_plural(a: str, b: str) -> bool:
    short, long = (a, b) if len(a) < len(b) else (b, a)
    return len(short) >= _MIN_PLURAL and long.startswith(short) and long[len(short) :] in {"s", "es"}


def _is_abbreviation(short: str, long: str) -> bool:
    """Whether `short` begins `long`, or is a contraction of it ("natl" of "national", "ky" of "kentucky")."""
    if len(short) >= len(long):
        return False
    if long.startswith(short):
        never = load_tables().never.get(short)
        return never is None or not long.startswith(never)
    if long in load_tables().contraction.get(short, ()):
        return True
    return len(long) >= len(short) + 2 and _is_contraction(short, long)


def _is_contraction(short: str, long: str) -> bool:
    """Whether `short` is the start of `long` and letters of its rest, near its end, or start and end."""
    if short[-1] not in long[-3:] or len(short) < _MIN_SHORT:
        return False
    if long.endswith(short[1:]):
        return True
    start = max(2, len(short) - _MAX_CONTRACTION + 1)
    if len(short) < _MIN_CONTRACTION or short[:start] != long[:start]:
        return False
    rest = iter(long[start:])
    return all(letter in rest for letter in short[start:])


def _is_slip(a: str, b: str) -> bool:
    """Whether two words differ by a letter too many, too few, or two swapped; never by another letter."""
    if min(len(a), len(b)) < _MIN_TYPO or abs(len(a) - len(b)) > 1:
        return False
    return OSA.distance(a, b, score_cutoff=1) <= 1 and (len(a) != len(b) or sorted(a) == sorted(b))


def align_words(a: Form, b: Form, soft: frozenset[str]) -> WordAlignment:
    """Return how far `a` and `b` run together from their first words on."""
    i = j = matched = 0
    cut = typo = False
    skipped_a: Form = ()
    skipped_b: Form = ()
    while i < len(a) and j < len(b):
        how = match_words(a[i], b[j])
        step_a = step_b = 1
        if how != "same":
            joined, wide_a, wide_b = _match_joined(a, b, i, j)
            if joined:
                how, step_a, step_b = joined, wide_a, wide_b
        if how:
            cut |= how == "cut"
            typo |= how == "typo"
            i, j, matched = i + step_a, j + step_b, matched + 1
        elif a[i] in soft:
            i, skipped_a = i + 1, (*skipped_a, a[i])
        elif b[j] in soft:
            j, skipped_b = j + 1, (*skipped_b, b[j])
        else:
            break
    return WordAlignment(matched, a[i:], b[j:], cut, typo, skipped_a, skipped_b)


def _match_joined(a: Form, b: Form, i: int, j: int) -> tuple[str, int, int]:
    """Two or three words of one name that are one word of the other ("oto rhino" and "otorhino.")."""
    for count in (2, 3):
        if i + count <= len(a) and (how := _match_run_on(a[i : i + count], b[j])):
            return how, count, 1
        if j + count <= len(b) and (how := _match_run_on(b[j : j + count], a[i])):
            return how, 1, count
    return "", 1, 1


def _match_run_on(parts: Form, whole: str) -> str:
    """How `parts` written as one word agree with `whole`, which must reach into the last of them."""
    bare = whole.rstrip(".")
    head = parts[0].rstrip(".")
    if len(bare) <= len(head) or not bare.startswith(head):
        return ""
    most = "".join(w.rstrip(".") for w in parts[:-1])
    joined = most + parts[-1].rstrip(".")
    if joined == bare:
        return "same"
    return "cut" if whole[-1] == "." and len(bare) > len(most) + 1 and joined.startswith(bare) else ""


def is_acronym_of(acronym: str, words: Form, weak: frozenset[str]) -> bool:
    """Return whether `acronym` takes the first letter or more of every word that is not weak, in order."""
    if not _MIN_SHORT <= len(acronym) <= _MAX_ACRONYM or not _MIN_SHORT <= len(words) <= _MAX_SPELLED:
        return False
    reach = {0}
    for word in words:
        bare = word.lstrip(SECTION).rstrip(".")
        after = set(reach) if bare in weak else set()
        for at in reach:
            taken = 0
            while taken < len(bare) and at + taken < len(acronym) and acronym[at + taken] == bare[taken]:
                taken += 1
                after.add(at + taken)
        if not after:
            return False
        reach = after
    return len(acronym) in reach


def is_loose_acronym(acronym: str, words: Form) -> bool:
    """Return whether the letters of `acronym` are in the words in order, the first at a word's start."""
    if not acronym or not any(w.lstrip(SECTION)[:1] == acronym[0] for w in words):
        return False
    rest = iter("".join(words))
    return all(letter in rest for letter in acronym)
