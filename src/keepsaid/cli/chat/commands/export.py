"""`/export`: write the conversation to a file."""

from __future__ import annotations

import re
from pathlib import Path

from keepsaid.cli.chat.commands.slash_command import SlashCommand
from keepsaid.cli.chat.state import ChatState
from keepsaid.cli.options import check_writable
from keepsaid.cli.output.formatting import format_size

_NOT_IN_NAMES = re.compile(r"[^\w-]+")
MAX_NAME_LENGTH = 40
FORMATS = {".md": "markdown", ".markdown": "markdown", ".txt": "markdown", ".json": "json", "": "markdown"}
"""The format by the file's suffix."""


def export(state: ChatState, argument: str) -> None:
    """Write Markdown or JSON, by the file's suffix."""
    info = state.info()
    if info is None or not info.message_count:
        state.screen.note("There is nothing to export yet.")
        return
    target = Path(argument).expanduser() if argument else Path(make_file_name(info.title or "conversation"))
    suffix = target.suffix.casefold()
    if suffix not in FORMATS:
        known = ", ".join(filter(None, FORMATS))
        state.screen.warn(f"There is no export format for {suffix}; use one of {known}.")
        return
    check_writable(target)
    if target.exists() and state.reader.ask(f"{target} already exists. Replace it? [y/N] ").casefold() not in ("y", "yes"):
        state.screen.note("Nothing was written.")
        return
    state.memory.export(target, owner=state.owner, session=info.id, format=FORMATS[suffix])
    state.screen.note(f"Written to {target} ({format_size(target.stat().st_size)}).")


def make_file_name(title: str) -> str:
    """Return a file name made from a title.

    >>> make_file_name("My sister / Lisbon: when?")
    'my-sister-lisbon-when.md'
    """
    return (_NOT_IN_NAMES.sub("-", title.casefold()).strip("-")[:MAX_NAME_LENGTH].strip("-") or "conversation") + ".md"


COMMANDS = (
    SlashCommand("export", "[FILE]", "write this conversation to a file (.md or .json)", export, "files"),
)  # fmt: skip
