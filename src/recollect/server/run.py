"""Starts the server: opens the store, checks who may come in, listens, and ends in order."""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from recollect import wiring
from recollect.config import Settings
from recollect.errors import ConfigError, MissingExtra
from recollect.ports import Keyring, Storage

try:
    import uvicorn
    from fastapi import FastAPI
except ImportError as missing:
    raise MissingExtra("the server needs: pip install 'recollect[server]'") from missing

from recollect.server.app import create_app
from recollect.server.desk import Desk, Post

GRACE = 20
"""Seconds that requests have to come to their end when the server is told to stop."""


def build(settings: Settings, post: Post | None = None) -> FastAPI:
    """The application over the store that the settings name, for one process or, with a post, for one of several. Whoever
    runs it must let its lifespan run, too."""
    memory = wiring.open_with(settings)
    ring: Storage | None = None
    try:
        ring = wiring.open_storage(settings)
        desk = Desk(memory, settings, wiring.open_llm(settings), ring if isinstance(ring, Keyring) else None, post)
        return create_app(desk)
    except BaseException:
        memory.close()
        if ring is not None:
            ring.close()
        raise


def serve(app: FastAPI, settings: Settings, ready: Callable[[str], None]) -> None:
    """Listens until it is told to stop. `ready` is told the address as soon as it can be reached."""
    listener = listen(settings)
    address = address_of(listener)
    attend(app, listener, lambda: ready(address))


def attend(app: FastAPI, listener: socket.socket, ready: Callable[[], None]) -> None:
    """Answers whoever comes in by a socket, until it is told to stop."""
    config = uvicorn.Config(
        app, loop="uvloop" if sys.platform != "win32" else "asyncio", http="httptools", log_config=None, access_log=False,
        server_header=False, timeout_graceful_shutdown=GRACE, timeout_keep_alive=30,
    )  # fmt: skip
    _Server(config, ready).run(sockets=[listener])


class _Server(uvicorn.Server):
    """Tells when it can be reached, and tells the desk when it is to end, so that streams end, too."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Ends in order, and with 0: uvicorn would raise the signal again when all is done."""
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.should_exit = True

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        app: Any = self.config.app
        app.state.desk.begin_to_close()
        await super().shutdown(sockets)


def address_of(listener: socket.socket) -> str:
    """Where a socket can be reached."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def listen(settings: Settings) -> socket.socket:
    """A socket at the address of the settings."""
    family = socket.AF_INET6 if ":" in settings.server_host else socket.AF_INET
    listener = socket.socket(family)
    if os.name != "nt":
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.server_host, settings.server_port))
    except (OSError, OverflowError) as error:
        listener.close()
        place = f"{settings.server_host}:{settings.server_port}"
        raise ConfigError(f"cannot listen on {place}: {error}; `--port` takes another") from None
    listener.listen(2048)
    listener.set_inheritable(True)
    return listener
