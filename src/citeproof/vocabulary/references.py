"""What is cited: documents, references, and what they claim."""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol, Self

from citeproof.vocabulary.quick_dataclass import dataclass, field


class WordedEnum(StrEnum):
    """A word for programs, and the words for people."""

    words: str

    def __new__(cls, value: str, words: str = "") -> Self:
        member = str.__new__(cls, value)
        member._value_, member.words = value, words
        return member


class Kind(StrEnum):
    """The type of a cited work. `ARTICLE` is a journal article or a conference paper."""

    ARTICLE = "article"
    PREPRINT = "preprint"
    BOOK = "book"
    CHAPTER = "chapter"
    THESIS = "thesis"
    REPORT = "report"
    STANDARD = "standard"
    DATASET = "dataset"
    SOFTWARE = "software"
    WEB_PAGE = "web_page"
    LEGAL = "legal"
    PERSONAL_COMMUNICATION = "personal_communication"
    UNKNOWN = "unknown"


# The order in which identifiers are looked up; also the closed list of schemes that name one work.
ID_ORDER: tuple[str, ...] = ("doi", "pmid", "pmcid", "arxiv", "ads", "isbn", "issn", "who_iris", "url")

# The schemes whose identifier names one work: an ISSN names a journal, a URL any page, an ISBN a whole
# book, which may be cited for a part of it.
ID_NAMES = {
    "doi": "DOI", "pmid": "PMID", "pmcid": "PMCID", "arxiv": "arXiv number", "ads": "ADS bibcode",
    "isbn": "ISBN", "issn": "ISSN", "who_iris": "WHO IRIS address", "url": "address",
}  # fmt: skip
WORK_IDS: frozenset[str] = frozenset(ID_ORDER) - {"issn", "isbn", "url"}


@dataclass(frozen=True, slots=True)
class Ids:
    """Identifiers as (scheme, normalised value) pairs; a scheme may occur more than once."""

    pairs: tuple[tuple[str, str], ...] = ()

    def first(self, scheme: str) -> str | None:
        return next((value for name, value in self.pairs if name == scheme), None)

    def all(self, scheme: str) -> tuple[str, ...]:
        return tuple([value for name, value in self.pairs if name == scheme]) if self.pairs else ()

    def __bool__(self) -> bool:
        return bool(self.pairs)


def _is_east_asian(letter: str) -> bool:
    """Return whether a letter is of a script in which the family name comes first: Han, kana, hangul."""
    return "\u3040" <= letter <= "\u9fff" or "\uac00" <= letter <= "\ud7af"


NO_IDS = Ids()


