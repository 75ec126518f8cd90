"""A worker: one of several processes that serve the same address. Its parent replaces it when it dies."""

from __future__ import annotations

import os
import socket
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from keepsaid.config import Settings
from keepsaid.errors import KeepsaidError

METRICS_FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
"""Names the folder of the metrics that several processes share. The Prometheus client reads it when it is imported."""


def run_worker(settings: Settings, number: int, listener: socket.socket, line: socket.socket, folder: str) -> None:
    """Serve until a stop signal. The first worker also does the clean-up and backups."""
    os.environ[METRICS_FOLDER_VARIABLE] = folder
    tempfile.tempdir = folder  # so that the parent can remove what a killed worker leaves
    from keepsaid.server import run
    from keepsaid.server.coordination.remote_client import RemoteCoordinatorClient
    from keepsaid.server.state import ProcessRole

    client = RemoteCoordinatorClient(line)
    try:
        app = run.build_app(
            _worker_settings(settings, number), ProcessRole(client, runs_upkeep=number == 0, metrics_folder=folder)
        )
    except KeepsaidError as error:
        sys.stderr.write(f"A worker cannot start: {error}\n")
        raise SystemExit(1) from None
    run.serve_socket(app, listener, client.report_ready)


def _worker_settings(settings: Settings, number: int) -> Settings:
    """Give each worker its own replica folder, which its replacement of the same number finds again: replicas belong to one
    process."""
    if settings.replica_folder is None:
        return settings
    return replace(settings, replica_folder=str(Path(settings.replica_folder) / f"worker-{number}"))
