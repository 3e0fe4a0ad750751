"""Small office documents made in memory."""

from __future__ import annotations

import io
import zipfile

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
RELS = "http://schemas.openxmlformats.org/package/2006/relationships"
HEADING = '<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>{}</w:t></w:r></w:p>'
STYLES = f"""<w:styles xmlns:w="{W}">
<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style>
<w:style w:type="paragraph" w:styleId="Heading2"><w:name w:val="heading 2"/>
<w:basedOn w:val="Heading1"/></w:style>
<w:style w:type="paragraph" w:styleId="Sub"><w:name w:val="Unnumbered"/>
<w:basedOn w:val="Heading1"/></w:style>
<w:style w:type="paragraph" w:styleId="Bib"><w:name w:val="Bibliography"/></w:style>
<w:style w:type="paragraph" w:styleId="Toc1"><w:name w:val="toc 1"/></w:style>
<w:style w:type="character" w:styleId="Sup"><w:name w:val="Up"/>
<w:rPr><w:vertAlign w:val="superscript"/></w:rPr></w:style>
</w:styles>"""


def zipped(parts: dict[str, str | bytes]) -> bytes:
    """Return a zip with these members."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return out.getvalue()


def docx(body: str, **parts: str) -> bytes:
    """Return a Word document with this body; further parts by name, `__` for a slash."""
    named = {f"{name.replace('__', '/')}.xml": data for name, data in parts.items()}
    named = {name.removesuffix(".xml") if ".rels" in name else name: data for name, data in named.items()}
    document = f'<w:document xmlns:w="{W}" xmlns:r="{R}"><w:body>{body}</w:body></w:document>'
    return zipped({"word/document.xml": document, "word/styles.xml": STYLES, **named})


def para(text: str, style: str = "") -> str:
    """Return a paragraph; text that begins with a tag is taken as runs."""
    runs = text if text.startswith("<") else f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{properties}{runs}</w:p>"


def field(code: str, shown: str) -> str:
    """Return a complex field."""
    sign = '<w:r><w:fldChar w:fldCharType="{}"/></w:r>'
    inner = f'<w:r><w:instrText xml:space="preserve">{code}</w:instrText></w:r>'
    return sign.format("begin") + inner + sign.format("separate") + run(shown) + sign.format("end")


def run(text: str, properties: str = "") -> str:
    """Return a run of text."""
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def members(data: bytes) -> dict[str, bytes]:
    """Return all members of a zip."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}
