"""Real works of many kinds, fields and scripts, as they may be cited; and how debris looks."""

from __future__ import annotations

import re
from dataclasses import replace

from citeproof.laboratory.measure.makers.benchmark_items import CitationFields, build_link
from citeproof.text.names import parse
from citeproof.vocabulary import Ids, Kind, Name

DEBRIS = re.compile(
    r",[”’]?\s*,|\(\s*[),;]|\[\s*\]|\{\s*\}|“\s*[,.]?\s*”|‘\s*’|\s[.,:](?:\s|$)|(?<!\.)\.\.(?!\.)|,\.|;\s*;|:\s*:"
    r"|\bNone\b|\( |  |\bpp?\. ?[,.;)]|\bvol\. ?[,.]|\bdoi: ?(?:\.|$)|https://doi\.org/(?:\s|\.|$)"
    r"|, and\.|[,;:]$"
)


def _work(
    name: str, kind: Kind, title: str, people: str, year: int | None, venue: str = "", place: str = "",
    publisher: str = "", **ids: str,
) -> CitationFields:  # fmt: skip
    volume, issue, pages = place.split("|") if place else ("", "", "")
    pairs = Ids(tuple((scheme, value) for scheme, value in ids.items()))
    made = CitationFields(
        name, kind, title, tuple(map(parse, people.split("; "))) if people else (), year, venue,
        volume, issue, pages, publisher, pairs,
    )  # fmt: skip
    return replace(made, url=build_link(pairs))


WORKS = (
    _work("dna", Kind.ARTICLE,
          "Molecular Structure of Nucleic Acids: A Structure for Deoxyribose Nucleic Acid",
          "Watson, J. D.; Crick, F. H. C.", 1953, "Nature", "171|4356|737-738", doi="10.1038/171737a0"),
    _work("shannon", Kind.ARTICLE, "A Mathematical Theory of Communication", "Shannon, Claude E.", 1948,
          "Bell System Technical Journal", "27|3|379-423", doi="10.1002/j.1538-7305.1948.tb01338.x"),
    _work("bert", Kind.ARTICLE,
          "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding",
          "Jacob Devlin; Ming-Wei Chang; Kenton Lee; Kristina Toutanova", 2019,
          "Proceedings of the 2019 Conference of the North American Chapter of the Association for "
          "Computational Linguistics", "||4171-4186", doi="10.18653/v1/n19-1423"),
    _work("attention", Kind.PREPRINT, "Attention Is All You Need",
          "Ashish Vaswani; Noam Shazeer; Niki Parmar; Jakob Uszkoreit; Llion Jones; Aidan N. Gomez; "
          "Łukasz Kaiser; Illia Polosukhin", 2017, "arXiv", arxiv="1706.03762"),
    _work("higgs", Kind.ARTICLE,
          "Observation of a new particle in the search for the Standard Model Higgs boson with the ATLAS "
          "detector at the LHC", "ATLAS Collaboration", 2012, "Physics Letters B", "716|1|1-29",
          doi="10.1016/j.physletb.2012.08.020", arxiv="1207.7214"),
    _work("epr", Kind.ARTICLE,
          "Can Quantum-Mechanical Description of Physical Reality Be Considered Complete?",
          "Einstein, A.; Podolsky, B.; Rosen, N.", 1935, "Physical Review", "47|10|777-780",
          doi="10.1103/physrev.47.777"),
    _work("prospect", Kind.ARTICLE, "Prospect Theory: An Analysis of Decision under Risk",
          "Kahneman, Daniel; Tversky, Amos", 1979, "Econometrica", "47|2|263-291", doi="10.2307/1914185"),
    _work("gödel", Kind.ARTICLE,
          "Über formal unentscheidbare Sätze der Principia Mathematica und verwandter Systeme I",
          "Gödel, Kurt", 1931, "Monatshefte für Mathematik und Physik", "38|1|173-198",
          doi="10.1007/bf01700692"),
    _work("ricci", Kind.PREPRINT, "The entropy formula for the Ricci flow and its geometric applications",
          "Perelman, Grisha", 2002, "", arxiv="math/0211159"),
    _work("google", Kind.ARTICLE, "The Anatomy of a Large-Scale Hypertextual Web Search Engine",
          "Brin, Sergey; Page, Lawrence", 1998, "Computer Networks and ISDN Systems", "30|1-7|107-117",
          doi="10.1016/s0169-7552(98)00110-x"),
    _work("planar", Kind.ARTICLE, "A planar diagram theory for strong interactions", "'t Hooft, Gerard", 1974,
          "Nuclear Physics B", "72|3|461-473", doi="10.1016/0550-3213(74)90154-0"),
    _work("tsne", Kind.ARTICLE, "Visualizing Data using t-SNE", "van der Maaten, Laurens; Hinton, Geoffrey",
          2008, "Journal of Machine Learning Research", "9||2579-2605"),
    _work("колмогоров", Kind.ARTICLE, "Три подхода к определению понятия «количество информации»",
          "Колмогоров, А. Н.", 1965, "Проблемы передачи информации", "1|1|3-11"),
    replace(_work("周志华", Kind.BOOK, "机器学习", "", 2016, publisher="清华大学出版社"),
            people=(Name("周", "志华"),)),
    _work("rest", Kind.THESIS, "Architectural Styles and the Design of Network-based Software Architectures",
          "Fielding, Roy Thomas", 2000, publisher="University of California, Irvine"),
    _work("month", Kind.BOOK, "The Mythical Man-Month: Essays on Software Engineering",
          "Brooks, Jr., Frederick P.", 1975, publisher="Addison-Wesley", isbn="9780201006506"),
    _work("mind", Kind.ARTICLE, "Computing Machinery and Intelligence", "Turing, A. M.", 1950, "Mind",
          "LIX|236|433-460", doi="10.1093/mind/lix.236.433"),
    replace(_work("r", Kind.SOFTWARE, "R: A Language and Environment for Statistical Computing",
                  "R Core Team", 2023, publisher="R Foundation for Statistical Computing"), url="https://www.r-project.org/"),
    _work("pdp", Kind.CHAPTER, "Learning Internal Representations by Error Propagation",
          "Rumelhart, David E.; Hinton, Geoffrey E.; Williams, Ronald J.", 1986,
          "Parallel Distributed Processing", "1||318-362", "MIT Press"),
    _work("pagerank", Kind.REPORT, "The PageRank Citation Ranking: Bringing Order to the Web",
          "Page, Lawrence; Brin, Sergey; Motwani, Rajeev; Winograd, Terry", 1999,
          publisher="Stanford InfoLab"),
    _work("dbscan", Kind.ARTICLE,
          "A Density-Based Algorithm for Discovering Clusters in Large Spatial Databases with Noise",
          "Martin Ester; Hans-Peter Kriegel; Jörg Sander; Xiaowei Xu", 1996, "KDD", "||226-231"),
    _work("crispr", Kind.ARTICLE,
          "A Programmable Dual-RNA–Guided DNA Endonuclease in Adaptive Bacterial Immunity",
          "Martin Jinek; Krzysztof Chylinski; Ines Fonfara; Michael Hauer; Jennifer A. Doudna; "
          "Emmanuelle Charpentier", 2012, "Science", "337|6096|816-821", doi="10.1126/science.1225829",
          pmid="22745249"),
)  # fmt: skip
BY_NAME = {work.work: work for work in WORKS}
