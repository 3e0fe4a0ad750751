"""Who wrote the references of one document: one person for the forms of one name, with care.

1. An ORCID iD of a record is one person. A name without one is that person if no one else has the name.
2. A given name that is written out and a family name are one person; different middle initials are two.
3. Initials are the one person of that family whom they fit; if two fit, a person of their own.
4. A family name that many people share (`common_families.toml`) with initials alone is no particular person,
   unless `common` names are asked for.
5. Large collaborations do not link: of `MAX_PEOPLE` authors and more, or under the name of a group.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import chain

from citeproof.judgement.checks.evidence.set_evidence import SetMember
from citeproof.text import names
from citeproof.text.names import is_chinese_family
from citeproof.text.package_tables import load_package_table
from citeproof.vocabulary import Name

_EAST_ASIAN = "\u3040"  # from here on one letter may be a whole given name
MAX_PEOPLE = 20  # authors of a work; 98.6 % of 39,743 real references have no more

PersonKey = tuple[str, str, str]  # family name, given name or initial, middle initial where that matters


class PeopleIndex:
    """The people behind the names of many references."""

    def __init__(self, signed: Iterable[tuple[Name, str]], *, common: bool = False) -> None:
        """Read all names, each with its ORCID iD or an empty string."""
        self._middles: dict[tuple[str, str], set[str]] = defaultdict(set)  # of family and given name
        self._spelled: dict[tuple[str, str], set[str]] = defaultdict(set)  # family, initial: given names
        self._holders: dict[PersonKey, set[str]] = defaultdict(set)  # ORCID iDs of a name
        self._known: dict[Name, PersonKey | None] = {}
        rows = list(signed)
        forms = {name: _read_form(name, common=common) for name in dict.fromkeys(name for name, _ in rows)}
        for form in filter(None, forms.values()):
            family, given, middle = form
            self._middles[family, given].add(middle)
            if len(given) > 1:
                self._spelled[family, given[0]].add(given)
        self._known = {name: self._choose_key(form) if form else None for name, form in forms.items()}
        for name, orcid in rows:
            if orcid and (key := self._known[name]):
                self._holders[key].add(orcid)

    def find_person(self, name: Name, orcid: str = "") -> PersonKey | None:
        """Return who has the name, which is one of those that were read; None: it may be anybody."""
        if orcid:
            return ("", orcid, "")
        key = self._known.get(name)
        holders = self._holders.get(key) if key else None
        return ("", next(iter(holders)), "") if holders and len(holders) == 1 else key

    def _choose_key(self, form: PersonKey) -> PersonKey:
        family, given, middle = form
        if len(given) == 1:
            fitting = [
                full for full in self._spelled.get((family, given), ()) if self._fits(family, full, middle)
            ]
            given = fitting[0] if len(fitting) == 1 else given
        split = len(self._middles[family, given] - {""}) > 1
        return (family, given, middle if split else "")

    def _fits(self, family: str, given: str, middle: str) -> bool:
        known = self._middles[family, given] - {""}
        return not middle or not known or middle in known


def list_people(
    members: Sequence[SetMember], own: Sequence[Name] = (), *, common: bool = False
) -> tuple[list[dict[PersonKey, Name]], PeopleIndex]:
    """Return the people of each reference; of a large collaboration none. `own`: the document's authors."""
    signed = [_list_signed(member) for member in members]
    every = chain((row for rows in signed for row in rows), ((name, "") for name in own))
    index = PeopleIndex(every, common=common)
    return [{key: n for n, orcid in rows if (key := index.find_person(n, orcid))} for rows in signed], index


def _list_signed(member: SetMember) -> list[tuple[Name, str]]:
    if member.collaboration or len(member.authors) > MAX_PEOPLE:
        return []
    orcids = dict(member.orcids)
    return [(name, orcids.get(n, "")) for n, name in enumerate(member.authors) if not names.is_group(name)]


def _read_form(name: Name, *, common: bool) -> PersonKey | None:
    """Return family name, given name or initial, and middle initial; None: it names no particular person."""
    family, words = names.make_family_key(name), names.fold_given_words(name)
    if not family or not words:
        return None
    first = words[0].rstrip(".")
    initial = (len(first) == 1 and first < _EAST_ASIAN) or words[0].endswith(".")
    if initial and not common and (family in _load_common_families() or is_chinese_family(family)):
        return None
    if initial:
        return family, first[0], words[1][0] if len(words) > 1 else ""
    if is_chinese_family(family):
        return family, "".join(words), ""  # "Xiao-Ming", "Xiao Ming" and "Xiaoming" are one name
    return family, first, words[1][0] if len(words) > 1 else ""


@cache
def _load_common_families() -> frozenset[str]:
    return frozenset(load_package_table(__package__, "common_families.toml")["common"].split())
