"""arXiv identifiers to one form, without version: `1706.03762`, `hep-th/9711200`."""

from __future__ import annotations

from citeproof.text import lazy_patterns as re

_ARCHIVES = frozenset(
    "acc-phys adap-org alg-geom ao-sci astro-ph atom-ph bayes-an chao-dyn chem-ph cmp-lg comp-gas "  # noqa: SIM905 - words read best as words
    "cond-mat cs dg-ga econ eess funct-an gr-qc hep-ex hep-lat hep-ph hep-th math math-ph mtrl-th "
    "nlin nucl-ex nucl-th patt-sol physics plasm-ph q-alg q-bio q-fin quant-ph solv-int stat "
    "supr-con".split()
)
_LABEL = re.compile(
    r"(?:https?://(?:[a-z0-9-]{1,20}\.){0,2}(?:arxiv|ar5iv|alphaxiv)(?:\.labs\.arxiv)?\.org/"
    r"(?:abs|pdf|html|format|e-print|ps|overview|src)?/?"
    r"|https?://doi\.org/10\.48550/arxiv\.|10\.48550/arxiv\.|corr\s{0,3}[,:]?\s{0,3}abs/|abs/"
    r"|arxiv(?:\s{0,3}e-?prints?|\s{0,3}preprint)?\s{0,3}[:/.]?\s{0,3}(?:arxiv\s{0,3}:\s{0,3})?(?:abs/)?)",
    re.IGNORECASE,
)
_NEW = re.compile(r"(\d{4}\.\d{4,5})(?:v\d{1,3})?")
_OLD = re.compile(r"([a-z-]{2,9})(?:\.[a-z-]{2,9})?/(\d{7})(?:v\d{1,3})?")
_TAIL = re.compile(r"(?:\.pdf|\s{0,3}\[[a-z-]{2,9}(?:\.[a-z-]{2,9})?(?:,\s?[a-z.-]{2,20}){0,5}\])$")
_FIRST_NEW = (2007, 4)  # new identifiers begin in April 2007 ...
_FIRST_LONG = (2015, 1)  # ... and have five digits since January 2015


def normalise(value: str) -> str | None:
    """Return the identifier in `value` without version and subject class, None if malformed."""
    if len(value) > 200:
        return None
    value = _LABEL.sub("", value.strip(), count=1).split("?")[0].split("#")[0].lower()
    value = _TAIL.sub("", value.strip(" .,;/)}").removeprefix("[")).rstrip(" .,;/)]}")
    if match := _NEW.fullmatch(value):
        return match[1]
    match = _OLD.fullmatch(value)
    return f"{match[1]}/{match[2]}" if match and match[1] in _ARCHIVES else None


def read_year_month(arxiv: str) -> tuple[int, int] | None:
    """Return the year and month that the normalised identifier states, None if it states none."""
    digits = arxiv.partition("/")[2] or arxiv
    if len(digits) < 4 or not digits[:4].isdecimal():
        return None
    year, month = int(digits[:2]), int(digits[2:4])
    year += 1900 if "/" in arxiv and year > 90 else 2000
    return (year, month) if 1 <= month <= 12 else None


def is_plausible(arxiv: str) -> bool:
    """Return whether an identifier of this form can exist: a real month, the digits of its time."""
    stated = read_year_month(arxiv)
    if stated is None:
        return False
    if "/" in arxiv:
        return (1991, 7) <= stated < _FIRST_NEW
    long = len(arxiv.partition(".")[2]) == 5
    return stated >= _FIRST_NEW and (stated >= _FIRST_LONG) == long
