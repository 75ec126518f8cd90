"""Private messages: they stay in their conversation, but are not searchable, and nothing derived from them is kept."""

from __future__ import annotations

from keepsaid.storage.postgres import branches, partitions, rows
from keepsaid.storage.postgres.branches import PostgresBranchPosition
from keepsaid.storage.postgres.connection.database import PostgresConnection
from keepsaid.storage.postgres.erase import cascade
from keepsaid.storage.postgres.erase.erase_record import PostgresEraseRecord
from keepsaid.storage.postgres.partitions import PartitionKey
from keepsaid.storage.postgres.search import keyword_index, vectors

_UPDATE_MESSAGE = "UPDATE messages SET number = %s, extra = %s, terms = %s WHERE unit = %s AND space = %s AND number = %s"


def set_private(db: PostgresConnection, space: PartitionKey, place: PostgresBranchPosition, private: bool) -> None:
    """Make a message private, or public again."""
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


def _hide(
    db: PostgresConnection, space: PartitionKey, place: PostgresBranchPosition, number: int, extra: str | None
) -> None:
    tally = PostgresEraseRecord()
    cascade.remove_path_summaries(db, space, place, branches.find_descendants(db, space, place), tally)
    cascade.remove_message_artifacts(db, space, [number], tally)
    vectors.delete_vectors(db, space, [number])
    keyword_index.remove_words(db, space, [number])
    # Processes that hold its vectors in memory must reload them.
    db.together(
        (_UPDATE_MESSAGE, (number, rows.set_private_flag(extra, True), [], *space, number)),
        partitions.record_change(space, "erased"),
    )


def _show(db: PostgresConnection, space: PartitionKey, number: int, text: str, extra: str | None) -> None:
    """Make a message public under the owner's next number. It then waits for embedding and notes like a new message, and
    nothing is derived twice from the messages after it."""
    public = rows.set_private_flag(extra, False)
    ((new,),) = db.execute(
        "UPDATE spaces SET last = last + 1 WHERE unit = %s AND space = %s RETURNING last", space
    ).fetchall()
    terms = list(dict.fromkeys(rows.message_terms(text, public)))
    db.together(
        (_UPDATE_MESSAGE, (new, public, terms, *space, number)),
        ("SELECT keepsaid_follow(%s, %s, %s, %s)", (*space, new - 1, new)),
    )
