"""The keyword index: which of an owner's messages have which terms.

Writing FTS5 once per message would cost more than all the rest of an append. So an owner's newest messages, at most
`TAIL` of them, wait as the rows they are, and enter FTS5 together, in the transaction of the append that fills the tail. A
search (`search.py`) asks FTS5 for the indexed ones and reads the tail itself: at every commit, index and tail together are
exactly the messages. `owners.indexed` is where the one ends and the other begins (docs/decisions/0002-keyword-index.md).
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.storage.sqlite import spaces, stretches
from recollect.storage.sqlite.database import Database

TAIL = 128

_TEXT = "keyword_text(m.rid >> 32, m.text, m.extra)"


def follow(db: Database, owner: int, before: int, after: int) -> None:
    """Called when an owner's messages grew from one number to another: indexes the tail whenever it is full."""
    if before // TAIL != after // TAIL:
        index_tail(db, owner, after)


def index_tail(db: Database, owner: int, upto: int) -> None:
    """Puts the owner's messages up to a number into the index."""
    row = db.execute("SELECT indexed FROM owners WHERE no = ?", (owner,)).fetchone()
    low, _ = spaces.rid_range(owner)
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
    stretches.add(db, start, end)


def forget(db: Database, where: str, values: Sequence[int]) -> None:
    """Takes messages (`m`) out of the index and out of its statistics. Call it before they go."""
    take_out(db, where, values)
    db.execute(
        "UPDATE owners SET indexed_messages = indexed_messages - t.n, indexed_tokens = indexed_tokens - t.k"
        f" FROM (SELECT m.rid >> 32 AS owner, count(*) AS n, sum(m.tokens) AS k {_INDEXED.format(where)} GROUP BY 1) AS t"
        " WHERE no = t.owner",
        values,
    )


_INDEXED = "FROM messages AS m JOIN owners AS o ON o.no = m.rid >> 32 WHERE {} AND m.rid <= o.indexed"


def take_out(db: Database, where: str, values: Sequence[int]) -> None:
    """Takes the words of messages (`m`) out of the index.

    One by one, FTS5 rewrites the pages of every word, about 250 µs a message. For many it is quicker to note them as
    deleted and then to merge the whole index, about 1 µs for every message in the store; either way no word of them stays.
    """
    indexed = _INDEXED.format(where)
    going, all_ = (
        db.execute(f"SELECT count(*) {indexed}", values).fetchall()[0][0],
        db.execute("SELECT coalesce(sum(indexed_messages), 0) FROM owners").fetchall()[0][0],
    )
    merge = going * 250 > all_
    if merge:
        db.execute("INSERT INTO keywords (keywords, rank) VALUES ('secure-delete', 0)")
    db.execute(
        f"INSERT INTO keywords (keywords, rowid, text) SELECT 'delete', m.rid, {_TEXT} {indexed}",
        values,
    )
    if merge:
        db.execute("INSERT INTO keywords (keywords) VALUES ('optimize')")
        db.execute("INSERT INTO keywords (keywords, rank) VALUES ('secure-delete', 1)")


def put_in(db: Database, rid: int) -> None:
    """Puts a message back that was taken out. FTS5 counts its rows, so one without words must be there as well."""
    db.execute("INSERT INTO keywords (rowid, text) SELECT rid, text FROM keyword_texts WHERE rid = ?", (rid,))


def terms_of_messages(db: Database, where: str, values: Sequence[int]) -> set[str]:
    """Every term of these messages (`m`), as the index has them."""
    found: set[str] = set()
    for (text,) in db.execute(f"SELECT {_TEXT} FROM messages AS m WHERE {where}", values):
        found.update(text.split(" "))
    return found


def still_has(db: Database, terms: set[str], rids: set[int]) -> bool:
    """Whether one of the terms still leads to one of the messages."""
    match = "SELECT rowid FROM keywords WHERE keywords MATCH ?"
    return any(rid in rids for term in terms if term for (rid,) in db.execute(match, (f'"{term}"',)))


def still_has_owner(db: Database, owner: int) -> bool:
    """Whether any term of an owner is left."""
    between = (f"{owner}:", f"{owner};")
    return db.execute("SELECT 1 FROM vocabulary WHERE term >= ? AND term < ? LIMIT 1", between).fetchone() is not None


def leftovers(db: Database) -> int:
    """Beginnings of words that no message has any more, but that FTS5 still uses to find its way between pages."""
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
