"""`keepsaid sessions`: list conversations."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import islice
from typing import Any

import click

from keepsaid.cli.memory.lookup import all_sessions, is_blank, shorten_id
from keepsaid.cli.open_store import StoreOpener
from keepsaid.cli.options import date_option_callback, json_option, owner_option
from keepsaid.cli.output.formatting import echo_json, format_count
from keepsaid.cli.output.table import TableColumn, format_table
from keepsaid.cli.output.text import screen_width
from keepsaid.engine.messages.lifecycle import describe_expiry
from keepsaid.types import Session, SessionStatus, to_microseconds

COLUMNS = (
    TableColumn("title", flexible=True), TableColumn("id"), TableColumn("last said"), TableColumn("messages", right=True),
    TableColumn("tokens", right=True), TableColumn("status"),
)  # fmt: skip
EXPIRY = TableColumn("expiry")
"""Shown only if a listed session expires."""


@click.command()
@owner_option
@click.option(
    "--status", type=click.Choice([status.value for status in SessionStatus]), help="Only these. Default: not deleted."
)
@click.option("--tag", metavar="T", help="Only sessions with this tag.")
@click.option("--since", callback=date_option_callback("since"), metavar="D", help="Only sessions active from this date on.")
@click.option("--until", callback=date_option_callback("until"), metavar="D", help="Only up to and including this date.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="List at most N. Default: the setting, 20.")
@click.option("--all", "every", is_flag=True, help="List all, including those without messages.")
@json_option
@click.pass_obj
def sessions(
    opener: StoreOpener, owner: str, status: str | None, tag: str | None, since: datetime | None, until: datetime | None,
    limit: int | None, every: bool, as_json: bool,
) -> None:  # fmt: skip
    """List conversations, newest first.

    `keepsaid show` takes the id, its end as listed, or the title.
    """
    most = None if every else limit or opener.settings().sessions_limit
    with opener.open_for_reading(background=False) as memory:
        listed = all_sessions(memory, owner, status=status, tag=tag, since=since, until=until)
        listed = (session for session in listed if every or not is_blank(session))
        found = list(islice(listed, None if most is None else most + 1))
    shown = found[:most]
    if as_json:
        echo_json(
            {
                "store": opener.location(),
                "owner": owner,
                "sessions": [*map(session_as_json, shown)],
                "more": len(found) > len(shown),
            }
        )
        return
    if not shown:
        click.echo(f"Owner {owner!r} has no such session.")
        return
    expiries = [describe_session_expiry(session) for session in shown]
    columns = (*COLUMNS, EXPIRY) if any(expiries) else COLUMNS
    rows = [[*_row(session), text][: len(columns)] for session, text in zip(shown, expiries, strict=True)]
    for line in format_table(columns, rows, screen_width()):
        click.echo(line)
    if len(found) > len(shown):
        click.echo(f"These are the newest {len(shown):,}; --all lists all.", err=True)


def session_as_json(session: Session) -> dict[str, Any]:
    """Return a session as a JSON object."""
    expires = session.expires_at
    return {
        "id": session.id,
        "title": session.title,
        "status": session.status.value,
        "created": session.created_at.isoformat(),
        "updated": session.updated_at.isoformat(),
        "expired": session.expired,
        "expires": None if expires is None else expires.isoformat(),
        "messages": session.message_count,
        "tokens": session.token_count,
        "pinned": session.pinned,
        "tags": list(session.tags),
        "summary": session.summary,
    }


def describe_session(session: Session) -> str:
    """Return a session's size, status and expiry in words."""
    pinned = ", pinned" if session.pinned else ""
    numbers = f"{format_count(session.message_count, 'message')}, {format_count(session.token_count, 'token')}"
    ends = f", {text}" if (text := describe_session_expiry(session)) else ""
    return f"{numbers}, {status_word(session)}{pinned}{ends}"


def status_word(session: Session) -> str:
    """Return the status, with 'expired' in place of 'deleted' if retention deleted the session."""
    return "expired" if session.expired else session.status.value


def describe_session_expiry(session: Session) -> str:
    """Return how long the session keeps its status, or an empty string."""
    return describe_expiry(session, to_microseconds(datetime.now(UTC)))


def _row(session: Session) -> list[str]:
    pinned = "*" if session.pinned else ""
    return [
        session.title or "–", shorten_id(session.id), f"{session.updated_at.astimezone():%Y-%m-%d %H:%M}",
        f"{session.message_count:,}", f"{session.token_count:,}", status_word(session) + pinned,
    ]  # fmt: skip
