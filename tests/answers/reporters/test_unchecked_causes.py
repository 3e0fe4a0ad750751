"""Why references could not be checked, in the fewest words."""

from __future__ import annotations

from dataclasses import replace

from citeproof.answers.reporters.wording import name_causes
from citeproof.vocabulary import PAUSED, Cause, Reach, Retrieval, Unchecked


def test_a_source_that_was_spared_is_told_with_those_that_were_asked(made_checked):
    why = "server name could not be resolved"
    lookups = tuple(
        Unchecked(source, "title", Cause.TIMEOUT, detail, Reach.COMPLETE)
        for source, detail in (("crossref", f"{PAUSED}{why}"), ("openalex", why), ("dblp", "no connection"))
    )
    checked = replace(made_checked["unchecked"], retrieved=Retrieval(lookups))
    assert name_causes(checked) == f"crossref, openalex: {why}; dblp: no connection"
