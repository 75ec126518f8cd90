"""SQL functions that run inside the server, so that a verb takes one round trip. A migration creates them.

They raise errors with our own codes (`connection/errors.py`) and the text that the caller sees. Every function that a verb
calls directly first sets its partition (`keepsaid_enter`), so that it sees no rows of another.
"""

from __future__ import annotations

ENTER = """
CREATE FUNCTION keepsaid_enter(in_unit text, in_member text, in_need bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    held smallint;
    levels text[] := ARRAY['read', 'write', 'admin'];
BEGIN
    PERFORM set_config('keepsaid.unit', in_unit, true);
    IF in_member IS NULL THEN RETURN; END IF;
    SELECT access INTO held FROM grants WHERE unit = in_unit AND owner = in_member;
    IF held IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'KS404', MESSAGE = 'no such pool, or no access to it';
    ELSIF held < in_need THEN
        RAISE EXCEPTION USING ERRCODE = 'KS404',
            MESSAGE = format('this needs %s access to the pool; you have %s', levels[in_need + 1], levels[held + 1]);
    END IF;
END $$"""
"""Sets the partition of the transaction; in a pool, only for a member with the required access."""

CHANGE = """
CREATE FUNCTION keepsaid_change(in_unit text, in_space bigint, in_member text, in_need bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('keepsaid.unit', in_unit, true);
    PERFORM 1 FROM spaces WHERE unit = in_unit AND space = in_space FOR UPDATE;
    -- Check again after locking: access may have been revoked while waiting.
    PERFORM keepsaid_enter(in_unit, in_member, in_need);
END $$"""
"""Sets the partition for a change and locks it, so that there are no concurrent changes."""

PATH = """
CREATE FUNCTION keepsaid_path(in_unit text, in_space bigint, in_branch bigint, in_upto bigint)
RETURNS TABLE (depth bigint, branch bigint, after bigint, upto bigint) LANGUAGE sql STABLE AS $$
    WITH RECURSIVE path (depth, branch, base, after, upto) AS (
        SELECT 0::bigint, no, base, fork, in_upto FROM branches WHERE unit = in_unit AND space = in_space AND no = in_branch
        UNION ALL
        SELECT path.depth + 1, b.no, b.base, b.fork, path.after FROM path
        JOIN branches AS b ON b.unit = in_unit AND b.space = in_space AND b.no = path.base)
    SELECT depth, branch, after, upto FROM path
$$"""
"""The path of a branch as ranges of seqs, from its end (depth 0) to the root. Seqs ascend along a path."""

INHERITED = """
CREATE FUNCTION keepsaid_inherited(in_unit text, in_space bigint, in_session bigint)
RETURNS TABLE (depth bigint, branch bigint, after bigint, upto bigint) LANGUAGE sql STABLE AS $$
    SELECT p.* FROM (SELECT base, fork FROM branches WHERE unit = in_unit AND space = in_space AND session = in_session
        ORDER BY no LIMIT 1) AS b
    CROSS JOIN LATERAL keepsaid_path(in_unit, in_space, b.base, b.fork) AS p
$$"""
"""The part of a session's path before its fork."""

LAST_PLACE = """
CREATE FUNCTION keepsaid_last_place(
    in_unit text, in_space bigint, in_branch bigint, in_upto bigint, OUT at_branch bigint, OUT at_seq bigint
) LANGUAGE plpgsql STABLE AS $$
DECLARE
    up_to bigint := in_upto;
BEGIN
    at_branch := in_branch;
    WHILE at_branch IS NOT NULL LOOP
        SELECT max(seq) INTO at_seq FROM messages
            WHERE unit = in_unit AND space = in_space AND branch = at_branch AND seq <= up_to;
        EXIT WHEN at_seq IS NOT NULL;
        SELECT base, fork INTO at_branch, up_to FROM branches
            WHERE unit = in_unit AND space = in_space AND no = at_branch;
    END LOOP;
END $$"""
"""The last message of a path at or before a seq; NULLs if there is none."""

