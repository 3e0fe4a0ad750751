"""What a snapshot claims to hold completely, so that its silence means something.

    article                       all journal articles and conference papers
    article=1990-2020             those of some years
    venue:NeurIPS=2010-2019       all papers of a venue in some years
    prefix:10.1103                all DOIs of a registrant
    all                           everything

Nothing stated is nothing claimed. A reference without a year is never claimed by a claim with years.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from citeproof.errors import UsageError
from citeproof.text import lazy_patterns as re
from citeproof.text.title import make_title_key
from citeproof.vocabulary import Kind, Reach, Reference
from citeproof.vocabulary.quick_dataclass import dataclass

SameVenue = Callable[[str, str], bool]

_OTHER_VENUES = 3  # venues of the same year that must be claimed next to the cited one
_YEARS = re.compile(r"(\d{4})?(?:(-)(\d{4})?)?")
_PREFIX = re.compile(r"10\.\d{4,9}(?:\.\d{1,9}){0,4}")
_KINDS = tuple(kind.value for kind in Kind if kind is not Kind.UNKNOWN)
_HINT = "write KIND, KIND=SINCE-UNTIL, venue:NAME[=SINCE-UNTIL], prefix:10.NNNN or all"


@dataclass(frozen=True, slots=True)
class CoverageClaim:
    """One thing a snapshot claims to hold completely. `what` is "kind", "venue", "prefix" or "all"."""

    what: str
    name: str = ""
    since: int | None = None
    until: int | None = None

    def __str__(self) -> str:
        head = self.name if self.what == "kind" else f"{self.what}:{self.name}" if self.name else self.what
        if self.since is None and self.until is None:
            return head
        return f"{head}={self.since or ''}-{self.until or ''}"


def parse_claim(text: str) -> CoverageClaim:
    """Return the claim that `text` states; raise `UsageError` when it states none."""
    head, years = text.strip(), ""
    if match := re.fullmatch(r"(.{1,300})=([\d-]{1,9})", head):
        head, years = match[1], match[2]
    elif "=" in head and not head.startswith("venue:"):
        raise UsageError("the years are not SINCE-UNTIL", place=f"--covers {text[:80]}", hint=_HINT)
    since, until = _parse_years(years, text)
    what, _, name = head.partition(":")
    if what == "venue" and make_title_key(name):
        return CoverageClaim("venue", name.strip(), since, until)
    if what == "prefix" and _PREFIX.fullmatch(name):
        return CoverageClaim("prefix", name, since, until)
    if head == "all":
        return CoverageClaim("all", "", since, until)
    if head in _KINDS:
        return CoverageClaim("kind", head, since, until)
    kinds = ", ".join(_KINDS)
    raise UsageError(
        "not a valid coverage claim", place=f"--covers {text[:80]}", hint=f"{_HINT}; kinds: {kinds}"
    )


def _parse_years(text: str, whole: str) -> tuple[int | None, int | None]:
    if not text:
        return None, None
    match = _YEARS.fullmatch(text)
    if not match or not (match[1] or match[3]):
        raise UsageError("the years are not SINCE-UNTIL", place=f"--covers {whole[:80]}", hint=_HINT)
    since = int(match[1]) if match[1] else None
    until = int(match[3]) if match[3] else (None if match[2] else since)
    if since and until and since > until:
        raise UsageError("the first year is after the last", place=f"--covers {whole[:80]}", hint=_HINT)
    return since, until


def is_same_folded(a: str, b: str) -> bool:
    """Return whether two venue names are equal, case, marks and punctuation aside."""
    return make_title_key(a) == make_title_key(b)


def find_reach(
    reference: Reference, stated: Iterable[CoverageClaim], same_venue: SameVenue = is_same_folded
) -> Reach:
    """Return what silence means about the work that `reference` describes, with slack.

    A year and a venue are often cited a little wrong, and the work is then held elsewhere or not at all.
    So the years around the cited one must be covered as well, and of a claim that names venues some others.
    Even then a list of a venue's papers lacks the workshop papers that are cited under its name.
    """
    rows = list(stated)
    year = reference.claimed.year
    around = [None] if year is None else [year - 1, year, year + 1]
    if not all(any(_is_in_claim(c, reference, at, same_venue) for c in rows) for at in around):
        return Reach.PARTIAL
    if any(_is_in_claim(c, reference, year, same_venue) for c in rows if c.what != "venue"):
        return Reach.COMPLETE
    venues = {make_title_key(c.name) for c in rows if c.what == "venue" and _is_in_years(c, year)}
    return Reach.COVERS if len(venues) > _OTHER_VENUES else Reach.PARTIAL


def is_at_edge(reference: Reference, stated: Sequence[CoverageClaim], same_venue: SameVenue) -> bool:
    """Return whether the cited year is claimed, but not both years around it: then silence means nothing."""
    year = reference.claimed.year or 0
    years = [any(_is_in_claim(c, reference, year + n, same_venue) for c in stated) for n in (-1, 0, 1)]
    return years[1] and not all(years)


def is_id_covered(scheme: str, value: str, stated: Iterable[CoverageClaim]) -> bool:
    """Return whether some claim covers an identifier: everything, or all DOIs of its registrant."""
    for claim in stated:
        if claim.since or claim.until:
            continue  # an identifier has no year
        if claim.what == "all" or (
            claim.what == "prefix" and scheme == "doi" and value.startswith(f"{claim.name}/")
        ):
            return True
    return False


def _is_in_claim(claim: CoverageClaim, reference: Reference, year: int | None, same_venue: SameVenue) -> bool:
    claimed = reference.claimed
    if not _is_in_years(claim, year):
        return False
    if claim.what == "kind":
        return reference.kind == claim.name
    if claim.what == "venue":
        whole = reference.kind is Kind.BOOK  # the proceedings themselves are not in their list of papers
        return claimed.venue is not None and not whole and same_venue(claimed.venue, claim.name)
    if claim.what == "prefix":
        return any(doi.startswith(f"{claim.name}/") for doi in claimed.ids.all("doi"))
    return claim.what == "all"


def _is_in_years(claim: CoverageClaim, year: int | None) -> bool:
    if claim.since is None and claim.until is None:
        return True
    if year is None:
        return False
    return (claim.since is None or claim.since <= year) and (claim.until is None or year <= claim.until)
