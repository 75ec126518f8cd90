"""`keepsaid erase`: erase an owner, a session or a message for good."""

from __future__ import annotations

from dataclasses import asdict

import click

from keepsaid.cli.memory.lookup import all_sessions, find_session
from keepsaid.cli.open_store import StoreOpener
from keepsaid.cli.options import json_option, required_owner_option
from keepsaid.cli.output.formatting import echo_json, format_count
from keepsaid.errors import NotFound
from keepsaid.memory import Memory
from keepsaid.types import Session
from keepsaid.types.reports import EraseReceipt


@click.command()
@required_owner_option
@click.option("--session", metavar="S", help="Only this session: its id, the end of the id, or its title.")
@click.option("--message", metavar="M", help="Only this message of the session.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@click.pass_obj
def erase(opener: StoreOpener, owner: str, session: str | None, message: str | None, yes: bool, as_json: bool) -> None:
    """Remove an owner, a session or a message for good.

    Nothing of it stays in the file, its log or its indexes. This cannot be undone.
    """
    if message is not None and session is None:
        raise click.UsageError("--message needs the --session that the message is in")
    with opener.open() as memory:
        found = None if session is None else find_session(memory, owner, session, deleted=True, sure=yes)
        scope = _describe_scope(memory, owner, found, message)
        if not yes:
            # On stderr, so that stdout has only the receipt.
            click.echo(f"This erases {scope} from {opener.location()}, for good.", err=True)
            click.confirm("Go ahead?", abort=True, err=True)
        grants = found is None and bool(memory.pools(owner=owner))
        receipt = memory.erase(owner=owner, session=None if found is None else found.id, message=message)
    if not (receipt.sessions or receipt.messages or grants):
        # A mistyped owner must not look like a successful erase of nothing.
        raise NotFound(f"there is nothing of owner {owner!r} in {opener.location()}")
    if as_json:
        echo_json({"store": opener.location(), **asdict(receipt)})
    else:
        _print(receipt)


def _describe_scope(memory: Memory, owner: str, found: Session | None, message: str | None) -> str:
    """Describe what will be erased; raise an error if it does not exist, before asking."""
    if found is None:
        return _describe_owner(memory, owner)
    if message is None:
        messages = format_count(found.message_count, "message")
        return f"{_describe_session(found)} of owner {owner!r} with {messages} and all its branches"
    if found.status == "deleted":
        # Messages of a deleted session cannot be read; the erase itself fails if this one does not exist.
        return f"message {message!r} of the deleted {_describe_session(found)}"
    target = memory.chat(owner=owner, session=found.id).message(message)
    text = " ".join(target.text.split())
    beginning = text if len(text) <= 60 else text[:59] + "…"
    return f"message {message!r} ({target.role}, {target.created_at:%Y-%m-%d %H:%M}: {beginning!r})"


def _describe_owner(memory: Memory, owner: str) -> str:
    live = list(all_sessions(memory, owner))
    deleted = list(all_sessions(memory, owner, status="deleted"))
    pools = len(memory.pools(owner=owner))
    if not (live or deleted or pools):
        # There may still be messages in a pool that the owner has left, which only the erase itself finds.
        return f"everything that owner {owner!r} (who has no session) wrote in pools"
    messages = sum(session.message_count for session in (*live, *deleted))
    words = f"everything of owner {owner!r}: {format_count(len(live), 'session')}"
    if deleted:
        words += f" and {format_count(len(deleted), 'deleted one')}"
    words += f" with {format_count(messages, 'message')} and all branches"
    return words + (f", and what the owner wrote in {format_count(pools, 'pool')}" if pools else "")


def _describe_session(session: Session) -> str:
    return f"session {session.id!r}" + (f" ({session.title!r})" if session.title else "")


def _print(receipt: EraseReceipt) -> None:
    removed = [format_count(receipt.sessions, "session"), format_count(receipt.messages, "message")]
    if receipt.derived:
        removed.append(format_count(receipt.derived, "derived row"))
    click.echo(f"Erased: {', '.join(removed)}. Verified: {', '.join(receipt.verified) or 'nothing'}.")
    if receipt.pending:
        click.echo(f"Not finished: {receipt.pending}. Until then, traces may remain in the store's log and pages.")
        click.echo("A server that has the store open, `keepsaid doctor`, or the next program to open it finishes it.")
