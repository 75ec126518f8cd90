"""`/help`, `/exit` and `/quit`."""

from __future__ import annotations

from rich.text import Text

from keepsaid.cli.chat.commands.slash_command import SlashCommand
from keepsaid.cli.chat.state import ChatExit, ChatState

KEYS = (
    ("Enter", "send"),
    ("Alt-Enter", "new line"),
    ("Tab", "complete a command or a title"),
    ("Up, Ctrl-R", "earlier messages"),
    ("Ctrl-C", "stop the answer, or clear the line"),
    ("Ctrl-D", "leave"),
)
NARROW = 76
"""Columns needed to show a name and its meaning side by side."""
LITERAL = "A message that begins with a slash: type two, //like this."


def help(state: ChatState, argument: str) -> None:
    """List all commands, or explain one."""
    from keepsaid.cli.chat.commands import COMMANDS, describe_unknown_command

    if argument:
        name = argument.removeprefix("/").casefold()
        found = [command for command in COMMANDS if command.name == name]
        if found:
            state.screen.line(Text.assemble((found[0].usage, "bold cyan"), f"  {found[0].help}"))
            if found[0].more:
                state.screen.line(f"  {found[0].more}")
        else:
            state.screen.warn(describe_unknown_command(name))
        return
    widest = max(len(command.usage) for command in COMMANDS)
    for command in COMMANDS:
        _pair(state, command.usage, command.help, widest, "cyan", "")
    if state.screen.styled:
        state.screen.line()
        for key, what in KEYS:
            _pair(state, key, what, widest, "dim", "dim")
    state.screen.note(LITERAL)


def _pair(state: ChatState, name: str, what: str, widest: int, name_style: str, style: str) -> None:
    """Print a name and its meaning side by side, or on two lines if the screen is narrow."""
    if state.screen.width >= NARROW:
        state.screen.line(Text.assemble((f"{name:{widest}}", name_style), (f"  {what}", style)))
    else:
        state.screen.line(Text(name, name_style))
        state.screen.line(Text(f"    {what}", style))


def leave(state: ChatState, argument: str) -> None:
    """End the chat; everything is saved."""
    raise ChatExit


COMMANDS = (
    SlashCommand("help", "[COMMAND]", "list the commands, or explain one", help, "commands"),
    SlashCommand("exit", "", "leave; everything is saved", leave),
    SlashCommand("quit", "", "the same", leave),
)
