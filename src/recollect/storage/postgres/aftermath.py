"""What goes along when messages go: artifacts that rest on them, summaries that cover them, and texts in receipts.

`tally` is told of all that goes, so that it can be looked for afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from recollect.storage.postgres import artifacts, receipts, rows
from recollect.storage.postgres.branches import END, Place
from recollect.storage.postgres.database import Database, Values
from recollect.storage.postgres.spaces import Space
from recollect.storage.postgres.tally import Tally

_RESTING = "SELECT DISTINCT artifact FROM rests WHERE unit = %s AND space = %s AND message = ANY (%s)"
_DROP_RESTS = "DELETE FROM rests WHERE unit = %s AND space = %s AND artifact = ANY (%s) AND message = ANY (%s)"
_FACTS_ON_PATH = f"""
SELECT r.artifact FROM sessions AS s CROSS JOIN LATERAL recollect_path(s.unit, s.space, s.branch, {END}) AS p
JOIN messages AS m ON m.unit = s.unit AND m.space = s.space AND m.branch = p.branch AND m.seq <= p.upto
JOIN rests AS r ON r.unit = s.unit AND r.space = s.space AND r.message = m.number
JOIN artifacts AS a ON a.unit = s.unit AND a.space = s.space AND a.number = r.artifact
WHERE s.unit = %s AND s.space = %s AND s.no = %s AND a.kind = 1 AND m.author IS NULL
GROUP BY r.unit, r.space, r.artifact HAVING count(*) = (
    SELECT count(*) FROM rests AS e WHERE e.unit = r.unit AND e.space = r.space AND e.artifact = r.artifact)"""
_DETACH = """
UPDATE artifacts SET session = NULL WHERE unit = %s AND space = %s AND session = %s AND number = ANY (%s)"""
_BEGIN_ANEW = """
UPDATE work SET holder = NULL, until = NULL WHERE unit = %s AND space = %s AND holder IS NOT NULL
    AND generation IN (SELECT no FROM generations WHERE dimensions = 0)"""
_SESSIONS = "SELECT session FROM branches WHERE unit = %(unit)s AND space = %(space)s AND no = ANY (%(through)s)"
_COVERING = f"""
SELECT a.number FROM artifacts AS a CROSS JOIN LATERAL recollect_node(a.unit, a.space, a.session, a.upto) AS n
WHERE a.unit = %(unit)s AND a.space = %(space)s AND a.kind = 0 AND a.upto >= %(seq)s AND a.session IN ({_SESSIONS})
    AND (n.at_branch IS NULL OR n.at_branch = ANY (%(through)s))"""
_FORGET = f"""
UPDATE receipts AS r SET {{column}} = NULL
FROM (SELECT) AS one LEFT JOIN messages AS m
    ON m.unit = %(unit)s AND m.space = %(space)s AND m.branch = %(branch)s AND m.seq = %(seq)s
WHERE r.unit = %(unit)s AND r.space = %(space)s AND r.session IN ({_SESSIONS}) AND r.{{column}} IS NOT NULL
    AND (r.leaf = m.parent AND r.author IS NOT DISTINCT FROM m.author OR r.question = m.text{{more}})"""


def of_messages(db: Database, space: Space, numbers: Sequence[int], tally: Tally) -> None:
    """Removes the artifacts that rest on any of these messages. Notes that are just being taken of their owner may be made
    of them as well, whatever they name: who takes them must begin anew."""
    kept = [number for where, number in tally.kept_facts if where == space]
    if numbers and kept:
        db.execute(_DROP_RESTS, (*space, kept, list(numbers)))
    if numbers:
        resting, _ = db.together((_RESTING, (*space, list(numbers))), (_BEGIN_ANEW, space))
        remove(db, space, [number for (number,) in resting], tally)


def of_place(db: Database, space: Space, place: Place, through: Sequence[int], tally: Tally) -> None:
    """Removes every summary whose path runs through a place; `through` are the branches that do. Call it before the
    message goes."""
    values = {**space._asdict(), "seq": place.seq, "through": list(through)}
    remove(db, space, [number for (number,) in db.execute(_COVERING, values).fetchall()], tally)


def of_questions(db: Database, space: Space, place: Place, through: Sequence[int], tally: Tally) -> None:
    """Takes out of receipts what was asked with a message, and what was made of it afterwards."""
    values = {**space._asdict(), **place._asdict(), "through": list(through)}
    db.together(
        (_FORGET.format(column="rewritten", more=" OR r.leaf >= %(seq)s"), values),
        (_FORGET.format(column="question", more=""), values),
    )


def of_session(db: Database, space: Space, session: int, tally: Tally) -> None:
    """Removes a session's artifacts and receipts."""
    own = "SELECT number FROM artifacts WHERE unit = %s AND space = %s AND session = %s"
    _delete(db, space, [number for (number,) in db.execute(own, (*space, session)).fetchall()], tally)
    _drop_receipts(db, "unit = %s AND space = %s AND session = %s", (*space, session), tally)


