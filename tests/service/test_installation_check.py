"""What of an installation works, as data."""

from __future__ import annotations

from dataclasses import replace

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


def test_a_broken_list_or_pin_is_a_fault_and_a_missing_one_is_not(tmp_path):
    chosen = Settings(offline=True, cache_dir=tmp_path / "cache", limits_dir=tmp_path / "limits")
    named = {fact.name: fact for fact in examine_installation(chosen)}
    assert (named["list retraction_watch"].value, named["list retraction_watch"].hint) == (
        "is not installed",
        "",
    )
    (tmp_path / "cache/lists").mkdir(parents=True)
    (tmp_path / "cache/lists/retraction_watch.json").write_text("{")
    named = {fact.name: fact for fact in examine_installation(chosen)}
    assert named["list retraction_watch"].value.startswith("is damaged")
    assert "citeproof lists update" in named["list retraction_watch"].hint
    named = {fact.name: fact for fact in examine_installation(replace(chosen, lists_pin="frozen"))}
    assert "cannot be read" in named["pinned lists"].value
    assert named["pinned lists"].hint
