"""A dozen real works that between them every live source holds, and the questions they give rise to.

Questions are derived from what a source says it answers: a source that appears is asked at once. If no work
here suits it, the test that looks for one says so; then a work of its kind belongs here.
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

from citeproof.evidence.sources.base import LiveSource
from citeproof.text import ids
from citeproof.vocabulary import Claimed, Ids, Kind, Name, Question, Record, Reference, Version


def _people(text: str) -> tuple[Name, ...]:
    """Return `Family, Given; Family, Given` as names; a part without a comma is an organisation."""
    parts = (part.partition(", ") for part in text.split("; "))
    return tuple(Name(family, given, collective=not given) for family, _, given in parts)


def _work(kind: Kind, title: str, people: str, version: Version, *pairs: str, publisher: str = "") -> Record:
    named = tuple((scheme, value) for scheme, _, value in (pair.partition(" ") for pair in pairs))
    titles = tuple(dict.fromkeys((title, title.partition(": ")[0])))
    return Record(
        "library", title, titles, _people(people), versions=(version,), kind=kind, ids=Ids(named),
        publisher=publisher or None,
    )  # fmt: skip


WORKS = (
    _work(
        Kind.ARTICLE,
        "Deep Residual Learning for Image Recognition",
        "He, Kaiming; Zhang, Xiangyu; Ren, Shaoqing; Sun, Jian",
        Version(2016, "2016 IEEE Conference on Computer Vision and Pattern Recognition (CVPR)", Kind.ARTICLE,
                pages="770-778"),
        "doi 10.1109/cvpr.2016.90", "arxiv 1512.03385", "dblp conf/cvpr/HeZRS16", publisher="IEEE",
    ),
    _work(
        Kind.ARTICLE,
        "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding",
        "Devlin, Jacob; Chang, Ming-Wei; Lee, Kenton; Toutanova, Kristina",
        Version(2019, "Proceedings of NAACL-HLT 2019", Kind.ARTICLE, pages="4171-4186"),
        "acl N19-1423", "doi 10.18653/v1/n19-1423", "arxiv 1810.04805",
        publisher="Association for Computational Linguistics",
    ),
    _work(
        Kind.ARTICLE,
        "Min-K%++: Improved Baseline for Pre-Training Data Detection from Large Language Models",
        "Zhang, Jingyang; Sun, Jingwei; Yeats, Eric",
        Version(2025, "ICLR 2025", Kind.ARTICLE),
        "openreview ZGkfoufDaU", "arxiv 2404.02936",
    ),
    _work(
        Kind.ARTICLE,
        "OntoProtein: Protein Pretraining With Gene Ontology Embedding",
        "Zhang, Ningyu; Bi, Zhen; Liang, Xiaozhuan",
        Version(2022, "ICLR 2022", Kind.ARTICLE),
        "openreview yfe1VMYAXa4", "arxiv 2201.11147",
    ),
    _work(
        Kind.ARTICLE,
        "Why Most Published Research Findings Are False",
        "Ioannidis, John P. A.",
        Version(2005, "PLoS Medicine", Kind.ARTICLE, "2", "8", "e124"),
        "doi 10.1371/journal.pmed.0020124", "pmid 16060722", "pmcid PMC1182327", "issn 1549-1277",
        "issn 1549-1676", publisher="Public Library of Science",
    ),
    _work(
        Kind.ARTICLE,
        "Observation of a new particle in the search for the Standard Model Higgs boson with the ATLAS "
        "detector at the LHC",
        "ATLAS Collaboration",
        Version(2012, "Physics Letters B", Kind.ARTICLE, "716", "1", "1-29"),
        "doi 10.1016/j.physletb.2012.08.020", "arxiv 1207.7214", "ads 2012PhLB..716....1A",
        publisher="Elsevier BV",
    ),
    _work(
        Kind.PREPRINT,
        "Distilling the Knowledge in a Neural Network",
        "Hinton, Geoffrey; Vinyals, Oriol; Dean, Jeff",
        Version(2015, "arXiv", Kind.PREPRINT),
        "arxiv 1503.02531", "doi 10.48550/arxiv.1503.02531",
    ),
    _work(
        Kind.BOOK,
        "The Elements of Statistical Learning: Data Mining, Inference, and Prediction",
        "Hastie, Trevor; Tibshirani, Robert; Friedman, Jerome",
        Version(2009, "Springer Series in Statistics", Kind.BOOK),
        "doi 10.1007/978-0-387-84858-7", "isbn 9780387848570", publisher="Springer New York",
    ),
    _work(
        Kind.DATASET,
        "Data from: A new malaria agent in African hominids",
        "Ollomo, Benjamin; Durand, Patrick; Prugnolle, Franck",
        Version(2011, "Dryad", Kind.DATASET),
        "doi 10.5061/dryad.8515", publisher="Dryad",
    ),
    _work(
        Kind.SOFTWARE,
        "networkx: Python package for creating and manipulating graphs and networks",
        "Hagberg, Aric",
        Version(2024, "GitHub", Kind.SOFTWARE),
        "url https://github.com/networkx/networkx",
    ),
    _work(
        Kind.SOFTWARE,
        "The Turing Way: A Handbook for Reproducible Data Science",
        "The Turing Way Community; Arnold, Becky",
        Version(2019, "Zenodo", Kind.SOFTWARE),
        "doi 10.5281/zenodo.3233986", publisher="Zenodo",
    ),
    _work(
        Kind.REPORT,
        "Pocket book of hospital care for children: guidelines for the management of common childhood "
        "illnesses",
        "World Health Organization",
        Version(2013, None, Kind.REPORT),
        "who_iris https://iris.who.int/handle/10665/81170", "isbn 9789241548373",
        publisher="World Health Organization",
    ),
    _work(
        Kind.WEB_PAGE,
        "The Unreasonable Effectiveness of Recurrent Neural Networks",
        "Karpathy, Andrej",
        Version(2015, None, Kind.WEB_PAGE),
    ),
)  # fmt: skip

# Well-formed, and nobody's: several of a scheme where a source answers only for some of its forms.
NOBODYS = (
    ("doi", "10.1234/there.is.no.such.work"),
    ("doi", "10.5281/zenodo.999999999"),
    ("doi", "10.1103/physrevd.99.999999"),
    ("pmid", "39999999"),
    ("pmcid", "PMC99999999"),
    ("arxiv", "2312.99999"),
    ("ads", "2021ApJ...999..999Z"),
    ("isbn", "9783161484100"),
    ("issn", "2434-561X"),
    ("who_iris", "https://iris.who.int/handle/10665/999999"),
    ("url", "https://github.com/networkx/there-is-no-such-repository"),
    ("acl", "2020.acl-main.9999"),
    ("openreview", "aaaaaaaaaa"),
    ("dblp", "conf/cvpr/Nobody16"),
)
UNWRITTEN = "Zygoperiodicals: A Treatise that Nobody Wrote"


def reference(work: Record, *more: tuple[str, str]) -> Reference:
    """Return the work as a document would cite it."""
    version = work.versions[0]
    raw = (
        f"{'; '.join(a.display for a in work.authors)} ({version.year}). {work.title}. {version.venue or ''}"
    )
    claimed = Claimed(
        work.title, work.authors, year=version.year, venue=version.venue, volume=version.volume,
        issue=version.issue, pages=version.pages, publisher=work.publisher,
        ids=Ids((*work.ids.pairs, *more)),
    )  # fmt: skip
    return Reference(work.title[:20], raw, work.kind, claimed)


def page(origin: str, title: str) -> str:
    """Return the address of a page of the world about the work of this title."""
    found = ids.normalise_id("url", f"{origin}/url/page/title/{quote(title, safe='')}")
    assert found is not None
    return found


def questions(source: LiveSource, by: str, origin: str) -> Iterator[Question]:
    """Yield what the source can be asked about the works of the library."""
    for work in WORKS:
        more = (("url", page(origin, work.title)),) if work.kind is Kind.WEB_PAGE else ()
        cited = reference(work, *more)
        searched = {"title": (work.title,), "raw": (cited.raw,), "mention": (cited.raw[:40],)}
        values = searched.get(by, cited.claimed.ids.all(by))
        asked = (Question(by, value, cited) for value in values)
        yield from (question for question in asked if source.suits(question))


def unanswerable(source: LiveSource, by: str, origin: str) -> Iterator[Question]:
    """Yield questions of the same kinds that nobody has an answer to."""
    for question in questions(source, by, origin):
        cited = question.reference
        nobodys = [(scheme, value) for scheme, value in NOBODYS if scheme == by]
        if by == "url" and cited.kind is Kind.WEB_PAGE:  # any other address would leave the world
            nobodys = [("url", page(origin, UNWRITTEN))]
        for pair in nobodys or [(by, UNWRITTEN)]:
            claimed = Claimed(
                UNWRITTEN, (Name("Nobody", "A."),), year=cited.claimed.year, venue=cited.claimed.venue,
                publisher=cited.claimed.publisher, ids=Ids((pair,) if nobodys else ()),
            )  # fmt: skip
            asked = Question(by, pair[1], Reference("nobody", UNWRITTEN, cited.kind, claimed))
            if source.suits(asked):
                yield asked
