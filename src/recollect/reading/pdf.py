"""PDF: the text of each page, by pypdf, which is an extra."""

from __future__ import annotations

import re
from io import BytesIO
from typing import Any, cast

from recollect.engine.pieces import Block
from recollect.errors import InvalidInput, MissingExtra
from recollect.reading.plain import keepable, removed_notice

_HYPHENATED = re.compile(r"(?<=[^\W\d_])[-‐\xad]\n(?=[^\W\d_A-Z])")
_LEADERS = re.compile(r"(?:[ \t]?\.){4,}")
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "\xad": None})
NAMED_PAGES = 10
"""Pages without text that a notice names one by one."""


def read_pdf(name: str, content: bytes) -> tuple[str, tuple[Block, ...], tuple[str, ...]]:
    """The title that the file says it has, its pages as blocks, and notices of what could not be read."""
    reader = _opened(name, content)
    blocks: list[Block] = []
    empty: list[int] = []
    removed = 0
    for number, page in enumerate(_pages(name, reader), 1):
        text, refused = keepable(page)
        removed += refused
        if text := joined(text):
            blocks.append(Block(text, f"page {number}"))
        else:
            empty.append(number)
    if not blocks:
        raise InvalidInput(
            f"{name} has no text on its {len(empty)} pages: if they are pictures, run text recognition (OCR) first"
        )
    return _title(reader), tuple(blocks), _notices(name, empty, removed)


def joined(page: str) -> str:
    """A page's text as it reads: words whole again that were divided at the end of a line, letters that were drawn as one,
    and no rows of points as between a chapter and its page.

    >>> joined("The ofﬁce was re-\\nopened in the north-\\nWest . . . . . . 7")
    'The office was reopened in the north-\\nWest … 7'
    """
    text = _HYPHENATED.sub("", page.replace("\r\n", "\n"))
    return _LEADERS.sub(" …", text).translate(_LIGATURES).strip()


def _opened(name: str, content: bytes) -> Any:
    try:
        import pypdf  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise MissingExtra(f"{name} is a PDF, and reading it needs: pip install 'recollect[pdf]'") from None
    library = cast("Any", pypdf)
    try:
        reader = library.PdfReader(BytesIO(content))
        # Many files that nobody may print or change are encrypted with an empty password.
        locked = reader.is_encrypted and not reader.decrypt("")
    except library.errors.DependencyError:
        raise InvalidInput(f"{name} is encrypted; it may be readable after: pip install cryptography") from None
    except Exception as error:  # pypdf has no common root for what a damaged file sets off
        raise InvalidInput(f"{name} cannot be read as a PDF ({error}): open it in a viewer and save it anew") from error
    if locked:
        raise InvalidInput(f"{name} is encrypted with a password: save it without one and give that")
    return reader


def _pages(name: str, reader: Any) -> list[str]:
    try:
        return [page.extract_text() for page in reader.pages]
    except Exception as error:
        raise InvalidInput(f"{name} cannot be read as a PDF ({error}): open it in a viewer and save it anew") from error


def _title(reader: Any) -> str:
    try:
        return keepable(str(reader.metadata.title or ""))[0] if reader.metadata else ""
    except Exception:  # a damaged title is no title
        return ""


def _notices(name: str, empty: list[int], removed: int) -> tuple[str, ...]:
    notices: list[str] = []
    if empty:
        pages = ", ".join(map(str, empty[:NAMED_PAGES])) + (
            f" and {len(empty) - NAMED_PAGES} more" if len(empty) > NAMED_PAGES else ""
        )
        notices.append(f"pages of {name} without text, which may be pictures: {pages}")
    if removed:
        notices.append(removed_notice(name, removed))
    return tuple(notices)
