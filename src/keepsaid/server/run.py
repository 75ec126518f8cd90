"""Start the server: open the store, set up authentication, listen, and shut down in order."""

from __future__ import annotations

import faulthandler
import os
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any

from keepsaid import wiring
from keepsaid.config import Settings
from keepsaid.errors import ConfigError, MissingExtra
from keepsaid.ports import Storage

try:
    import uvicorn
    from fastapi import FastAPI
except ImportError as missing:
    raise MissingExtra("the server needs: pip install 'keepsaid[server]'") from missing

from keepsaid.server.app import create_app
from keepsaid.server.http_limits import HttpLimits, limited_protocol
from keepsaid.server.state import ProcessRole, ServerState
from keepsaid.server.untrusted.readers import FileReaderProcesses

SHUTDOWN_SECONDS = 20
"""Seconds that running requests have to finish after the server receives a stop signal."""
HARD_STOP_SECONDS = SHUTDOWN_SECONDS + 10.0
"""Seconds after a stop signal until the process is ended by force. Everything acknowledged is on disk by then."""
THREAD_SWITCH_SECONDS = 0.0005
"""Seconds that a computing thread may hold the interpreter lock while others wait (Python's default: 0.005). Each step of a
quick request would wait that long next to an expensive search."""


def build_app(settings: Settings, post: ProcessRole | None = None) -> FastAPI:
    """Build the application over the store of the settings, for one process or, with `post`, for one of several. The caller
    must also run its lifespan."""
    readers = FileReaderProcesses(settings)
    memory = wiring.open_with(settings, readers=readers)
    keyring_storage: Storage | None = None
    try:
        keyring_storage = wiring.open_storage(settings)
        state = ServerState(memory, settings, wiring.open_llm(settings), keyring_storage, post, readers)
        return create_app(state)
    except BaseException:
        memory.close()
        if keyring_storage is not None:
            keyring_storage.close()
        raise


def serve(app: FastAPI, settings: Settings, ready: Callable[[str], None]) -> None:
    """Serve until a stop signal. `ready` is called with the address as soon as the server can be reached."""
    listener = open_listener(settings)
    address = address_of(listener)
    serve_socket(app, listener, lambda: ready(address))


def serve_socket(app: FastAPI, listener: socket.socket, ready: Callable[[], None]) -> None:
    """Serve the requests of a listening socket until a stop signal."""
    sys.setswitchinterval(THREAD_SWITCH_SECONDS)
    protocol: Any = limited_protocol(HttpLimits.of(app.state.server.settings))
    config = uvicorn.Config(
        app, loop="uvloop" if sys.platform != "win32" else "asyncio", http=protocol, log_config=None, access_log=False,
        server_header=False, timeout_graceful_shutdown=SHUTDOWN_SECONDS, timeout_keep_alive=30,
    )  # fmt: skip
    _UvicornServer(config, ready).run(sockets=[listener])
    faulthandler.cancel_dump_traceback_later()


class _UvicornServer(uvicorn.Server):
    """Report when the server can be reached, and tell the server state when it shuts down, so that streams end too."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Shut down in order and exit with 0: uvicorn would raise the signal again at the end."""
        if not self.should_exit:
            # A watchdog in C: it needs no interpreter lock, and ends the process even if a thread hangs.
            with suppress(RuntimeError, OSError, ValueError, AttributeError):  # stderr may have no file descriptor
                faulthandler.dump_traceback_later(HARD_STOP_SECONDS, exit=True)
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.should_exit = True

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        app: Any = self.config.app
        app.state.server.begin_to_close()
        await super().shutdown(sockets)


def address_of(listener: socket.socket) -> str:
    """Return the URL of a listening socket."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def open_listener(settings: Settings) -> socket.socket:
    """Open a listening socket at the address of the settings."""
    family = socket.AF_INET6 if ":" in settings.server_host else socket.AF_INET
    listener = socket.socket(family)
    if os.name != "nt":
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.server_host, settings.server_port))
    except (OSError, OverflowError) as error:
        listener.close()
        address = f"{settings.server_host}:{settings.server_port}"
        raise ConfigError(f"cannot listen on {address}: {error}; choose another port with `--port`") from None
    listener.listen(2048)
    listener.set_inheritable(True)
    return listener
