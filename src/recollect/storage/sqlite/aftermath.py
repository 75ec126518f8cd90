"""What goes along when messages go: artifacts that rest on them, summaries that cover them, and texts in receipts.

`tally` is told of all that goes, so that it can be looked for afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from recollect.storage.sqlite import artifacts, branches, receipts, residue, rows, spaces
from recollect.storage.sqlite.branches import Place
from recollect.storage.sqlite.database import Database, Row
from recollect.storage.sqlite.schema import OWNER_BITS
from recollect.storage.sqlite.tally import Tally


def of_messages(db: Database, where: str, values: Sequence[int], tally: Tally) -> None:
    """Removes the artifacts that rest on any of these messages (`m`). Notes that are just being taken of their owner may be
    made of them as well, whatever they name: who takes them must begin anew."""
    if tally.kept_facts:
        db.execute(
            "DELETE FROM rests WHERE artifact IN (SELECT value FROM json_each(?))"
            f" AND message IN (SELECT m.rid FROM messages AS m WHERE {where})",
            (rows.pack(list(tally.kept_facts)), *values),
        )
    resting = f"SELECT DISTINCT r.artifact FROM messages AS m CROSS JOIN rests AS r ON r.message = m.rid WHERE {where}"
    remove(db, [rid for (rid,) in db.execute(resting, values)], tally)
    db.execute(
        "UPDATE work SET holder = NULL, until = NULL WHERE generation IN (SELECT no FROM generations WHERE dimensions = 0)"
        f" AND holder IS NOT NULL AND owner IN (SELECT DISTINCT m.rid >> 32 FROM messages AS m WHERE {where})",
        values,
    )


def of_place(db: Database, place: Place, through: Sequence[int], tally: Tally) -> None:
    """Removes every summary whose path runs through a place; `through` are the branches that do. Call it before the
    message goes."""
    covering: list[int] = []
    for session in _sessions(db, through):
        for rid, upto in db.execute(
            "SELECT rid, upto FROM artifacts WHERE session = ? AND kind = 0 AND upto >= ?", (session, place.seq)
        ).fetchall():
            end = branches.node(db, session, upto)
            if end is None or end.branch in through:
                covering.append(rid)
    remove(db, covering, tally)


def of_questions(db: Database, place: Place, through: Sequence[int], tally: Tally) -> None:
    """Takes out of receipts what was asked with a message, and what was made of it afterwards."""
    row = db.execute("SELECT parent, author, text FROM messages WHERE branch = ? AND seq = ?", place).fetchone()
    asked = row or (-1, None, None)
    made_for = "(leaf = ? AND author IS ? OR question = ?)"
    for session in _sessions(db, through):
        for column, where, values in (
            ("rewritten", f"({made_for} OR leaf >= ?)", (session, *asked, place.seq)),
            ("question", made_for, (session, *asked)),
        ):
            condition = f"WHERE session = ? AND {column} IS NOT NULL AND {where}"
            tally.note_rows(db, f"SELECT {column} FROM receipts {condition}", values)
            db.execute(f"UPDATE receipts SET {column} = NULL {condition}", values)


def of_session(db: Database, session: int, tally: Tally) -> None:
    """Removes a session's artifacts and receipts."""
    own = "SELECT rid FROM artifacts WHERE session = ?"
    _delete(db, [rid for (rid,) in db.execute(own, (session,))], tally)
    _drop_receipts(db, "session = ?", (session,), tally)


_FACTS_ON_PATH = """
SELECT r.artifact FROM json_each(?) AS j CROSS JOIN messages AS m ON m.branch = j.value ->> 0 AND m.seq <= j.value ->> 1
CROSS JOIN rests AS r ON r.message = m.rid CROSS JOIN artifacts AS a ON a.rid = r.artifact
WHERE a.kind = 1 AND m.author IS NULL
GROUP BY r.artifact HAVING count(*) = (SELECT count(*) FROM rests AS every WHERE every.artifact = r.artifact)"""


def detach_facts(db: Database, session: int, tally: Tally) -> None:
    """Takes the facts on the active path of an expired session away from it, and has them stay when its messages go.
    Messages with an author are those of a pool: what rests on them must be found when the author is erased."""
    (branch,) = db.execute("SELECT branch FROM sessions WHERE no = ?", (session,)).fetchall()[0]
    path = rows.pack(branches.segments(db, branch))
    tally.kept_facts.update(rid for (rid,) in db.execute(_FACTS_ON_PATH, (path,)))
    db.execute(
        "UPDATE artifacts SET session = NULL WHERE session = ? AND rid IN (SELECT value FROM json_each(?))",
        (session, rows.pack(list(tally.kept_facts))),
    )


def of_author(db: Database, author: str, tally: Tally) -> None:
    """Removes what somebody was given in pools."""
    _drop_receipts(db, "author = ?", (author,), tally)


