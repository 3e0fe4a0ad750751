"""Quoted words and sources: verbatim whatever the typesetting, altered when one word differs, or absent."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeproof.claims.quotes import QuotationStatus, index_source, locate_quotation
from tests.growth import grows_linearly

PAGES = (
    """The results — the best so far — show that **deep** [networks](http://x.y) gener-
alise to well-
known
tasks in 10–15 cases. It’s “fine”, and e\ufb03cient [3].""",
    "> Next page begins here\n> and _ends_ with\u00a0the 1,024 units we could not re-\nproduce.\nAn end",
    "Third page: smart art is long; life is short. <em>Vita</em> brevis\\*.",
)
SOURCE = index_source("\f".join(PAGES))

VERBATIM = [
    ("the best so far", 1),
    ("“the best so far,”", 1),
    ("show that deep networks generalise to well-known tasks", 1),
    ("show that deep net\u00adworks gener\u00ad\nalise to wellknown tasks", 1),
    ("well known tasks in 10-15 cases.", 1),
    ("It's 'fine', and efficient", 1),
    ('It‘s "fine", and efficient', 1),
    ("it's “fine”", 1),
    ("SHOW THAT DEEP", 1),
    ("The results – the best so far", 1),
    ("next page begins here and ends with the 1,024 units", 2),
    ("with the 1024 units", 2),
    ("we could not reproduce", 2),
    ("the results … tasks", 1),
    ("The results [...] tasks in 10-15 (…)", 1),
    ("show that deep networks generalize to", 1),  # spelling is no change
    ("… show that deep networks …", 1),
    ("[T]he best so far", 1),
    ("show[ing] that deep networks", 1),
    ("It's “fine” [they say] and efficient", 1),
    ("Next page [sic] begins here", 2),
    ("Next page (emphasis added) begins here", 2),
    ("and efficient [3]. Next page begins", 1),
    ("and efficient. Next page begins", 1),  # the citation was left out
    ("could not reproduce. An end Third page: smart", 2),
    ("tasks in ... Next page begins ... with", 1),
    ("so far .... It's “fine”", 1),
    ("Vita brevis*", 3),
    ("  the   best\nso far ", 1),
    ("srnart art is 1ong; life is sh0rt", 3),  # as a scanner reads it
]


@pytest.mark.parametrize(("quote", "page"), VERBATIM)
def test_words_that_the_source_has(quote, page):
    found = locate_quotation(quote, SOURCE)
    assert (found.status, found.ratio, found.grave) == ("verbatim", 1.0, False)
    assert found.span.first_page == page


ALTERED = [
    ("the best so near", "near", "far", "word"),
    ("the worst so far", "worst", "best", "word"),
    ("deep networks generalise to tasks", "", "well- known", "word"),
    ("tasks in 1015 cases", "1015", "10–15", "number"),
    ("tasks in 10-16 cases", "16", "15", "number"),
    ("tasks in -15 cases", "-15", "10–15", "number"),
    ("with the 1,042 units we could not reproduce", "1,042", "1,024", "number"),
    ("we could reproduce", "", "not", "negation"),
    ("we could … reproduce", "…", "not", "negation"),
    ("tasks in (…) cases", "…", "10–15", "number"),
    ("well-known tasks in [some] cases", "some", "10–15", "number"),
    ("tasks in 10-15 … and efficient", "…", "cases. It’s “fine", "joined"),
    ("we could [not] not reproduce", "not", "", "negation"),
    ("we can not reproduce. An end", "can", "could", "modal"),
    ("art is long; life is brief", "brief", "short", "word"),
    ("mart art is long", "mart", "smart", "word"),
    ("smart art is lon", "lon", "long", "word"),
    ("smart art is long; and life is short", "and", "", "word"),
]


@pytest.mark.parametrize(("quote", "quoted", "read", "weight"), ALTERED)
def test_words_that_were_changed(quote, quoted, read, weight):
    found = locate_quotation(quote, SOURCE)
    (difference,) = [one for one in found.differences if not one.harmless]
    assert found.status == "altered"
    assert (difference.quoted, difference.source, difference.weight) == (quoted, read, weight)
    assert found.grave == (weight not in {"word", "joined"})
    assert SOURCE.text[difference.at :].startswith(difference.source[:4])


@pytest.mark.parametrize(
    ("quote", "weight"),
    [
        ("show that deep networks generalise An end Third page: smart art", "joined"),
        ("An end Third page: smart art show that deep networks generalise", "reordered"),
        ("An end Third page: smart art … show that deep networks generalise", "reordered"),
    ],
)
def test_passages_that_were_joined(quote, weight):
    found = locate_quotation(quote, SOURCE)
    assert (found.status, len(found.spans)) == ("altered", 2)
    assert [one.weight for one in found.differences if one.op == "join"] == [weight]


ABSENT = [
    "nothing of the kind was ever said",
    "",
    "…",
    "[x]",
    '"',
    "zebra",
    "tasks … results",
    "a b c d e f",
    "deep neural networks",
]


@pytest.mark.parametrize("quote", ABSENT)
def test_words_that_the_source_does_not_have(quote):
    assert locate_quotation(quote, SOURCE).status == "absent"


GRAVE = [
    # negation, in several languages and hidden in one word
    ("Es wurde nicht beobachtet, dass die Zellen wachsen", "nicht ", "", "negation"),
    ("Dafür gibt es keine Belege in dieser Studie", "keine", "viele", "negation"),
    ("Les patients ne prennent jamais ce traitement seul", "jamais", "souvent", "negation"),
    ("Los resultados no fueron concluyentes en este caso", "no ", "", "negation"),
    ("I risultati non sono stati confermati da altri", "non ", "", "negation"),
    ("Os resultados não foram confirmados por outros", "não ", "", "negation"),
    ("De resultaten zijn niet bevestigd door anderen", "niet ", "", "negation"),
    ("Результаты не были подтверждены другими авторами", "не ", "", "negation"),
    ("本研究未发现两组之间存在显著差异", "未", "", "negation"),
    ("この方法は小児には有効ではない", "ではない", "である", "negation"),
    ("It is clear that they don't agree with this view", "don't", "do", "negation"),
    ("It was an insignificant change in all groups", "insignificant", "significant", "negation"),
    ("The task was not able to finish in the given time", "not able", "notable", "negation"),
    ("The cells cannot divide under these conditions", "cannot", "can", "negation"),
    # numbers, units, comparisons
    ("A dose of 10 mg was given to each of the patients", "10 mg", "100 mg", "number"),
    ("A dose of 10 mg was given to each of the patients", "10 mg", "10 g", "unit"),
    ("A dose of 10 mM was given to each of the patients", "10 mM", "10 mm", "unit"),
    ("The change was −0.5 points in the treated group", "−0.5", "0.5", "number"),
    ("The change was 1.5 points in the treated group", "1.5", "15", "number"),
    ("There were forty patients in the treated group", "forty", "ninety", "number"),
    ("The effect was clear (p < 0.05) in the treated group", "<", ">", "comparator"),
    ("The mortality was lower in the treated group", "lower", "higher", "comparator"),
    ("有三十名患者接受了这种新的治疗方法", "三", "五", "number"),
    # modals, quantifiers, names
    ("This treatment may reduce the risk of a relapse", "may", "will", "modal"),
    ("Some patients in the treated group recovered fully", "Some", "All", "quantifier"),
    ("It was first described by Smith in his later years", "Smith", "Miller", "entity"),
    ("The cells express the protein TREX1 in the cytosol", "TREX1", "TREX2", "number"),
]


@pytest.mark.parametrize(("sentence", "was", "becomes", "weight"), GRAVE)
def test_a_small_change_that_turns_the_meaning_is_grave(sentence, was, becomes, weight):
    source = index_source(f"Before it something else was said by Miller. {sentence}. And something after it.")
    assert locate_quotation(sentence, source).status == "verbatim"
    found = locate_quotation(sentence.replace(was, becomes, 1), source)
    assert (found.status, found.grave) == ("altered", True)
    assert [one.weight for one in found.differences if not one.harmless] == [weight]


def test_scripts_without_blanks():
    source = index_source("本文讨论语言问\n题。前人已有研究。")
    assert locate_quotation("讨论语言问题", source).status == "verbatim"
    assert locate_quotation("讨论语音问题", source).status == "altered"


def test_words_between_two_pages():
    head = "The Journal of Things 12 (3)"
    source = index_source(f"One two three four five six\n17\f{head}\nseven eight nine ten eleven.")
    assert locate_quotation("three four five six seven eight nine ten", source).status == "verbatim"
    denied = index_source("It was found that it is\fnot seven but eight nine ten")
    assert locate_quotation("was found that it is seven but eight nine", denied).grave


def test_an_ellipsis_does_not_leave_out_a_book():
    source = index_source("it was one of them " + "word " * 5000 + "and there were two of them")
    assert locate_quotation("it was one of them … there were two of them", source).status == "altered"
    assert locate_quotation("word … there were two of them", source).status == "verbatim"


def test_the_same_words_in_several_places():
    source = index_source("\f".join(["one two three"] * 4))
    found = locate_quotation("two three", source)
    assert [span.first_page for span in (*found.spans, *found.others)] == [1, 2, 3, 4]


def test_sections_and_pages_that_are_given():
    source = index_source("one two three four", page_starts=[0, 8], sections=[(0, "Intro"), (8, "Methods")])
    (span,) = locate_quotation("three four", source).spans
    assert (span.first_page, span.last_page, span.section) == (2, 2, "Methods")


words = st.lists(
    st.sampled_from(["alpha", "beta", "12", "15", "it's", "non-linear", "naïve", "文字"]), min_size=2
)


@given(words, words, words, st.sampled_from(["\n", " ", "\n> ", "  \n", "\u00a0"]), st.data())
def test_every_stretch_of_a_source_is_found(before, quoted, after, blank, data):
    source = blank.join([*before, *quoted, *after])
    cut = data.draw(st.integers(0, len(source)))
    assert locate_quotation(" ".join(quoted), index_source(source)).status == "verbatim"
    if cut in (0, len(source)) or not re.match(r"\S\S", source[cut - 1 : cut + 1]):
        paged = index_source(f"{source[:cut]}\f{source[cut:]}")
        assert locate_quotation(" ".join(quoted), paged).status == "verbatim"
    changed = [*quoted[:-1], "omega"]
    assert locate_quotation(" ".join(changed), index_source(source)).status != "verbatim"


@given(st.text(max_size=60), st.text(max_size=200))
def test_any_text(quote, text):
    source = index_source(text)
    found = locate_quotation(quote, source)
    assert 0.0 <= found.ratio <= 1.0
    assert all(0 <= span.start < span.end <= len(text) for span in (*found.spans, *found.others))
    assert all(0 <= one.at <= len(text) for one in found.differences)
    assert (found.status == "verbatim") <= bool(found.spans)


@given(st.text(alphabet="ab .…[]-1\n", max_size=80), st.text(alphabet="ab .…[]-1\n\f", max_size=300))
def test_any_text_of_few_letters(quote, text):
    found = locate_quotation(quote, index_source(text))
    assert found.status in list(QuotationStatus)


HOSTILE = {
    "parts": ("a … " * 60 + "z", "a "),
    "pairs": ("aa bb … " * 60 + "zz", "aa bb "),
    "brackets": ("[x] a " * 60 + "z", "a "),
    "one word": ("a" * 4000 + "b", "a"),
    "repeated": ("a b " * 1000 + "z", "a b "),
    "repeated, there": ("a b " * 1000, "a b "),
    "three": ("one two three " * 300 + "four", "one two three "),
    "opened": ("[" * 4000, "[" * 50),
    "tags": ("<a " * 1500, "<a href='"),
    "links": ("![" * 2000, "![a]("),
    "hyphens": ("a-\n" * 1500, "a-\n"),
    "numbers": ("1,000," * 800, "1,000,"),
    "negations": ("not no never " * 300 + "nor", "no never not "),
    "scanned": ("rnrnrnrn clclcl " * 200, "mmmm ddd "),
}


@pytest.mark.growth
@pytest.mark.parametrize("kind", HOSTILE)
def test_time_grows_with_the_source_and_not_faster(kind):
    quote, unit = HOSTILE[kind]
    source = {size: unit * (size // len(unit)) for size in (100_000, 400_000)}
    assert grows_linearly(lambda size: locate_quotation(quote, index_source(source[size])), *source)


@pytest.mark.growth
@pytest.mark.parametrize("kind", HOSTILE)
def test_time_grows_with_the_quotation_and_not_faster(kind):
    quote, unit = HOSTILE[kind]
    source = index_source(unit * (100_000 // len(unit)))
    assert grows_linearly(
        lambda size: locate_quotation(quote * (size // len(quote) + 1), source), 5_000, 80_000
    )


def test_a_long_source_is_searched():
    chance = random.Random(5)
    known = ["".join(chance.choice("abcdefgh") for _ in range(chance.randint(3, 9))) for _ in range(3000)]
    text = [chance.choice(known) for _ in range(100_000)]
    source = index_source(" ".join(text))
    quote = text[60_000:60_030]
    assert locate_quotation(" ".join(quote), source).status == "verbatim"
    found = locate_quotation(" ".join([*quote[:15], "zzzzzz", *quote[16:]]), source)
    assert [(one.quoted, one.source) for one in found.differences] == [("zzzzzz", quote[15])]
    assert source.text[found.span.start : found.span.end] == " ".join(quote)


TRIAL = index_source(
    "The drug was not, in the large trial, effective. Patients who took it lived longer than those who did "
    "not take it. The colour of the tablets had no effect on behaviour in 12 of 40 patients, and this was "
    "seen in other trials as well."
)


@pytest.mark.parametrize(
    ("quote", "weight"),
    [
        ("The drug was … effective", "negation"),
        ("The drug was [in a trial] effective", "negation"),
        ("The drug … lived longer", "joined"),
        ("effective … longer than those", "joined"),
        ("effect on behaviour in … patients", "number"),
        ("The color of the tablets had no effect on behavior", None),
        ("Patients who took it … than those who did not", None),
        ("The drug was not … effective. … The colour of the tablets", None),
        ("The colour … was seen in other trials", None),  # a negation elsewhere in the sentence
    ],
)
def test_what_an_ellipsis_or_brackets_may_hide(quote, weight):
    found = locate_quotation(quote, TRIAL)
    assert [one.weight for one in found.differences if not one.harmless] == ([weight] if weight else [])
