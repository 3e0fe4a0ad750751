"""PubMed and PubMed Central numbers to one form: `34094697`, `PMC8171234`."""

from __future__ import annotations

import re

_PMID = re.compile(
    r"(?:https?://(?:www\.)?(?:pubmed\.ncbi\.nlm\.nih\.gov/|ncbi\.nlm\.nih\.gov/(?:pubmed/|m/pubmed/))"
    r"|(?:pubmed\s{0,3})?pmid\s{0,3}[:=]?\s{0,3}|pubmed\s{0,3}:?\s{0,3})?(\d{1,8})/?",
    re.IGNORECASE,
)
_PMCID = re.compile(
    r"(?:https?://(?:www\.)?(?:pmc\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/pmc)/articles/"
    r"|pmcid\s{0,3}[:=]?\s{0,3})?(?:pmc\s{0,2})?(\d{1,8})(?:\.\d{1,2})?/?",
    re.IGNORECASE,
)


def normalise(value: str) -> str | None:
    """Return the PubMed number in `value` as plain digits, None if malformed."""
    return _read_number(_PMID, value)


def normalise_pmcid(value: str) -> str | None:
    """Return the PubMed Central identifier in `value` as `PMC<digits>`, None if malformed."""
    number = _read_number(_PMCID, value)
    return f"PMC{number}" if number else None


def _read_number(pattern: re.Pattern[str], value: str) -> str | None:
    match = pattern.fullmatch(value[:200].strip(" .,;[]()"))
    if not match or not match[1].isascii():
        return None
    return match[1].lstrip("0") or None
