"""`dead_link`: the cited web page is gone.

**What it does:** turns what became of the cited address into a finding. References to web pages are read at
their address; where it answers 404 or 410, or shows another page (one that says "not found", a domain for
sale, the first page of the site), the Internet Archive's Wayback Machine is asked for a copy. The finding
names the copy and its date.

**Why it matters:** readers cannot see what was cited. It is a warning;
`citeproof fix --unsafe` puts the address of the copy in its place.

**Kinds:** `archived`: a copy is known; `no_copy`: the archive has none. Such an address may be invented; that
is not proved, as many pages were never archived.

**States:** `clear` means that the page could be read. Where it could not (refused to robots, too many
requests, no answer in time, not readable), the state is `unchecked`, with the reason and the copy, if one was
read: that does not say that the page is gone. Offline nothing is said, nor of addresses that stand for an
identifier of a registry.

**References:** <https://web.archive.org>.
"""

from __future__ import annotations

from citeproof.judgement.checks.base import WORK_CHECKS, add_check
from citeproof.judgement.checks.evidence.work_notices import WorkEvidence
from citeproof.text import lazy_patterns as re
from citeproof.text.unicode import show_one_line
from citeproof.vocabulary import COPY, Absent, Finding, FindingState, Found, Lookup, Record, Unchecked

NAME = "dead_link"
SOURCE = "url"
GONE = "the page is no longer at its address"
_STAMP = re.compile(r"/web/(\d{4})(\d\d)?(\d\d)?")
_LONG = 300  # characters of an address that are shown


@add_check(WORK_CHECKS, 10)
def find_dead_link(evidence: WorkEvidence) -> Finding | None:
    """Return what became of the cited page; None if it was not asked for."""
    provenance = evidence.judgement.provenance
    if provenance is None or not evidence.reference.claimed.ids.pairs:
        return None
    visits = [each for each in provenance.registries_searched if each.source == SOURCE and each.by == "url"]
    findings = [finding for finding in map(_judge_lookup, visits) if finding]
    states = list(FindingState)  # a page that is gone, then one that could be read
    return min(findings, key=lambda finding: states.index(finding.state), default=None)


def _judge_lookup(lookup: Lookup) -> Finding | None:
    match lookup:
        case Found(records=records) if records:
            return _judge_record(records[0])
        case Absent():
            detail = f"{GONE}, and the Wayback Machine has no copy: it may never have existed"
            cited = (f"cited: {show_one_line(lookup.value[:_LONG])}",) if lookup.value else ()
            lines = (*cited, f"{SOURCE}: {GONE}", "Wayback Machine: no copy")
            return Finding(NAME, FindingState.FINDING, detail, SOURCE, "no_copy", evidence=lines)
        case Unchecked(cause=cause) if cause.was_asked:
            why = f": {show_one_line(lookup.detail[:_LONG])}" if lookup.detail else ""
            detail = f"the page could not be read ({cause.value}{why})"
            return Finding(NAME, FindingState.UNCHECKED, detail, SOURCE)
    return None


def _judge_record(record: Record) -> Finding:
    if "archived" not in record.marks:
        return Finding(NAME, FindingState.CLEAR, "", SOURCE)
    copy = next((mark.removeprefix(COPY) for mark in record.marks if mark.startswith(COPY)), "")
    stamp = _STAMP.search(copy)  # the day in the address of a copy, as far as it says one: "2017-06-15"
    of_day = f" of {'-'.join(part for part in stamp.groups() if part)}" if stamp else ""
    address = f"cited: {show_one_line(record.id[:_LONG])}"
    lines = [f"archived copy{of_day}: {show_one_line(copy[:_LONG])}"] if copy else []
    last = f"the Wayback Machine has a copy{of_day}"
    if "dead_link" in record.marks:
        dead = (address, f"{SOURCE}: {GONE}", *lines)
        return Finding(NAME, FindingState.FINDING, f"{GONE}; {last}", SOURCE, "archived", evidence=dead)
    detail = f"the page could not be read; {last}"
    return Finding(NAME, FindingState.UNCHECKED, detail, SOURCE, evidence=(address, *lines))
