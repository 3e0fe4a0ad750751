"""Documents that are checked and then corrected, without any door."""

from __future__ import annotations

import pytest

from citeproof.answers.fix.corrected_files import FixOptions
from citeproof.errors import InputError
from citeproof.service.assemble import assemble
from citeproof.service.check_session import begin_check
from citeproof.service.exit_codes import Exit
from citeproof.service.fix_session import FixSession
from citeproof.settings import Settings
from citeproof.vocabulary import Document

BOOK = b"@book{x, title={Of What Nobody Wrote}, year={1999}}\n"


def start(name: str, data: bytes, tmp_path) -> FixSession:
    document = Document(name, data)
    settings = Settings(offline=True, cache_dir=tmp_path)
    session = FixSession([document], checking := begin_check(assemble(settings), [document]))
    assert len(list(session.watch(checking))) == checking.total
    return session


@pytest.mark.parametrize(
    ("data", "empty", "code"), [(BOOK, False, Exit.UNCHECKED), (b"@comment{none}\n", True, Exit.NOTHING)]
)
def test_without_evidence_nothing_is_corrected(data, empty, code, tmp_path):
    session = start("refs.bib", data, tmp_path)
    files = session.correct_files(FixOptions(unsafe=True))
    assert [file.new for file in files] == ([] if empty else [data])
    assert (session.empty, session.find_exit_code(files, written=True)) == (empty, code)


def test_what_cannot_be_written_back_is_refused(tmp_path):
    html = b"<ol class='references'><li>Doe, J. (1999). A title of some length. Nature 3, 4.</li></ol>"
    with pytest.raises(InputError, match="not written back"):
        start("page.html", b"<html><body><h2>References</h2>" + html + b"</body></html>", tmp_path)
