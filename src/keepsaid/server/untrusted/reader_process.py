"""A process that reads one uploaded file and ends. It limits its own resources before it opens the file."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from keepsaid.errors import ImportProblem, InvalidInput, MissingExtra
from keepsaid.server.untrusted.frames import DocumentRequest, ExportRequest, read_frame, write_frame

if TYPE_CHECKING:
    from keepsaid.interchange.conversation import Conversation, ConversationNode, ExportItem, ImportTally

MAX_OPEN_FILES = 64
"""The most open files."""
MAX_FILE_BYTES = 1024 * 1024
"""The largest file it may write, in bytes: SQLite creates a small one next to some databases."""
MAX_FRAME_MESSAGES = 500
"""The most messages in one frame."""
MAX_FRAME_CHARACTERS = 1_000_000
"""The approximate number of characters in the messages of one frame."""
PROGRESS_STEP = 1024 * 1024
"""Bytes between two progress frames."""
MEGABYTE = 1024 * 1024
MAX_WARNINGS = 400


def main() -> None:
    """Read a request from standard input, and write the result to standard output."""
    # Output that a library prints goes to stderr, not between the frames.
    target = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    request: Any = read_frame(sys.stdin.buffer)
    _limit(request.memory, request.seconds)
    try:
        if isinstance(request, DocumentRequest):
            _read_document(request, target)
        elif isinstance(request, ExportRequest):
            _read_export(request, target)
    except (ImportProblem, InvalidInput) as problem:
        write_frame(target, ("problem", str(problem)))
    except MissingExtra as problem:
        write_frame(target, ("missing", str(problem)))
    except MemoryError:
        write_frame(target, ("memory",))
    except RecursionError:
        write_frame(target, ("problem", "the file is nested too deeply"))


def _limit(memory: int, seconds: int) -> None:
    """Limit resources to what reading a file needs. Some systems lack some limits."""
    try:
        import resource
    except ImportError:  # Windows
        return
    for kind, most in (
        (resource.RLIMIT_AS, memory * MEGABYTE),
        (resource.RLIMIT_NOFILE, MAX_OPEN_FILES),
        (resource.RLIMIT_FSIZE, MAX_FILE_BYTES),
        (resource.RLIMIT_CORE, 0),
    ):
        _lower_limit(resource, kind, most, most)
    _lower_limit(resource, resource.RLIMIT_CPU, seconds, seconds + 1)


def _lower_limit(resource: Any, kind: int, most: int, hard: int) -> None:
    _, own = resource.getrlimit(kind)
    try:
        resource.setrlimit(kind, (most, hard) if own == resource.RLIM_INFINITY else (min(most, own), min(hard, own)))
    except (ValueError, OSError):  # macOS does not limit the address space
        return


def _read_document(request: DocumentRequest, target: BinaryIO) -> None:
    from keepsaid.reading import read_document

    write_frame(target, ("reading", read_document(request.name, request.content, request.media_type)))


def _read_export(request: ExportRequest, target: BinaryIO) -> None:
    from keepsaid.interchange import detect, read
    from keepsaid.interchange.conversation import ImportTally

    path, tally = Path(request.path), ImportTally()
    counts = _CountSender(tally, target)
    write_frame(target, ("format", request.format or detect(path)))
    try:
        for item in read(path, request.format, tally=tally, progress=_progress(target)):
            _send_item(item, target)
            counts.send()
    finally:
        counts.send()
    write_frame(target, ("done",))


def _progress(target: BinaryIO) -> Callable[[int, int], None]:
    last = -PROGRESS_STEP

    def tell(done: int, total: int) -> None:
        nonlocal last
        if done - last >= PROGRESS_STEP or done == total:
            last = done
            write_frame(target, ("progress", done, total))

    return tell


def _send_item(item: ExportItem, target: BinaryIO) -> None:
    from keepsaid.interchange.conversation import ExportedArtifact, ExportedDocument

    if isinstance(item, ExportedArtifact):
        write_frame(target, ("made", item))
        return
    is_document = isinstance(item, ExportedDocument)
    conversation: Conversation = item.conversation if is_document else item
    write_frame(target, ("conversation", replace(conversation, nodes=()), is_document))
    for nodes in _batches(iter(conversation.nodes)):
        write_frame(target, ("nodes", nodes))
    write_frame(target, ("end",))


def _batches(nodes: Iterator[ConversationNode]) -> Iterator[list[ConversationNode]]:
    batch, size = list["ConversationNode"](), 0
    for node in nodes:
        batch.append(node)
        content = node.draft.content
        size += len(content) if isinstance(content, str) else sum(len(part.text or "") for part in content)
        if len(batch) == MAX_FRAME_MESSAGES or size >= MAX_FRAME_CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


class _CountSender:
    """Sends the counts and warnings added since the last call."""

    def __init__(self, tally: ImportTally, target: BinaryIO) -> None:
        self._tally = tally
        self._target = target
        self._warned = 0

    def send(self) -> None:
        tally = self._tally
        warnings = tally.warnings[self._warned : MAX_WARNINGS]
        if tally.skipped or tally.repaired or warnings:
            write_frame(self._target, ("counted", dict(tally.skipped), dict(tally.repaired), warnings))
            tally.skipped.clear()
            tally.repaired.clear()
            self._warned += len(warnings)


if __name__ == "__main__":
    main()
