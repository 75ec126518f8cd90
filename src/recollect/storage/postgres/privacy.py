"""Messages that are never to be remembered: they stay in their conversation, and nothing is kept that was made of them."""

from __future__ import annotations

from recollect.storage.postgres import aftermath, branches, keywords, rows, spaces, vectors
from recollect.storage.postgres.branches import Place
from recollect.storage.postgres.database import Database
from recollect.storage.postgres.spaces import Space
from recollect.storage.postgres.tally import Tally

_REMEMBERED = "UPDATE messages SET number = %s, extra = %s, terms = %s WHERE unit = %s AND space = %s AND number = %s"


def set_private(db: Database, space: Space, place: Place, private: bool) -> None:
    """Makes a message private, or public again."""
    row = db.execute(
        "SELECT number, text, extra FROM messages WHERE unit = %s AND space = %s AND branch = %s AND seq = %s",
        (*space, *place),
    ).fetchone()
    assert row
    number, text, extra = row
    if rows.is_private(extra) == private:
        return
    if private:
        _hide(db, space, place, number, extra)
    else:
        _show(db, space, number, text, extra)


def _hide(db: Database, space: Space, place: Place, number: int, extra: str | None) -> None:
    tally = Tally()
    aftermath.of_place(db, space, place, branches.descendants(db, space, place), tally)
    aftermath.of_messages(db, space, [number], tally)
    vectors.clear(db, space, [number])
    keywords.take_out(db, space, [number])
    # Whoever holds its vectors in memory must load anew.
    db.together(
        (_REMEMBERED, (number, rows.with_private(extra, True), [], *space, number)),
        spaces.note(space, "erased"),
    )


def _show(db: Database, space: Space, number: int, text: str, extra: str | None) -> None:
    """The message gets the owner's next number: so it waits, like a new one, for all that is made of messages, and nothing
    is made twice of those behind it."""
    public = rows.with_private(extra, False)
    ((new,),) = db.execute(
        "UPDATE spaces SET last = last + 1 WHERE unit = %s AND space = %s RETURNING last", space
    ).fetchall()
    terms = list(dict.fromkeys(rows.message_terms(text, public)))
    db.together(
        (_REMEMBERED, (new, public, terms, *space, number)),
        ("SELECT recollect_follow(%s, %s, %s, %s)", (*space, new - 1, new)),
    )
