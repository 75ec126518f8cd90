"""The top-level command group, which imports a command only when it is used."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click
from click.shell_completion import CompletionItem

SECTIONS: dict[str, dict[str, str]] = {
    "Chat": {
        "demo": "Load some sample conversations and ask about them in a new one.",
        "chat": "Chat with an assistant that remembers.",
    },
    "Read": {
        "search": "Find messages that answer a question, best first.",
        "sessions": "List conversations, newest first.",
        "show": "Print a conversation, with its dates.",
        "stats": "Chart how the memory is used and how it grows.",
    },
    "Serve": {
        "serve": "Serve the memory over HTTP, with a web page to browse it.",
        "keys": "Create, list and revoke keys for the server.",
        "mcp": "Give assistants a memory over MCP, the Model Context Protocol.",
    },
    "Facts and documents": {
        "facts": "List what is known about you, and correct it.",
        "profile": "Print the profile that new conversations begin with.",
        "documents": "Manage the documents that answers may draw on.",
    },
    "Move data": {
        "export": "Write a conversation, or everything, as JSON or Markdown.",
        "import": "Import conversations from other programs.",
        "backup": "Copy the store while it is in use.",
        "restore": "Restore a backup.",
        "copy": "Copy everything from one store to another.",
    },
    "Delete": {
        "retention": "Delete sessions that expired, and purge those deleted long ago.",
        "erase": "Remove an owner, a session or a message for good.",
    },
    "Maintain": {
        "doctor": "Check the store and the setup, and repair what is wrong.",
        "worker": "Run pending background work: vectors, notes, clean-up, backups.",
        "reindex": "Embed every message that has no vectors of the current model.",
        "model": "Manage the local models, which find messages by meaning.",
        "config": "Show which settings are in effect and where they come from.",
        "rekey": "Change the master key of an encrypted store on a server.",
        "firestore": "Prepare Firestore: rules, indexes, and chats of an app.",
        "completion": "Print the script that lets a shell complete commands.",
    },
}
"""Every command with its one-line help, by section. The help lists these without importing the commands."""

FOLDERS = {
    "memory": "search sessions show facts profile documents",
    "store": "stats export import backup restore copy retention erase doctor reindex rekey firestore",
    "service": "serve keys mcp worker model config completion",
}
MODULES = {command: f"{folder}.{command}" for folder, commands in FOLDERS.items() for command in commands.split()} | {
    "demo": "demo",
    "chat": "chat.command",
    "import": "store.import_",
}
"""The module of each command, below `keepsaid.cli`. `import` is a keyword: its module and function end with `_`."""

COMMANDS = {name: words for section in SECTIONS.values() for name, words in section.items()}


class CommandFailure(click.ClickException):
    """An error as one line on stderr, with exit code 2."""

    exit_code = 2

    def __init__(self, error: Exception) -> None:
        super().__init__(" ".join(describe_error(error).split()))


def describe_error(error: Exception) -> str:
    """Return an error's text without the numbers and quotes of the operating system.

    >>> describe_error(PermissionError(13, "Permission denied", "/root/x.json"))
    '/root/x.json: permission denied'
    """
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"{error.filename}: {error.strerror.lower()}"
    return str(error)


class ErrorPrintingGroup(click.Group):
    """Prints expected errors as one line. Other exceptions are bugs and keep a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        from keepsaid.errors import KeepsaidError

        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise  # the reader of the pipe has closed it; click handles this
        except (KeepsaidError, OSError) as error:
            raise CommandFailure(error) from error


class LazyCommandGroup(ErrorPrintingGroup):
    """Imports commands on demand."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        name = "import_" if cmd_name == "import" else cmd_name
        return getattr(import_module(f"keepsaid.cli.{MODULES[cmd_name]}"), name)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or fail with a suggestion."""
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            near = get_close_matches(args[0], COMMANDS, n=1)
            hint = f"did you mean {near[0]!r}?" if near else "`keepsaid --help` lists them."
            ctx.fail(f"No such command {args[0]!r}; {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands by section, without importing any of them."""
        width = max(map(len, COMMANDS))
        for section, commands in SECTIONS.items():
            with formatter.section(section):
                formatter.write_dl([(name.ljust(width), words) for name, words in commands.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete command names from the list: importing all commands would be too slow for a shell."""
        commands = [CompletionItem(name, help=words) for name, words in COMMANDS.items() if name.startswith(incomplete)]
        return commands + click.Command.shell_complete(self, ctx, incomplete)
