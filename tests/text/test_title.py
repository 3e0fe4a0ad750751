import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from citeproof.text import title
from citeproof.text.latex import strip_latex
from citeproof.text.unicode import is_suspicious, show_controls, strip_marks

KEYS = [
    (r"Pre-{T}raining of <i>β</i>-VAEs &amp; co", "pretrainingofbetavaesco"),
    ("trans- lation of proteins", "translationofproteins"),
    ("Ab ﬁne ﬂow", "abfineflow"),
    ("Ĳssel – “quoted”", "ijsselquoted"),
    (r"$\alpha$-decay of $^{12}$C", "alphadecayof12c"),
    ("Основы теории", "основытеории"),
    ("深度学习", "深度学习"),
]


@pytest.mark.parametrize(("text", "key"), KEYS)
def test_the_table_of_keys(text, key):
    assert title.make_title_key(text) == key


LATEX = [
    (r"\href{https://x.org/a?id=r_Y}{Meta-learning {BO}}", "Meta-learning BO"),
    (r"\href{https://x.org/a}", "https://x.org/a"),
    (r"{\"o}v\'{\i}c", "övíc"),
    (r"\v{c} \c c {\ss} {\O}stergaard", "č ç ß Østergaard"),
    (r"Nguy\~{\^e}n", "Nguyễn"),
    (r"Erd\H{o}s", "Erdős"),
    (r"\emph{Drosophila} \& co", "Drosophila & co"),
    (r"Chat\GPT\ on", "ChatGPT on"),
    (r"a -- b --- c ``d''", "a – b — c “d”"),
    ("costs $5", "costs $5"),
    (r"\LaTeX{} rules", "LaTeX rules"),
    (r"\LaTeXe in use", "LaTeX2e in use"),
    (r"O\textquotesingle Connor", "O'Connor"),
    (r"Andri\ifmmode \acute{c}\else \'{c}\fi{} et", "Andrić et"),
    (r"Ad\-di\-son-Wes\-ley", "Addison-Wesley"),
    (r"{\em Everyone\/} and AC\/DC", "Everyone and AC/DC"),
    (r"\noopsort{1973b}1973", "1973"),
    (r"\texorpdfstring{$\beta$}{beta}-VAE", "β-VAE"),
    (r"$\backslash$ frac $\{$13$\}$$\{$9$\}$-Approximation", "13/9-Approximation"),
    (r"{\itshape Sebastes inermis} muscle", "Sebastes inermis muscle"),
    (r"Th\^e\kern-.05em\raise 0.5ex\hbox{\relax} x", "Thê x"),
    (r"\raisebox{-2pt}{\includegraphics[width=1em]{a.png}} Nets", "Nets"),
    (r"\textcolor{red}{Deep} Nets\footnote{In print.}", "Deep Nets"),
    (r"Poincar\a'e", "Poincaré"),
    (r"\apj", "Astrophysical Journal"),
    (r"{\mnras}, 380", "Monthly Notices of the Royal Astronomical Society, 380"),
    ("plain text", "plain text"),
]


@pytest.mark.parametrize(("text", "plain"), LATEX)
def test_the_table_of_latex(text, plain):
    assert strip_latex(text) == plain


@given(st.text(max_size=400))
@example("\ua7f8")  # a modifier letter whose plain form is a capital with a stroke
def test_key_is_idempotent_and_holds_only_letters_and_digits(text):
    key = title.make_title_key(text)
    assert title.make_title_key(key) == key
    assert all(c.isalnum() for c in key)


@given(st.text(alphabet="aZ 9:,'()?!/+.-", max_size=40))
def test_the_key_of_a_plain_title_is_its_words(text):
    assert title.make_title_key(text) == "".join(title.split_words(text))


@given(st.text(max_size=200))
def test_what_is_shown_holds_no_control_character(text):
    shown = show_controls(text.replace("\n", " ").replace("\r", " ").replace("\t", " "))
    assert not any(ord(c) < 32 or 0x7F <= ord(c) < 0xA0 or c in "\u202e\u200b\u2028" for c in shown)


def test_look_alikes_are_noticed_and_marks_removed():
    assert is_suspicious("10․1038/x")
    assert not is_suspicious("10.1038/x")
    assert strip_marks("Ångström Łódź") == "Angstrom Lodz"


def test_a_flood_of_combining_marks_is_read_in_linear_time():
    assert title.make_title_key("z" + "\u0301" * 100_000) == "z"


CUT = [
    ("A test of the CPL...", "A test of the CPL…"),
    ("{A test of the CPL\\ldots}", "A test of the CPL…"),
    ("A test of the CPL…", "A test of the CPL…"),
    ("A test of the CPL.", "A test of the CPL"),
    ("...", ""),
    ("…", ""),
    ("{...}", ""),
]


@pytest.mark.parametrize(("text", "cleaned"), CUT)
def test_a_cut_title_keeps_one_mark_and_dots_alone_are_no_title(text, cleaned):
    assert title.clean(text) == cleaned
