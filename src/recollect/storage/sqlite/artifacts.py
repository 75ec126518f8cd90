"""Artifacts: what is made of messages, kept with what it rests on, and found by kind, words or source."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from recollect.engine.artifacts import found_by
from recollect.ports import ArtifactQuery, Covered, Settled
from recollect.storage.sqlite import branches, rows, spaces
from recollect.storage.sqlite.database import Database, Row
from recollect.storage.sqlite.schema import NUMBERS, OWNER_BITS
from recollect.types import Artifact, ArtifactKind, Microseconds, Source

KINDS: tuple[ArtifactKind, ...] = ("summary", "fact", "tool", "label")
KIND_NUMBER = {kind: number for number, kind in enumerate(KINDS)}
SUMMARY, FACT, TOOL, LABEL = range(4)
SUMMARIES_KEPT = 8
"""Of one session, the newest. An older one stays as long as a receipt names it."""

_COLUMNS = "a.rid, a.id, a.kind, a.text, a.tokens, a.created, s.id, a.valid_from, a.valid_to, a.pinned, a.upto, a.data"
_NAMED = "LEFT JOIN sessions AS s ON s.no = a.session"


# -- keeping


def keep(db: Database, owner: int, settled: Settled) -> None:
    """Keeps what was made of messages that are still there and not private, and ends what is no longer true."""
    for artifact in settled.made:
        session = _session(db, owner, artifact.session)
        if artifact.session is not None and not session:
            continue
        if _stands(db, owner, session, artifact):
            _put(db, owner, session, artifact)
    for id, moment in settled.ended.items():
        _end(db, owner, id, moment)


def _session(db: Database, owner: int, id: str | None) -> int | None:
    row = db.execute("SELECT no FROM sessions WHERE owner = ? AND id = ? AND status < 3", (owner, id)).fetchone()
    return row[0] if row else None


def _stands(db: Database, owner: int, session: int | None, artifact: Artifact) -> bool:
    """Whether all is still there that it was made of. A summary was also made of the one before it, if it names one."""
    low, _ = spaces.rid_range(owner)
    for number in {source.number for source in artifact.sources}:
        row = db.execute("SELECT extra FROM messages WHERE rid = ?", (low + number,)).fetchone()
        if row is None or rows.is_private(row[0]):
            return False
    if artifact.kind != "summary":
        return True
    previous = artifact.data.get("previous")
    if isinstance(previous, str) and not named(db, owner, [previous]):
        return False
    return session is not None and branches.node(db, session, artifact.upto) is not None


def _put(db: Database, owner: int, session: int | None, artifact: Artifact) -> None:
    kind = KIND_NUMBER[artifact.kind]
    replaced = named(db, owner, [artifact.id])
    if kind == SUMMARY:
        twin = "SELECT rid FROM artifacts WHERE session = ? AND kind = 0 AND upto = ?"
        replaced += [rid for (rid,) in db.execute(twin, (session, artifact.upto))]
    delete(db, set(replaced))
    rid = _next_rid(db, owner)
    data = rows.pack(artifact.data) if artifact.data else None
    db.execute(
        "INSERT INTO artifacts (rid, id, kind, session, upto, tokens, created, valid_from, valid_to, pinned, data, text)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            rid, artifact.id, kind, session, artifact.upto, artifact.tokens, artifact.created, artifact.valid_from,
            artifact.valid_to, int(artifact.pinned), data, artifact.text,
        ),
    )  # fmt: skip
    low, _ = spaces.rid_range(owner)
    db.executemany(
        "INSERT INTO rests VALUES (?, ?, ?, ?, ?)",
        [(rid, place, low + number, start, end) for place, (number, start, end) in enumerate(artifact.sources)],
    )
    write_terms(db, rid, kind, artifact.text, data)
    if session is not None and kind == SUMMARY:
        _prune(db, owner, session)
        follow(db, session)


def _next_rid(db: Database, owner: int) -> int:
    low, high = spaces.rid_range(owner)
    row = db.execute("SELECT max(rid) FROM artifacts WHERE rid BETWEEN ? AND ?", (low, high)).fetchone()
    return (row[0] if row and row[0] else low) + 1


def _end(db: Database, owner: int, id: str, moment: Microseconds) -> None:
    db.execute("UPDATE artifacts SET valid_to = ? WHERE rid >> 32 = ? AND id = ? AND kind = 1", (moment, owner, id))


def _prune(db: Database, owner: int, session: int) -> None:
    """Lets go of a session's old summaries that no receipt names. Those that stood in a prompt (they are pinned) are counted
    by themselves: with a large window, the one that is in use is far from the newest."""
    older = "SELECT rid, id FROM artifacts WHERE session = ? AND kind = 0 AND pinned = ? ORDER BY upto DESC LIMIT -1 OFFSET"
    old = [row for pinned in (0, 1) for row in db.execute(f"{older} ?", (session, pinned, SUMMARIES_KEPT)).fetchall()]
    named = "SELECT 1 FROM receipts WHERE rid >> 32 = ? AND summary = ?"
    delete(db, {rid for rid, id in old if not db.execute(named, (owner, id)).fetchone()})


def follow(db: Database, session: int) -> None:
    """The session's own summary is its newest one. That is no change of the session: its revision stays."""
    newest = db.execute(
        "SELECT text, created FROM artifacts WHERE session = ? AND kind = 0 ORDER BY upto DESC LIMIT 1", (session,)
    ).fetchone()
    db.execute("UPDATE details SET summary = ?, summarized = ? WHERE session = ?", (*(newest or (None, None)), session))
    if newest and not db.changes():
        db.execute("INSERT INTO details (session, summary, summarized) VALUES (?, ?, ?)", (session, *newest))
        db.execute("UPDATE sessions SET detailed = 1 WHERE no = ?", (session,))


