"""Servers and loads in processes of their own, so that what is measured shares no interpreter with what measures it."""

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

from recollect.bench import server_load
from recollect.bench.server_load import Order
from recollect.errors import ConfigError

PATIENCE = 30.0
"""Seconds that a server has to start, and to end."""
_ADDRESS = re.compile(r"http://[^\s/]+")


class Running:
    """A server that runs."""

    def __init__(self, process: subprocess.Popen[str], url: str) -> None:
        self.process = process
        self.url = url

    @contextmanager
    def resting(self) -> Generator[None]:
        """Holds the whole process still, where the system can: what it does in the background costs nobody else anything."""
        if not hasattr(signal, "SIGSTOP"):
            yield
            return
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)


@contextmanager
def running(*arguments: str, settings: Mapping[str, str] | None = None) -> Generator[Running]:
    """A server by the arguments of `python -m`, which prints its address first, until the block ends."""
    # The user's own settings (a key, another store) are not what is measured.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RECOLLECT_")}
    with subprocess.Popen(  # noqa: S603  # our own programs
        [sys.executable, "-m", *arguments],
        env=environment | dict(settings or {}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield Running(process, _address(process))
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
        raise ConfigError(f"the server does not start: {process.stderr.read().strip()}")
    return found[0]


def loaded(order: Order) -> dict[str, Any]:
    """Puts a load on a server from a process of its own, and returns what came of it."""
    done = subprocess.run(  # noqa: S603  # our own program
        [sys.executable, "-m", server_load.__name__],
        input=server_load.written(order),
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return json.loads(done.stdout)
