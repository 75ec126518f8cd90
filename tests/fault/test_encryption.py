"""Encryption at rest: only the key opens the file, and no content is readable in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import keepsaid
from keepsaid.errors import ConfigError, NotAStore, WrongKey
from keepsaid.testing.conformance import find_messages

CANARY = "kanarienvogel"
RAW = bytes(range(100, 132))
KEYS: list[dict[str, Any]] = [{"key": "correct horse battery staple"}, {"key": RAW}, {"key": "pässwörter 🔑 ' \" ; --"}]


def write(path: Path, **key: Any) -> bytes:
    """Writes canaries wherever a user can put text. Returns the bytes of all files, before and after closing."""
    with keepsaid.open(path, **key) as memory:
        chat = memory.chat(
            owner=f"{CANARY} owner", session=f"{CANARY}-1", create=True, title=f"{CANARY} title", tags=[CANARY]
        )
        for number in range(70):
            chat.add("user", f"{CANARY} {number}", metadata={CANARY: number})
        while_open = contents(path)
    return while_open + contents(path)


def contents(path: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(path.parent.glob(f"{path.name}*")))


def read(path: Path, **key: Any) -> int:
    """How many messages the search finds."""
    with keepsaid.open(path, **key) as memory:
        assert memory.check().healthy
        return len(find_messages(memory, CANARY, owner=f"{CANARY} owner", limit=100))


@pytest.mark.parametrize("key", KEYS)
def test_encrypted_store_hides_content_and_opens_with_key(tmp_path: Path, key: dict[str, Any]) -> None:
    plain = write(tmp_path / "plain.db")
    assert plain.count(CANARY.encode()) > 140, "the search does find what can be seen"
    encrypted = write(tmp_path / "chat.db", **key)
    assert len(encrypted) > 100_000
    for visible in (CANARY.encode(), b"SQLite format", b"CREATE TABLE", b"title"):
        assert visible not in encrypted
        assert visible in plain
    assert read(tmp_path / "chat.db", **key) == 70


def test_write_ahead_log_is_encrypted(tmp_path: Path) -> None:
    """While the store is open, the newest messages are only in the log, which must be encrypted, too."""
    with keepsaid.open(tmp_path / "chat.db", key="secret") as memory:
        memory.chat(owner="u").add("user", CANARY * 1000)
        log = (tmp_path / "chat.db-wal").read_bytes()
        assert len(log) > len(CANARY) * 1000
        assert CANARY.encode() not in log
    with keepsaid.open(tmp_path / "plain.db") as memory:
        memory.chat(owner="u").add("user", CANARY * 1000)
        assert CANARY.encode() in (tmp_path / "plain.db-wal").read_bytes()


@pytest.mark.parametrize(
    ("content", "same_as"), [(b"my passphrase\n", "my passphrase"), (RAW, RAW), (RAW.hex().encode() + b"\n", RAW)]
)
def test_key_file_opens_same_store_as_key_argument(tmp_path: Path, content: bytes, same_as: str | bytes) -> None:
    """A key file has a passphrase, 32 bytes or 64 hexadecimal digits; the same key as an argument opens the store."""
    (tmp_path / "key").write_bytes(content)
    write(tmp_path / "chat.db", key_file=str(tmp_path / "key"))
    assert read(tmp_path / "chat.db", key_file=str(tmp_path / "key")) == 70
    assert read(tmp_path / "chat.db", key=same_as) == 70


@pytest.mark.parametrize("content", [None, b"", b"\n", b"\xff\xfe\xfd"])
def test_invalid_key_file_creates_no_store(tmp_path: Path, content: bytes | None) -> None:
    """No store is better than an unencrypted one or one with an unintended key."""
    if content is not None:
        (tmp_path / "key").write_bytes(content)
    with pytest.raises(ConfigError, match="key"):
        keepsaid.open(tmp_path / "chat.db", key_file=str(tmp_path / "key"))
    assert not (tmp_path / "chat.db").exists()


@pytest.mark.parametrize("right", ["secret", RAW])
@pytest.mark.parametrize("wrong", ["Secret", "secret ", bytes(32), RAW[::-1], RAW.hex()])
def test_wrong_key_is_rejected_and_changes_nothing(tmp_path: Path, right: str | bytes, wrong: str | bytes) -> None:
    path = tmp_path / "chat.db"
    write(path, key=right)
    before = contents(path)
    with pytest.raises(WrongKey, match="the key does not open") as caught:
        keepsaid.open(path, key=wrong)
    assert repr(wrong) not in str(caught.value), "a key that is nearly right is not printed"
    assert contents(path) == before
    assert read(path, key=right) == 70


def test_open_without_key_fails_and_changes_nothing(tmp_path: Path) -> None:
    write(tmp_path / "chat.db", key="secret")
    before = contents(tmp_path / "chat.db")
    with pytest.raises((NotAStore, WrongKey), match="key"):
        keepsaid.open(tmp_path / "chat.db")
    assert contents(tmp_path / "chat.db") == before


def test_key_for_unencrypted_store_is_rejected(tmp_path: Path) -> None:
    write(tmp_path / "chat.db")
    with pytest.raises(WrongKey, match="not encrypted"):
        keepsaid.open(tmp_path / "chat.db", key="secret")
    assert read(tmp_path / "chat.db") == 70


@pytest.mark.parametrize("key", KEYS)
def test_backup_is_encrypted_with_same_key(tmp_path: Path, key: dict[str, Any]) -> None:
    """The copy has the same key, and is never on the disk unencrypted."""
    write(tmp_path / "chat.db", **key)
    with keepsaid.open(tmp_path / "chat.db", **key) as memory:
        memory.backup(tmp_path / "copy.db")
    assert CANARY.encode() not in contents(tmp_path / "copy.db")
    assert read(tmp_path / "copy.db", **key) == 70
    with pytest.raises((NotAStore, WrongKey), match="key"):
        keepsaid.open(tmp_path / "copy.db")
    with pytest.raises(WrongKey):
        keepsaid.open(tmp_path / "copy.db", key="another")
