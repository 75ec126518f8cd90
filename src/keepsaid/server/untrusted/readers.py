"""The server's side of reading processes: start one per file, receive what it reads, and end it in time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from keepsaid.config import Settings
from keepsaid.errors import ImportProblem, InvalidInput, KeepsaidError, MissingExtra
from keepsaid.reading import needs_parser, read_document
from keepsaid.server.problems import BROKEN_OFF, RequestRefusal
from keepsaid.server.untrusted.frames import (
    FRAME_LENGTH,
    MAX_FRAME_BYTES,
    DocumentRequest,
    ExportRequest,
    unpack_frame,
    write_frame,
)

if TYPE_CHECKING:
    from keepsaid.interchange.conversation import ConversationNode, ExportItem, ImportTally
    from keepsaid.ports import Progress
    from keepsaid.reading.parsed_document import ParsedDocument

CHECK_INTERVAL = 0.5
"""Seconds between two checks whether a process has been silent for too long."""
SILENCE_FACTOR = 4.0
"""A process may be silent for this multiple of its processor time, because it shares the processor."""
START_SECONDS = 10.0
"""Seconds that a process may take to start."""
OUT_OF_TIME = -getattr(signal, "SIGXCPU", 0)
"""The exit code of a process that has used up its processor time."""
SECONDS_PER_MEGABYTE = 0.1
"""The share of the configured time that each megabyte of a file adds."""
MEGABYTE = 1_000_000
_KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "TMPDIR", "TEMP", "TMP")
"""Environment variables that a reading process gets. The others may hold secrets, and the files are untrusted."""


class FileReaderProcesses:
    """Reads exports and documents, each in a process of its own (implements `FileReaders`)."""

    def __init__(self, settings: Settings) -> None:
        self._memory = settings.server_reading_memory
        self._seconds = settings.server_reading_seconds
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._stopped = False

    def stop(self) -> None:
        """Kill all reading processes: the server is stopping."""
        with self._lock:
            self._stopped = True
            for process in self._running:
                process.kill()

    def read_document(self, name: str, content: bytes | str, media_type: str | None) -> ParsedDocument:
        """Read the text of a document. Plain text is read in this process: that is faster than starting one."""
        if not needs_parser(name, content, media_type):
            return read_document(name, content, media_type)
        seconds = self._seconds_for(len(content))
        request = DocumentRequest(name, content, media_type, self._memory, seconds)
        with self._started(request, seconds) as answers:
            for kind, *values in answers:
                if kind == "reading":
                    return values[0]
                raise _error(kind, values, InvalidInput)
        raise self._end(answers, InvalidInput)

    def read_export(
        self, path: Path, format: str | None, tally: ImportTally, progress: Progress | None
    ) -> tuple[str, Iterator[ExportItem]]:
        """Return the format of an export, and its items as they are read. The process's counts are added to `tally`."""
        seconds = self._seconds_for(path.stat().st_size)
        request = ExportRequest(str(path.absolute()), format, self._memory, seconds)
        items = self._items(request, seconds, _ExportItems(tally, progress))
        return str(next(items)), items

    def _items(self, request: ExportRequest, seconds: int, export: _ExportItems) -> Generator[Any]:
        """Yield the format, and then the items."""
        with self._started(request, seconds) as answers:
            yield from export.items(answers)
        if not export.is_whole:
            raise self._end(answers, ImportProblem)

    def _seconds_for(self, size: int) -> int:
        return max(1, round(self._seconds * (1 + SECONDS_PER_MEGABYTE * size / MEGABYTE)))

    @contextmanager
    def _started(self, request: ExportRequest | DocumentRequest, seconds: int) -> Generator[_ProcessOutput]:
        """Start a process for a request and yield its output; kill it afterwards in any case."""
        with self._lock:
            if self._stopped:
                raise _interrupted_error()
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "keepsaid.server.untrusted.reader_process"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=_environment(),
            )  # fmt: skip
            self._running.add(process)
        answers = _ProcessOutput(process, seconds)
        try:
            answers.ask(request)
            yield answers
        finally:
            answers.close()
            with self._lock:
                self._running.discard(process)

    def _end(self, answers: _ProcessOutput, problem: type[KeepsaidError]) -> Exception:
        """Return why a process ended before its output was complete."""
        if self._stopped:
            return _interrupted_error()
        if answers.is_out_of_time:
            return problem(
                f"reading the file takes more than {answers.seconds} seconds of processor time (server_reading_seconds):"
                " split it, or ask the server's administrator to import it"
            )
        return problem("the file cannot be read") if answers.has_failed else _out_of_memory(problem)


