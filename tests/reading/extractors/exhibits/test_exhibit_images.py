"""Images of figures: from the PDF, or from files beside the work and nowhere else."""

from citeproof.reading.extractors.exhibits.exhibit_images import add_exhibit_images
from citeproof.reading.extractors.records.adjacent_files import FolderFiles
from citeproof.vocabulary import Document
from citeproof.vocabulary.source_texts import Exhibit, ExhibitKind, SourceText, TextExtent

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x10"


def test_only_images_inside_the_folder_are_taken(tmp_path):
    inside = tmp_path / "paper"
    inside.mkdir()
    (inside / "f1.png").write_bytes(PNG)
    (inside / "f4.png").write_bytes(PNG[:16] + b"\xff" * 8)
    (tmp_path / "secret.png").write_bytes(PNG)
    names = ("f1", "../secret.png", "https://example.org/f.png", "f4.png")
    exhibits = tuple(
        Exhibit(ExhibitKind.FIGURE, str(number), "", "", graphic=name) for number, name in enumerate(names)
    )
    source = SourceText(TextExtent.FULL_TEXT, "a.xml", "text", exhibits=exhibits)
    found = add_exhibit_images(source, Document("a.xml", b"", FolderFiles(inside)))
    assert [bool(one.image) for one in found.exhibits] == [True, False, False, False]
