"""Which row is which document: the names of collections and documents."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from urllib.parse import quote

from recollect.storage.firestore.address import Address
from recollect.storage.mirror.ledger import Row

LONGEST_ID = 1400
"""Bytes in a document's id. Firestore takes 1,500; as a field's value it must also fit into an index."""

_RESERVED = re.compile(r"\.{1,2}|__.*__", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Names:
    """The paths of a store's documents.

    >>> names = Names("chat_sessions", "messages", "recollect_units", "user_id")
    >>> names.message("s1", "m1"), names.row("o:ann", Row("tags", "1:a", None))
    ('chat_sessions/s1/messages/m1', 'recollect_units/o:ann/rows/tags:1:a')
    """

    sessions: str
    within: str
    """What the messages are called within their session."""
    units: str
    owner_field: str

    def unit(self, unit: str) -> str:
        """The header of a unit."""
        return f"{self.units}/{document_id(unit)}"

    def rows(self, unit: str) -> str:
        """The collection of a unit's rows that have no place of their own."""
        return f"{self.unit(unit)}/rows"

    def row(self, unit: str, row: Row) -> str:
        """Such a row."""
        return f"{self.rows(unit)}/{row_id(row)}"

    def log(self, unit: str) -> str:
        """The collection that tells what changed in a unit."""
        return f"{self.unit(unit)}/log"

    def change(self, unit: str, revision: int) -> str:
        """What a commit changed."""
        return f"{self.log(unit)}/{revision:016d}"

    def session(self, document: str) -> str:
        """A session, by the id of its document."""
        return f"{self.sessions}/{document}"

    def messages(self, document: str) -> str:
        """The collection of a session's messages."""
        return f"{self.session(document)}/{self.within}"

    def message(self, document: str, id: str) -> str:
        """A message of a session."""
        return f"{self.messages(document)}/{document_id(id)}"


def names_at(address: Address) -> Names:
    """The names that an address asks for."""
    prefix = address.prefix
    return Names(prefix + address.sessions, address.messages, f"{prefix}recollect_units", address.owner_field)


def row_id(row: Row) -> str:
    """The id of a row's document within its unit."""
    return document_id(f"{row.table}:{row.key}")


def document_id(text: str) -> str:
    """A document's id for any text: the text itself, so that an app's own ids stay, wherever Firestore allows it.

    >>> document_id("s1"), document_id("a/b"), document_id(".."), document_id("")
    ('s1', '~a%2Fb', '~..', '~')
    """
    if text and "/" not in text and text[0] != "~" and not _RESERVED.fullmatch(text) and _fits(text):
        return text
    return _short("~" + quote(text, safe=""))


def other_id(unit: str, id: str, key: str) -> str:
    """The id of the document of a session whose own id is taken: ids are unique for an owner only.

    >>> other_id("o:ann", "s1", "7")
    '~o%3Aann:s1:7'
    """
    return _short(f"~{quote(unit, safe='')}:{quote(id, safe='')}:{quote(key, safe='')}")


def _fits(text: str) -> bool:
    return len(text) <= LONGEST_ID // 4 or len(text.encode()) <= LONGEST_ID


def _short(text: str) -> str:
    return text if _fits(text) else f"~{hashlib.sha256(text.encode()).hexdigest()}"