class _ProcessOutput:
    """The output of a process, value by value, until it ends or runs out of time."""

    def __init__(self, process: subprocess.Popen[bytes], seconds: int) -> None:
        self.seconds = seconds
        self._process = process
        self._silent_until: float | None = None
        self._is_silent = False
        self._is_over = threading.Event()
        self._watch = threading.Thread(target=self._end_if_silent, name="keepsaid-reading", daemon=True)
        self._watch.start()

    @property
    def is_out_of_time(self) -> bool:
        """Whether the process ended because it took too long."""
        return self._is_silent or self._process.wait() == OUT_OF_TIME

    @property
    def has_failed(self) -> bool:
        """Whether the process ended by itself and was not killed."""
        return self._process.wait() >= 0

    def ask(self, request: ExportRequest | DocumentRequest) -> None:
        """Send the request."""
        with suppress(BrokenPipeError):
            write_frame(_require_pipe(self._process.stdin), request)
            _require_pipe(self._process.stdin).close()

    def close(self) -> None:
        """Kill the process and close its pipes."""
        self._is_over.set()
        self._process.kill()
        self._process.wait()
        self._watch.join()
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(BrokenPipeError):
                _require_pipe(pipe).close()

    def __iter__(self) -> Iterator[Any]:
        while (head := self._read(FRAME_LENGTH.size)) is not None:
            size = FRAME_LENGTH.unpack(head)[0]
            if size > MAX_FRAME_BYTES or (content := self._read(size)) is None:
                return
            yield unpack_frame(content)

    def _read(self, size: int) -> bytes | None:
        """Read exactly `size` bytes; None if the process ended before."""
        self._silent_until = time.monotonic() + START_SECONDS + SILENCE_FACTOR * self.seconds
        content = _require_pipe(self._process.stdout).read(size)
        self._silent_until = None
        return content if len(content) == size else None

    def _end_if_silent(self) -> None:
        """Kill a process that is silent for too long; its reader then sees the end of the output."""
        while not self._is_over.wait(CHECK_INTERVAL):
            until = self._silent_until
            if until is not None and time.monotonic() > until:
                self._is_silent = True
                self._process.kill()
                return


def _require_pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None
    return pipe


def _interrupted_error() -> RequestRefusal:
    return RequestRefusal(BROKEN_OFF, "the server is stopping; send it again: what is already stored is not duplicated")


class _ExportItems:
    """Builds items from the output of a process, and passes on its counts."""

    def __init__(self, tally: ImportTally, progress: Progress | None) -> None:
        self._tally = tally
        self._progress = progress
        self.is_whole = False

    def items(self, answers: _ProcessOutput) -> Generator[Any]:
        """Yield the format, and then the items."""
        waiting = iter(answers)
        for kind, *values in waiting:
            if kind in ("format", "made"):
                yield values[0]
            elif kind == "conversation":
                yield from self._conversation(values[0], values[1], waiting)
            elif kind == "done":
                self.is_whole = True
            elif not self._apply_report(kind, values):
                raise _error(kind, values, ImportProblem)

    def _conversation(self, conversation: Any, is_document: bool, waiting: Iterator[Any]) -> Generator[ExportItem]:
        from keepsaid.interchange.conversation import ExportedDocument

        nodes = self._nodes(waiting)
        whole = replace(conversation, nodes=nodes)
        yield ExportedDocument(whole) if is_document else whole
        for _ in nodes:
            pass  # skip the nodes that the caller left unread, up to the next item

    def _nodes(self, waiting: Iterator[Any]) -> Generator[ConversationNode]:
        for kind, *values in waiting:
            if kind == "nodes":
                yield from values[0]
            elif kind == "end":
                return
            elif not self._apply_report(kind, values):
                raise _error(kind, values, ImportProblem)

    def _apply_report(self, kind: str, values: list[Any]) -> bool:
        if kind == "progress":
            if self._progress is not None:
                self._progress(values[0], values[1])
        elif kind == "counted":
            self._tally.skipped.update(values[0])
            self._tally.repaired.update(values[1])
            self._tally.warnings.extend(values[2])
        else:
            return False
        return True


def _error(kind: str, values: list[Any], problem: type[KeepsaidError]) -> KeepsaidError:
    """Return the exception for an error frame."""
    if kind == "missing":
        return MissingExtra(values[0])
    return problem(values[0]) if kind == "problem" else _out_of_memory(problem)


def _out_of_memory(problem: type[KeepsaidError]) -> KeepsaidError:
    return problem(
        "reading the file takes more memory than allowed (server_reading_memory): split it, or ask the server's"
        " administrator to import it"
    )


def _environment() -> dict[str, str]:
    kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    return kept | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
