"""The one finder of citations: a text ⇒ what it cites, each alone and in its own place."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citeproof.claims.text_citations import find_text_citations
from tests.growth import grows_linearly

ENTRY = "Smith, J. (2020). A title of it. Nature 5, 3-4."


def cite(text: str) -> list[str]:
    """Return what the text has where it cites."""
    return [text[one.start : one.end] for one in find_text_citations(text)]


CITED = [
    ("So (Vaswani et al., 2017; Devlin et al., 2019).", ["Vaswani et al., 2017", "Devlin et al., 2019"]),
    ("See [2, 4–6] and [7].", ["[2, 4–6]", "[7]"]),
    ("Masked training made them\ngeneral [2]. Then it ended.", ["[2]"]),
    ("As shown.[3] Others [1, p. 5] agree.", ["[3]", "[1, p. 5]"]),
    ("A [paper](https://doi.org/10.1000/x) says so.", ["[paper](https://doi.org/10.1000/x)"]),
    ("As https://www.nature.com/articles/nature14539 shows.", ["https://www.nature.com/articles/nature14539"]),
    ("Keys [@smith2020; @doe2019] too.", ["[@smith2020; @doe2019]"]),
    (r"So \cite{a,b} and \citep[see][p. 5]{k}.", [r"\cite{a,b}", r"\citep[see][p. 5]{k}"]),
    ("So【1†source】 and note[^n].", ["【1†source】", "[^n]"]),
    ("So it is in [2]_ too.", ["[2]_"]),
    ("Found before.² And then", ["²"]),
    ("Proven by Lovelace et al. long ago.", ["Lovelace et al."]),
    ("The same by Sun (2025).", ["Sun (2025)"]),
    ("So says Sun (2025, p. 3) too.", ["Sun (2025, p. 3)"]),
    ("First observed (He and Nguyen, 2016).", ["He and Nguyen, 2016"]),
    ("**Shiller (2017)** argues it.", ["Shiller (2017)"]),
    ("See equation 5 of Miller, Ryan, Dolence (2019).", ["Miller, Ryan, Dolence (2019)"]),
    (
        'So Smithson & Wang (2022), "Neural Memory Lattices" (NeurIPS 2022) shows.',
        ['Smithson & Wang (2022), "Neural Memory Lattices" (NeurIPS 2022)'],
    ),
    ('The paper "Deep Foo for Bar" shows it.', ['"Deep Foo for Bar"']),
    ("### 2.3 Symbiotic Cars for All (Shneider, Wang, 2025)",
     ["Symbiotic Cars for All (Shneider, Wang, 2025)"]),
    ('It said "The model fails in most cases." (Doe & Roe, 2020).', ["Doe & Roe, 2020"]),
    ("**Causal Evidence on Everything Else.** Doe & Roe (2020) show it.", ["Doe & Roe (2020)"]),
    ('Doe & Roe (2020): "The model fails in most cases."', ["Doe & Roe (2020)"]),
    ('So "Attention Is All You Need" (Vaswani et al., 2017)',
     ['"Attention Is All You Need" (Vaswani et al., 2017)']),
    ("See //doi.org/10.1000/fake1 or arxiv.org/abs/1706.03762",
     ["//doi.org/10.1000/fake1", "arxiv.org/abs/1706.03762"]),
    ("DOI: 10.1234 / x1", ["DOI: 10.1234 / x1"]),
    ("（DOI 10.5281/zenodo.20397566）。两层", ["DOI 10.5281/zenodo.20397566"]),
    ("x" * 21_000 + " 10.1000/fake2", ["10.1000/fake2"]),
    ("Halvorsted’s 2023 paper is the usual source.", ["Halvorsted’s 2023"]),
    ("On more (Entropy Anchors Stabilise Language Models, PMID: 99871204).",
     ["Entropy Anchors Stabilise Language Models, PMID: 99871204"]),
    ("### mlesky: Efficient Estimation of Sizes (Didelot et al., 2023)",
     ["mlesky: Efficient Estimation of Sizes (Didelot et al., 2023)"]),
    ("Kernels for Lazy People: Ten Shortcuts (Bramwell, Otieno; JMLR 2010)",
     ["Kernels for Lazy People: Ten Shortcuts (Bramwell, Otieno; JMLR 2010)"]),
    ("### Entity Bias in (Large) Language Models (Wang et al., 2023)",
     ["Entity Bias in (Large) Language Models (Wang et al., 2023)"]),
    ("- **Layered completion of it.** The line is secondary to the tree and also flagged (Doe, 1977).",
     ["Doe, 1977"]),
    ("This is the seminal work of\n[1]_ and others.", ["[1]_"]),
    ("As :citet:`Vaswani.2017` shows.", [":citet:`Vaswani.2017`"]),
    ("Some [2]–[4] exist.", ["[2]–[4]"]),
    ("See Abel (2001), Baker (2002), and Cole (2003).", ["Abel (2001)", "Baker (2002)", "Cole (2003)"]),
    ("Debt rose (OECD, 2019) and fell (World Bank, 2021).", ["OECD, 2019", "World Bank, 2021"]),
    ("Como argumenta o modelo de Ortega (2001), não.", ["de Ortega (2001)"]),
    ("山田(2008)によれば、結果は異なる。", ["山田(2008)"]),
    ("Read [Brandt & Lee 2021](notes.html) first.", ["Brandt & Lee 2021"]),
    ("Ibid., p. 91.", ["Ibid., p. 91"]),
    ("Small worlds are everywhere (Watts & Strogatz 98)", ["Watts & Strogatz 98"]),
    ("Ann Brandt's Recursive Lattices of Memory (Neural Letters, 2021) says so.",
     ["Ann Brandt's Recursive Lattices of Memory (Neural Letters, 2021)"]),
    ("We follow [3, Thm 2.1] and [5].", ["[3, Thm 2.1]", "[5]"]),
    ("The estimator (Bahdanau+ 2015) is used.", ["Bahdanau+ 2015"]),
    ("It was Brandt and Lee's seminal 2021 lattice paper.", ["Brandt and Lee's seminal 2021"]),
    ("a paper entitled Sparse Lattices for Attention, in which", ["Sparse Lattices for Attention"]),
    ("arXiv:2209.18827 (Ostrowe, Bellini: Prompt inertia in tuned models)",
     ["arXiv:2209.18827 (Ostrowe, Bellini: Prompt inertia in tuned models)"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "found"), CITED, ids=range(len(CITED)))
def test_what_a_text_cites(text, found):
    assert cite(text) == found


SPELLED = [
    "Smith and Wang ⟨2022⟩",
    "S m i t h  a n d  W a n g (2 0 2 2)",
    "SMITH AND WANG (2022)",
    "Smith‑Lee & Wang (2022)",
    "Smith &amp; Wang (&#50;022)",
    "Smith \\& Wang (2022)",
    "S\u200bmith & Wang (2022)",
    "\u0405mith & W\u0430ng (2022)",
    "Smith</b> & <i>Wang</i> (2022)",
    "Smith\n> & Wang (2022)",
    "Smith & Wang (２０２２)",
    "doi:10&#46;1000&#47;x1",
    "10\\.1000\\/x1",
    "10.1000/<wbr>x1",
    "https://doi.org/\n10.1000/x1",
    "{cite:p}`smith2022`",
    "#cite(<smith2022>)",
    "[oaicite:2]",
    "[1, ch. 3; 2, fig. 4]",
    "smith et al 2022",
    "Smith等（2022）",
]


@pytest.mark.parametrize("spelled", SPELLED)
def test_another_spelling_hides_no_citation(spelled):
    text = f"It was found that {spelled} showed it."
    assert cite(text) == [spelled]


ENTRIES = [
    (f"- {ENTRY}\n", [ENTRY], ""),
    (f"[1] {ENTRY}\n", [ENTRY], "1"),
    (f"> {ENTRY}\n", [ENTRY], ""),
    (f"So it is[^n].\n\n[^n]: {ENTRY}\n", ["[^n]", ENTRY], "n"),
    (f"```\n{ENTRY}\n```\n", [ENTRY], ""),
    ("| Title | Authors | Year |\n|---|---|---|\n| A fine title | Smith, J. | 2020 |\n",
     ["A fine title | Smith, J. | 2020"], ""),
    ("| work | year |\n|---|---|\n| Smith, J., Doe, R. A fine title of it | 2020 |\n",
     ["Smith, J., Doe, R. A fine title of it | 2020"], ""),
    ("```bibtex\n@article{k, title={A B}, author={Smith, J.}, year=2020}\n```\n",
     ["@article{k, title={A B}, author={Smith, J.}, year=2020}"], "k"),
    ("\\bibitem{k} Smith, J. \\emph{A title}. Nature, 2020.\n\\end{thebibliography}",
     ["Smith, J. \\emph{A title}. Nature, 2020."], "k"),
    ("## References\n\n- Quantum synergies of attention\n", ["Quantum synergies of attention"], ""),
    ("## References\n\n1. Quantum synergies. Things, 2021.\n", ["Quantum synergies. Things, 2021."], "1"),
]  # fmt: skip


ENTRIES += [
    (
        '10. Smith, "A Philosophy of the Home: An Experience" University of Sussex, 2015.',
        ['Smith, "A Philosophy of the Home: An Experience" University of Sussex, 2015.'],
        "10",
    ),
]


LISTED = f"1. {ENTRY}\n2. Lund, A. (2019). Deep Forests of Memory. JMLR 3, 1-20."
ENTRIES += [
    (f"So it is.\n\nReferences:\n{LISTED}", LISTED.replace("1. ", "").split("\n2. "), "2"),
    (f'{{"answer": "So it is.\\n\\nSources:\\n1. {ENTRY}"}}', [ENTRY], "1"),
    (f"See it.\\footnote{{{ENTRY}}}", [ENTRY], ""),
]


@pytest.mark.parametrize(("text", "found", "label"), ENTRIES, ids=range(len(ENTRIES)))
def test_an_entry_is_found_whole(text, found, label):
    citations = find_text_citations(text)
    assert [found_text.strip(" |") for found_text in cite(text)] == found
    assert (citations[-1].entry, citations[-1].label) == (True, label)


PLAIN = [
    "Nothing happened in 2019, or in March 2004.",
    "Alien (1979) was a hit. I like Alien (1979), and Stand by Me (1986).",
    "The minutes (Berlin, 2018) say so. The Council (2019) confirmed it.",
    "print(a[1], a[2])",
    "x = a[1]; y = b[2];",
    "```python\nprint(a[1])  # see [1]\n```",
    "The `a[1]` of $x[1]$, \\(a[2]\\) and \\[b[3]\\].",
    "In the interval [0, 1], values in [1, 2], of size [3,3,3], version [1.2] in [2020].",
    '{"range": [1, 2], "years": [1999, 2004]}',
    "Levels: [1] low, [2] medium, [3] high.",
    "![fig](a.png) [docs](https://docs.python.org/3/) https://github.com/a/b/issues/1",
    "See the manual [1].\n\n[1]: https://github.com/a/b\n",
    "Isaac Newton (1643–1727), and the war of 1914-1918.",
    ">>> hash([1, 2])\n[1, 2]\n",
    "Thanks to [@someone](https://github.com/someone), @someone and a@b2020.org.",
    "1.7.2 (2021-11-01)\n==================\n\n- Changed it (#623).\n",
    "Air Force One (1997)\nIn & Out (1997)\nL.A. Confidential (1997)\n",
    'Rust 1.0 was "Rust 2015" and Rust 1.31 will be "Rust 2018". Each has a theme.',
    "## References\n\n- [Docs](https://docs.python.org/3/)\n- https://example.org/docs\n",
    "just prose",
]


PLAIN += [
    "The pattern was [^:] first, then [^a-z]* and ([^A-F~]|[^1;])+ in the end.",
    "Pick one: [1] yes [2] no [3] ask me later. The default is [2].",
    "We watched Stalker (1979) on Friday and Solaris (1972) on Saturday.",
    "Track list: [1] Intro, [2] Harbour, [3] Nine Lives, [4] Outro.",
    "Name: ____\n[1] agree  [2] disagree  [3] no opinion\n",
    "The score lies in [0, 100]; below [50] you fail.",
    "By induction; see step [3] of the sketch above.",
    "Makita DHP484 (2019) and DeWalt DCD796 (2016) compared: both are fine.",
    "12      Heaven & Earth (1993)\n13          Now and Then (1995)      Drama\n",
    "- Alien (1979)\n- Thelma & Louise (1991)\n- The Matrix (1999)\n- Heaven & Earth (1993)\n",
    "Of f(x)[2] and a %[2]; the network 10.5281.0.0/16 is reserved.",
    "<cite>Makse and Roe said in 2019 that nets are hard to mend</cite>, the fishermen agree.",
    "The album list:\n\n1. Bookends (1968)\n2. Bridge over Water (1970)\n3. Sounds & Echoes (1966)\n",
]


PLAIN += [
    "It was followed by *Kid A* (2000) and *Amnesiac* (2001).",
    "Federer (2017), Djokovic (2018, 2019), Djokovic (2021), Alcaraz (2023).",
    "Fry the onion [1] in oil.\n\n[1]: red onions are sweeter",
    '"The only thing we have to fear is fear itself." — Franklin D. Roosevelt, 1933',
    "The Data Protection Act (2018) applies.",
    "- M.Sc. Computer Science, TU München, 2014",
    "Breaking Bad (2008–2013), Better Call Saul (2015–2022) and El Camino (2019).",
    "Elections: Merkel (2005), Scholz (2021); in France Macron (2017, 2022).",
    "Photo by Jonas Becker (2017) on Unsplash",
    "Agreement between Smith Ltd. and Jones & Co. (2021)",
]


@pytest.mark.parametrize("text", PLAIN)
def test_what_cites_nothing(text):
    assert cite(text) == []


NEIGHBOURS = [
    ("- See Devlin et al. (2019) and Smithson & Wang (2022).", 2),
    ("- Devlin et al., 2019, 10.18653/v1/N19-1423; Smithson & Wang, 2022, 10.1000/fake1", 2),
    ("[Devlin et al. 2019; Smithson & Wang 2022](https://doi.org/10.18653/v1/N19-1423)", 3),
    ("[10.1000/fake1](https://doi.org/10.18653/v1/N19-1423)", 2),
    ('"Neural Memory Lattices" (NeurIPS 2022), "Attention Is All You Need" (NeurIPS 2017)', 2),
    (f"[1] {ENTRY} 10.1038/nature14539. Wang, K. (2022). Other work of it. 10.1000/fake1\n", 2),
    (
        f"[1] {ENTRY} 10.1038/nature14539, https://doi.org/10.1000/fake1\n",
        1,
    ),  # of one work, which must have both
    ("See doi:10.1038/nature14539. Smithson (2022) says so.", 2),
    (
        "- So it is in all of [A Title of Some Words](https://arxiv.org/abs/1706.03762), 10.1000/x1",
        2,
    ),
    ("[1] opens it. Then doi:10.1000/fake1 comes, and words follow.", 2),
]


@pytest.mark.parametrize(("text", "count"), NEIGHBOURS, ids=range(len(NEIGHBOURS)))
def test_each_citation_is_found_alone(text, count):
    assert len(find_text_citations(text)) == count


def test_what_is_said_of_one_work_is_one_citation():
    [one] = find_text_citations('Smithson & Wang (2022), "Neural Memory Lattices", doi:10.1000/fake1.')
    assert one.claimed is not None
    assert [name.family for name in one.claimed.authors] == ["Smithson", "Wang"]
    assert (one.claimed.title, one.claimed.year) == ("Neural Memory Lattices", 2022)
    assert one.claimed.ids.first("doi") == "10.1000/fake1"


def test_the_sentence_behind_people_in_brackets_begins_another_work():
    people = "Gardens were tried (Stavridou, 2019). "
    text = f'{people}The city is another case; in "Maps of the Rising Sea" Robert Soden (CHI 2019) shows it.'
    first, second = find_text_citations(text)
    assert "Stavridou" in first.text
    assert "Maps of the Rising Sea" in second.text


def test_a_title_before_the_next_people_is_not_one_of_them():
    text = (
        "Tregubova et al. (2016) demonstrated steering in a waveguide array in Remote-Controlled Discrete "
        "Solitons in Laser-Written Chalcogenide Arrays, "
        "and Hollis (2018) reviewed the field in Steering Light One Site at a Time, a chapter of a handbook."
    )
    assert any("Hollis (2018)" in one and "Steering Light" in one for one in cite(text))


def test_a_bracket_inside_a_word_does_not_end_a_title():
    [one] = find_text_citations(
        "Reichardt, J., & Leone, M. (2008). (Un)detectable Cluster Structure in Sparse Networks."
    )
    assert "Sparse Networks" in one.text


@pytest.mark.parametrize(
    "text",
    [
        "Fanny Lund-Moe (1918–2004) won four medals at the games.",
        "The best novel of that year: *The Left Tower* (1969), which is strange.",
        "Job 10.2044/run failed after an hour.",
    ],
)
def test_lives_novels_and_numbers_of_jobs_cite_nothing(text):
    assert cite(text) == []


def test_bibtex_says_what_it_claims():
    [one] = find_text_citations("@article{k, title={A B}, author={Smith, J.}, year=2020}")
    assert one.claimed is not None
    assert (one.claimed.title, one.claimed.year) == ("A B", 2020)


def test_a_mark_of_an_ordinary_link_cites_nothing_and_one_of_a_work_does():
    plain = "So it is [1].\n\n[1] https://github.com/a/b\n"
    work = "So it is [1].\n\n[1] https://doi.org/10.1038/nature14539\n"
    assert cite(plain) == []
    assert "[1]" in cite(work)


@settings(deadline=None, max_examples=80)
@given(st.text('Smith (2020), et al.[1]`$*\n>|"10.1000/x&#46;\\<b>', max_size=120))
def test_citations_are_in_order_and_share_no_place(text):
    spans = [one.span for one in find_text_citations(text)]
    assert spans == sorted(spans)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))


@pytest.mark.growth
@pytest.mark.parametrize(
    "unit",
    [
        "(Doe et al., 2020) ",
        "see [1], ",
        "10.1000/abc1 ",
        '"Deep Foo for Bar" (ICML 2022) ',
        f"- {ENTRY}\n",
        "`a",
        "$x",
        "Smith, ",
        "A. B. Lee, ",
        "Deep Nets of the Sea ",
        "“Deep Nets of It” by A. Lee, ",
    ],
)
def test_the_work_of_finding_grows_with_the_text_and_no_faster(unit):
    assert grows_linearly(lambda size: find_text_citations((unit * size)[:size]), 10_000, 40_000)


def test_a_title_that_a_reference_list_links_anywhere_is_an_entry():
    text = "# References\n\n- [Quantum synergies of imaginary attention](https://journal.example/x)\n"
    assert [one.entry for one in find_text_citations(text)] == [True]


TOLD = [
    "In *Regret Before Choice at the Market*, which H. Heide and U. Winter wrote for NeurIPS 2019, it is.",
    "Howard Heide, Ursula Winter and Jo Berg (2013), in *Regret Before Choice at the Market*, argue for it.",
    "- Heide H, Winter U, Berg J. Regret Before Choice at the Market. Review of Practice; 2016.",
    'FIRST AUTHOR: H. Heide TITLE: "Regret Before Choice at the Market" YEAR: 2016',
    "``Regret Before Choice at the Market'' (Heide and Winter, NeurIPS 2019)",
    '<i data-from="H. Heide and U. Winter. Regret Before Choice at the Market. NeurIPS 2019.">here</i>',
    "**Heide, Ann, Joseph Lobanovsky, and Wiebke Berg.** 2009. Regret Before Choice at the Market. Proc. A.",
]


TOLD += [
    "See Heide H, Lund U. Regret Before Choice at the Market and at Home. J Mark. 2014;15(3):211-29. It is.",
    'It is that (Heide, H. & Lund, U. 2009 "Regret Before Choice at the Market," Cognition 112: 45–61).',
    "Heide et al., CVPR 2024: Regret Before Choice at the Market",
    'It is by Heide and Lund, "Regret Before Choice at the Market", Ann. Probab. 2018.',
    "As Dr. Ann Heide's 2013 dissertation, Regret Before Choice at the Market (University of Ulm), says.",
    '{"source": ["Of it Heide & Lund (1988), *Regret Before Choice at the Market*, Econometrica, say.\\n"]}',
    "x = 1\n# Heide & Lund (2017), Regret Before Choice at the Market, Behav Res Methods\n",
    "As in \\emph{Regret Before Choice at the Market} (Heide \\& Lund, IROS 2011), it is.",
]


@pytest.mark.parametrize("text", TOLD)
def test_a_title_and_people_near_each_other_are_one_citation_in_any_order(text):
    [cited] = find_text_citations(text)
    said = text[cited.start : cited.end]
    assert "Regret Before Choice at the Market" in said
    assert "Heide" in said


FOREIGN = [
    '국내 연구로는 박선우·정해린 (2022), "잠재공간 곡률 정규화를 이용한 한글 글꼴 보간"이 있다.',
    "参见 松永弘（2015）「霧の多い港における鐘の音響設計」。",
    "انظر: سامي الدوسري، «أثر العواصف الرملية في أعطال المصاعد»، مجلة الهندسة، 2013.",
]


@pytest.mark.parametrize("text", FOREIGN)
def test_works_in_scripts_without_capitals(text):
    assert len(find_text_citations(text)) == 1


LETTERS = [
    ("Seen by A. Heide and B. Lund, Phys. Rev. Lett. 77, 587 (1996), it is.", ", 587 (1996)"),
    ("Of Heide's replication (2014) more is known.", "Heide's replication (2014"),
    ("Chen, Heide & Lund's 2019 meta-analysis says so.", "Chen, Heide & Lund's 2019"),
    (
        "In his 2004 paper for the Review, Robert Heide shows it.",
        "his 2004 paper for the Review, Robert Heide",
    ),
    ("(Lee 2018, Heide & Lund 2020 and Roe 2021b)", "Roe 2021b"),
    ("It is known (Heide, Trends Cogn Sci 2011).", "Heide, Trends Cogn Sci 2011"),
]


@pytest.mark.parametrize(("text", "said"), LETTERS)
def test_people_of_whose_work_a_text_speaks(text, said):
    assert any(said in cited for cited in cite(text))


def test_bare_titles_before_a_year_are_no_people():
    [cited] = find_text_citations(
        "Begin with Kelsen's The General Theory of Law and State (1945), then go on."
    )
    assert cited.claimed.title == "The General Theory of Law and State"


def test_a_paragraph_on_two_works_is_two_citations():
    text = (
        f"{TOLD[1]} {TOLD[1].replace('Heide', 'Lund').replace('Choice at the Market', 'Sleep in the Mines')}"
    )
    first, second = find_text_citations(text)
    assert "Sleep in the Mines" in second.text
    assert "Heide" in first.text


@pytest.mark.parametrize(
    "text",
    [
        "President Ann Lee and Bob Roe signed the Clean Water and Harbours Act in 2010.",
        "“We must act now,” said Ann Lee and Bob Roe of the Institute in 2019.",
        "Machine Learning, Computer Vision and Natural Language Processing are taught since 2012.",
        "Tickets: The Long Night of the Museums, guided by Ann Lee.",
    ],
)
def test_people_and_capitals_in_plain_text_cite_nothing(text):
    assert cite(text) == []
