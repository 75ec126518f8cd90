"""The slash commands of the chat: one table, from which /help, the completion and the documentation are made."""

from __future__ import annotations

import difflib

from recollect.cli.chat.commands import conversations, course, finding, forgetting, helping, keeping, looking
from recollect.cli.chat.commands.table import Command
from recollect.cli.chat.talk import Talk
from recollect.cli.text import printable

COMMANDS: tuple[Command, ...] = (
    *conversations.COMMANDS,
    *course.COMMANDS,
    *finding.COMMANDS,
    *looking.COMMANDS,
    *forgetting.COMMANDS,
    *keeping.COMMANDS,
    *helping.COMMANDS,
)
BY_NAME = {command.name: command for command in COMMANDS}


def is_command(text: str) -> bool:
    """Whether a text means a command: a slash and a word, on one line unless it is one we know. A path has more slashes.

    >>> [is_command(text) for text in ("/serach tea", "//help", "/usr/lib/site.py:3: oops", "/tmp is full\\nhe says")]
    [True, False, False, False]
    """
    line, newline, _ = text.strip().partition("\n")
    name, space, _ = line.removeprefix("/").partition(" ")
    if not line.startswith("/") or "/" in name:
        return False
    # Only a fact or a search, begun on the first line, has any use for more of them.
    return not newline or (bool(space) and name.casefold() in BY_NAME)


def run(talk: Talk, line: str) -> None:
    """Does what a line that begins with a slash says; what is no command goes nowhere."""
    name, _, argument = line.removeprefix("/").partition(" ")
    command = BY_NAME.get(name.casefold()) if name else BY_NAME["help"]
    if command is None:
        talk.screen.trouble(unknown(name))
    else:
        command.run(talk, argument.strip())


def reference() -> str:
    """All commands as a table in Markdown, for the documentation.

    >>> "| `/rename TITLE` | Give this conversation a title. |" in reference()
    True
    """
    rows = ["| Command | What it does |", "|---|---|"]
    for command in COMMANDS:
        told = f"{command.help[0].upper()}{command.help[1:]}. {command.more}".strip()
        usage = command.usage.replace("|", r"\|")
        rows.append(f"| `{usage}` | {told} |")
    return "\n".join(rows) + "\n"


def unknown(name: str) -> str:
    """What to say about a command that there is not.

    >>> unknown("serach")
    'There is no command /serach. Did you mean /search? Nothing was sent.'
    """
    close = difflib.get_close_matches(name.casefold(), BY_NAME, n=1) or [one for one in BY_NAME if one.startswith(name)][:1]
    hint = f"Did you mean /{close[0]}?" if close and name else "/help lists them; two slashes send it as it is."
    return f"There is no command /{printable(name)}. {hint} Nothing was sent."
