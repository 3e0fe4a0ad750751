"""Office documents and web pages that were made to do harm."""

from __future__ import annotations

from tests.faults.bombs.archives import zipped
from tests.faults.bombs.basis import CITED, MB
from tests.faults.bombs.xml import xml_laughs


def docx(document: bytes, **members: bytes) -> bytes:
    types = (
        b'<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        b'<Default Extension="xml" ContentType="application/xml"/></Types>'
    )
    return zipped({"[Content_Types].xml": types, "word/document.xml": document, **members})


WORD = (
    '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
    "<w:p><w:r><w:t>References</w:t></w:r></w:p><w:p><w:r><w:t>{}</w:t></w:r></w:p></w:body></w:document>"
)


def docx_laughs() -> bytes:
    return docx(xml_laughs("w:document", WORD))


def docx_deep() -> bytes:
    return docx(WORD.format(CITED).replace("<w:body>", "<w:body>" + "<w:p>" * 100_000).encode())


def docx_ratio() -> bytes:
    return docx(WORD.format(" " * 200 * MB).encode())


def docx_external(port: int = 9) -> bytes:
    """A document whose template, picture and link stand on a server."""
    relations = (
        '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        '<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/attachedTemplate"'
        f' Target="http://127.0.0.1:{port}/template.dotm" TargetMode="External"/></Relationships>'
    )
    return docx(WORD.format(CITED).encode(), **{"word/_rels/settings.xml.rels": relations.encode()})


HTML = (
    "<!doctype html><html><head><base href='http://127.0.0.1:PORT/'><link rel=stylesheet href='http://127.0.0.1:PORT/a'>"
    "<script src='http://127.0.0.1:PORT/b'></script></head><body><h2>References</h2><ol><li>"
    + CITED
    + "</li></ol>"
    "<img src='http://127.0.0.1:PORT/c'><iframe src='http://127.0.0.1:PORT/d'></iframe></body></html>"
)


ODT = (
    '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"'
    ' xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:text>'
    "<text:h>References</text:h><text:p>{}</text:p></office:text></office:body></office:document-content>"
)


def odt_laughs() -> bytes:
    kind = b"application/vnd.oasis.opendocument.text"
    return zipped({"mimetype": kind, "content.xml": xml_laughs("office:document-content", ODT)})


def html_deep() -> bytes:
    return b"<!doctype html><html><body><h2>References</h2><ol><li>" + b"<div>" * 200_000 + CITED.encode()
