"""The paths of collections and documents, and which row goes to which document."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from urllib.parse import quote

from keepsaid.storage.firestore.options import FirestoreOptions
from keepsaid.storage.replica.ledger import LedgerRow

MAX_ID_BYTES = 1400
"""The most bytes in a document id. Firestore allows 1,500, but as a field value the id must also fit into an index."""

_RESERVED = re.compile(r"\.{1,2}|__.*__", re.DOTALL)


@dataclass(frozen=True, slots=True)
class DocumentPaths:
    """The paths of a store's documents.

    >>> names = DocumentPaths("chat_sessions", "messages", "keepsaid_units", "user_id")
    >>> names.message("s1", "m1"), names.row("o:ann", LedgerRow("tags", "1:a", None))
    ('chat_sessions/s1/messages/m1', 'keepsaid_units/o:ann/rows/tags:1:a')
    """

    sessions: str
    messages_name: str
    """The name of the messages collection within a session."""
    partitions: str
    owner_field: str

    def partition(self, partition: str) -> str:
        """The header of a partition."""
        return f"{self.partitions}/{document_id(partition)}"

    def rows(self, partition: str) -> str:
        """The collection of a partition's rows that have no readable document."""
        return f"{self.partition(partition)}/rows"

    def row(self, partition: str, row: LedgerRow) -> str:
        """The document of such a row."""
        return f"{self.rows(partition)}/{row_id(row)}"

    def log(self, partition: str) -> str:
        """The collection that logs what changed in a partition."""
        return f"{self.partition(partition)}/log"

    def change(self, partition: str, revision: int) -> str:
        """The log document of a commit."""
        return f"{self.log(partition)}/{revision:016d}"

    def session(self, document: str) -> str:
        """A session, by the id of its document."""
        return f"{self.sessions}/{document}"

    def messages(self, document: str) -> str:
        """The collection of a session's messages."""
        return f"{self.session(document)}/{self.messages_name}"

    def message(self, document: str, id: str) -> str:
        """A message of a session."""
        return f"{self.messages(document)}/{document_id(id)}"


def document_paths_for(address: FirestoreOptions) -> DocumentPaths:
    """The paths that the options select."""
    prefix = address.prefix
    return DocumentPaths(prefix + address.sessions, address.messages, f"{prefix}keepsaid_units", address.owner_field)


def row_id(row: LedgerRow) -> str:
    """The id of a row's document in its partition."""
    return document_id(f"{row.table}:{row.key}")


def document_id(text: str) -> str:
    """A document id for any text: the text itself wherever Firestore allows it, so that an app's own ids are kept.

    >>> document_id("s1"), document_id("a/b"), document_id(".."), document_id("")
    ('s1', '~a%2Fb', '~..', '~')
    """
    if text and "/" not in text and text[0] != "~" and not _RESERVED.fullmatch(text) and _fits(text):
        return text
    return _short("~" + quote(text, safe=""))


def alternative_document_id(partition: str, id: str, key: str) -> str:
    """The document id of a session whose own id is taken. Session ids are unique only per owner.

    >>> alternative_document_id("o:ann", "s1", "7")
    '~o%3Aann:s1:7'
    """
    return _short(f"~{quote(partition, safe='')}:{quote(id, safe='')}:{quote(key, safe='')}")


def _fits(text: str) -> bool:
    return len(text) <= MAX_ID_BYTES // 4 or len(text.encode()) <= MAX_ID_BYTES


def _short(text: str) -> str:
    return text if _fits(text) else f"~{hashlib.sha256(text.encode()).hexdigest()}"
