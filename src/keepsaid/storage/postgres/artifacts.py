"""Artifacts: summaries, facts, tool notes and labels derived from messages, stored with their sources."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from keepsaid.engine.messages.artifacts import extract_artifact_terms
from keepsaid.ports import ArtifactChanges, ArtifactQuery
from keepsaid.storage.postgres import partitions, rows
from keepsaid.storage.postgres.connection import binary_values
from keepsaid.storage.postgres.connection.database import PostgresConnection, Row, Values
from keepsaid.storage.postgres.connection.read_operation import PostgresReadOperation, single_statement_read
from keepsaid.storage.postgres.partitions import PartitionKey
from keepsaid.storage.postgres.search.visibility import IS_PRIVATE, MAX_NUMBER
from keepsaid.types import Artifact, ArtifactKind, ArtifactSource

KINDS: tuple[ArtifactKind, ...] = ("summary", "fact", "tool", "label")
KIND_NUMBER = {kind: number for number, kind in enumerate(KINDS)}
SUMMARY, FACT, TOOL, LABEL = range(4)
SUMMARIES_KEPT = 8
"""Summaries kept per session, the newest ones. An older one stays as long as a receipt refers to it."""


# -- storing

CREATE_DROP = """
CREATE FUNCTION keepsaid_drop_artifacts(in_unit text, in_space bigint, in_numbers bigint[]) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    dropped bigint;
BEGIN
    DELETE FROM artifact_terms WHERE unit = in_unit AND space = in_space AND artifact = ANY (in_numbers);
    DELETE FROM rests WHERE unit = in_unit AND space = in_space AND artifact = ANY (in_numbers);
    DELETE FROM artifacts WHERE unit = in_unit AND space = in_space AND number = ANY (in_numbers);
    GET DIAGNOSTICS dropped = ROW_COUNT;
    RETURN dropped;
END $$"""
"""Deletes artifacts with their terms and source references; returns how many there were."""

CREATE_FOLLOW = f"""
CREATE FUNCTION keepsaid_follow_summary(in_unit text, in_space bigint, in_session bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    newest record;
BEGIN
    SELECT a.text, a.created INTO newest FROM artifacts AS a
        WHERE a.unit = in_unit AND a.space = in_space AND a.session = in_session AND a.kind = {SUMMARY}
        ORDER BY a.upto DESC LIMIT 1;
    IF FOUND THEN
        INSERT INTO details (unit, space, session, summary, summarized)
            VALUES (in_unit, in_space, in_session, newest.text, newest.created)
            ON CONFLICT (unit, space, session) DO UPDATE SET summary = excluded.summary, summarized = excluded.summarized;
    ELSE
        UPDATE details SET summary = NULL, summarized = NULL
            WHERE unit = in_unit AND space = in_space AND session = in_session;
    END IF;
END $$"""
"""Sets the session's summary to its newest one. The session's revision stays the same."""

CREATE_STANDS = f"""
CREATE FUNCTION keepsaid_stands(in_unit text, in_space bigint, in_session bigint, made json) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF EXISTS (
        SELECT 1 FROM json_array_elements(made -> 'sources') AS source
        LEFT JOIN messages AS m ON m.unit = in_unit AND m.space = in_space AND m.number = (source ->> 0)::bigint
        WHERE m.number IS NULL OR {IS_PRIVATE}) THEN
        RETURN false;
    ELSIF (made ->> 'kind')::bigint <> {SUMMARY} THEN
        RETURN true;
    ELSIF made ->> 'previous' IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM artifacts WHERE unit = in_unit AND space = in_space AND id = made ->> 'previous') THEN
        RETURN false;
    END IF;
    RETURN in_session IS NOT NULL AND EXISTS (
        SELECT 1 FROM keepsaid_node(in_unit, in_space, in_session, (made ->> 'upto')::bigint) AS node
        WHERE node.at_seq IS NOT NULL);
END $$"""
"""Whether all sources of an artifact still exist. A summary that names a previous one also depends on that one."""

CREATE_PUT = f"""
CREATE FUNCTION keepsaid_put(in_unit text, in_space bigint, in_session bigint, made json) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    new_number bigint;
    made_kind bigint := (made ->> 'kind')::bigint;
