"""Files that grow, the spool and the tally: cut back and gone on with, they are as if never stopped."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citeproof.evidence.index import record_blocks
from citeproof.evidence.index.growing_files import GrowingFiles, is_grown, sync_groups
from citeproof.evidence.index.record_blocks import BLOCK, Spool
from citeproof.evidence.index.snapshot_facts import FactTally


def test_what_came_after_is_cut_off(tmp_path):
    paths = [tmp_path / "a", tmp_path / "b"]
    files = GrowingFiles(paths)
    files.files[0].write(b"one")
    assert sync_groups([files]) == [(3, 0)]
    files.files[1].write(b"later")
    files.close()
    again = GrowingFiles(paths, (3, 0))
    again.files[1].write(b"two")
    assert again.flush() == (3, 3)
    again.close()
    assert [path.read_bytes() for path in paths] == [b"one", b"two"]


@pytest.mark.parametrize(("lengths", "whole"), [((3,), True), ((2,), True), ((4,), False), ((), False)])
def test_whether_files_are_long_enough(tmp_path, lengths, whole):
    (tmp_path / "a").write_bytes(b"one")
    assert is_grown([tmp_path / "a"], lengths) is whole
    assert not is_grown([tmp_path / "gone"], lengths)


RECORDS = st.lists(st.binary(max_size=12), max_size=70)


@settings(max_examples=60, deadline=None)
@given(RECORDS, st.integers(0, 70))
def test_a_spool_goes_on_from_any_record(tmp_path_factory, records, stop):
    folder = tmp_path_factory.mktemp("spool")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(record_blocks, "SAMPLES", 2 * BLOCK)  # so that the sample is thinned out soon
        whole = Spool(folder / "whole")
        for record in records:
            whole.add(record)
        part = Spool(folder / "part")
        for record in records[:stop]:
            part.add(record)
        state, (length,) = part.state(), part.file.flush()
        for record in records[::-1]:
            part.add(record)  # after the checkpoint: nothing of it may be left
        part.file.close()
        rest = Spool(folder / "part", state, length)
        for record in records[stop:]:
            rest.add(record)
    assert rest.state() == whole.state()
    assert list(rest.blocks()) == list(whole.blocks())
    assert rest.samples() == whole.samples()
    assert len(whole.samples()) <= 5 * BLOCK
    for one in (whole, rest):
        one.file.close()


def test_a_tally_counts_on(tmp_path):
    tally = FactTally(tmp_path / "tally")
    tally.add(["10.1000", "10.1103", "10.1000"], [5, 2**64 - 1, 5])
    tally.add([], [])
    lengths = tally.file.flush()
    tally.add(["10.9999"], [9])
    tally.file.close()
    again = FactTally(tmp_path / "tally", lengths)
    again.add(["10.1103"], [5])
    again.file.close()
    assert again.prefixes == {"10.1000": 2, "10.1103": 2}
    assert again.venues == {5: 3, 2**64 - 1: 1}
