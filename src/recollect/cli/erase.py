"""`recollect erase`: removes an owner, a session or a message for good, and says so."""

from __future__ import annotations

from dataclasses import asdict

import click

from recollect.cli.door import Door
from recollect.cli.options import json_option, whose_by_name
from recollect.cli.words import count, echo_json
from recollect.errors import NotFound
from recollect.memory import Memory
from recollect.reports import EraseReceipt
from recollect.types import Session

PAGE = 1000


@click.command()
@whose_by_name
@click.option("--session", metavar="S", help="Only this session.")
@click.option("--message", metavar="M", help="Only this message of the session.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@click.pass_obj
def erase(door: Door, owner: str, session: str | None, message: str | None, yes: bool, as_json: bool) -> None:
    """Remove an owner, a session or a message for good.

    Nothing of it stays in the file, its log or its indexes. This cannot be undone.
    """
    if message is not None and session is None:
        raise click.UsageError("--message needs the --session that the message is in")
    with door.open() as memory:
        going = _preview(memory, owner, session, message)
        if not yes:
            # Asked on stderr, so that stdout has the receipt and nothing else.
            click.echo(f"This erases {going} from {door.where()}, for good.", err=True)
            click.confirm("Go ahead?", abort=True, err=True)
        grants = session is None and bool(memory.pools(owner=owner))
        receipt = memory.erase(owner=owner, session=session, message=message)
    if not (receipt.sessions or receipt.messages or grants):
        # An owner's name is easily mistyped, and "erased 0" easily overlooked.
        raise NotFound(f"there is nothing of owner {owner!r} in {door.where()}")
    if as_json:
        echo_json({"store": door.where(), **asdict(receipt)})
    else:
        _print(receipt)


def _preview(memory: Memory, owner: str, session: str | None, message: str | None) -> str:
    """What will go, in words. What is not there is an error before anything is asked."""
    if session is None:
        return _owner(memory, owner)
    found = _session(memory, owner, session)
    if message is None:
        return f"{_name(found)} of owner {owner!r} with {count(found.message_count, 'message')} and all its branches"
    if found.status == "deleted":
        # Messages of a deleted session cannot be read; the erase itself says if there is no such one.
        return f"message {message!r} of the deleted {_name(found)}"
    said = memory.chat(owner=owner, session=session).message(message)
    text = " ".join(said.text.split())
    beginning = text if len(text) <= 60 else text[:59] + "…"
    return f"message {message!r} ({said.role}, {said.created_at:%Y-%m-%d %H:%M}: {beginning!r})"


def _owner(memory: Memory, owner: str) -> str:
    kept = _sessions(memory, owner, None)
    deleted = _sessions(memory, owner, "deleted")
    pools = len(memory.pools(owner=owner))
    if not (kept or deleted or pools):
        # There may still be messages in a pool that the owner has left; only the erase itself can tell.
        return f"whatever owner {owner!r} (who has no session) wrote in pools"
    messages = sum(session.message_count for session in (*kept, *deleted))
    words = f"everything of owner {owner!r}: {count(len(kept), 'session')}"
    if deleted:
        words += f" and {count(len(deleted), 'deleted one')}"
    words += f" with {count(messages, 'message')} and all branches"
    return words + (f", and what the owner wrote in {count(pools, 'pool')}" if pools else "")


def _session(memory: Memory, owner: str, session: str) -> Session:
    """The session, also when it is deleted."""
    try:
        return memory.chat(owner=owner, session=session).info()
    except NotFound:
        for deleted in _sessions(memory, owner, "deleted"):
            if deleted.id == session:
                return deleted
        raise NotFound(f"owner {owner!r} has no session {session!r}") from None


def _sessions(memory: Memory, owner: str, status: str | None) -> list[Session]:
    page = memory.sessions(owner=owner, status=status, limit=PAGE)
    found = list(page)
    while page.next:
        page = memory.sessions(owner=owner, status=status, limit=PAGE, cursor=page.next)
        found += page
    return found


def _name(session: Session) -> str:
    return f"session {session.id!r}" + (f" ({session.title!r})" if session.title else "")


def _print(receipt: EraseReceipt) -> None:
    removed = [count(receipt.sessions, "session"), count(receipt.messages, "message")]
    if receipt.derived:
        removed.append(count(receipt.derived, "derived row"))
    click.echo(f"Erased: {', '.join(removed)}. Verified: {', '.join(receipt.verified) or 'nothing'}.")
    if receipt.pending:
        click.echo(f"Not finished: {receipt.pending}. Until then traces may be left in the store's log.")
        click.echo("`recollect doctor`, or whoever opens the store next, finishes it.")
