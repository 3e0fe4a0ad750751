"""The guard as a stream of events: text at once, placeholders, patches; whatever the chunks are."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citeproof.claims.shown_units import MARK, Removal
from citeproof.claims.text_guard import PENDING, TextGuard
from citeproof.service.guarded_text import guard_text, stream_guarded
from citeproof.vocabulary import Claim, ClaimStatus, GroundedClaim, Place

REAL_DOI, FAKE_DOI = "10.1000/real.7", "10.1234/fake.1"
REAL_ENTRY = "Real, A. (2019). A truly existing study of owls. Journal of Birds 3, 1-9."
FAKE_ENTRY = "Fakeson, B. (2021). Quantum synergies of imaginary attention. Journal of Things 4, 2-8."
PIECES = (
    "Owls are birds. ", "It works [1]. ", "It is magic [2]. ", "Both hold [1, 2]. ", f"See doi:{REAL_DOI}. ",
    f"See doi:{FAKE_DOI} too. ", f"So ({FAKE_DOI}) it is.", " ", "\n", "\n\n", "- ", "e.g. ", "> ",
    f"[this study](https://doi.org/{FAKE_DOI})", "\n```\nx = f( )  # two  spaces\n```\n", "| a | b |\n",
    f"\n\n## References\n\n[1] {REAL_ENTRY}\n[2] {FAKE_ENTRY}\n", f"\n[^3]: {FAKE_ENTRY}\n", "As said[^3], ",
    "\n@article{fake20,\n  title={Quantum synergies},\n  author={Fakeson, B.}\n}\n", "\n# Heading\n",
    "Fakeson (2021) says so. ",
)  # fmt: skip
PLAIN = (
    "Nothing happened.  Two spaces stay , and ( ) too.\n", "f( )\t[ ] {}\n\n\n", "```\na  =  g( )\n```\n",
    "| a  | b |\n|----|---|\n| 1  | 2 |\n", "It was so in March.\r\nThen not.\r\n", "  - x\n", "end",
    "1. First\n2. Second\n\n", "#hashtag and @name, 50 % of it; a, b ; c\n", "\u200b\ufeffa\u00a0b\n",
    "“Quoted. Text” went on… \n",
)  # fmt: skip
FAKE_TRACES = (FAKE_DOI, "Quantum synergies", "Fakeson (2021)", "Fakeson, B.")


class ScriptedSettler:
    """Verifies what names something real; `gate` holds back every answer until it is set."""

    def __init__(self, gate: asyncio.Event | None = None) -> None:
        self._gate = gate

    async def settle_entry(self, body, claimed=None):
        return await self._decide(body)

    async def settle_alone(self, sentence, group):
        text = " ".join(one.text for one in group.citations)
        return None if group.claimed is None else await self._decide(text)

    async def settle_mention(self, sentence, mention, document=""):
        return None

    async def settle_by_entry(self, sentence, entry):
        return replace(entry.grounded, claim=replace(entry.grounded.claim, text=sentence))

    async def _decide(self, text):
        if self._gate is not None:
            await self._gate.wait()
        real = "eal" in text and "ake" not in text
        status = ClaimStatus.VERIFIED if real else ClaimStatus.UNSUPPORTED
        return GroundedClaim(Claim("sentence", text, Place()), status, (), 1)


def _cut(text, sizes):
    at, number, chunks = 0, 0, []
    while at < len(text):
        size = sizes[number % len(sizes)]
        chunks.append(text[at : at + size])
        at, number = at + size, number + 1
    return chunks


async def _iterate(chunks):
    for chunk in chunks:
        await asyncio.sleep(0)
        yield chunk


async def _run_here(work):
    return await work


def _show(events):
    """Return what a reader sees who applies every patch, and what the events stand for."""
    parts, spans = {}, {}
    for one in events:
        if one.event == "patch":
            assert one.start in parts
        parts[one.start, one.id] = one.text
        parts.setdefault(one.start, None)
        spans[one.start, one.end] = one
    ordered = sorted((key for key in parts if isinstance(key, tuple)), key=lambda key: key[0])
    return "".join(parts[key] for key in ordered), spans


async def _collect(chunks, removal, gate=None):
    guard = TextGuard(ScriptedSettler(gate), removal=removal)
    return [one async for one in stream_guarded(guard, _iterate(chunks), _run_here)]


def _guard_whole(text, removal):
    return asyncio.run(guard_text(TextGuard(ScriptedSettler(), removal=removal), text))


async def _release(chunks, removal):
    guard = TextGuard(ScriptedSettler(), removal=removal)
    released = [one for chunk in chunks for one in await guard.feed(chunk)]
    return [*released, *await guard.finish()]


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.sampled_from(PIECES), max_size=14).map("".join),
    st.lists(st.integers(1, 30), min_size=1, max_size=4),
    st.sampled_from(list(Removal)),
)
def test_chunks_of_any_size_give_the_result_of_the_whole_text(text, sizes, removal):
    whole = _guard_whole(text, removal)
    released = asyncio.run(_release(_cut(text, sizes), removal))
    assert "".join(one.original for one in released) == text
    assert "".join(one.text for one in released) == whole.text
    assert [each.text for one in released for each in one.citations] == [one.text for one in whole.citations]
    for one in released:
        for each in one.citations:  # a reader does not see the signs of a quoted block
            assert each.text == re.sub(r"(?<=\n) *> ", "", one.original[each.start : each.end])
    events = asyncio.run(_collect(_cut(text, sizes), removal))
    shown, spans = _show(events)
    assert shown == whole.text
    stretches = sorted(one for one in spans if one[0] < one[1])
    assert "".join(text[start:end] for start, end in stretches) == text
    last = {one.id: one for one in events if one.id}
    assert [each for number in sorted(last) for each in last[number].citations] == list(whole.citations)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_nothing_of_an_unverified_citation_is_left(text):
    for removal in (Removal.BRACKET, Removal.REMOVE):
        shown = _guard_whole(text, removal).text
        assert not [trace for trace in FAKE_TRACES if trace in shown], text
        assert re.findall(r"\w+", shown.replace(MARK, "")) == [
            word for word in re.findall(r"\w+", shown.replace(MARK, "")) if word in text
        ]


@settings(deadline=None, max_examples=80)
@given(st.lists(st.sampled_from(PLAIN), max_size=12).map("".join), st.integers(1, 9))
def test_text_without_citations_passes_byte_for_byte(text, size):
    for removal in Removal:
        assert "".join(one.text for one in asyncio.run(_release(_cut(text, [size]), removal))) == text
        assert _show(asyncio.run(_collect(_cut(text, [size]), removal)))[0] == text


@pytest.mark.parametrize(
    ("text", "removal", "shown"),
    [
        (f"So it is ({FAKE_DOI}). Two  spaces ( ) stay.\n", "remove", "So it is. Two  spaces ( ) stay.\n"),
        (f"So it is ({FAKE_DOI}).\n", "bracket", f"So it is ({MARK}).\n"),
        (f"A ({REAL_DOI}; {FAKE_DOI}) b.\n", "remove", f"A ({REAL_DOI}) b.\n"),
        (f"A ({FAKE_DOI}; {REAL_DOI}) b.\n", "remove", f"A ({REAL_DOI}) b.\n"),
        (f"A ({FAKE_DOI}; {REAL_DOI}) b.\n", "bracket", f"A ({MARK}; {REAL_DOI}) b.\n"),
        (f"One. Two {FAKE_DOI}.\nThree.\n", "remove", "One. Two.\nThree.\n"),
        (f"One.\n- {FAKE_ENTRY}\n- {REAL_ENTRY}\n", "remove", f"One.\n- {REAL_ENTRY}\n"),
        (f"> quoted {FAKE_DOI}\n", "remove", "> quoted\n"),
        (f"| a | {FAKE_DOI} |\n", "remove", "| a | |\n"),
        (f"As said[^1].\n\n[^1]: {FAKE_ENTRY}\n", "bracket", f"As said{MARK}.\n\n[^1]: {MARK}\n"),
        ("@book{a, title={Fake}}\nText.\n", "bracket", f"{MARK}\nText.\n"),
        (
            f"See [a title that is fake][p1].\n\n[p1]: https://doi.org/{FAKE_DOI}\n",
            "bracket",
            f"See {MARK}.\n\n[p1]: {MARK}\n",
        ),
        (f"It is {FAKE_DOI}", "keep", f"It is {FAKE_DOI}"),
    ],
)
def test_only_the_span_of_a_citation_changes(text, removal, shown):
    assert _guard_whole(text, Removal(removal)).text == shown


def test_text_flows_past_a_citation_that_nobody_has_decided():
    """The mark comes first and the list last: every word is shown before any answer is there."""
    body = f"[1] opens it. Then doi:{FAKE_DOI} comes. Plain words follow here.\n\n"
    text = f"{body}## References\n\n[1] {REAL_ENTRY}\n\nThat is all there is to say about it, and no more.\n"

    async def watch():
        gate, seen = asyncio.Event(), []
        guard = TextGuard(ScriptedSettler(gate), removal=Removal.BRACKET)
        given = asyncio.Event()

        async def chunks():
            yield text
            async with asyncio.timeout(60):
                await given.wait()
            gate.set()

        async for event in stream_guarded(guard, chunks(), _run_here):
            seen.append(event)
            if event.id == 3:
                given.set()
        return seen

    events = asyncio.run(watch())
    first = next(number for number, one in enumerate(events) if one.event == "patch")
    before = "".join(one.text for one in events[:first])
    assert before.startswith(
        "[checking 1] opens it. Then [checking 2] comes. Plain words follow here.\n\n"
        "## References\n\n[1] [checking 3]\n"
    )
    assert {one.state for one in events[:first] if one.event == "citation"} == {PENDING}
    assert events[-1].event == "end"
    assert _show(events)[0] == text.replace(f"doi:{FAKE_DOI}", MARK)


def test_a_stream_that_nobody_reads_stops_deciding():
    async def leave():
        guard = TextGuard(ScriptedSettler(asyncio.Event()), removal=Removal.BRACKET)
        async for _ in stream_guarded(guard, _iterate([f"See doi:{FAKE_DOI} now. " * 5]), _run_here):
            break
        await guard.close()
        return [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]

    assert not [task for task in asyncio.run(leave()) if not task.done()]
