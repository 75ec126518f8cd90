"""Removing for good: rows, index entries and everything derived.

What is gone for every statement is not yet gone from the server's disks: PostgreSQL keeps deleted rows until it vacuums,
writes everything to its log (WAL) first, and whoever runs it makes backups. None of that is ours to cut: `maintain()` has
the tables vacuumed if the user may, the rest is the server's own retention. Where even that must be unreadable, encrypt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recollect.errors import NotFound
from recollect.ports import session_tag
from recollect.storage.postgres import aftermath, artifacts, blobs, branches, keywords, rows, spaces, vectors
from recollect.storage.postgres.branches import END, Place
from recollect.storage.postgres.database import EVERYONE, Database, Row
from recollect.storage.postgres.schema import UNIT_TABLES
from recollect.storage.postgres.spaces import Space
from recollect.storage.postgres.tally import Tally
from recollect.types import Scope

TOUCHED = "erased"
"""The setting of the store that says that something was erased since the tables were last vacuumed."""

_NOT_BY_SPACE = ("grants", "memberships", "erased")
SPACE_TABLES = tuple(table for table in UNIT_TABLES if table not in _NOT_BY_SPACE)

_HERE = "unit = %s AND space = %s"


def verify(db: Database, tally: Tally) -> tuple[str, ...]:
    """Looks again for what was erased; returns the names of the places where nothing of it is left."""
    by_space: dict[Space, list[int]] = {}
    for space, number in tally.gone:
        by_space.setdefault(space, []).append(number)
    said = f"SELECT 1 FROM messages WHERE {_HERE} AND number = ANY (%s) LIMIT 1"
    in_rows = any(db.execute(said, (*space, numbers)).fetchone() for space, numbers in by_space.items()) or any(
        db.execute(f"SELECT 1 FROM {table} WHERE {_HERE} LIMIT 1", space).fetchone()
        for space in tally.spaces
        for table in ("messages", "sessions", "tags", "changes", "blobs", "spaces")
    )
    in_keywords = any(
        keywords.still_has(db, space, terms, by_space.get(space, [])) for space, terms in tally.terms.items()
    ) or any(db.execute(f"SELECT 1 FROM postings WHERE {_HERE} LIMIT 1", space).fetchone() for space in tally.spaces)
    in_vectors = any(
        db.execute(f"SELECT 1 FROM vectors WHERE {_HERE} AND number = ANY (%s) LIMIT 1", (*space, numbers)).fetchone()
        for space, numbers in by_space.items()
    ) or any(db.execute(f"SELECT 1 FROM vectors WHERE {_HERE} LIMIT 1", space).fetchone() for space in tally.spaces)
    places = (("rows", in_rows), ("keywords", in_keywords), ("vectors", in_vectors))
    left = (*places, ("artifacts", aftermath.is_left(db, tally)))
    return tuple(name for name, is_left in left if not is_left)


def erase(db: Database, space: Space, scope: Scope, message: str | None) -> Tally:
    """Removes a message or a session."""
    tally = Tally()
    if not message:
        tally.derived += blobs.of_session(db, space, scope.session)
    known = db.execute(f"SELECT no, id FROM sessions WHERE {_HERE} AND id = %s", (*space, scope.session)).fetchone()
    if known is None and not tally.derived:
        raise NotFound("no such session, or no access to it")
    if known is not None and message:
        _erase_one(db, space, scope, known[0], message, tally)
    elif known is not None:
        _erase_session(db, space, known[0], known[1], tally)
        remove_documents(db, space, known[1], tally, remember=True)
    db.together(spaces.note(space, "erased"), touched())
    return tally


def erase_all(db: Database, scope: Scope) -> Tally:
    """Removes all that an owner or pool has. What he wrote in pools is looked for across owners."""
    tally = Tally()
    space = spaces.whose(scope)
    db.enter(EVERYONE)
    for one in {space.shelf: None, space: None}:
        _empty_space(db, one, tally)
    if scope.pool is None and not scope.shelf:
        _erase_author(db, scope.owner, tally)
    db.execute(*touched())
    return tally


def keep_blobs(
    db: Database, space: Space, scope: Scope, contents: Mapping[str, bytes | None], expected: Mapping[str, int]
) -> None:
    """Keeps blobs, or removes them."""
    removes = any(content is None for content in contents.values())
    blobs.keep(db, space, scope, contents, expected, *([touched()] if removes else []))


def drop_blobs(db: Database, space: Space, scope: Scope, prefix: str) -> int:
    """Removes blobs; returns how many there were."""
    dropped = blobs.drop(db, space, scope, prefix)
    if dropped:
        db.execute(*touched())
    return dropped


def discard(db: Database, space: Space, ids: Sequence[str]) -> Tally:
    """Removes artifacts, whatever they rest on."""
    tally = Tally()
    aftermath.remove(db, space, artifacts.named(db, space, ids), tally)
    if tally.derived:
        _remember(db, space, [id for _, id in tally.artifacts])
        db.execute(*touched())
    return tally


def touched() -> tuple[str, tuple[str, ...]]:
    """The statement that remembers, with the change itself, that deleted rows are to be vacuumed."""
    return "INSERT INTO meta VALUES (%s, '1') ON CONFLICT DO NOTHING", (TOUCHED,)


def _remember(db: Database, space: Space, ids: list[str]) -> None:
    if ids:
        db.together(
            (
                "INSERT INTO erased SELECT %s, unnest(%s::bytea[]) ON CONFLICT DO NOTHING",
                (space.unit, spaces.marks(db.secret, space, ids)),
            ),
            (f"UPDATE spaces SET erasures = true WHERE {_HERE} AND NOT erasures", space),
        )


def _erase_one(db: Database, space: Space, scope: Scope, session: int, message: str, tally: Tally) -> None:
    ((branch, seq, author),) = db.execute(
        "SELECT l.at_branch, l.at_seq, m.author FROM recollect_locate(%s, %s, %s, %s) AS l JOIN messages AS m"
        " ON m.unit = %s AND m.space = %s AND m.branch = l.at_branch AND m.seq = l.at_seq",
        (*space, session, message, *space),
    ).fetchall()
    if scope.pool and author != scope.owner:
        db.execute("SELECT recollect_enter(%s, %s, %s)", (space.unit, scope.owner, spaces.ADMIN))
    _drop(db, space, Place(branch, seq), tally)


def _drop(db: Database, space: Space, place: Place, tally: Tally) -> None:
    """Takes one message out of every path that runs through it."""
    ((number, id, tokens),) = db.execute(
        f"SELECT number, id, tokens FROM messages WHERE {_HERE} AND branch = %s AND seq = %s", (*space, *place)
    ).fetchall()
    through = branches.descendants(db, space, place)
    aftermath.of_place(db, space, place, through, tally)
    aftermath.of_questions(db, space, place, through, tally)
    _delete(db, space, [number], tally)
    _remember(db, space, [id])
    less = "SET messages = messages - 1, tokens = tokens - %s"
    db.together(
        (f"DELETE FROM changes WHERE {_HERE} AND message = %s", (*space, id)),
        (f"UPDATE branches {less} WHERE {_HERE} AND no = ANY (%s)", (tokens, *space, through)),
        (f"UPDATE sessions {less} WHERE {_HERE} AND branch = ANY (%s)", (tokens, *space, through)),
        (_END_BEFORE, (*space, through, place.seq)),
    )


_END_BEFORE = f"""
UPDATE sessions SET leaf = coalesce((SELECT at_seq FROM recollect_last_place(unit, space, branch, {END})), 0)
WHERE {_HERE} AND branch = ANY (%s) AND leaf = %s"""


def _erase_session(db: Database, space: Space, number: int, session: str, tally: Tally) -> None:
    """Its own messages go, also out of the paths of its forks."""
    if _has_forks(db, space, number):
        for place in db.execute(
            "SELECT m.branch, m.seq FROM branches AS b JOIN messages AS m ON m.unit = b.unit AND m.space = b.space"
            " AND m.branch = b.no WHERE b.unit = %s AND b.space = %s AND b.session = %s",
            (*space, number),
        ).fetchall():
            _drop(db, space, Place(*place), tally)
    remove_session(db, space, number, session, tally, remember=True)


def remove_session(db: Database, space: Space, number: int, session: str | None, tally: Tally, *, remember: bool) -> None:
    """A session and all that is its own. While a fork continues it, its branches stay, without a name; then it has no id."""
    aftermath.of_session(db, space, number, tally)
    tally.derived += blobs.of_session(db, space, session)
    _clear_texts(db, space, number, session, tally)
    if _has_forks(db, space, number):
        nameless = f"UPDATE sessions SET status = 3, id = NULL, title = NULL WHERE {_HERE} AND no = %s"
        db.execute(nameless, (*space, number))
    else:
        own = f"SELECT no FROM branches WHERE {_HERE} AND session = %s"
        for (branch,) in db.execute(own, (*space, number)).fetchall():
            _remove_messages(db, space, branch, 0, tally, remember=remember)
        db.together(
            (f"DELETE FROM branches WHERE {_HERE} AND session = %s", (*space, number)),
            (f"DELETE FROM sessions WHERE {_HERE} AND no = %s", (*space, number)),
        )
    tally.sessions += 1
    _collect(db, space, tally)


def remove_documents(db: Database, space: Space, session: str | None, tally: Tally, *, remember: bool) -> None:
    """The documents that belong to a session which goes."""
    shelf = space.shelf
    if shelf == space or session is None:
        return
    _, found = db.together(
        (f"SELECT 1 FROM spaces WHERE {_HERE} FOR UPDATE", shelf),
        (_TAGGED, (*shelf, session_tag(session))),
    )
    placed = found.fetchall()
    for number, id in placed:
        remove_session(db, shelf, number, id, tally, remember=remember)
    if placed:
        db.execute(*spaces.note(shelf, "erased"))


_TAGGED = """
SELECT s.no, s.id FROM tags AS t JOIN sessions AS s ON s.unit = t.unit AND s.space = t.space AND s.no = t.session
WHERE t.unit = %s AND t.space = %s AND t.tag = %s"""


def _has_forks(db: Database, space: Space, number: int) -> bool:
    continued = (
        "SELECT 1 FROM branches AS b JOIN branches AS c ON c.unit = b.unit AND c.space = b.space AND c.base = b.no"
        " WHERE b.unit = %s AND b.space = %s AND b.session = %s AND c.session <> b.session LIMIT 1"
    )
    return db.execute(continued, (*space, number)).fetchone() is not None


def _clear_texts(db: Database, space: Space, number: int, session: str | None, tally: Tally) -> None:
    """What is written about a session beside its messages."""
    row = db.execute(f"DELETE FROM details WHERE {_HERE} AND session = %s RETURNING tags", (*space, number)).fetchone()
    if row:
        tally.derived += 1
        gone = f"DELETE FROM tags WHERE {_HERE} AND tag = ANY (%s) AND session = %s"
        db.execute(gone, (*space, list(rows.tags_of(row[0])), number))
    db.execute(f"DELETE FROM changes WHERE {_HERE} AND session = %s", (*space, session))


def _remove_messages(db: Database, space: Space, branch: int, above: int, tally: Tally, *, remember: bool) -> None:
    """The messages of a branch behind a seq."""
    found = db.execute(
        f"SELECT number, id FROM messages WHERE {_HERE} AND branch = %s AND seq > %s", (*space, branch, above)
    ).fetchall()
    if remember:
        _remember(db, space, [id for _, id in found])
    _delete(db, space, [number for number, _ in found], tally)


def _delete(db: Database, space: Space, numbers: list[int], tally: Tally) -> None:
    """Messages, with their place in the index."""
    if not numbers:
        return
    tally.gone.update((space, number) for number in numbers)
    tally.terms.setdefault(space, set()).update(keywords.take_out(db, space, numbers))
    tally.derived += vectors.clear(db, space, numbers)
    aftermath.of_messages(db, space, numbers, tally)
    gone = db.execute(
        f"WITH gone AS (DELETE FROM messages WHERE {_HERE} AND number = ANY (%s) RETURNING tokens),"
        " counted AS (SELECT count(*) AS messages, coalesce(sum(tokens), 0)::bigint AS tokens FROM gone)"
        " UPDATE spaces AS p SET messages = p.messages - c.messages, tokens = p.tokens - c.tokens FROM counted AS c"
        " WHERE p.unit = %s AND p.space = %s RETURNING c.messages",
        (*space, numbers, *space),
    ).fetchall()
    tally.messages += gone[0][0]


def _collect(db: Database, space: Space, tally: Tally) -> None:
    """Lets go of purged sessions that no fork needs any more, and of what behind the forks nobody can reach."""
    shells = db.execute(f"SELECT no FROM sessions WHERE {_HERE} AND status = 3", space).fetchall()
    if not shells:
        return
    needed: dict[int, int] = dict(
        db.execute(
            "SELECT p.branch, max(p.upto) FROM sessions AS s JOIN branches AS b ON b.unit = s.unit AND b.space = s.space"
            " AND b.session = s.no CROSS JOIN LATERAL recollect_path(b.unit, b.space, b.base, b.fork) AS p"
            " WHERE s.unit = %s AND s.space = %s AND s.status < 3 AND b.base IS NOT NULL GROUP BY 1",
            space,
        ).fetchall()
    )
    for (shell,) in shells:
        _trim(db, space, shell, needed, tally)


_RECOUNT = f"""
WITH counted AS (
    SELECT count(*) AS messages, coalesce(sum(m.tokens), 0)::bigint AS tokens, coalesce(max(m.seq), 0) AS leaf
    FROM recollect_path(%(unit)s, %(space)s, %(branch)s, {END}) AS p
    JOIN messages AS m ON m.unit = %(unit)s AND m.space = %(space)s AND m.branch = p.branch AND m.seq <= p.upto),
