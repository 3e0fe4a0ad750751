"""Archives of documents (zip, tar; gzip, bzip2, xz, zstd), and single files that are compressed.

Each document in it is read as if it stood alone, a LaTeX one with the files it uses. Keys stay what
they are in the member; places name it: `papers.zip!/one/refs.bib`. Archives inside archives are not
unpacked; documents that happen to be zips, such as DOCX and ODT, are documents.
"""

from __future__ import annotations

from typing import ClassVar

from citeproof.errors import InputError
from citeproof.reading.extractors.archive import archive_signatures
from citeproof.vocabulary import Document, Extraction


class ArchiveExtractor:
    """Reads archives."""

    name: ClassVar[str] = "archive"
    suffixes: ClassVar[tuple[str, ...]] = (
        *(".zip", ".tar", ".gz", ".tgz", ".bz2", ".tbz", ".tbz2", ".xz", ".txz", ".zst", ".epub"),
    )
    hostile: ClassVar[bool] = True

    def recognises(self, document: Document) -> float:
        """Return how sure the content is an archive; a zip may be a document as well."""
        if document.data.startswith(archive_signatures.ZIP):
            return 0.5
        packed = archive_signatures.detect_compression(document.data)
        return 0.9 if packed or archive_signatures.is_tar(document.data) else 0.0

    def extract(self, document: Document) -> Extraction:
        """Return the references of every document in the archive, and what could not be read."""
        if not self.recognises(document):
            raise InputError("is not an archive", place=document.name, hint="see docs/formats.md")
        from citeproof.reading.extractors.archive import archive_reader  # noqa: PLC0415 - loads every decompressor

        return archive_reader.read_archive(document)


EXTRACTOR = ArchiveExtractor()
