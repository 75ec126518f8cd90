"""Starts the door: on stdin and stdout for a client that starts us, or over HTTP."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable
from ipaddress import ip_address
from types import FrameType
from typing import Any

import anyio
import uvicorn
from mcp.server import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette

from recollect.config import Settings
from recollect.errors import ConfigError
from recollect.mcp.app import create_server, create_server_for
from recollect.mcp.owners import Tokens
from recollect.memory import Memory

GRACE = 5
"""Seconds that requests have to come to their end when the server is told to stop."""
PATH = "/mcp"
EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104  # looked for, not listened on


def speak(server: MCPServer[Any]) -> None:
    """Speaks on stdin and stdout until stdin ends."""
    # Whoever waits for a line cannot be interrupted; what was acknowledged is on the disk.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    anyio.run(server.run_stdio_async)


def listen(address: str) -> socket.socket:
    """A socket at HOST:PORT; port 0 takes a free one."""
    host, port = _split(address)
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    if os.name != "nt":
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except (OSError, OverflowError) as error:
        listener.close()
        raise ConfigError(f"cannot listen on {address}: {error}") from None
    return listener


def serve(
    memory: Memory,
    listener: socket.socket,
    settings: Settings,
    *,
    owner: str,
    named: str = "",
    tokens: Tokens | None = None,
    read_only: bool = False,
    ready: Callable[[str], None] = lambda address: None,
) -> None:
    """Answers over HTTP until it is told to stop. Whose memory, the token says; without tokens it is the owner's, and only
    this machine may ask. `named` is the host by its name, if it was given by one: clients ask for that. `ready` is told the
    address as soon as it can be reached."""
    host, port = listener.getsockname()[:2]
    if tokens is None and not _is_loopback(host):
        raise ConfigError(f"{host} can be reached from outside, so requests need a token: name a file with --token-file")
    address = f"http://{_bracketed(host)}:{port}"
    if tokens is None:
        server = create_server(memory, owner=owner, read_only=read_only)
    else:
        server = create_server_for(memory, tokens, address, read_only=read_only)
    app = server.streamable_http_app(
        streamable_http_path=PATH, stateless_http=True, json_response=True, max_request_body_size=settings.server_body,
        transport_security=_doorway(host, named, settings),
    )  # fmt: skip
    _attend(app, listener, lambda: ready(address + PATH))


def _attend(app: Starlette, listener: socket.socket, ready: Callable[[], None]) -> None:
    config = uvicorn.Config(
        app, log_config=None, access_log=False, server_header=False, timeout_graceful_shutdown=GRACE, ws="none"
    )
    _Server(config, ready).run(sockets=[listener])


class _Server(uvicorn.Server):
    """Tells when it can be reached, and ends with 0 when it was told to: uvicorn would raise the signal again."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.should_exit = True

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()


def _doorway(host: str, named: str, settings: Settings) -> TransportSecuritySettings:
    """By which names, and from which sites' pages, a request may come. Who listens on every address and names none takes any
    name: behind it, every request needs a token, which no other site's page has."""
    names = list(settings.server_names)
    if _is_loopback(host):
        names += ["localhost", "127.0.0.1", "[::1]", _bracketed(host)]
    elif host not in EVERYWHERE:
        names.append(_bracketed(host))
    if named and host not in EVERYWHERE:
        names.append(_bracketed(named))
    # The SDK minds the case, which names do not have; most clients write them small.
    names = list(dict.fromkeys(form for name in names for form in (name, name.lower())))
    hosts = [form for name in names for form in (name, f"{name}:*")]
    own = [f"{scheme}://{form}" for scheme in ("http", "https") for form in hosts]
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=bool(names), allowed_hosts=hosts, allowed_origins=[*own, *settings.server_origins]
    )


def host_in(address: str) -> str:
    """The host of HOST:PORT as it was given.

    >>> host_in("memory.example.org:8766"), host_in("[::1]:0"), host_in("8766")
    ('memory.example.org', '::1', '')
    """
    return address.rpartition(":")[0].strip("[]")


def _split(address: str) -> tuple[str, int]:
    """The two parts of HOST:PORT; a port alone is one of this machine.

    >>> _split("localhost:8766"), _split("[::1]:0"), _split("8766")
    (('127.0.0.1', 8766), ('::1', 0), ('127.0.0.1', 8766))
    """
    host, port = host_in(address), address.rpartition(":")[2]
    if not port.isascii() or not port.isdigit() or int(port) > 65_535:
        raise ConfigError(f"{address!r} is no address; one is HOST:PORT, such as 127.0.0.1:8766")
    return ("127.0.0.1" if host in ("", "localhost") else host), int(port)


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _is_loopback(host: str) -> bool:
    return ip_address(host).is_loopback
