"""Whose memory a call acts on, and who may use a shared pool."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class PoolAccess(StrEnum):
    """What a grant lets its holder do in a pool; each level includes the ones before it.

    >>> [str(access) for access in PoolAccess]
    ['read', 'write', 'admin']
    """

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


class Scope(NamedTuple):
    """What a verb works on: an owner's memory, one of its sessions, or a pool the owner has access to.

    >>> Scope("u1", "s1")
    Scope(owner='u1', session='s1', pool=None, documents=False)
    """

    owner: str
    session: str | None = None
    pool: str | None = None
    documents: bool = False
    """Whether the documents of the owner or pool are meant: a separate space, in which each document is a session."""

    def of(self, session: str) -> Scope:
        """The same owner and pool, narrowed to one session.

        >>> Scope("u1").of("s1").session
        's1'
        """
        return Scope(self.owner, session, self.pool, self.documents)


@dataclass(frozen=True, slots=True)
class PoolGrant:
    """Who may do what in a pool.

    >>> PoolGrant("team", "u2", PoolAccess.READ).access
    <PoolAccess.READ: 'read'>
    """

    pool: str
    owner: str
    access: PoolAccess
    name: str = ""
