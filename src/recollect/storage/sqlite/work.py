"""The work of embedding and of taking notes: who is given which messages, and what is done.

Nothing is written down when a message is saved. In every generation the messages of an owner are embedded in the order of
their numbers, so what waits is what comes behind `work.upto`, and an owner is found to be waiting by one look at his newest
message. One worker at a time holds an owner.

A line of notes is a generation without dimensions, and handed out in the same way. Of documents no notes are taken.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.errors import Conflict, NotFound
from recollect.ports import Passage, Seen, Settled, Task
from recollect.storage.passages import check_passages
from recollect.storage.sqlite import artifacts, rows, spaces, vectors
from recollect.storage.sqlite.database import Database
from recollect.types import Microseconds, Scope

_WAITING = """
SELECT o.no FROM owners AS o LEFT JOIN work AS w ON w.generation = ?1 AND w.owner = o.no
WHERE o.no BETWEEN ?2 AND ?3 AND (o.kind < 2 OR (SELECT dimensions FROM generations WHERE no = ?1) > 0)
    AND coalesce(w.upto, 0) < coalesce((SELECT m.rid - (o.no << 32) FROM messages AS m
        WHERE m.rid BETWEEN o.no << 32 AND (o.no << 32) + 4294967295 ORDER BY m.rid DESC LIMIT 1), 0)"""
_NEXT = f"{_WAITING} AND (w.holder IS NULL OR w.holder = ?4 OR w.until <= ?5) ORDER BY o.no LIMIT 1"
_ANYONE = f"{_WAITING} LIMIT 1"
_EVERYONE = 1 << 62


def candidate(db: Database, generation: str, holder: str, now: Microseconds, after: int, scope: Scope | None) -> int | None:
    """An owner whose messages wait and whom nobody else holds: the scope's, the one that the holder has already, or the
    next behind a number, going round."""
    number = _known(db, generation)

    def first(low: int, high: int) -> int | None:
        row = db.execute(_NEXT, (number, low, high, holder, now)).fetchone()
        return row[0] if row else None

    if scope is not None:
        owner = spaces.space(db, scope)
        return first(owner, owner)
    held = db.execute("SELECT owner FROM work WHERE generation = ? AND holder = ?", (number, holder)).fetchall()
    own = next((owner for (owner,) in held if first(owner, owner)), None)
    return own or first(after + 1, _EVERYONE) or first(0, after)


def take(
    db: Database, generation: str, owner: int, holder: str, now: Microseconds, until: Microseconds, limit: int
) -> Task | None:
    """Leases the owner's next messages, unless somebody else was quicker."""
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
    return Task(generation, owner, upto, messages[-1].number, messages, holder, until, spaces.acting(db, owner))


def _messages(db: Database, owner: int, after: int, limit: int) -> list[Seen]:
    low, high = spaces.rid_range(owner)
    found = db.execute(
        f"SELECT m.rid, iif(s.status < 3, s.id, ''), {rows.MESSAGE} FROM messages AS m"
        " LEFT JOIN branches AS b ON b.no = m.branch LEFT JOIN sessions AS s ON s.no = b.session"
        " WHERE m.rid > ? AND m.rid <= ? ORDER BY m.rid LIMIT ?",
        (low + after, high, limit),
    )
    return [Seen(rid - low, rows.message(tuple(row), session)) for rid, session, *row in found]


def settle(db: Database, task: Task, passages: Sequence[Passage]) -> bool:
    """Keeps the vectors of those of the task's messages that are still there, and not private."""
    row = db.execute(
        "SELECT no, dimensions, complete FROM generations WHERE name = ? AND dimensions > 0", (task.generation,)
    ).fetchone()
    if row is None:
        return False
    number, dimensions, complete = row
    check_passages(task, passages, dimensions)
    if not _is_held(db, number, task):
        return False
    low, _ = spaces.rid_range(task.space)
    ends = (low + task.after, low + task.upto)
    there = db.execute("SELECT rid, extra FROM messages WHERE rid > ? AND rid <= ?", ends)
    wanted = {rid - low for rid, extra in there if not rows.is_private(extra)}
    vectors.clear(db, "rid > ? AND rid <= ?", ends, str(number))
    vectors.add(db, number, low, (passage for passage in passages if passage.number in wanted))
    _done(db, number, task)
    if not complete:
        complete_if_done(db, task.generation, task.space)
    return True


