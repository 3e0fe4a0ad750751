"""Which known series a venue's name means, and which acronyms it gives.

A known acronym or name counts where it is as a name: alone, dated, or next to its own long
form; not where it is a word of another name ("CHI PLAY", "Cells, tissues, organs").
"""

from __future__ import annotations

from dataclasses import dataclass

from citeproof.text import known_series as table
from citeproof.text import venue_parts
from citeproof.text.abbreviation import Form, is_acronym_of
from citeproof.text.journal_words import VenueToken, is_number, load_tables, strip_year
from citeproof.text.venue_parts import VenueSegment

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