# -- words


def words(kind: int, text: str, data: str | None) -> list[str]:
    """The terms by which an artifact is found: its text's and, of a fact, those of what it is about."""
    return found_by(KINDS[kind], text, rows.unpack(data) if data else {})


def write_terms(db: Database, rid: int, kind: int, text: str, data: str | None) -> None:
    """Notes by which terms an artifact is found."""
    owner = rid >> OWNER_BITS
    db.executemany("INSERT INTO artifact_terms VALUES (?, ?, ?)", [(owner, term, rid) for term in words(kind, text, data)])


def rebuild_terms(db: Database) -> None:
    """Makes the terms of all artifacts anew."""
    db.execute("DELETE FROM artifact_terms")
    for rid, kind, text, data in db.execute("SELECT rid, kind, text, data FROM artifacts").fetchall():
        write_terms(db, rid, kind, text, data)


# -- removing


def delete(db: Database, rids: Iterable[int]) -> int:
    """Removes artifacts with their terms and what says what they rest on; returns how many there were."""
    removed = 0
    for rid in rids:
        row = db.execute("SELECT kind, text, data FROM artifacts WHERE rid = ?", (rid,)).fetchone()
        if row is None:
            continue
        owner = rid >> OWNER_BITS
        db.executemany(
            "DELETE FROM artifact_terms WHERE owner = ? AND term = ? AND artifact = ?",
            [(owner, term, rid) for term in words(*row)],
        )
        db.execute("DELETE FROM rests WHERE artifact = ?", (rid,))
        db.execute("DELETE FROM artifacts WHERE rid = ?", (rid,))
        removed += 1
    return removed


def named(db: Database, owner: int, ids: Sequence[str]) -> list[int]:
    """The rows of the owner's artifacts that have these ids."""
    found = "SELECT rid FROM artifacts WHERE rid >> 32 = ? AND id IN (SELECT value FROM json_each(?))"
    return [rid for (rid,) in db.execute(found, (owner, rows.pack(list(ids))))]


# -- reading


def read(db: Database, owner: int, query: ArtifactQuery) -> list[Artifact]:
    """The owner's artifacts of one kind, newest first."""
    source, values = _source(owner, query)
    where, more = _conditions(db, owner, query)
    order = "a.upto DESC, a.rid DESC" if query.kind == "summary" else "a.created DESC, a.rid DESC"
    # First which, then what they say: sorting whole rows of many takes three times as long.
    wanted = f"SELECT a.rid FROM {source} WHERE {where} ORDER BY {order} LIMIT ?"
    found = db.execute(
        f"SELECT {_COLUMNS} FROM artifacts AS a {_NAMED} WHERE a.rid IN ({wanted}) ORDER BY {order}",
        (*values, *more, query.limit),
    ).fetchall()
    return whole(db, found)


