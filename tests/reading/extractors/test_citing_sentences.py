"""Which sentences cite a reference: tables of bodies, one a way of citing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeproof.reading.extractors.prose.citing_sentences import (
    MAX_SENTENCE,
    MAX_SENTENCES,
    attach_sentences,
)
from citeproof.reading.extractors.prose.sentence_spans import find_sentence_spans
from citeproof.vocabulary import Claimed, Name, Place, RawReference
from tests.growth import grows_linearly
from tests.soak import choose_cases

LECUN = "LeCun, Y., Bengio, Y., & Hinton, G. (2015). Deep learning. Nature, 521, 436-444."
KINGMA = "D. P. Kingma and J. Ba. Adam: A method for stochastic optimization. In ICLR, 2015."
HE = "He K, Zhang X, Ren S, Sun J. Deep residual learning for image recognition. CVPR. 2016:770-778."
VASWANI = "Ashish Vaswani, Noam Shazeer, Niki Parmar. Attention is all you need. NeurIPS 2017."
DEVLIN = "Devlin, J., Chang, M.-W., Lee, K., Toutanova, K. 2019a. BERT. NAACL."
LUHMANN = "Luhmann, Niklas/Habermas, Jürgen 1971: Theorie der Gesellschaft. Frankfurt: Suhrkamp."
WHO = "World Health Organization. (2020). World health statistics 2020. Geneva: WHO."
BERG = "van den Berg, R., Kipf, T. N. (2017). Graph convolutional matrix completion. arXiv:1706.02263."
MUELLER = "Müller, U. K. (1998). Testing. Econometrica."


def reference(text, key="ref-1", **fields):
    return RawReference(key, text, Place(), **fields)


def cited(text, body, key="ref-1", **fields):
    return attach_sentences([reference(text, key, **fields)], body)[0].citing


SPLIT = {
    "plain": ("One. Two! Three?", ["One.", "Two!", "Three?"]),
    "et al.": ("As Smith et al. Show it. Next.", ["As Smith et al. Show it.", "Next."]),
    "figures": (
        "See Fig. 3 and Eq. (4). Then Sec. 2 follows.",
        ["See Fig. 3 and Eq. (4).", "Then Sec. 2 follows."],
    ),
    "latin": (
        "Some, e.g. Smith, say so. Others, i.e. Doe, not.",
        ["Some, e.g. Smith, say so.", "Others, i.e. Doe, not."],
    ),
    "german": (
        "Das gilt, z. B. Bei uns. Vgl. Müller 1998. Dr. Maier irrt.",
        ["Das gilt, z. B. Bei uns.", "Vgl. Müller 1998.", "Dr. Maier irrt."],
    ),
    "initials": ("It was J. A. Smith. He knew.", ["It was J. A. Smith.", "He knew."]),
    "a letter that ends": ("See Appendix A. We go on.", ["See Appendix A.", "We go on."]),
    "decimals": ("It rose 3.5 percent. In 2.1 cases.", ["It rose 3.5 percent.", "In 2.1 cases."]),
    "mark behind the stop": ("Shown before.[3] Now more.", ["Shown before.[3]", "Now more."]),
    "mark behind stop and space": ("Shown before. [3] Now more.", ["Shown before. [3]", "Now more."]),
    "mark that begins": ("Shown before. [3] shows more.", ["Shown before.", "[3] shows more."]),
    "line breaks": ("One goes\non here. Two.", ["One goes\non here.", "Two."]),
    "paragraphs": ("No stop\n\nNext one", ["No stop", "Next one"]),
    "items": ("Two facts:\n- first\n- second", ["Two facts:", "- first", "- second"]),
    "quotes": ("He said “so.” She did not.", ["He said “so.”", "She did not."]),
    "chinese": ("深度学习很重要[1]。另一句。", ["深度学习很重要[1]。", "另一句。"]),
    "chinese mark behind": ("很重要。[1]另一句。", ["很重要。[1]", "另一句。"]),
    "numbered heading": ("3. Results are good. Yes.", ["3. Results are good.", "Yes."]),
    "months": ("On Jan. 3 it came. Then.", ["On Jan. 3 it came.", "Then."]),
    "spanish": ("Así es. ¿Por qué? Sí.", ["Así es.", "¿Por qué?", "Sí."]),
}


@pytest.mark.parametrize("name", SPLIT)
def test_sentences_come_apart(name):
    body, expected = SPLIT[name]
    assert [body[start:end].strip() for start, end in find_sentence_spans(body)] == expected


NUMBERED = {
    "one": ("We follow [3]. Not [4].", ["We follow [3]."]),
    "range": ("Some work [1, 2–5] exists.", ["Some work [1, 2–5] exists."]),
    "hyphen range": ("Some [2-4] exist.", ["Some [2-4] exist."]),
    "spread range": ("Some [2]–[4] exist.", ["Some [2]–[4] exist."]),
    "glued": ("Some [1][3] exist.", ["Some [1][3] exist."]),
    "semicolons": ("Some [1; 3] exist.", ["Some [1; 3] exist."]),
    "with page": ("As said [3, p. 12].", ["As said [3, p. 12]."]),
    "see": ("It holds [see 3, Theorem 2].", ["It holds [see 3, Theorem 2]."]),
    "over a line break": ("It holds [1,\n3] here.", ["It holds [1, 3] here."]),
    "raised figures": ("It holds.³ Not here.⁴", ["It holds.³"]),
    "raised ranges": ("It holds²⁻⁴ here.", ["It holds²⁻⁴ here."]),
    "a power is no mark": ("An area of 5 m² or 10⁻³ s.", []),
    "a link is none": ("See [3](https://example.org).", []),
    "a footnote's own line is none": ("Text.\n\n[3]: https://example.org\n", []),
    "an index in a code span is none": ("Take `a[3]` and ``b[1, 3]``.", []),
    "an index in a call is none": ("Then print(b[3]) is run.", []),
    "nor one in a fence": ("So:\n\n```\nx = a[3]\n```\n", []),
    "an equation is none": ("From equation (3) we get (4) and Eq. (3).", []),
    "twice in one sentence": ("Here [3] and there [3].", ["Here [3] and there [3]."]),
    "none": ("Nothing.", []),
}


@pytest.mark.parametrize("name", NUMBERED)
def test_numbers_are_found(name):
    body, expected = NUMBERED[name]
    found = attach_sentences([reference(LECUN, str(n)) for n in range(1, 11)], body)[2].citing
    assert list(found) == expected


ROUND = {
    "the document's way": ("It began (1). Then came more (2, 3).", True),
    "steps and equations": ("By equation (1) and step (2) it holds; see Table (3).", False),
    "too few": ("It began (1).", False),
    "brackets go first": ("It began [1]. With x (2) and (3).", False),
}


@pytest.mark.parametrize("name", ROUND)
def test_round_brackets_count_where_most_references_have_one(name):
    body, expected = ROUND[name]
    found = attach_sentences([reference(HE, str(n)) for n in (1, 2, 3)], body)
    assert bool(found[1].citing) is expected


LABELS = [
    ("Knu97", "As in [Knu97]. Other.", ["As in [Knu97]."]),
    ("Knu97", "As in [LBH15, Knu97, p. 4].", ["As in [LBH15, Knu97, p. 4]."]),
    ("^note", "Words.[^note] Others.", ["Words.[^note]"]),
    ("^note", "Words.\n\n[^note]: A book.", []),
    ("a+b", "As in [a+b].", ["As in [a+b]."]),
    ("Knu97", "Nothing of Knu97.", []),
]


@pytest.mark.parametrize(("key", "body", "expected"), LABELS)
def test_labels_are_found(key, body, expected):
    assert list(cited(MUELLER, body, key)) == expected


# (reference, body, whether the body's first sentence cites it)
BY_AUTHOR = [
    (LECUN, "Networks work (LeCun et al., 2015). No.", True),
    (LECUN, "Networks work (LeCun, Bengio, & Hinton, 2015).", True),
    (LECUN, "LeCun et al. (2015) say so.", True),
    (LECUN, "LeCun et al. [2015] say so.", True),
    (LECUN, "LeCun's (2015) idea.", True),
    (LECUN, "LeCun and colleagues (2015) say so.", True),
    (LECUN, "So (see LeCun et al., 2015, p. 436; Doe, 2019).", True),
    (LECUN, "So (Doe, 2019; LeCun et al., 2015).", True),
    (LECUN, "So (LeCun, 2013, 2015).", True),
    (LECUN, "LeCun (1989; 2015) says so.", True),
    (LECUN, "So (LeCun et al.,\n2015).", True),
    (LECUN, "LeCun et al. (2016) say so.", False),
    (LECUN, "In 2015, LeCun said so.", False),
    (LECUN, "LeCun said it in the year 2015.", False),
    (LECUN, "Doe and LeCun (2015) say so.", False),
    (LECUN, "Lecunier (2015) says so.", False),
    (KINGMA, "We use Adam (Kingma and Ba, 2015).", True),
    (KINGMA, "We use Adam (Kingma & Ba 2015).", True),
    (LECUN, "So (Deep Networks, LeCun and Hinton, 2015).", True),
    (HE, "Residual networks (He et al., 2016) are deep.", True),
    (HE, "It is what he said (2016).", False),
    (VASWANI, "Vaswani et al. (2017) began it.", True),
    (VASWANI, "It began with attention (Vaswani et al., 2017).", True),
    (DEVLIN, "We use BERT (Devlin et al., 2019a).", True),
    (DEVLIN, "We use BERT (Devlin et al., 2019a,b).", True),
    (DEVLIN, "We use BERT (Devlin et al., 2019).", True),
    (LUHMANN, "So heißt es (Luhmann/Habermas 1971: 23).", True),
    (LUHMANN, "Vgl. Luhmann und Habermas 1971, S. 23.", True),
    (WHO, "Statistics (World Health Organization, 2020) say so.", True),
    (WHO, "Statistics (WHO, 2020) say so.", True),
    (WHO, "Statistics (WHO 2019) say so.", False),
    (BERG, "So van den Berg et al. (2017).", True),
    (MUELLER, "So Müller (1998).", True),
    (MUELLER, "So Muller (1998).", True),
    ("SILVA, J.; SOUZA, P. Título. São Paulo: Atlas, 2019.", "Assim é (SILVA; SOUZA, 2019).", True),
    ("周志华. 机器学习[M]. 北京: 清华大学出版社, 2016.", "机器学习 (周志华, 2016) 很重要。", True),
]


@pytest.mark.parametrize(("text", "body", "expected"), BY_AUTHOR)
def test_author_and_year_are_found(text, body, expected):
    assert bool(cited(text, body)) is expected


def test_claimed_fields_go_before_the_text():
    claimed = Claimed(authors=(Name("Knuth", "Donald"), Name("Plass", "Michael")), year=1981)
    fields = {"claimed": claimed}
    assert cited("@article{x, …}", "So Knuth and Plass (1981).", "x", **fields)
    assert not cited("@article{x, …}", "So Knuth and Bendix (1981).", "x", **fields)
    assert cited("@article{x, …}", "Knuth (1981) broke paragraphs.", "x", **fields)


def test_letters_tell_two_works_of_a_year_apart():
    first = reference("Doe, J. (2019a). One.", "ref-1")
    second = reference("Doe, J. (2019b). Two.", "ref-2")
    body = "Only one (Doe, 2019a). The other (Doe 2019b). Both (Doe, 2019a, b). Either (Doe 2019)."
    one, two = attach_sentences([first, second], body)
    assert one.citing == ("Only one (Doe, 2019a).", "Both (Doe, 2019a, b).", "Either (Doe 2019).")
    assert two.citing == ("The other (Doe 2019b).", "Both (Doe, 2019a, b).", "Either (Doe 2019).")


def test_what_a_reference_had_stays_first():
    [one] = attach_sentences([reference(LECUN, "1", citing=("Before.",))], "Again [1].")
    assert one.citing == ("Before.", "Again [1].")


def test_no_more_than_twenty_and_each_once():
    body = "".join(f"Fact {n} [1]. " for n in range(50)) + "Fact 1 [1]."
    assert len(cited(LECUN, body, "1")) == MAX_SENTENCES


def test_a_long_sentence_keeps_its_mark():
    body = "word " * 400 + "[7] " + "word " * 400
    [sentence] = cited(LECUN, body, "7")
    assert "[7]" in sentence
    assert len(sentence) <= MAX_SENTENCE


def test_a_word_broken_at_the_line_end_is_whole():
    assert cited(LECUN, "This is an exam-\nple [1].", "1") == ("This is an example [1].",)


UNITS = [
    "[1",
    "[1] ",
    "Doe (2019) ",
    "(2019",
    "Doe, ",
    "a. ",
    "A. ",
    "[",
    "\n",
    "\n\n",
    "[3]–",
    "x² ",
    "(1) ",
]


@pytest.mark.growth
@pytest.mark.parametrize("unit", choose_cases(UNITS))
def test_the_search_is_linear(unit):
    listed = [reference("Doe, J. (2019a). One.", "1"), reference(LECUN, "Knu97")]
    assert grows_linearly(lambda size: attach_sentences(listed, (unit * size)[:size]))


@given(st.text(max_size=300))
def test_any_text_is_covered_by_its_sentences(text):
    found = list(find_sentence_spans(text))
    assert "".join(text[start:end] for start, end in found) == text
    attach_sentences([reference(LECUN, "1")], text)


def test_marks_close_together_in_an_endless_sentence_share_its_part():
    body = "so " * 400 + "".join(f"[{n}] " for n in range(1, 10)) + "and on " * 400
    told = [one.citing for one in attach_sentences([reference(LECUN, str(n)) for n in range(1, 10)], body)]
    assert all(len(each) == 1 and f"[{n}]" in each[0] for n, each in enumerate(told, 1))
    assert len({id(each[0]) for each in told}) < 3