_SESSION = """
CREATE FUNCTION keepsaid_{name}(in_unit text, in_space bigint, in_session text) RETURNS sessions
LANGUAGE plpgsql STABLE AS $$
DECLARE
    state sessions;
BEGIN
    SELECT * INTO state FROM sessions WHERE unit = in_unit AND space = in_space AND id = in_session;
    IF state.no IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'KS404', MESSAGE = 'no such session, or no access to it';{unless}
    END IF;
    RETURN state;
END $$"""

LIVE = _SESSION.format(
    name="live",
    unless="""
    ELSIF state.status = 2 THEN
        RAISE EXCEPTION USING ERRCODE = 'KS404', MESSAGE = 'the session is deleted: restore it first';""",
)
"""A session that exists and is not deleted."""

THERE = _SESSION.format(name="there", unless="")
"""A session that exists, deleted or not."""

LOCATE = """
CREATE FUNCTION keepsaid_locate(
    in_unit text, in_space bigint, in_session bigint, in_message text, OUT at_branch bigint, OUT at_seq bigint
) LANGUAGE plpgsql STABLE AS $$
DECLARE
    home bigint;
BEGIN
    SELECT m.branch, m.seq, b.session INTO at_branch, at_seq, home FROM messages AS m
        JOIN branches AS b ON b.unit = m.unit AND b.space = m.space AND b.no = m.branch
        WHERE m.unit = in_unit AND m.space = in_space AND m.id = in_message;
    IF home IS NULL OR home <> in_session AND NOT EXISTS (
        SELECT 1 FROM keepsaid_inherited(in_unit, in_space, in_session) AS p WHERE p.branch = at_branch AND at_seq <= p.upto
    ) THEN
        RAISE EXCEPTION USING ERRCODE = 'KS404', MESSAGE = 'no such message in this session';
    END IF;
END $$"""
"""The position of a session's message: on one of its own branches, or on the path it was forked from."""

NODE = """
CREATE FUNCTION keepsaid_node(
    in_unit text, in_space bigint, in_session bigint, in_seq bigint, OUT at_branch bigint, OUT at_seq bigint
) LANGUAGE sql STABLE AS $$
    SELECT m.branch, m.seq FROM (
        SELECT 0 AS foreign_, no AS branch FROM branches WHERE unit = in_unit AND space = in_space AND session = in_session
        UNION ALL
        SELECT 1, p.branch FROM keepsaid_inherited(in_unit, in_space, in_session) AS p WHERE in_seq <= p.upto
    ) AS b JOIN messages AS m ON m.unit = in_unit AND m.space = in_space AND m.branch = b.branch AND m.seq = in_seq
    ORDER BY b.foreign_ LIMIT 1
$$"""
"""The position of the message with a seq in a session's tree; NULLs if it is gone."""

TOTALS = """
CREATE FUNCTION keepsaid_totals(
    in_unit text, in_space bigint, in_branch bigint, in_seq bigint, OUT messages bigint, OUT tokens bigint
) LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN s.branch = b.no THEN s.messages ELSE b.messages END - later.messages,
        CASE WHEN s.branch = b.no THEN s.tokens ELSE b.tokens END - later.tokens
    FROM branches AS b JOIN sessions AS s ON s.unit = b.unit AND s.space = b.space AND s.no = b.session
    CROSS JOIN (SELECT count(*) AS messages, coalesce(sum(tokens), 0)::bigint AS tokens FROM messages
        WHERE unit = in_unit AND space = in_space AND branch = in_branch AND seq > in_seq) AS later
    WHERE b.unit = in_unit AND b.space = in_space AND b.no = in_branch
$$"""
"""Messages and tokens of the path up to a position: the branch's totals minus what follows the position."""

