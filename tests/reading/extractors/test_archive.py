"""Archives: which members are documents, where their references stand, and what is told of the rest."""

import bz2
import gzip
import io
import lzma
import os
import random
import tarfile
import zipfile
from pathlib import Path

import pytest
import zstandard

from citeproof.errors import InputError
from citeproof.reading.extractors.archive import EXTRACTOR, archive_members, decompression, file_choice
from citeproof.reading.extractors.base import detect_extractor, extract
from citeproof.reading.extractors.records.adjacent_files import ArchiveFiles, FolderFiles
from citeproof.service import input_documents
from citeproof.vocabulary import Document

BIB = b"@article{lecun2015, title={Deep learning}, author={Yann LeCun}, journal={Nature}, year={2015}}\n"
BIB_2 = b"@book{knuth1984, title={The TeXbook}, author={Donald E. Knuth}, year={1984}}\n"
RIS = b"TY  - JOUR\nAU  - Turing, A. M.\nTI  - Computing Machinery and Intelligence\nPY  - 1950\nER  - \n"
CSL = (
    b'[{"id": "he2016", "type": "paper-conference", "title": "Deep Residual Learning for Image Recognition"}]'
)
MAIN = (
    b"\\documentclass{article}\n\\begin{document}\nNets are deep \\cite{lecun2015}. \\input{part}\n"
    b"\\bibliography{refs}\n\\end{document}\n"
)
PART = b"TeX is old \\cite{knuth1984}.\n"
UNUSED = b"@misc{nobody, title={A sample entry of a template}, year={2001}}\n"
DATA = Path(__file__).parents[4] / "shared" / "data" / "documents" / "doc2json_pdf_jats_tex.tar.zst"


def zipped(members, **options):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", options.get("method", zipfile.ZIP_DEFLATED)) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return held.getvalue()


def tarred(members):
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w") as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return held.getvalue()


PACKERS = {
    "zip": zipped,
    "zip stored": lambda members: zipped(members, method=zipfile.ZIP_STORED),
    "zip bzip2": lambda members: zipped(members, method=zipfile.ZIP_BZIP2),
    "zip lzma": lambda members: zipped(members, method=zipfile.ZIP_LZMA),
    "tar": tarred,
    "tar.gz": lambda members: gzip.compress(tarred(members)),
    "tar.bz2": lambda members: bz2.compress(tarred(members)),
    "tar.xz": lambda members: lzma.compress(tarred(members)),
    "tar.zst": lambda members: zstandard.compress(tarred(members)),
}


def read(data, name="a.zip"):
    return EXTRACTOR.extract(Document(name, data))


def keys(extraction):
    return [reference.key for reference in extraction.references]


def told(extraction, *, notes=False):
    return [p.message for p in extraction.problems if p.note is notes]


@pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS)
def test_every_packing_is_read(pack):
    data = pack({"one/refs.bib": BIB, "two/export.ris": RIS, "three.json": CSL})
    document = Document("x", data)
    assert detect_extractor(document).name == "archive"
    found = read(data, "papers.x")
    assert sorted(reference.place.file for reference in found.references) == [
        "papers.x!/one/refs.bib",
        "papers.x!/three.json",
        "papers.x!/two/export.ris",
    ]
    assert (found.format, told(found)) == ("archive", [])
    assert found.references[0].place.line == 1


@pytest.mark.parametrize(
    "pack", [gzip.compress, bz2.compress, lzma.compress, zstandard.compress], ids=["gz", "bz2", "xz", "zst"]
)
@pytest.mark.parametrize(
    ("data", "key"), [(BIB, "lecun2015"), (RIS, "ref-1"), (MAIN + BIB_2, None)], ids=["bib", "ris", "tex"]
)
def test_a_single_compressed_file_is_its_content(pack, data, key):
    found = read(pack(data), "folder/refs.bib.gz")
    assert found.format == "archive"
    if key:
        assert (keys(found), found.references[0].place.file) == ([key], "folder/refs.bib.gz!/refs.bib")


def test_it_goes_through_the_child():
    found = extract(Document("a.zip", zipped({"refs.bib": BIB})))
    assert keys(found) == ["lecun2015"]


PROJECT = {"p/main.tex": MAIN, "p/part.tex": PART, "p/refs.bib": BIB + BIB_2, "p/fig/plot.pdf": b"%PDF-1.4"}


