"""A venue's name ⇒ what it says: which series, which words, main event or workshop, preprint or not.

normal("Proc. 38th Int. Conf. on Machine Learning, ICML 2021, 18-24 July 2021, Virtual Event")
    ⇒ series {"icml"}, acronyms {"icml"}, words ("machine", "learning"), meetings {2021}
"""

from __future__ import annotations

from functools import lru_cache

from citeproof.text import known_series as table
from citeproof.text import lazy_patterns as re
from citeproof.text import venue_parts
from citeproof.text.abbreviation import SECTION, Form, is_acronym_of
from citeproof.text.venue_parts import (
    VenueSegment,
    VenueToken,
    clean_venue,
    find_word_year,
    is_number,
    keep_essential,
    load_tables,
    split_segments,
    strip_year,
)
from citeproof.vocabulary.quick_dataclass import dataclass

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
SUBTITLE = frozenset({":", ";", "(", "[", "-", "--", "---", "]", "=", ".", "/", "|"})
_PAREN = frozenset({"(", "[", "=", "."})
_WORKSHOP = frozenset({"workshop", "workshops", "wkshp", "wkshps", "wksp"})
_MAX_SPAN = 5  # segments one name may run over ("Acoustics, Speech, and Signal Processing")
_SHORT_NAME = 3  # below so many words its place distinguishes a name from a part of another
_CAPITALS = 2  # capital letters that make a word an acronym
_MAX_ACRONYM = 14
_LONG_ACRONYM = 8  # letters of one that is no word of the language ("Interspeech")
_MAX_SMALL = 6  # letters of an acronym in small letters, alone ("icmas95")
_NOTHING: frozenset[str] = frozenset()


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
    meetings: frozenset[int] = frozenset()  # years of the meeting that it names, by its year or its number


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
        years = filter(None, (find_word_year(t.word) for t in self.tokens))
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
            meetings=frozenset((*years, *table.list_meeting_years(self.full, series))),
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


@dataclass(frozen=True, slots=True)
class _KnownAcronym:
    """A known acronym where it is: its series, its letters, and whether a year is with it."""

    series: str
    letters: Form
    dated: bool