MOVE = """
CREATE FUNCTION keepsaid_move(in_unit text, in_space bigint, in_session bigint, to_branch bigint, to_seq bigint)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    state sessions;
    new_branch bigint;
    new_messages bigint := 0;
    new_tokens bigint := 0;
BEGIN
    SELECT * INTO state FROM sessions WHERE unit = in_unit AND space = in_space AND no = in_session;
    IF to_branch IS NOT NULL THEN
        SELECT t.messages, t.tokens INTO new_messages, new_tokens
            FROM keepsaid_totals(in_unit, in_space, to_branch, to_seq) AS t;
    END IF;
    UPDATE branches SET messages = state.messages, tokens = state.tokens
        WHERE unit = in_unit AND space = in_space AND no = state.branch;
    SELECT b.no INTO new_branch FROM branches AS b WHERE b.unit = in_unit AND b.space = in_space AND b.no = to_branch
        AND b.session = in_session AND NOT EXISTS (SELECT 1 FROM messages AS m
            WHERE m.unit = in_unit AND m.space = in_space AND m.branch = b.no AND m.seq > to_seq);
    IF new_branch IS NULL THEN
        SELECT b.no INTO new_branch FROM branches AS b WHERE b.unit = in_unit AND b.space = in_space
            AND b.session = in_session AND b.base IS NOT DISTINCT FROM to_branch AND b.fork = coalesce(to_seq, 0)
            AND NOT EXISTS (SELECT 1 FROM messages AS m WHERE m.unit = in_unit AND m.space = in_space AND m.branch = b.no)
            LIMIT 1;
    END IF;
    IF new_branch IS NULL THEN
        UPDATE spaces SET branches = branches + 1 WHERE unit = in_unit AND space = in_space
            RETURNING branches INTO new_branch;
        INSERT INTO branches VALUES (in_unit, in_space, new_branch, in_session, to_branch, coalesce(to_seq, 0), 0, 0);
    END IF;
    UPDATE sessions SET branch = new_branch, leaf = coalesce(to_seq, 0), messages = new_messages, tokens = new_tokens
        WHERE unit = in_unit AND space = in_space AND no = in_session;
    IF new_branch <> state.branch THEN
        -- An empty branch that was left says nothing; but the first one tells what the session continues.
        DELETE FROM branches AS b WHERE b.unit = in_unit AND b.space = in_space AND b.no = state.branch
            AND b.no > (SELECT min(no) FROM branches WHERE unit = in_unit AND space = in_space AND session = in_session)
            AND NOT EXISTS (SELECT 1 FROM messages WHERE unit = in_unit AND space = in_space AND branch = state.branch)
            AND NOT EXISTS (SELECT 1 FROM branches WHERE unit = in_unit AND space = in_space AND base = state.branch);
    END IF;
END $$"""
"""Makes the active path end at a position, or at its beginning. No message is removed: all stay on their branches."""

MOVE_TO = """
CREATE FUNCTION keepsaid_move_to(in_unit text, in_space bigint, in_session bigint, in_message text)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    place record;
    leaf record;
BEGIN
    IF in_message IS NULL THEN
        SELECT NULL::bigint AS at_branch, NULL::bigint AS at_seq INTO place;
    ELSE
        SELECT * INTO place FROM keepsaid_locate(in_unit, in_space, in_session, in_message);
    END IF;
    SELECT l.* INTO leaf FROM sessions AS s
        CROSS JOIN LATERAL keepsaid_last_place(in_unit, in_space, s.branch, 1::bigint << 62) AS l
        WHERE s.unit = in_unit AND s.space = in_space AND s.no = in_session;
    IF place IS DISTINCT FROM leaf THEN
        PERFORM keepsaid_move(in_unit, in_space, in_session, place.at_branch, place.at_seq);
    END IF;
END $$"""
"""Makes the active path end at a message of the session, unless it already does."""

NOTE = """
CREATE FUNCTION keepsaid_note(in_unit text, in_space bigint, in_kind text, in_session text, in_message text)
RETURNS void LANGUAGE sql AS $$
    WITH counted AS (
        UPDATE spaces SET changes = changes + 1 WHERE unit = in_unit AND space = in_space RETURNING changes, last)
    INSERT INTO changes SELECT in_unit, in_space, changes, last, in_kind, in_session, in_message FROM counted
$$"""
"""Records a change that is not a new message."""

