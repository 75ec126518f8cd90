"""Reads documents of several kinds as blocks of text with places that can be cited."""

from __future__ import annotations

import re

from keepsaid.engine.messages.validation import clean_name
from keepsaid.engine.text.chunk_pieces import DocumentBlock
from keepsaid.errors import InvalidInput
from keepsaid.reading.parsed_document import ParsedDocument, shorten_title
from keepsaid.reading.plain import decode_text, split_paragraphs

__all__ = ["DocumentBlock", "ParsedDocument", "needs_parser", "read_document"]

MEDIA_TYPES = {
    "text/markdown": "markdown",
    "text/x-markdown": "markdown",
    "text/html": "html",
    "application/xhtml+xml": "html",
    "application/pdf": "pdf",
    "application/x-pdf": "pdf",
    "text/csv": "table",
    "text/tab-separated-values": "table",
    "application/json": "code",
    "application/xml": "code",
    "application/yaml": "code",
    "application/x-yaml": "code",
    "application/toml": "code",
    "application/javascript": "code",
    "application/x-sh": "code",
    "application/sql": "code",
}
"""How each media type is read. Other text types are read line by line; anything else is refused."""
EXTENSIONS = {
    **dict.fromkeys("md markdown mdown mkd mdx".split(), "markdown"),
    **dict.fromkeys("html htm xhtml".split(), "html"),
    "pdf": "pdf",
    **dict.fromkeys("csv tsv".split(), "table"),
    **dict.fromkeys(
        "py pyi js mjs jsx ts tsx java kt c h cc cpp hpp cs go rs rb php pl lua r jl swift scala sh bash ps1 sql css json "
        "jsonl yaml yml toml ini cfg xml".split(),
        "code",
    ),
}
_UNSPECIFIC_TYPES = frozenset(("", "application/octet-stream", "binary/octet-stream"))
_CHARSET = re.compile(r"charset\s{0,9}=\s{0,9}[\"']?([\w.:-]{1,40})", re.IGNORECASE)
_PAGE_START = re.compile(r"\s{0,99}(?:<\?xml[^>]{0,199}>\s{0,99})?(?:<!doctype html|<html)\b", re.IGNORECASE)
HEAD = 2048
"""Bytes at the beginning that are used to detect the type and encoding."""


def read_document(name: str, content: bytes | str, media_type: str | None = None) -> ParsedDocument:
    """Read a document's title and text by its media type, or else by its extension or first bytes.

    Plain text, Markdown, HTML and PDF are supported; source code and tables are read as text with line numbers. Raise
    `InvalidInput` for what cannot be read.

    >>> read_document("guide.md", "# Install\\n\\nRun the installer.").blocks[1]
    DocumentBlock(text='Run the installer.', place='§ Install', kind='text')
    """
    if not isinstance(content, bytes | bytearray | memoryview | str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidInput(f"a document must be bytes or a string, not {type(content).__name__}")
    content = content if isinstance(content, str) else bytes(content)
    file = re.split(r"[/\\]", clean_name(name, "document name"))[-1] or name
    kind = _kind(file, content, media_type)
    if kind == "pdf":
        return _read_pdf(file, content)
    text, notices = decode_text(content, file, _declared_encoding(content, media_type, kind))
    if kind == "markdown":
        from keepsaid.reading.markdown import read_markdown

        title, blocks = read_markdown(text)
    elif kind == "html":
        from keepsaid.reading.html import read_html

        title, blocks = read_html(text)
    else:
        title, blocks = "", tuple(split_paragraphs(text, kind))
    return ParsedDocument(shorten_title(title) or file, blocks, notices)


def needs_parser(name: str, content: bytes | str, media_type: str | None = None) -> bool:
    """Whether a document is HTML or PDF. Their parsers are complex and slow enough to be attacked; others are read by lines.

    >>> needs_parser("a.pdf", b""), needs_parser("a.md", b"")
    (True, False)
    """
    file = re.split(r"[/\\]", name)[-1] or name
    return _kind(file, content, media_type) in ("html", "pdf")


def _read_pdf(file: str, content: bytes | str) -> ParsedDocument:
    if isinstance(content, str):
        raise InvalidInput(f"{file} is a PDF: give its bytes, not a string")
    from keepsaid.reading.pdf import read_pdf

    title, blocks, notices = read_pdf(file, content)
    return ParsedDocument(shorten_title(title) or file, blocks, notices)


def _kind(file: str, content: bytes | str, media_type: str | None) -> str:
    named = EXTENSIONS.get(file.rpartition(".")[2].lower()) if "." in file else None
    media = (media_type or "").partition(";")[0].strip().lower()
    # Browsers and servers report unknown types as plain text.
    if media in _UNSPECIFIC_TYPES or (media == "text/plain" and named in ("markdown", "code", "table")):
        return named or _by_content(content)
    if media in MEDIA_TYPES:
        return MEDIA_TYPES[media]
    if media.startswith("text/") or media.endswith(("+xml", "+json")):
        return "text"
    raise InvalidInput(f"{file} is {media}, which cannot be read: save it as PDF, HTML, Markdown or text and give that")


def _by_content(content: bytes | str) -> str:
    head = _head(content)
    if "%PDF-" in head[:1024]:
        return "pdf"
    return "html" if _PAGE_START.match(head) else "text"


def _declared_encoding(content: bytes | str, media_type: str | None, kind: str) -> str | None:
    """Return the encoding that the media type or the page itself declares."""
    found = _CHARSET.search(media_type or "") or (_CHARSET.search(_head(content)) if kind == "html" else None)
    return found[1] if found else None


def _head(content: bytes | str) -> str:
    return content[:HEAD] if isinstance(content, str) else content[:HEAD].decode("latin-1").removeprefix("ï»¿")
