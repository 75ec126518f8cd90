"""The adapter for Anthropic's memory tool: the six commands by which Claude keeps its own files under /memories.

    tool = KeepsaidMemoryTool(memory, owner="u1")
    client.beta.messages.run_tools(model=..., messages=..., tools=[tool])

The files are blobs in the owner's blob store. Results use the wording of Anthropic's own tool, which models know.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from keepsaid.adapters.common import missing_extra

try:
    from anthropic.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError
    from anthropic.types.beta import (
        BetaCacheControlEphemeralParam,
        BetaMemoryTool20250818CreateCommand,
        BetaMemoryTool20250818DeleteCommand,
        BetaMemoryTool20250818InsertCommand,
        BetaMemoryTool20250818RenameCommand,
        BetaMemoryTool20250818StrReplaceCommand,
        BetaMemoryTool20250818ViewCommand,
    )
except ImportError:
    raise missing_extra("Anthropic's memory tool", "anthropic") from None

from anyio.to_thread import run_sync

from keepsaid.adapters.anthropic_memory.files import ROOT, MemoryFiles
from keepsaid.errors import InvalidInput
from keepsaid.memory import Memory

Command = TypeVar("Command")

MAX_LINES = 999_999
"""Maximum lines of a file: line numbers have six digits."""

SNIPPET_MARGIN = 2
"""Lines before and after an edited one that are shown with it."""

MAX_LISTED_DEPTH = 2
"""Levels of a directory that are listed."""


class KeepsaidMemoryTool(BetaAbstractMemoryTool):
    """Claude's memory directory in Keepsaid. Each owner (or pool) has one."""

    def __init__(
        self,
        memory: Memory,
        *,
        owner: str,
        pool: str | None = None,
        cache_control: BetaCacheControlEphemeralParam | None = None,
    ) -> None:
        super().__init__(cache_control=cache_control)
        self._files = MemoryFiles(memory.blobs(owner=owner, pool=pool))

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        return _run_command(_view, self._files, command)

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        return _run_command(_create, self._files, command)

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        return _run_command(_str_replace, self._files, command)

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        return _run_command(_insert, self._files, command)

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        return _run_command(_delete, self._files, command)

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        return _run_command(_rename, self._files, command)

    def clear_all_memory(self) -> str:
        return _clear(self._files)


class AsyncKeepsaidMemoryTool(BetaAsyncAbstractMemoryTool):
    """`KeepsaidMemoryTool` for async clients; the store is used in threads."""

    def __init__(
        self,
        memory: Memory,
        *,
        owner: str,
        pool: str | None = None,
        cache_control: BetaCacheControlEphemeralParam | None = None,
    ) -> None:
        super().__init__(cache_control=cache_control)
        self._files = MemoryFiles(memory.blobs(owner=owner, pool=pool))

    async def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        return await run_sync(_run_command, _view, self._files, command)

    async def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        return await run_sync(_run_command, _create, self._files, command)

    async def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        return await run_sync(_run_command, _str_replace, self._files, command)

    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        return await run_sync(_run_command, _insert, self._files, command)

    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        return await run_sync(_run_command, _delete, self._files, command)

    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        return await run_sync(_run_command, _rename, self._files, command)

    async def clear_all_memory(self) -> str:
        return await run_sync(_clear, self._files)


def _run_command(verb: Callable[[MemoryFiles, Command], str], files: MemoryFiles, command: Command) -> str:
    """Run a command. Input that the store rejects is reported to the model, which can correct it."""
    try:
        return verb(files, command)
    except InvalidInput as error:
        raise ToolError(str(error)) from error


def _view(files: MemoryFiles, command: BetaMemoryTool20250818ViewCommand) -> str:
    path, name = command.path, files.name_of(command.path)
    text = files.read(name)
    if text is None:
        if files.is_directory(name):
            return _listing(files, path, name)
        raise ToolError(f"The path {path} does not exist. Please provide a valid path.")
    lines = text.split("\n")
    if len(lines) > MAX_LINES:
        raise ToolError(f"File {path} exceeds maximum line limit of {MAX_LINES:,} lines.")
    first, last = 1, len(lines)
    if command.view_range and len(command.view_range) == 2:
        first, end = max(1, command.view_range[0]), command.view_range[1]
        last = last if end == -1 else end
    return f"Here's the content of {path} with line numbers:\n{_numbered(lines, first, last)}"


def _create(files: MemoryFiles, command: BetaMemoryTool20250818CreateCommand) -> str:
    if not files.create(files.name_of(command.path), command.file_text):
        raise ToolError(f"File {command.path} already exists")
    return f"File created successfully at: {command.path}"


