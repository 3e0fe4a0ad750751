"""A whole document at once, and the patterns as their description spells them."""

from citeproof.corpus.corpus_types import Assertion, Pattern
from tests.corpus.page.cases import page

DESCRIBED = """\
# Patterns

- @.aiwg/research/sources/* references, @.aiwg/research/findings/* references
- REF-XXX inline references
- DOI patterns (10.XXXX/...)
- Author-year patterns (Author et al., YYYY)
- [<artifact_id>@<content_hash>, L<n>-<n>] and [<artifact_id>, L<n>-<n>]
- @$AIWG_ROOT/agentic/code/rules/citation-policy.md
"""

DOCUMENT = """\
---
title: A study of REF-999
---
# Login

Tokens expire after an hour. [src/auth/login.ts@a8f9c2d4e5f60718, L42-58] [src/legacy/auth.py, L88]
Short sessions cut fraud by 40% (Smith et al., 2020, p. 12; REF-001).

As @.aiwg/research/findings/REF-002-sessions.md says, “users rarely notice a short session”.[^1]

| Method | Gain |
|---|---|
| short | 10x faster |

[^1]: See <https://doi.org/10.1038/nature14539>.

## Sources

- src/auth/login.ts@a8f9c2d4e5f60718 (L42-58)
- src/legacy/auth.py (L88) [un-versioned]
"""


def test_a_description_of_the_patterns_cites_nothing():
    assert page(DESCRIBED).marks == ()


def test_a_document():
    made = page(DOCUMENT)
    assert [(mark.pattern, mark.target) for mark in made.marks] == [
        (Pattern.CODE, "src/auth/login.ts"),
        (Pattern.CODE, "src/legacy/auth.py"),
        (Pattern.AUTHOR_YEAR, "Smith"),
        (Pattern.REF, "REF-001"),
        (Pattern.MENTION, ".aiwg/research/findings/REF-002-sessions.md"),
        (Pattern.DOI, "10.1038/nature14539"),
        (Pattern.CODE, "src/auth/login.ts"),
        (Pattern.CODE, "src/legacy/auth.py"),
    ]
    assert [mark.footer for mark in made.marks] == [False] * 6 + [True] * 2
    assert [mark.sentence for mark in made.marks[:4]] == [1, 1, 2, 2]
    assert [(quote.text, quote.sentence) for quote in made.quotes] == [
        ("users rarely notice a short session", 3)
    ]
    assert [one.first for one in made.pages] == [12]
    assert [mark.target for mark in made.marks_of(3)] == [made.marks[4].target, "10.1038/nature14539"]
    assert [(claim.kind, claim.sourced) for claim in made.claims] == [
        (Assertion.PERCENT, True),
        (Assertion.TIMES, True),
    ]
    assert made.locate_span(made.marks[0].span.start, made.marks[0].span.end) == (6, 30, 6, 74)


def test_a_sentence_is_shown_without_its_comments():
    text = "It is <!-- TODO: verify this -->so. <!-- x --> And <!-- " + "y" * 2000 + " -->then.\n"
    made = page(text)
    assert [made.words(index) for index in range(len(made.sentences))] == ["It is so.", "And"]
