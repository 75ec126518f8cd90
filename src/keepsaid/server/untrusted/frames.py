"""The frames between a reading process and the server: pickled values, each after its length.

The server unpickles only plain values and types of Keepsaid: an attacker who takes over the reading process through a parser
bug cannot make the server build anything else.
"""

from __future__ import annotations

import io
import pickle
import struct
from typing import IO, Any, NamedTuple

FRAME_LENGTH = struct.Struct(">Q")
MAX_FRAME_BYTES = 512 * 1024 * 1024
"""The most bytes of one value; the largest conversations are smaller, and are sent in parts."""
_OURS = (
    "keepsaid.interchange.conversation",
    "keepsaid.types.messages",
    "keepsaid.types.sessions",
    "keepsaid.types.scopes",
    "keepsaid.types.artifacts",
    "keepsaid.types.facts",
    "keepsaid.types.documents",
    "keepsaid.types.blobs",
    "keepsaid.reading.parsed_document",
    "keepsaid.engine.text.chunk_pieces",
)
_PLAIN = frozenset(
    (
        ("builtins", "set"),
        ("builtins", "frozenset"),
        ("collections", "Counter"),
        ("datetime", "datetime"),
        ("datetime", "timedelta"),
        ("datetime", "timezone"),
    )
)


class ExportRequest(NamedTuple):
    """A request to read the conversations of a file."""

    path: str
    format: str | None
    memory: int
    """Megabytes of memory that the process may use."""
    seconds: int
    """Seconds of processor time that it may use."""


class DocumentRequest(NamedTuple):
    """A request to read a document."""

    name: str
    content: bytes | str
    media_type: str | None
    memory: int
    seconds: int


def write_frame(stream: IO[bytes], value: object) -> None:
    """Send a value."""
    content = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(FRAME_LENGTH.pack(len(content)))
    stream.write(content)
    stream.flush()


def read_frame(stream: IO[bytes]) -> Any:
    """Read the next value that the server's own process sent. Raise `EOFError` at the end."""
    head = stream.read(FRAME_LENGTH.size)
    if len(head) < FRAME_LENGTH.size:
        raise EOFError
    return pickle.loads(stream.read(FRAME_LENGTH.unpack(head)[0]))  # noqa: S301  # it comes from the server itself


def unpack_frame(content: bytes) -> Any:
    """Unpickle a value that a reading process sent.

    >>> unpack_frame(pickle.dumps(("progress", 1, 2)))
    ('progress', 1, 2)
    """
    return _RestrictedUnpickler(io.BytesIO(content)).load()


class _RestrictedUnpickler(pickle.Unpickler):
    """Builds only plain values and types of Keepsaid."""

    def find_class(self, module: str, name: str) -> Any:
        """Return an allowed class; called for every class in a value."""
        if (module in _OURS and "." not in name) or (module, name) in _PLAIN:
            found = super().find_class(module, name)
            if isinstance(found, type):
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is not allowed in a file's content")
