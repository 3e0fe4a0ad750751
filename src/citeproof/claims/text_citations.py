"""What a text cites, and where: entries of lists and BibTeX first, then what its sentences cite.

The one finder of citations in text: it reads the text as a reader sees it (`text/readable_text.py`) and
gives the places in the original. Code cites only by BibTeX, identifiers and whole entries.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice, pairwise

from citeproof.claims.contained_citations import find_contained
from citeproof.reading.extractors import bibtex
from citeproof.reading.extractors.markdown import blank_fences, find_entries
from citeproof.reading.extractors.prose.cited_spans import find_cited_spans, is_other_thing
from citeproof.reading.extractors.prose.entry_segments import EntrySegment, is_likely_reference
from citeproof.reading.extractors.prose.entry_starts import has_leading_name
from citeproof.reading.extractors.prose.field_records import find_field_records
from citeproof.reading.extractors.prose.inline_citations import TextCitation, find_inline_citations
from citeproof.reading.extractors.prose.loose_references import SET_OFF, find_work_ids, is_standalone_citation
from citeproof.reading.extractors.prose.people_with_years import is_led_by_people, is_report
from citeproof.reading.extractors.prose.prose_mask import blank_spans, mask_prose
from citeproof.reading.extractors.prose.text_lines import is_reference_heading, split_lines
from citeproof.reading.extractors.prose.titles_and_people import BRACKETED_YEAR, find_set_off, is_title_case
from citeproof.text import dates, ids
from citeproof.text import lazy_patterns as re
from citeproof.text.bibtex_scanner import BibtexEntry, scan_entries
from citeproof.text.readable_text import read_as_shown
from citeproof.text.span_set import SpanSet
from citeproof.vocabulary import WORK_IDS, Document

__all__ = ["TextCitation", "find_text_citations"]

_BIBTEX = re.compile(r"@\s{0,3}[A-Za-z]{3,20}\s{0,3}[{(]\s{0,9}[^\s,{}]{1,100}\s{0,9},")
_BIBITEM = re.compile(
    r"\\bibitem\s{0,3}(?:\[[^\]\n]{0,200}\]\s{0,3})?\{([^{}\n]{1,200})\}\s{0,9}"
    r"(\S(?s:.{0,3000}?))(?=\\bibitem|\\end\{|\n[ \t]*\n|\Z)"
)
_CLOSING = re.compile(r"\\?\"[\s}\],]{0,20}\Z")
_BOLD_LINE = re.compile(r"\*\*[^*\n]{30,1000}\*\*(?=[ \t]*\n)")
_CELL = re.compile(r"(?<=\|)[^|\n]{1,1000}(?=\|)")
_DEFINED = re.compile(r"^[ \t]{0,3}\[(\^?[^\]\s]{1,60})\](:?)[ \t]{1,9}(\S[^\n]{0,500})$", re.MULTILINE)
_TITLE_FIRST = re.compile(
    r"[*_“\"‘]{1,3}[^\Wa-z_][^*_“”\"]{12,300}(?<!:)[*_”\"’.,]{1,4}[\s,.]{0,3}(?:by\s|in\s|\(|[^\Wa-z_]|[–—-])"
)
_QUOTED_SENTENCE = re.compile(r"[“\"][^“”\"]*[.!?][”\"]")
_WORD = re.compile(
    r"\b(?!(?:doi|https?|url|available|at|from|see|also|and|or|arxiv|preprint)\b)[^\W\d_]{2,}", re.IGNORECASE
)
_SAID = 2  # words between two identifiers that say something of the second
# "[1] opens it, and doi:10.1000/x says so": a number and a sentence, which goes on behind the identifier
_SENTENCE = re.compile(r"(?!https?:|www\.|doi\b|arxiv\b)[a-z]+ (?:.*\s)?\S*(?:10\.\d{4}|://)\S+\s+[a-z]")
_TELLS = re.compile(  # "Mac's Rumours (1977) has eleven tracks": a sentence, not a reference
    r"[^()\n]{0,80}\((?:1[5-9]|20)\d\d[a-z]?\)\s(?:[a-z]{2,}\s)+[a-z]"
    r"|[^\W\d_][\w. ]{1,40}['’]s\s[^()\n]{2,60}\((?:1[5-9]|20)\d\d\)\s[a-z]"
)
_TITLED_LINK = re.compile(r"\[[^\[\]\n]{20,500}\]\(https?://")  # says of which work it is
_ADDRESS = re.compile(r"<?(?:https?://|www\.)\S+")
_FEWEST_LISTED = 4  # words of an item in a reference list that is more than the name of something
_FEWEST = 6  # words of a line that is a reference by itself
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_ITEM_MARK = re.compile(
    r"\s{0,12}(?:[\"'#%;/*!]{1,3}\s{0,3})?(?:(?:\[(\^?[\w-]{1,30})\]:?|(\d{1,3})[.)]?(?=\s)|[-*+•])\s{1,9})?"
)


def find_text_citations(text: str, *, scholarly: bool = False) -> list[TextCitation]:
    """Return what `text` cites, in order; no two share a place. `scholarly`: it is known to cite."""
    readable = read_as_shown(text)
    shown = readable.text
    entries = [*_read_bibtex(shown), *_read_bibitems(shown)]
    records = find_field_records(blank_spans(shown, [one.span for one in entries]))
    entries += [
        TextCitation(one.start, one.end, one.text, one.claimed, entry=True, label=one.label)
        for one in records
    ]
    lines = blank_fences(list(split_lines(blank_spans(shown, [one.span for one in entries]))))
    marked = [(line.start, line.text[:1] == "#", is_reference_heading(line.text)) for line in lines]
    headings = {start: announces for start, hashed, announces in marked if hashed or announces}
    segments = find_entries(lines, set())[0]
    if any(is_other_thing(one.text) for one in segments):
        segments = [one for one in segments if ids.find_ids(one.text)]  # a list of films
    entries += [one for segment in segments for one in _make_entries(shown, segment, headings)]
    taken = SpanSet(one.span for one in entries)
    entries += [one for one in _find_lone_entries(shown) if taken.take(*one.span)]
    defined = (
        match
        for match in _DEFINED.finditer(shown)
        if match[2] or not match[3][0].islower() or "://" in match[3]
    )
    listed = {match[1]: False for match in defined}
    contained = list(find_contained(text, partial(_names_work, headed=True, numbered=True)))
    listed |= {one.label: True for one in (*entries, *contained) if one.label}
    rest = blank_spans(shown, [one.span for one in entries])
    masked = mask_prose(rest)
    inline = find_inline_citations(masked, listed, scholarly=scholarly or bool(entries))
    found = [*entries, *inline]
    placed = [
        replace(one, start=start, end=end) for one in found for start, end in [readable.locate(*one.span)]
    ]
    chosen = [_complete_claim(one) for one in _choose_outer(placed, contained)]
    return sorted(chosen, key=lambda one: one.start)


def _complete_claim(citation: TextCitation) -> TextCitation:
    """Return an entry with what it claims, if it is written in an order that no reference list has."""
    if not citation.entry or citation.claimed is not None:
        return citation
    work = next(find_cited_spans(" ".join(citation.text.split())), None)
    return replace(citation, claimed=work.claimed) if work and work.claimed else citation


def _choose_outer(placed: Sequence[TextCitation], contained: Sequence[TextCitation]) -> list[TextCitation]:
    """Return the citations, and those that markup holds together in the place of what is in them."""
    covering = [one.span for one in placed if one.entry]
    taken = SpanSet()
    kept = [
        one
        for one in contained
        if not any(start <= one.start and one.end <= end for start, end in covering) and taken.take(*one.span)
    ]
    own = {(one.label, at) for one in kept for at in range(one.start - 3, one.start)}  # ".. [1] Smith"
    rest = [one for one in placed if taken.is_free(*one.span)]
    return [*kept, *(one for one in rest if not any((label, one.end) in own for label in one.labels))]


def _read_bibtex(text: str) -> Iterator[TextCitation]:
    """Yield the BibTeX entries of a text, wherever they are."""
    if not _BIBTEX.search(text):
        return
    for entry in scan_entries(text):
        if not isinstance(entry, BibtexEntry) or not (set(entry.fields) & {"title", "author", "doi"}):
            continue
        raw = text[entry.start : entry.end]
        read = bibtex.EXTRACTOR.extract(Document("entry.bib", raw.encode())).references
        claimed = read[0].claimed if read else None
        yield TextCitation(entry.start, entry.end, raw, claimed, entry=True, label=entry.key)


def _read_bibitems(text: str) -> Iterator[TextCitation]:
    """Yield the entries of LaTeX's `thebibliography`."""
    for match in _BIBITEM.finditer(text):
        body = match[2].rstrip()
        words = re.sub(r"\\newblock\b\s*|\\(?:emph|textit|textbf)\{([^{}]*)\}", r"\1", body)
        yield TextCitation(
            match.start(2), match.start(2) + len(body), words, entry=True, label=match[1].strip()
        )


