"""A venue's name ⇒ what it says: which series, which words, main event or workshop, preprint or not.

normal("Proc. 38th Int. Conf. on Machine Learning, ICML 2021, 18-24 July 2021, Virtual Event")
    ⇒ series {"icml"}, acronyms {"icml"}, words ("machine", "learning"), year 2021, ordinal 38
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from citeproof.text import known_series as table
from citeproof.text.abbreviation import SECTION, Form
from citeproof.text.journal_words import find_word_year, is_number, load_tables
from citeproof.text.venue_parts import VenueSegment, clean_venue, keep_essential, split_segments
from citeproof.text.venue_series import SUBTITLE, SeriesFinder

_SUBMISSION = re.compile(
    r"\((?:under )?(?:submission|submitted|review)(?::\s{0,3}([A-Za-z]{1,20}))?[^()]{0,40}\)", re.IGNORECASE
)
_SUBMITTED = re.compile(
    r"(?:submitted|to appear|to be published|accepted)\s+(?:to|in|at|by)\s+", re.IGNORECASE
)
_HOSTED = re.compile(r"([\w*-]{2,20})\s?@")  # "SemEval@COLING": the first may be an event of its own
_ARXIV_ID = re.compile(r"\s{0,3}(?:abs/)?(?:[a-z-]{2,12}(?:\.[A-Z]{2})?/\d{7}|\d{4}\.\d{4,5}|cs\.[A-Z]{2}$)")
_ACCEPTED = ("accept", "poster", "oral", "spotlight")
_MAX_FORM = 24


@dataclass(frozen=True, slots=True)
class Venue:
    """What a venue's name says. `words` are whole and folded, noise, dates and places left out."""

    acronyms: frozenset[str] = frozenset()
    words: tuple[str, ...] = ()
    series: frozenset[str] = frozenset()  # ids of the table; several when events were held together
    forms: tuple[Form, ...] = ()  # the name and its shorter readings; "phys." may be cut, "§a" is a section
    translated: tuple[Form, ...] = ()  # a parallel title after "="
    initials: Form = ()  # every word that an acronym of the name may take a letter of
    nouns: frozenset[str] = frozenset()  # "symposium", "congress", "colloquium"
    workshop: bool = False
    findings: bool = False
    track: str = ""  # "demo", "extended abstracts", ...
    apart: bool = False  # the track has proceedings of its own
    preprint: bool = False
    submission: str = ""  # "open", or the decision when it was not accepted
    cut: bool = False  # ends in an ellipsis
    vague: bool = False  # names a publisher, an institution or nothing
    kind: str = ""  # "conference", "journal", "carrier", "preprint" or ""
    year: int | None = None
    ordinal: int | None = None


@lru_cache(maxsize=8192)
def parse_venue(venue: str) -> Venue:
    """Return what the name `venue` says."""
    text = _SUBMITTED.sub("", clean_venue(venue), count=1)
    submission = ""
    if (match := _SUBMISSION.search(text)) is not None:
        submission = (match[1] or "open").casefold()
        submission = "" if submission.startswith(_ACCEPTED) else submission
        text = text[: match.start()] + text[match.end() :]
    if _ARXIV_ID.match(text):
        return Venue(series=frozenset({"arxiv"}), preprint=True, kind="preprint")
    if text.strip().casefold() in {"preprint", "preprints", "e-print", "eprint"}:
        return Venue(preprint=True, kind="preprint")
    parts = split_segments(text, ends_cut=venue.rstrip().endswith("."))
    return _VenueReader(parts, text, submission).venue() if parts else Venue(vague=True)


@lru_cache(maxsize=4096)
def find_known_series(venue: str) -> str | None:
    """Return the id of the one series the table knows `venue` by, or None."""
    known = parse_venue(venue)
    if known.workshop or known.apart or known.findings:
        return None
    ids = sorted(known.series)
    return ids[0] if len(ids) == 1 else _find_leading(venue, known) if ids else None


def _find_leading(venue: str, known: Venue) -> str | None:
    """Of events held together, the one whose acronym stands first in the name."""
    folded = venue.casefold()
    at = {folded.find(a): a for a in known.acronyms if a in folded}
    return table.find_by_acronym((at[min(at)],)) if at else None


def _is_own_event(text: str) -> bool:
    """Return whether what is held at another event ("SemEval@COLING") is a known one itself."""
    match = _HOSTED.search(text)
    return match is not None and table.find_by_acronym((match[1].casefold(),)) is not None


