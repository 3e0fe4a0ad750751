"""Small evidence for tests of language models: citations of one work, each wrong in its own way."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from citeproof.judgement.compare import compare
from citeproof.judgement.judge import judge
from citeproof.judgement.judge import model as judges
from citeproof.judgement.review import ModelReview
from citeproof.vocabulary import Absent, Compared, Found, Judgement, Reach, Reference, Retrieval, Version
from tests.judgement.judge.conftest import TODAY, a_record, a_reference

DOI = ("doi", "10.1109/cvpr.2016.90")
OTHER_DOI = ("doi", "10.1109/cvpr.2016.91")
TITLE = "Deep Residual Learning for Image Recognition"
RAW = (
    "Kaiming He and Xiangyu Zhang. Deep Residual Learning for Image Recognition. CVPR 2016. "
    "doi:10.1109/cvpr.2016.90"
)
OTHER = a_record(
    "Learning Deep Features for Scene Recognition",
    "Bolei Zhou and Agata Lapedriza",
    ids=(OTHER_DOI,),
    name="r2",
)
ABSENT = Absent("snapshot:test", "title", Reach.COMPLETE)


@dataclass(frozen=True)
class Case:
    reference: Reference
    compared: tuple[Compared, ...]
    judgement: Judgement

    def review(self, model, judge_model=None):
        """Return the judgement after the model was heard, and the findings."""
        room = ModelReview(model, judge_model or judges.load_model())
        return asyncio.run(room.review(self.reference, self.compared, self.judgement))


def make_case(reference: Reference, *lookups) -> Case:
    retrieved = Retrieval(tuple(lookups), (), None)
    compared = tuple(compare(reference, retrieved, TODAY))
    return Case(reference, compared, judge(reference, retrieved, compared))


def found(*records, by="title", reach=Reach.PARTIAL) -> Found:
    return Found("snapshot:test", by, tuple(records), reach)


def write(reference: Reference, raw: str = RAW, citing: tuple[str, ...] = ()) -> Reference:
    return replace(reference, raw=raw, citing=citing)


def make_cases(venue="Nature", note="", citing=()) -> dict[str, Case]:
    """Return one case of each kind; `note` goes to the raw text, `citing` are sentences of the document."""
    raw = f"{RAW} {note}".strip()
    record = a_record(ids=(DOI,))
    twice = (found(record, by="doi"), found(record))
    paged = replace(record, versions=(Version(2016, "CVPR", pages="770-778"),))

    def cite(*args, **fields):
        return write(a_reference(*args, **{"ids": (DOI,), **fields}), raw, citing)

    return {
        "exact": make_case(cite(), *twice),
        "noted": make_case(cite(venue=venue, volume="7", pages="1-9", ids=()), found(record)),
        "paged": make_case(cite(pages="1-10"), found(paged, by="doi")),
        "venue": make_case(cite(venue=f"Journal of {venue} Vision"), *twice),
        "venue_no_id": make_case(cite(venue=f"Journal of {venue} Vision", ids=()), found(record)),
        "year": make_case(cite(year=2011), *twice),
        "authors": make_case(cite(authors="Kaiming He and Jane Doe"), *twice),
        "nickname": make_case(cite("ResNet"), found(record, by="doi"), ABSENT),
        "nickname_alone": make_case(cite("ResNet", authors=""), found(record, by="doi"), ABSENT),
        "mismatch": make_case(
            cite("Neural Tangent Kernel Theory and Applications", authors="A. Person and B. Other"),
            found(record, by="doi"),
            ABSENT,
        ),
        "ambiguous": make_case(cite(ids=(OTHER_DOI,)), found(OTHER, by="doi"), found(record)),
        "other_authors": make_case(cite(authors="Jane Doe and John Roe", ids=()), found(record), ABSENT),
        "not_found": make_case(cite("A Work That Nobody Ever Wrote About Anything", ids=()), ABSENT),
        "unchecked": make_case(cite("A Work That Nobody Ever Wrote About Anything", ids=())),
    }
