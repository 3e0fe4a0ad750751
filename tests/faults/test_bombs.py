"""Documents that were made to do harm: a clear word, bounded memory and time, nothing called, we live on."""

import random
import re
import socket
import subprocess
import sys
import threading

import pytest

from citeproof.errors import InputError
from citeproof.plumbing.sandbox import Limits
from citeproof.reading.extractors.base import extract, extract_here, load_extractors
from citeproof.surfaces.cli.main import _run_command
from citeproof.vocabulary import Document
from tests.faults.bombs import BOMBS, CALLING, EITHER, READ, REFUSED, basis, pdf, xml
from tests.faults.patterns import cost, drowning

pytestmark = pytest.mark.slow

MB = 1 << 20
MEMORY = 400 * MB
SECONDS = 20
OURS = 20  # CPU-seconds that the process may take which only hands the document on
EACH = pytest.mark.parametrize("name", BOMBS)
# One of each kind is read by the command in a process of its own; the others so under `make soak`.
MEASURED = ("pdf flate", "jats xml_quadratic", "zip ratio", "html deep")
CODES = {
    # what becomes of it: exit codes of extract, of check
    REFUSED: ({2}, {2}),
    READ: ({0}, {0, 1, 4}),
    EITHER: ({0, 2, 3}, {0, 1, 2, 3, 4}),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The bombs on disk, each made when it is first asked for."""
    folder = tmp_path_factory.mktemp("bombs")

    def file(name):
        named, make, _ = BOMBS[name]
        path = folder / name.replace(" ", "_") / named
        if not path.exists():
            path.parent.mkdir()
            path.write_bytes(make())
        return path

    return file


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    from citeproof.evidence.index.build import BuildInput, build

    folder = tmp_path_factory.mktemp("snapshot")
    (folder / "records.bib").write_bytes(basis.BIB)
    build([BuildInput("bibtex", (folder / "records.bib",))], folder / "made")
    return folder / "made"


@pytest.fixture
def bounded(monkeypatch, tmp_path):
    monkeypatch.setenv("CITEPROOF_EXTRACT_MEMORY_BYTES", str(MEMORY))
    monkeypatch.setenv("CITEPROOF_EXTRACT_SECONDS", str(SECONDS))
    monkeypatch.setenv("CITEPROOF_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("CITEPROOF_OFFLINE", "1")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", MEASURED)
def test_extract_ends_with_a_word_and_within_its_limits(name, files, bounded):
    _measured(name, files)


@pytest.mark.soak
def test_extract_ends_within_its_limits_whatever_it_is_given(files, bounded, soak_share):
    others = sorted(set(BOMBS) - set(MEASURED))
    for name in random.Random(5).sample(others, max(1, round(len(others) * soak_share))):
        _measured(name, files)


# A process counts the memory of the one it was forked from as its own, and a test runner's grows large:
# so a small process in between starts the command, and tells what that used.
BETWEEN = """
import resource, subprocess, sys
limit = int(sys.argv[1]), resource.RLIM_INFINITY
done = subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL,
                      preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, limit))
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(done.returncode, used.ru_maxrss, used.ru_utime + used.ru_stime)
"""


def _measured(name, files):
    """Read a bomb by the command in a process of its own, whose memory and time are looked at afterwards."""
    command = [sys.executable, "-m", "citeproof", "extract", str(files(name))]
    between = [sys.executable, "-c", BETWEEN, str(OURS), *command]
    done = subprocess.run(between, capture_output=True, text=True, check=True)
    said = done.stderr
    code, peak, seconds = (float(part) for part in done.stdout.split())
    assert code in CODES[BOMBS[name][2]][0], (name, said)
    assert "Traceback" not in said
    if code == 2:
        assert said.startswith("error: ")
        assert "hint: " in said
        assert len(said) < 2000
    # of all processes that had to do with it: the most that one of them held, and their time together
    assert peak * 1024 < MEMORY + 300 * MB, name
    assert seconds < SECONDS + 30, name


@EACH
def test_check_ends_with_a_word(name, files, snapshot, bounded, capfd):
    codes = []
    command = ["check", str(files(name)), "--snapshot", str(snapshot), "--format", "jsonl"]
    assert cost(lambda: codes.append(_run_command(command, debug=True)), OURS) < OURS
    (code,) = codes
    said = capfd.readouterr().err
    assert code in CODES[BOMBS[name][2]][1], said
    assert "Traceback" not in said
    if code == 2:
        assert "error: " in said
        assert "hint: " in said


def test_what_was_refused_costs_no_other_document(files, snapshot, bounded, capfd, tmp_path):
    (tmp_path / "good.bib").write_bytes(basis.BIB)
    given = [str(files(name)) for name in ("pdf flate", "zip ratio", "jats xml_laughs")]
    code = _run_command(
        ["check", *given, "good.bib", "--snapshot", str(snapshot), "--format", "jsonl"], debug=True
    )
    told = capfd.readouterr()
    assert code == 4  # three documents could not be read
    assert '"key":"lecun2015"' in told.out
    assert told.err.count("warning: ") == 3


@pytest.mark.parametrize("name", CALLING)
def test_nothing_is_fetched(name):
    """Read in this very process, without the walls of the child: nobody even tries."""
    came = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        over = threading.Event()
        waiter = threading.Thread(target=_wait, args=(server, came, over))
        waiter.start()
        try:
            extract_here(Document(name, CALLING[name](server.getsockname()[1])))
        except InputError as error:
            assert error.hint  # noqa: PT017 - refused is as good
        over.set()
        waiter.join()
    assert came == []


def _wait(server, came, over):
    while not over.is_set():
        try:
            connection, address = server.accept()
        except TimeoutError:
            continue
        came.append(address)
        connection.close()


@pytest.mark.parametrize("form", [name for name, one in load_extractors().items() if one.hostile])
def test_every_hostile_format_has_a_bomb(form):
    made = {"pdf": "pdf flate", "docx": "docx laughs", "html": "html deep", "archive": "zip ratio"}
    shown = {
        **made,
        **{name: f"{name} xml_laughs" for name in xml.ROOTS},
        "odt": "odt laughs",
        "rtf": "rtf deep",
    }
    assert shown[form] in BOMBS


def test_a_page_of_references_is_read_whatever_its_actions_are():
    found = extract(Document("a.pdf", pdf.pdf_actions()), Limits(MEMORY, SECONDS))
    assert [reference.key for reference in found.references] == ["1"]


def test_the_password_of_the_machine_is_in_no_answer():
    for name in xml.ROOTS:
        with pytest.raises(InputError) as raised:
            extract(Document("a.xml", xml.xml_external(*xml.ROOTS[name])))
        assert "root:" not in str(raised.value)


PATTERNS = [
    # a pattern, whether it drowns
    (r"(a+)+$", True),
    (r"(10\.\d{4,9}/[^\s]+(?:\.[^\s]+)*)$", True),
    (r"(?:<!--.{0,5000}?-->\s{0,99}){0,5}<html", True),
    (r"\s+\s+x", True),
    (r"(?><!--.{0,5000}?-->\s{0,99}+){0,5}+<html", False),
    (r"\s{1,20}x", False),
    (r"10\.\d{4,9}/\S{1,99}", False),
]


@pytest.mark.parametrize(("pattern", "drowns"), PATTERNS)
def test_patterns_that_drown_are_told_from_others(pattern, drowns):
    found = drowning(re.compile(pattern), 10_000, 0.02, anchored=False)
    assert (found is not None) is drowns


@pytest.mark.soak
def test_every_pattern_is_linear_or_short():
    """Run by itself, because it must see every pattern being made."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.patterns"], capture_output=True, text=True, check=False
    )
    assert (done.stdout.splitlines(), done.stderr) == ([], "")