INSERT = """
CREATE FUNCTION keepsaid_insert(
    in_unit text, in_space bigint, in_session bigint, in_author text, in_messages json, in_count bigint, in_tokens bigint,
    in_latest bigint, in_now bigint, in_head bigint, in_moves boolean, OUT old_head bigint, OUT old_leaf bigint
) LANGUAGE plpgsql AS $$
DECLARE
    state sessions;
    old_last bigint;
    added bigint;
BEGIN
    UPDATE spaces SET last = last + in_count, messages = messages + in_count, tokens = tokens + in_tokens
        WHERE unit = in_unit AND space = in_space RETURNING last - in_count INTO old_last;
    SELECT * INTO state FROM sessions WHERE unit = in_unit AND space = in_space AND no = in_session;
    old_head := greatest(state.head, in_head);
    old_leaf := state.leaf;
    IF in_count > 0 THEN
        INSERT INTO messages SELECT in_unit, in_space, old_last + nth, state.branch, old_head + nth,
            CASE nth WHEN 1 THEN state.leaf ELSE old_head + nth - 1 END, x.id, x.role, x.tokens, x.created, x.importance,
            x.pinned, in_author, x.metadata, x.extra, x.text, x.terms
            FROM ROWS FROM (json_to_recordset(in_messages) AS (id text, role smallint, tokens integer, created bigint,
                importance double precision, pinned boolean, metadata text, extra text, text text, terms text[]))
                WITH ORDINALITY AS x (id, role, tokens, created, importance, pinned, metadata, extra, text, terms, nth)
            ON CONFLICT DO NOTHING;
        GET DIAGNOSTICS added = ROW_COUNT;
        IF added <> in_count THEN
            RAISE EXCEPTION USING ERRCODE = 'KS208', MESSAGE = 'a message id is in the store already';
        END IF;
        PERFORM keepsaid_follow(in_unit, in_space, old_last, old_last + in_count);
    END IF;
    UPDATE sessions SET head = old_head + in_count,
        leaf = CASE WHEN in_count > 0 THEN old_head + in_count ELSE leaf END,
        messages = messages + in_count, tokens = tokens + in_tokens, updated = greatest(updated, in_latest),
        touched = greatest(touched, in_now), revision = revision + in_moves::int
        WHERE unit = in_unit AND space = in_space AND no = in_session;
END $$"""
"""Adds messages after the leaf of a session, with the next numbers; their seqs continue from the head or from `in_head`."""

APPEND = """
CREATE FUNCTION keepsaid_append(
    in_unit text, in_space bigint, in_member text, in_session text, in_messages json, in_count bigint, in_tokens bigint,
    in_latest bigint, in_now bigint, in_marks bytea[], in_anchor text, in_at text, in_revision bigint, in_head bigint
) RETURNS TABLE (old_head bigint, old_leaf bigint) LANGUAGE plpgsql AS $$
DECLARE
    state sessions;
    old_last bigint;
    has_erased boolean;
    moves boolean := in_anchor <> 'leaf';
    added bigint;
BEGIN
    PERFORM set_config('keepsaid.unit', in_unit, true);
    UPDATE spaces SET last = last + in_count, messages = messages + in_count, tokens = tokens + in_tokens
        WHERE unit = in_unit AND space = in_space RETURNING last - in_count, erasures OR reborn INTO old_last, has_erased;
    PERFORM keepsaid_enter(in_unit, in_member, 1);
    state := keepsaid_live(in_unit, in_space, in_session);
    IF state.status <> 0 OR in_revision <> state.revision OR in_head <> state.head THEN
        PERFORM keepsaid_check(state, in_revision, in_head);
    END IF;
    IF has_erased THEN
        PERFORM keepsaid_refuse_erased(in_unit, in_space, in_marks);
    END IF;
    IF moves THEN
        PERFORM keepsaid_move_to_anchor(in_unit, in_space, state.no, in_anchor, in_at);
        state := keepsaid_live(in_unit, in_space, in_session);
    END IF;
    old_head := state.head;
    old_leaf := state.leaf;
    INSERT INTO messages SELECT in_unit, in_space, old_last + nth, state.branch, old_head + nth,
        CASE nth WHEN 1 THEN state.leaf ELSE old_head + nth - 1 END, x.id, x.role, x.tokens, x.created, x.importance,
        x.pinned, in_member, x.metadata, x.extra, x.text, x.terms
        FROM ROWS FROM (json_to_recordset(in_messages) AS (id text, role smallint, tokens integer, created bigint,
            importance double precision, pinned boolean, metadata text, extra text, text text, terms text[]))
            WITH ORDINALITY AS x (id, role, tokens, created, importance, pinned, metadata, extra, text, terms, nth)
        ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS added = ROW_COUNT;
    IF added <> in_count THEN
        RAISE EXCEPTION USING ERRCODE = 'KS208', MESSAGE = 'a message id is in the store already';
    END IF;
    PERFORM keepsaid_follow(in_unit, in_space, old_last, old_last + in_count);
    UPDATE sessions SET head = old_head + in_count,
        leaf = CASE WHEN in_count > 0 THEN old_head + in_count ELSE leaf END,
        messages = messages + in_count, tokens = tokens + in_tokens, updated = greatest(updated, in_latest),
        touched = greatest(touched, in_now), revision = revision + moves::int
        WHERE unit = in_unit AND space = in_space AND no = state.no;
    IF moves THEN
        PERFORM keepsaid_note(in_unit, in_space, 'session', in_session, NULL);
    END IF;
    RETURN NEXT;
END $$"""
"""A complete append of new message ids; raises KS208 and changes nothing if an id exists. It repeats the body of
`keepsaid_insert` instead of calling it, because it is the most frequent verb."""

