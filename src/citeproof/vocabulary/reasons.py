"""Reason codes: why a field agrees or differs, why a verdict was given, why no other source was asked.

Reports publish the codes as stable: they are added, never renamed. A rule that gives a new reason adds one
code here and one row in `reasons.csv`: the field it is about, what it means, and the words of its mismatch in
an explanation. `docs/spec/reasons.md` is made from these rows.
"""

from __future__ import annotations

import csv
from enum import StrEnum
from importlib.resources import files
from typing import Self

_FALLBACK = "the {field} {differs}: cited “{claimed}”, the record has “{resolved}”"
_TEXTS = {
    row["code"]: row
    for row in csv.DictReader(files(__package__).joinpath("reasons.csv").read_text("utf-8").splitlines())
}


class Reason(StrEnum):
    """Why a field agrees or differs, or why a verdict was given."""

    def __init__(self, value: str) -> None:
        row = _TEXTS[value]
        self.field = row["field"]  # it is about: "title", "authors", …, "any field", or "verdict"
        self.meaning = row["meaning"]  # one plain sentence
        self.is_veto = value.startswith("veto_")  # the titles are of different works, however similar
        self.words = row["words"] or _FALLBACK  # of a mismatch, with {field}, {claimed}, {resolved}, {detail}

    # any field
    SAME = "same"
    NOT_CITED = "not_cited"
    RECORD_HAS_NONE = "record_has_none"
    NOT_COMPARED = "not_compared"
    FOUND_IN_TEXT = "found_in_text"
    WEAK_PARSE = "weak_parse"
    OTHER_SCRIPT = "other_script"

    # title
    NO_LETTERS = "no_letters"
    MARKUP = "markup"
    CASE = "case"
    PUNCTUATION = "punctuation"
    SPELLING = "spelling"
    ARTICLE = "article"
    EDITION = "edition"
    SUBTITLE_DROPPED = "subtitle_dropped"
    TYPO = "typo"
    WORD_CHANGED = "word_changed"
    WORD_ADDED = "word_added"
    WORD_MISSING = "word_missing"
    WORDS_REORDERED = "words_reordered"
    OTHER_TITLE = "other_title"
    VETO_NUMBER = "veto_number"
    VETO_NOTICE = "veto_notice"
    VETO_PART = "veto_part"
    VETO_ANTONYM = "veto_antonym"
    VETO_POLARITY = "veto_polarity"

    # authors
    NAME_FORM = "name_form"
    ET_AL = "et_al"
    AUTHOR_REPEATED = "author_repeated"
    COLLABORATION = "collaboration"
    COLLECTIVE = "collective"
    RECORD_TRUNCATED = "record_truncated"
    RECORD_SORTED = "record_sorted"
    ORDER_SWAPPED = "order_swapped"
    AUTHORS_MISSING = "authors_missing"
    AUTHOR_ADDED = "author_added"
    AUTHORS_OTHER = "authors_other"
    GIVEN_NAME = "given_name"
    NAME_TYPO = "name_typo"

    # year
    OTHER_VERSION = "other_version"
    PREPRINT_YEAR = "preprint_year"
    PUBLISHED_LATER = "published_later"
    OFF_BY_ONE = "off_by_one"
    NO_VERSION = "no_version"
    OFF = "off"
    FUTURE = "future"

    # venue
    ACRONYM = "acronym"
    ABBREVIATION = "abbreviation"
    TRUNCATED = "truncated"
    SERIES = "series"
    SPONSOR = "sponsor"
    TRANSLATED = "translated"
    CARRIER = "carrier"
    TRACK = "track"
    SECTION_MISSING = "section_missing"
    UNCLEAR = "unclear"
    PREPRINT = "preprint"
    PREPRINT_CITED = "preprint_cited"
    ONLY_PREPRINT_KNOWN = "only_preprint_known"
    SUBMISSION_ONLY = "submission_only"
    PREPRINT_AS_PUBLISHED = "preprint_as_published"
    UNKNOWN_VENUE = "unknown_venue"
    OTHER_SERVER = "other_server"
    OTHER_SECTION = "other_section"
    OTHER_VENUE = "other_venue"
    OTHER_MEETING = "other_meeting"
    WORKSHOP_VS_MAIN = "workshop_vs_main"
    FINDINGS_VS_MAIN = "findings_vs_main"
    TRACK_VS_MAIN = "track_vs_main"

    # volume, issue, pages
    FORM = "form"
    NOT_NUMBERS = "not_numbers"
    OTHER_NUMBER = "other_number"
    FIRST_PAGE = "first_page"
    OTHER_PAGES = "other_pages"
    LAST_PAGE = "last_page"

    # identifiers
    SAME_ITEM = "same_item"
    CO_PUBLISHED = "co_published"
    PREPRINT_DOI = "preprint_doi"
    OTHER_EDITION = "other_edition"
    OTHER_IDENTIFIER = "other_identifier"
    IDENTIFIER_OF_OTHER_WORK = "identifier_of_other_work"
    PREFIX_UNKNOWN = "prefix_unknown"
    UNCONFIRMED = "unconfirmed"
    YOUNGER_THAN_WORK = "younger_than_work"
    MALFORMED = "malformed"
    NOT_REGISTERED = "not_registered"
    OTHER_HOST = "other_host"
    OTHER_ADDRESS = "other_address"

    # verdict
    WORK_IDENTIFIED = "work_identified"
    ONE_IDENTIFIER_WRONG = "one_identifier_wrong"
    TITLE_NOT_SEARCHED = "title_not_searched"
    NO_SOURCE_HAS_IT = "no_source_has_it"
    IDENTIFIER_DENIED = "identifier_denied"
    TOO_FEW_ANSWERS = "too_few_answers"
    NOT_IN_PROCEEDINGS = "not_in_proceedings"
    VERSION_NOT_HELD = "version_not_held"
    COMMON_TITLE = "common_title"
    NEAR_VARIANT = "near_variant"
    NO_TITLE = "no_title"
    DAMAGED_TEXT = "damaged_text"
    LANGUAGE_NOT_COVERED = "language_not_covered"
    TYPE_NOBODY_HOLDS = "type_nobody_holds"
    AUTHORS_NOT_COMPARED = "authors_not_compared"
    NOT_SURE_ENOUGH = "not_sure_enough"
    LOOKS = "looks"
    INDEX_ERROR = "index_error"
    MODEL_SCORE = "model_score"
    MODEL_REVIEW = "model_review"
    INFORMAL_TITLE = "informal_title"


