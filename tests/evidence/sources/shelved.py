"""A few real works, as the registries' loopback APIs hold them."""

from __future__ import annotations

from citeproof.vocabulary import Ids, Kind, Name, Record, Version

RESNET = Record(
    "x",
    "resnet",
    ("Deep Residual Learning for Image Recognition",),
    (Name("He", "Kaiming"), Name("Zhang", "Xiangyu"), Name("Ren", "Shaoqing"), Name("Sun", "Jian")),
    versions=(
        Version(2016, "2016 IEEE Conference on Computer Vision and Pattern Recognition (CVPR)", Kind.ARTICLE),
        Version(2015, "arXiv", Kind.PREPRINT),
    ),
    kind=Kind.ARTICLE,
    publisher="IEEE",
    ids=Ids((("doi", "10.1109/cvpr.2016.90"), ("arxiv", "1512.03385"))),
)
ATTENTION = Record(
    "x",
    "attention",
    ("Attention Is All You Need",),
    (Name("Vaswani", "Ashish"), Name("Shazeer", "Noam"), Name("Parmar", "Niki")),
    authors_complete=False,
    versions=(Version(2017, "arXiv", Kind.PREPRINT),),
    kind=Kind.PREPRINT,
    ids=Ids((("arxiv", "1706.03762"), ("doi", "10.48550/arxiv.1706.03762"))),
)
WAKEFIELD = Record(
    "x",
    "wakefield",
    (
        (
            "Ileal-lymphoid-nodular hyperplasia, non-specific colitis, and pervasive developmental disorder "
            "in children"
        ),
    ),
    (Name("Wakefield", "AJ"), Name("Murch", "SH"), Name("Anthony", "A")),
    versions=(Version(1998, "The Lancet", Kind.ARTICLE, "351", "9103", "637-641"),),
    kind=Kind.ARTICLE,
    publisher="Elsevier BV",
    ids=Ids((("doi", "10.1016/s0140-6736(97)11096-0"), ("pmid", "9500320"))),
    marks=("retracted", "corrected"),
)
PLANCK = Record(
    "x",
    "planck",
    ("Ueber das Gesetz der Energieverteilung im Normalspectrum",),
    (Name("Planck", "Max"),),
    versions=(
        Version(1901, "Annalen der Physik", Kind.ARTICLE, "309", "3", "553-563"),
        Version(2006, "Annalen der Physik", Kind.ARTICLE, "309", "3", "553-563"),
    ),
    kind=Kind.ARTICLE,
    publisher="Wiley",
    ids=Ids((("doi", "10.1002/andp.19013090310"),)),
)
ELEMENTS = Record(
    "x",
    "elements",
    (
        "The Elements of Statistical Learning: Data Mining, Inference, and Prediction",
        "The Elements of Statistical Learning",
    ),
    (Name("Hastie", "Trevor"), Name("Tibshirani", "Robert"), Name("Friedman", "Jerome")),
    versions=(Version(2009, "Springer Series in Statistics", Kind.BOOK),),
    kind=Kind.BOOK,
    publisher="Springer New York",
    ids=Ids((("doi", "10.1007/978-0-387-84858-7"), ("isbn", "9780387848570"))),
)
HIGGS = Record(
    "x",
    "higgs",
    (
        (
            "Observation of a new particle in the search for the Standard Model Higgs boson with the ATLAS "
            "detector at the LHC"
        ),
    ),
    (Name("ATLAS Collaboration", collective=True),),
    versions=(Version(2012, "Physics Letters B", Kind.ARTICLE, "716", "1", "1-29"),),
    kind=Kind.ARTICLE,
    publisher="Elsevier BV",
    ids=Ids((("doi", "10.1016/j.physletb.2012.08.020"), ("arxiv", "1207.7214"))),
)
MALARIA = Record(
    "x",
    "malaria",
    ("Data from: A new malaria agent in African hominids",),
    (Name("Ollomo", "Benjamin"), Name("Durand", "Patrick"), Name("Prugnolle", "Franck")),
    versions=(Version(2011, "Dryad", Kind.DATASET),),
    kind=Kind.DATASET,
    publisher="Dryad",
    ids=Ids((("doi", "10.5061/dryad.8515"),)),
)
ALL = (RESNET, ATTENTION, WAKEFIELD, PLANCK, ELEMENTS, HIGGS, MALARIA)
