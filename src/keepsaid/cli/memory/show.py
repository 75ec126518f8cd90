"""`keepsaid show`: print a conversation."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from keepsaid.cli.memory.lookup import find_session, shorten_id
from keepsaid.cli.memory.sessions import describe_session, session_as_json
from keepsaid.cli.open_store import StoreOpener
from keepsaid.cli.options import json_option, owner_option
from keepsaid.cli.output.formatting import echo_json
from keepsaid.cli.output.table import TableColumn, format_table
from keepsaid.cli.output.text import screen_width, to_printable, truncate_to_width
from keepsaid.types import Branch, Message, Session

if TYPE_CHECKING:
    from keepsaid.memory.chat import Chat

INDENT = "    "
MAX_COLUMNS = 100
"""Maximum columns of a line of text: longer lines are hard to read."""
CALL_SHOWN = 300


@click.command()
@click.argument("session", metavar="SESSION")
@owner_option
@click.option("--last", type=click.IntRange(min=1), metavar="N", help="Only the last N messages.")
@click.option("--branches", is_flag=True, help="List the branches of the conversation instead of its messages.")
@click.option("--why", is_flag=True, help="Show what the newest prompt contained, and why, instead of the messages.")
@json_option
@click.pass_obj
def show(
    opener: StoreOpener, session: str, owner: str, last: int | None, branches: bool, why: bool, as_json: bool
) -> None:  # fmt: skip
    """Print a conversation, with its dates.

    SESSION is an id, the end of one, or a title.
    """
    if branches and why:
        raise click.UsageError("--branches and --why contradict each other")
    with opener.open_for_reading(background=False) as memory:
        found = find_session(memory, owner, session)
        chat = memory.chat(owner=owner, session=found.id)
        if why:
            from keepsaid.cli.memory.receipt_view import show_why

            show_why(memory, owner, found.id, as_json)
        elif branches:
            _show_branches(chat, found, as_json)
        else:
            _show_messages(chat.messages(last=last), found, as_json)


def _show_messages(messages: Sequence[Message], session: Session, as_json: bool) -> None:
    if as_json:
        echo_json({**session_as_json(session), "said": [_as_json(message) for message in messages]})
        return
    title = click.style(to_printable(session.title or "no title"), bold=True)
    click.echo(f"{title}  ({session.id})")
    hidden = session.message_count - len(messages)
    click.echo(describe_session(session) + (f"; the last {len(messages):,}:" if hidden and messages else ""))
    day = ""
    for message in messages:
        at = message.created_at.astimezone()
        if day != (day := f"{at:%A, %Y-%m-%d}"):
            click.echo(f"\n{click.style(day, dim=True)}")
        by = f"{message.role} {to_printable(message.name)}" if message.name else str(message.role)
        click.echo(f"{at:%H:%M}  {click.style(by, bold=True)}" + _marks(message))
        for line in _lines(message, min(MAX_COLUMNS, screen_width())):
            click.echo(line)


def _marks(message: Message) -> str:
    marks = [name for name, is_so in (("pinned", message.pinned), ("private", message.private)) if is_so]
    return f"  ({', '.join(marks)})" if marks else ""


def _lines(message: Message, width: int) -> Iterator[str]:
    """Yield a message's text, attachments and tool calls, wrapped to the width."""
    for written in message.text.splitlines():
        # Keep the indentation of code; other white space is collapsed.
        start = written[: len(written) - len(written.lstrip(" "))]
        text = start + to_printable(written)
        yield from textwrap.wrap(text, width, initial_indent=INDENT, subsequent_indent=INDENT + start[:20]) or [""]
    for part in message.parts:
        if part.kind != "text":
            yield INDENT + truncate_to_width(
                f"[{to_printable(part.kind)}: {to_printable(part.name or part.uri or part.text or '')}]", width - 4
            )
    for call in message.tool_calls:
        shown = f"calls {to_printable(call.name)} {to_printable(call.arguments)}"
        yield INDENT + click.style(truncate_to_width(shown, min(CALL_SHOWN, width - 4)), dim=True)


def _as_json(message: Message) -> dict[str, Any]:
    data: dict[str, Any] = {
        "id": message.id, "role": message.role.value, "at": message.created_at.isoformat(), "text": message.text,
        "tokens": message.tokens, "name": message.name, "pinned": message.pinned, "private": message.private,
        "metadata": dict(message.metadata),
    }  # fmt: skip
    if message.parts:
        data["parts"] = [{"kind": one.kind, "text": one.text, "uri": one.uri, "name": one.name} for one in message.parts]
    if message.tool_calls:
        data["tool_calls"] = [{"id": c.id, "name": c.name, "arguments": c.arguments} for c in message.tool_calls]
    if message.tool_call_id:
        data["tool_call_id"] = message.tool_call_id
    return data


def _show_branches(chat: Chat, session: Session, as_json: bool) -> None:
    branches = chat.branches()
    if as_json:
        listed = [{"leaf": b.leaf, "messages": b.messages, "tokens": b.tokens, "active": b.active} for b in branches]
        echo_json({**session_as_json(session), "branches": listed})
        return
    columns = (
        TableColumn("ends with", flexible=True), TableColumn("message"), TableColumn("messages", right=True),
        TableColumn("tokens", right=True), TableColumn(""),
    )  # fmt: skip
    for line in format_table(columns, [_branch_row(chat, branch) for branch in branches], screen_width()):
        click.echo(line)


def _branch_row(chat: Chat, branch: Branch) -> list[str]:
    text = chat.message(branch.leaf).text if branch.leaf else "(nothing)"
    ends = " ".join(text.split())[:200]
    here = "active" if branch.active else ""
    return [ends, shorten_id(branch.leaf or ""), f"{branch.messages:,}", f"{branch.tokens:,}", here]
