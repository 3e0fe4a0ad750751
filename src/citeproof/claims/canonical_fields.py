"""A verified citation with its work's own fields where it states false ones: what is shown is the record's.

A false field is replaced where it is printed, once. Where that cannot be told, the citation is not shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from citeproof.claims.citation_settling import fold_words, list_name_words
from citeproof.text import lazy_patterns as re
from citeproof.text.title import make_title_key
from citeproof.vocabulary import Claimed, GroundedClaim, Mismatch, Name, Record

_TAG = re.compile(r"<[^<>]{1,300}>")
_MOST_NAMES = 6  # of a work that are written, before "et al."
_BETWEEN_NAMES = r"[^\n]{0,60}?"


def write_canonical_fields(
    printed: Sequence[str], grounded: GroundedClaim, behind: str = ""
) -> list[str] | None:
    """Return the texts of a citation as they may be shown; None if a false field cannot be replaced.

    `behind`: what follows them, where a year may be that was read elsewhere: "PRL 72, 1530" " (1994)".
    """
    record = grounded.attached.checked.judgement.work_record if grounded.attached else None
    if grounded.attached is None or record is None:
        return list(printed)
    claimed = grounded.attached.candidate.claimed
    texts = _write_title(printed, claimed, record)
    judgement = grounded.attached.checked.judgement
    people = (note for note in judgement.notes if note.field == "authors")  # shown only if a record has them
    for fault in (*judgement.mismatches, *people):
        if texts is not None and fault.field != "title":
            texts = _write_field([*texts, behind], fault, claimed, record)
            texts = texts[:-1] if texts else None
    return texts


def _write_title(printed: Sequence[str], claimed: Claimed, record: Record) -> list[str] | None:
    """Return the texts with the title of their work."""
    if not record.title or not claimed.title:
        return list(printed)
    own = {make_title_key(title) for title in record.titles}
    key = make_title_key(claimed.title)
    if any(key == title or title.startswith(key) for title in own):  # a subtitle may be left out
        return list(printed)
    written = _replace_once(printed, r"[\s>*_]+".join(map(re.escape, claimed.title.split())), record.title)
    if written is None:  # cut wrongly, perhaps: then the work's own title is in the text
        shown = f" {fold_words(_TAG.sub(' ', ' '.join(printed)))} "
        there = any(f" {fold_words(title)} " in shown for title in record.titles if " " in title)
        return list(printed) if there else None
    return written


def _write_field(
    printed: Sequence[str], fault: Mismatch, claimed: Claimed, record: Record
) -> list[str] | None:
    """Return the texts with a field of the work in place of a false one, if they state it."""
    shown = f" {fold_words(' '.join(printed))} "
    if fault.field == "authors":
        added = len(claimed.authors) > len(record.authors)
        named = not added and all(f" {fold_words(name.family)} " in shown for name in record.authors)
        return list(printed) if named else _write_authors(printed, claimed, record)
    if f" {fold_words(fault.resolved)} " in shown:  # it was read wrongly: the text has what the record says
        return list(printed)
    raw = next((origin.raw for origin in claimed.origins if origin.field == fault.field), "") or fault.claimed
    words = re.findall(r"[^\W_]+", raw)
    edges = (r"(?<![\w./-])", r"(?![\w/-])") if raw[:1].isdigit() else (r"\b", r"(?:\b|(?<=\W))")
    pattern = r"[\W_]+".join(map(re.escape, words)).join(edges)
    if not words or not any(re.search(pattern, text, re.IGNORECASE) for text in printed):
        return list(printed)
    return _replace_once(printed, pattern, fault.resolved) if fault.resolved else None


def _write_authors(printed: Sequence[str], claimed: Claimed, record: Record) -> list[str] | None:
    marked_up = any(text.lstrip().startswith(("@", "{", "<")) for text in printed)
    for pattern, names in () if marked_up else _list_author_places(claimed, record):
        if (written := _replace_once(printed, pattern, names)) is not None:
            return written
    own = list_name_words(record.authors)  # a name may be read with what stands next to it
    strangers = any(own.isdisjoint(list_name_words((name,))) for name in claimed.authors)
    return None if strangers else list(printed)


def _list_author_places(claimed: Claimed, record: Record) -> Iterator[tuple[str, str]]:
    """Yield how the people of a citation may be printed, and what is written in their place."""
    raw = next((origin.raw for origin in claimed.origins if origin.field == "authors"), "")
    if words := re.findall(r"[^\W_]+", raw):
        end = r"\.?" if raw.endswith(".") else ""
        yield r"\b" + r"[\W_]+".join(map(re.escape, words)) + end, _join_names(record.authors, full=True)
    elif claimed.authors and not any(name.given for name in claimed.authors):
        families = map(re.escape, (name.family for name in claimed.authors))
        cut = r"(?:,?\s+et\s+al\.?)?"
        yield rf"\b{_BETWEEN_NAMES.join(families)}\b{cut}", _join_names(record.authors, full=False)


def _join_names(names: Sequence[Name], *, full: bool) -> str:
    if not full:
        families = [name.family for name in names]
        return f"{families[0]} et al." if len(families) > 2 else " & ".join(families)
    shown = [f"{name.given} {name.family}".strip() for name in names[:_MOST_NAMES]]
    return ", ".join([*shown, "et al."] if len(names) > _MOST_NAMES else shown)


def _replace_once(printed: Sequence[str], pattern: str, value: str) -> list[str] | None:
    """Return the texts with a value in the one place where a pattern fits; None if there are more or none."""
    places = [
        (number, match)
        for number, text in enumerate(printed)
        for match in re.finditer(pattern, text, re.IGNORECASE)
    ]
    if len(places) != 1:
        return None
    number, match = places[0]
    written = list(printed)
    written[number] = match.string[: match.start()] + value + match.string[match.end() :]
    return written