BEGIN
    PERFORM keepsaid_drop_artifacts(in_unit, in_space, ARRAY(
        SELECT number FROM artifacts WHERE unit = in_unit AND space = in_space AND id = made ->> 'id'
        UNION SELECT number FROM artifacts WHERE unit = in_unit AND space = in_space AND session = in_session
            AND kind = {SUMMARY} AND made_kind = {SUMMARY} AND upto = (made ->> 'upto')::bigint));
    UPDATE spaces SET artifacts = artifacts + 1 WHERE unit = in_unit AND space = in_space
        RETURNING artifacts INTO new_number;
    INSERT INTO artifacts (
        unit, space, number, id, kind, session, upto, tokens, created, valid_from, valid_to, pinned, data, text)
    SELECT in_unit, in_space, new_number, x.id, x.kind, in_session, x.upto, x.tokens, x.created, x.valid_from, x.valid_to,
        x.pinned, x.data, x.text FROM json_to_record(made) AS x (id text, kind smallint, upto bigint, tokens integer,
            created bigint, valid_from bigint, valid_to bigint, pinned boolean, data text, text text);
    INSERT INTO rests (unit, space, artifact, place, message, start, "end")
    SELECT in_unit, in_space, new_number, nth, (source ->> 0)::bigint, (source ->> 1)::integer, (source ->> 2)::integer
        FROM json_array_elements(made -> 'sources') WITH ORDINALITY AS s (source, nth);
    INSERT INTO artifact_terms (unit, space, term, artifact)
    SELECT in_unit, in_space, term, new_number FROM json_array_elements_text(made -> 'terms') AS term;
    IF made_kind <> {SUMMARY} THEN
        RETURN;
    END IF;
    -- Those that stood in a prompt (they are pinned) are counted by themselves: with a large window, the one that is in use
    -- is far from the newest.
    PERFORM keepsaid_drop_artifacts(in_unit, in_space, ARRAY(
        SELECT a.number FROM (
            SELECT number, id, row_number() OVER (PARTITION BY pinned ORDER BY upto DESC) AS nth FROM artifacts
            WHERE unit = in_unit AND space = in_space AND session = in_session AND kind = {SUMMARY}) AS a
        WHERE a.nth > {SUMMARIES_KEPT} AND NOT EXISTS (
            SELECT 1 FROM receipts AS r WHERE r.unit = in_unit AND r.space = in_space AND r.summary = a.id)));
    PERFORM keepsaid_follow_summary(in_unit, in_space, in_session);
END $$"""
"""Stores one artifact. Deletes old summaries of the session that no receipt refers to."""

CREATE_KEEP = f"""
CREATE FUNCTION keepsaid_keep(in_unit text, in_space bigint, in_made json, in_ended json) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    made json;
    of_session bigint;
BEGIN
    FOR made IN SELECT * FROM json_array_elements(in_made) LOOP
        SELECT no INTO of_session FROM sessions
            WHERE unit = in_unit AND space = in_space AND id = made ->> 'session' AND status < 3;
        CONTINUE WHEN made ->> 'session' IS NOT NULL AND of_session IS NULL;
        IF keepsaid_stands(in_unit, in_space, of_session, made) THEN
            PERFORM keepsaid_put(in_unit, in_space, of_session, made);
        END IF;
    END LOOP;
    UPDATE artifacts AS a SET valid_to = e.value::bigint FROM json_each_text(in_ended) AS e
        WHERE a.unit = in_unit AND a.space = in_space AND a.id = e.key AND a.kind = {FACT};
END $$"""
"""Stores the artifacts whose messages still exist and are not private, and ends facts that are no longer true."""

FUNCTIONS = (CREATE_DROP, CREATE_FOLLOW, CREATE_STANDS, CREATE_PUT, CREATE_KEEP)


def keep_statement(space: PartitionKey, settled: ArtifactChanges) -> tuple[str, Values]:
    """The statement that stores new artifacts."""
    made = json.dumps([_artifact_fields(artifact) for artifact in settled.made], ensure_ascii=False)
    return "SELECT keepsaid_keep(%s, %s, %s::json, %s::json)", (*space, made, json.dumps(dict(settled.ended)))


def keep(db: PostgresConnection, space: PartitionKey, settled: ArtifactChanges) -> None:
    """Store artifacts that were made outside a task."""
    db.together(partitions.add_partition(db.secret, space), keep_statement(space, settled), last=True)


def _artifact_fields(artifact: Artifact) -> dict[str, Any]:
    previous = artifact.data.get("previous")
    return {
        "id": artifact.id,
        "kind": KIND_NUMBER[artifact.kind],
        "session": artifact.session,
        "upto": artifact.upto,
        "tokens": artifact.tokens,
        "created": artifact.created,
        "valid_from": artifact.valid_from,
        "valid_to": artifact.valid_to,
        "pinned": artifact.pinned,
        "data": rows.pack_json(artifact.data) if artifact.data else None,
        "text": artifact.text,
        "previous": previous if isinstance(previous, str) else None,
        "sources": [list(source) for source in artifact.sources],
        "terms": list(dict.fromkeys(extract_artifact_terms(artifact.kind, artifact.text, artifact.data))),
    }


# -- removing


def delete(db: PostgresConnection, space: PartitionKey, numbers: Sequence[int]) -> int:
    """Delete artifacts; return how many there were."""
    found = db.execute("SELECT keepsaid_drop_artifacts(%s, %s, %s)", (*space, list(numbers))).fetchall()
    return found[0][0]


def find_rows_by_id(db: PostgresConnection, space: PartitionKey, ids: Sequence[str]) -> list[int]:
    """The numbers of the partition's artifacts with these ids."""
    found = "SELECT number FROM artifacts WHERE unit = %s AND space = %s AND id = ANY (%s)"
    return [number for (number,) in db.execute(found, (*space, list(ids)))]


