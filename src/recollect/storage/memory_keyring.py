"""The reference's keys of servers."""

from __future__ import annotations

from recollect.ports import Key


class MemoryKeyring:
    """Keys in a dictionary: what it does is one step each, so it needs no lock."""

    def __init__(self) -> None:
        super().__init__()
        self._keys: dict[str, Key] = {}

    def keep_key(self, key: Key) -> None:
        self._keys[key.id] = key

    def key(self, id: str) -> Key | None:
        return self._keys.get(id)

    def keys(self) -> list[Key]:
        return sorted(self._keys.values(), key=lambda key: (-key.created, key.id))

    def drop_key(self, id: str) -> bool:
        return self._keys.pop(id, None) is not None