class _ExplainedCode(StrEnum):
    """A code and what it means."""

    meaning: str

    def __new__(cls, value: str, meaning: str) -> Self:
        member = str.__new__(cls, value)
        member._value_ = value
        member.meaning = meaning
        return member


class InventionSign(_ExplainedCode):
    """What a slip of the pen hardly makes, and an invented reference often has."""

    WRONG_IDENTIFIER = (
        "wrong_identifier", "An identifier belongs to another work, or does not exist at its registry.",
    )  # fmt: skip
    INVENTED_AUTHOR = "invented_author", "A cited author is not among those of the work."
    CHIMERA = "chimera", "The title is that of one work, the authors are those of another."
    FOUND_NOWHERE = "found_nowhere", "Every source that is required for it answered, and none has the work."

    @property
    def words(self) -> str:
        """Its name in a text."""
        return self.value.replace("_", " ")


class StopReason(_ExplainedCode):
    """Why some sources were not asked."""

    DECIDED_AT_HAND = "decided_at_hand", "Snapshots and cached answers decide it; the network was not used."
    RECALLED = "recalled", "A work that was judged matched before agrees in all that is cited; see its date."
    IDENTIFIER_AND_TITLE_AGREE = (
        "identifier_and_title_agree", "A snapshot has the identifier with the cited title.",
    )  # fmt: skip
    IDENTIFIER_ANSWERED = "identifier_answered", "A source described the work under the cited identifier."
    EVIDENCE_DECIDES = "evidence_decides", "The answers so far decide it."


class CitationReason(_ExplainedCode):
    """Why a citation of a corpus document has its status; one that could not be checked has a `Cause`."""

    FOUND = "found", "A source confirms that the DOI exists."
    RETRACTED = "retracted", "The DOI exists, and the work was retracted."
    FORMAT = "format", "The DOI is well formed; whether it exists was not checked."
    CORPUS = "corpus", "The corpus states the DOI; whether it exists was not checked."
    NOT_FOUND = "not_found", "No such file, DOI or source of the corpus exists."
    INVALID_FORMAT = "invalid_format", "The citation does not have the expected form."
    NO_CORPUS = "no_corpus", "No corpus was found to check against."
    WRONG_YEAR = "wrong_year", "The corpus has the author with other years."
    NOT_FIRST_AUTHOR = "not_first_author", "The author before “et al.” is not the first one of the source."
    METADATA_MISMATCH = ("metadata_mismatch", "The citation and the corpus describe the source differently.")
    NO_HASH = "no_hash", "The file exists; the citation has no hash of its content."
    MALFORMED_HASH = "malformed_hash", "The hash is malformed."
    HASH_MISMATCH = "hash_mismatch", "The file has changed since it was cited."
    OUTSIDE_ROOT = "outside_root", "The path leads out of the project or to a file that may not be read."
    UNREADABLE = "unreadable", "The file exists but cannot be read."