# -- reading

_READ = """
SELECT a.id, a.kind, a.text, a.tokens, a.created, s.id, a.valid_from, a.valid_to, a.pinned, a.upto, a.data, (
    SELECT array_agg(ARRAY[r.message, r.start, r."end"] ORDER BY r.place) FROM rests AS r
    WHERE r.unit = a.unit AND r.space = a.space AND r.artifact = a.number)
FROM artifacts AS a LEFT JOIN sessions AS s ON s.unit = a.unit AND s.space = a.space AND s.no = a.session
WHERE a.unit = %(unit)s AND a.space = %(space)s AND a.kind = %(kind)s{conditions}
ORDER BY a.{order} DESC, a.number DESC LIMIT %(limit)s"""
_WITH_TERMS = """
SELECT t.artifact FROM artifact_terms AS t WHERE t.unit = %(unit)s AND t.space = %(space)s AND t.term = ANY (%(terms)s)"""
_WITH_SOURCES = """
SELECT r.artifact FROM rests AS r
WHERE r.unit = %(unit)s AND r.space = %(space)s AND r.message = ANY (%(numbers)s::bigint[])"""


def read(space: PartitionKey, query: ArtifactQuery) -> PostgresReadOperation[list[Artifact]]:
    """Read the partition's artifacts of one kind, newest first."""
    values = {
        **space._asdict(),
        "kind": KIND_NUMBER[query.kind],
        "session": query.session,
        "ids": list(query.ids),
        "terms": list(query.terms),
        "numbers": binary_values.format_bigint_array(number for number in query.numbers if 0 < number <= MAX_NUMBER),
        "as_of": query.as_of,
        "pinned": query.pinned,
        "limit": query.limit,
        "fact_kinds": list(query.fact_kinds),
    }
    order = "upto" if query.kind == "summary" else "created"
    return single_statement_read(_READ.format(conditions=_conditions(query), order=order), values, _artifacts)


def _conditions(query: ArtifactQuery) -> str:
    leads = [sql for sql, wanted in ((_WITH_TERMS, query.terms), (_WITH_SOURCES, query.numbers)) if wanted]
    asked = (
        (leads, f"a.number IN ({' UNION '.join(leads)})"),
        (query.session is not None, "s.id = %(session)s AND s.status < 3"),
        (query.ids, "a.id = ANY (%(ids)s)"),
        (query.as_of is not None, "a.valid_from <= %(as_of)s AND (a.valid_to IS NULL OR a.valid_to > %(as_of)s)"),
        (query.pinned is not None, "a.pinned = %(pinned)s"),
        (query.fact_kinds, "a.data::json ->> 'kind' = ANY (%(fact_kinds)s)"),
    )
    return "".join(f" AND {condition}" for wanted, condition in asked if wanted)


def _artifacts(found: list[Row]) -> list[Artifact]:
    return [_artifact(row) for row in found]


def _artifact(row: Row) -> Artifact:
    id, kind, text, tokens, created, session, valid_from, valid_to, pinned, upto, data, sources = row
    return Artifact(
        id, KINDS[int(kind)], text, tokens, created, session, tuple(ArtifactSource(*source) for source in sources or ()),
        valid_from, valid_to, pinned, upto, {} if data is None else rows.unpack_json(data),
    )  # fmt: skip
