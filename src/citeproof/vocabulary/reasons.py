"""Reason codes: why a field was found to agree or differ, why a verdict was given, why nobody else was asked.

Reports publish the codes as stable: they are added, never renamed. A rule that gives a new reason adds one
row here: the code, the field it speaks about, what it means, and the words of its mismatch in an explanation.
`docs/spec/reasons.md` is made from these rows.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Self

_FALLBACK = "the {field} differs: cited “{claimed}”, the record has “{resolved}”"


class Reason(StrEnum):
    """Why a field agrees or differs, or why a verdict was given."""

    field: str  # of which it speaks: "title", "authors", …, "any field", or "verdict"
    meaning: str  # one plain sentence
    is_veto: bool  # it makes the title that of another work, however alike the two are
    words: str  # what an explanation says of such a mismatch, with {field}, {claimed}, {resolved}, {detail}

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
    NOT_COMPARED = "not_compared", "any field", "Not compared: the record's title is that of another work."
    FOUND_IN_TEXT = (
        "found_in_text", "any field", "The record's value stands in the raw text of the reference.",
    )  # fmt: skip
    WEAK_PARSE = (
        "weak_parse", "any field", "The field could not be told apart from the rest of the reference.",
    )  # fmt: skip

    # title
    NO_LETTERS = "no_letters", "title", "One of the two titles has no letters to compare."
    MARKUP = "markup", "title", "Only markup (LaTeX, HTML) differs."
    CASE = "case", "title", "Only upper and lower case differ."
    PUNCTUATION = "punctuation", "title", "Only punctuation, spaces or accents differ."
    SPELLING = (
        "spelling", "title", "Two spellings of the same words: British and American, figures and numbers.",
    )  # fmt: skip
    ARTICLE = "article", "title", "Only an article at the start differs."
    EDITION = "edition", "title", "Only an edition, a closing bracket or “supplement to” differs."
    SUBTITLE_DROPPED = "subtitle_dropped", "title", "One of the two titles is the other without its subtitle."
    TYPO = (
        "typo", "title, venue", "A word is misspelt.",
        "the title is misspelt: cited “{claimed}”, the record has “{resolved}”",
    )  # fmt: skip
    WORD_CHANGED = (
        "word_changed", "title", "A word of the title is another one.",
        "a word of the title is changed: cited “{claimed}”, the record has “{resolved}”",
    )  # fmt: skip
    WORD_ADDED = (
        "word_added", "title", "The cited title has words that the record has not.",
        "the cited title has words the record has not: “{claimed}” against “{resolved}”",
    )  # fmt: skip
    WORD_MISSING = (
        "word_missing", "title", "The cited title lacks words of the record.",
        "the cited title lacks words of the record: “{claimed}” against “{resolved}”",
    )  # fmt: skip
    WORDS_REORDERED = (
        "words_reordered", "title", "The title has the same words in another order.",
        "the words of the title are in another order: “{claimed}” against “{resolved}”",
    )  # fmt: skip
    OTHER_TITLE = (
        "other_title", "title", "The title is another one.",
        "the title is another one: cited “{claimed}”, the record has “{resolved}”",
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
    AUTHOR_REPEATED = "author_repeated", "authors", "The citation lists one of the record's people twice."
    COLLABORATION = "collaboration", "authors", "One list names a collaboration, the other its people."
    COLLECTIVE = "collective", "authors", "One list names an organisation, which says nothing about people."
    RECORD_TRUNCATED = (
        "record_truncated", "authors", "The record's list is cut: it cannot show that a name is wrong.",
    )  # fmt: skip
    RECORD_SORTED = (
        "record_sorted", "authors", "The source sorts authors by name, so that their order says nothing.",
    )  # fmt: skip
    ORDER_SWAPPED = (
        "order_swapped", "authors", "The same people in another order.",
        "the authors are in another order ({detail}); the record has {resolved}",
    )  # fmt: skip
    AUTHORS_MISSING = (
        "authors_missing", "authors", "Authors of the record are left out.",
        "authors are left out ({detail})",
    )  # fmt: skip
    AUTHOR_ADDED = (
        "author_added", "authors", "A cited author is not in the record.",
        "a cited author is not in the record's list ({detail})",
    )  # fmt: skip
    AUTHORS_OTHER = (
        "authors_other", "authors, verdict", "All or most of the cited authors are others.",
        "the authors are others ({detail})",
    )  # fmt: skip
    GIVEN_NAME = (
        "given_name", "authors", "A given name is another one.", "a given name is another ({detail})",
    )  # fmt: skip
    NAME_TYPO = "name_typo", "authors", "A name is misspelt.", "a name is misspelt ({detail})"

    # year
    OTHER_VERSION = "other_version", "year", "The year is that of a version in another venue."
    PREPRINT_YEAR = "preprint_year", "year", "The year is that of the preprint, by its number."
    PUBLISHED_LATER = (
        "published_later", "year", "Only a preprint is known; it may have been published in this year.",
    )  # fmt: skip
    OFF_BY_ONE = (
        "off_by_one", "year", "One year off; a version of that year may exist.",
        "the year is {claimed}; the record has {resolved}",
    )  # fmt: skip
    NO_VERSION = (
        "no_version", "year", "One year off, and all versions are known.",
        "the year is {claimed}; the only known ones are {resolved}",
    )  # fmt: skip
    OFF = "off", "year", "Two or more years off.", "the year is {claimed}; the record has {resolved}"
    FUTURE = (
        "future", "year", "The year lies in the future.",
        "the year {claimed} lies in the future; the record has {resolved}",
    )  # fmt: skip

    # venue
    ACRONYM = "acronym", "venue", "One is the acronym of the other, or both have the same one."
    ABBREVIATION = "abbreviation", "title, venue", "One has short forms or initials of the other's words."
    TRUNCATED = "truncated", "title, venue", "One is the beginning of the other."
    SERIES = "series", "venue", "Two names of the same series."
    SPONSOR = "sponsor", "venue", "Only one names the organiser."
    TRANSLATED = "translated", "venue", "One is the translated or parallel title of the other."
    CARRIER = "carrier", "venue", "One is a book series or journal in which the other's proceedings appear."
    TRACK = "track", "venue", "Another track of the same event."
    SECTION_MISSING = "section_missing", "venue", "Only one names a section of the journal."
    UNCLEAR = (
        "unclear", "venue", "The names are too vague to compare, or a publisher stands in the venue's place.",
    )  # fmt: skip
    PREPRINT = "preprint", "venue", "One is a preprint server, or both are and one does not name it."
    PREPRINT_CITED = "preprint_cited", "venue", "The preprint of a published work is cited."
    ONLY_PREPRINT_KNOWN = (
        "only_preprint_known", "venue", "Only a preprint is known; the publication may exist.",
    )  # fmt: skip
    SUBMISSION_ONLY = (
        "submission_only", "venue", "The record knows only a submission to the cited venue.",
        "cited as published in “{claimed}”; the record has “{resolved}”",
    )  # fmt: skip
    PREPRINT_AS_PUBLISHED = (
        "preprint_as_published", "venue", "Cited as published; only a preprint is known.",
        "cited as published in “{claimed}”; only “{resolved}” is known",
    )  # fmt: skip
    OTHER_SERVER = (
        "other_server", "venue", "Another preprint server.",
        "the preprint server is “{claimed}”; the record has “{resolved}”",
    )  # fmt: skip
    OTHER_SECTION = (
        "other_section", "venue", "Another section of the journal.",
        "the venue is “{claimed}”; the record has another section, “{resolved}”",
    )  # fmt: skip
    OTHER_VENUE = (
        "other_venue", "venue", "Another venue.", "the venue is “{claimed}”; the record has “{resolved}”",
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
        "track_vs_main", "venue", "One is a companion volume or side track, the other the main one.",
        "cited as “{claimed}”; the record has “{resolved}”: another track of the event",
    )  # fmt: skip

    # volume, issue, pages
    FORM = "form", "volume, issue, pages", "The same numbers in another form."
    NOT_NUMBERS = "not_numbers", "volume, issue, pages", "One of the two has no number to compare."
    OTHER_NUMBER = "other_number", "volume, issue", "Another number."
    FIRST_PAGE = "first_page", "pages", "The first pages agree; only one gives the last page."
    OTHER_PAGES = "other_pages", "pages", "The first page is another one."
    LAST_PAGE = "last_page", "pages", "The last page is another one."

    # identifiers
    SAME_ITEM = "same_item", "identifiers", "Two DOIs of one paper in two places of its publisher."
    PREPRINT_DOI = (
        "preprint_doi", "identifiers", "The DOI is that of a preprint or a deposit, beside the publisher's.",
    )  # fmt: skip
    OTHER_EDITION = "other_edition", "identifiers", "Another ISBN: each edition has its own."
    OTHER_IDENTIFIER = (
        "other_identifier", "identifiers", "The record has another identifier.",
        "the {field} is {claimed}; the record has {resolved}",
    )  # fmt: skip
    IDENTIFIER_OF_OTHER_WORK = (
        "identifier_of_other_work", "identifiers, verdict", "The identifier belongs to another work.",
        "the {field} {claimed} belongs to another work, “{resolved}”",
    )  # fmt: skip
    PREFIX_UNKNOWN = (
        "prefix_unknown", "identifiers", "No known DOI has this prefix.",
        "the {field} {claimed} has a prefix that none of the known DOIs has",
    )  # fmt: skip
    YOUNGER_THAN_WORK = (
        "younger_than_work", "identifiers", "The arXiv number was given out years after the work appeared.",
        "the {field} {claimed} was given out years after the work appeared",
    )  # fmt: skip
    MALFORMED = (
        "malformed", "identifiers", "No identifier has this form.",
        "the {field} as cited is not a possible one",
    )  # fmt: skip
    NOT_REGISTERED = "not_registered", "identifiers", "The identifier does not exist, says its own registry."
    OTHER_HOST = (
        "other_host", "identifiers", "The address holds an identifier that its host does not resolve.",
        "the address {claimed} is none that its host gives out; see {resolved}",
    )  # fmt: skip

    # verdict
    WORK_IDENTIFIED = "work_identified", "verdict", "The work was found."
    ONE_IDENTIFIER_WRONG = (
        "one_identifier_wrong", "verdict", "One of several identifiers leads to another work.",
    )  # fmt: skip
    TITLE_NOT_SEARCHED = "title_not_searched", "verdict", "No source could be searched by title."
    NO_SOURCE_HAS_IT = (
        "no_source_has_it", "verdict", "Every source required for it answered, and none has it.",
    )  # fmt: skip
    IDENTIFIER_DENIED = "identifier_denied", "verdict", "A cited identifier does not exist."
    TOO_FEW_ANSWERS = "too_few_answers", "verdict", "Too few sources answered to decide."
    VERSION_NOT_HELD = "version_not_held", "verdict", "The work was found, but not the version that is cited."
    COMMON_TITLE = "common_title", "verdict", "Several works have this title, none by these people."
    NEAR_VARIANT = "near_variant", "verdict", "A work of almost the same title was found and may be meant."
    NO_TITLE = "no_title", "verdict", "The reference has no title to search for."
    TYPE_NOBODY_HOLDS = "type_nobody_holds", "verdict", "No source holds works of this type."
    AUTHORS_NOT_COMPARED = (
        "authors_not_compared", "verdict", "The only record of this title lists no authors to compare with.",
    )  # fmt: skip
    NOT_SURE_ENOUGH = (
        "not_sure_enough", "verdict", "It looks wrong, but not surely enough for what was promised.",
    )  # fmt: skip
    LOOKS = "looks", "verdict", "Followed by `:` and the verdict that was not sure enough."
    INDEX_ERROR = "index_error", "verdict", "Followed by `:` and a source that the others contradict."


class _ExplainedCode(StrEnum):
    """A code and what it means."""

    meaning: str

    def __new__(cls, value: str, meaning: str) -> Self:
        member = str.__new__(cls, value)
        member._value_ = value
        member.meaning = meaning
        return member


class StopReason(_ExplainedCode):
    """Why some sources were not asked."""

    DECIDED_AT_HAND = "decided_at_hand", "Snapshots and kept answers decide it: the network was not asked."
    IDENTIFIER_AND_TITLE_AGREE = (
        "identifier_and_title_agree", "A snapshot has the identifier with the cited title.",
    )  # fmt: skip
    IDENTIFIER_ANSWERED = "identifier_answered", "A source described the work under the cited identifier."
    EVIDENCE_DECIDES = "evidence_decides", "The answers so far decide it."


class CitationReason(_ExplainedCode):
    """Why a citation of a corpus document has its status; one that could not be checked has a `Cause`."""

    FOUND = "found", "The DOI exists, says a source."
    FORMAT = "format", "The DOI is well formed; whether it exists was not asked."
    CORPUS = "corpus", "The corpus states the DOI; whether it exists was not checked."
    NOT_FOUND = "not_found", "There is no such file, source of the corpus or DOI."
    INVALID_FORMAT = "invalid_format", "The citation has not the form that it should have."
    NO_CORPUS = "no_corpus", "There is no corpus to look in."
    WRONG_YEAR = "wrong_year", "The corpus has the author with other years."
    NOT_FIRST_AUTHOR = "not_first_author", "The author before “et al.” is not the first one of the source."
    METADATA_MISMATCH = "metadata_mismatch", "What the citation says of its source differs from the corpus."
    NO_HASH = "no_hash", "The file exists; the citation has no hash of its content."
    MALFORMED_HASH = "malformed_hash", "The hash has not the form of a hash."
    HASH_MISMATCH = "hash_mismatch", "The file was changed since it was cited."
    OUTSIDE_ROOT = "outside_root", "The path leads out of the project, or to what is not to be read."
    UNREADABLE = "unreadable", "The file is there and cannot be read."
