"""The keyword index: which of an owner's messages have which terms.

Writing to FTS5 for every message would cost more than the rest of an append. So an owner's newest messages (the tail) are
not indexed at first. They are added to FTS5 together, in the transaction of the append that fills the tail. A search
(`word_search.py`) asks FTS5 for the indexed messages and reads the tail itself: at every commit, index and tail together
cover exactly the messages. `owners.indexed` is the boundary (docs/decisions/0002-keyword-index.md).
"""

from __future__ import annotations

from collections.abc import Sequence

from keepsaid.storage.sqlite import partitions
from keepsaid.storage.sqlite.connection.database import SqliteConnection
from keepsaid.storage.sqlite.search import time_ranges

TAIL_LENGTH = 128

_TEXT = "keyword_text(m.rid >> 32, m.text, m.extra)"


def index_full_tail(db: SqliteConnection, owner: int, before: int, after: int) -> None:
    """Index the tail if it is full. Call it when an owner's last message number has changed from `before` to `after`."""
    if before // TAIL_LENGTH != after // TAIL_LENGTH:
        index_tail(db, owner, after)


def index_tail(db: SqliteConnection, owner: int, upto: int) -> None:
    """Add the owner's messages up to a number to the index."""
    row = db.execute("SELECT indexed FROM owners WHERE no = ?", (owner,)).fetchone()
    low, _ = partitions.rid_range(owner)
    start, end = max(low, row[0] if row else 0), low + upto
    db.execute(
        "UPDATE owners SET indexed = ?1, indexed_messages = indexed_messages + t.n, indexed_tokens = indexed_tokens + t.k"
        " FROM (SELECT count(*) AS n, coalesce(sum(tokens), 0) AS k FROM messages WHERE rid > ?2 AND rid <= ?1) AS t"
        " WHERE no = ?3",
        (end, start, owner),
    )
    db.execute(
        "INSERT INTO keywords (rowid, text) SELECT rid, text FROM keyword_texts WHERE rid > ? AND rid <= ?", (start, end)
    )
    time_ranges.add_ranges(db, start, end)


def remove_messages(db: SqliteConnection, where: str, values: Sequence[int]) -> None:
    """Remove messages (`m`) from the index and from its statistics. Call it before they are deleted."""
    remove_words(db, where, values)
    db.execute(
        "UPDATE owners SET indexed_messages = indexed_messages - t.n, indexed_tokens = indexed_tokens - t.k"
        f" FROM (SELECT m.rid >> 32 AS owner, count(*) AS n, sum(m.tokens) AS k {_INDEXED.format(where)} GROUP BY 1) AS t"
        " WHERE no = t.owner",
        values,
    )


_INDEXED = "FROM messages AS m JOIN owners AS o ON o.no = m.rid >> 32 WHERE {} AND m.rid <= o.indexed"


def remove_words(db: SqliteConnection, where: str, values: Sequence[int]) -> None:
    """Remove the words of messages (`m`) from the index.

    With secure-delete, FTS5 rewrites the pages of every word, about 250 µs per message. For many messages it is faster to
    mark them as deleted and then merge the whole index, about 1 µs per message in the store. Either way no word remains.
    """
    indexed = _INDEXED.format(where)
    removed, all_ = (
        db.execute(f"SELECT count(*) {indexed}", values).fetchall()[0][0],
        db.execute("SELECT coalesce(sum(indexed_messages), 0) FROM owners").fetchall()[0][0],
    )
    merge = removed * 250 > all_
    if merge:
        db.execute("INSERT INTO keywords (keywords, rank) VALUES ('secure-delete', 0)")
    db.execute(
        f"INSERT INTO keywords (keywords, rowid, text) SELECT 'delete', m.rid, {_TEXT} {indexed}",
        values,
    )
    if merge:
        db.execute("INSERT INTO keywords (keywords) VALUES ('optimize')")
        db.execute("INSERT INTO keywords (keywords, rank) VALUES ('secure-delete', 1)")


def add_words(db: SqliteConnection, rid: int) -> None:
    """Add a message back after its words were removed. FTS5 counts rows, so a message without words needs an entry too."""
    db.execute("INSERT INTO keywords (rowid, text) SELECT rid, text FROM keyword_texts WHERE rid = ?", (rid,))


def terms_of_messages(db: SqliteConnection, where: str, values: Sequence[int]) -> set[str]:
    """Return every term of these messages (`m`), as stored in the index."""
    found: set[str] = set()
    for (text,) in db.execute(f"SELECT {_TEXT} FROM messages AS m WHERE {where}", values):
        found.update(text.split(" "))
    return found


def has_terms(db: SqliteConnection, terms: set[str], rids: set[int]) -> bool:
    """Whether one of the terms still finds one of the messages."""
    match = "SELECT rowid FROM keywords WHERE keywords MATCH ?"
    return any(rid in rids for term in terms if term for (rid,) in db.execute(match, (f'"{term}"',)))


def has_terms_of_owner(db: SqliteConnection, owner: int) -> bool:
    """Whether any term of an owner is still in the index."""
    between = (f"{owner}:", f"{owner};")
    return db.execute("SELECT 1 FROM vocabulary WHERE term >= ? AND term < ? LIMIT 1", between).fetchone() is not None


def count_leftover_prefixes(db: SqliteConnection) -> int:
    """Count the prefixes of deleted words that FTS5 still uses as separator keys between its pages."""
    found = 0
    for (term,) in db.execute("SELECT term FROM keywords_idx"):
        beginning = bytes(term if isinstance(term, bytes) else term.encode())[1:]
        if (
            beginning
            and not db.execute(
                "SELECT 1 FROM vocabulary WHERE term >= ? AND term < ? LIMIT 1",
                (text := beginning.decode(errors="ignore"), text + "\U0010ffff"),
            ).fetchone()
        ):
            found += 1
    return found
