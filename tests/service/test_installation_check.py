"""What of an installation works, as data."""

from __future__ import annotations

from citeproof.service.installation_check import examine_installation
from citeproof.settings import Settings


def test_each_fact_has_a_name_and_what_is_wrong_has_a_hint(tmp_path):
    (tmp_path / "file").write_text("x")
    facts = examine_installation(
        Settings(offline=True, cache_dir=tmp_path / "cache", limits_dir=tmp_path / "file")
    )
    named = {fact.name: fact for fact in facts}
    assert named["live sources"].value == "none is asked: offline"
    assert (named["cache folder"].hint, bool(named["limits folder"].hint)) == ("", True)
    assert named["snapshot"].hint == "make one with: citeproof index starter"
