"""Field-level encryption for backends without encryption of their own: message content, and everything derived from it, is
encrypted before it goes to the ledger, and only holders of the key can read it.

Each partition has its own key, wrapped by the master key and kept in the partition's header. Erasing an owner or a pool
discards the partition's key. Reading what logs and copies still contain then takes both the master key and an older copy of
the wrapped key (docs/encryption.md says how to remove these, too). Numbers, times, roles and ids stay readable, because the
backend sorts and counts by them.
"""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from keepsaid.errors import MissingExtra, StoreCorrupt, WrongKey
from keepsaid.storage.replica import partitions
from keepsaid.storage.replica.ledger import (
    BEGINNING,
    Columns,
    ColumnValue,
    Ledger,
    LedgerPoint,
    LedgerRow,
    PartitionDelta,
    PartitionHeader,
)
from keepsaid.storage.replica.partition_header import WRAPPED_KEY

try:
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM
except ImportError:
    raise MissingExtra("a key for a store on a server needs: pip install 'keepsaid[encryption]'") from None

ENCRYPTED_COLUMNS: Mapping[str, frozenset[str]] = {
    "owners": frozenset({"name"}),
    "sessions": frozenset({"title"}),
    "details": frozenset({"system_prompt", "summary", "tags", "metadata"}),
    "messages": frozenset({"text", "metadata", "extra"}),
    "vectors": frozenset({"vector"}),
    "token_vectors": frozenset({"rows"}),
    "artifacts": frozenset({"text", "data"}),
    "receipts": frozenset({"question", "rewritten", "data"}),
    "systems": frozenset({"text"}),
    "blobs": frozenset({"name", "content"}),
    "meta": frozenset({"value"}),
}
"""The columns that are encrypted. Vectors are among them, because much of the text can be reconstructed from them."""

NONCE = 12
_TEXT, _BYTES = b"t", b"b"


class _EncryptionKey(NamedTuple):
    """A partition's key, plain and wrapped, and the point of the partition at which it was read."""

    point: LedgerPoint
    key: bytes
    wrapped: str


class EncryptedLedger:
    """A ledger that stores encrypted rows in another ledger."""

    def __init__(self, ledger: Ledger, key: str | bytes) -> None:
        self._ledger = ledger
        self._master = derive_master_key(key)
        self._keys: dict[str, _EncryptionKey] = {}

    @property
    def largest_message(self) -> int:
        return self._ledger.largest_message * 3 // 4  # some backends store bytes as longer text

    def headers(self, partitions: Sequence[str]) -> list[PartitionHeader]:
        return [
            self._read_key(partition, header)[0]
            for partition, header in zip(partitions, self._ledger.headers(partitions), strict=True)
        ]

    def load(self, partition: str, since: LedgerPoint) -> PartitionDelta:
        delta = self._ledger.load(partition, since)
        header, key_record = self._read_key(partition, delta.header)
        return PartitionDelta(header, [_decrypt_row(partition, row, key_record.key) for row in delta.rows], delta.whole)

    def commit(
        self, partition: str, after: LedgerPoint, rows: Sequence[LedgerRow], note: Mapping[str, Any], token: str
    ) -> bool:
        key_record = self._key_at(partition, after)
        if key_record is None:
            # The partition is at another point, perhaps because of this very commit, whose answer was lost.
            return not self._ledger.load(partition, LedgerPoint(after.revision + 1, token)).whole
        if after != BEGINNING and any(row.table == "owners" and row.columns is None for row in rows):
            return self._commit_with_new_key(partition, after, rows, note, token)
        return self._commit(partition, after, rows, note, token, key_record)

    def _commit(
        self,
        partition: str,
        after: LedgerPoint,
        rows: Iterable[LedgerRow],
        note: Mapping[str, Any],
        token: str,
        key_record: _EncryptionKey,
    ) -> bool:
        sealed = _encrypt_rows(partition, rows, key_record.key)
        done = self._ledger.commit(partition, after, sealed, {**note, WRAPPED_KEY: key_record.wrapped}, token)
        if done and after != BEGINNING:  # of two attempts with a new key each, the first may have been committed
            self._keys[partition] = key_record._replace(point=LedgerPoint(after.revision + 1, token))
        return done

    def _commit_with_new_key(
        self, partition: str, after: LedgerPoint, rows: Sequence[LedgerRow], note: Mapping[str, Any], token: str
    ) -> bool:
        """Commit an erasure: encrypt the few remaining rows with a new key, and discard the old one."""
        before = self.load(partition, BEGINNING)
        if before.header.point != after:
            return False
        remaining = {(row.table, row.key): row for row in before.rows} | {(row.table, row.key): row for row in rows}
        sealed = _encrypt_rows(partition, remaining.values(), (key_record := self._new_key(partition, after)).key)
        return self._ledger.commit(partition, after, sealed, {**note, WRAPPED_KEY: key_record.wrapped}, token)

    def _key_at(self, partition: str, after: LedgerPoint) -> _EncryptionKey | None:
        """The partition's key at a point: a new one for a new partition, None if the partition is not at that point. A key
        is valid only for the point it was read at, because another process may be replacing it."""
        if after == BEGINNING:
            return self._new_key(partition, after)
        if partition not in self._keys or self._keys[partition].point != after:
            self.headers([partition])
        key_record = self._keys.get(partition)
        return key_record if key_record is not None and key_record.point == after else None

    def _new_key(self, partition: str, point: LedgerPoint) -> _EncryptionKey:
        self._check_master_key()
        key = os.urandom(32)
        wrapped = _encrypt(self._master, key, _key_context(partition))
        return _EncryptionKey(point, key, base64.b64encode(wrapped).decode())

    def _check_master_key(self) -> None:
        """Raise `WrongKey` if the master key was rotated. A key wrapped by the old one could not be opened any more. A
        rotation rewraps the key of the store's partition first, so that one is tested."""
        self.headers([partitions.STORE_PARTITION])

    def _read_key(self, partition: str, header: PartitionHeader) -> tuple[PartitionHeader, _EncryptionKey]:
        """Unwrap the partition's key. Return its header without the key, and the key."""
        wrapped = header.note.get(WRAPPED_KEY)
        if wrapped is None:
            if header.point != BEGINNING:
                raise WrongKey("this store is not encrypted, but a key was given")
            return header, _EncryptionKey(BEGINNING, b"", "")
        try:
            key = _decrypt(self._master, base64.b64decode(wrapped), _key_context(partition))
        except InvalidTag:
            raise WrongKey(
                "the key does not open this store; if its master key was changed meanwhile, open it again with the new one"
            ) from None
        key_record = self._keys[partition] = _EncryptionKey(header.point, key, wrapped)
        return PartitionHeader(
            header.point, {name: value for name, value in header.note.items() if name != WRAPPED_KEY}
        ), key_record

    def rotate(self, key: str | bytes) -> int:
        """Wrap every partition's key by a new master key. Return how many were rewrapped. Contents are not encrypted again,
        so this is quick. The old master key then opens only older copies.

        A process with the old master key creates no new partition after the store's own key is rewrapped. Partitions created
        just before that are found by another pass.
        """
        old, self._master = self._master, derive_master_key(key)
        changed, again = 0, True
        while again:
            names = sorted(
                (partition for partition, _ in self._ledger.list_partitions()),
                key=lambda partition: partition != partitions.STORE_PARTITION,
            )
            some = sum(self._rotate_partition(partition, old) for partition in names)
            changed, again = changed + some, some > 0
        return changed

    def _rotate_partition(self, partition: str, old: bytes) -> int:
        while True:
            (header,) = self._ledger.headers([partition])
            wrapped = base64.b64decode(header.note[WRAPPED_KEY])
            try:
                own = _decrypt(old, wrapped, _key_context(partition))
            except InvalidTag:
                self._read_key(partition, header)  # it has the new key already: an earlier rotation was interrupted
                return 0
            again = _encrypt(self._master, own, _key_context(partition))
            note = {**header.note, WRAPPED_KEY: base64.b64encode(again).decode()}
            if self._ledger.commit(partition, header.point, [], note, base64.b16encode(os.urandom(12)).decode()):
                return 1

    def list_partitions(self) -> Iterable[tuple[str, PartitionHeader]]:
        return [(partition, self._read_key(partition, header)[0]) for partition, header in self._ledger.list_partitions()]

    def stamp(self) -> object:
        return self._ledger.stamp()

    def warnings(self) -> Sequence[str]:
        return self._ledger.warnings()

    def on_remote_commit(self, call: Callable[[], None]) -> None:
        self._ledger.on_remote_commit(call)

    def close(self) -> None:
        self._ledger.close()


