"""REF ids as one form: the word of the layout in its own case, a hyphen, the digits, a small suffix."""

from __future__ import annotations

from functools import cache

from citeproof.text import lazy_patterns as re

_MAX = 300  # characters of one value that are read
_AROUND = " \t[](){}@\"'"
_DIVIDERS = ":–—-|.])·"


def parse_ref_id(text: str, word: str) -> str:
    """Return the REF id that `text` is, brackets and what follows it aside; empty if it is not one."""
    match = _compile_ref_pattern(word).match(text[:_MAX].strip(_AROUND))
    return _normalise_ref_id(match, word) if match else ""


def match_whole_ref_id(text: str, word: str) -> str:
    """Return the REF id that `text` is, brackets aside; empty if it says anything else."""
    match = _compile_ref_pattern(word).fullmatch(text[:_MAX].strip(_AROUND))
    return _normalise_ref_id(match, word) if match else ""


def split_ref_heading(text: str, word: str) -> tuple[str, str]:
    """Return the REF id that a heading gives its file, and the title it leaves.

    "REF-056: Principles", "[REF-056] Principles", "Principles (REF-056)" and "REF-056 Notes: Principles" do;
    "Notes on REF-056" and "REF-056 and REF-057" do not.
    """
    text = text.strip()
    lead = text.lstrip("[(")
    if match := _compile_ref_pattern(word).match(lead[:_MAX]):
        rest = lead[match.end() :].lstrip()
        title = rest.lstrip(_DIVIDERS + " \t")
        if title == rest and rest:  # no sign parts them: a name of the note, then the title
            if not lead[match.end()].isspace() or find_ref_id(rest[:_MAX], word):
                return "", text
            title = rest.partition(":")[2].strip() or rest
        return (
            ("", text)
            if _compile_ref_pattern(word).match(title[:_MAX])
            else (_normalise_ref_id(match, word), title)
        )
    before, bracket, last = text.rpartition("(" if text.endswith(")") else "[")
    if bracket and text[-1:] in ")]" and (ref := match_whole_ref_id(last, word)):
        return ref, before.strip()
    return "", text


def find_ref_id(text: str, word: str) -> str:
    """Return the first REF id that is in `text`, without its suffix; empty if there is none."""
    match = _compile_ref_pattern(word).search(text)
    return f"{word}-{match[1]}" if match else ""


def parse_file_ref_id(stem: str, word: str) -> str:
    """Return the REF id with which a file's name begins; in `REF-001-smith` "smith" is only a label."""
    match = _compile_ref_pattern(word).match(stem[:_MAX])
    return f"{word}-{match[1]}" if match else ""


def strip_ref_suffix(ref: str) -> str:
    """Return a REF id without its suffix: REF-001-a ⇒ REF-001."""
    return "-".join(ref.split("-")[:2])


@cache
def _compile_ref_pattern(word: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?<![A-Za-z0-9]){re.escape(word)}[-_ ]?(\d{{1,9}})(?![0-9])(?:-([a-z]{{1,40}})(?![A-Za-z0-9-]))?",
        re.IGNORECASE,
    )


def _normalise_ref_id(match: re.Match[str], word: str) -> str:
    return f"{word}-{match[1]}" + (f"-{match[2].lower()}" if match[2] else "")
