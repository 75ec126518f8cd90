"""Writes the files of a model so that nobody ever sees half of one."""

from __future__ import annotations

import os
import secrets
import time
from pathlib import Path

from recollect.embed.published import PublishedModel
from recollect.embed.weights import LEGAL, Weights

UNFINISHED = ".unfinished"
FORGOTTEN = 3600.0
"""An unfinished file this many seconds old belongs to a process that is no more."""


def write_notices(folder: Path, weights: Weights, model: PublishedModel) -> None:
    """Write the licence that came with the weights, and our notice before theirs."""
    for name in LEGAL:
        given = weights.folder / name
        text = given.read_bytes() if given.is_file() else b""
        if name == "NOTICE":
            text = f"The model in this folder was made by Recollect from {model.origin}".encode() + b"\n" + text
        if text:
            write_file(folder / name, text)


def write_file(path: Path, content: bytes) -> None:
    """Write beside the name and rename, so that nobody ever sees half a file; the last of two at once wins."""
    unfinished = path.with_name(f"{path.name}.{secrets.token_hex(4)}{UNFINISHED}")
    try:
        with unfinished.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def remove_unfinished_files(folder: Path) -> None:
    """Remove what a pull that was killed left behind."""
    for path in folder.glob(f"*{UNFINISHED}"):
        try:
            if path.stat().st_mtime < time.time() - FORGOTTEN:
                path.unlink()
        except FileNotFoundError:
            continue
