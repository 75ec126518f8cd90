"""`/export`: this conversation as a file of one's own."""

from __future__ import annotations

import re
from pathlib import Path

from recollect.cli.chat.commands.table import Command
from recollect.cli.chat.talk import Talk
from recollect.cli.options import writable
from recollect.cli.words import size

_NOT_IN_NAMES = re.compile(r"[^\w-]+")
LONGEST_NAME = 40
FORMATS = {".md": "markdown", ".markdown": "markdown", ".txt": "markdown", ".json": "json", "": "markdown"}
"""What is written, by the file's suffix."""


def export(talk: Talk, argument: str) -> None:
    """Markdown to read, or JSON for programs by the file's suffix."""
    info = talk.info()
    if info is None or not info.message_count:
        talk.screen.note("There is nothing to export yet.")
        return
    target = Path(argument).expanduser() if argument else Path(file_name(info.title or "conversation"))
    suffix = target.suffix.casefold()
    if suffix not in FORMATS:
        known = ", ".join(filter(None, FORMATS))
        talk.screen.trouble(f"Nothing can be written as {suffix}; known are {known}.")
        return
    writable(target)
    if target.exists() and talk.reader.ask(f"{target} is there already. Replace it? [y/N] ").casefold() not in ("y", "yes"):
        talk.screen.note("Nothing was written.")
        return
    talk.memory.export(target, owner=talk.owner, session=info.id, format=FORMATS[suffix])
    talk.screen.note(f"Written to {target} ({size(target.stat().st_size)}).")


def file_name(title: str) -> str:
    """A name for a file, from a title.

    >>> file_name("My sister / Lisbon: when?")
    'my-sister-lisbon-when.md'
    """
    return (_NOT_IN_NAMES.sub("-", title.casefold()).strip("-")[:LONGEST_NAME].strip("-") or "conversation") + ".md"


COMMANDS = (
    Command("export", "[FILE]", "write this conversation to a file (.md or .json)", export, "files"),
)  # fmt: skip