class SeriesFinder:
    """Finds the series and acronyms of one name; `bare` are its segments without acronyms."""

    def __init__(self, parts: list[VenueSegment], *, event: bool, loose: bool, nouns: frozenset[str]) -> None:
        self.words = load_tables()
        self.parts = parts
        self.event = event
        self.loose = loose
        self.nouns = nouns  # the kinds of event that the whole name mentions
        self.acronyms: set[str] = set()
        self.series: set[str] = set()
        self.hosts: dict[str, Form] = {}  # named inside another name: an organiser, the host of a workshop
        self._read: dict[int, tuple[VenueSegment, Form, frozenset[str]]] = {}
        self._runs: dict[tuple[int, int], tuple[table.SeriesAlias, ...]] = {}
        self.bare = [self._take_acronyms(segment) for segment in parts]
        self.workshop = self._take_names()

    def content(self, segment: VenueSegment) -> tuple[Form, frozenset[str]]:
        """Return the naming words of a segment and its sponsors, read once."""
        known = self._read.get(id(segment))
        if known is None:  # the segment is kept next to them, so that its id stays its own
            known = (segment, *venue_parts.read_content(segment, event=self.event, loose=self.loose))
            self._read[id(segment)] = known
        return known[1], known[2]

    def only_noise(self, words: Form) -> bool:
        """Return whether words next to an acronym name nothing ("Proc. IEEE", "preprint")."""
        noise, expand = self.words.noise, self.words.expand
        return all((bare := w.rstrip(".")) in noise or expand.get(bare) in noise for w in words)

    def _take_acronyms(self, segment: VenueSegment) -> VenueSegment:
        """The segment without its acronyms; known ones are put to the series they represent."""
        rest: list[VenueToken] = []
        acronyms: list[_KnownAcronym] = []
        at = 0
        while at < len(segment.tokens):
            letters = self._letters(segment.tokens, at)
            if letters is None:
                rest.append(segment.tokens[at])
                at += 1
            else:
                acronyms.append(letters)
                at += len(letters.letters)
        if not acronyms:
            return self._take_unknown(segment)
        if segment.joint and all(_looks_like_acronym(t, alone=False) for t in rest):
            self.acronyms.update(strip_year(t.word) for t in rest)
            rest = []
        left = segment.replace_tokens(tuple(rest))
        self._place_acronym(segment, left, acronyms)
        return left

    def _letters(self, tokens: tuple[VenueToken, ...], at: int) -> _KnownAcronym | None:
        """The known acronym of two words or one that is at `at`, if it is written as one."""
        token = tokens[at]
        words = tuple(strip_year(t.word) for t in tokens[at : at + 2])
        for letters in (words, words[:1]) if len(words) > 1 else (words,):
            known = table.find_by_acronym(letters)
            if known and self._is_acronym(token, known):
                after = tokens[at + len(letters)].word if at + len(letters) < len(tokens) else ""
                return _KnownAcronym(known, letters, dated=words[0] != token.word or after.isdigit())
        return None

    def _is_acronym(self, token: VenueToken, known: str) -> bool:
        """Capitals or length say so; short small letters only where nothing else is named ("aaai88")."""
        if table.load_catalogue().series[known].kind == "preprint" or len(token.word) >= _LONG_ACRONYM:
            return True
        if sum(c.isupper() for c in token.raw) >= _CAPITALS:
            return True
        rest = (t.word for s in self.parts for t in s.tokens if t is not token)
        return all(is_number(word) or self.only_noise((word,)) for word in rest)

    def _place_acronym(
        self, segment: VenueSegment, left: VenueSegment, acronyms: list[_KnownAcronym]
    ) -> None:
        """A known acronym represents its series when it is alone or dated; else it waits for a name."""
        words, _ = self.content(left)
        alone = not words or (not self.event and self.only_noise(words))
        for acronym in acronyms:
            preprint = table.load_catalogue().series[acronym.series].kind == "preprint"
            if preprint or acronym.dated or (alone and not self._is_other_acronym(segment, acronym)):
                self.series.add(acronym.series)
                self.acronyms.update(acronym.letters)
            elif alone:
                self.acronyms.update(acronym.letters)
            else:
                self.hosts[acronym.series] = acronym.letters

    def _is_other_acronym(self, segment: VenueSegment, acronym: _KnownAcronym) -> bool:
        """Whether the letters spell another name that stands by ("Digital Arts and Culture (DAC)")."""
        for other in self.parts:
            if other is segment:
                continue
            words = tuple(t.word for t in other.tokens if not t.is_stop and not is_number(t.word))
            own = any(a.series.id == acronym.series for a in self._find_named(other))
            if not own and is_acronym_of("".join(acronym.letters), words, _NOTHING):
                return True
        return False

    def _take_unknown(self, segment: VenueSegment) -> VenueSegment:
        """The segment without an acronym that the table does not know: alone, before a year or a section."""
        names = [t for t in segment.tokens if not is_number(t.word) and not self.only_noise((t.word,))]
        only = len(self.parts) == len(segment.tokens) == 1
        if not names or not _looks_like_acronym(names[0], alone=only):
            return segment
        if len(names) > 1 and (len(names) > 2 or len(names[1].word) > 1):
            return segment
        self.acronyms.add("".join(strip_year(t.word) for t in names))
        return segment.replace_tokens(tuple(t for t in segment.tokens if t not in names))

    def _find_named(self, *segments: VenueSegment) -> tuple[table.SeriesAlias, ...]:
        """The known names that the segments together are."""
        read = [self.content(s) for s in segments]
        form = tuple(w for words, _ in read for w in words)
        sponsors = frozenset[str]().union(*(s for _, s in read))
        nouns = self.nouns & {self.words.expand.get(t.word, t.word) for s in segments for t in s.tokens}
        alias = table.find_by_name(form, event=self.event, sponsors=sponsors, nouns=nouns)
        if not alias and not self.event and form and form[0].rstrip(".") in self.words.sponsor:
            bare = tuple(w for w in form if w.rstrip(".") not in self.words.sponsor)
            named = table.find_by_name(bare, event=False, sponsors=sponsors)
            alias = tuple(a for a in named if a.series.kind == "conference")
        return alias

    def _take_names(self) -> bool:
        """Put every known name to its series; return whether a workshop is named next to them."""
        consumed: set[int] = set()
        for short in (False, True):
            if short and self.series:
                break  # "Computer Vision - ECCV 2018": two words next to a known series name nothing else
            start = 0
            while start < len(self.parts):
                end, hits = self._longest(start, short=short)
                self.series.update(a.series.id for a in hits)
                if any(a.workshop for a in hits):
                    consumed.update(range(start, end))
                start = end
        return any(
            t.word in _WORKSHOP for at, s in enumerate(self.parts) if at not in consumed for t in s.tokens
        )

    def _longest(self, start: int, *, short: bool) -> tuple[int, tuple[table.SeriesAlias, ...]]:
        """The longest run of segments from `start` that is a known name: where it ends, and the name."""
        for end in range(min(len(self.parts), start + _MAX_SPAN), start, -1):
            hits = tuple(a for a in self._run(start, end) if self._stands_alone(a, start, end, short=short))
            if hits:
                return end, hits
        return start + 1, ()

    def _run(self, start: int, end: int) -> tuple[table.SeriesAlias, ...]:
        known = self._runs.get((start, end))
        if known is None:
            whole, bare = self.parts[start:end], self.bare[start:end]
            known = self._find_named(*whole) or (self._find_named(*bare) if bare != whole else ())
            self._runs[start, end] = known
        return known

    def _stands_alone(self, alias: table.SeriesAlias, start: int, end: int, *, short: bool) -> bool:
        """Whether a run of segments is a name, not words of a longer one ("Cells, tissues, organs")."""
        after = self.parts[end].before if end < len(self.parts) else ""
        if not self.event or alias.series.kind == "journal":
            broken = _PAREN if len(alias.form) < _SHORT_NAME else SUBTITLE
            free = start == 0 and (not after or after in broken or self._no_name(end))
            return free and (short or alias.series.kind != "journal")
        if len(alias.form) >= _SHORT_NAME:
            return True
        words = [t.word for s in self.parts[start:end] for t in s.tokens]
        named_event = any(w in self.words.event or w in self.words.expand for w in words)
        return (named_event or (short and start == 0)) and (after != "," or self._no_name(end))

    def _no_name(self, at: int) -> bool:
        """Whether the segment at `at` has no words that could carry a name on."""
        segment = self.parts[at]
        if any(t.word in self.words.event for t in segment.tokens):
            return True
        kept = tuple(t for t in segment.tokens if strip_year(t.word) not in self.acronyms)
        return not venue_parts.read_content(segment.replace_tokens(kept), event=True, loose=self.loose)[0]


def _looks_like_acronym(token: VenueToken, *, alone: bool) -> bool:
    if not _CAPITALS <= len(token.word) <= _MAX_ACRONYM:
        return False
    if sum(c.isupper() for c in token.raw) >= _CAPITALS:
        return True
    return alone and token.raw.islower() and len(strip_year(token.word)) <= _MAX_SMALL
