"""Reason codes: why a field agrees or differs, why a verdict was given, why no other source was asked.

Reports publish the codes as stable: they are added, never renamed. A rule that gives a new reason adds one
row here: the code, the field it is about, what it means, and the words of its mismatch in an explanation.
`docs/spec/reasons.md` is made from these rows.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Self

_FALLBACK = "the {field} differs: cited “{claimed}”, the record has “{resolved}”"


class Reason(StrEnum):
    """Why a field agrees or differs, or why a verdict was given."""

    field: str  # it is about: "title", "authors", …, "any field", or "verdict"
    meaning: str  # one plain sentence
    is_veto: bool  # the titles are of different works, however similar they are
    words: str  # of a mismatch in an explanation, with {field}, {claimed}, {resolved}, {detail}

    def __new__(cls, value: str, field: str, meaning: str, words: str = _FALLBACK) -> Self:
        member = str.__new__(cls, value)
        member._value_ = value
        member.field, member.meaning, member.words = field, meaning, words
        member.is_veto = value.startswith("veto_")
        return member

    # any field
    SAME = "same", "any field", "Citation and record agree."
    NOT_CITED = "not_cited", "any field", "The citation does not give this field."
    RECORD_HAS_NONE = "record_has_none", "any field", "The record does not have this field."
    NOT_COMPARED = "not_compared", "any field", "Not compared: the record has the title of another work."
    FOUND_IN_TEXT = "found_in_text", "any field", "The raw text of the reference contains the record's value."
    WEAK_PARSE = "weak_parse", "any field", "The field could not be separated from the rest of the reference."

    # title
    NO_LETTERS = "no_letters", "title", "One of the two titles has no letters to compare."
    MARKUP = "markup", "title", "Only markup (LaTeX, HTML) differs."
    CASE = "case", "title", "Only upper and lower case differ."
    PUNCTUATION = "punctuation", "title", "Only punctuation, spaces or accents differ."
    SPELLING = "spelling", "title", "Only spelling differs: British or American, digits or number words."
    ARTICLE = "article", "title", "Only an article (a, the) at the start differs."
    EDITION = "edition", "title", "Only an edition, a closing bracket or “supplement to” differs."
    SUBTITLE_DROPPED = "subtitle_dropped", "title", "One of the two titles is the other without its subtitle."
    TYPO = (
        "typo", "title, venue", "A word is misspelt.",
        "the title is misspelt: cited “{claimed}”, the record has “{resolved}”",
    )  # fmt: skip
    WORD_CHANGED = (
        "word_changed", "title", "A word of the title is changed.",
        "a word of the title is changed: cited “{claimed}”, the record has “{resolved}”",
    )  # fmt: skip
    WORD_ADDED = (
        "word_added", "title", "The cited title has extra words.",
        "the cited title has extra words: cited “{claimed}”, the record has “{resolved}”",
    )  # fmt: skip
    WORD_MISSING = (
        "word_missing", "title", "Words of the title are missing.",
        "words of the title are missing: cited “{claimed}”, the record has “{resolved}”",
    )  # fmt: skip
    WORDS_REORDERED = (
        "words_reordered", "title", "The title has the same words in another order.",
        "the words of the title are in another order: cited “{claimed}”, the record has “{resolved}”",
    )  # fmt: skip
    OTHER_TITLE = (
        "other_title", "title", "The title is a different one.",
        "the title is a different one: cited “{claimed}”, the record has “{resolved}”",
    )  # fmt: skip
    VETO_NUMBER = "veto_number", "title", "A number differs: another part, year or quantity."
    VETO_NOTICE = "veto_notice", "title", "Only one is a reply, a correction or another notice about a work."
    VETO_PART = "veto_part", "title", "Only one names a part or a volume."
    VETO_ANTONYM = "veto_antonym", "title", "A word is replaced by its opposite."
    VETO_POLARITY = "veto_polarity", "title", "Only one has a word such as “not” or “without”."

    # authors
    NAME_FORM = (
        "name_form", "authors", "The same people; names are written in another form (initials, accents).",
    )  # fmt: skip
    ET_AL = "et_al", "authors", "The citation ends with “et al.” and agrees up to there."
    AUTHOR_REPEATED = "author_repeated", "authors", "The citation lists one author twice."
    COLLABORATION = "collaboration", "authors", "One list names a collaboration, the other its members."
    COLLECTIVE = "collective", "authors", "One list names an organisation instead of people."
    RECORD_TRUNCATED = (
        "record_truncated",
        "authors",
        "The record's author list is cut off, so it cannot show that a name is wrong.",
    )
    RECORD_SORTED = (
        "record_sorted", "authors", "The source sorts authors by name, so the order proves nothing.",
    )  # fmt: skip
    ORDER_SWAPPED = (
        "order_swapped", "authors", "The authors are in another order.",
        "the authors are in another order ({detail}); the record has {resolved}",
    )  # fmt: skip
    AUTHORS_MISSING = (
        "authors_missing", "authors", "Authors are missing from the citation.",
        "authors are missing ({detail})",
    )  # fmt: skip
    AUTHOR_ADDED = (
        "author_added", "authors", "A cited author is not in the record.",
        "a cited author is not in the record ({detail})",
    )  # fmt: skip
    AUTHORS_OTHER = (
        "authors_other", "authors, verdict", "All or most of the cited authors are different people.",
        "the authors are different people ({detail})",
    )  # fmt: skip
    GIVEN_NAME = (
        "given_name", "authors", "A given name differs.", "a given name differs ({detail})",
    )  # fmt: skip
    NAME_TYPO = "name_typo", "authors", "A name is misspelt.", "a name is misspelt ({detail})"

    # year
    OTHER_VERSION = "other_version", "year", "The year belongs to a version in another venue."
    PREPRINT_YEAR = "preprint_year", "year", "The year belongs to the preprint, by its number."
    PUBLISHED_LATER = (
        "published_later", "year", "Only a preprint is known; it may have been published in this year.",
    )  # fmt: skip
    OFF_BY_ONE = (
        "off_by_one", "year", "The year is off by one; a version of that year may exist.",
        "the year is {claimed}; the record has {resolved}",
    )  # fmt: skip
    NO_VERSION = (
        "no_version", "year", "The year is off by one, and no version of that year exists.",
        "the year is {claimed}; the only known years are {resolved}",
    )  # fmt: skip
    OFF = "off", "year", "The year is off by two or more.", "the year is {claimed}; the record has {resolved}"
    FUTURE = (
        "future", "year", "The year is in the future.",
        "the year {claimed} is in the future; the record has {resolved}",
    )  # fmt: skip

    # venue
    ACRONYM = "acronym", "venue", "One is the acronym of the other, or both have the same one."
    ABBREVIATION = "abbreviation", "title, venue", "One abbreviates the words of the other."
    TRUNCATED = "truncated", "title, venue", "One is the beginning of the other."
    SERIES = "series", "venue", "Two names of the same series."
    SPONSOR = "sponsor", "venue", "Only one names the organiser."
    TRANSLATED = "translated", "venue", "One is the translated or parallel title of the other."
    CARRIER = "carrier", "venue", "One is the book series or journal that publishes the other."
    TRACK = "track", "venue", "Another track of the same event."
    SECTION_MISSING = "section_missing", "venue", "Only one names a section of the journal."
    UNCLEAR = "unclear", "venue", "The names are too vague to compare, or the venue field names a publisher."
    PREPRINT = "preprint", "venue", "One is a preprint server, or both are and one is unnamed."
    PREPRINT_CITED = "preprint_cited", "venue", "The preprint of a published work is cited."
    ONLY_PREPRINT_KNOWN = (
        "only_preprint_known", "venue", "Only a preprint is known; the publication may exist.",
    )  # fmt: skip
    SUBMISSION_ONLY = (
        "submission_only", "venue", "The record only shows a submission to the cited venue.",
        "cited as published in “{claimed}”; the record has “{resolved}”",
    )  # fmt: skip
    PREPRINT_AS_PUBLISHED = (
        "preprint_as_published", "venue", "Cited as published; only a preprint is known.",
        "cited as published in “{claimed}”; only “{resolved}” is known",
    )  # fmt: skip
    UNKNOWN_VENUE = (
        "unknown_venue", "venue", "Only a preprint is known, and nobody knows a venue of the cited name.",
        "no known venue is called “{claimed}”; only “{resolved}” is known",
    )  # fmt: skip
    OTHER_SERVER = (
        "other_server", "venue", "The preprint server differs.",
        "the preprint server is “{claimed}”; the record has “{resolved}”",
    )  # fmt: skip
    OTHER_SECTION = (
        "other_section", "venue", "The section of the journal differs.",
        "the venue is “{claimed}”; the record has another section, “{resolved}”",
    )  # fmt: skip
    OTHER_VENUE = (
        "other_venue", "venue", "The venue differs.", "the venue is “{claimed}”; the record has “{resolved}”",
    )  # fmt: skip
    WORKSHOP_VS_MAIN = (
        "workshop_vs_main", "venue", "One is a workshop, the other the main event.",
        "cited as “{claimed}”; the record has “{resolved}”: workshop and main event differ",
    )  # fmt: skip
    FINDINGS_VS_MAIN = (
        "findings_vs_main", "venue", "One is the findings volume, the other the main one.",
        "cited as “{claimed}”; the record has “{resolved}”: findings and main volume differ",
    )  # fmt: skip
    TRACK_VS_MAIN = (
        "track_vs_main", "venue", "One is a companion volume or side track, the other the main event.",
        "cited as “{claimed}”; the record has “{resolved}”: another track of the event",
    )  # fmt: skip

    # volume, issue, pages
    FORM = "form", "volume, issue, pages", "The same numbers in another form."
    NOT_NUMBERS = "not_numbers", "volume, issue, pages", "One of the two has no number to compare."
    OTHER_NUMBER = "other_number", "volume, issue", "The number differs."
    FIRST_PAGE = "first_page", "pages", "The first pages agree; only one gives the last page."
    OTHER_PAGES = "other_pages", "pages", "The first page differs."
    LAST_PAGE = "last_page", "pages", "The last page differs."

    # identifiers
    SAME_ITEM = "same_item", "identifiers", "The publisher has two DOIs for this work."
    CO_PUBLISHED = (
        "co_published", "identifiers", "ACM and IEEE publish some proceedings together, with two DOIs.",
    )  # fmt: skip
    PREPRINT_DOI = (
        "preprint_doi", "identifiers", "The DOI belongs to a preprint or a deposit of the same work.",
    )  # fmt: skip
    OTHER_EDITION = "other_edition", "identifiers", "The ISBN differs: each edition has its own."
    OTHER_IDENTIFIER = (
        "other_identifier", "identifiers", "The record has a different identifier.",
        "the {field} is {claimed}; the record has {resolved}",
    )  # fmt: skip
    IDENTIFIER_OF_OTHER_WORK = (
        "identifier_of_other_work", "identifiers, verdict", "The identifier belongs to another work.",
        "the {field} {claimed} belongs to “{resolved}”, not to this title",
    )  # fmt: skip
    PREFIX_UNKNOWN = (
        "prefix_unknown", "identifiers", "No known DOI has this prefix.",
        "no known DOI has the prefix of {claimed}",
    )  # fmt: skip
    YOUNGER_THAN_WORK = (
        "younger_than_work", "identifiers", "The arXiv number was assigned years after the work appeared.",
        "the {field} {claimed} was assigned years after the work appeared",
    )  # fmt: skip
    MALFORMED = (
        "malformed", "identifiers", "The identifier is malformed.",
        "the cited {field} is malformed",
    )  # fmt: skip
    NOT_REGISTERED = (
        "not_registered", "identifiers", "The identifier does not exist, according to its registry.",
    )  # fmt: skip
    OTHER_HOST = (
        "other_host", "identifiers", "The host of this address does not resolve such identifiers.",
        "the host of the address {claimed} does not resolve such identifiers; see {resolved}",
    )  # fmt: skip

    # verdict
    WORK_IDENTIFIED = "work_identified", "verdict", "The work was found."
    ONE_IDENTIFIER_WRONG = (
        "one_identifier_wrong", "verdict", "One of several identifiers leads to another work.",
    )  # fmt: skip
    TITLE_NOT_SEARCHED = "title_not_searched", "verdict", "No source could be searched by title."
    NO_SOURCE_HAS_IT = "no_source_has_it", "verdict", "Every required source answered, and none has the work."
    IDENTIFIER_DENIED = "identifier_denied", "verdict", "A cited identifier does not exist."
    TOO_FEW_ANSWERS = "too_few_answers", "verdict", "Too few sources answered to decide."
    NOT_IN_PROCEEDINGS = (
        "not_in_proceedings", "verdict", "A list of its venue's papers lacks it.",
    )  # fmt: skip
    VERSION_NOT_HELD = "version_not_held", "verdict", "The work was found, but not the cited version."
    COMMON_TITLE = "common_title", "verdict", "Several works have this title, none by these authors."
    NEAR_VARIANT = "near_variant", "verdict", "A work with a very similar title may be the one meant."
    NO_TITLE = "no_title", "verdict", "No title was found in the reference."
    DAMAGED_TEXT = "damaged_text", "verdict", "It seems wrong, but its text is damaged or of unsure encoding."
    LANGUAGE_NOT_COVERED = (
        "language_not_covered", "verdict", "The sources asked hold few works with titles in this script.",
    )  # fmt: skip
    TYPE_NOBODY_HOLDS = "type_nobody_holds", "verdict", "No source covers works of this type."
    AUTHORS_NOT_COMPARED = (
        "authors_not_compared", "verdict",
        "The only record with this title lists no authors, or is unreliable and lists others.",
    )  # fmt: skip
    NOT_SURE_ENOUGH = (
        "not_sure_enough", "verdict", "It looks wrong, but not surely enough for the limit of false alarms.",
    )  # fmt: skip
    LOOKS = "looks", "verdict", "Followed by `:` and the verdict that was not sure enough."
    INDEX_ERROR = "index_error", "verdict", "Followed by `:` and a source that the others contradict."
    MODEL_SCORE = "model_score", "verdict", "A language model weighed a difference that is left open."
    MODEL_REVIEW = "model_review", "verdict", "A language model read the text of a suspicious match again."
    INFORMAL_TITLE = "informal_title", "verdict", "A language model takes the title for a name of the work."


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
