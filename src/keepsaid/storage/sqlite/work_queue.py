"""Work queues for embedding and for extracting notes: which messages wait, and which worker has leased them.

Saving a message writes nothing here. In every generation, an owner's messages are embedded in the order of their numbers, so
the messages after `work.upto` are waiting, and one lookup of the owner's newest message shows whether any are. One worker at
a time holds the lease of an owner.

A notes queue is stored as a generation without dimensions and leased in the same way. It skips documents.
"""

from __future__ import annotations

from collections.abc import Sequence

from keepsaid.errors import Conflict, NotFound
from keepsaid.ports import ArtifactChanges, EmbeddedPassage, VisibleMessage, WorkLease
from keepsaid.storage.passage_checks import check_passages
from keepsaid.storage.sqlite import artifacts, partitions, rows
from keepsaid.storage.sqlite.connection.database import SqliteConnection
from keepsaid.storage.sqlite.search import vectors
from keepsaid.types import Microseconds, Scope

_WAITING = """
SELECT o.no FROM owners AS o LEFT JOIN work AS w ON w.generation = ?1 AND w.owner = o.no
WHERE o.no BETWEEN ?2 AND ?3 AND (o.kind < 2 OR (SELECT dimensions FROM generations WHERE no = ?1) > 0)
    AND coalesce(w.upto, 0) < coalesce((SELECT m.rid - (o.no << 32) FROM messages AS m
        WHERE m.rid BETWEEN o.no << 32 AND (o.no << 32) + 4294967295 ORDER BY m.rid DESC LIMIT 1), 0)"""
_NEXT = f"{_WAITING} AND (w.holder IS NULL OR w.holder = ?4 OR w.until <= ?5) ORDER BY o.no LIMIT 1"
_ANYONE = f"{_WAITING} LIMIT 1"
_STATE_OF_OWNER = """
SELECT o.kind, (SELECT max(m.rid) FROM messages AS m WHERE m.rid BETWEEN ?2 AND ?3) - ?2, coalesce(g.dimensions, 0) = 0,
    (SELECT w.upto FROM work AS w WHERE w.generation = g.no AND w.owner = o.no)
FROM owners AS o LEFT JOIN generations AS g ON g.name = ?4 WHERE o.no = ?1"""
"""The kind of a partition, its last message number, whether a queue is for notes, and the last number processed in it."""
_EVERYONE = 1 << 62


def find_candidate(
    db: SqliteConnection, generation: str, holder: str, now: Microseconds, after: int, scope: Scope | None
) -> int | None:
    """Return an owner with waiting messages that no other worker has leased: the scope's, one that the holder has already
    leased, or the next one after a number, starting over at the end."""
    number = _known(db, generation)

    def first(low: int, high: int) -> int | None:
        row = db.execute(_NEXT, (number, low, high, holder, now)).fetchone()
        return row[0] if row else None

    if scope is not None:
        owner = partitions.find_partition(db, scope)
        return first(owner, owner)
    held = db.execute("SELECT owner FROM work WHERE generation = ? AND holder = ?", (number, holder)).fetchall()
    own = next((owner for (owner,) in held if first(owner, owner)), None)
    return own or first(after + 1, _EVERYONE) or first(0, after)


def take_lease(
    db: SqliteConnection, generation: str, owner: int, holder: str, now: Microseconds, until: Microseconds, limit: int
) -> WorkLease | None:
    """Lease the owner's next messages, unless another worker was faster."""
    number = _known(db, generation)
    upto, held_by, held_until = db.execute(
        "SELECT upto, holder, until FROM work WHERE generation = ? AND owner = ?", (number, owner)
    ).fetchone() or (0, None, 0)
    messages = _messages(db, owner, upto, limit)
    if not messages or (held_by not in (None, holder) and held_until > now):
        return None
    db.execute(
        "INSERT INTO work VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET holder = excluded.holder, until = excluded.until",
        (number, owner, upto, holder, until),
    )
    return WorkLease(
        generation, owner, upto, messages[-1].number, messages, holder, until, partitions.admin_scope(db, owner)
    )


def _messages(db: SqliteConnection, owner: int, after: int, limit: int) -> list[VisibleMessage]:
    low, high = partitions.rid_range(owner)
    found = db.execute(
        f"SELECT m.rid, iif(s.status < 3, s.id, ''), {rows.MESSAGE_COLUMNS} FROM messages AS m"
        " LEFT JOIN branches AS b ON b.no = m.branch LEFT JOIN sessions AS s ON s.no = b.session"
        " WHERE m.rid > ? AND m.rid <= ? ORDER BY m.rid LIMIT ?",
        (low + after, high, limit),
    )
    return [VisibleMessage(rid - low, rows.message_from_row(tuple(row), session)) for rid, session, *row in found]


