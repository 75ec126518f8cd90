"""PDF: the text of each page, by pypdf, which is an optional dependency."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from typing import Any, cast

from keepsaid.engine.text.chunk_pieces import DocumentBlock
from keepsaid.errors import InvalidInput, MissingExtra
from keepsaid.reading.plain import removal_notice, remove_unstorable

_HYPHENATED = re.compile(r"(?<=[^\W\d_])[-‐\xad]\n(?=[^\W\d_A-Z])")
_LEADERS = re.compile(r"(?:[ \t]?\.){4,}")
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "\xad": None})
NAMED_PAGES = 10
"""The most pages without text that a notice lists by number."""
MAX_PAGES = 20_000
"""The most pages that are read; the longest books have a tenth of this."""
MAX_CHARACTERS = 50_000_000
"""The most characters of all pages together: pages may share content, so a small file can have any amount of text."""


def read_pdf(name: str, content: bytes) -> tuple[str, tuple[DocumentBlock, ...], tuple[str, ...]]:
    """Return the title in the file's metadata, its pages as blocks, and notices of what could not be read."""
    reader = _open_reader(name, content)
    repeated = _leave_out_repeated_pages(name, reader)
    blocks: list[DocumentBlock] = []
    empty: list[int] = []
    removed = 0
    for number, page in enumerate(_pages(name, reader), 1):
        text, refused = remove_unstorable(page)
        removed += refused
        if text := clean_page_text(text):
            blocks.append(DocumentBlock(text, f"page {number}"))
        else:
            empty.append(number)
    if not blocks:
        raise InvalidInput(
            f"{name} has no text on its {len(empty)} pages: if they are pictures, run text recognition (OCR) first"
        )
    return _title(reader), tuple(blocks), _notices(name, empty, removed, repeated)


def clean_page_text(page: str) -> str:
    """Clean a page's text: rejoin words hyphenated at the end of a line, expand ligatures, and shorten dot leaders as in a
    table of contents.

    >>> clean_page_text("The ofﬁce was re-\\nopened in the north-\\nWest . . . . . . 7")
    'The office was reopened in the north-\\nWest … 7'
    """
    text = _HYPHENATED.sub("", page.replace("\r\n", "\n"))
    return _LEADERS.sub(" …", text).translate(_LIGATURES).strip()


def _open_reader(name: str, content: bytes) -> Any:
    try:
        import pypdf  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise MissingExtra(f"{name} is a PDF, and reading it needs: pip install 'keepsaid[pdf]'") from None
    library = cast("Any", pypdf)
    try:
        reader = library.PdfReader(BytesIO(content))
        # Many files that are protected against printing or editing are encrypted with an empty password.
        locked = reader.is_encrypted and not reader.decrypt("")
    except library.errors.DependencyError:
        raise InvalidInput(f"{name} is encrypted; it may be readable after: pip install cryptography") from None
    except Exception as error:  # pypdf's errors for damaged files have no common base class
        raise _unreadable(name, error) from error
    if locked:
        raise InvalidInput(f"{name} is encrypted with a password: save it without one and give that")
    return reader


def _leave_out_repeated_pages(name: str, reader: Any) -> int:
    """Remove repeated references from the page tree, and return how many there were. A reference takes 6 bytes, but its page
    is read again each time; and if nodes refer to each other, the number of pages is infinite."""
    try:
        return _repeated_pages(reader)
    except InvalidInput as error:
        raise InvalidInput(f"{name} {error}: split it and give its parts") from None
    except Exception as error:
        raise _unreadable(name, error) from error


def _repeated_pages(reader: Any) -> int:
    from pypdf.generic import ArrayObject, NameObject  # pyright: ignore[reportMissingImports, reportUnknownVariableType]

    root = reader.trailer["/Root"].raw_get("/Pages")
    waiting, seen, pages, repeated = [root.get_object()], {getattr(root, "idnum", 0)}, 0, 0
    while waiting:
        node: Any = waiting.pop()
        kids: Any = node.get("/Kids") if hasattr(node, "get") else None
        if kids is None:
            pages += 1
            continue
        kept: list[Any] = []
        for kid in kids.get_object():
            number = getattr(kid, "idnum", None)
            if number is not None and number in seen:
                repeated += 1
                continue
            seen.update([] if number is None else [number])
            kept.append(kid)
            if len(seen) + pages > MAX_PAGES:
                raise InvalidInput(f"has more than {MAX_PAGES:,} pages")
        node[NameObject("/Kids")] = ArrayObject(kept)
        waiting += [kid.get_object() for kid in kept]
    return repeated


def _pages(name: str, reader: Any) -> Iterator[str]:
    """Yield the text of each page."""
    characters = 0
    try:
        for page in reader.pages:
            text = str(page.extract_text())
            characters += len(text)
            if characters > MAX_CHARACTERS:
                break
            yield text
    except Exception as error:
        raise _unreadable(name, error) from error
    if characters > MAX_CHARACTERS:
        raise InvalidInput(f"{name} has more than {MAX_CHARACTERS:,} characters: split it and give its parts")


def _unreadable(name: str, error: Exception) -> InvalidInput:
    return InvalidInput(f"{name} cannot be read as a PDF ({error}): open it in a viewer and save it again")


def _title(reader: Any) -> str:
    try:
        return remove_unstorable(str(reader.metadata.title or ""))[0] if reader.metadata else ""
    except Exception:  # a damaged title is ignored
        return ""


def _notices(name: str, empty: list[int], removed: int, repeated: int) -> tuple[str, ...]:
    notices: list[str] = []
    if empty:
        pages = ", ".join(map(str, empty[:NAMED_PAGES])) + (
            f" and {len(empty) - NAMED_PAGES} more" if len(empty) > NAMED_PAGES else ""
        )
        notices.append(f"pages of {name} without text, which may be pictures: {pages}")
    if repeated:
        notices.append(f"repeated pages of {name} are read once; left out: {repeated:,}")
    if removed:
        notices.append(removal_notice(name, removed))
    return tuple(notices)
