"""The keyword index: which of an owner's messages have which terms.

Writing FTS5 once per message would cost more than all the rest of an append. So an owner's newest messages, at most
`TAIL` of them, wait as the rows they are, and enter FTS5 together, in the transaction of the append that fills the tail. A
search asks FTS5 for the indexed ones and reads the tail itself: at every commit, index and tail together are exactly the
messages. `owners.indexed` is where the one ends and the other begins (docs/decisions/0002-keyword-index.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from recollect.engine import bm25
from recollect.engine.terms import terms as terms_of
from recollect.storage.sqlite import branches, rows, spaces
from recollect.storage.sqlite.database import Database, Row
from recollect.types import Hit

TAIL = 128
CANDIDATES = 256
"""Messages scored exactly in one go; they are taken in the order of what their terms are worth."""


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


def forget(db: Database, where: str, values: Sequence[int]) -> None:
    """Takes messages (`m`) out of the index. Call it before they go.

    One by one, FTS5 rewrites the pages of every word, about 250 µs a message. For many it is quicker to note them as
    deleted and then to merge the whole index, about 1 µs for every message in the store; either way no word of them stays.
    """
    indexed = f"FROM messages AS m JOIN owners AS o ON o.no = m.rid >> 32 WHERE {where} AND m.rid <= o.indexed"
    going, all_ = (
        db.execute(f"SELECT count(*) {indexed}", values).fetchall()[0][0],
        db.execute("SELECT coalesce(sum(indexed_messages), 0) FROM owners").fetchall()[0][0],
    )
    db.execute(
        "UPDATE owners SET indexed_messages = indexed_messages - t.n, indexed_tokens = indexed_tokens - t.k"
        f" FROM (SELECT m.rid >> 32 AS owner, count(*) AS n, sum(m.tokens) AS k {indexed} GROUP BY 1) AS t"
        " WHERE no = t.owner",
        values,
    )
    merge = going * 250 > all_
    if merge:
        db.execute("INSERT INTO keywords (keywords, rank) VALUES ('secure-delete', 0)")
    db.execute(
        f"INSERT INTO keywords (keywords, rowid, text) SELECT 'delete', m.rid, keyword_text(m.rid >> 32, m.text) {indexed}",
        values,
    )
    if merge:
        db.execute("INSERT INTO keywords (keywords) VALUES ('optimize')")
        db.execute("INSERT INTO keywords (keywords, rank) VALUES ('secure-delete', 1)")


def terms_of_messages(db: Database, where: str, values: Sequence[int]) -> set[str]:
    """Every term of these messages (`m`), as the index has them."""
    found: set[str] = set()
    for (text,) in db.execute(f"SELECT keyword_text(m.rid >> 32, m.text) FROM messages AS m WHERE {where}", values):
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


class _Query:
    """The owner's side of a search: what each term is worth, and which messages have it."""

    def __init__(self, db: Database, owner: int, wanted: Sequence[str]) -> None:
        indexed, messages, tokens = db.execute(
            "SELECT indexed, indexed_messages, indexed_tokens FROM owners WHERE no = ?", (owner,)
        ).fetchone() or (0, 0, 0)
        low, high = spaces.rid_range(owner)
        self._db = db
        self._tail = {r[0]: r for r in db.execute(f"{_ROW} WHERE m.rid > ? AND m.rid <= ?", (max(indexed, low), high))}
        self._bags = {rid: terms_of(row[_TEXT]) for rid, row in self._tail.items()}
        self._statistics = bm25.Statistics(
            messages + len(self._tail), tokens + sum(row[_TOKENS] for row in self._tail.values())
        )
        self._worth: dict[str, float] = {}
        self._value: dict[int, float] = {}
        for term in dict.fromkeys(wanted):
            self._weigh(term, owner)

    def _weigh(self, term: str, owner: int) -> None:
        match = "SELECT rowid FROM keywords WHERE keywords MATCH ?"
        having = [rid for (rid,) in self._db.execute(match, (f'"{owner}:{term}"',))]
        having += [rid for rid, bag in self._bags.items() if term in bag]
        if having:
            worth = self._worth[term] = bm25.rarity(self._statistics, len(having))
            for rid in having:
                self._value[rid] = self._value.get(rid, 0.0) + worth

    def best_first(self) -> Iterator[tuple[float, Row]]:
        """Scores and rows: exactly ordered among each `CANDIDATES`, which are taken in the order of their terms' worth."""
        order = sorted(self._value, key=lambda rid: (-self._value[rid], -rid))
        for start in range(0, len(order), CANDIDATES):
            scored = [found for rid in order[start : start + CANDIDATES] if (found := self._scored(rid))]
            for score, _, row in sorted(scored, key=lambda entry: (-entry[0], -entry[1])):
                yield score, row

    def _scored(self, rid: int) -> tuple[float, int, Row] | None:
        row = self._tail.get(rid) or self._db.execute(f"{_ROW} WHERE m.rid = ?", (rid,)).fetchone()
        if row is None:
            return None  # an entry whose message is gone: damage, which the doctor finds and a search passes over
        bag = self._bags.get(rid) or terms_of(row[_TEXT])
        return bm25.score(bag, row[_TOKENS], self._worth, self._statistics), rid, row


def hits(db: Database, owner: int, wanted: Sequence[str], limit: int) -> list[Hit]:
    """The best messages that can be seen."""
    sight = Sight(db)
    found: list[Hit] = []
    for score, row in _Query(db, owner, wanted).best_first():
        if len(found) == limit:
            break
        if score > 0 and (session := sight.shows(row[1], row[2])) is not None:
            found.append(Hit(rows.message(row[3:], session), score))
    return found


_ROW = f"SELECT m.rid, m.branch, m.seq, {rows.MESSAGE} FROM messages AS m"
_TEXT, _TOKENS = 7, 8


class Sight:
    """Which messages can be seen: those on the active path of a session that is not deleted."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._paths: dict[int, tuple[str, dict[int, int]]] = {}
        self._sessions: dict[int, list[int]] = {}

    def shows(self, branch: int, seq: int) -> str | None:
        """The id of the oldest session that shows the message there, or None."""
        for session in self._through(branch):
            id, path = self._path(session)
            if seq <= path.get(branch, 0):
                return id
        return None

    def _through(self, branch: int) -> list[int]:
        """Sessions with a branch that continues this one, oldest first."""
        if branch not in self._sessions:
            found = self._db.execute(
                "WITH RECURSIVE above (no) AS"
                " (SELECT ? UNION SELECT b.no FROM above JOIN branches AS b ON b.base = above.no)"
                " SELECT DISTINCT b.session FROM above JOIN branches AS b ON b.no = above.no ORDER BY b.session",
                (branch,),
            )
            self._sessions[branch] = [session for (session,) in found]
        return self._sessions[branch]

    def _path(self, session: int) -> tuple[str, dict[int, int]]:
        if session not in self._paths:
            row = self._db.execute("SELECT id, branch, status FROM sessions WHERE no = ?", (session,)).fetchone()
            shown = row is not None and row[2] < 2
            path = dict(branches.segments(self._db, row[1])) if row and shown else {}
            self._paths[session] = (row[0] if row else "", path)
        return self._paths[session]
