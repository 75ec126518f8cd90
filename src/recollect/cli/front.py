"""The front of the command line: a group that imports a command only when somebody asks for it."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click
from click.shell_completion import CompletionItem

SECTIONS: dict[str, dict[str, str]] = {
    "Talk": {
        "demo": "Load some sample conversations and ask about them in a new one.",
        "chat": "Talk, and be remembered.",
    },
    "Look": {
        "search": "Find messages that answer a question, best first.",
        "sessions": "List conversations, newest first.",
        "show": "Print a conversation, with its dates.",
        "stats": "Draw how the memory is used, and how it grows.",
    },
    "Serve": {
        "serve": "Serve the memory over HTTP, with a page to look into it.",
        "keys": "Make, list and take back keys to the server.",
        "mcp": "Give assistants a memory over MCP, the Model Context Protocol.",
    },
    "Know": {
        "facts": "List what is known about you, and correct it.",
        "profile": "Print the profile that new conversations begin with.",
        "documents": "Look after documents that answers may draw on.",
    },
    "Take along": {
        "export": "Write a conversation, or everything, as JSON or Markdown.",
        "import": "Take over conversations from other programs.",
        "backup": "Copy the store while it is in use.",
        "restore": "Bring a backup back.",
        "copy": "Copy everything from one store to another.",
    },
    "Forget": {
        "retention": "Delete sessions that expired, and purge those deleted long ago.",
        "erase": "Remove an owner, a session or a message for good.",
    },
    "Look after it": {
        "doctor": "Find out whether everything is in order, and mend it.",
        "worker": "Do in one place what waits: vectors, notes, clean-up, backups.",
        "reindex": "Embed every message that has no vectors of the present model.",
        "model": "Look after the local models, which find messages by meaning.",
        "config": "Tell which settings are in force, and where they are from.",
        "bench": "Measure speed, recall and prompts on this machine.",
        "rekey": "Change the master key of an encrypted store on a server.",
        "firestore": "Prepare Firestore: rules, indexes, and chats of an app.",
        "completion": "Print the script that lets a shell complete commands.",
    },
}
"""Every command with what its list says of it: the commands themselves are imported when they are asked for."""

HOMES = {"chat": ("chat.command", "chat"), "import": ("import_", "import_")}
"""Where a command is, and its name there, if that is not its own: `import` is a word of Python's."""

COMMANDS = {name: words for section in SECTIONS.values() for name, words in section.items()}


class Failure(click.ClickException):
    """An error as the shell sees it: one line, exit code 2."""

    exit_code = 2

    def __init__(self, error: Exception) -> None:
        super().__init__(" ".join(plainly(error).split()))


def plainly(error: Exception) -> str:
    """An error in words, without the system's own numbers and quotes.

    >>> plainly(PermissionError(13, "Permission denied", "/root/x.json"))
    '/root/x.json: permission denied'
    """
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"{error.filename}: {error.strerror.lower()}"
    return str(error)


class Front(click.Group):
    """Turns what goes wrong inside into one clear line; anything else is a bug of ours and shows where."""

    def invoke(self, ctx: click.Context) -> Any:
        from recollect.errors import RecollectError

        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise  # whoever reads us has seen enough; click knows what to do
        except (RecollectError, OSError) as error:
            raise Failure(error) from error

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        home, name = HOMES.get(cmd_name, (cmd_name, cmd_name))
        return getattr(import_module(f"recollect.cli.{home}"), name)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """Finds the command, or says which one may have been meant."""
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            near = get_close_matches(args[0], COMMANDS, n=1)
            hint = f"did you mean {near[0]!r}?" if near else "`recollect --help` lists them."
            ctx.fail(f"No such command {args[0]!r}; {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list, by what one wants to do; without importing any of them."""
        width = max(map(len, COMMANDS))
        for section, commands in SECTIONS.items():
            with formatter.section(section):
                formatter.write_dl([(name.ljust(width), words) for name, words in commands.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Names of commands from the list; a shell does not wait for twenty imports."""
        commands = [CompletionItem(name, help=words) for name, words in COMMANDS.items() if name.startswith(incomplete)]
        return commands + click.Command.shell_complete(self, ctx, incomplete)
