"""Artifacts: values derived from messages, stored with their sources, and found by kind, words or source."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from keepsaid.engine.messages.artifacts import extract_artifact_terms
from keepsaid.ports import ArtifactChanges, ArtifactQuery, SummaryCoverage
from keepsaid.storage.sqlite import branches, partitions, rows
from keepsaid.storage.sqlite.connection.database import Row, SqliteConnection
from keepsaid.storage.sqlite.schema import NUMBER_MASK, OWNER_BITS
from keepsaid.types import Artifact, ArtifactKind, ArtifactSource, Microseconds

KINDS: tuple[ArtifactKind, ...] = ("summary", "fact", "tool", "label")
KIND_NUMBER = {kind: number for number, kind in enumerate(KINDS)}
SUMMARY, FACT, TOOL, LABEL = range(4)
SUMMARIES_KEPT = 8
"""The newest summaries kept for one session. An older one is kept while a receipt refers to it."""

_COLUMNS = "a.rid, a.id, a.kind, a.text, a.tokens, a.created, s.id, a.valid_from, a.valid_to, a.pinned, a.upto, a.data"
_NAMED = "LEFT JOIN sessions AS s ON s.no = a.session"


# -- writing


def keep(db: SqliteConnection, owner: int, settled: ArtifactChanges) -> None:
    """Store artifacts whose source messages still exist and are not private, and set the end of facts that ended."""
    for artifact in settled.made:
        session = _session(db, owner, artifact.session)
        if artifact.session is not None and not session:
            continue
        if _has_all_sources(db, owner, session, artifact):
            _put(db, owner, session, artifact)
    for id, moment in settled.ended.items():
        _end(db, owner, id, moment)


def _session(db: SqliteConnection, owner: int, id: str | None) -> int | None:
    row = db.execute("SELECT no FROM sessions WHERE owner = ? AND id = ? AND status < 3", (owner, id)).fetchone()
    return row[0] if row else None


def _has_all_sources(db: SqliteConnection, owner: int, session: int | None, artifact: Artifact) -> bool:
    """Whether everything it was derived from still exists. For a summary that includes the previous one, if it has one."""
    low, _ = partitions.rid_range(owner)
    for number in {source.number for source in artifact.sources}:
        row = db.execute("SELECT extra FROM messages WHERE rid = ?", (low + number,)).fetchone()
        if row is None or rows.is_private(row[0]):
            return False
    if artifact.kind != "summary":
        return True
    previous = artifact.data.get("previous")
    if isinstance(previous, str) and not find_rows_by_id(db, owner, [previous]):
        return False
    return session is not None and branches.find_by_seq(db, session, artifact.upto) is not None


def _put(db: SqliteConnection, owner: int, session: int | None, artifact: Artifact) -> None:
    kind = KIND_NUMBER[artifact.kind]
    replaced = find_rows_by_id(db, owner, [artifact.id])
    if kind == SUMMARY:
        twin = "SELECT rid FROM artifacts WHERE session = ? AND kind = 0 AND upto = ?"
        replaced += [rid for (rid,) in db.execute(twin, (session, artifact.upto))]
    delete(db, set(replaced))
    rid = _next_rid(db, owner)
    data = rows.pack_json(artifact.data) if artifact.data else None
    db.execute(
        "INSERT INTO artifacts (rid, id, kind, session, upto, tokens, created, valid_from, valid_to, pinned, data, text)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            rid, artifact.id, kind, session, artifact.upto, artifact.tokens, artifact.created, artifact.valid_from,
            artifact.valid_to, int(artifact.pinned), data, artifact.text,
        ),
    )  # fmt: skip
    low, _ = partitions.rid_range(owner)
    db.executemany(
        "INSERT INTO rests VALUES (?, ?, ?, ?, ?)",
        [(rid, place, low + number, start, end) for place, (number, start, end) in enumerate(artifact.sources)],
    )
    write_terms(db, rid, kind, artifact.text, data)
    if session is not None and kind == SUMMARY:
        _prune(db, owner, session)
        update_session_summary(db, session)


def _next_rid(db: SqliteConnection, owner: int) -> int:
    low, high = partitions.rid_range(owner)
    row = db.execute("SELECT max(rid) FROM artifacts WHERE rid BETWEEN ? AND ?", (low, high)).fetchone()
    return (row[0] if row and row[0] else low) + 1


def _end(db: SqliteConnection, owner: int, id: str, moment: Microseconds) -> None:
    db.execute("UPDATE artifacts SET valid_to = ? WHERE rid >> 32 = ? AND id = ? AND kind = 1", (moment, owner, id))


def _prune(db: SqliteConnection, owner: int, session: int) -> None:
    """Delete a session's old summaries that no receipt refers to. Those that were used in a prompt (they are pinned) are
    counted separately: with a large window, the one in use is far from the newest."""
    older = "SELECT rid, id FROM artifacts WHERE session = ? AND kind = 0 AND pinned = ? ORDER BY upto DESC LIMIT -1 OFFSET"
    old = [row for pinned in (0, 1) for row in db.execute(f"{older} ?", (session, pinned, SUMMARIES_KEPT)).fetchall()]
    in_use = "SELECT 1 FROM receipts WHERE rid >> 32 = ? AND summary = ?"
    delete(db, {rid for rid, id in old if not db.execute(in_use, (owner, id)).fetchone()})


def update_session_summary(db: SqliteConnection, session: int) -> None:
    """Set the session's own summary to its newest one. The session's revision does not change."""
    newest = db.execute(
        "SELECT text, created FROM artifacts WHERE session = ? AND kind = 0 ORDER BY upto DESC LIMIT 1", (session,)
    ).fetchone()
    db.execute("UPDATE details SET summary = ?, summarized = ? WHERE session = ?", (*(newest or (None, None)), session))
    if newest and not db.changes():
        db.execute("INSERT INTO details (session, summary, summarized) VALUES (?, ?, ?)", (session, *newest))
        db.execute("UPDATE sessions SET detailed = 1 WHERE no = ?", (session,))


# -- words


def search_terms(kind: int, text: str, data: str | None) -> list[str]:
    """Return the terms by which an artifact is found: those of its text and, for a fact, of its subject."""
    return extract_artifact_terms(KINDS[kind], text, rows.unpack_json(data) if data else {})


def write_terms(db: SqliteConnection, rid: int, kind: int, text: str, data: str | None) -> None:
    """Store the terms by which an artifact is found."""
    owner = rid >> OWNER_BITS
    db.executemany(
        "INSERT INTO artifact_terms VALUES (?, ?, ?)", [(owner, term, rid) for term in search_terms(kind, text, data)]
    )


def rebuild_terms(db: SqliteConnection) -> None:
    """Rebuild the terms of all artifacts."""
    db.execute("DELETE FROM artifact_terms")
    for rid, kind, text, data in db.execute("SELECT rid, kind, text, data FROM artifacts").fetchall():
        write_terms(db, rid, kind, text, data)


# -- removing


def delete(db: SqliteConnection, rids: Iterable[int]) -> int:
    """Delete artifacts with their terms and source references. Return how many there were."""
    removed = 0
    for rid in rids:
        row = db.execute("SELECT kind, text, data FROM artifacts WHERE rid = ?", (rid,)).fetchone()
        if row is None:
            continue
        owner = rid >> OWNER_BITS
        db.executemany(
            "DELETE FROM artifact_terms WHERE owner = ? AND term = ? AND artifact = ?",
            [(owner, term, rid) for term in search_terms(*row)],
        )
        db.execute("DELETE FROM rests WHERE artifact = ?", (rid,))
        db.execute("DELETE FROM artifacts WHERE rid = ?", (rid,))
        removed += 1
    return removed


def find_rows_by_id(db: SqliteConnection, owner: int, ids: Sequence[str]) -> list[int]:
    """Return the rows of the owner's artifacts with these ids."""
    found = "SELECT rid FROM artifacts WHERE rid >> 32 = ? AND id IN (SELECT value FROM json_each(?))"
    return [rid for (rid,) in db.execute(found, (owner, rows.pack_json(list(ids))))]