def _source(owner: int, query: ArtifactQuery) -> tuple[str, list[Any]]:
    """Where to look: among all artifacts, or first of all among those that have a term or rest on a message."""
    wanted, values = list[str](), list[Any]()
    if query.terms:
        wanted.append("SELECT artifact FROM artifact_terms WHERE owner = ? AND term IN (SELECT value FROM json_each(?))")
        values += [owner, rows.pack(query.terms)]
    if query.numbers:
        low, _ = spaces.rid_range(owner)
        wanted.append("SELECT artifact FROM rests WHERE message IN (SELECT value FROM json_each(?))")
        values.append(json.dumps([low + number for number in query.numbers if 0 < number <= NUMBERS]))
    if not wanted:
        return "artifacts AS a", []
    return f"({' UNION '.join(wanted)}) AS w CROSS JOIN artifacts AS a", values


def _conditions(db: Database, owner: int, query: ArtifactQuery) -> tuple[str, list[Any]]:
    # With a plus, a condition leads to no index: a few ids, and those of a session, are found sooner by themselves.
    where, values = "+a.kind = ?" if query.ids else "a.kind = ?", list[Any]([KIND_NUMBER[query.kind]])
    if query.terms or query.numbers:
        where += " AND a.rid = w.artifact"
    else:
        where += " AND +(a.rid >> 32) = ?" if query.session is not None and not query.ids else " AND a.rid >> 32 = ?"
        values.append(owner)
    if query.session is not None:
        where += " AND a.session = ?"
        values.append(_session(db, owner, query.session) or 0)
    if query.ids:
        where += " AND a.id IN (SELECT value FROM json_each(?))"
        values.append(rows.pack(query.ids))
    if query.as_of is not None:
        where += " AND a.valid_from <= ? AND (a.valid_to IS NULL OR a.valid_to > ?)"
        values += [query.as_of, query.as_of]
    if query.pinned is not None:
        where += f" AND a.pinned = {int(query.pinned)}"
    if query.fact_kinds:
        where += " AND json_extract(a.data, '$.kind') IN (SELECT value FROM json_each(?))"
        values.append(rows.pack(query.fact_kinds))
    return where, values


def summaries(db: Database, session: int) -> list[Covered]:
    """A session's summaries, by growing `upto`."""
    found = "SELECT id, upto FROM artifacts WHERE session = ? AND kind = 0 ORDER BY upto"
    return [Covered(*row) for row in db.execute(found, (session,))]


def on_path(db: Database, found: Sequence[Covered], path: Mapping[int, tuple[int, int]]) -> list[Covered]:
    """Those of the summaries that end on a path (branch: behind which seq, up to which)."""
    said = "SELECT 1 FROM messages WHERE branch = ? AND seq = ?"
    return [
        one
        for one in found
        if any(
            after < one.upto <= upto and db.execute(said, (branch, one.upto)).fetchone()
            for branch, (after, upto) in path.items()
        )
    ]


def whole(db: Database, found: Sequence[Row]) -> list[Artifact]:
    """Artifacts from rows, with what they rest on."""
    sources: dict[int, list[Source]] = {}
    if found:
        rests = db.execute(
            "SELECT r.artifact, r.message & 4294967295, r.start, r.end FROM json_each(?) AS j CROSS JOIN rests AS r"
            " ON r.artifact = j.value ORDER BY r.artifact, r.place",
            (json.dumps([row[0] for row in found]),),
        )
        for rid, *source in rests:
            sources.setdefault(rid, []).append(Source(*source))
    return [_artifact(row, tuple(sources.get(row[0], ()))) for row in found]


def _artifact(row: Row, sources: tuple[Source, ...]) -> Artifact:
    _, id, kind, text, tokens, created, session, valid_from, valid_to, pinned, upto, data = row
    return Artifact(
        id, KINDS[int(kind)], text, tokens, created, session, sources, valid_from, valid_to, pinned == 1, upto,
        {} if data is None else rows.unpack(data),
    )  # fmt: skip