def test_a_latex_project_is_one_document():
    found = read(
        zipped(
            PROJECT | {"p/sample.bib": UNUSED, "p/x.sty": b"%", "p/main.bbl": b"\\begin{thebibliography}{1}"}
        )
    )
    assert keys(found) == ["lecun2015", "knuth1984"]
    assert {reference.place.file for reference in found.references} == {"a.zip!/p/refs.bib"}
    assert found.references[0].citing == ("Nets are deep [lecun2015].",)
    assert found.expected == 2
    notes = " ".join(told(found, notes=True))
    assert "not used by p/main.tex" in notes
    assert "p/sample.bib" in notes
    assert "p/fig/plot.pdf" in notes


def test_two_documents_that_share_a_bibliography_give_each_work_once():
    other = MAIN.replace(b"Nets are deep", b"Deep nets are good").replace(b"\\input{part}", b"")
    found = read(zipped(PROJECT | {"p/supplement.tex": other}))
    assert keys(found) == ["lecun2015", "knuth1984"]
    assert found.references[0].citing == ("Nets are deep [lecun2015].", "Deep nets are good [lecun2015].")
    assert found.expected == 2


def test_a_part_with_a_class_of_its_own_is_no_document_of_its_own():
    part = b"\\documentclass[main]{subfiles}\n\\begin{document}\n" + PART + b"\\end{document}\n"
    found = read(zipped(PROJECT | {"p/part.tex": part}))
    assert sorted(keys(found)) == ["knuth1984", "lecun2015"]


def test_markdown_takes_its_bibliography_from_the_archive():
    paper = b"---\nbibliography: refs.bib\n---\n\n# A paper\n\nNets are deep [@lecun2015].\n"
    found = read(zipped({"paper.md": paper, "refs.bib": BIB + BIB_2}))
    assert keys(found).count("lecun2015") == 1


LEFT_OUT = [
    "__MACOSX/._refs.bib",
    ".git/config",
    "pic.png",
    "README.md",
    "run.py",
    "LICENSE",
    "LICENSE.txt",
    "README.de.md",
    "META-INF/container.xml",
    "notes",
    "a/.hidden.bib",
]


@pytest.mark.parametrize("name", LEFT_OUT)
def test_what_is_no_document_is_passed_over_in_one_note(name):
    found = read(zipped({"refs.bib": BIB, name: b"some words", "b.jpg": b"\xff\xd8\xff"}))
    assert keys(found) == ["lecun2015"]
    (note,) = told(found, notes=True)
    assert note.startswith("2 files were passed over (no document in a known format): ")
    assert name in note


@pytest.mark.parametrize("name", ["authors.bib", "notice.bib", "License plates.bib", "readme-refs.bib"])
def test_a_bibliography_may_be_called_like_what_is_about_the_archive(name):
    assert keys(read(zipped({name: BIB}))) == ["lecun2015"]


ABOUT = [("License plates.md", False), ("Notice of award.docx", False), ("authors.pdf", False)]


@pytest.mark.parametrize(("name", "junk"), [*ABOUT, ("AUTHORS", True), ("00README.XXX", True)])
def test_only_the_whole_name_says_that_a_file_is_about_the_others(name, junk):
    assert file_choice.is_junk_file(name) is junk


REFUSED_NAMES = [
    "../../x.bib",
    "/etc/x.bib",
    "C:\\x.bib",
    "c:/x.bib",
    "a\\b.bib",
    "x.bib\0.png",
    "a/../../x.bib",
    "~/x.bib",
]


PACKED_NAMES = [(pack, name) for pack in (zipped, tarred) for name in REFUSED_NAMES]
PACKED_NAMES.remove((tarred, "x.bib\0.png"))  # a tar ends its names at a NUL


@pytest.mark.parametrize(("pack", "name"), PACKED_NAMES)
def test_a_name_that_leads_elsewhere_is_told_and_not_read(pack, name):
    data = pack({"refs.bib": BIB, name.replace("\0", "\1"): BIB_2}).replace(b"\1.png", b"\0.png")
    found = read(data)
    assert keys(found) == ["lecun2015"]
    assert told(found) == ["a path that leads out of the archive; not read"]
    assert "\0" not in found.problems[0].place.file


def test_a_name_that_comes_twice_is_read_once():
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("refs.bib", BIB)
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("refs.bib", BIB_2)
    found = read(held.getvalue())
    assert (keys(found), told(found)) == (
        ["lecun2015"],
        ["occurs twice in the archive; only the first is read"],
    )


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_in_a_tar_are_told(kind):
    held = io.BytesIO(tarred({"refs.bib": BIB}))
    with tarfile.open(fileobj=held, mode="a") as archive:
        info = tarfile.TarInfo("passwd.bib")
        info.type, info.linkname = kind, "/etc/passwd"
        archive.addfile(info)
    found = read(held.getvalue())
    assert keys(found) == ["lecun2015"]
    assert told(found) == ["a link, device or sparse file; not read"]