# -- reading


def read(db: SqliteConnection, owner: int, query: ArtifactQuery) -> list[Artifact]:
    """Return the owner's artifacts that match a query, newest first."""
    source, values = _source(owner, query)
    where, more = _conditions(db, owner, query)
    order = "a.upto DESC, a.rid DESC" if query.kind == "summary" else "a.created DESC, a.rid DESC"
    # First the row numbers, then their columns: sorting many whole rows takes three times as long.
    wanted = f"SELECT a.rid FROM {source} WHERE {where} ORDER BY {order} LIMIT ?"
    found = db.execute(
        f"SELECT {_COLUMNS} FROM artifacts AS a {_NAMED} WHERE a.rid IN ({wanted}) ORDER BY {order}",
        (*values, *more, query.limit),
    ).fetchall()
    return artifacts_from_rows(db, found)


def _source(owner: int, query: ArtifactQuery) -> tuple[str, list[Any]]:
    """Return the FROM clause and its values: all artifacts, or first those that have a term or a source message."""
    wanted, values = list[str](), list[Any]()
    if query.terms:
        wanted.append("SELECT artifact FROM artifact_terms WHERE owner = ? AND term IN (SELECT value FROM json_each(?))")
        values += [owner, rows.pack_json(query.terms)]
    if query.numbers:
        low, _ = partitions.rid_range(owner)
        wanted.append("SELECT artifact FROM rests WHERE message IN (SELECT value FROM json_each(?))")
        values.append(json.dumps([low + number for number in query.numbers if 0 < number <= NUMBER_MASK]))
    if not wanted:
        return "artifacts AS a", []
    return f"({' UNION '.join(wanted)}) AS w CROSS JOIN artifacts AS a", values


