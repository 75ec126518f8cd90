"""Ingests versions of one document, one after the other, until it is killed; says on the pipe how far it is."""

from __future__ import annotations

import itertools
import os
import sys
import time
from pathlib import Path

from keepsaid.storage.sqlite import SqliteSource

from .rig import build_text, over

PARAGRAPHS = 1200
"""Enough for three transactions."""


def version(number: int) -> str:
    """The text of a version: every paragraph names it."""
    return "\n\n".join(build_text(f"v{number}p{paragraph}q", 200) for paragraph in range(PARAGRAPHS))


def main(path: str, first: str) -> None:
    with over(SqliteSource(Path(path))) as memory:
        for number in itertools.count(int(first)):
            os.write(1, f"begun {number}\n".encode())
            memory.ingest(
                "book.txt", content=version(number), owner="u1", chunk_tokens=80, overlap_tokens=0, progress=say_how_far
            )
            os.write(1, f"done {number}\n".encode())


def say_how_far(done: int, total: int) -> None:
    os.write(1, f"stored {done}\n".encode())
    time.sleep(0.02)  # so that there is time to be killed in between


if __name__ == "__main__":
    main(*sys.argv[1:])
