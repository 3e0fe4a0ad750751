"""Quotes and pages."""

import pytest

from tests.corpus.page.cases import page


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('He said "the quick brown fox" then.', ["the quick brown fox"]),
        ("He said “the quick brown fox” then.", ["the quick brown fox"]),
        ("Er sagte „der schnelle braune Fuchs“ dann.", ["der schnelle braune Fuchs"]),
        ("Il dit « le vif renard brun » ici.", ["le vif renard brun"]),
        ("He said ‘the quick fox’s brown den’ then.", ["the quick fox’s brown den"]),
        ('"A b c d." "E f g h."', ["A b c d.", "E f g h."]),
        ('He said "the `quick` [brown](a.md) *fox*".', ["the quick brown fox"]),
        ('He said "the quick\nbrown fox".', ["the quick brown fox"]),
        ('> He said "the quick\n> brown fox".', ["the quick brown fox"]),
        # none
        ('He said "quick brown fox" and "no".', []),
        ("The dogs’ owner’s quick brown fox’s den isn’t.", []),
        ("The dogs' owner's quick brown fox's den isn't.", []),
        ('A 5" disk and the quick brown 7" disk', []),
        ('"The quick brown\n\nfox jumps over"', []),
        ('| "the quick | brown fox" |\n|---|---|\n', []),
        ('`"the quick brown fox"` [a](b "the quick brown fox")', []),
        ('"' + "word " * 500 + '"', []),
    ],
)
def test_quotes(text, expected):
    made = page(text)
    assert [quote.text for quote in made.quotes] == expected


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('He said "the quick brown fox" (REF-001). It ran.', 'He said "the quick brown fox" (REF-001).'),
        ('"It had 12 legs. It ran 9 miles" (REF-001). So.', 'It ran 9 miles" (REF-001).'),
        ('"It had 12 legs. It ran 9 miles." (REF-001) So.', 'It ran 9 miles." (REF-001)'),
        ('REF-001: "It had 12 legs. It ran 9 miles." So.', 'REF-001: "It had 12 legs.'),
        ('"It had 12 legs. It ran 9 miles."\n\nSee REF-001.', '"It had 12 legs.'),
        ('"It had so many legs." See REF-001.', '"It had so many legs."'),
        # several sentences that are nothing but the quote: its neighbour cites it
        ('"It had 12 legs. It ran 9 miles." So says REF-001.', "So says REF-001."),
        ('This is from REF-001. "It had 12 legs. It ran 9 miles."', "This is from REF-001."),
        ('REF-001 is old. It says "It had 12 legs. It ran 9 miles."', 'It says "It had 12 legs.'),
        ('REF-001 is old. So it is. "It had 12 legs. It ran 9 miles."', '"It had 12 legs.'),
    ],
)
def test_the_sentence_that_cites_a_quote(text, sentence):
    made = page(text)
    (quote,) = made.quotes
    assert made.words(quote.sentence) == sentence


@pytest.mark.parametrize(
    ("text", "words", "sentence"),
    [
        ("> The quick brown fox (REF-001).\n", "The quick brown fox.", "The quick brown fox (REF-001)."),
        (
            "> The quick brown fox.\n>\n> — Smith et al., 2020\n",
            "The quick brown fox.",
            "— Smith et al., 2020",
        ),
        ("As REF-001 says:\n\n> The quick brown fox.\n", "The quick brown fox.", "As REF-001 says:"),
        ("> The quick brown fox.\n\nSo REF-001.\n", "The quick brown fox.", "So REF-001."),
        ("It is.[^1]\n\n> The quick brown fox.\n\n[^1]: REF-001\n", "The quick brown fox.", "It is.[^1]"),
        ("> The quick\n> brown fox.\n", "The quick brown fox.", "The quick brown fox."),
        ("> “The quick brown\n>\n> fox jumps.”\n\nREF-001\n", "The quick brown fox jumps.", "REF-001"),
    ],
)
def test_block_quotations(text, words, sentence):
    made = page(text)
    (quote,) = made.quotes
    assert quote.text == words
    assert made.words(quote.sentence) == sentence


@pytest.mark.parametrize(
    "text", ["> [!NOTE]\n> The quick brown fox.\n", "> The fox.\n", "> " + "word " * 900]
)
def test_no_block_quotations(text):
    assert page(text).quotes == ()


def test_a_block_that_quotes_inside_is_a_remark():
    made = page('> **Note:** REF-001 says "the quick brown fox" there.\n')
    assert [quote.text for quote in made.quotes] == ["the quick brown fox"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("REF-001, p. 12", [(12, 12)]),
        ("(Smith et al., 2020, pp. 12–15)", [(12, 15)]),
        ("REF-001, pp. 12-5 and pp. 112-15", [(12, 15), (112, 115)]),
        ("REF-001, page 12, Pages 12 to 15, P. 3", [(12, 12), (12, 15), (3, 3)]),
        ("REF-001, pp. 20-15", [(20, 15)]),
        ("REF-001, S. 12", [(12, 12)]),
        ("Seite 4 in REF-001", [(4, 4)]),
        ("REF-001, p. 12f. and pp. 13ff.", [(12, 12), (13, 13)]),
        ("On p. 12[^1].\n\n[^1]: REF-001\n", [(12, 12)]),
        # none
        ("On p. 12 it is.", []),
        ("REF-001 is. On p. 12 it is.", []),
        ("p. 12 [src/a.py, L3]", []),
        ("S. 12 in REF-001", []),
        ("REF-001, p. 0.05, stop 12, app. 3, p.m. 4, `p. 12`", []),
    ],
)
def test_pages(text, expected):
    assert [(one.first, one.last) for one in page(text).pages] == expected


def test_pages_as_written():
    assert [one.raw for one in page("REF-001, pp. 12–15.").pages] == ["pp. 12–15"]