def _conditions(db: SqliteConnection, owner: int, query: ArtifactQuery) -> tuple[str, list[Any]]:
    # A plus keeps SQLite from using an index for a condition: the conditions on ids and on the session are faster.
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
        values.append(rows.pack_json(query.ids))
    if query.as_of is not None:
        where += " AND a.valid_from <= ? AND (a.valid_to IS NULL OR a.valid_to > ?)"
        values += [query.as_of, query.as_of]
    if query.pinned is not None:
        where += f" AND a.pinned = {int(query.pinned)}"
    if query.fact_kinds:
        where += " AND json_extract(a.data, '$.kind') IN (SELECT value FROM json_each(?))"
        values.append(rows.pack_json(query.fact_kinds))
    return where, values


def list_summaries(db: SqliteConnection, session: int) -> list[SummaryCoverage]:
    """Return a session's summaries, ordered by `upto`."""
    found = "SELECT id, upto FROM artifacts WHERE session = ? AND kind = 0 ORDER BY upto"
    return [SummaryCoverage(*row) for row in db.execute(found, (session,))]


def summaries_on_path(
    db: SqliteConnection, found: Sequence[SummaryCoverage], path: Mapping[int, tuple[int, int]]
) -> list[SummaryCoverage]:
    """Return the summaries that end on a path, given as {branch: (after which seq, up to which seq)}."""
    exists = "SELECT 1 FROM messages WHERE branch = ? AND seq = ?"
    return [
        one
        for one in found
        if any(
            after < one.upto <= upto and db.execute(exists, (branch, one.upto)).fetchone()
            for branch, (after, upto) in path.items()
        )
    ]


def artifacts_from_rows(db: SqliteConnection, found: Sequence[Row]) -> list[Artifact]:
    """Build artifacts with their sources from rows."""
    sources: dict[int, list[ArtifactSource]] = {}
    if found:
        rests = db.execute(
            "SELECT r.artifact, r.message & 4294967295, r.start, r.end FROM json_each(?) AS j CROSS JOIN rests AS r"
            " ON r.artifact = j.value ORDER BY r.artifact, r.place",
            (json.dumps([row[0] for row in found]),),
        )
        for rid, *source in rests:
            sources.setdefault(rid, []).append(ArtifactSource(*source))
    data = rows.unpack_all_json([row[-1] for row in found])
    return [_artifact(row, tuple(sources.get(row[0], ())), of) for row, of in zip(found, data, strict=True)]


def _artifact(row: Row, sources: tuple[ArtifactSource, ...], data: dict[str, Any]) -> Artifact:
    _, id, kind, text, tokens, created, session, valid_from, valid_to, pinned, upto, _ = row
    return Artifact(
        id, KINDS[int(kind)], text, tokens, created, session, sources, valid_from, valid_to, pinned == 1, upto, data
    )
