"""`recollect show`: a conversation, to be read."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from recollect.cli.door import Door
from recollect.cli.lookup import named_session, short
from recollect.cli.options import json_option, whose
from recollect.cli.sessions import as_data, described
from recollect.cli.table import Column, table
from recollect.cli.text import fitted, printable, screen_width
from recollect.cli.words import echo_json
from recollect.types import Branch, Message, Session

if TYPE_CHECKING:
    from recollect.chat import Chat

INDENT = "    "
WIDEST = 100
"""Cells of a line of text: longer ones are hard to read."""
CALL_SHOWN = 300


@click.command()
@click.argument("session", metavar="SESSION")
@whose
@click.option("--last", type=click.IntRange(min=1), metavar="N", help="Only the last N messages.")
@click.option("--branches", is_flag=True, help="List the ways the conversation went, instead of its messages.")
@click.option("--why", is_flag=True, help="What the newest prompt was made of, and why, instead of the messages.")
@json_option
@click.pass_obj
def show(
    door: Door, session: str, owner: str, last: int | None, branches: bool, why: bool, as_json: bool
) -> None:  # fmt: skip
    """Print a conversation, with its dates.

    SESSION is an id, the end of one, or a title.
    """
    if branches and why:
        raise click.UsageError("--branches and --why contradict each other")
    with door.reading(background=False) as memory:
        found = named_session(memory, owner, session)
        chat = memory.chat(owner=owner, session=found.id)
        if why:
            from recollect.cli.why import show_why

            show_why(memory, owner, found.id, as_json)
        elif branches:
            _show_branches(chat, found, as_json)
        else:
            _show_messages(chat.messages(last=last), found, as_json)


def _show_messages(messages: Sequence[Message], session: Session, as_json: bool) -> None:
    if as_json:
        echo_json({**as_data(session), "said": [_as_json(message) for message in messages]})
        return
    title = click.style(printable(session.title or "no title"), bold=True)
    click.echo(f"{title}  ({session.id})")
    hidden = session.message_count - len(messages)
    click.echo(described(session) + (f"; the last {len(messages):,}:" if hidden and messages else ""))
    day = ""
    for message in messages:
        at = message.created_at.astimezone()
        if day != (day := f"{at:%A, %Y-%m-%d}"):
            click.echo(f"\n{click.style(day, dim=True)}")
        by = f"{message.role} {printable(message.name)}" if message.name else str(message.role)
        click.echo(f"{at:%H:%M}  {click.style(by, bold=True)}" + _marks(message))
        for line in _lines(message, min(WIDEST, screen_width())):
            click.echo(line)


def _marks(message: Message) -> str:
    marks = [name for name, is_so in (("pinned", message.pinned), ("private", message.private)) if is_so]
    return f"  ({', '.join(marks)})" if marks else ""


def _lines(message: Message, width: int) -> Iterator[str]:
    """A message's text as it was written, and what else it has, within the width."""
    for written in message.text.splitlines():
        # Code keeps its indentation, and only that.
        start = written[: len(written) - len(written.lstrip(" "))]
        text = start + printable(written)
        yield from textwrap.wrap(text, width, initial_indent=INDENT, subsequent_indent=INDENT + start[:20]) or [""]
    for part in message.parts:
        if part.kind != "text":
            yield INDENT + fitted(
                f"[{printable(part.kind)}: {printable(part.name or part.uri or part.text or '')}]", width - 4
            )
    for call in message.tool_calls:
        shown = f"calls {printable(call.name)} {printable(call.arguments)}"
        yield INDENT + click.style(fitted(shown, min(CALL_SHOWN, width - 4)), dim=True)


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
        echo_json({**as_data(session), "branches": listed})
        return
    columns = (
        Column("ends with", gives_way=True), Column("message"), Column("messages", right=True),
        Column("tokens", right=True), Column(""),
    )  # fmt: skip
    for line in table(columns, [_branch_row(chat, branch) for branch in branches], screen_width()):
        click.echo(line)


def _branch_row(chat: Chat, branch: Branch) -> list[str]:
    text = chat.message(branch.leaf).text if branch.leaf else "(nothing)"
    ends = " ".join(text.split())[:200]
    here = "active" if branch.active else ""
    return [ends, short(branch.leaf or ""), f"{branch.messages:,}", f"{branch.tokens:,}", here]