def _key_context(partition: str) -> bytes:
    return f"key\0{partition}".encode()


def derive_master_key(key: str | bytes) -> bytes:
    """Return a key of 32 bytes unchanged, or derive one from a passphrase."""
    if isinstance(key, bytes) and len(key) == 32:
        return key
    text = key if isinstance(key, bytes) else key.encode()
    return hashlib.scrypt(text, salt=b"keepsaid sealed ledger", n=1 << 14, r=8, p=1, dklen=32)


def _encrypt_rows(partition: str, rows: Iterable[LedgerRow], key: bytes) -> list[LedgerRow]:
    return [
        row._replace(columns=_change_columns(partition, row, row.columns, key, _encrypt_value)) if row.columns else row
        for row in rows
    ]


def _decrypt_row(partition: str, row: LedgerRow, key: bytes) -> LedgerRow:
    try:
        return (
            row._replace(columns=_change_columns(partition, row, row.columns, key, _decrypt_value)) if row.columns else row
        )
    except InvalidTag:
        raise StoreCorrupt(
            f"a row of {row.table} cannot be decrypted with its key: it was changed, or moved from another row"
        ) from None


def _change_columns(
    partition: str, row: LedgerRow, columns: Columns, key: bytes, change: Callable[[bytes, Any, bytes], ColumnValue]
) -> Columns:
    sealed = ENCRYPTED_COLUMNS.get(row.table, frozenset[str]())
    return {
        name: change(key, value, f"{partition}\0{row.table}\0{row.key}\0{name}".encode())
        if name in sealed and isinstance(value, str | bytes)
        else value
        for name, value in columns.items()
    }


def _encrypt_value(key: bytes, value: str | bytes, context: bytes) -> bytes:
    """Encrypt a value. Its location is authenticated, so that a value moved to another row is detected."""
    return _encrypt(key, _TEXT + value.encode() if isinstance(value, str) else _BYTES + value, context)


def _decrypt_value(key: bytes, value: str | bytes, context: bytes) -> str | bytes:
    if isinstance(value, str):
        raise InvalidTag  # written by someone without the key
    plain = _decrypt(key, value, context)
    return plain[1:].decode() if plain[:1] == _TEXT else plain[1:]


def _encrypt(key: bytes, plain: bytes, context: bytes) -> bytes:
    nonce = os.urandom(NONCE)
    return nonce + AESGCM(key).encrypt(nonce, plain, context)


def _decrypt(key: bytes, sealed: bytes, context: bytes) -> bytes:
    return AESGCM(key).decrypt(sealed[:NONCE], sealed[NONCE:], context)
