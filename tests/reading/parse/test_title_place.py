"""What is a title by its place, and what is not: venues behind "in", identifiers, names, years, marks."""

import pytest

from citeproof.reading.parse import parse
from citeproof.vocabulary import Place, RawReference

READ = {
    "the title first, two family names": (
        "**Adam: A Method for Optimization** – Kingma & Ba, ICLR 2015. This introduces Adam.",
        ("Adam: A Method for Optimization", ["Kingma", "Ba"], 2015),
    ),
    "the title first, family names and a venue": (
        "**Deep Residual Learning** — He, Zhang, Ren, Sun, CVPR 2016",
        ("Deep Residual Learning", ["He", "Zhang", "Ren", "Sun"], 2016),
    ),
    "the title first, without marks": (
        "Attention Is All You Need – Vaswani et al., NeurIPS 2017",
        ("Attention Is All You Need", ["Vaswani"], 2017),
    ),
    "the title first, by": (
        '"Playing Atari with Deep Reinforcement Learning" by Mnih et al. (2013)',
        ("Playing Atari with Deep Reinforcement Learning", ["Mnih"], 2013),
    ),
    "the title first, people and year in brackets": (
        "Deep learning (LeCun, Bengio & Hinton, 2015)",
        ("Deep learning", ["LeCun", "Bengio", "Hinton"], 2015),
    ),
    "the title first, strokes": (
        "**Chain-of-Thought Prompting Elicits Reasoning** | Wei et al. | NeurIPS | 2022",
        ("Chain-of-Thought Prompting Elicits Reasoning", ["Wei"], 2022),
    ),
    "the title first, family names, the venue in brackets": (
        "Denoising Diffusion Probabilistic Models - Ho, Jain, Abbeel (NeurIPS 2020)",
        ("Denoising Diffusion Probabilistic Models", ["Ho", "Jain", "Abbeel"], 2020),
    ),
    "the title first, family names, a number of arXiv": (
        "Denoising Diffusion Implicit Models — Song, Meng, Ermon — arXiv:2010.02502",
        ("Denoising Diffusion Implicit Models", ["Song", "Meng", "Ermon"], None),
    ),
    "no people, a known venue": (
        "Group Normalization (ECCV 2018)",
        ("Group Normalization", [], 2018),
    ),
    "no people, a paper and its month, a remark": (
        '"A chess program that explains its moves" (The Gazette, March 2022) - It tells how it works.',
        ("A chess program that explains its moves", [], 2022),
    ),
    "a subtitle with commas is no list of people": (
        "Sparse Coding - Theory, Methods, Applications (2019)",
        ("Sparse Coding - Theory, Methods, Applications", [], 2019),
    ),
    "the title first, no year": (
        "Playing Atari with Deep Reinforcement Learning - Mnih et al",
        ("Playing Atari with Deep Reinforcement Learning", ["Mnih"], None),
    ),
    "a title of one word before its venue": (
        "**Dropout** (JMLR 2014)",
        ("Dropout", [], 2014),
    ),
    "a title of one word before people": (
        "**BERT** (Devlin et al., 2019)",
        ("BERT", ["Devlin"], 2019),
    ),
    "a pointer before": (
        "Cf. Y. LeCun, Y. Bengio, G. Hinton, “Deep learning,” Nature, vol. 521, pp. 436-444, 2015.",
        ("Deep learning", ["LeCun", "Bengio", "Hinton"], 2015),
    ),
    "words before": (
        "For a review, see Y. LeCun, Y. Bengio and G. Hinton. Deep learning. Nature 521, 436–444 (2015).",
        ("Deep learning", ["LeCun", "Bengio", "Hinton"], 2015),
    ),
    "an author called See": (
        "See, A., Liu, P. J., and Manning, C. D. (2017). Get to the point: Summarization. ACL, 1073–1083.",
        ("Get to the point: Summarization", ["See", "Liu", "Manning"], 2017),
    ),
    "a pointer inside": (
        "LeCun, Y. and Hinton, G. Deep learning (see also the book of 2016). Nature 521, 436-444 (2015).",
        ("Deep learning", ["LeCun", "Hinton"], 2015),
    ),
    "a remark behind": (
        "LeCun, Y. and Hinton, G. (2015). Deep learning. Nature 521, 436-444. The review of the field.",
        ("Deep learning", ["LeCun", "Hinton"], 2015),
    ),
    "two quotations": (
        "He, Kaiming, Xiangyu Zhang, and Jian Sun, “Deep residual learning,” in “Proc. of CVPR” 2016, p. 7.",
        ("Deep residual learning", ["He", "Zhang", "Sun"], 2016),
    ),
    "no title": (
        "D. E. Rumelhart and G. Hinton, in Parallel Distributed Processing, edited by J. McClelland (1986).",
        (None, ["Rumelhart", "Hinton"], 1986),
    ),
    "no title, In": (
        "Rumelhart, D. E.; Hinton, G. E. In Parallel Distributed Processing, McClelland, J., Ed.; 1986; p 3.",
        (None, ["Rumelhart", "Hinton"], 1986),
    ),
    "no title, behind the year": (
        "He, K., Zhang, X., & Sun, J. 2016, in Proceedings of the IEEE Conference on Vision (IEEE), 770",
        (None, ["He", "Zhang", "Sun"], 2016),
    ),
    "no title, two venues": (
        "He, K., & Sun, J. (2016) in Proceedings of the IEEE conference on vision, IEEE, Las Vegas, p 7.",
        (None, ["He", "Sun"], 2016),
    ),
    "In begins a title": (
        "Kandel, E. R. In Search of Memory: The Emergence of a New Science of Mind. Norton, 2006.",
        ("In Search of Memory: The Emergence of a New Science of Mind", ["Kandel"], 2006),
    ),
    "In begins the title of an edition": (
        "Capote, Truman. In Cold Blood. 2nd ed. Random House, 1966.",
        ("In Cold Blood", ["Capote"], 1966),
    ),
    "In begins a title before a year": (
        "He, K., Zhang, X., and Sun, J. In Defense of Weak Learners in Vision. 2016. doi:10.1109/CVPR.16",
        ("In Defense of Weak Learners in Vision", ["He", "Zhang", "Sun"], 2016),
    ),
    "Process is no proceedings": (
        "LeCun, Y. In Process We Trust: Notes on Method. New York: Springer, 2015.",
        ("In Process We Trust: Notes on Method", ["LeCun"], 2015),
    ),
    "no title, a book with pages": (
        "Sun, J. In Handbook of Bird Songs; Springer: Berlin, 1978; pp 1-7.",
        (None, ["Sun"], 1978),
    ),
    "a family name and an initial before a title with a colon": (
        "Pearl J. Causality: models, reasoning, and inference. Cambridge University Press; 2000.",
        ("Causality: models, reasoning, and inference", ["Pearl"], 2000),
    ),
    "letters in brackets": (
        "Ice A, Berg B. Effects of vitamin [K] on bone[J]. Bone, 2001, 3(1): 1-9.",
        ("Effects of vitamin [K] on bone", ["Ice", "Berg"], 2001),
    ),
    "an identifier": ("Kingma, D. P. & Ba, J. (2014). arXiv:1412.6980.", (None, ["Kingma", "Ba"], 2014)),
    "a name before a colon": (
        "Claude E. Shannon: A Mathematical Theory of Communication. Bell System Technical Journal, 1948.",
        ("A Mathematical Theory of Communication", ["Shannon"], 1948),
    ),
    "a title before a colon": (
        "D. P. Kingma and J. Ba. Adam: A Method for Stochastic Optimization. CoRR, 2014.",
        ("Adam: A Method for Stochastic Optimization", ["Kingma", "Ba"], 2014),
    ),
    "GB/T with years first": (
        "LECUN Y, BENGIO Y, HINTON G, 2015. Deep learning[J/OL]. Nature, 521(7553): 436-444.",
        ("Deep learning", ["LECUN", "BENGIO", "HINTON"], 2015),
    ),
    "GB/T, cut": (
        "HE K, ZHANG X, REN S, et al., 2016. Deep residual learning[C]//Proceedings of CVPR. IEEE: 770-778.",
        ("Deep residual learning", ["HE", "ZHANG", "REN"], 2016),
    ),
    "GB/T, one name": (
        "Shannon C E. A Mathematical Theory of Communication[J/OL]. Bell Journal, 1948, 27(3): 379-423.",
        ("A Mathematical Theory of Communication", ["Shannon"], 1948),
    ),
    "GB/T, wide marks": (
        "SHANNON C E. A Mathematical Theory of Communication ［J/OL］. Bell Journal，1948，27（3）：379-423.",
        ("A Mathematical Theory of Communication", ["SHANNON"], 1948),
    ),
    "GB/T, a work of another kind": (
        "KINGMA D P, BA J. Adam: A method for stochastic optimization[Z]. 2014.",
        ("Adam: A method for stochastic optimization", ["KINGMA", "BA"], 2014),
    ),
    "pages of a book": (
        "He, Kaiming, & Sun, J. 2016. Deep residual learning. Pages 7–8 of: Proceedings of the CVPR. IEEE.",
        ("Deep residual learning", ["He", "Sun"], 2016),
    ),
    "Danish": (
        "Diederik P. Kingma og Jimmy Ba. Adam: A method for stochastic optimization. CoRR, 2014.",
        ("Adam: A method for stochastic optimization", ["Kingma", "Ba"], 2014),
    ),
    "GOST, title first": (
        "Метод анализа данных / И. И. Иванов, П. П. Петров, С. С. Сидоров и др. // Вестник. — 2010. — № 3.",
        ("Метод анализа данных", ["Иванов", "Петров", "Сидоров"], 2010),
    ),
    "GOST, a page of no site": (
        "Deep Residual Learning / He K., Zhang X., Ren S., and Sun J. — IEEE. — 2016. — P. 770–778.",
        ("Deep Residual Learning", ["He", "Zhang", "Ren", "Sun"], 2016),
    ),
    "GOST says that it is a text": (
        "Shannon, C. E. A Mathematical Theory of Communication [Text] // Bell Journal. — 1948. — Vol. 27.",
        ("A Mathematical Theory of Communication", ["Shannon"], 1948),
    ),
    "a slash in a title": (
        "Input / Output Systems and Design // J. Control. 2001. Vol. 3. P. 1-9.",
        ("Input / Output Systems and Design", [], 2001),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "told"), READ.values(), ids=READ)
def test_titles_names_and_years(text, told):
    claimed = parse(RawReference("a", text, Place())).claimed
    assert (claimed.title, [name.family for name in claimed.authors], claimed.year) == told


def test_a_list_that_is_cut_in_chinese():
    text = "He K, Zhang X, Ren S, 等. Deep residual learning[A]. CVPR[C]. Las Vegas: IEEE, 2016: 7."
    claimed = parse(RawReference("a", text, Place())).claimed
    assert (claimed.title, len(claimed.authors), claimed.et_al) == ("Deep residual learning", 3, True)


def test_an_arxiv_number_is_no_year():
    text = "D. P. Kingma & J. Ba, “Adam: A Method for Stochastic Optimization”, 1412.6980arXiv:1412.6980"
    assert parse(RawReference("a", text, Place())).claimed.year != 1412