def _is_held(db: Database, line: int, task: Task) -> bool:
    held = db.execute("SELECT upto, holder FROM work WHERE generation = ? AND owner = ?", (line, task.space)).fetchone()
    return held == (task.after, task.holder)


def _done(db: Database, line: int, task: Task) -> None:
    db.execute(
        "UPDATE work SET upto = ?, holder = NULL, until = NULL WHERE generation = ? AND owner = ?",
        (task.upto, line, task.space),
    )


def begin_notes(db: Database, line: str) -> None:
    """Begins a line of notes, unless it has begun."""
    db.execute("INSERT OR IGNORE INTO generations (name, dimensions, complete) VALUES (?, 0, 1)", (line,))
    if vectors.generation_number(db, line):
        raise Conflict(f"{line!r} is the name of an embedder's vectors: give the notes another one")


def has_notes(db: Database, line: str) -> bool:
    """Whether a line of notes was ever begun."""
    return _line(db, line) > 0 and not vectors.generation_number(db, line)


def is_begun(db: Database, line: str) -> bool:
    """Whether any work of this name was ever begun."""
    return _line(db, line) > 0


def settle_notes(db: Database, task: Task, settled: Settled) -> bool:
    """Keeps what was made of a task's messages."""
    line = _line(db, task.generation)
    if not has_notes(db, task.generation) or not _is_held(db, line, task):
        return False
    artifacts.keep(db, task.space, settled)
    _done(db, line, task)
    return True


def is_complete(db: Database, generation: str) -> bool:
    """Whether a generation has ever covered everything; a line of notes serves from its first day."""
    row = db.execute("SELECT complete FROM generations WHERE name = ?", (generation,)).fetchone()
    return bool(row and row[0])


def nobody_waits(db: Database, generation: str, start: int = 0) -> bool:
    """Whether a generation covers everything. Looks behind `start` first, where workers go next."""
    number = _known(db, generation)
    return not any(db.execute(_ANYONE, (number, *ends)).fetchone() for ends in ((start, _EVERYONE), (0, start)))


def complete_if_done(db: Database, generation: str, start: int = 0) -> None:
    """Notes that a generation covers everything, if it does."""
    if nobody_waits(db, generation, start):
        vectors.set_complete(db, generation, True)


def release(db: Database, task: Task) -> None:
    """Gives a lease back."""
    db.execute(
        "UPDATE work SET holder = NULL, until = NULL WHERE generation = ? AND owner = ? AND holder = ? AND upto = ?",
        (_line(db, task.generation), task.space, task.holder, task.after),
    )


def waiting(db: Database, owner: int, generation: str) -> int:
    """How many of the owner's message numbers come behind the last embedded one."""
    low, high = spaces.rid_range(owner)
    row = db.execute("SELECT max(rid) FROM messages WHERE rid BETWEEN ? AND ?", (low, high)).fetchone()
    number = _line(db, generation)
    if not vectors.generation_number(db, generation) and _is_shelf(db, owner):
        return 0
    upto = db.execute("SELECT upto FROM work WHERE generation = ? AND owner = ?", (number, owner)).fetchone() or (0,)
    return max(0, row[0] - low - upto[0]) if row and row[0] else 0


def _is_shelf(db: Database, owner: int) -> bool:
    return db.execute("SELECT 1 FROM owners WHERE no = ? AND kind >= ?", (owner, spaces.SHELF)).fetchone() is not None


def _line(db: Database, name: str) -> int:
    """The number of a line of work, be it vectors or notes; 0 if it was never begun."""
    row = db.execute("SELECT no FROM generations WHERE name = ?", (name,)).fetchone()
    return row[0] if row else 0


def unnoted(db: Database, line: str) -> int:
    """How many messages wait in a line of notes."""
    (waiting,) = db.execute(
        "SELECT count(*) FROM owners AS o LEFT JOIN work AS w ON w.generation = ? AND w.owner = o.no"
        " CROSS JOIN messages AS m ON m.rid > (o.no << 32) + coalesce(w.upto, 0) AND m.rid <= (o.no << 32) + 4294967295"
        " WHERE o.kind < ?",
        (_known(db, line), spaces.SHELF),
    ).fetchall()[0]
    return waiting


def _known(db: Database, generation: str) -> int:
    number = _line(db, generation)
    if not number:
        raise NotFound(f"no work of {generation!r} was ever begun in this store")
    return number
