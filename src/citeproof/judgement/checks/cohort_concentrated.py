"""`cohort_concentrated`: more than 40 % of the references are by one group of authors.

**What it does:** looks for people who are in at least 3 and in at least 5 % of the references, and joins
those who wrote two of them together, or one if both are in 10 %. The references of such a group are its
cluster; above 40 % of all references it is a finding, which names the people, the share and the keys. Of 3
to 9 references it must have more than 75 %, so of 3 or 4 all: so few are as many as one series has.

**Why it matters:** a reader should know that the evidence comes from one circle of people.

**Kinds:** `self_citation`: half of the cluster or more is by the document's own authors, a note.
`one_author`: one person is in three quarters of it. `author_group`: several people. These two are warnings
if there are 10 references and the document's authors are known and are others. They are read from LaTeX,
Markdown and JATS, and from the properties of Word, OpenDocument and PDF files if these name one of the
cluster. Otherwise, as for a bibliography alone, they are not known, self-citation cannot be told apart, and
both are notes. That people write with each other and are cited is a fact, not misconduct: a survey of a small
field and a list of one's own publications look the same. `common_name`: no group was found, but one name
that many people share, with initials only, is in more than 40 %. It may be one person or several: a note that
says so.

**Care:** ORCID iDs of records come first. Initials are linked to a full name if only one fits. Family names
that many people share (Wang, Kim, Smith) need the given name in full to link people. Works of more than 20
authors, or under the name of a collaboration, link nobody: two ATLAS papers are not a circle. A group with
nearly as many people as references (above 4 to 5) is a field, unless one is in three quarters of them.

**States:** nothing is said about fewer than 3 references.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, combinations

from citeproof.judgement.checks.base import SET_CHECKS, add_check
from citeproof.judgement.checks.evidence.set_evidence import SetEvidence, SetMember
from citeproof.text import names
from citeproof.text.names import is_chinese_family
from citeproof.text.package_tables import load_package_table
from citeproof.vocabulary import DocumentFacts, Finding, FindingLevel, FindingState, Name, Place, SetFinding

NAME = "cohort_concentrated"
SHARE = 0.4  # of the references, above which a cluster is a finding
MIN_REFERENCES = 3
FEW = 10  # references, below which a cluster must have more of them
SHARE_OF_FEW = 0.75
COMMON_NAME = "common_name"
_MIN_WORKS = 3  # of one person
_RECURRING = 0.05  # of the references, from which a person recurs
_FREQUENT = 0.1  # of the references, from which one work together joins two people
_TOGETHER = 2  # works that join two recurring people
_CROWD = 0.8  # people for each reference, above which a cluster is a field
_OWN = 0.5  # of a cluster, from which it is that of the document's authors
_ALONE = 0.75  # of a cluster, from which it is one person's
_GIVEN = 4  # words of a given name
_SHOWN = 8  # people that are named


@dataclass(frozen=True, slots=True)
class AuthorCluster:
    """People who write with each other, most frequent first, and which references are theirs."""

    people: tuple[tuple[PersonKey, int], ...]
    numbers: tuple[int, ...]


@add_check(SET_CHECKS, 1)
def find_concentration(evidence: SetEvidence) -> Iterator[SetFinding]:
    """Yield the group of authors who wrote more than 40 % of the references, if there is one."""
    members = evidence.members
    if len(members) < MIN_REFERENCES:
        return
    about = evidence.about
    own = about.authors or about.saved_by
    needed = (SHARE if len(members) >= FEW else SHARE_OF_FEW) * len(members)
    signed = list(map(_list_signed, members))
    for common in (False, True):
        if common and not _has_frequent_name(signed, needed):
            return
        people_of, index = list_people(signed, own, common=common)
        cluster = find_largest_cluster(people_of, alone=common)
        if cluster is not None and len(cluster.numbers) > needed:
            break
    else:
        return
    spelled: dict[PersonKey, Name] = {}
    for people in people_of:
        for key, name in people.items():
            spelled[key] = max(spelled.get(key, name), name, key=_rank_spelling)
    themselves = {index.find_person(name) for name in own} - {None}
    by_own = sum(not themselves.isdisjoint(people_of[number]) for number in cluster.numbers)
    kind, level = _choose_kind(cluster, by_own, known=bool(about.authors) and len(members) >= FEW)
    kind, level = (COMMON_NAME, FindingLevel.NOTE) if common else (kind, level)
    finding = Finding(
        NAME,
        FindingState.FINDING,
        _describe_cluster(cluster, len(members), kind),
        "document",
        kind,
        level,
        tuple(_list_evidence(cluster, spelled, about, by_own)),
    )
    keys = tuple(members[number].key for number in cluster.numbers)
    yield SetFinding(finding, Place(file=evidence.document), keys)


def find_largest_cluster(
    people_of: Sequence[Mapping[PersonKey, Name]], *, alone: bool = False
) -> AuthorCluster | None:
    """Return the people who write with each other and have most references; None: no one recurs.

    `alone`: people are not joined with others, because the names may be those of several people.
    """
    works: dict[PersonKey, list[int]] = defaultdict(list)
    for number, people in enumerate(people_of):
        for key in people:
            works[key].append(number)
    needed = max(_MIN_WORKS, _RECURRING * len(people_of))
    recurring = {key: listed for key, listed in works.items() if len(listed) >= needed}
    together: Counter[tuple[PersonKey, PersonKey]] = Counter()
    for people in people_of if not alone else ():
        together.update(combinations(sorted(key for key in people if key in recurring), 2))
    groups = _join_people(recurring, together, _FREQUENT * len(people_of))
    clusters = [_make_cluster(group, recurring) for group in groups]
    led = [c for c in clusters if c.people[0][1] >= _ALONE * len(c.numbers)]
    close = led + [c for c in clusters if len(c.people) <= _CROWD * len(c.numbers)]
    return max(close, key=lambda cluster: (len(cluster.numbers), cluster.people), default=None)


def _join_people(
    recurring: Mapping[PersonKey, Sequence[int]],
    together: Mapping[tuple[PersonKey, PersonKey], int],
    frequent: float,
) -> list[list[PersonKey]]:
    """Return the recurring people, those who wrote enough together in one list."""
    parent = {key: key for key in recurring}

    def find_root(key: PersonKey) -> PersonKey:
        while parent[key] != key:
            parent[key] = key = parent[parent[key]]
        return key

    for (person, other), count in sorted(together.items()):
        if count >= _TOGETHER or min(len(recurring[person]), len(recurring[other])) >= frequent:
            parent[find_root(person)] = find_root(other)
    groups: dict[PersonKey, list[PersonKey]] = defaultdict(list)
    for key in sorted(recurring):
        groups[find_root(key)].append(key)
    return list(groups.values())


def _rank_spelling(name: Name) -> tuple[bool, int, bool, str]:
    """Put the fullest form of a name last; one of many words is several names that were run together."""
    return len(name.given.split()) <= _GIVEN, len(name.given), not name.given.islower(), name.display


def _make_cluster(group: Sequence[PersonKey], works: Mapping[PersonKey, Sequence[int]]) -> AuthorCluster:
    numbers = sorted({number for key in group for number in works[key]})
    people = sorted(((key, len(works[key])) for key in group), key=lambda pair: (-pair[1], pair[0]))
    return AuthorCluster(tuple(people), tuple(numbers))


def _choose_kind(cluster: AuthorCluster, by_own: int, *, known: bool) -> tuple[str, FindingLevel]:
    size = len(cluster.numbers)
    if by_own >= _OWN * size:
        return "self_citation", FindingLevel.NOTE
    alone = cluster.people[0][1] >= _ALONE * size
    return "one_author" if alone else "author_group", FindingLevel.WARNING if known else FindingLevel.NOTE


def _describe_cluster(cluster: AuthorCluster, total: int, kind: str) -> str:
    size, people = len(cluster.numbers), len(cluster.people)
    share = f"{size} of {total} references ({100 * size / total:.0f} %)"
    if kind == "self_citation":
        return f"{share} are by the document's authors and people who write with them"
    if kind == COMMON_NAME:
        return f"{share} have one common name among their authors; these may be several people of that name"
    if people == 1:
        return f"{share} are by one author"
    return f"{share} are by {people} people who write with each other"


def _list_evidence(
    cluster: AuthorCluster, spelled: Mapping[PersonKey, Name], about: DocumentFacts, by_own: int
) -> Iterator[str]:
    """Yield who they are, with how many references, and what is known about the document's authors."""
    for key, count in cluster.people[:_SHOWN]:
        yield f"{spelled[key].display}: {count} references"
    if (rest := len(cluster.people) - _SHOWN) > 0:
        yield f"{rest} more people"
    own = about.authors or (about.saved_by if by_own else ())
    if own:
        listed = ", ".join(name.display for name in own[:_SHOWN]) + (", …" if len(own) > _SHOWN else "")
        who = "authors of the document" if about.authors else "author in the properties of the file"
        yield f"{who}: {listed}; they wrote {by_own} of these references"
    else:
        yield "authors of the document: not known, so self-citation cannot be told apart"


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
    signed: Sequence[Sequence[tuple[Name, str]]], own: Sequence[Name] = (), *, common: bool = False
) -> tuple[list[dict[PersonKey, Name]], PeopleIndex]:
    """Return the people of each reference, by its names. `own`: the document's authors."""
    every = chain((row for rows in signed for row in rows), ((name, "") for name in own))
    index = PeopleIndex(every, common=common)
    return [{key: n for n, orcid in rows if (key := index.find_person(n, orcid))} for rows in signed], index


def _has_frequent_name(signed: Sequence[Sequence[tuple[Name, str]]], needed: float) -> bool:
    """Return whether more than `needed` references may have one person, taken alone, among their authors."""
    if any(orcid for rows in signed for _, orcid in rows):  # one person may have several names
        return True
    families = Counter(key for rows in signed for key in {names.make_family_key(name) for name, _ in rows})
    return max(families.values(), default=0) > needed


def _list_signed(member: SetMember) -> list[tuple[Name, str]]:
    """Return the names of a reference with their ORCID iDs; of a large collaboration none."""
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
    return frozenset(load_package_table(f"{__package__}.evidence", "common_families.toml")["common"].split())
