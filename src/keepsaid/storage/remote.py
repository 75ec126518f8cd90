"""Open a storage on a server by its URL. A driver is imported only when its scheme is used."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from keepsaid.ports import Storage

if TYPE_CHECKING:
    from keepsaid.storage.replica.ledger import Ledger

REDIS = ("redis", "rediss", "redis+cluster", "rediss+cluster")
POSTGRES = ("postgresql", "postgres")
SCHEMES = (*POSTGRES, *REDIS, "firestore")

_log = logging.getLogger("keepsaid")


def scheme_of(url: str) -> str:
    """Return the part of a URL before `://`, or an empty string.

    >>> scheme_of("redis://localhost/0"), scheme_of("chat.db")
    ('redis', '')
    """
    scheme, separator, _ = url.partition("://")
    return scheme if separator else ""


def open_remote(url: str, key: str | bytes | None, replica_folder: Path | None, busy_timeout: float) -> Storage:
    """Open the storage on a server and log its warnings for the operator.

    With a key, everything is encrypted before it is sent, and searches run in a local replica."""
    if scheme_of(url) in POSTGRES and key is None:
        from keepsaid.storage.postgres import PostgresStorage, parse_source_url
        from keepsaid.storage.postgres.ledger import refuse_encrypted_store

        source = parse_source_url(url, busy_timeout)
        refuse_encrypted_store(source)
        return PostgresStorage(source)
    from keepsaid.storage.replica.storage import ReplicaStorage

    ledger = _encrypt_ledger(_open_ledger(url, busy_timeout), key)
    try:
        storage = ReplicaStorage(ledger, replica_folder, key)
    except BaseException:
        ledger.close()
        raise
    for warning in storage.warnings():
        _log.warning(warning)
    return storage


def _open_ledger(url: str, busy_timeout: float) -> Ledger:
    scheme = scheme_of(url)
    if scheme in POSTGRES:
        from keepsaid.storage.postgres import parse_source_url
        from keepsaid.storage.postgres.ledger import PostgresLedger

        return PostgresLedger(parse_source_url(url, busy_timeout))
    if scheme in REDIS:
        from keepsaid.storage.redis import RedisLedger, RedisOptions

        return RedisLedger(RedisOptions.parse(url))
    from keepsaid.storage.firestore.ledger import FirestoreLedger

    return FirestoreLedger.open(url)


def _encrypt_ledger(ledger: Ledger, key: str | bytes | None) -> Ledger:
    if key is None:
        return ledger
    try:
        from keepsaid.storage.replica.encryption import EncryptedLedger
    except BaseException:
        ledger.close()
        raise
    return EncryptedLedger(ledger, key)


def rotate_key(url: str, key: str | bytes, new: str | bytes, busy_timeout: float) -> int:
    """Encrypt the data keys of a store with a new master key. Return how many there were."""
    from keepsaid.storage.replica.encryption import EncryptedLedger

    ledger = EncryptedLedger(_open_ledger(url, busy_timeout), key)
    try:
        return ledger.rotate(new)
    finally:
        ledger.close()
