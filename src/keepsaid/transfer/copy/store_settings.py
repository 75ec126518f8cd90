"""Copy the settings of the store itself: how it counts tokens, the key that signs receipts, and the API keys of servers."""

from __future__ import annotations

from keepsaid.ports import ServerKey, Storage
from keepsaid.services.prompts.receipts import RECEIPT_KEY
from keepsaid.transfer.copy.storage_pair import StoragePair

SETTINGS = {"tokenizer": "how tokens are counted", RECEIPT_KEY: "what receipts are signed with"}


def find_setting_conflicts(pair: StoragePair, *, keys: bool) -> list[str]:
    """Find settings and keys that differ in the target."""
    found: list[str] = []
    for name, words in SETTINGS.items():
        here, there = pair.source.setting(name), pair.target.setting(name)
        if here is not None and there not in (None, here):
            values = f": {here} in the source, {there} in the target" if name != RECEIPT_KEY else ""
            found.append(f"the stores differ in {words}{values}")
    theirs = {key.id: key for key in _keys(pair.target)} if keys else {}
    mine = {key.id: key for key in _keys(pair.source)}
    return found + [f"key {id!r} differs in the target" for id, key in theirs.items() if mine.get(id, key) != key]


def find_missing_settings(pair: StoragePair, *, keys: bool) -> list[str]:
    """Find settings and keys that are not in the target yet."""
    found = [
        f"{words}: not copied yet"
        for name, words in SETTINGS.items()
        if pair.source.setting(name) is not None and pair.target.setting(name) is None
    ]
    there = {key.id for key in _keys(pair.target)}
    return found + [f"key {key.id!r}: not copied yet" for key in _keys(pair.source) if keys and key.id not in there]


def copy_settings(pair: StoragePair, *, keys: bool) -> None:
    """Copy the settings and, with `keys`, the API keys of servers."""
    for name in SETTINGS:
        kept = pair.source.setting(name)
        if kept is not None:
            pair.target.settle(name, kept)
    if keys:
        there = {key.id for key in _keys(pair.target)}
        for key in reversed(_keys(pair.source)):
            if key.id not in there:
                pair.target.keep_key(key)


def _keys(storage: Storage) -> list[ServerKey]:
    return storage.keys()
