"""A mention ⇒ the works it may mean: from the document's list, from a snapshot, never by other people."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from citeproof.claims.mention_search import MentionAnswer, MentionSearch
from citeproof.evidence.index.build import BuildInput, build
from citeproof.evidence.index.snapshot import Snapshot
from citeproof.evidence.sources.snapshot import SnapshotSource
from citeproof.reading.extractors.prose.mention_finder import find_mentions
from citeproof.text.names import parse as parse_name
from citeproof.vocabulary import Cause, Claimed, Kind, Lookup, Question, Reference, Unchecked

WORKS = [
    {"t": "Attention is All you Need", "a": ["Ashish Vaswani", "Noam Shazeer", "Niki Parmar"],
     "p": [[2017, "NIPS"]], "i": {"arxiv": "1706.03762"}},
    {"t": "GLUE: A Multi-Task Benchmark and Analysis Platform for Natural Language Understanding",
     "a": ["Alex Wang", "Amanpreet Singh", "Julian Michael"], "p": [[2019, "ICLR"]]},
    {"t": "Non-local Neural Networks for Video", "a": ["Xiaolong Wang", "Ross Girshick", "Kaiming He"],
     "p": [[2019, "CVPR"]]},
    {"t": "Dynamic Graph CNN for Learning on Point Clouds", "a": ["Yue Wang", "Yongbin Sun", "Ziwei Liu"],
     "p": [[2019, "ACM Trans. Graph."]]},
    {"t": "Living in Groups", "a": ["Jens Krause", "Graeme Ruxton"], "p": [[2002, "Oxford"]]},
    {"t": "Über das Gesetz der Energieverteilung", "a": ["Max Planck"], "p": [[1901, "Annalen der Physik"]],
     "d": "10.1002/andp.19013090310"},
    {"t": "Remarks on a Norm", "a": ["Smithson, P."], "p": [[2004, "Brain"]]},
    {"t": "Tau pathology in mice", "a": ["García López, M.", "Doe, K.", "Roe, L."], "p": [[2004, "Brain"]]},
    {"t": "Tau pathology in men", "a": ["Garcia, P.", "Lopez, A."], "p": [[2004, "Nature"]]},
]  # fmt: skip


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshot]:
    folder = tmp_path_factory.mktemp("mentions")
    source = folder / "works.jsonl"
    source.write_text("\n".join(map(json.dumps, WORKS)))
    build([BuildInput("works", (source,))], folder / "snapshot")
    with Snapshot.open(folder / "snapshot") as opened:
        yield opened


def search(
    sentence: str, snapshot: Snapshot | None = None, references: Sequence[Reference] = ()
) -> MentionAnswer:
    async def ask(question: Question) -> Sequence[Lookup]:
        return [await SnapshotSource(snapshot).lookup(question)] if snapshot else []

    [mention] = find_mentions(sentence)
    return asyncio.run(MentionSearch([ask], references=references).search(mention, sentence))


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("attention, as in Vaswani et al. (2017)", ["Attention is All you Need"]),
        ("Groups protect (Krause and Ruxton 2002).", ["Living in Groups"]),
        ("Tau pathology (García López et al. 2004)", ["Tau pathology in mice"]),
        ("(Garcia and Lopez, 2004)", ["Tau pathology in men"]),
        ("(Planck 1900)", ["Über das Gesetz der Energieverteilung"]),  # a year off, and nothing of that year
        ("(Planck 1910)", []),
        ("(Smith 2004)", []),
        ("(Ruxton 2002)", []),  # he is not the first author
        ("(Krause and Doe 2002)", []),
    ],
)
def test_what_a_snapshot_has(snapshot, sentence, expected):
    assert [one.claimed.title for one in search(sentence, snapshot).candidates] == expected


def test_the_words_of_the_sentence_put_works_of_a_common_name_in_order(snapshot):
    answer = search("point clouds are learned by a graph CNN (Wang et al., 2019)", snapshot)
    assert [len(answer.candidates), answer.candidates[0].claimed.title] == [3, WORKS[3]["t"]]
    assert answer.candidates[0].confidence > 0.9
    assert "clouds" in answer.candidates[0].words
    vague = search("It is known (Wang et al., 2019).", snapshot)
    assert len(vague.candidates) == 3
    assert max(one.confidence for one in vague.candidates) < 0.3  # three works, and no way to choose


@pytest.mark.parametrize(
    ("sentence", "title"),
    [
        ("Scores on GLUE (Wang et al., 2019) went up.", WORKS[1]["t"]),
        ("As DGC (Wang et al., 2019) does.", WORKS[3]["t"]),  # how its title begins
    ],
)
def test_the_name_of_a_work_next_to_its_mention_says_which_it_is(snapshot, sentence, title):
    named = search(sentence, snapshot).candidates
    assert named[0].claimed.title == title
    assert named[0].confidence > 0.5 > 4 * named[1].confidence


def test_two_people_who_wrote_together_in_a_year_are_known_by_that(snapshot):
    assert search("It is so (Krause and Ruxton 2002).", snapshot).candidates[0].confidence > 0.5


def test_a_letter_says_that_there_is_another_work(snapshot):
    sentence = "attention is all they need (Vaswani et al. {})"
    plain, lettered = (search(sentence.format(year), snapshot).candidates for year in ("2017", "2017a"))
    assert plain[0].confidence > 0.8
    assert lettered[0].confidence <= 0.5


def test_the_journal_named_counts(snapshot):
    named = search("(Wang et al., 2019, CVPR)", snapshot).candidates
    assert named[0].claimed.title == "Non-local Neural Networks for Video"
    assert named[0].confidence > 2 * named[1].confidence
    fits, other = (search(f"(Planck 1901, {venue})", snapshot) for venue in ("Ann. Phys.", "Nature"))
    assert fits.candidates[0].confidence > 5 * other.candidates[0].confidence


def make_reference(key: str, authors: str, year: int, title: str, raw: str = "") -> Reference:
    people = tuple(map(parse_name, authors.split("; ")))
    return Reference(
        key, raw or f"{authors} {year}. {title}.", Kind.ARTICLE, Claimed(title, people, year=year)
    )


LIST = [
    make_reference("r1", "Smith, J.; Doe, K.", 2004, "On cats"),
    make_reference("r2", "Smith, J.; Doe, K.; Roe, L.", 2004, "On cats and dogs"),
    make_reference("r3", "Berg, A.", 2005, "One", "Berg A (2005a) One."),
    make_reference("r4", "Berg, A.", 2005, "Two", "Berg A (2005b) Two."),
    make_reference("r5", "Wang, X.; Li, Y.; Hu, Z.", 2019, "Point clouds"),
    make_reference("r6", "Lee, A.; Li, Y.; Hu, Z.", 2011, "First of two"),
    make_reference("r7", "Lee, A.; Li, Y.; Hu, Z.", 2011, "Second of two"),
]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("(Smith and Doe 2004) on cats and dogs", "r1"),  # the number of people says more than words
        ("(Smith et al. 2004)", "r2"),
        ("(Berg 2005a)", "r3"),
        ("(Berg 2005b)", "r4"),
        ("(Lee et al. 2011a)", "r6"),  # the list prints no letters
        ("(Lee et al. 2011b)", "r7"),
        ("PubMed, Smith and Doe (2004)", "r1"),
        ("(Wang et al. 2018)", "r5"),  # a year off
        ("(Wang et al. 2016)", None),
        ("(Roe 2004)", None),
    ],
)
def test_the_documents_own_list_comes_first(sentence, expected):
    answer = search(sentence, None, LIST)
    found = answer.candidates[0].reference if answer.candidates else None
    assert (found.key if found else None) == expected
    assert answer.lookups == ()
    assert answer.mention.names[-1:] == next(find_mentions(sentence)).names[-1:]


def test_a_listed_work_is_surer_than_one_a_year_off():
    [listed] = search("(Wang et al. 2019)", None, LIST).candidates
    [near] = search("(Wang et al. 2018)", None, LIST).candidates
    assert listed.confidence > 0.9
    assert near.confidence < 0.5


def test_a_source_that_cannot_answer_is_told():
    async def ask(question: Question) -> Sequence[Lookup]:
        return [Unchecked("crossref", question.by, Cause.TIMEOUT)]

    [mention] = find_mentions("(Smith 2004)")
    answer = asyncio.run(MentionSearch([ask]).search(mention))
    assert (answer.candidates, answer.unchecked) == ((), True)


def test_the_network_is_not_asked_if_the_snapshot_is_sure(snapshot):
    asked: list[str] = []

    def make(name: str, opened: Snapshot | None):
        async def ask(question: Question) -> Sequence[Lookup]:
            asked.append(name)
            return [await SnapshotSource(opened).lookup(question)] if opened else []

        return ask

    searching = MentionSearch([make("snapshot", snapshot), make("network", None)])
    for sentence in ("point clouds by a dynamic graph CNN (Wang et al., 2019)", "(Wang et al., 2019)"):
        [mention] = find_mentions(sentence)
        asyncio.run(searching.search(mention, sentence))
    assert asked == ["snapshot", "snapshot", "network"]


def test_the_other_sentences_of_the_document_that_cite_it_count(snapshot):
    async def ask(question: Question) -> Sequence[Lookup]:
        return [await SnapshotSource(snapshot).lookup(question)]

    text = "Video needs non-local networks (Wang et al., 2019). We go on. See Wang et al. (2019)."
    *_, last = find_mentions(text)
    answer = asyncio.run(MentionSearch([ask], document=text).search(last, "See Wang et al. (2019)."))
    assert answer.candidates[0].claimed.title == "Non-local Neural Networks for Video"


def test_the_folder_is_not_changed(snapshot, tmp_path: Path):
    before = sorted(path.name for path in snapshot.path.rglob("*"))
    search("(Wang et al., 2019)", snapshot)
    assert sorted(path.name for path in snapshot.path.rglob("*")) == before