class _VenueReader:
    """Reads one name, step by step; lives for one call."""

    def __init__(self, parts: list[VenueSegment], text: str, submission: str) -> None:
        self.words = load_tables()
        self.text = text
        self.submission = submission
        self.tokens = [t for s in parts for t in s.tokens]
        self.full = [self.words.expand.get(t.word, t.word) if t.cut else t.word for t in self.tokens]
        self.event = self._is_event()
        # PubMed writes "Proc Natl Acad Sci": no full stops, no little words. One word alone is never cut.
        loose = len(self.tokens) > 1 and "." not in text and not any(t.is_stop for t in self.tokens)
        self.track, self.apart, parts = self._track(parts)
        self.nouns = table.NOUNS & frozenset(self.full)
        self.finder = SeriesFinder(keep_essential(parts), event=self.event, loose=loose, nouns=self.nouns)
        self.workshop = (self.finder.workshop or "@" in text) and not _is_own_event(text)
        self.findings = "findings" in (self.full[0], self.full[-1])

    def venue(self) -> Venue:
        """Return all that was read."""
        finder = self.finder
        contents = [] if self.findings else [finder.content(s)[0] for s in finder.bare]
        whole = tuple(w for c in contents for w in c)[:_MAX_FORM]
        if not self.event and finder.acronyms and finder.only_noise(whole):
            whole, contents = (), []
        series = self._series(whole)
        kinds = {table.load_catalogue().series[s].kind for s in series}
        return Venue(
            acronyms=frozenset(finder.acronyms),
            words=tuple(w.rstrip(".") for w in whole),
            series=series,
            forms=_list_forms(finder.bare, contents, event=self.event),
            translated=self._split_translated(contents),
            initials=self._initials(),
            nouns=self.nouns,
            workshop=self.workshop,
            findings=self.findings,
            track=self.track,
            apart=self.apart,
            preprint=kinds == {"preprint"},
            submission=self.submission,
            cut=self.text.rstrip(" )").endswith("..."),
            vague=not series and not finder.acronyms and self._is_vague(whole),
            kind=min(kinds) if kinds else self._kind(),
            year=next((y for t in self.tokens if (y := find_word_year(t.word))), None),
            ordinal=next((int(w[:-2]) for w in self.full if w[:-2].isdigit() and w[-2:].isalpha()), None),
        )

    def _is_event(self) -> bool:
        first = next((w for w in self.full if w not in self.words.stop and not is_number(w)), "")
        return first not in self.words.periodical and any(w in self.words.event for w in self.full)

    def _kind(self) -> str:
        if self.event:
            return "conference"
        return "journal" if any(w in self.words.periodical for w in self.full) else ""

    def _track(self, parts: list[VenueSegment]) -> tuple[str, bool, list[VenueSegment]]:
        """The track a name mentions, whether it stands apart, and the name without it."""
        track, apart, full = "", False, frozenset(self.full)
        for phrases in (self.words.apart, self.words.within, self.words.main):
            for phrase in phrases:
                if phrase[0] not in full or (kept := _strike_phrase(parts, phrase, self.words.stop)) is None:
                    continue
                parts = kept
                if not track and phrases is not self.words.main:
                    track, apart = " ".join(phrase), phrases is self.words.apart
        return track, apart, parts

    def _series(self, whole: Form) -> frozenset[str]:
        """The series meant: a workshop's host is one; a preprint's number next to a venue is not one."""
        series = set(self.finder.series)
        if self.findings:
            series = ((series | set(self.finder.hosts)) - {"aclanthology", "acl"}) or {"acl"}
        elif not series and (self.workshop or self.apart or not whole):
            series = set(self.finder.hosts)
        published = {s for s in series if table.load_catalogue().series[s].kind != "preprint"}
        return frozenset(published or series)

    def _split_translated(self, contents: list[Form]) -> tuple[Form, ...]:
        """Parallel titles: "Title = Titel", "[Titel] Title"."""
        bracketed = self.text[:1] == "["
        pairs = zip(self.finder.bare, contents, strict=False)
        return tuple(c for s, c in pairs if c and (s.before in {"=", "|"} or (bracketed and s.before == "]")))

    def _initials(self) -> Form:
        pairs = zip(self.full, self.tokens, strict=True)
        return tuple(w for w, t in pairs if not t.is_stop and not w.isdigit())[:_MAX_FORM]

    def _is_vague(self, words: Form) -> bool:
        bare = tuple(w.rstrip(".") for w in words)
        if not bare or bare in self.words.vague_names:
            return True
        return self._kind() == "" and any(w in self.words.vague for w in bare)


def _strike_phrase(
    parts: list[VenueSegment], phrase: Form, stop: frozenset[str]
) -> list[VenueSegment] | None:
    """The name without a phrase; None when it does not hold it or is nothing else."""
    for at, segment in enumerate(parts):
        rest = _remove_phrase(segment, phrase, stop)
        if rest is not None and (rest.tokens or len(parts) > 1):
            return [*parts[:at], *([rest] if rest.tokens else []), *parts[at + 1 :]]
    return None


def _remove_phrase(segment: VenueSegment, phrase: Form, stop: frozenset[str]) -> VenueSegment | None:
    """The segment without a run of tokens that reads as `phrase`; None when it does not hold it."""
    tokens = [(at, t) for at, t in enumerate(segment.tokens) if t.word not in stop]
    for at in range(len(tokens) - len(phrase) + 1):
        if all(tokens[at + k][1].word == phrase[k] for k in range(len(phrase))):
            first, last = tokens[at][0], tokens[at + len(phrase) - 1][0]
            return segment.replace_tokens((*segment.tokens[:first], *segment.tokens[last + 1 :]))
    return None


def _list_forms(parts: list[VenueSegment], contents: list[Form], *, event: bool) -> tuple[Form, ...]:
    """The whole name and its beginnings: before a subtitle; for an event, before each comma."""
    forms: list[Form] = []
    grown: Form = ()
    for segment, words in zip(parts, contents, strict=False):
        if grown and words and words[0][0] != SECTION and (event or segment.before in SUBTITLE):
            forms.append((*grown[:-1], grown[-1].rstrip(".")) if segment.before == "." else grown)
        grown = (*grown, *words)[:_MAX_FORM]
    if grown:
        forms.insert(0, grown)
    return tuple(dict.fromkeys(forms))
