"""The table of the slash commands of the chat. /help, the completion and the documentation are generated from it."""

from __future__ import annotations

import difflib

from keepsaid.cli.chat.commands import conversations, export, forget, help, history, inspect, memory  # noqa: A004 (the command's own name)
from keepsaid.cli.chat.commands.slash_command import SlashCommand
from keepsaid.cli.chat.state import ChatState
from keepsaid.cli.output.text import to_printable

COMMANDS: tuple[SlashCommand, ...] = (
    *conversations.COMMANDS,
    *history.COMMANDS,
    *memory.COMMANDS,
    *inspect.COMMANDS,
    *forget.COMMANDS,
    *export.COMMANDS,
    *help.COMMANDS,
)
BY_NAME = {command.name: command for command in COMMANDS}


def is_command(text: str) -> bool:
    """Whether a text is a command: a slash and a word, on one line unless the command is known. A path has more slashes.

    >>> [is_command(text) for text in ("/serach tea", "//help", "/usr/lib/site.py:3: oops", "/tmp is full\\nhe says")]
    [True, False, False, False]
    """
    line, newline, _ = text.strip().partition("\n")
    name, space, _ = line.removeprefix("/").partition(" ")
    if not line.startswith("/") or "/" in name:
        return False
    # Only known commands with an argument on the first line may span lines, such as /remember or /search.
    return not newline or (bool(space) and name.casefold() in BY_NAME)


def run_command(state: ChatState, line: str) -> None:
    """Run a line that begins with a slash. An unknown command is reported and not sent to the model."""
    name, _, argument = line.removeprefix("/").partition(" ")
    command = BY_NAME.get(name.casefold()) if name else BY_NAME["help"]
    if command is None:
        state.screen.warn(describe_unknown_command(name))
    else:
        command.run(state, argument.strip())


def render_reference() -> str:
    """Return all commands as a Markdown table, for the documentation.

    >>> "| `/rename TITLE` | Give this conversation a title. |" in render_reference()
    True
    """
    rows = ["| Command | What it does |", "|---|---|"]
    for command in COMMANDS:
        meaning = f"{command.help[0].upper()}{command.help[1:]}. {command.more}".strip()
        usage = command.usage.replace("|", r"\|")
        rows.append(f"| `{usage}` | {meaning} |")
    return "\n".join(rows) + "\n"


def describe_unknown_command(name: str) -> str:
    """Return the message for an unknown command, with a suggestion.

    >>> describe_unknown_command("serach")
    'There is no command /serach. Did you mean /search? Nothing was sent.'
    """
    close = difflib.get_close_matches(name.casefold(), BY_NAME, n=1) or [one for one in BY_NAME if one.startswith(name)][:1]
    hint = f"Did you mean /{close[0]}?" if close and name else "/help lists them; two slashes send it as text."
    return f"There is no command /{to_printable(name)}. {hint} Nothing was sent."
