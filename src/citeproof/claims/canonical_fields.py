"""A verified citation with its work's own fields where it states false ones: what is shown is the record's.

A false field is replaced where it is printed, once. Where that cannot be told, the citation is not shown;
nor where the record's own value has markup, which would become part of the answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from citeproof.claims.citation_settling import fold_words, list_name_words
from citeproof.text import lazy_patterns as re
from citeproof.text.names import CUT_LIST
from citeproof.text.title import make_title_key
from citeproof.text.unicode import show_one_line
from citeproof.vocabulary import Claimed, GroundedClaim, Mismatch, Name, Record

_CUT = re.compile(rf",?\s{{0,2}}{CUT_LIST}", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]{1,300}>")
_MOST_NAMES = 6  # of a work that are written, before "et al."
_BETWEEN_NAMES = 60  # characters at most
_MARKUP = re.compile(r"[<>\[\]{}`|\\*_]|://|\bwww\.")

_Place = tuple[int, int, int]  # number of a text, and where in it


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
    words = r"[\s>*_]+".join(map(re.escape, claimed.title.split()))
    written = _replace_once(printed, _find_pattern(printed, words), record.title)
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
    places = _find_pattern(printed, pattern) if words else []
    return _replace_once(printed, places, fault.resolved) if places else list(printed)


def _write_authors(printed: Sequence[str], claimed: Claimed, record: Record) -> list[str] | None:
    marked_up = any(text.lstrip().startswith(("@", "{", "<")) for text in printed)
    raw = next((origin.raw for origin in claimed.origins if origin.field == "authors"), "")
    families = [name.family for name in claimed.authors]
    places: list[_Place] = []
    if not marked_up and (words := re.findall(r"[^\W_]+", raw)):
        end = r"\.?" if raw.endswith(".") else ""
        places = _find_pattern(printed, r"\b" + r"[\W_]+".join(map(re.escape, words)) + end)
    elif not marked_up and families and not any(name.given for name in claimed.authors):
        places = [
            (number, *span) for number, text in enumerate(printed) for span in _find_people(text, families)
        ]
    written = _replace_once(printed, places, _join_names(record.authors, full=bool(raw)))
    if written is not None:
        return written
    own = list_name_words(record.authors)  # a name may be read with what stands next to it
    strangers = any(own.isdisjoint(list_name_words((name,))) for name in claimed.authors)
    return None if strangers else list(printed)


def _find_people(text: str, families: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield where family names follow each other in a text, each near the one before it."""
    last = 0
    for first in re.finditer(rf"\b{re.escape(families[0])}\b", text, re.IGNORECASE):
        end = first.end()
        for family in families[1:]:
            named = re.compile(rf"\b{re.escape(family)}\b", re.IGNORECASE)
            found = named.search(text, end, end + _BETWEEN_NAMES + len(family))
            end = found.end() if found and "\n" not in text[end : found.start()] else -1
            if end < 0:
                break
        if end > 0 and first.start() >= last:
            cut = _CUT.match(text, end)
            last = cut.end() if cut else end
            yield first.start(), last


def _join_names(names: Sequence[Name], *, full: bool) -> str:
    if not full:
        families = [name.family for name in names]
        return f"{families[0]} et al." if len(families) > 2 else " & ".join(families)
    shown = [f"{name.given} {name.family}".strip() for name in names[:_MOST_NAMES]]
    return ", ".join([*shown, "et al."] if len(names) > _MOST_NAMES else shown)


def _find_pattern(printed: Sequence[str], pattern: str) -> list[_Place]:
    return [
        (number, *match.span())
        for number, text in enumerate(printed)
        for match in re.finditer(pattern, text, re.IGNORECASE)
    ]


def _replace_once(printed: Sequence[str], places: Sequence[_Place], value: str) -> list[str] | None:
    """Return the texts with a value in its one place; None if there are more or none, or it has markup."""
    if len(places) != 1 or not value or _MARKUP.search(value):
        return None
    number, start, end = places[0]
    written = list(printed)
    written[number] = printed[number][:start] + show_one_line(value) + printed[number][end:]
    return written
