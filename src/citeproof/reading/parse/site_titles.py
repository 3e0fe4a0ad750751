"""A title as search engines and sites print it: `[2409.18194] Title ... - arXiv`, `Title | Site`."""

from __future__ import annotations

from functools import cache

from citeproof.reading.parse.label_stretches import Stretch
from citeproof.text import lazy_patterns as re
from citeproof.text.dates import YEAR
from citeproof.text.package_tables import load_package_table

SURE = 0.9

_ADDRESS = re.compile(r"\s?https?://\S{1,2000}\Z")
_LEAD = re.compile(
    r"\s{0,3}(?:\[(?:\d{4}\.\d{4,5}(?:v\d{1,2})?|[a-z-]{2,15}(?:\.[A-Z]{2})?/\d{7})\]|[(\[]PDF[)\]]|\[HTML\])\s{1,3}"
)
_JOINT = re.compile(r"\s(?:[-–—|·]|::)\s")
_STAMP = re.compile(r"\sarXiv:\d{4}\.\d{4,5}(?:v\d{1,2})?(?:\s\[[\w.-]{2,12}\].{0,20})?\Z")
_JOURNAL = re.compile(r"\b(?:journal|j\.|proceedings)(?!\w)", re.IGNORECASE)
_OWNER = re.compile(
    rf"{_JOURNAL.pattern}|\b(?:institute|laborator(?:y|ies)|university|society|press|publishing)(?!\w)",
    re.IGNORECASE,
)
# A page of a publisher: `Title | Proceedings of the ACM on Programming Languages`.
_PUBLISHED_IN = re.compile(
    r"\b(?:(?:proceedings|transactions|communications) (?:of|on|in)|journal (?:of|on|for)"
    r"|international conference|(?:computing surveys|magazine|letters|journal)\Z)\b",
    re.IGNORECASE,
)
# What a citation has and the bare title of a page does not have.
_CITED = re.compile(
    rf"\bet al\b|[(,]\s?{YEAR}[a-z]?[),.]|,\s{YEAR}\b|\s//\s"
    r"|\s/\s(?:[^\W\d_]\.|[^\W\d_]{2,30}\s[^\W\d_]\.)",
    re.IGNORECASE,
)
# A title does not end in these: it was cut where the line was full.
_OPEN_ENDS = frozenset(
    "a an and as at based between by for from in into its of on or the their through to under using via "  # noqa: SIM905 - words read best as words
    "with within without".split()
)
_ENOUGH = 15  # characters that a title before a stroke must have
_MOST_WORDS = 6  # of the name of a journal or an institute
_DOTS = " .…"


def find_site_title(text: str, *, link: bool) -> dict[str, Stretch] | None:
    """Return the title that is all a plain string says next to its address; None if it says more.

    The words of a link are one title unless they cite; other text only if it is decorated as sites do.
    """
    words = _ADDRESS.sub("", text)
    lead = _LEAD.match(words)
    start = lead.end() if lead else 0
    end, journal = _find_title_end(words, start)
    decorated = bool(lead) or end < len(words)
    if not (link or decorated) or _CITED.search(words, start, end) or " et al" in words[end:]:
        return None
    if "://" in words[start:end] or not any(map(str.isalpha, words[start:end])):
        return None
    stretches = {"title": Stretch(start, end, SURE, ruled=True)}
    return stretches | ({"container": Stretch(*journal, SURE, ruled=True)} if journal else {})


def undecorate_title(title: str) -> str:
    """Return a title that was copied from a page, without the number before it and the site behind it."""
    lead = _LEAD.match(title)
    bare = title[lead.end() :] if lead else title
    joints = list(_JOINT.finditer(bare))
    if joints and _is_place(joints[-1], bare):
        bare = bare[: joints[-1].start()].rstrip()
    return bare if any(map(str.isalpha, bare)) else title


def _is_place(joint: re.Match[str], title: str) -> bool:
    """Return whether what is behind the last stroke of a title is the site or the venue that it is from."""
    behind = title[joint.end() :]
    if _fold_site_name(behind) in _load_site_names():
        return True
    return "|" in joint[0] and joint.start() >= _ENOUGH and _PUBLISHED_IN.search(behind) is not None


def is_cut_title(title: str) -> bool:
    """Return whether a title ends where no title does: "…energy transfer in"."""
    words = title.split()
    return len(words) > 2 and (words[-1].lower() in _OPEN_ENDS or words[-1].endswith("-"))


def _find_title_end(words: str, start: int) -> tuple[int, tuple[int, int] | None]:
    """Return where the title ends, and where a journal is behind it.

    It ends before the name of a site, of a journal or an institute, and before the first of several strokes.
    """
    stamp = _STAMP.search(words, start)
    end = stamp.start() if stamp else len(words)
    joints = list(_JOINT.finditer(words, start, end))
    last = len(joints)
    for number, joint in enumerate(joints):
        behind = words[joint.end() : joints[number + 1].start() if number + 1 < len(joints) else end]
        cut = words[: joint.start()].rstrip().endswith(("...", "…"))
        if cut or _fold_site_name(behind) in _load_site_names():
            last = number
            break
    known = last < len(joints)
    end = joints[last].start() if known else end
    for joint in joints[:last]:
        behind = words[joint.end() : end]
        long = joint.start() - start >= _ENOUGH
        owner = len(behind.split()) <= _MOST_WORDS and _OWNER.search(behind)
        if ("|" in joint[0] and (known or long)) or (owner and long):
            journal = (joint.end(), end) if _JOURNAL.search(behind) else None
            return start + len(words[start : joint.start()].rstrip()), journal
    return start + len(words[start:end].rstrip()), None


def _fold_site_name(name: str) -> str:
    return " ".join(name.lower().strip(_DOTS).split())


@cache
def _load_site_names() -> frozenset[str]:
    return frozenset(load_package_table("citeproof.reading.parse", "sites.toml")["sites"])
