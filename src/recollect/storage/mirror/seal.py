"""Encryption by field, for places that have none of their own: what was said, and all that was made of it, goes to the
ledger sealed, and is opened only by who has the key.

Each unit has a key of its own, wrapped by the master key and kept in the unit's header. Erasing an owner or a pool throws
the unit's key away: what logs and copies still have of it then opens for nobody who has not both the master key and an older
copy of the wrapped one (docs/encryption.md says how to be rid of these, too). Numbers, times, roles and ids stay readable:
the place orders and counts by them.
"""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from recollect.errors import MissingExtra, StoreCorrupt, WrongKey
from recollect.storage.mirror import units
from recollect.storage.mirror.ledger import BEGINNING, Columns, Delta, Header, Ledger, Point, Row, Value
from recollect.storage.mirror.notes import SEAL

try:
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM
except ImportError:
    raise MissingExtra("a key for a store on a server needs: pip install 'recollect[encryption]'") from None

SEALED: Mapping[str, frozenset[str]] = {
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
"""The columns that are sealed. Vectors are: they can be turned back into much of the text."""

NONCE = 12
_TEXT, _BYTES = b"t", b"b"


class _Known(NamedTuple):
    """A unit's key, plain and wrapped, and the point of the unit at which it was read."""

    point: Point
    key: bytes
    wrapped: str


class SealedLedger:
    """A ledger that another one keeps without being able to read it."""

    def __init__(self, ledger: Ledger, key: str | bytes) -> None:
        self._ledger = ledger
        self._master = master_key(key)
        self._keys: dict[str, _Known] = {}

    @property
    def largest_message(self) -> int:
        return self._ledger.largest_message * 3 // 4  # some places take bytes as longer text

    def headers(self, units: Sequence[str]) -> list[Header]:
        return [self._learn(unit, header)[0] for unit, header in zip(units, self._ledger.headers(units), strict=True)]

    def load(self, unit: str, since: Point) -> Delta:
        delta = self._ledger.load(unit, since)
        header, known = self._learn(unit, delta.header)
        return Delta(header, [_opened(unit, row, known.key) for row in delta.rows], delta.whole)

    def commit(self, unit: str, after: Point, rows: Sequence[Row], note: Mapping[str, Any], token: str) -> bool:
        known = self._known(unit, after)
        if known is None:
            # The unit has gone on; perhaps by this very commit, whose answer was lost.
            return not self._ledger.load(unit, Point(after.revision + 1, token)).whole
        if after != BEGINNING and any(row.table == "owners" and row.columns is None for row in rows):
            return self._commit_anew(unit, after, rows, note, token)
        return self._commit(unit, after, rows, note, token, known)

    def _commit(
        self, unit: str, after: Point, rows: Iterable[Row], note: Mapping[str, Any], token: str, known: _Known
    ) -> bool:
        sealed = _sealed(unit, rows, known.key)
        done = self._ledger.commit(unit, after, sealed, {**note, SEAL: known.wrapped}, token)
        if done and after != BEGINNING:  # of two tries with a new key each, the first may have been kept
            self._keys[unit] = known._replace(point=Point(after.revision + 1, token))
        return done

    def _commit_anew(self, unit: str, after: Point, rows: Sequence[Row], note: Mapping[str, Any], token: str) -> bool:
        """Somebody is erased: the little that stays of him is sealed anew, and the old key is gone."""
        before = self.load(unit, BEGINNING)
        if before.header.point != after:
            return False
        staying = {(row.table, row.key): row for row in before.rows} | {(row.table, row.key): row for row in rows}
        sealed = _sealed(unit, staying.values(), (known := self._new(unit, after)).key)
        return self._ledger.commit(unit, after, sealed, {**note, SEAL: known.wrapped}, token)

    def _known(self, unit: str, after: Point) -> _Known | None:
        """The unit's key at a point; a new one for a new unit, None if the unit is not at that point. A key counts only for
        the point it was read at: while it is thrown away, others may still read the old one."""
        if after == BEGINNING:
            return self._new(unit, after)
        if unit not in self._keys or self._keys[unit].point != after:
            self.headers([unit])
        known = self._keys.get(unit)
        return known if known is not None and known.point == after else None

    def _new(self, unit: str, point: Point) -> _Known:
        self._refuse_old_master()
        key = os.urandom(32)
        wrapped = _encrypted(self._master, key, _place_of_key(unit))
        return _Known(point, key, base64.b64encode(wrapped).decode())

    def _refuse_old_master(self) -> None:
        """A process may still have the old master key after a rotation. What it wraps by that would open for nobody, so the
        store's own key, which a rotation wraps anew before all others, must open first."""
        self.headers([units.STORE])

    def _learn(self, unit: str, header: Header) -> tuple[Header, _Known]:
        """Takes the unit's key out of its header."""
        wrapped = header.note.get(SEAL)
        if wrapped is None:
            if header.point != BEGINNING:
                raise WrongKey("this store is not encrypted, but a key was given")
            return header, _Known(BEGINNING, b"", "")
        try:
            key = _decrypted(self._master, base64.b64decode(wrapped), _place_of_key(unit))
        except InvalidTag:
            raise WrongKey(
                "the key does not open this store; if its master key was changed meanwhile, open it again with the new one"
            ) from None
        known = self._keys[unit] = _Known(header.point, key, wrapped)
        return Header(header.point, {name: value for name, value in header.note.items() if name != SEAL}), known

    def rotate(self, key: str | bytes) -> int:
        """Wraps every unit's key by a new master key; returns how many there were. Texts stay as they are sealed, so this is
        quick. The old master key then opens nothing but older copies.

        Whoever still has the old one makes no new unit once the store's own is wrapped anew; those that were on their way
        then are found by looking again.
        """
        old, self._master = self._master, master_key(key)
        changed, again = 0, True
        while again:
            names = sorted((unit for unit, _ in self._ledger.units()), key=lambda unit: unit != units.STORE)
            some = sum(self._rotate_unit(unit, old) for unit in names)
            changed, again = changed + some, some > 0
        return changed

    def _rotate_unit(self, unit: str, old: bytes) -> int:
        while True:
            (header,) = self._ledger.headers([unit])
            wrapped = base64.b64decode(header.note[SEAL])
            try:
                own = _decrypted(old, wrapped, _place_of_key(unit))
            except InvalidTag:
                self._learn(unit, header)  # it has the new one already: an earlier rotation was cut short
                return 0
            again = _encrypted(self._master, own, _place_of_key(unit))
            note = {**header.note, SEAL: base64.b64encode(again).decode()}
            if self._ledger.commit(unit, header.point, [], note, base64.b16encode(os.urandom(12)).decode()):
                return 1

    def units(self) -> Iterable[tuple[str, Header]]:
        return [(unit, self._learn(unit, header)[0]) for unit, header in self._ledger.units()]

    def stamp(self) -> object:
        return self._ledger.stamp()

    def warnings(self) -> Sequence[str]:
        return self._ledger.warnings()

    def on_news(self, call: Callable[[], None]) -> None:
        self._ledger.on_news(call)

    def close(self) -> None:
        self._ledger.close()


def _place_of_key(unit: str) -> bytes:
    return f"key\0{unit}".encode()


def master_key(key: str | bytes) -> bytes:
    """A key of 32 bytes as it is; a passphrase is stretched."""
    if isinstance(key, bytes) and len(key) == 32:
        return key
    text = key if isinstance(key, bytes) else key.encode()
    return hashlib.scrypt(text, salt=b"recollect sealed ledger", n=1 << 14, r=8, p=1, dklen=32)


def _sealed(unit: str, rows: Iterable[Row], key: bytes) -> list[Row]:
    return [row._replace(columns=_each(unit, row, row.columns, key, _seal)) if row.columns else row for row in rows]


def _opened(unit: str, row: Row, key: bytes) -> Row:
    try:
        return row._replace(columns=_each(unit, row, row.columns, key, _open)) if row.columns else row
    except InvalidTag:
        raise StoreCorrupt(
            f"a row of {row.table} does not open with its key: it was changed, or put in another's place"
        ) from None


def _each(unit: str, row: Row, columns: Columns, key: bytes, change: Callable[[bytes, Any, bytes], Value]) -> Columns:
    sealed = SEALED.get(row.table, frozenset[str]())
    return {
        name: change(key, value, f"{unit}\0{row.table}\0{row.key}\0{name}".encode())
        if name in sealed and isinstance(value, str | bytes)
        else value
        for name, value in columns.items()
    }


def _seal(key: bytes, value: str | bytes, place: bytes) -> bytes:
    """The place goes into the seal, so that nothing can be moved elsewhere unnoticed."""
    return _encrypted(key, _TEXT + value.encode() if isinstance(value, str) else _BYTES + value, place)


def _open(key: bytes, value: str | bytes, place: bytes) -> str | bytes:
    if isinstance(value, str):
        raise InvalidTag  # somebody wrote it there who had no key
    plain = _decrypted(key, value, place)
    return plain[1:].decode() if plain[:1] == _TEXT else plain[1:]


def _encrypted(key: bytes, plain: bytes, place: bytes) -> bytes:
    nonce = os.urandom(NONCE)
    return nonce + AESGCM(key).encrypt(nonce, plain, place)


def _decrypted(key: bytes, sealed: bytes, place: bytes) -> bytes:
    return AESGCM(key).decrypt(sealed[:NONCE], sealed[NONCE:], place)
