"""One of several processes that serve the same address. Its parent starts it, and starts another when it dies."""

from __future__ import annotations

import os
import socket
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from recollect.config import Settings
from recollect.errors import RecollectError

FIGURES = "PROMETHEUS_MULTIPROC_DIR"
"""Where the Prometheus client keeps figures that several processes share. It looks when it is imported."""


def work(settings: Settings, number: int, listener: socket.socket, line: socket.socket, folder: str) -> None:
    """Serves until it is told to stop. The first of them also cleans up and makes backups."""
    os.environ[FIGURES] = folder
    tempfile.tempdir = folder  # so that the parent can remove what a process leaves that is killed
    from recollect.server import run
    from recollect.server.desk import Post
    from recollect.server.lobby.far import Far

    far = Far(line)
    try:
        app = run.build(_own(settings, number), Post(far, keeps_up=number == 0, figures=folder))
    except RecollectError as error:
        sys.stderr.write(f"A worker cannot start: {error}\n")
        raise SystemExit(1) from None
    run.attend(app, listener, far.ready)


def _own(settings: Settings, number: int) -> Settings:
    """Mirrors are one process's: each worker has its own folder for them, which the next of its number finds again."""
    if settings.mirror_folder is None:
        return settings
    return replace(settings, mirror_folder=str(Path(settings.mirror_folder) / f"worker-{number}"))
