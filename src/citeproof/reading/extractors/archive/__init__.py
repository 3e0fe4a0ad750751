"""Archives of documents (zip, tar; gzip, bzip2, xz, zstd), and single files that are compressed.

Each document in it is read as if it stood alone, a LaTeX one with the files it uses. Keys stay what
they are in the member; places name it: `papers.zip!/one/refs.bib`. Archives inside archives are not
unpacked; documents that happen to be zips, such as DOCX and ODT, are documents.
"""

from __future__ import annotations

from citeproof.errors import InputError
from citeproof.vocabulary import Document, Extraction, Extractor

ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_COMPRESSED = {b"\x1f\x8b\x08": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
_HEAD = 512


def _recognise_archive(document: Document) -> float:
    """Return how sure the content is an archive; a zip may be a document as well."""
    if document.data.startswith(ZIP):
        return 0.5
    packed = detect_compression(document.data)
    return 0.9 if packed or is_tar(document.data) else 0.0


def _extract_archive(document: Document) -> Extraction:
    """Return the references of every document in the archive, and what could not be read."""
    if not _recognise_archive(document):
        raise InputError("is not an archive", place=document.name, hint="see docs/formats.md")
    from citeproof.reading.extractors.archive import archive_members  # noqa: PLC0415 - loads every decompressor

    return archive_members.read_archive(document)


def detect_compression(data: bytes) -> str:
    """Return what `data` is compressed with, empty if with nothing that is known."""
    return next((name for start, name in _COMPRESSED.items() if data.startswith(start)), "")


def is_tar(data: bytes) -> bool:
    """Return whether `data` begins with the head of a tar member, whose sum must be right."""
    head = data[:_HEAD]
    if len(head) < _HEAD or not head[0]:
        return False
    try:
        checksum = int(head[148:156].strip(b" \0"), 8)
    except ValueError:
        return False
    return checksum == sum(head[:148]) + sum(head[156:]) + 8 * ord(" ")


EXTRACTOR = Extractor(
    "archive",
    (".zip", ".tar", ".gz", ".tgz", ".bz2", ".tbz", ".tbz2", ".xz", ".txz", ".zst", ".epub"),
    _recognise_archive,
    _extract_archive,
    hostile=True,
)
