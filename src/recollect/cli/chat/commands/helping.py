"""`/help` and the way out."""

from __future__ import annotations

from rich.text import Text

from recollect.cli.chat.commands.table import Command
from recollect.cli.chat.talk import Leave, Talk

KEYS = (
    ("Enter", "send"),
    ("Alt-Enter", "new line"),
    ("Tab", "complete a command or a title"),
    ("Up, Ctrl-R", "what you said before"),
    ("Ctrl-C", "stop the answer, or clear the line"),
    ("Ctrl-D", "leave"),
)
NARROW = 76
"""Cells that a name and what it means need beside each other."""
LITERAL = "A message that begins with a slash: type two, //like this."


def help(talk: Talk, argument: str) -> None:
    """All commands, or one in detail."""
    from recollect.cli.chat.commands import COMMANDS, unknown

    if argument:
        name = argument.removeprefix("/").casefold()
        found = [command for command in COMMANDS if command.name == name]
        if found:
            talk.screen.line(Text.assemble((found[0].usage, "bold cyan"), f"  {found[0].help}"))
            if found[0].more:
                talk.screen.line(f"  {found[0].more}")
        else:
            talk.screen.trouble(unknown(name))
        return
    widest = max(len(command.usage) for command in COMMANDS)
    for command in COMMANDS:
        _pair(talk, command.usage, command.help, widest, "cyan", "")
    if talk.screen.styled:
        talk.screen.line()
        for key, what in KEYS:
            _pair(talk, key, what, widest, "dim", "dim")
    talk.screen.note(LITERAL)


def _pair(talk: Talk, name: str, what: str, widest: int, name_style: str, style: str) -> None:
    """A name and what it means: side by side, or where the screen is too narrow for that, below each other."""
    if talk.screen.width >= NARROW:
        talk.screen.line(Text.assemble((f"{name:{widest}}", name_style), (f"  {what}", style)))
    else:
        talk.screen.line(Text(name, name_style))
        talk.screen.line(Text(f"    {what}", style))


def leave(talk: Talk, argument: str) -> None:
    """Ends the chat; everything is saved."""
    raise Leave


COMMANDS = (
    Command("help", "[COMMAND]", "list the commands, or explain one", help, "commands"),
    Command("exit", "", "leave; everything is saved", leave),
    Command("quit", "", "the same", leave),
)
