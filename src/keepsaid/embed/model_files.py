"""Writes the files of a model atomically, so that no process sees a partial one."""

from __future__ import annotations

import os
import secrets
import time
from pathlib import Path

from keepsaid.embed.published import PublishedModel
from keepsaid.embed.weights import LEGAL_FILES, ModelWeights

UNFINISHED = ".unfinished"
FORGOTTEN = 3600.0
"""An unfinished file of this age in seconds was left by a process that died."""


def write_notices(folder: Path, weights: ModelWeights, model: PublishedModel) -> None:
    """Write the license that came with the weights, and a notice that begins with ours."""
    for name in LEGAL_FILES:
        legal_file = weights.folder / name
        text = legal_file.read_bytes() if legal_file.is_file() else b""
        if name == "NOTICE":
            text = f"The model in this folder was made by Keepsaid from {model.origin}".encode() + b"\n" + text
        if text:
            write_file(folder / name, text)


def write_file(path: Path, content: bytes) -> None:
    """Write to a temporary name and rename it, so that no process sees a partial file. The last of two writers wins."""
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
    """Remove the temporary files of pulls that were killed."""
    for path in folder.glob(f"*{UNFINISHED}"):
        try:
            if path.stat().st_mtime < time.time() - FORGOTTEN:
                path.unlink()
        except FileNotFoundError:
            continue