def test_a_link_in_a_zip_is_told():
    link = zipfile.ZipInfo("passwd.bib")
    link.external_attr = 0o120777 << 16
    found = read(zipped({"refs.bib": BIB, link: b"/etc/passwd"}))
    assert (keys(found), told(found)) == (["lecun2015"], ["a link or device; not read"])


def test_an_encrypted_member_is_told():
    data = bytearray(zipped({"refs.bib": BIB, "secret.bib": BIB_2}))
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.rfind(mark) + at] |= 1
    found = read(bytes(data))
    assert (keys(found), told(found)) == (["lecun2015"], ["is encrypted"])


def test_a_broken_member_costs_no_other():
    data = bytearray(zipped({"a.bib": BIB * 50, "b.bib": BIB_2}))
    data[60] ^= 0xFF
    found = read(bytes(data))
    assert keys(found) == ["knuth1984"]
    assert told(found)[0].startswith("cannot be unpacked: ")
    assert found.problems[0].place.file == "a.zip!/a.bib"


def test_a_member_that_is_not_what_its_name_says_is_told():
    found = read(zipped({"a.bib": b"\0\1\2" * 99, "b.bib": BIB_2}))
    assert keys(found) == ["knuth1984"]
    assert "binary file" in told(found)[0]


def test_an_archive_that_breaks_off_is_read_as_far_as_it_goes():
    noise = random.Random(3).randbytes(300_000)
    data = gzip.compress(tarred({"refs.bib": BIB, "picture.png": noise}))
    found = read(data[: len(data) // 2], "a.tar.gz")
    assert keys(found) == ["lecun2015"]
    assert "read up to there" in told(found)[0]


def test_archives_inside_archives_are_not_unpacked():
    inner = zipped({"refs.bib": BIB})
    found = read(zipped({"inner.zip": inner, "refs.bib": BIB_2}))
    assert keys(found) == ["knuth1984"]
    assert told(found) == ["an archive inside an archive is not unpacked"]
    for alone in (zipped({"inner.zip": inner}), gzip.compress(inner), gzip.compress(gzip.compress(BIB))):
        with pytest.raises(InputError, match="an archive inside an archive"):
            read(alone)


NOTHING = [
    # bytes, word of the error
    (zipped({}), "no document in a known format"),
    (zipped({"a.png": b"x"}), "no document in a known format"),
    (zipped({"[Content_Types].xml": b"<x/>", "xl/workbook.xml": b"<x/>"}), "an Excel workbook"),
    (zipped({"[Content_Types].xml": b"<x/>", "ppt/a.xml": b"<x/>"}), "a PowerPoint presentation"),
    (zipped({"a.bib": BIB})[:60], "broken"),
    (b"PK\x03\x04", "broken"),
    (b"\x1f\x8b\x08", "broken"),
    (b"BZh9" + b"x" * 50, "broken"),
    (b"\xfd7zXZ\x00" + b"x" * 50, "broken"),
    (b"\x28\xb5\x2f\xfd" + b"x" * 50, "broken"),
    (b"plain words", "is not an archive"),
    (b"", "is not an archive"),
]


@pytest.mark.parametrize(("data", "word"), NOTHING, ids=[f"{i}-{row[1]}" for i, row in enumerate(NOTHING)])
def test_an_archive_with_nothing_to_read_says_so(data, word):
    with pytest.raises(InputError, match=word) as raised:
        read(data)
    assert raised.value.hint


def test_too_many_members_are_refused(monkeypatch):
    monkeypatch.setattr(archive_members, "MAX_MEMBERS", 3)
    for pack in (zipped, tarred):
        assert keys(read(pack({f"{i}.bib": BIB for i in range(3)})))
        with pytest.raises(InputError, match="more than 3 members"):
            read(pack({f"{i}.bib": BIB for i in range(4)}))


def test_too_many_bytes_are_refused(monkeypatch):
    monkeypatch.setattr(decompression, "MAX_TOTAL", 1_000_000)
    noise = random.Random(1).randbytes(600_000)
    for pack in PACKERS.values():
        with pytest.raises(InputError, match="unpack to more than 1,000,000 bytes"):
            read(pack({"a.png": noise, "b.png": noise, "refs.bib": BIB}))


def test_small_files_may_be_packed_as_well_as_they_like():
    blank = b" " * 900_000
    assert keys(read(zipped({"refs.bib": BIB + blank}))) == ["lecun2015"]


@pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS)
def test_damage_is_an_error_or_a_problem(pack):
    whole = pack(PROJECT | {"x.ris": RIS, "y.json": CSL})
    chance = random.Random(7)
    for _ in range(60):
        data = bytearray(whole)
        for _ in range(chance.randint(1, 6)):
            match chance.randrange(3):
                case 0:
                    data[chance.randrange(len(data))] = chance.randrange(256)
                case 1:
                    del data[chance.randrange(len(data)) :]
                    data += b"\0"
                case _:
                    at = chance.randrange(len(data))
                    data[at:at] = chance.randbytes(chance.randint(1, 20))
        try:
            found = EXTRACTOR.extract(Document("x", bytes(data)))
        except InputError as error:
            assert error.message  # noqa: PT017 - either is right
        else:
            assert found.format == "archive"


PATHS = [
    # path, whether it may be read
    ("refs.bib", True),
    ("./refs.bib", True),
    ("deep/more.bib", True),
    ("deep/../refs.bib", True),
    ("../outside.bib", False),
    ("deep/../../outside.bib", False),
    ("/etc/passwd", False),
    ("~/x", False),
    ("link.bib", False),
    ("deep/folder/outside.bib", False),
    ("circle", False),
    ("a\0b", False),
    ("C:\\x", False),
    ("C:x", False),
    ("deep", False),
    (".", False),
    ("", False),
    ("pipe", False),
    ("huge.bib", False),
    ("x" * 5000, False),
]


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "root"
    (root / "deep").mkdir(parents=True)
    (root / "refs.bib").write_bytes(BIB)
    (root / "deep" / "more.bib").write_bytes(BIB_2)
    (tmp_path / "outside.bib").write_bytes(UNUSED)
    (root / "link.bib").symlink_to(tmp_path / "outside.bib")
    (root / "deep" / "folder").symlink_to(tmp_path)
    (root / "circle").symlink_to(root / "circle")
    os.mkfifo(root / "pipe")
    with (root / "huge.bib").open("wb") as file:
        file.truncate(10 << 30)  # a sparse file of ten gigabytes
    return root


@pytest.mark.parametrize(("path", "may"), PATHS, ids=[repr(row[0])[:30] for row in PATHS])
def test_only_files_of_the_folder_are_read(path, may, folder):
    assert (FolderFiles(folder).read(path) is not None) is may


def test_the_names_of_a_folder_are_bounded_and_in_order(folder, monkeypatch):
    (folder / ".hidden").write_text("x")
    assert FolderFiles(folder).names() == ("deep/more.bib", "huge.bib", "pipe", "refs.bib")
    monkeypatch.setattr("citeproof.reading.extractors.records.adjacent_files.MAX_NAMES", 2)
    assert len(FolderFiles(folder).names()) == 2
    assert FolderFiles(folder / "nowhere").names() == ()
    monkeypatch.setattr("citeproof.reading.extractors.records.adjacent_files.MAX_FOLDERS", 1)
    monkeypatch.setattr("citeproof.reading.extractors.records.adjacent_files.MAX_NAMES", 100)
    assert FolderFiles(folder).names() == ("huge.bib", "pipe", "refs.bib")


ARCHIVED = [
    # folder of the document, path, the member that is meant
    ("p", "refs.bib", "p/refs.bib"),
    ("p", "../q/refs.bib", "q/refs.bib"),
    ("", "p/refs.bib", "p/refs.bib"),
    ("p", "../../q/refs.bib", None),
    ("p", "/p/refs.bib", None),
    ("p", "no.bib", None),
]


@pytest.mark.parametrize(("home", "path", "member"), ARCHIVED)
def test_only_members_of_the_archive_are_read(home, path, member):
    members = {"p/refs.bib": BIB, "q/refs.bib": BIB_2}
    beside = ArchiveFiles(members, home)
    assert beside.read(path) == (members[member] if member else None)
    assert beside.used == ({member} if member else set())


FOLDERS = [
    # files of a folder, the documents it is
    (
        {"refs.bib": BIB, "b.ris": RIS, "pic.png": b"x", ".x.bib": BIB, "README.md": b"# x"},
        ["b.ris", "refs.bib"],
    ),
    ({"main.tex": MAIN, "part.tex": PART, "refs.bib": BIB, "main.pdf": b"%PDF-1.4"}, ["main.tex"]),
    ({"part.tex": PART * 9, "refs.bib": BIB}, ["part.tex", "refs.bib"]),
    ({"all.zip": zipped({"refs.bib": BIB}), "bad.bib": b"\0"}, ["all.zip", "bad.bib"]),
]


@pytest.mark.parametrize(("files", "names"), FOLDERS)
def test_a_folder_is_its_documents(files, names, tmp_path):
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "sub.bib").mkdir()
    found = input_documents.read_documents([str(tmp_path)], 1_000_000)
    assert [Path(one.name).name for one in found] == names
    assert all(one.data == files[Path(one.name).name] for one in found)
    assert all(one.beside is not None for one in found)