def _make_entries(text: str, segment: EntrySegment, headings: Mapping[int, bool]) -> Iterator[TextCitation]:
    """Yield the citation that an entry is, cut where it has several; none if it names no work.

    `headings`: where each begins, and whether it announces a reference list.
    """
    start, end = segment.start, segment.start + len(text[segment.start : segment.end].rstrip(" |\n"))
    if (closing := _CLOSING.search(text, start, end)) and text[start:end].count('"') % 2:
        end = closing.start()  # of the text that it is the last line of
    start += len(text[start:end]) - len(text[start:end].lstrip(" |"))
    if (bold := _BOLD_LINE.match(text, start, end)) and _names_work(bold[0], headed=False, numbered=False):
        end = bold.end()  # what is below it is a remark
    headed = any(headings.values())
    above = max((place for place in headings if place < start), default=-1)
    marked = bool(text[text.rfind("\n", 0, start) + 1 : start].strip(" \t>|"))
    in_list = headings.get(above, False) and (marked or is_likely_reference(segment.text))
    label, stated = segment.label.removeprefix("^"), segment.claimed
    if stated is not None and stated.title and (stated.authors or stated.year or stated.ids.pairs):
        yield TextCitation(start, end, segment.text, stated, entry=True, label=label)
        return
    for low, high in _find_cuts(text[start:end]):
        raw = text[start + low : start + high]
        if _tells_of_several(raw):
            continue
        words = " ".join(raw.split())
        listed = in_list and len(_ADDRESS.sub("", words).split()) >= _FEWEST_LISTED  # not a web page
        if listed or _names_work(words, headed=headed, numbered=bool(label)):
            yield TextCitation(start + low, start + high, raw, entry=True, label=label)


