"""The verbs for documents."""

from __future__ import annotations

import os

from keepsaid.engine.messages.validation import clean_fraction, clean_limit, clean_name
from keepsaid.errors import InvalidInput
from keepsaid.memory.base import MemoryBase
from keepsaid.ports import Progress, QuotaCheck
from keepsaid.types import Document, Message, Page, SearchHits
from keepsaid.types.reports import EraseReceipt


class DocumentVerbs(MemoryBase):
    """The verbs for documents."""

    def ingest(
        self,
        source: str | os.PathLike[str],
        *,
        owner: str,
        name: str | None = None,
        session: str | None = None,
        pool: str | None = None,
        media_type: str | None = None,
        content: bytes | str | None = None,
        chunk_tokens: int | None = None,
        overlap_tokens: int | None = None,
        progress: Progress | None = None,
        quota: QuotaCheck | None = None,
    ) -> Document:
        """Add a document (text, Markdown, HTML, PDF) to search; with `content`, `source` is only its name.

        A document of the same name is replaced when the new one is complete; the same bytes again change nothing. It belongs
        to the owner or pool, or with `session` to that conversation only. `quota` is called before anything is stored, with
        the number of bytes.

        >>> import keepsaid
        >>> memory = keepsaid.open("memory://")
        >>> memory.ingest("guide.md", content="# Install\\n\\nRun setup.exe.", owner="u1").version
        1
        >>> memory.ingest("guide.md", content="# Install\\n\\nRun install.sh.", owner="u1").version
        2
        >>> hit = memory.search_documents("how do I install it?", owner="u1")[0]
        >>> hit.title, hit.message.metadata["place"], hit.message.text
        ('guide.md', '§ Install', '# Install\\n\\nRun install.sh.')
        """
        from keepsaid.services.documents.document_store import read_document_input

        scope = self._scope(owner, session, pool)
        if self._is_temporary(scope):
            raise InvalidInput("a temporary session cannot have documents: nothing of it is written to the store")
        size = self._services.settings.chunk_tokens if chunk_tokens is None else clean_limit(chunk_tokens, "chunk_tokens")
        overlap = (
            self._services.settings.chunk_overlap
            if overlap_tokens is None
            else clean_limit(overlap_tokens, "overlap_tokens", 0)
        )
        return self._services.documents.ingest(
            scope, read_document_input(source, name, content, media_type), size, overlap, progress, quota
        )

    def documents(self, *, owner: str, session: str | None = None, pool: str | None = None) -> list[Document]:
        """Return the documents of an owner or pool and, with `session`, those of that conversation, by name.

        >>> import keepsaid
        >>> memory = keepsaid.open("memory://")
        >>> _ = memory.ingest("guide.md", content="Run setup.exe.", owner="u1")
        >>> [document.name for document in memory.documents(owner="u1")], memory.documents(owner="u2")
        (['guide.md'], [])
        """
        return self._services.documents.list_documents(self._scope(owner, session, pool))

    def search_documents(
        self,
        query: str,
        *,
        owner: str,
        session: str | None = None,
        pool: str | None = None,
        limit: int | None = None,
        min_score: float | None = None,
    ) -> SearchHits:
        """Search the documents of the owner or pool and, with `session`, those of that conversation; best chunks first.

        `hit.title` is the document's name, `hit.message.metadata["place"]` the position of the chunk in it.

        >>> import keepsaid
        >>> memory = keepsaid.open("memory://")
        >>> _ = memory.ingest("guide.md", content="# Backup\\n\\nCopy the folder once a week.", owner="u1")
        >>> [hit.title for hit in memory.search_documents("how often is the folder copied?", owner="u1")]
        ['guide.md']
        """
        from keepsaid.services.search.searcher import SearchRequest

        limit = self._services.settings.documents_limit if limit is None else clean_limit(limit, "limit")
        lowest = self._services.settings.documents_min_score if min_score is None else clean_fraction(min_score, "min_score")
        scope, now = self._scope(owner, session, pool), self._services.clock().astimezone()
        return self._services.documents.search(SearchRequest(query, scope, now, limit=limit, min_score=lowest))

    def chunks(
        self,
        document: str,
        *,
        owner: str,
        session: str | None = None,
        pool: str | None = None,
        limit: int = 100,
        cursor: str | None = None,
    ) -> Page[Message]:
        """Return the chunks of a document, in order; `message.metadata["place"]` is the position of each.

        `document` is its id or name; with `session`, a document of that conversation.

        >>> import keepsaid
        >>> memory = keepsaid.open("memory://")
        >>> guide = memory.ingest("guide.md", content="# Backup\\n\\nCopy the folder.", owner="u1")
        >>> [(piece.text, piece.metadata["place"]) for piece in memory.chunks(guide.id, owner="u1")]
        [('# Backup\\n\\nCopy the folder.', '§ Backup')]
        """
        scope, name = self._scope(owner, session, pool), clean_name(document, "document")
        return self._services.documents.chunks(scope, name, clean_limit(limit, "limit"), cursor)

    def remove_document(self, name: str, *, owner: str, session: str | None = None, pool: str | None = None) -> EraseReceipt:
        """Remove a document and all its versions permanently, by its name or id.

        With `session`, a document of that conversation.

        >>> import keepsaid
        >>> memory = keepsaid.open("memory://")
        >>> _ = memory.ingest("guide.md", content="Run setup.exe.", owner="u1")
        >>> memory.remove_document("guide.md", owner="u1").messages, memory.documents(owner="u1")
        (1, [])
        """
        return self._services.documents.remove(self._scope(owner, session, pool), clean_name(name, "name"))