@dataclass(frozen=True, slots=True)
class Name:
    """One author. `family` holds the whole name when it is a collective or cannot be split."""

    family: str
    given: str = ""
    suffix: str = ""
    collective: bool = False

    @property
    def display(self) -> str:
        """The name as people write it: the family last, but first in Chinese, Japanese and Korean script."""
        if self.given and _is_east_asian(self.family[:1]) and _is_east_asian(self.given[:1]):
            return f"{self.family}{self.given}"
        whole = f"{self.given} {self.family}".strip()
        return f"{whole}, {self.suffix}" if self.suffix else whole


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is: file, 1-based line and column, page, byte span [start, end).

    `box` is left, top, right, bottom in points, counted from the top left corner of `page`.
    """

    file: str = ""
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    page: int | None = None
    start: int | None = None
    end: int | None = None
    box: tuple[float, float, float, float] | None = None


_NOWHERE = Place()


class Origin(StrEnum):
    """Where a parsed field came from."""

    STRUCTURED = "structured"  # the document's own field (BibTeX, CSL-JSON, a flag)
    RULE = "rule"  # found by an anchor rule in running text
    SPLIT = "split"  # rules for citation strings before there was a tagger; in reports of that time
    MODEL = "model"  # a trained tagger
    LANGUAGE_MODEL = "language_model"  # a language model that was asked for what the others left empty


@dataclass(frozen=True, slots=True)
class FieldOrigin:
    """How one claimed field was read, and how sure that reading is (0..1)."""

    field: str
    origin: Origin
    confidence: float
    raw: str = ""  # the field as it is in the citation string, where it was read out of one


@dataclass(frozen=True, slots=True)
class Claimed:
    """The fields of a reference as the document claims them."""

    title: str | None = None
    authors: tuple[Name, ...] = ()
    et_al: bool = False  # the list says itself that it is cut ("et al.", "and others")
    editors: tuple[Name, ...] = ()
    year: int | None = None
    venue: str | None = None  # journal, proceedings, book or site that contains the work
    series: str | None = None
    volume: str | None = None
    issue: str | None = None
    pages: str | None = None
    publisher: str | None = None
    edition: str | None = None
    ids: Ids = NO_IDS
    origins: tuple[FieldOrigin, ...] = ()

    def confidence(self, name: str) -> float:
        """How sure the reading of field `name` is; 1.0 when nothing was noted against it."""
        return next((o.confidence for o in self.origins if o.field == name), 1.0)


DAMAGED = "damaged_"  # of a code in `suspicious`; the encoding follows that its text was read in


@dataclass(frozen=True, slots=True)
class RawReference:
    """What an extractor found: the reference as it is in the document.

    `claimed` is given when the document itself is structured (BibTeX, CSL-JSON); else `text` is
    still to be parsed.
    """

    key: str  # the document's own key, or "ref-<n>"
    text: str
    place: Place
    kind: Kind = Kind.UNKNOWN
    claimed: Claimed | None = None
    citing: tuple[str, ...] = ()  # sentences of the document that cite it
    suspicious: tuple[str, ...] = ()  # reason codes found while reading, e.g. "suspicious_characters"
    accessed: str = ""  # when its author says that it was looked at: 2021, 2021-05 or 2021-05-03


@dataclass(frozen=True, slots=True)
class Reference:
    """One cited work as the document describes it: raw text, parsed fields, where it is."""

    key: str
    raw: str
    kind: Kind
    claimed: Claimed
    place: Place = _NOWHERE
    citing: tuple[str, ...] = ()
    suspicious: tuple[str, ...] = ()
    accessed: str = ""  # 2021, 2021-05 or 2021-05-03
    dated: str = ""  # the document's own date, in the same forms


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a document that could not be read, located; never silently dropped."""

    place: Place
    message: str
    hint: str = ""
    text: str = ""  # the offending text, bounded
    note: bool = False  # nothing is wrong: something was left out on purpose, and the reader should know
    whole: bool = False  # nothing of the file could be read
    finding: str = ""  # the check of the set that reports it, too; a report for people prints it once
    # of a file: its encoding, a guess, and the letters that another one, almost as likely, reads otherwise
    doubtful: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class KeyPlace:
    """A key of a bibliography, and where it is cited or defined."""

    key: str
    place: Place


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """What a document says about itself and its bibliography, as far as its format says."""

    authors: tuple[Name, ...] = ()  # of the document; empty: not known
    undefined: tuple[KeyPlace, ...] = ()  # cited, but in no bibliography
    uncited: tuple[KeyPlace, ...] = ()  # in a bibliography of the document, but never cited
    saved_by: tuple[Name, ...] = ()  # in the properties of a file: its authors, or who set up the template


NO_FACTS = DocumentFacts()


@dataclass(frozen=True, slots=True)
class Extraction:
    """Everything read from one document. `expected` is how many references it should have."""

    references: tuple[RawReference, ...]
    problems: tuple[Problem, ...] = ()
    expected: int | None = None
    format: str = ""
    about: DocumentFacts = NO_FACTS
    dated: str = ""  # the date that the document itself states: 2021, 2021-05 or 2021-05-03


class DocumentState(WordedEnum):
    """What became of a file that was handed over, the worst first; `words` follow a number of files."""

    FAILED = "failed", "failed"
    UNREADABLE = "unreadable", "unreadable"
    NOT_A_DOCUMENT = "not_a_document", "not a document"
    NO_LIST = "no_list", "without a reference list"
    UNDECIDED = "undecided", "undecided"
    CHECKED = "checked", "checked"

    @classmethod
    def of_counts(cls, references: int, undecided: int) -> DocumentState:
        """Return the state of a document that was read."""
        if not references:
            return cls.NO_LIST
        return cls.UNDECIDED if undecided == references else cls.CHECKED

    @property
    def was_read(self) -> bool:
        """Whether the file was read as a document."""
        return self in (DocumentState.NO_LIST, DocumentState.UNDECIDED, DocumentState.CHECKED)


class AdjacentFiles(Protocol):
    """The files that are next to a document: its folder on disk, or the archive it came in."""

    def read(self, path: str) -> bytes | None:
        """Return the file at `path`, relative to the document's folder; None if it cannot be read.

        Files outside the folder or archive, special files and files that are too large are not read.
        """

    def names(self) -> tuple[str, ...]:
        """Return the relative paths of the files, bounded, in order."""


@dataclass(frozen=True, slots=True)
class Document:
    """The input. `beside` gives the files it may include, such as its bibliography."""

    name: str
    data: bytes
    beside: AdjacentFiles | None = field(default=None, compare=False, repr=False)
    encoding: str = ""  # of its text, where the user states it; else it is detected
