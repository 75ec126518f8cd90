"""Plain text: from bytes to characters that every store can keep, and from lines to paragraphs."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import NamedTuple

from recollect.engine.pieces import Block, numbered
from recollect.errors import InvalidInput

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""The bytes that a text may begin with to say its encoding; the longer of two that begin alike comes first."""
_TEXT_ENCODINGS = ("utf", "ascii", "iso8859", "cp", "koi8", "mac", "shift_jis", "euc", "iso2022", "gb", "big5", "hz", "tis")
_UNKEEPABLE = re.compile("[\0\ud800-\udfff]")
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
"""Bytes at the beginning that show whether this is text at all."""


class Decoded(NamedTuple):
    """A text, and what was lost on the way to it."""

    text: str
    notices: tuple[str, ...] = ()


def decode(content: bytes | str, name: str, declared: str | None = None) -> Decoded:
    """The characters of a text file, with one kind of line ends. What a store refuses is removed, and counted in a notice.

    A mark at the beginning says the encoding, else what is `declared`; else it is UTF-8, or a Western text of old.

    >>> decode(b"caf\\xe9\\r\\n", "menu.txt")
    Decoded(text='café\\n', notices=('menu.txt is not UTF-8 and was read as Windows-1252',))
    """
    text, notices = (content, ()) if isinstance(content, str) else _characters(content, name, declared)
    text, removed = keepable(text)
    if removed:
        notices = (
            *notices,
            removed_notice(name, removed),
        )
    return Decoded(text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff"), notices)


def keepable(text: str) -> tuple[str, int]:
    """The text without what stores refuse, and how many characters that were.

    >>> keepable("a\\0b")
    ('ab', 1)
    """
    return _UNKEEPABLE.subn("", text)


def removed_notice(name: str, removed: int) -> str:
    """What to say about characters that were removed.

    >>> removed_notice("a.txt", 3)
    'characters of a.txt that no store keeps (NUL, half a surrogate pair) were removed: 3'
    """
    return f"characters of {name} that no store keeps (NUL, half a surrogate pair) were removed: {removed:,}"


def paragraphs(text: str, kind: str = "text") -> Iterator[Block]:
    """What stands between blank lines, with the lines it is on.

    >>> [block.place for block in paragraphs("one\\ntwo\\n\\n\\nthree")]
    ['lines 1–2', 'line 5']
    """
    lines: list[str] = []
    # The blank line at the end closes the last paragraph.
    for number, line in enumerate([*text.split("\n"), ""], 1):
        if line.strip():
            lines.append(line)
        elif lines:
            yield Block("\n".join(lines), numbered("line", number - len(lines), number - 1), kind)
            lines = []


def _characters(content: bytes, name: str, declared: str | None) -> Decoded:
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return _replacing(content.removeprefix(mark) if encoding == "utf-8" else content, encoding, name)
    if known := _known(declared):
        try:
            return Decoded(content.decode(known))
        except UnicodeError:
            pass  # pages often declare what they are not
    _refuse_binary(content, name)
    try:
        return Decoded(content.decode())
    except UnicodeDecodeError:
        return _damaged(content, name)


def _damaged(content: bytes, name: str) -> Decoded:
    """UTF-8 with some bad bytes if most of what is not ASCII is well formed, else the encoding that Western files had."""
    guess = content.decode(errors="replace")
    beyond_ascii = sum(character > "\x7f" for character in guess)
    if guess.count("\ufffd") * 2 < beyond_ascii:
        return _replacing(content, "utf-8", name)
    text, notices = _replacing(content, "cp1252", name)
    return Decoded(text, (f"{name} is not UTF-8 and was read as Windows-1252", *notices))


def _replacing(content: bytes, encoding: str, name: str) -> Decoded:
    text = content.decode(encoding, errors="replace")
    # A replacement character that the file itself has is not our doing, but it is a loss all the same.
    lost = text.count("\ufffd")
    return Decoded(text, (f"bytes of {name} that are not {encoding} became \ufffd: {lost:,}",) if lost else ())


def _known(encoding: str | None) -> str | None:
    """The encoding if it is one of texts: Python also knows some that unpack or compute."""
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
        what = "no text, or UTF-16 without its mark"
    if what:
        raise InvalidInput(f"{name} is {what}: save it as PDF, HTML, Markdown or UTF-8 text and give that")
