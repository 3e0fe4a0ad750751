"""By what a problem is known again in the next run, wherever its line stands then."""

from __future__ import annotations

from hashlib import sha256

from citeproof.vocabulary import Acceptance, Checked, Finding, Label, SetFinding, Verdict

RULE_OF = {
    Verdict.MATCHED: "citation-differs", Verdict.AMBIGUOUS: "citation-ambiguous",
    Verdict.MISMATCH: "citation-mismatch", Verdict.NOT_FOUND: "citation-not-found",
    Verdict.UNCHECKED: "citation-unchecked",
}  # fmt: skip
NOTED_RULE = "citation-noted"  # of a work that was found, and a difference that may be the record's fault
FINDING_RULE = "integrity-finding"


def name_rule(checked: Checked) -> str:
    """Return the rule under which reports list the judgement of a reference."""
    return NOTED_RULE if checked.label is Label.NOTED else RULE_OF[checked.verdict]


def identify_judgement(checked: Checked, rule: str = "") -> str:
    """Return what makes the judgement of a reference the same: its rule, the key and the citation."""
    return f"{rule or name_rule(checked)}\0{checked.reference.key}\0{checked.reference.raw}"


def identify_finding(checked: Checked, finding: Finding) -> str:
    """Return what makes a finding about a cited work the same."""
    return identify_judgement(checked, f"{FINDING_RULE}:{finding.name}")


def identify_set_finding(about: SetFinding) -> str:
    """Return what makes a finding about references together the same: the document and the references."""
    return "\0".join((f"{FINDING_RULE}:{about.finding.name}", about.place.file, *sorted(about.keys)))


def make_fingerprint(identity: str) -> str:
    """Return the 32 hexadecimal digits that reports, baselines and ignore lists know a problem by."""
    return sha256(identity.encode("utf-8", "replace")).hexdigest()[:32]


def find_acceptance(checked: Checked, identity: str) -> Acceptance | None:
    """Return how a problem of a reference was accepted, if it was."""
    if not checked.accepted:
        return None
    wanted = make_fingerprint(identity)
    return next((acceptance for acceptance in checked.accepted if acceptance.fingerprint == wanted), None)
