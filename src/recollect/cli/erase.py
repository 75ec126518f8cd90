"""`recollect erase`: removes an owner, a session or a message for good, and says so."""

from __future__ import annotations

from dataclasses import asdict

import click

from recollect.cli.door import Door
from recollect.cli.lookup import all_sessions, named_session
from recollect.cli.options import json_option, whose_by_name
from recollect.cli.words import count, echo_json
from recollect.errors import NotFound
from recollect.memory import Memory
from recollect.reports import EraseReceipt
from recollect.types import Session


@click.command()
@whose_by_name
@click.option("--session", metavar="S", help="Only this session: its id, the end of it, or its title.")
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
        found = None if session is None else named_session(memory, owner, session, deleted=True, sure=yes)
        going = _preview(memory, owner, found, message)
        if not yes:
            # Asked on stderr, so that stdout has the receipt and nothing else.
            click.echo(f"This erases {going} from {door.where()}, for good.", err=True)
            click.confirm("Go ahead?", abort=True, err=True)
        grants = found is None and bool(memory.pools(owner=owner))
        receipt = memory.erase(owner=owner, session=None if found is None else found.id, message=message)
    if not (receipt.sessions or receipt.messages or grants):
        # An owner's name is easily mistyped, and "erased 0" easily overlooked.
        raise NotFound(f"there is nothing of owner {owner!r} in {door.where()}")
    if as_json:
        echo_json({"store": door.where(), **asdict(receipt)})
    else:
        _print(receipt)


def _preview(memory: Memory, owner: str, found: Session | None, message: str | None) -> str:
    """What will go, in words. What is not there is an error before anything is asked."""
    if found is None:
        return _owner(memory, owner)
    if message is None:
        return f"{_name(found)} of owner {owner!r} with {count(found.message_count, 'message')} and all its branches"
    if found.status == "deleted":
        # Messages of a deleted session cannot be read; the erase itself says if there is no such one.
        return f"message {message!r} of the deleted {_name(found)}"
    said = memory.chat(owner=owner, session=found.id).message(message)
    text = " ".join(said.text.split())
    beginning = text if len(text) <= 60 else text[:59] + "…"
    return f"message {message!r} ({said.role}, {said.created_at:%Y-%m-%d %H:%M}: {beginning!r})"


def _owner(memory: Memory, owner: str) -> str:
    kept = list(all_sessions(memory, owner))
    deleted = list(all_sessions(memory, owner, status="deleted"))
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