def _str_replace(files: MemoryFiles, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
    old, new = command.old_str, command.new_str
    line = 0

    def edit(text: str) -> str:
        nonlocal line
        places = _find_all(text, old)
        # Overlapping occurrences are listed, but count as one for the replacement.
        if text.count(old) > 1:
            lines = ", ".join(str(text.count("\n", 0, place) + 1) for place in places)
            said = f"Multiple occurrences of old_str `{old}` in lines: {lines}."
            raise ToolError(f"No replacement was performed. {said} Please ensure it is unique")
        if not places:
            raise ToolError(f"No replacement was performed, old_str `{old}` did not appear verbatim in {command.path}.")
        line = text.count("\n", 0, places[0]) + 1
        return text.replace(old, new)

    lines = files.change(command.path, edit).split("\n")
    shown = _numbered(lines, max(1, line - SNIPPET_MARGIN), line + SNIPPET_MARGIN)
    return f"The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{shown}"


def _insert(files: MemoryFiles, command: BetaMemoryTool20250818InsertCommand) -> str:
    at = command.insert_line

    def edit(text: str) -> str:
        # Not splitlines(): only LF ends a line, and CR is kept.
        lines = text.removesuffix("\n").split("\n") if text else []
        if not 0 <= at <= len(lines):
            raise ToolError(f"Invalid `insert_line` parameter: {at}. It should be within the range [0, {len(lines)}].")
        lines.insert(at, command.insert_text.rstrip("\n"))
        return "\n".join(lines) + "\n"

    files.change(command.path, edit)
    return f"The file {command.path} has been edited."


def _delete(files: MemoryFiles, command: BetaMemoryTool20250818DeleteCommand) -> str:
    name = files.name_of(command.path)
    if name == ROOT:
        raise ToolError(f"Cannot delete the /{ROOT} directory itself")
    if not files.delete(name):
        raise ToolError(f"The path {command.path} does not exist")
    return f"Successfully deleted {command.path}"


def _rename(files: MemoryFiles, command: BetaMemoryTool20250818RenameCommand) -> str:
    old, new = files.name_of(command.old_path), files.name_of(command.new_path)
    if old == ROOT:
        raise ToolError(f"Cannot rename the /{ROOT} directory itself")
    if files.exists(new):
        raise ToolError(f"The destination {command.new_path} already exists")
    if new.startswith(f"{old}/"):
        raise ToolError(f"Cannot move {command.old_path} into itself")
    if not files.move(old, new):
        raise ToolError(f"The path {command.old_path} does not exist")
    return f"Successfully renamed {command.old_path} to {command.new_path}"


def _clear(files: MemoryFiles) -> str:
    files.clear()
    return "All memory cleared"


def _listing(files: MemoryFiles, path: str, name: str) -> str:
    """List the content of a directory with sizes; the size of a directory is that of all files in it."""
    sizes: dict[tuple[str, ...], int] = {(): 0}
    directories: set[tuple[str, ...]] = set()
    for blob in files.iterate_files(name):
        steps = tuple(blob.name.removeprefix(f"{name}/").split("/"))
        if any(step.startswith(".") for step in steps[:MAX_LISTED_DEPTH]):
            continue
        for depth in range(min(len(steps), MAX_LISTED_DEPTH) + 1):
            sizes[steps[:depth]] = sizes.get(steps[:depth], 0) + len(blob.content)
        directories.update(steps[:depth] for depth in range(1, len(steps)))
    lines = [
        "\t".join((_size(sizes[steps]), "/".join((path.rstrip("/"), *steps)) + "/" * (steps in directories)))
        for steps in sorted(sizes)
    ]
    header = f"Here're the files and directories up to {MAX_LISTED_DEPTH} levels deep in {path}, excluding hidden items:"
    return "\n".join((header, *lines))


def _numbered(lines: list[str], first: int, last: int) -> str:
    """Return a range of lines, counted from 1, with their numbers.

    >>> _numbered(["Lisbon", "Porto", "Faro"], 2, 9)
    '     2\\tPorto\\n     3\\tFaro'
    """
    return "\n".join(f"{number:6}\t{line}" for number, line in enumerate(lines[first - 1 : last], first))


def _find_all(text: str, words: str) -> list[int]:
    """Return the positions of all occurrences in a text, including overlapping ones.

    >>> _find_all("nanana", "nana")
    [0, 2]
    """
    places: list[int] = []
    place = text.find(words)
    while place != -1:
        places.append(place)
        place = text.find(words, place + 1)
    return places


def _size(count: int) -> str:
    """Format a number of bytes.

    >>> _size(0), _size(512), _size(5632), _size(3 << 20)
    ('0B', '512B', '5.5K', '3M')
    """
    size, unit = float(count), 0
    while size >= 1024 and unit < 3:
        size, unit = size / 1024, unit + 1
    return f"{size:.0f}{'BKMG'[unit]}" if size.is_integer() else f"{size:.1f}{'BKMG'[unit]}"
