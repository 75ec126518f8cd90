"""What belongs to a store and to none of its owners: how it counts tokens, what it signs receipts with, and keys of
servers."""

from __future__ import annotations

from recollect.copier.whole import Pair
from recollect.ports import Key, Keyring, Storage
from recollect.receipts import KEY

SETTINGS = {"tokenizer": "how tokens are counted", KEY: "what receipts are signed with"}


def wrong(pair: Pair, *, keys: bool) -> list[str]:
    """What the target has otherwise."""
    found: list[str] = []
    for name, words in SETTINGS.items():
        here, there = pair.source.setting(name), pair.target.setting(name)
        if here is not None and there not in (None, here):
            told = f": {here} here, {there} there" if name != KEY else ""
            found.append(f"the stores differ in {words}{told}")
    theirs = {key.id: key for key in _keys(pair.target)} if keys else {}
    mine = {key.id: key for key in _keys(pair.source)}
    return found + [f"key {id!r} is another in the target" for id, key in theirs.items() if mine.get(id, key) != key]


def behind(pair: Pair, *, keys: bool) -> list[str]:
    """What the target does not have yet."""
    found = [
        f"{words}: still to come"
        for name, words in SETTINGS.items()
        if pair.source.setting(name) is not None and pair.target.setting(name) is None
    ]
    there = {key.id for key in _keys(pair.target)}
    return found + [f"key {key.id!r}: still to come" for key in _keys(pair.source) if keys and key.id not in there]


def carry(pair: Pair, *, keys: bool) -> None:
    """Brings the settings and, if they are wanted, the keys of servers."""
    for name in SETTINGS:
        kept = pair.source.setting(name)
        if kept is not None:
            pair.target.settle(name, kept)
    if keys and isinstance(pair.target, Keyring):
        there = {key.id for key in _keys(pair.target)}
        for key in reversed(_keys(pair.source)):
            if key.id not in there:
                pair.target.keep_key(key)


def _keys(storage: Storage) -> list[Key]:
    return storage.keys() if isinstance(storage, Keyring) else []
