r"""What is printed is what is read: commands with arguments, conditionals and macros."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.growth import grows_linearly

from citeproof.text.latex import strip_latex
from citeproof.text.latex_commands import print_commands, read_macros

PRINTED = [
    (r"\texorpdfstring{Cats}{BERT}", "Cats"),
    (r"\texorpdfstring{Cats {in} \emph{mice}}{BERT}", "Cats in mice"),
    (r"\csname texorpdfstring\endcsname{Cats}{BERT}", "Cats"),
    (r"\pdftooltip{Cats}{BERT}", "Cats"),
    (r"\href{https://x.org/BERT}{Cats}", "Cats"),
    (r"\hyperref[sec:BERT]{Cats} \hyperref{u}{BERT}{n}{mice} \hyperlink{BERT}{eat}", "Cats mice eat"),
    (r"\foreignlanguage{BERT}{Katzen}", "Katzen"),
    (r"\raisebox{2pt}[1ex][1ex]{Cats} \rotatebox{90}{in} \parbox[t]{3em}{mice}", "Cats in mice"),
    (r"\makebox[3em][c]{Cats} \framebox{in} \fbox{mice} \uppercase{x} \protect\emph{y}", "Cats in mice x y"),
    (r"\sout{Cats} \st{in} \cancel{mice}", "Cats in mice"),  # one sees what is struck out
    (r"Cats\phantom{BERT}\hphantom{BERT}\vphantom{B{E}RT}", "Cats"),
    (r"Cats\footnote{BERT}\footnotetext[1]{BERT}\index{BERT}\label{BERT}\todo[inline]{BERT}", "Cats"),
    (r"Cats\hspace*{1em}\rule[1pt]{2pt}{3pt}\vspace{1ex} in", "Cats in"),
    (r"\setbox0\hbox{BERT}Cats", "Cats"),
    (r"\setbox0\hbox{Cats}\box0", "setbox0Catsbox0"),  # it is printed later
    (r"\newacronym{BERT}{C}{Cats}\acl{BERT} \acs{BERT} \ac{BERT} \acrodef{x}[in]{mice}\acs{x} \acs{GPT}",
     "Cats C Cats (C) in GPT"),
    (r"\@gobble{BERT}Cats \@firstoftwo{in}{BERT} \@secondoftwo{BERT}{mice}", "Cats in mice"),
    (r"\discretionary{BERT}{BERT}{Cats} $\mathchoice{BERT}{in}{BERT}{BERT}$", "Cats in"),
    (r"\verb|Cats| \verb*+in+", "Cats in"),
    (r"Cats\begin{comment}BERT\end{comment}\typeout{BERT}\special{BERT}", "Cats"),
    # conditionals
    (r"\iffalse BERT\fi Cats \iffalse BERT\else in\fi \iftrue mice\else BERT\fi", "Cats in mice"),
    (r"\iffalse {BERT}\fi{Cats}", "Cats"),
    (r"\iftrue\iffalse BERT\else Cats\fi\else BERT\fi", "Cats"),
    (r"\ifmmode BERT\else Cats\fi $\ifmmode in\else BERT\fi$", "Cats in"),
    (r"\ensuremath{\mbox{\ifmmode BERT\else Cats\fi}\ifmmode in\else BERT\fi}", "Catsin"),
    (r"\ifnum 1>2 BERT\else Cats\fi \if aa in\else BERT\fi \ifx\a\a mice\else BERT\fi", "Cats in mice"),
    (r"\newif\ifx@y\ifx@y BERT\fi\x@ytrue\ifx@y Cats\else BERT\fi", "Cats"),
    (r"\let\ifdraft\iffalse\ifdraft BERT\else Cats\fi", "Cats"),
    (r"\ifx\a\b Cats\else mice\fi", "Cats mice"),  # only TeX knows: all of it is read
    (r"\ifthenelse{\equal{a}{b}}{Cats}{mice}", "abCatsmice"),
    (r"a \iff b", "a iff b"),
    # what nobody sees
    (r"\textcolor{white}{BERT}Cats \textcolor{red}{in} \textcolor[rgb]{0,0,1}{mice}", "Cats in mice"),
    (r"\textcolor[rgb]{1,1,.99}{BERT}\textcolor[HTML]{FFFFFE}{BERT}Cats", "Cats"),
    (r"\textcolor[cmyk]{0,0,0,0}{BERT}\textcolor[RGB]{255,255,255}{BERT}Cats", "Cats"),
    (r"\textcolor{black!1}{BERT}\textcolor{white!99!black}{BERT}\textcolor{white!40!black}{Cats}", "Cats"),
    (r"{\color{white}BERT} Cats {\color{white}BERT \color{black}in} mice", "Cats in mice"),
    (r"\definecolor{ink}{gray}{1}\textcolor{ink}{BERT}\colorlet{i}{ink}{\color{i} BERT}Cats", "Cats"),
    (r"\colorbox{black}{\textcolor{white}{Cats}}\colorbox{yellow}{\textcolor{yellow}{BERT}}", "Cats"),
    (r"\scalebox{0.01}{BERT}\scalebox{1.5}{Cats}\resizebox{0pt}{!}{BERT}\resizebox{3em}{!}{ in}", "Cats in"),
    (r"{\fontsize{0.1}{1}\selectfont BERT}{\tiny Cats}{\transparent{0}BERT}", "Cats"),
    # macros
    (r"\newcommand{\BERT}{Cats}\BERT", "Cats"),
    (r"\newcommand{\two}[2]{#2}\two{BERT}{Cats} \two BC", "Cats C"),
    (r"\newcommand*\opt[2][in]{#1 #2}\opt{mice} \opt[Cats]{eat}", "in mice Cats eat"),
    (r"\NewDocumentCommand{\two}{O{in} m}{#2 #1}\two{Cats} \two[eat]{mice}", "Cats in mice eat"),
    (r"\def\two#1#2{#1}\let\three\two\three{Cats}{BERT}", "Cats"),
    (r"\renewcommand{\phantom}[1]{#1}\phantom{Cats}\let\footnote\relax\footnote{ in}", "Cats in"),
    (r"\def\hide{\iffalse}\hide BERT\fi Cats", "Cats"),
    (r"\def\first{\texorpdfstring}\first{Cats}{BERT}", "Cats"),
    (r"\def\program#1{\catcode37=12 Cats}\program{BERT}", "BERT Cats"),  # a program: all its words are read
    (r"\def\kk#1{\setbox0=\hbox{#1}{\ooalign{\hidewidth\lower1.5ex\hbox{`}\crcr\unhbox0}}}W\kk{p}", "Wp"),
    (r"\LaTeX\phantom{x}s and \newcommand{\x}{\LaTeX}\x s", "LaTeX s and LaTeX s"),
    # what is no command of ours stays as it was
    (r"\phantom of the opera", "phantom of the opera"),
    (r"\texorpdfstring{Cats", "Cats"),
    (r"\GPT\ at you@\x.org", "GPT at you@x.org"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "plain"), PRINTED)
def test_what_is_printed_is_what_is_read(text, plain):
    assert strip_latex(text) == plain


@pytest.mark.parametrize(
    "bomb",
    [
        r"\def\a{\a\a}\a BERT",
        r"\def\a#1{\a{#1#1}}\a{BERT}",
        "".join(rf"\def\{chr(98 + n)}{{\{chr(97 + n)}\{chr(97 + n)}}}" for n in range(20)) + r"\rm\u BERT",
        r"\emph{" * 3 + r"\textcolor{red}{" * 100 + "BERT" + "}" * 103,
    ],
)
def test_macros_that_nest_too_deep_agree_with_nothing(bomb):
    plain = strip_latex(bomb)
    assert plain.endswith(("(its macros nest too deep to be read)", "BERTBERT"))
    assert len(plain) < 20_000


def test_an_arrow_of_the_text_is_the_sign():
    assert strip_latex(r"Claim {\textrightarrow}{E}vidence") == "Claim →Evidence"


@given(st.text(alphabet=r"\{}[]#1aif$ ", max_size=60))
def test_whatever_is_written_is_read(text):
    assert isinstance(print_commands(text, read_macros(text)), str)


UNITS = (
    *(r"\iftrue ", r"\iffalse x\fi ", r"{\color{white}x}", r"\textcolor{red}{", r"\newif\ifa\atrue"),
    *(r"\def\a{b}\a", r"\begin{comment}", r"\verb|x", r"\setbox0\hbox{x}", r"\color{white}", r"\if", "{"),
)


@pytest.mark.growth
@pytest.mark.parametrize("unit", UNITS)
def test_the_cost_is_linear(unit):
    assert grows_linearly(lambda size: print_commands((unit * size)[:size]))
