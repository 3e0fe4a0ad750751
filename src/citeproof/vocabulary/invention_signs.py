"""Signs that a reference was invented, apart from slips of the pen.

A judgement has a sign where it says: the identifier is another work's or no work's, an author is not one of
the work's, title and authors belong to two works, no source has it. Everything else that is wrong is a slip.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher

from citeproof.vocabulary.judgements import Judgement, Label, Mismatch, Verdict
from citeproof.vocabulary.reasons import InventionSign, Reason
from citeproof.vocabulary.references import WORK_IDS

_OF_NO_SUCH_WORK = (Reason.IDENTIFIER_OF_OTHER_WORK, Reason.NOT_REGISTERED)
_OTHER_PEOPLE = (Reason.AUTHOR_ADDED, Reason.AUTHORS_OTHER)
_ALIKE = 0.75  # from which two family names may be one: "Schroeder" and "Schröder", "March" and "Marchand"


def find_signs(judgement: Judgement) -> tuple[InventionSign, ...]:
    """Return the signs of invention; none where the judgement is not sure enough to accuse."""
    if Reason.NOT_SURE_ENOUGH in judgement.reasons:
        return ()
    wrong, fields = judgement.mismatches, [set(part.fields) for part in judgement.splices]
    astray = judgement.verdict is Verdict.MISMATCH and Reason.IDENTIFIER_OF_OTHER_WORK in judgement.reasons
    titled = any("title" in each and "authors" not in each for each in fields)
    met = {
        InventionSign.WRONG_IDENTIFIER: astray or any(_is_wrong_identifier(m, judgement) for m in wrong),
        InventionSign.INVENTED_AUTHOR: not astray and any(_names_stranger(m, judgement) for m in wrong),
        InventionSign.CHIMERA: titled and any("authors" in each for each in fields),
        InventionSign.FOUND_NOWHERE: judgement.verdict is Verdict.NOT_FOUND,
    }
    return tuple(sign for sign, is_met in met.items() if is_met)


def _is_wrong_identifier(mismatch: Mismatch, judgement: Judgement) -> bool:
    """Return whether an identifier is another work's or no work's, and no mistyped one of the work found."""
    if mismatch.field not in WORK_IDS or mismatch.reason not in _OF_NO_SUCH_WORK:
        return False
    work = judgement.matched.record.work if judgement.matched else ""
    same = (candidate for candidate in judgement.candidates if work and candidate.record.work == work)
    each = (compared.of(mismatch.field) for compared in (judgement.matched, *same) if compared)
    return not mismatch.similarity and not any(own and 0 < own.similarity < 1 for own in each)


def _names_stranger(mismatch: Mismatch, judgement: Judgement) -> bool:
    """Return whether a cited author has the name of no one in the record, not even a mistyped or cut one."""
    if mismatch.field != "authors" or mismatch.reason not in _OTHER_PEOPLE or judgement.matched is None:
        return False
    known = {word for name in judgement.matched.record.authors for word in _fold_words(name.display)}
    cited = (_fold_words(person) for person in mismatch.claimed.split("; "))
    families = (words[-1] for words in cited if words)
    return any(not any(_is_alike(family, word) for word in known) for family in families)


def _is_alike(a: str, b: str) -> bool:
    """Return whether two names may be one; words whose lengths differ too much need not be compared."""
    longest = 2.0 * min(len(a), len(b)) / (len(a) + len(b))
    return longest >= _ALIKE and SequenceMatcher(None, a, b).ratio() >= _ALIKE


def _fold_words(name: str) -> list[str]:
    plain = unicodedata.normalize("NFKD", name.casefold())
    letters = "".join(c for c in plain if not unicodedata.combining(c))
    return [word for word in letters.replace(".", " ").split() if len(word) > 1]


def count_signs(label: str | None, signs: Iterable[str]) -> Counter[str]:
    """Return what a reference adds to a summary: `any` and each sign; of an error without one `slips`."""
    if each := list(signs):
        return Counter(["any", *each])
    return Counter(["slips"] if label in (Label.MINOR, Label.MAJOR) else [])


def list_sign_counts(counts: Mapping[str, int]) -> dict[str, int]:
    """Return the counts of a summary, each named even at zero."""
    return {name: counts.get(name, 0) for name in ("any", *(sign.value for sign in InventionSign), "slips")}
