"""Documents that were made to do harm, small on disk; each is made when it is asked for."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable

import zstandard

MB = 1 << 20
BIB = b"@article{lecun2015, title={Deep learning}, author={Yann LeCun}, journal={Nature}, year={2015}}\n"
CITED = "[1] Y. LeCun, Y. Bengio, G. Hinton. Deep learning. Nature 521, 436-444 (2015)."


def deflated(count: int, unit: bytes = b" ") -> bytes:
    """A raw deflate stream of `count` times a megabyte of `unit`, made without compressing it all."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(unit * (MB // len(unit))) + packer.flush(zlib.Z_FULL_FLUSH)
    end = zlib.compressobj(9, zlib.DEFLATED, -15)
    return block * count + end.flush()


def zlibbed(count: int, unit: bytes = b" ") -> bytes:
    return b"\x78\xda" + deflated(count, unit) + struct.pack(">I", zlib.adler32(unit))


# PDF


def pdf(*objects: bytes, trailer: bytes = b"") -> bytes:
    """A PDF of these objects, numbered from 1; the first is the catalogue."""
    out = bytearray(b"%PDF-1.7\n")
    at = []
    for number, body in enumerate(objects, start=1):
        at.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in at)
    out += b"trailer\n<< /Size %d /Root 1 0 R %b >>\n" % (len(objects) + 1, trailer)
    return bytes(out) + b"startxref\n%d\n%%%%EOF\n" % start


def stream(data: bytes, head: bytes = b"") -> bytes:
    return b"<< /Length %d %b >>\nstream\n%b\nendstream" % (len(data), head, data)


CATALOGUE = b"<< /Type /Catalog /Pages 2 0 R >>"
PAGES = b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
TEXT = (
    b"BT /F1 12 Tf 50 700 Td 14 TL (Deep nets are good [1].) ' (References) ' "
    b"([1] Y. LeCun, Y. Bengio, G. Hinton. Deep learning. Nature 521, 436-444 \\(2015\\).) ' ET"
)


def page(contents: bytes = b"4 0 R", box: bytes = b"0 0 612 792", more: bytes = b"") -> bytes:
    return (
        b"<< /Type /Page /Parent 2 0 R /MediaBox [%b] /Contents %b %b"
        b" /Resources << /Font << /F1 5 0 R >> >> >>" % (box, contents, more)
    )


def pdf_flate() -> bytes:
    """Four gigabytes of drawing commands, packed twice."""
    twice = zlib.compress(zlibbed(4096, b"0 0 m "), 9)
    return pdf(CATALOGUE, PAGES, page(), stream(twice, b"/Filter [/FlateDecode /FlateDecode]"), FONT)


