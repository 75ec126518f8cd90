"""Artifacts: what is made of messages, kept with what it rests on, and found by kind, words or source."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from recollect.engine.artifacts import found_by
from recollect.ports import ArtifactQuery, Settled
from recollect.storage.postgres import rows, spaces, wire
from recollect.storage.postgres.database import Database, Row, Values
from recollect.storage.postgres.reading import Reading, reading
from recollect.storage.postgres.sight import LARGEST, PRIVATE
from recollect.storage.postgres.spaces import Space
from recollect.types import Artifact, ArtifactKind, Source

KINDS: tuple[ArtifactKind, ...] = ("summary", "fact", "tool", "label")
KIND_NUMBER = {kind: number for number, kind in enumerate(KINDS)}
SUMMARY, FACT, TOOL, LABEL = range(4)
SUMMARIES_KEPT = 8
"""Of one session, the newest. An older one stays as long as a receipt names it."""


# -- keeping

DROP = """
CREATE FUNCTION recollect_drop_artifacts(in_unit text, in_space bigint, in_numbers bigint[]) RETURNS bigint
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
"""Removes artifacts with their terms and what says what they rest on; tells how many there were."""

FOLLOW = f"""
CREATE FUNCTION recollect_follow_summary(in_unit text, in_space bigint, in_session bigint) RETURNS void
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
"""The session's own summary is its newest one. That is no change of the session: its revision stays."""

STANDS = f"""
CREATE FUNCTION recollect_stands(in_unit text, in_space bigint, in_session bigint, made json) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF EXISTS (
        SELECT 1 FROM json_array_elements(made -> 'sources') AS source
        LEFT JOIN messages AS m ON m.unit = in_unit AND m.space = in_space AND m.number = (source ->> 0)::bigint
        WHERE m.number IS NULL OR {PRIVATE}) THEN
        RETURN false;
    ELSIF (made ->> 'kind')::bigint <> {SUMMARY} THEN
        RETURN true;
    ELSIF made ->> 'previous' IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM artifacts WHERE unit = in_unit AND space = in_space AND id = made ->> 'previous') THEN
        RETURN false;
    END IF;
    RETURN in_session IS NOT NULL AND EXISTS (
        SELECT 1 FROM recollect_node(in_unit, in_space, in_session, (made ->> 'upto')::bigint) AS node
        WHERE node.at_seq IS NOT NULL);
END $$"""
"""Whether all is still there that an artifact was made of. A summary was also made of the one before it, if it names one."""

PUT = f"""
CREATE FUNCTION recollect_put(in_unit text, in_space bigint, in_session bigint, made json) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    new_number bigint;
    made_kind bigint := (made ->> 'kind')::bigint;
BEGIN
    PERFORM recollect_drop_artifacts(in_unit, in_space, ARRAY(
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
    PERFORM recollect_drop_artifacts(in_unit, in_space, ARRAY(
        SELECT a.number FROM (
            SELECT number, id, row_number() OVER (PARTITION BY pinned ORDER BY upto DESC) AS nth FROM artifacts
            WHERE unit = in_unit AND space = in_space AND session = in_session AND kind = {SUMMARY}) AS a
        WHERE a.nth > {SUMMARIES_KEPT} AND NOT EXISTS (
            SELECT 1 FROM receipts AS r WHERE r.unit = in_unit AND r.space = in_space AND r.summary = a.id)));
    PERFORM recollect_follow_summary(in_unit, in_space, in_session);
END $$"""
"""Keeps one artifact. Of a session's summaries, old ones that no receipt names are let go of."""

KEEP = f"""
CREATE FUNCTION recollect_keep(in_unit text, in_space bigint, in_made json, in_ended json) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    made json;
    of_session bigint;
BEGIN
    FOR made IN SELECT * FROM json_array_elements(in_made) LOOP
        SELECT no INTO of_session FROM sessions
            WHERE unit = in_unit AND space = in_space AND id = made ->> 'session' AND status < 3;
        CONTINUE WHEN made ->> 'session' IS NOT NULL AND of_session IS NULL;
        IF recollect_stands(in_unit, in_space, of_session, made) THEN
            PERFORM recollect_put(in_unit, in_space, of_session, made);
        END IF;
    END LOOP;
    UPDATE artifacts AS a SET valid_to = e.value::bigint FROM json_each_text(in_ended) AS e
        WHERE a.unit = in_unit AND a.space = in_space AND a.id = e.key AND a.kind = {FACT};
END $$"""
"""Keeps what was made of messages that are still there and not private, and ends what is no longer true."""

FUNCTIONS = (DROP, FOLLOW, STANDS, PUT, KEEP)


def keeping(space: Space, settled: Settled) -> tuple[str, Values]:
    """The statement that keeps what was made."""
    made = json.dumps([_written(artifact) for artifact in settled.made], ensure_ascii=False)
    return "SELECT recollect_keep(%s, %s, %s::json, %s::json)", (*space, made, json.dumps(dict(settled.ended)))


def keep(db: Database, space: Space, settled: Settled) -> None:
    """Keeps what was made outside of a task."""
    db.together(spaces.ensure(db.secret, space), keeping(space, settled), last=True)


def _written(artifact: Artifact) -> dict[str, Any]:
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
        "data": rows.pack(artifact.data) if artifact.data else None,
        "text": artifact.text,
        "previous": previous if isinstance(previous, str) else None,
        "sources": [list(source) for source in artifact.sources],
        "terms": list(dict.fromkeys(found_by(artifact.kind, artifact.text, artifact.data))),
    }


# -- removing


def delete(db: Database, space: Space, numbers: Sequence[int]) -> int:
    """Removes artifacts; returns how many there were."""
    found = db.execute("SELECT recollect_drop_artifacts(%s, %s, %s)", (*space, list(numbers))).fetchall()
    return found[0][0]


def named(db: Database, space: Space, ids: Sequence[str]) -> list[int]:
    """The numbers of the space's artifacts that have these ids."""
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
_HAVING_TERMS = """
SELECT t.artifact FROM artifact_terms AS t WHERE t.unit = %(unit)s AND t.space = %(space)s AND t.term = ANY (%(terms)s)"""
_RESTING = """
SELECT r.artifact FROM rests AS r
WHERE r.unit = %(unit)s AND r.space = %(space)s AND r.message = ANY (%(numbers)s::bigint[])"""


def read(space: Space, query: ArtifactQuery) -> Reading[list[Artifact]]:
    """The space's artifacts of one kind, newest first."""
    values = {
        **space._asdict(),
        "kind": KIND_NUMBER[query.kind],
        "session": query.session,
        "ids": list(query.ids),
        "terms": list(query.terms),
        "numbers": wire.array(number for number in query.numbers if 0 < number <= LARGEST),
        "as_of": query.as_of,
        "pinned": query.pinned,
        "limit": query.limit,
        "fact_kinds": list(query.fact_kinds),
    }
    order = "upto" if query.kind == "summary" else "created"
    return reading(_READ.format(conditions=_conditions(query), order=order), values, _artifacts)


def _conditions(query: ArtifactQuery) -> str:
    leads = [sql for sql, wanted in ((_HAVING_TERMS, query.terms), (_RESTING, query.numbers)) if wanted]
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
        id, KINDS[int(kind)], text, tokens, created, session, tuple(Source(*source) for source in sources or ()), valid_from,
        valid_to, pinned, upto, {} if data is None else rows.unpack(data),
    )  # fmt: skip