ABOVE = rb"\documentclass{article}\begin{document}A \cite{lecun2015}.\bibliography{../refs}\end{document}"
BELOW = [
    # files of a folder and the folders in it, the documents it is
    ({"refs.bib": BIB, "sub/p.tex": ABOVE}, ["sub/p.tex"]),
    ({"refs.bib": BIB, "b.ris": RIS, "a/b/c/p.tex": MAIN}, ["a/b/c/p.tex", "b.ris"]),
    ({"refs.bib": BIB, "sub/part.tex": PART}, ["refs.bib"]),
    ({"main.tex": MAIN, "sub/p.tex": MAIN}, ["main.tex"]),
    ({"refs.bib": BIB, ".git/p.tex": MAIN, "1/2/3/4/5/6/p.tex": MAIN}, ["refs.bib"]),
]


@pytest.mark.parametrize(("files", "names"), BELOW)
def test_latex_documents_are_found_in_the_folders_below(files, names, tmp_path):
    for name, data in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_bytes(data)
    (tmp_path / "pipes").mkdir()
    os.mkfifo(tmp_path / "pipes" / "endless.tex")
    found = input_documents.read_documents([str(tmp_path)], 1_000_000)
    assert [Path(one.name).relative_to(tmp_path).as_posix() for one in found] == names