def of_space(db: Database, owner: int, tally: Tally) -> None:
    """Removes all that an owner or pool has of these."""
    ends = spaces.rid_range(owner)
    _note(db, "rid BETWEEN ? AND ?", ends, tally)
    tally.note_rows(db, "SELECT question, rewritten, data, id FROM receipts WHERE rid BETWEEN ? AND ?", ends)
    tally.note_rows(db, "SELECT text FROM systems WHERE owner = ?", (owner,))
    for table, column in (("rests", "artifact"), ("artifact_terms", "artifact"), ("artifacts", "rid"), ("receipts", "rid")):
        place = "owner = ? AND " if table == "artifact_terms" else ""
        values = (owner, *ends) if place else ends
        db.execute(f"DELETE FROM {table} WHERE {place}{column} BETWEEN ? AND ?", values)
        tally.derived += db.changes() if column == "rid" else 0
    db.execute("DELETE FROM systems WHERE owner = ?", (owner,))


def remove(db: Database, rids: Iterable[int], tally: Tally) -> None:
    """Removes artifacts from sessions that stay: titles and tags made by a label go with it, and a session's summary is
    its newest one that is left."""
    going = list(rids)
    about = "SELECT session, kind, text, data FROM artifacts WHERE rid = ?"
    known = [row for rid in going if (row := db.execute(about, (rid,)).fetchone())]
    _delete(db, going, tally)
    for session, kind, text, data in known:
        if kind == artifacts.SUMMARY and session is not None:
            artifacts.follow(db, session)
        elif kind == artifacts.LABEL and session is not None:
            _unlabel(db, session, text, rows.unpack(data) if data else {}, tally)


def _unlabel(db: Database, session: int, title: str, data: dict[str, object], tally: Tally) -> None:
    db.execute("UPDATE sessions SET title = NULL WHERE no = ? AND title = ?", (session, title))
    row = db.execute("SELECT tags FROM details WHERE session = ?", (session,)).fetchone()
    tags = rows.tags_of(row[0]) if row else ()
    if tags and list(tags) == data.get("tags"):
        tally.note(*residue.pieces(*tags, row[0] if row else None))
        db.execute("UPDATE details SET tags = NULL WHERE session = ?", (session,))
        db.execute(
            "DELETE FROM tags WHERE owner = (SELECT owner FROM sessions WHERE no = ?1) AND session = ?1"
            " AND tag IN (SELECT value FROM json_each(?2))",
            (session, rows.pack(tags)),
        )


def _delete(db: Database, rids: list[int], tally: Tally) -> None:
    for rid in rids:
        _note(db, "rid = ?", (rid,), tally)
    tally.derived += artifacts.delete(db, rids)


def _note(db: Database, where: str, values: Sequence[int], tally: Tally) -> None:
    """Tells the tally of artifacts that are about to go."""
    for rid, id, kind, text, data in db.execute(f"SELECT rid, id, kind, text, data FROM artifacts WHERE {where}", values):
        tally.artifacts.add((rid, id))
        tally.note(*residue.pieces(id, text, data))
        for term in artifacts.words(kind, text, data):
            tally.note(*residue.row_pieces(rid >> OWNER_BITS, term, rid))


def _drop_receipts(db: Database, where: str, values: Sequence[int | str], tally: Tally) -> None:
    going: list[Row] = db.execute(f"SELECT rid, id FROM receipts WHERE {where}", values).fetchall()
    tally.receipts.update((rid, id) for rid, id in going)
    tally.note_rows(db, f"SELECT question, rewritten, data, id FROM receipts WHERE {where}", values)
    for owner in {rid >> OWNER_BITS for rid, _ in going}:
        # More than will go, perhaps; what stays is not found in unused parts of the file.
        tally.note_rows(db, "SELECT text FROM systems WHERE owner = ?", (owner,))
    tally.derived += receipts.delete(db, [rid for rid, _ in going])


def _sessions(db: Database, through: Sequence[int]) -> list[int]:
    """The sessions that have a branch among these."""
    found = "SELECT DISTINCT session FROM branches WHERE no IN (SELECT value FROM json_each(?)) ORDER BY session"
    return [session for (session,) in db.execute(found, (rows.pack(list(through)),))]


def is_left(db: Database, tally: Tally) -> bool:
    """Whether an artifact, what it rested on, or a receipt is still there."""
    gone = [
        *(("artifacts WHERE rid = ? AND id = ?", place) for place in tally.artifacts),
        *(("receipts WHERE rid = ? AND id = ?", place) for place in tally.receipts),
        *(("rests WHERE message = ?", (rid,)) for rid in tally.rids),
    ]
    for owner in tally.owners:
        ends = spaces.rid_range(owner)
        gone += [(f"{table} WHERE rid BETWEEN ? AND ?", ends) for table in ("artifacts", "receipts")]
        gone += [("rests WHERE artifact BETWEEN ? AND ?", ends)]
        gone += [(f"{table} WHERE owner = ?", (owner,)) for table in ("artifact_terms", "systems")]
    return any(db.execute(f"SELECT 1 FROM {where} LIMIT 1", values).fetchone() for where, values in gone)
