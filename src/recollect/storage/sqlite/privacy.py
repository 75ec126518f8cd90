"""Messages that are never to be remembered: they stay in their conversation, and nothing is kept that was made of them."""

from __future__ import annotations

from recollect.storage.sqlite import aftermath, branches, keywords, rows, spaces, vectors
from recollect.storage.sqlite.branches import Place
from recollect.storage.sqlite.database import Database
from recollect.storage.sqlite.tally import Tally


def set_private(db: Database, owner: int, place: Place, private: bool) -> None:
    """Makes a message private, or public again."""
    row = db.execute("SELECT rid, extra FROM messages WHERE branch = ? AND seq = ?", place).fetchone()
    assert row
    rid, extra = row
    if rows.is_private(extra) == private:
        return
    if private:
        _hide(db, owner, place, rid, extra)
    else:
        _show(db, owner, rid, extra)


def _hide(db: Database, owner: int, place: Place, rid: int, extra: str | None) -> None:
    tally = Tally()
    aftermath.of_place(db, place, branches.descendants(db, place), tally)
    aftermath.of_messages(db, "m.rid = ?", (rid,), tally)
    vectors.clear(db, "rid = ?", (rid,))
    keywords.take_out(db, "m.rid = ?", (rid,))
    db.execute("UPDATE messages SET extra = ? WHERE rid = ?", (rows.with_private(extra, True), rid))
    keywords.put_in(db, rid)
    # Whoever holds its vectors in memory must load anew.
    spaces.note(db, owner, "erased")


def _show(db: Database, owner: int, rid: int, extra: str | None) -> None:
    """The message gets the owner's next number: so it waits, like a new one, for all that is made of messages, and nothing
    is made twice of those behind it."""
    last = spaces.last_number(db, owner)
    low, _ = spaces.rid_range(owner)
    keywords.forget(db, "m.rid = ?", (rid,))
    new = (low + last + 1, rows.with_private(extra, False), rid)
    db.execute("UPDATE messages SET rid = ?, extra = ? WHERE rid = ?", new)
    keywords.follow(db, owner, last, last + 1)
