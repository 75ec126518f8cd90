"""Reading files that are not trusted, outside this process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from keepsaid.ports.conversations import Progress

if TYPE_CHECKING:
    from keepsaid.interchange.conversation import ExportItem, ImportTally
    from keepsaid.reading.parsed_document import ParsedDocument


class FileReaders(Protocol):
    """Reads exports and documents that are not trusted, outside this process."""

    def read_export(
        self, path: Path, format: str | None, tally: ImportTally, progress: Progress | None
    ) -> tuple[str, Iterator[ExportItem]]:
        """Return the format of an export and its items, like `interchange.read`."""
        ...

    def read_document(self, name: str, content: bytes | str, media_type: str | None) -> ParsedDocument:
        """Return the text of a document, like `reading.read`."""
        ...