def pdf_lzw() -> bytes:
    """The longest runs that LZW can write, again and again, packed once more."""
    bits, count = 0, 0
    codes = [256, 65, *range(258, 4094)]
    width = 9
    for index, code in enumerate(codes):
        bits, count = bits << width | code, count + width
        width = 9 + sum(258 + index - 1 >= limit for limit in (511, 1023, 2047))
    cycle = (bits << -count % 8).to_bytes((count + 7) // 8, "big")
    packed = zlib.compress(cycle * 300, 9)
    return pdf(CATALOGUE, PAGES, page(), stream(packed, b"/Filter [/FlateDecode /LZWDecode]"), FONT)


def pdf_million_pages() -> bytes:
    """A tree of pages whose branches are all the same branch."""
    leaves = b"<< /Type /Pages /Parent 2 0 R /Count 1000 /Kids [%b] >>" % (b"5 0 R " * 1000)
    root = b"<< /Type /Pages /Count 1000000 /Kids [%b] >>" % (b"3 0 R " * 1000)
    leaf = page().replace(b"/Parent 2", b"/Parent 3").replace(b"/F1 5 0 R", b"/F1 6 0 R")
    return pdf(CATALOGUE, root, leaves, stream(b"BT /F1 12 Tf 50 700 Td (A page.) Tj ET"), leaf, FONT)


def pdf_page_circle() -> bytes:
    """A tree of pages that holds itself."""
    return pdf(CATALOGUE, b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 100000 /Parent 2 0 R >>")


def pdf_xref_loop() -> bytes:
    """A table of objects that continues in itself."""
    whole = pdf(CATALOGUE, PAGES, page(), stream(TEXT), FONT, trailer=b"/Prev 0000000000")
    return whole.replace(b"/Prev 0000000000", b"/Prev %010d" % whole.rfind(b"xref\n0 "))


def pdf_deep() -> bytes:
    """Arrays in arrays, a hundred thousand deep."""
    return pdf(CATALOGUE, PAGES, page(more=b"/X " + b"[" * 100_000), stream(b"[" * 100_000), FONT)


def pdf_forms() -> bytes:
    """Drawings that draw the next one ten times each, twelve levels down."""
    first = 6
    forms = [
        stream(
            b"/F Do " * 10,
            b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /F %d 0 R >> >>"
            % (first + level + 1),
        )
        for level in range(12)
    ]
    last = stream(
        TEXT, b"/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /Font << /F1 5 0 R >> >>"
    )
    top = page(more=b"").replace(b"/Font <<", b"/XObject << /F %d 0 R >> /Font <<" % first)
    return pdf(CATALOGUE, PAGES, top, stream(b"/F Do"), FONT, *forms, last)


def pdf_form_circle() -> bytes:
    """A drawing that draws itself."""
    own = stream(
        b"/F Do /F Do",
        b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /F 6 0 R >> >>",
    )
    top = page().replace(b"/Font <<", b"/XObject << /F 6 0 R >> /Font <<")
    return pdf(CATALOGUE, PAGES, top, stream(b"/F Do"), FONT, own)


def pdf_jbig2() -> bytes:
    """A picture of 65,535 by 65,535 dots in a few bytes, on a page without text."""
    info = struct.pack(">IBBI", 0, 48, 1, 19) + struct.pack(">IIIIBH", 65535, 65535, 0, 0, 0, 0)
    picture = stream(
        info,
        b"/Type /XObject /Subtype /Image /Width 65535 /Height 65535 /BitsPerComponent 1"
        b" /ColorSpace /DeviceGray /Filter /JBIG2Decode",
    )
    top = page().replace(b"/Font <<", b"/XObject << /F 6 0 R >> /Font <<")
    return pdf(CATALOGUE, PAGES, top, stream(b"q 612 0 0 792 0 0 cm /F Do Q"), FONT, picture)


def pdf_actions(port: int = 9) -> bytes:
    """A page that wants to run JavaScript and a program, and to send a form, when it is opened."""
    actions = (
        b"/OpenAction << /S /JavaScript /JS (app.launchURL\\('http://127.0.0.1:9/'\\);) "
        b" /Next << /S /Launch /F (/bin/true) /Next << /S /URI /URI (http://127.0.0.1:9/) >> >> >>"
    )
    actions = actions.replace(b":9/", b":%d/" % port)
    return pdf(
        CATALOGUE.replace(b">>", actions + b" >>"),
        PAGES,
        page(more=b"/AA << /O << /S /Launch /F (/bin/true) >> >>"),
        stream(TEXT),
        FONT,
    )


def pdf_encrypted() -> bytes:
    """A document whose password nobody knows."""
    lock = b"/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <%b> /U <%b> >> /ID [<00><00>]"
    return pdf(CATALOGUE, PAGES, page(), stream(TEXT), FONT, trailer=lock % (b"11" * 32, b"22" * 32))


def pdf_vast_page() -> bytes:
    """A page of 14,400 inches a side, the largest there may be, with text on it."""
    return pdf(CATALOGUE, PAGES, page(box=b"0 0 1036800 1036800"), stream(TEXT), FONT)


def pdf_much_text() -> bytes:
    """A gigabyte of text on one page."""
    packed = zlib.compress(zlibbed(1024, b"(a b c) ' "), 9)
    start = zlib.compress(zlib.compress(b"BT /F1 12 Tf 50 700 Td 14 TL "), 9)
    return pdf(
        CATALOGUE, PAGES, page(contents=b"[4 0 R 6 0 R]"),
        stream(start, b"/Filter [/FlateDecode /FlateDecode]"), FONT,
        stream(packed, b"/Filter [/FlateDecode /FlateDecode]"),
    )  # fmt: skip


# XML


JATS = "<article><back><ref-list><ref><mixed-citation>{}</mixed-citation></ref></ref-list></back></article>"
TEI = '<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><back><listBibl><bibl>{}</bibl></listBibl></back></text></TEI>'
ENDNOTE = "<xml><records><record><titles><title>{}</title></titles></record></records></xml>"
ROOTS = {"jats": ("article", JATS), "tei": ("TEI", TEI), "endnote_xml": ("xml", ENDNOTE)}


def xml_laughs(root: str, body: str) -> bytes:
    """Entities of entities: three gigabytes of laughter."""
    lines = ["<!ENTITY lol0 'lol'>"]
    lines += [f"<!ENTITY lol{i} '{f'&lol{i - 1};' * 10}'>" for i in range(1, 10)]
    return f"<?xml version='1.0'?><!DOCTYPE {root} [{''.join(lines)}]>{body.format('&lol9;')}".encode()


def xml_quadratic(root: str, body: str) -> bytes:
    """One long entity, used often."""
    head = f"<?xml version='1.0'?><!DOCTYPE {root} [<!ENTITY a '{'a' * 50_000}'>]>"
    return (head + body.format("&a;" * 50_000)).encode()


def xml_external(root: str, body: str, port: int = 9) -> bytes:
    """An entity that stands in a file of the machine, and one that stands on a server."""
    head = f"<?xml version='1.0'?><!DOCTYPE {root} [<!ENTITY f SYSTEM 'file:///etc/passwd'>"
    return (head + f"<!ENTITY h SYSTEM 'http://127.0.0.1:{port}/x'>]>" + body.format("&f;&h;")).encode()


def xml_parameter(root: str, body: str, port: int = 9) -> bytes:
    """A parameter entity that loads further declarations."""
    head = (
        f"<?xml version='1.0'?><!DOCTYPE {root} [<!ENTITY % p SYSTEM 'http://127.0.0.1:{port}/x.dtd'> %p;]>"
    )
    return (head + body.format(CITED)).encode()


def xml_deep(root: str, body: str) -> bytes:
    """A hundred thousand elements, each in the one before."""
    return body.format("<i>" * 100_000 + "x" + "</i>" * 100_000).encode()


def xml_attributes(root: str, body: str) -> bytes:
    """An element with two hundred thousand attributes."""
    return body.format("<i " + " ".join(f"a{i}='1'" for i in range(200_000)) + "/>").encode()


XML = (xml_laughs, xml_quadratic, xml_external, xml_parameter, xml_deep, xml_attributes)
HARMLESS_XML = {"xml_attributes"}  # large, but no harm; it may be read


# zip and the other archives


def zipped(members: dict[str, bytes]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return held.getvalue()


def zip_entry(name: bytes, packed: bytes, size: int, offset: int, crc: int = 0) -> tuple[bytes, bytes]:
    """The head of a member where it stands, and its row in the list at the end."""
    facts = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 0x21, crc, len(packed), size, len(name), 0)
    row = b"PK\x01\x02\x14\x00" + facts + struct.pack("<HHHII", 0, 0, 0, 0, offset) + name
    return b"PK\x03\x04" + facts + name, row


def zip_file(body: bytes, rows: list[bytes]) -> bytes:
    listed = b"".join(rows)
    return (
        body
        + listed
        + struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, len(rows), len(rows), len(listed), len(body), 0)
    )


def zip_ratio() -> bytes:
    """Two gigabytes in one member, told as they are."""
    packed = deflated(2048)
    head, row = zip_entry(b"refs.bib", packed, 2048 * MB, 0)
    return zip_file(head + packed, [row])


def zip_lie() -> bytes:
    """A member of a hundred megabytes that says it has ten bytes, and nothing else."""
    packed = deflated(100)
    head, row = zip_entry(b"refs.bib", packed, 10, 0)
    return zip_file(head + packed, [row])


def zip_promise() -> bytes:
    """A member of a few bytes that says it has two gigabytes."""
    packed = zlib.compress(BIB)[2:-4]
    head, row = zip_entry(b"refs.bib", packed, 2 << 30, 0, zlib.crc32(BIB))
    return zip_file(head + packed, [row])


def zip_overlap() -> bytes:
    """A thousand members that are all the same bytes."""
    packed = deflated(1)
    head, _ = zip_entry(b"0.bib", packed, MB, 0)
    rows = [zip_entry(b"%d.bib" % number, packed, MB, 0)[1] for number in range(1000)]
    return zip_file(head + packed, rows)


def zip_quoted_overlap() -> bytes:
    """Members each of which holds the head of the next one and all that follows."""
    kernel = deflated(8)
    body, rows = b"", []
    for number in range(200, 0, -1):
        packed = (
            struct.pack("<BHH", 0, len(body), 0xFFFF ^ len(body)) + body
            if body and len(body) < 65_000
            else b""
        ) + kernel
        head, _ = zip_entry(b"%04d.bib" % number, packed, 8 * MB + len(body), 0)
        body = head + (packed[: 5 if len(packed) > len(kernel) else 0]) + (body or kernel)
        rows.append((len(body), number, packed))
    made = [zip_entry(b"%04d.bib" % n, p, 8 * MB, len(body) - at)[1] for at, n, p in rows]
    return zip_file(body, made)


def zip_nested() -> bytes:
    """Archives in archives, sixteen each, four levels: the shape of the old forty-two kilobytes."""
    inner = zipped({"0.txt": b"0" * MB})
    for _ in range(4):
        inner = zipped({f"{number:x}.zip": inner for number in range(16)})
    return inner


def zip_climb() -> bytes:
    return zipped({"../../refs.bib": BIB})


def zip_link() -> bytes:
    info = zipfile.ZipInfo("refs.bib")
    info.external_attr = 0o120777 << 16
    return zipped({info: b"/etc/passwd"})  # type: ignore[dict-item]


def zip_many() -> bytes:
    """Twenty thousand members, all empty."""
    rows, body = [], b""
    for number in range(20_000):
        head, row = zip_entry(b"%d.bib" % number, b"\x03\0", 0, len(body))
        rows.append(row)
        body += head + b"\x03\0"
    return zip_file(body, rows)


def zip_of_laughs() -> bytes:
    return zipped({"paper.xml": xml_laughs(*ROOTS["jats"])})


def tar_sparse() -> bytes:
    """A member of a terabyte, nearly all of it holes."""
    info = tarfile.TarInfo("GNUSparseFile.0/refs.bib")
    table = b"1\n1099511627775\n1\n".ljust(512, b"\0")
    data = table + b"x"
    info.size = len(data)
    info.pax_headers = {
        "GNU.sparse.major": "1",
        "GNU.sparse.minor": "0",
        "GNU.sparse.name": "refs.bib",
        "GNU.sparse.realsize": str(1 << 40),
    }
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w", format=tarfile.PAX_FORMAT) as archive:
        archive.addfile(info, io.BytesIO(data))
    return held.getvalue()


def tar_many() -> bytes:
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w") as archive:
        for number in range(5000):
            archive.addfile(tarfile.TarInfo(f"{number}.bib"))
    return held.getvalue()


def gzip_bomb() -> bytes:
    """Ten gigabytes of blanks."""
    return b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + deflated(10_240) + b"\0" * 8


def gzip_twice() -> bytes:
    return gzip.compress(gzip_bomb())


def bzip2_bomb() -> bytes:
    return bz2.compress(bytes(45 * MB)) * 50


def xz_bomb() -> bytes:
    return lzma.compress(bytes(50 * MB)) * 50


def zstd_bomb() -> bytes:
    return zstandard.compress(bytes(100 * MB)) * 50


# office documents


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


# Documents that want something fetched, by the port of a server that counts who comes.
CALLING: dict[str, Callable[[int], bytes]] = {
    "a.pdf": pdf_actions,
    "a.docx": docx_external,
    **{f"{name}.xml": lambda port, name=name: xml_external(*ROOTS[name], port) for name in ROOTS},  # type: ignore[misc]
    "b.xml": lambda port: xml_parameter(*ROOTS["jats"], port),
    "a.html": lambda port: HTML.replace("PORT", str(port)).encode(),
}

REFUSED, READ, EITHER = "refused", "read", "either"

Bomb = tuple[str, Callable[[], bytes], str]  # file name, maker, what becomes of it


def _xml(name: str, make: Callable[[str, str], bytes]) -> Bomb:
    fate = EITHER if make.__name__ in HARMLESS_XML else REFUSED
    return f"{name}.xml", lambda: make(*ROOTS[name]), fate


BOMBS: dict[str, Bomb] = {
    "pdf flate": ("a.pdf", pdf_flate, EITHER),
    "pdf lzw": ("a.pdf", pdf_lzw, EITHER),
    "pdf million pages": ("a.pdf", pdf_million_pages, EITHER),
    "pdf page circle": ("a.pdf", pdf_page_circle, EITHER),
    "pdf xref loop": ("a.pdf", pdf_xref_loop, EITHER),
    "pdf deep": ("a.pdf", pdf_deep, EITHER),
    "pdf forms": ("a.pdf", pdf_forms, EITHER),
    "pdf form circle": ("a.pdf", pdf_form_circle, EITHER),
    "pdf jbig2": ("a.pdf", pdf_jbig2, EITHER),
    "pdf actions": ("a.pdf", pdf_actions, READ),
    "pdf encrypted": ("a.pdf", pdf_encrypted, REFUSED),
    "pdf vast page": ("a.pdf", pdf_vast_page, READ),
    "pdf much text": ("a.pdf", pdf_much_text, EITHER),
    **{f"{name} {make.__name__}": _xml(name, make) for name in ROOTS for make in XML},
    "zip ratio": ("a.zip", zip_ratio, REFUSED),
    "zip lie": ("a.zip", zip_lie, REFUSED),
    "zip promise": ("a.zip", zip_promise, REFUSED),
    "zip overlap": ("a.zip", zip_overlap, REFUSED),
    "zip quoted overlap": ("a.zip", zip_quoted_overlap, REFUSED),
    "zip nested": ("a.zip", zip_nested, REFUSED),
    "zip climb": ("a.zip", zip_climb, REFUSED),
    "zip link": ("a.zip", zip_link, REFUSED),
    "zip many": ("a.zip", zip_many, REFUSED),
    "zip of laughs": ("a.zip", zip_of_laughs, REFUSED),
    "tar sparse": ("a.tar", tar_sparse, REFUSED),
    "tar many": ("a.tar", tar_many, REFUSED),
    "gzip": ("a.gz", gzip_bomb, REFUSED),
    "gzip twice": ("a.gz", gzip_twice, REFUSED),
    "bzip2": ("a.bz2", bzip2_bomb, REFUSED),
    "xz": ("a.xz", xz_bomb, REFUSED),
    "zstd": ("a.zst", zstd_bomb, REFUSED),
    "docx laughs": ("a.docx", docx_laughs, REFUSED),
    "docx deep": ("a.docx", docx_deep, REFUSED),
    "docx ratio": ("a.docx", docx_ratio, REFUSED),
    "odt laughs": ("a.odt", odt_laughs, REFUSED),
    "docx external": ("a.docx", docx_external, READ),
    "html deep": ("a.html", html_deep, EITHER),
    "html comments": ("a.html", lambda: b"<!--a--> " * 20_000, EITHER),
}
