"""Slips of the tagger that rules put right: marked text in, marked text out."""

import re

import pytest

from citeproof.reading.parse import name_run
from citeproof.reading.parse.label_stretches import Stretch
from citeproof.reading.parse.stretch_repair import repair_stretches

MARK = re.compile(r"<(\w+) ([^<>]*)>")

# Stretches are written as <label text>.
CASES = [
    (
        "a quoted title ends with its marks",
        "<author H. Lieberman>. <title „End-user development“. In: End user design>. <date 2006>",
        "<author H. Lieberman>. <title „End-user development“>. In: <container End user design>. <date 2006>",
    ),
    (
        "but not where the marks are within it",
        "<author H. Lieberman>. <title Making „Development“ in Europe work>. <date 2006>",
        "<author H. Lieberman>. <title Making „Development“ in Europe work>. <date 2006>",
    ),
    (
        "initials go back to the name",
        "<author Hirsch, J>. <container E. Phys Rev Lett> <date 1999>, <volume 83>",
        "<author Hirsch, J. E>. <container Phys Rev Lett> <date 1999>, <volume 83>",
    ),
    (
        "but not those of a journal",
        "<author Becke, A>. <container D. J. Chem. Phys>. <date 1993>, <volume 98>",
        "<author Becke, A. D>. <container J. Chem. Phys>. <date 1993>, <volume 98>",
    ),
    (
        "a body is an author",
        "<publisher OpenAI>. <title GPT-4>. 2023",
        "<author OpenAI>. <title GPT-4>. 2023",
    ),
    (
        "a number alone behind the year is the volume",
        "<author Vaswani A>. <title Attention>. <container Adv Neural Inf>. <date 2017>;<pages 30>.",
        "<author Vaswani A>. <title Attention>. <container Adv Neural Inf>. <date 2017>;<volume 30>.",
    ),
    (
        "a known venue in brackets ends a title",
        "<author Marlowe et al.>, <date 2018> — <title Recursive Pyramids (CVPR)>.",
        "<author Marlowe et al.>, <date 2018> — <title Recursive Pyramids> (<container CVPR>).",
    ),
    (
        "a body within a title is not",
        "<title The ATLAS Group and its work>",
        "<title The ATLAS Group and its work>",
    ),
    (
        "people before the title who are not said to edit are authors",
        "[3] Fei Xia, <editor Ed Chi>, <author Quoc Le>. <title Chains of thought>. <date 2022>",
        "[3] <author Fei Xia, Ed Chi, Quoc Le>. <title Chains of thought>. <date 2022>",
    ),
    (
        "people who are said to edit stay editors",
        "<editor J. Roe> (Ed.). <title Handbook of things>. <date 2022>",
        "<editor J. Roe> (Ed.). <title Handbook of things>. <date 2022>",
    ),
    (
        "letters without a title are a venue",
        "<author Hu et al>. (<date 2022>), <publisher ICLR>.",
        "<author Hu et al>. (<date 2022>), <container ICLR>.",
    ),
    (
        "a conference that was taken for a publisher",
        "<author Wei>. (<date 2022>). <title Chains of thought>. <publisher NeurIPS>.",
        "<author Wei>. (<date 2022>). <title Chains of thought>. <container NeurIPS>.",
    ),
    (
        "a publisher stays one",
        "<author Wei>. (<date 2022>). <title Chains of thought>. <publisher MIT Press>.",
        "<author Wei>. (<date 2022>). <title Chains of thought>. <publisher MIT Press>.",
    ),
    (
        "a conference behind a title in quotation marks",
        "<author Wei>. (<date 2020>). “<title Chains of thought>.” ACL 2020.",
        "<author Wei>. (<date 2020>). “<title Chains of thought>.” <container ACL 2020>.",
    ),
    (
        "a journal that nobody tagged",
        "<author Wei>. (<date 2023>). <title Testing at random>. “Annals of Statistics”.",
        "<author Wei>. (<date 2023>). <title Testing at random>. “<container Annals of Statistics>”.",
    ),
    (
        "words behind a title that name no venue",
        "<author Wei>. (<date 2023>). <title Testing at random>. Very good work.",
        "<author Wei>. (<date 2023>). <title Testing at random>. Very good work.",
    ),
    (
        "a short title before a conference",
        "<author He>. <container Mask R-CNN. ICCV> <date 2017>",
        "<author He>. <title Mask R-CNN>. <container ICCV> <date 2017>",
    ),
    (
        "a journal with full stops",
        "<author Hirsch>. <container Phys. Rev. Lett.> <date 1999>",
        "<author Hirsch>. <container Phys. Rev. Lett.> <date 1999>",
    ),
    (
        "the only year behind a venue",
        "Vaswani et al., <container NeurIPS 2017>",
        "Vaswani et al., <container NeurIPS> <date 2017>",
    ),
    (
        "a venue keeps its year if another is there",
        "<container Proceedings of ACL 2018>, <date 2018>",
        "<container Proceedings of ACL 2018>, <date 2018>",
    ),
    ("a year alone is no venue", "x <container 2017>", "x <container 2017>"),
    (
        "a page behind volume and issue",
        "<container PLoS Med> <volume 2>(<issue 8>):e124.",
        "<container PLoS Med> <volume 2>(<issue 8>):<pages e124>.",
    ),
    ("no page where something else is", "<volume 2>, <date 2005>", "<volume 2>, <date 2005>"),
    (
        "half a quotation gets its other half",
        "A. B. <title Three «approaches>» // C",
        "A. B. <title Three «approaches»> // C",
    ),
    (
        "a quotation around the title stays outside",
        "A. B. “<title Three approaches>” // C",
        "A. B. “<title Three approaches>” // C",
    ),
    (
        "a year in the volume",
        "Nature. <volume 1953;171>(<issue 4356>)",
        "Nature. <date 1953>;<volume 171>(<issue 4356>)",
    ),
    ("pages in the issue", "<volume 21>(<issue 7):558–565>", "<volume 21>(<issue 7>):<pages 558–565>"),
    ("pages as the issue", "<volume 33>:<issue 1877–1901>, 2020", "<volume 33>:<pages 1877–1901>, 2020"),
    ("an issue of two numbers stays", "<volume 33>(<issue 7-8>)", "<volume 33>(<issue 7-8>)"),
    (
        "a word of the title",
        "<author Kingma, D. P. and Ba, J. Adam>: <title A method>",
        "<author Kingma, D. P. and Ba, J.> <title Adam: A method>",
    ),
    (
        "a volume in the venue",
        "<container JMLR 12>, pp. <pages 2825>",
        "<container JMLR> <volume 12>, pp. <pages 2825>",
    ),
    (
        "a number of the venue",
        "<container Marxism 21>, <volume 9>, <pages 201>",
        "<container Marxism 21>, <volume 9>, <pages 201>",
    ),
    (
        "a title by its place",
        "<author OpenAI>. <idno GPT-4> <note Technical Report>. 2023",
        "<author OpenAI>. <title GPT-4 Technical Report>. 2023",
    ),
    (
        "an address is no title",
        "<author OpenAI>. <url https://openai example>",
        "<author OpenAI>. <url https://openai example>",
    ),
    ("et al. is of the names", "<author Vaswani> et al. (2017)", "<author Vaswani et al>. (2017)"),
    (
        "a title takes its years",
        "<title Human tularemia>, <location United States>, 1964–2004. <container Emerg Dis>",
        "<title Human tularemia, United States, 1964–2004>. <container Emerg Dis>",
    ),
    (
        "a title takes its word",
        "<title GPT->4 <note Technical Report>. 2023",
        "<title GPT-4 Technical Report>. 2023",
    ),
    (
        "a title takes its part",
        "<title The Art>, Volume 1: Basics. MIT",
        "<title The Art, Volume 1: Basics>. MIT",
    ),
    ("nothing to mend", "<title Deep learning>. 2015", "<title Deep learning>. 2015"),
]


def marked(text, found):
    for label, stretch in sorted(found.items(), key=lambda one: -one[1].start):
        text = f"{text[: stretch.start]}<{label} {text[stretch.start : stretch.end]}>{text[stretch.end :]}"
    return text


def unmarked(text):
    found, plain, at = {}, "", 0
    for mark in MARK.finditer(text):
        plain += text[at : mark.start()]
        found[mark[1]] = Stretch(len(plain), len(plain) + len(mark[2]), 0.5)
        plain += mark[2]
        at = mark.end()
    return plain + text[at:], found


@pytest.mark.parametrize(("name", "before", "after"), CASES, ids=[case[0] for case in CASES])
def test_slips_are_mended(name, before, after):
    text, found = unmarked(before)
    assert marked(text, repair_stretches(text, found, name_run.find_name_run(text))) == after
