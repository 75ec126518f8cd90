"""API keys of the in-memory storage."""

from __future__ import annotations

from keepsaid.ports import ServerKey


class MemoryKeyring:
    """Stores keys in a dictionary. Every operation is atomic, so it needs no lock."""

    def __init__(self) -> None:
        super().__init__()
        self._keys: dict[str, ServerKey] = {}

    def keep_key(self, key: ServerKey) -> None:
        self._keys[key.id] = key

    def key(self, id: str) -> ServerKey | None:
        return self._keys.get(id)

    def keys(self) -> list[ServerKey]:
        return sorted(self._keys.values(), key=lambda key: (-key.created, key.id))

    def drop_key(self, id: str) -> bool:
        return self._keys.pop(id, None) is not None
