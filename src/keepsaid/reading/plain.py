"""Plain text: decodes bytes to characters that every store can keep, and splits lines into paragraphs."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import NamedTuple

from keepsaid.engine.text.chunk_pieces import DocumentBlock, format_place
from keepsaid.errors import InvalidInput

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""Byte order marks and their encodings. The longer of two with the same beginning comes first."""
_TEXT_ENCODINGS = ("utf", "ascii", "iso8859", "cp", "koi8", "mac", "shift_jis", "euc", "iso2022", "gb", "big5", "hz", "tis")
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_CONTROLS = bytes(range(9)) + bytes(range(14, 27)) + bytes(range(28, 32))
_SIGNATURES = (
    (b"PK\x03\x04", "an Office document, an e-book or a zip archive"),
    (b"\xd0\xcf\x11\xe0", "an old Office document"),
    (b"{\\rtf", "a Rich Text document"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
)
SAMPLE = 65_536
"""Bytes at the beginning that are checked for binary content."""


class DecodedText(NamedTuple):
    """A decoded text, and notices of what was lost."""

    text: str
    notices: tuple[str, ...] = ()


def decode_text(content: bytes | str, name: str, declared: str | None = None) -> DecodedText:
    """Decode a text file, with uniform line endings. Characters that stores refuse are removed and counted in a notice.

    The encoding is that of a byte order mark, or else the `declared` one, or else UTF-8, or else Windows-1252.

    >>> decode_text(b"caf\\xe9\\r\\n", "menu.txt")
    DecodedText(text='café\\n', notices=('menu.txt is not UTF-8 and was read as Windows-1252',))
    """
    text, notices = (content, ()) if isinstance(content, str) else _characters(content, name, declared)
    text, removed = remove_unstorable(text)
    if removed:
        notices = (
            *notices,
            removal_notice(name, removed),
        )
    return DecodedText(text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff"), notices)


def remove_unstorable(text: str) -> tuple[str, int]:
    """Remove the characters that stores refuse. Return the text, and how many were removed.

    >>> remove_unstorable("a\\0b")
    ('ab', 1)
    """
    return _UNSTORABLE.subn("", text)


def removal_notice(name: str, removed: int) -> str:
    """Return the notice about removed characters.

    >>> removal_notice("a.txt", 3)
    'characters of a.txt that no store keeps (NUL, half a surrogate pair) were removed: 3'
    """
    return f"characters of {name} that no store keeps (NUL, half a surrogate pair) were removed: {removed:,}"


def split_paragraphs(text: str, kind: str = "text") -> Iterator[DocumentBlock]:
    """Yield the paragraphs between blank lines, with their line numbers.

    >>> [block.place for block in split_paragraphs("one\\ntwo\\n\\n\\nthree")]
    ['lines 1–2', 'line 5']
    """
    lines: list[str] = []
    # The blank line at the end ends the last paragraph.
    for number, line in enumerate([*text.split("\n"), ""], 1):
        if line.strip():
            lines.append(line)
        elif lines:
            yield DocumentBlock("\n".join(lines), format_place("line", number - len(lines), number - 1), kind)
            lines = []


def _characters(content: bytes, name: str, declared: str | None) -> DecodedText:
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return _decode_replacing(content.removeprefix(mark) if encoding == "utf-8" else content, encoding, name)
    if encoding_name := _text_encoding(declared):
        try:
            return DecodedText(content.decode(encoding_name))
        except UnicodeError:
            pass  # pages often declare a wrong encoding
    _refuse_binary(content, name)
    try:
        return DecodedText(content.decode())
    except UnicodeDecodeError:
        return _decode_damaged(content, name)


def _decode_damaged(content: bytes, name: str) -> DecodedText:
    """Decode as UTF-8 with replacements if most of the non-ASCII text is valid, or else as Windows-1252."""
    guess = content.decode(errors="replace")
    beyond_ascii = sum(character > "\x7f" for character in guess)
    if guess.count("\ufffd") * 2 < beyond_ascii:
        return _decode_replacing(content, "utf-8", name)
    text, notices = _decode_replacing(content, "cp1252", name)
    return DecodedText(text, (f"{name} is not UTF-8 and was read as Windows-1252", *notices))


def _decode_replacing(content: bytes, encoding: str, name: str) -> DecodedText:
    text = content.decode(encoding, errors="replace")
    # A replacement character in the file itself also counts: it is a loss all the same.
    lost = text.count("\ufffd")
    return DecodedText(text, (f"bytes of {name} that are not {encoding} became \ufffd: {lost:,}",) if lost else ())


def _text_encoding(encoding: str | None) -> str | None:
    """Return the name of a text encoding, or None: Python also has codecs that decompress or transform."""
    try:
        found = codecs.lookup(encoding).name if encoding else ""
    except (LookupError, ValueError):
        return None
    return found if found.startswith(_TEXT_ENCODINGS) else None


def _refuse_binary(content: bytes, name: str) -> None:
    sample = content[:SAMPLE]
    what = next((what for signature, what in _SIGNATURES if sample.startswith(signature)), None)
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    if what is None and controls * 20 > len(sample):
        what = "not text, or UTF-16 without a byte order mark"
    if what:
        raise InvalidInput(f"{name} is {what}: save it as PDF, HTML, Markdown or UTF-8 text and give that")