MOVE_BESIDE = """
CREATE FUNCTION keepsaid_move_to_anchor(in_unit text, in_space bigint, in_session bigint, in_anchor text, in_at text)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    place record;
BEGIN
    SELECT NULL::bigint AS at_branch, NULL::bigint AS at_seq INTO place;
    IF in_anchor <> 'root' THEN
        SELECT * INTO place FROM keepsaid_locate(in_unit, in_space, in_session, in_at);
    END IF;
    IF in_anchor = 'sibling' THEN
        SELECT * INTO place FROM keepsaid_last_place(in_unit, in_space, place.at_branch, place.at_seq - 1);
    END IF;
    PERFORM keepsaid_move(in_unit, in_space, in_session, place.at_branch, place.at_seq);
END $$"""
"""Makes the active path end at an anchor: at the beginning, after a message, or just before it."""

CHECK = """
CREATE FUNCTION keepsaid_check(state sessions, in_revision bigint, in_head bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF state.status = 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'KS413',
            MESSAGE = 'the session is archived: unarchive it before adding to it';
    ELSIF in_revision <> state.revision THEN
        RAISE EXCEPTION USING ERRCODE = 'KS412',
            MESSAGE = format('the session is at revision %s, not %s', state.revision, in_revision);
    ELSIF in_head <> state.head THEN
        RAISE EXCEPTION USING ERRCODE = 'KS412',
            MESSAGE = format('the session''s last message is number %s, not %s', state.head, in_head);
    END IF;
END $$"""
"""Refuses messages for an archived session, and from a caller that has not seen its latest state."""

REFUSE_ERASED = """
CREATE FUNCTION keepsaid_refuse_erased(in_unit text, in_space bigint, in_marks bytea[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    has_erased boolean;
    has_graves boolean;
BEGIN
    SELECT erasures, reborn INTO has_erased, has_graves FROM spaces WHERE unit = in_unit AND space = in_space;
    IF has_erased AND EXISTS (SELECT 1 FROM erased WHERE unit = in_unit AND mark = ANY (in_marks))
        OR has_graves AND EXISTS (SELECT 1 FROM graves WHERE mark = ANY (in_marks)) THEN
        RAISE EXCEPTION USING ERRCODE = 'KS410', MESSAGE = 'a message of this id was erased';
    END IF;
END $$"""
"""Refuses ids of erased messages."""

