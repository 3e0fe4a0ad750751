"""Whatever happens to the bytes of a list, it never says anything that it did not say, and nothing breaks."""

from __future__ import annotations

from datetime import date
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeproof.evidence.index.lists.compiled_list import (
    CompiledList,
    DamagedListError,
    ListHead,
    compile_rows,
)
from citeproof.evidence.index.lists.homes import LISTS
from citeproof.evidence.index.lists.list_home import ListHome
from citeproof.evidence.index.lists.list_store import InstalledList, ListStore
from citeproof.vocabulary import ListAnswer, ListQuestion

DAY = date(2026, 8, 18)
TEXTS = {
    "retraction_watch": (
        "Title,Author,RetractionDate,RetractionDOI,OriginalPaperDOI,RetractionNature,Reason,\n"
        "On the growth of very long plants in dark rooms,Jane Doe,1/2/2020 0:00,10.1000/n,"
        "10.1000/x,Retraction,+F;,\n"
        "T,A,1/2/2020 0:00,10.1000/n,10.1000/y,Correction,+F;,\n"
    ),
    "doaj_withdrawn": (
        "Journal Title,ISSN,Date Removed (dd/mm/yyyy),Reason\n"
        "Journal of P and R,0031-9007,5-May-2025,Ceased publishing\n"
    ),
}
QUESTION = ListQuestion(
    ("10.1000/x", "10.1000/q"),
    ("5",),
    "On the growth of very long plants in dark rooms",
    ("Doe",),
    venues=("Journal of P and R",),
    issns=("0031-9007", "1079-7114"),
)


class OneList:
    """Where a list comes from that has these bytes, named by their own digest, as a forger would."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def open_list(self, name: str) -> CompiledList | None:
        del name
        return CompiledList(self._data, sha256(self._data).hexdigest())


def compile_home(home: ListHome) -> bytes:
    head = ListHead(
        name=home.name, day="2026-08-17", entries=0, source="s", origin="o", licence="l", form=home.form.value
    )
    return compile_rows(head, home.pack(home.read(TEXTS[home.name].encode(), "list.csv")))


WHOLE = {name: compile_home(LISTS[name]) for name in TEXTS}
SUBJECTS = {"retraction_watch": "works", "doaj_withdrawn": "venues"}


def ask(name: str, data: bytes, question: ListQuestion = QUESTION) -> ListAnswer:
    return InstalledList(OneList(data), name, 60, SUBJECTS[name]).look_up(question, DAY)


@st.composite
def changed_lists(draw):
    name = draw(st.sampled_from(sorted(WHOLE)))
    data = bytearray(WHOLE[name])
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(data) - 1))
        match draw(st.sampled_from(["change", "cut", "insert", "drop"])):
            case "change":
                data[at] ^= draw(st.integers(1, 255))
            case "cut":
                del data[at + 1 :]
            case "insert":
                data[at:at] = draw(st.binary(min_size=1, max_size=9))
            case "drop":
                del data[at : at + draw(st.integers(1, 9))]
                data = data or bytearray(b"x")
    return name, bytes(data)


@given(changed_lists())
def test_a_changed_file_in_the_store_says_nothing(tmp_path_factory, changed):
    """The name of a file is the digest of its content: no change passes."""
    name, data = changed
    folder = tmp_path_factory.getbasetemp() / f"store-{name}"
    store = ListStore(folder)
    digest = store.install(name, WHOLE[name])
    (folder / f"{digest}.list").write_bytes(data)
    answer = InstalledList(store, name, 60, SUBJECTS[name]).look_up(QUESTION, DAY)
    if data == WHOLE[name]:
        assert not answer.trouble
    else:
        assert (answer.notices, answer.listings) == ((), ())
        assert answer.trouble.startswith("is damaged")


@given(changed_lists())
def test_a_file_that_somebody_forged_breaks_nothing(changed):
    """With a digest to match, it may lie, as any list may, but look-ups end in an answer."""
    answer = ask(*changed)
    assert isinstance(answer, ListAnswer)
    assert answer.subject == SUBJECTS[changed[0]]


@pytest.mark.parametrize("name", sorted(WHOLE))
def test_a_whole_list_answers(name):
    answer = ask(name, WHOLE[name])
    assert not answer.trouble
    assert len(answer.notices) + len(answer.listings) == 1


@given(st.binary(max_size=300))
def test_what_is_no_list_is_refused(data):
    with pytest.raises(DamagedListError):
        CompiledList(data, sha256(data).hexdigest())


@given(st.text(max_size=200), st.sampled_from(sorted(LISTS)))
def test_any_text_is_read_or_refused(text, name):
    """A file that is none gives rows or a `UsageError`, never a traceback."""
    from citeproof.errors import UsageError

    try:
        rows = list(LISTS[name].read(text.encode("utf-8", "surrogatepass"), "list.csv"))
    except UsageError as error:
        assert error.hint  # noqa: PT017 - either is right
    else:
        list(LISTS[name].pack(rows))