def test_a_document_below_uses_what_stands_above_it_in_the_folder_that_was_named(tmp_path):
    (tmp_path / "x" / "sub").mkdir(parents=True)
    (tmp_path / "x" / "sub" / "p.tex").write_bytes(ABOVE)
    (tmp_path / "x" / "refs.bib").write_bytes(BIB)
    (tmp_path / "outside.bib").write_bytes(BIB_2)
    [one] = input_documents.read_documents([str(tmp_path / "x")], 1_000_000)
    assert keys(detect_extractor(one).extract(one)) == ["lecun2015"]
    assert one.beside.read("../../outside.bib") is None


def test_links_in_a_folder_are_told_and_not_followed(tmp_path):
    told: list[str] = []
    inside = tmp_path / "x"
    inside.mkdir()
    (tmp_path / "secret.bib").write_bytes(BIB_2)
    (inside / "refs.bib").write_bytes(BIB)
    (inside / "link.bib").symlink_to(tmp_path / "secret.bib")
    found = input_documents.read_documents([str(inside)], 1_000_000, told.append)
    assert [Path(one.name).name for one in found] == ["refs.bib"]
    assert [f"{inside}: 1 link is not followed; name the files themselves"] == told


def test_a_folder_without_documents_says_so(tmp_path):
    (tmp_path / "pic.png").write_bytes(b"x")
    with pytest.raises(InputError, match="no document in a known format") as raised:
        input_documents.read_documents([str(tmp_path)], 1000)
    assert raised.value.hint


def test_a_latex_document_on_disk_finds_what_stands_beside_it(tmp_path):
    for name, data in PROJECT.items():
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_bytes(data)
    (document,) = input_documents.read_documents([str(tmp_path / "p")], 1_000_000)
    assert keys(extract(document)) == ["lecun2015", "knuth1984"]


MAINS = [
    (b"\\documentclass{article}", True),
    (b"% a comment\n  \\documentclass[a4paper,\n11pt]{article}", True),
    (b"\\documentstyle[12pt]{article}", True),
    (b"\\RequirePackage{x}\\documentclass{article}", True),
    (b"% \\documentclass{article}", False),
    (b"\\documentclass[main]{subfiles}", False),
    (b"\\documentclass{standalone}", False),
    (b"\\section{x}", False),
]


@pytest.mark.parametrize(("text", "main"), MAINS)
def test_what_is_a_document_of_its_own(text, main):
    assert file_choice.is_main_latex(text) is main


@pytest.mark.data
@pytest.mark.parametrize(("name", "count"), [("1911.02782", 55), ("2004.14974", 36)])
def test_sources_as_arxiv_gives_them(name, count):
    if not DATA.is_file():
        pytest.skip("the development data is not here")
    with zstandard.open(DATA, "rb") as stream, tarfile.open(fileobj=stream, mode="r|") as archive:
        data = next(archive.extractfile(one).read() for one in archive if one.name.endswith(f"{name}.gz"))
    found = extract(Document(f"{name}.gz", data))
    assert len(found.references) == found.expected == count