def detach_facts(db: Database, space: Space, session: int, tally: Tally) -> None:
    """Takes the facts on the active path of an expired session away from it, and has them stay when its messages go.
    Messages with an author are those of a pool: what rests on them must be found when the author is erased."""
    kept = [number for (number,) in db.execute(_FACTS_ON_PATH, (*space, session)).fetchall()]
    tally.kept_facts.update((space, number) for number in kept)
    if kept:
        db.execute(_DETACH, (*space, session, kept))


def of_author(db: Database, author: str, tally: Tally) -> None:
    """Removes what somebody was given in pools; works across them."""
    _drop_receipts(db, "author = %s", (author,), tally)


def of_space(db: Database, space: Space, tally: Tally) -> None:
    """Removes all that an owner or pool has of these."""
    tables = ("artifacts", "receipts", "rests", "artifact_terms", "systems")
    gone = db.together(*((f"DELETE FROM {table} WHERE unit = %s AND space = %s", space) for table in tables))
    tally.derived += gone[0].rowcount + gone[1].rowcount


def remove(db: Database, space: Space, numbers: Sequence[int], tally: Tally) -> None:
    """Removes artifacts from sessions that stay: titles and tags made by a label go with it, and a session's summary is
    its newest one that is left."""
    if not numbers:
        return
    about = "SELECT session, kind, text, data FROM artifacts WHERE unit = %s AND space = %s AND number = ANY (%s)"
    known = db.execute(f"{about} AND session IS NOT NULL", (*space, list(numbers))).fetchall()
    _delete(db, space, numbers, tally)
    for session in {session for session, kind, *_ in known if kind == artifacts.SUMMARY}:
        db.execute("SELECT recollect_follow_summary(%s, %s, %s)", (*space, session))
    for session, kind, text, data in known:
        if kind == artifacts.LABEL:
            _unlabel(db, space, session, text, rows.unpack(data) if data else {})


def _unlabel(db: Database, space: Space, session: int, title: str, data: dict[str, Any]) -> None:
    place = (*space, session)
    _, found = db.together(
        ("UPDATE sessions SET title = NULL WHERE unit = %s AND space = %s AND no = %s AND title = %s", (*place, title)),
        ("SELECT tags FROM details WHERE unit = %s AND space = %s AND session = %s", place),
    )
    row = found.fetchone()
    tags = rows.tags_of(row[0]) if row else ()
    if tags and list(tags) == data.get("tags"):
        db.together(
            ("UPDATE details SET tags = NULL WHERE unit = %s AND space = %s AND session = %s", place),
            ("DELETE FROM tags WHERE unit = %s AND space = %s AND session = %s AND tag = ANY (%s)", (*place, list(tags))),
        )


def _delete(db: Database, space: Space, numbers: Sequence[int], tally: Tally) -> None:
    if numbers:
        ids = "SELECT id FROM artifacts WHERE unit = %s AND space = %s AND number = ANY (%s)"
        tally.artifacts.update((space, id) for (id,) in db.execute(ids, (*space, list(numbers))))
        tally.derived += artifacts.delete(db, space, numbers)


def _drop_receipts(db: Database, where: str, values: Values, tally: Tally) -> None:
    going = db.execute(f"SELECT unit, space, number, id FROM receipts WHERE {where}", values).fetchall()
    by_space: dict[Space, list[int]] = {}
    for unit, space, number, id in going:
        by_space.setdefault(Space(unit, space), []).append(number)
        tally.receipts.add((Space(unit, space), id))
    for space, numbers in by_space.items():
        tally.derived += receipts.delete(db, space, numbers)


def is_left(db: Database, tally: Tally) -> bool:
    """Whether an artifact, what it rested on, or a receipt is still there."""
    gone: list[tuple[str, Values]] = []
    for table, column, places in (
        ("artifacts", "id", tally.artifacts),
        ("receipts", "id", tally.receipts),
        ("rests", "message", tally.gone),
    ):
        by_space: dict[Space, list[str | int]] = {}
        for space, what in places:
            by_space.setdefault(space, []).append(what)
        gone += [
            (f"SELECT 1 FROM {table} WHERE unit = %s AND space = %s AND {column} = ANY (%s) LIMIT 1", (*space, some))
            for space, some in by_space.items()
        ]
    gone += [
        (f"SELECT 1 FROM {table} WHERE unit = %s AND space = %s LIMIT 1", space)
        for space in tally.spaces
        for table in ("artifacts", "receipts", "rests", "artifact_terms", "systems")
    ]
    return bool(gone) and any(rows.fetchone() for rows in db.together(*gone))