WINDOW = """
CREATE FUNCTION keepsaid_window(
    in_unit text, in_space bigint, in_branch bigint, in_after bigint, in_before bigint, in_last bigint, in_max_tokens bigint,
    in_first bigint
) RETURNS SETOF messages LANGUAGE plpgsql STABLE AS $$
DECLARE
    at bigint := in_branch;
    upto bigint := in_before - 1;
    fork_ bigint;
    places bigint := coalesce(in_first, in_last);
    room bigint := in_max_tokens;
    taken bigint;
    one messages;
    segment record;
BEGIN
    IF in_first IS NOT NULL THEN
        FOR segment IN SELECT * FROM keepsaid_path(in_unit, in_space, in_branch, upto) ORDER BY depth DESC LOOP
            CONTINUE WHEN segment.upto <= in_after;
            RETURN QUERY SELECT * FROM messages WHERE unit = in_unit AND space = in_space AND branch = segment.branch
                AND seq > in_after AND seq <= least(segment.upto, upto) ORDER BY seq LIMIT places;
            GET DIAGNOSTICS taken = ROW_COUNT;
            places := places - taken;
            EXIT WHEN places <= 0;
        END LOOP;
        RETURN;
    END IF;
    WHILE at IS NOT NULL AND upto > in_after AND places IS DISTINCT FROM 0 LOOP
        IF room IS NULL THEN
            RETURN QUERY SELECT * FROM messages WHERE unit = in_unit AND space = in_space AND branch = at
                AND seq > in_after AND seq <= upto ORDER BY seq DESC LIMIT places;
            GET DIAGNOSTICS taken = ROW_COUNT;
            places := places - taken;
            EXIT WHEN places = 0;
        ELSE
            FOR one IN SELECT * FROM messages WHERE unit = in_unit AND space = in_space AND branch = at
                AND seq > in_after AND seq <= upto ORDER BY seq DESC LOOP
                room := room - one.tokens;
                IF room < 0 OR places = 0 THEN RETURN; END IF;
                places := places - 1;
                RETURN NEXT one;
            END LOOP;
        END IF;
        SELECT base, least(fork, upto) INTO at, upto FROM branches WHERE unit = in_unit AND space = in_space AND no = at;
    END LOOP;
END $$"""
"""The messages of a path within a window: newest first, or with `in_first` oldest first. Cost follows what it returns."""

READ = """
CREATE FUNCTION keepsaid_read(
    in_unit text, in_space bigint, in_member text, in_session text, in_after bigint, in_before bigint, in_last bigint,
    in_max_tokens bigint, in_first bigint
) RETURNS TABLE (
    id text, seq bigint, parent bigint, role smallint, text text, tokens integer, created bigint,
    importance double precision, pinned boolean, metadata text, extra text, author text
) LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
DECLARE
    state smallint;
    at bigint;
    upto bigint := in_before - 1;
    places bigint := in_last;
    taken bigint;
BEGIN
    PERFORM set_config('keepsaid.unit', in_unit, true);
    IF in_member IS NOT NULL THEN
        PERFORM keepsaid_enter(in_unit, in_member, 0);
    END IF;
    SELECT s.branch, s.status INTO at, state FROM sessions AS s
        WHERE s.unit = in_unit AND s.space = in_space AND s.id = in_session;
    IF state IS NULL OR state = 2 THEN
        PERFORM keepsaid_live(in_unit, in_space, in_session);
    END IF;
    IF in_max_tokens IS NOT NULL OR in_first IS NOT NULL THEN
        RETURN QUERY SELECT m.id, m.seq, m.parent, m.role, m.text, m.tokens, m.created, m.importance, m.pinned, m.metadata,
            m.extra, m.author FROM keepsaid_window(
                in_unit, in_space, at, in_after, in_before, in_last, in_max_tokens, in_first) AS m;
        RETURN;
    END IF;
    WHILE at IS NOT NULL AND upto > in_after LOOP
        RETURN QUERY SELECT m.id, m.seq, m.parent, m.role, m.text, m.tokens, m.created, m.importance, m.pinned, m.metadata,
            m.extra, m.author FROM messages AS m WHERE m.unit = in_unit AND m.space = in_space AND m.branch = at
            AND m.seq > in_after AND m.seq <= upto ORDER BY m.seq DESC LIMIT places;
        GET DIAGNOSTICS taken = ROW_COUNT;
        places := places - taken;
        EXIT WHEN places <= 0;
        SELECT b.base, least(b.fork, upto) INTO at, upto FROM branches AS b
            WHERE b.unit = in_unit AND b.space = in_space AND b.no = at;
    END LOOP;
END $$"""
"""A complete read. In the most frequent case, a number of newest messages, it walks the path itself and calls no other
function."""

FUNCTIONS = (
    ENTER, CHANGE, PATH, INHERITED, LAST_PLACE, LIVE, THERE, LOCATE, NODE, TOTALS, MOVE, MOVE_TO, NOTE, INSERT, CHECK,
    REFUSE_ERASED, MOVE_BESIDE, APPEND, WINDOW, READ,
)  # fmt: skip