def _tells_of_several(text: str) -> bool:
    """Return whether a paragraph tells of more than one work: none is verified by another."""
    years = {match["year"] for match in BRACKETED_YEAR.finditer(text)}
    titles = [
        words for _, _, words in find_set_off(text, emphasised=False) if len(words.split()) >= _FEWEST_LISTED
    ]
    return len(years) > 1 or len(titles) > 1 or len(list(islice(find_cited_spans(text), 2))) > 1


def _find_cuts(text: str) -> list[tuple[int, int]]:
    """Return the parts of an entry: one, or as many as it has identifiers of one scheme with words of their
    own. An identifier behind another one is said of the same work, which must have both."""
    found = [one for one in ids.find_ids(text) if one[0] in WORK_IDS]
    schemes = {scheme for scheme, *_ in found}
    values = {scheme: {value for one, value, *_ in found if one == scheme} for scheme in schemes}
    several = next((scheme for scheme in ("doi", "arxiv", "pmid") if len(values.get(scheme, ())) > 1), None)
    if several is None:
        return [(0, len(text))]
    spans = [(start, end) for scheme, _, start, end in found if scheme == several]
    ends = [end for (_, end), (start, _) in pairwise(spans) if len(_WORD.findall(text, end, start)) >= _SAID]
    starts = [0, *(end + len(text[end:]) - len(text[end:].lstrip(" ,;.)\n")) for end in ends)]
    return list(zip(starts, [*ends, len(text)], strict=True))


def _names_work(text: str, *, headed: bool, numbered: bool) -> bool:
    """Return whether an entry names one work: an identifier, people, or a title that stands first and a year.

    Only under a heading may it lack its year, and only there or with a number may it be short.
    """
    if (not (headed or numbered) and _TELLS.match(text)) or (is_other_thing(text) and not ids.find_ids(text)):
        return False
    linked = _TITLED_LINK.search(text)
    in_prose = linked is not None and len(text[: linked.start()].split()) >= _FEWEST
    if (in_prose or _SENTENCE.match(text)) and not has_leading_name(text):
        return False
    dated, whole = bool(dates.find_years(text)), headed or numbered or len(text.split()) > _FEWEST
    if find_work_ids(text) or (has_leading_name(text) and (headed or (dated and whole))):
        return True
    first = _TITLE_FIRST.match(text)
    quotation = first is not None and _QUOTED_SENTENCE.match(text) and not is_title_case(first[0])
    set_off = (
        first is not None
        and not quotation
        and len(SET_OFF.findall(text)) == 1
        and not _goes_on_as_prose(text[first.end() :])
    )
    titled = set_off and not is_report(text)
    return dated and (titled or (whole and is_led_by_people(text)))


def _goes_on_as_prose(text: str) -> bool:
    """Return whether what follows a heading in bold is a sentence that cites, not people, venue and year."""
    words = re.findall(r"[^\W\d_]{4,}", _YEAR.split(text, maxsplit=1)[0])
    return 2 * len([word for word in words if word.islower()]) > max(len(words), _FEWEST)


def _find_lone_entries(text: str) -> Iterator[TextCitation]:
    """Yield the lines and cells that are references by themselves, in code as well: names, and a year."""
    for line in split_lines(text):
        if not dates.find_years(line.text):
            continue
        cells = [match.span() for match in _CELL.finditer(line.text)] if line.text.count("|") > 1 else []
        for low, high in cells or [(0, len(line.text))]:
            mark = _ITEM_MARK.match(line.text, low)
            body = line.text[mark.end() if mark else low : high]
            dated = f"{body.strip()} {' '.join(_YEAR.findall(line.text))}" if cells else body
            if (
                len(dated.split()) > _FEWEST
                and has_leading_name(body)
                and is_standalone_citation(dated.strip())
                and not _TELLS.match(body)
                and not _tells_of_several(body)
            ):
                start = line.start + high - len(body.lstrip())
                label = ((mark[1] or mark[2] or "") if mark else "").removeprefix("^")
                yield TextCitation(
                    start,
                    line.start + high - len(body) + len(body.rstrip()),
                    dated.strip(),
                    entry=True,
                    label=label,
                )
