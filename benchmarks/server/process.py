"""Runs servers and loads in separate processes, so that a measured server shares no interpreter with its clients."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any

from benchmarks.server import load
from benchmarks.server.load import LoadSpec
from keepsaid.errors import ConfigError

PATIENCE = 30.0
"""Seconds that a server may take to start, and to stop."""
_ADDRESS = re.compile(r"http://[^\s/]+")


class ServerProcess:
    """A running server process."""

    def __init__(self, process: subprocess.Popen[str], url: str) -> None:
        self.process = process
        self.url = url

    @contextmanager
    def paused(self) -> Generator[None]:
        """Suspend the process, if the system can, so that its background work does not slow others."""
        if not hasattr(signal, "SIGSTOP"):
            yield
            return
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)


@contextmanager
def run_server(*arguments: str, settings: Mapping[str, str] | None = None) -> Generator[ServerProcess]:
    """Run a server with these arguments of `python -m` during the block. It must print its address first."""
    # The user's own settings (a key, another store) must not affect the measurement.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("KEEPSAID_")}
    with subprocess.Popen(  # our own programs
        [sys.executable, "-m", *arguments],
        env=environment | dict(settings or {}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield ServerProcess(process, _address(process))
        finally:
            process.terminate()
            try:
                process.communicate(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()


def _address(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    assert process.stderr is not None
    late = threading.Timer(PATIENCE, process.kill)
    late.start()
    found = _ADDRESS.search(process.stdout.readline())
    late.cancel()
    if found is None:
        process.kill()
        raise ConfigError(f"the server did not start: {process.stderr.read().strip()}")
    return found[0]


def run_load(order: LoadSpec) -> dict[str, Any]:
    """Put a load on a server from a separate process, and return the figures."""
    done = subprocess.run(  # our own program
        [sys.executable, "-m", load.__name__],
        input=load.load_spec_to_json(order),
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return json.loads(done.stdout)