own AS (UPDATE branches AS b SET messages = c.messages, tokens = c.tokens FROM counted AS c
    WHERE b.unit = %(unit)s AND b.space = %(space)s AND b.no = %(branch)s)
UPDATE sessions AS s SET branch = %(branch)s, leaf = c.leaf, messages = c.messages, tokens = c.tokens FROM counted AS c
WHERE s.unit = %(unit)s AND s.space = %(space)s AND s.no = %(session)s"""


def _trim(db: Database, space: Space, shell: int, needed: dict[int, int], tally: Tally) -> None:
    """Leaves of a purged session what forks need, counted anew, or nothing."""
    own_branches = f"SELECT no FROM branches WHERE {_HERE} AND session = %s"
    own = [branch for (branch,) in db.execute(own_branches, (*space, shell))]
    for branch in own:
        _remove_messages(db, space, branch, needed.get(branch, 0), tally, remember=False)
        if branch not in needed:
            db.execute(f"DELETE FROM branches WHERE {_HERE} AND no = %s", (*space, branch))
    kept = [branch for branch in own if branch in needed]
    for branch in kept:
        db.execute(_RECOUNT, {"unit": space.unit, "space": space.space, "branch": branch, "session": shell})
    if not kept:
        db.execute(f"DELETE FROM sessions WHERE {_HERE} AND no = %s", (*space, shell))


# -- all of an owner or pool


def _empty_space(db: Database, space: Space, tally: Tally) -> None:
    """All rows of an owner, pool or shelf, and its own."""
    if db.execute(f"SELECT 1 FROM spaces WHERE {_HERE} FOR UPDATE", space).fetchone() is None:
        return
    ids = [id for (id,) in db.execute(f"SELECT id FROM messages WHERE {_HERE}", space)]
    ids += [id for (id,) in db.execute(f"SELECT id FROM artifacts WHERE {_HERE}", space)]
    _bury(db, space, ids)
    tally.spaces.append(space)
    aftermath.of_space(db, space, tally)
    gone = ("vectors", "blobs", "messages")
    counts = {table: db.execute(f"DELETE FROM {table} WHERE {_HERE}", space).rowcount for table in gone}
    ((sessions,),) = db.execute(f"SELECT count(*) FROM sessions WHERE {_HERE} AND status < 3", space).fetchall()
    details = db.execute(f"DELETE FROM details WHERE {_HERE}", space).rowcount
    tally.messages += counts["messages"]
    tally.derived += counts["vectors"] + counts["blobs"] + details
    tally.sessions += sessions
    db.together(*((f"DELETE FROM {table} WHERE {_HERE}", space) for table in SPACE_TABLES))
    if space.space == 0:
        _forget_unit(db, space.unit)


def _bury(db: Database, space: Space, ids: list[str]) -> None:
    """What was erased does not come back, though nothing may be left that names its owner: so the marks move to a table
    that names nobody."""
    db.together(
        (
            "INSERT INTO graves SELECT unnest(%s::bytea[]) ON CONFLICT DO NOTHING",
            (spaces.marks(db.secret, space, ["", *ids]),),
        ),
        ("INSERT INTO graves SELECT mark FROM erased WHERE unit = %s ON CONFLICT DO NOTHING", (space.unit,)),
    )


def _forget_unit(db: Database, unit: str) -> None:
    """What a unit has beside its two spaces. The grants of an owner are seen to by `_erase_author`."""
    kind, _, id = unit.partition(":")
    db.execute("DELETE FROM erased WHERE unit = %s", (unit,))
    if kind == "p":
        members = [owner for (owner,) in db.execute("DELETE FROM grants WHERE unit = %s RETURNING owner", (unit,))]
        units = [spaces.unit(owner) for owner in members]
        db.execute("DELETE FROM memberships WHERE unit = ANY (%s) AND pool = %s", (units, id))


def _erase_author(db: Database, author: str, tally: Tally) -> None:
    """What an owner wrote and made in pools, and his grants. A pool that was his alone goes; another gets a new admin."""
    # Nobody writes in any of his pools while it is looked for, or what he says meanwhile would stay.
    db.execute(
        "SELECT 1 FROM spaces WHERE unit IN (SELECT 'p:' || pool FROM memberships WHERE unit = %s) ORDER BY no FOR UPDATE",
        (spaces.unit(author),),
    )
    written = _lock(
        db, "SELECT unit, space, branch, seq FROM messages WHERE author = %s ORDER BY unit, space, number", author
    )
    for unit, space, branch, seq in written:
        _drop(db, Space(unit, space), Place(branch, seq), tally)
    aftermath.of_author(db, author, tally)
    tally.derived += blobs.of_author(db, author)
    # Documents first: those of a session that he made go with it.
    made = _lock(db, "SELECT unit, space, no, id FROM sessions WHERE author = %s ORDER BY space DESC, unit, no", author)
    for unit, space, number, session in made:
        _unsign(db, Space(unit, space), number, session, tally)
    for space in {Space(unit, space) for unit, space, *_ in (*written, *made)}:
        db.execute(*spaces.note(space, "erased"))
    _leave_pools(db, author, tally)


def _lock(db: Database, select: str, author: str) -> list[Row]:
    """Rows of an author, read again once nobody else can change what they belong to."""
    where = list({(unit, space) for unit, space, *_ in db.execute(select, (author,))})
    db.execute(
        "SELECT 1 FROM spaces WHERE (unit, space) IN (SELECT * FROM unnest(%s::text[], %s::bigint[]))"
        " ORDER BY no FOR UPDATE",
        ([unit for unit, _ in where], [space for _, space in where]),
    )
    return db.execute(select, (author,)).fetchall()


def _unsign(db: Database, space: Space, number: int, session: str | None, tally: Tally) -> None:
    """A session that someone made in a pool: without messages it goes, otherwise it loses what he wrote about it."""
    there = db.execute(f"SELECT id FROM sessions WHERE {_HERE} AND no = %s", (*space, number)).fetchone()
    if there is None:
        return
    said = (
        "SELECT 1 FROM branches AS b JOIN messages AS m ON m.unit = b.unit AND m.space = b.space AND m.branch = b.no"
        " WHERE b.unit = %s AND b.space = %s AND b.session = %s LIMIT 1"
    )
    if db.execute(said, (*space, number)).fetchone():
        _clear_texts(db, space, number, session, tally)
        unsigned = f"UPDATE sessions SET title = NULL, author = NULL WHERE {_HERE} AND no = %s"
        db.execute(unsigned, (*space, number))
    else:
        remove_session(db, space, number, session, tally, remember=True)
        remove_documents(db, space, session, tally, remember=True)


def _leave_pools(db: Database, author: str, tally: Tally) -> None:
    gone = "DELETE FROM memberships WHERE unit = %s RETURNING pool"
    for pool in [pool for (pool,) in db.execute(gone, (spaces.unit(author),)).fetchall()]:
        space = Space(spaces.pool_unit(pool), 0)
        db.together(
            (f"SELECT 1 FROM spaces WHERE {_HERE} FOR UPDATE", space),
            ("DELETE FROM grants WHERE unit = %s AND owner = %s", (space.unit, author)),
        )
        if not spaces.keep_an_admin(db, pool):
            for one in (space.shelf, space):
                _empty_space(db, one, tally)
