"""Documents that answers may draw on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Document:
    """An ingested document, in its newest version. `session` is None if it is available in all conversations.

    >>> import keepsaid
    >>> memory = keepsaid.open("memory://")
    >>> document = memory.ingest("guide.md", content="# Install\\n\\nRun setup.", owner="u1")
    >>> document.name, document.version, document.chunks, document.title, document.session
    ('guide.md', 1, 1, 'Install', None)
    """

    id: str
    name: str
    version: int
    chunks: int
    tokens: int
    media_type: str | None
    added_at: datetime
    session: str | None
    source: str
    title: str
    """The title in the document, or its name."""
    notices: tuple[str, ...] = ()
    """Which parts could not be read."""
