"""Which policy a run has: the settings name it, unless what they fail on was said nearer to the run."""

from __future__ import annotations

from citeproof.errors import UsageError
from citeproof.policies.policy_reader import read_policy
from citeproof.settings import Settings
from citeproof.vocabulary import Policy

_FLAGS = ("--policy", "--fail-on")


def choose_policy(chosen: Settings) -> Policy | None:
    """Return the policy of a run; None: `fail_on` decides. UsageError if both are given by flag."""
    by_flag = [
        flag for flag, name in zip(_FLAGS, ("policy", "fail_on"), strict=True) if chosen.origin(name) == flag
    ]
    if len(by_flag) > 1:
        raise UsageError("cannot be given together", place=" and ".join(_FLAGS), hint="give one of them")
    if not chosen.policy or by_flag == ["--fail-on"]:
        return None
    return read_policy(chosen.policy)
