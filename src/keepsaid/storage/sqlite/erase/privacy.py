"""Private messages: they stay in their conversation, but nothing derived from them is kept."""

from __future__ import annotations

from keepsaid.storage.sqlite import branches, partitions, rows
from keepsaid.storage.sqlite.branches import SqliteBranchPosition
from keepsaid.storage.sqlite.connection.database import SqliteConnection
from keepsaid.storage.sqlite.erase import cascade
from keepsaid.storage.sqlite.erase.erase_record import SqliteEraseRecord
from keepsaid.storage.sqlite.search import keyword_index, vectors


def set_private(db: SqliteConnection, owner: int, place: SqliteBranchPosition, private: bool) -> None:
    """Make a message private, or public again."""
    row = db.execute("SELECT rid, extra FROM messages WHERE branch = ? AND seq = ?", place).fetchone()
    assert row
    rid, extra = row
    if rows.is_private(extra) == private:
        return
    if private:
        _hide(db, owner, place, rid, extra)
    else:
        _show(db, owner, rid, extra)


def _hide(db: SqliteConnection, owner: int, place: SqliteBranchPosition, rid: int, extra: str | None) -> None:
    record = SqliteEraseRecord()
    cascade.remove_path_summaries(db, place, branches.find_descendants(db, place), record)
    cascade.remove_message_artifacts(db, "m.rid = ?", (rid,), record)
    vectors.delete_vectors(db, "rid = ?", (rid,))
    keyword_index.remove_words(db, "m.rid = ?", (rid,))
    db.execute("UPDATE messages SET extra = ? WHERE rid = ?", (rows.set_private_flag(extra, True), rid))
    keyword_index.add_words(db, rid)
    # Caches of the owner's vectors must be reloaded.
    partitions.record_change(db, owner, "erased")


def _show(db: SqliteConnection, owner: int, rid: int, extra: str | None) -> None:
    """Give the message the owner's next number, so that it is processed like a new one and later messages are not
    processed again."""
    last = partitions.last_message_number(db, owner)
    low, _ = partitions.rid_range(owner)
    keyword_index.remove_messages(db, "m.rid = ?", (rid,))
    new = (low + last + 1, rows.set_private_flag(extra, False), rid)
    db.execute("UPDATE messages SET rid = ?, extra = ? WHERE rid = ?", new)
    keyword_index.index_full_tail(db, owner, last, last + 1)
