"""`recollect sessions`: which conversations there are."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import islice
from typing import Any

import click

from recollect.cli.door import Door
from recollect.cli.lookup import all_sessions, is_blank, short
from recollect.cli.options import json_option, when, whose
from recollect.cli.table import Column, table
from recollect.cli.text import screen_width
from recollect.cli.words import count, echo_json
from recollect.engine.lifecycle import describe_expiry
from recollect.types import Session, Status, microseconds

COLUMNS = (
    Column("title", gives_way=True), Column("id"), Column("last said"), Column("messages", right=True),
    Column("tokens", right=True), Column("status"),
)  # fmt: skip
EXPIRY = Column("expiry")
"""Only where something expires."""


@click.command()
@whose
@click.option("--status", type=click.Choice([status.value for status in Status]), help="Only these. Default: not deleted.")
@click.option("--tag", metavar="T", help="Only sessions with this tag.")
@click.option("--since", callback=when("since"), metavar="D", help="Only those active from this date on.")
@click.option("--until", callback=when("until"), metavar="D", help="Only up to this date, which is included.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="At most so many. Default: the setting, 20.")
@click.option("--all", "every", is_flag=True, help="All of them, also those in which nothing was said.")
@json_option
@click.pass_obj
def sessions(
    door: Door, owner: str, status: str | None, tag: str | None, since: datetime | None, until: datetime | None,
    limit: int | None, every: bool, as_json: bool,
) -> None:  # fmt: skip
    """List conversations, newest first.

    `recollect show` takes the id, its end as it is listed, or the title.
    """
    most = None if every else limit or door.settings().sessions_limit
    with door.reading(background=False) as memory:
        listed = all_sessions(memory, owner, status=status, tag=tag, since=since, until=until)
        listed = (session for session in listed if every or not is_blank(session))
        found = list(islice(listed, None if most is None else most + 1))
    shown = found[:most]
    if as_json:
        echo_json(
            {"store": door.where(), "owner": owner, "sessions": [*map(as_data, shown)], "more": len(found) > len(shown)}
        )
        return
    if not shown:
        click.echo(f"Owner {owner!r} has no such session.")
        return
    expiries = [expiry(session) for session in shown]
    columns = (*COLUMNS, EXPIRY) if any(expiries) else COLUMNS
    rows = [[*_row(session), text][: len(columns)] for session, text in zip(shown, expiries, strict=True)]
    for line in table(columns, rows, screen_width()):
        click.echo(line)
    if len(found) > len(shown):
        click.echo(f"These are the newest {len(shown):,}; --all lists all.", err=True)


def as_data(session: Session) -> dict[str, Any]:
    """A session for programs."""
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


def described(session: Session) -> str:
    """A session's size, status and expiry in words."""
    pinned = ", pinned" if session.pinned else ""
    numbers = f"{count(session.message_count, 'message')}, {count(session.token_count, 'token')}"
    ends = f", {text}" if (text := expiry(session)) else ""
    return f"{numbers}, {status_word(session)}{pinned}{ends}"


def status_word(session: Session) -> str:
    """The status for people, who want to know whether they deleted it themselves."""
    return "expired" if session.expired else session.status.value


def expiry(session: Session) -> str:
    """How long the session stays as it is, as seen from now."""
    return describe_expiry(session, microseconds(datetime.now(UTC)))


def _row(session: Session) -> list[str]:
    pinned = "*" if session.pinned else ""
    return [
        session.title or "–", short(session.id), f"{session.updated_at.astimezone():%Y-%m-%d %H:%M}",
        f"{session.message_count:,}", f"{session.token_count:,}", status_word(session) + pinned,
    ]  # fmt: skip