def settle_task(db: SqliteConnection, task: WorkLease, passages: Sequence[EmbeddedPassage]) -> bool:
    """Store the vectors of the task's messages that still exist and are not private. Return False if the lease was lost."""
    row = db.execute(
        "SELECT no, dimensions, complete FROM generations WHERE name = ? AND dimensions > 0", (task.generation,)
    ).fetchone()
    if row is None:
        return False
    number, dimensions, complete = row
    check_passages(task, passages, dimensions)
    if not _is_held(db, number, task):
        return False
    low, _ = partitions.rid_range(task.space)
    ends = (low + task.after, low + task.upto)
    there = db.execute("SELECT rid, extra FROM messages WHERE rid > ? AND rid <= ?", ends)
    wanted = {rid - low for rid, extra in there if not rows.is_private(extra)}
    vectors.delete_vectors(db, "rid > ? AND rid <= ?", ends, str(number))
    vectors.add_passages(db, number, low, (passage for passage in passages if passage.number in wanted))
    _done(db, number, task)
    if not complete:
        complete_if_done(db, task.generation, task.space)
    return True


def _is_held(db: SqliteConnection, line: int, task: WorkLease) -> bool:
    held = db.execute("SELECT upto, holder FROM work WHERE generation = ? AND owner = ?", (line, task.space)).fetchone()
    return held == (task.after, task.holder)


def _done(db: SqliteConnection, line: int, task: WorkLease) -> None:
    db.execute(
        "UPDATE work SET upto = ?, holder = NULL, until = NULL WHERE generation = ? AND owner = ?",
        (task.upto, line, task.space),
    )


def begin_notes(db: SqliteConnection, line: str) -> None:
    """Create a notes queue, unless it exists."""
    db.execute("INSERT OR IGNORE INTO generations (name, dimensions, complete) VALUES (?, 0, 1)", (line,))
    if vectors.generation_number(db, line):
        raise Conflict(f"{line!r} is the name of an embedder's vectors: choose another name for the notes")


def has_notes(db: SqliteConnection, line: str) -> bool:
    """Whether a notes queue of this name exists."""
    return _line(db, line) > 0 and not vectors.generation_number(db, line)


def is_begun(db: SqliteConnection, line: str) -> bool:
    """Whether a queue of this name exists, for vectors or for notes."""
    return _line(db, line) > 0


def settle_notes(db: SqliteConnection, task: WorkLease, settled: ArtifactChanges) -> bool:
    """Store what was extracted from a task's messages. Return False if the lease was lost."""
    line = _line(db, task.generation)
    if not has_notes(db, task.generation) or not _is_held(db, line, task):
        return False
    artifacts.keep(db, task.space, settled)
    _done(db, line, task)
    return True


def is_complete(db: SqliteConnection, generation: str) -> bool:
    """Whether a generation has ever covered all messages. A notes queue always counts as complete."""
    row = db.execute("SELECT complete FROM generations WHERE name = ?", (generation,)).fetchone()
    return bool(row and row[0])


def is_everything_done(db: SqliteConnection, generation: str, start: int = 0) -> bool:
    """Whether a generation covers all messages. Checks the owners after `start` first, as workers do."""
    number = _known(db, generation)
    return not any(db.execute(_ANYONE, (number, *ends)).fetchone() for ends in ((start, _EVERYONE), (0, start)))


def complete_if_done(db: SqliteConnection, generation: str, start: int = 0) -> None:
    """Mark a generation as complete if it covers all messages."""
    if is_everything_done(db, generation, start):
        vectors.set_complete(db, generation, True)


def release(db: SqliteConnection, task: WorkLease) -> None:
    """Release a lease."""
    db.execute(
        "UPDATE work SET holder = NULL, until = NULL WHERE generation = ? AND owner = ? AND holder = ? AND upto = ?",
        (_line(db, task.generation), task.space, task.holder, task.after),
    )


def count_waiting(db: SqliteConnection, owner: int, generation: str) -> int:
    """Return how many of the owner's message numbers come after the last processed one."""
    row = db.execute(_STATE_OF_OWNER, (owner, *partitions.rid_range(owner), generation)).fetchone()
    if row is None:
        return 0
    kind, last, is_notes, upto = row
    is_skipped = is_notes and kind >= partitions.DOCUMENTS_OFFSET
    return 0 if is_skipped or last is None else max(0, last - (upto or 0))


def _line(db: SqliteConnection, name: str) -> int:
    """Return the number of a queue, for vectors or for notes, or 0 if it does not exist."""
    row = db.execute("SELECT no FROM generations WHERE name = ?", (name,)).fetchone()
    return row[0] if row else 0


def count_unnoted(db: SqliteConnection, line: str) -> int:
    """Return how many messages wait in a notes queue."""
    (count,) = db.execute(
        "SELECT count(*) FROM owners AS o LEFT JOIN work AS w ON w.generation = ? AND w.owner = o.no"
        " CROSS JOIN messages AS m ON m.rid > (o.no << 32) + coalesce(w.upto, 0) AND m.rid <= (o.no << 32) + 4294967295"
        " WHERE o.kind < ?",
        (_known(db, line), partitions.DOCUMENTS_OFFSET),
    ).fetchall()[0]
    return count


def _known(db: SqliteConnection, generation: str) -> int:
    number = _line(db, generation)
    if not number:
        raise NotFound(f"there is no generation or notes queue {generation!r} in this store")
    return number
