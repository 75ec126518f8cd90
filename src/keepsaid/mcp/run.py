"""Run the MCP server: on stdin and stdout for a client that starts it, or over HTTP."""

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

from keepsaid.config import Settings
from keepsaid.errors import ConfigError
from keepsaid.mcp.app import create_server, create_server_for
from keepsaid.mcp.owners import BearerTokens
from keepsaid.memory import Memory

SHUTDOWN_SECONDS = 5
"""Seconds that running requests have to finish after a stop signal."""
MCP_PATH = "/mcp"
ALL_ADDRESSES = ("0.0.0.0", "::")  # noqa: S104  # compared, not listened on


def serve_stdio(server: MCPServer[Any]) -> None:
    """Serve on stdin and stdout until stdin ends."""
    # A blocking read of stdin cannot be interrupted otherwise. Everything acknowledged is on disk.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    anyio.run(server.run_stdio_async)


def open_listener(address: str) -> socket.socket:
    """Open a listening socket at HOST:PORT; port 0 picks a free one."""
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


def serve_http(
    memory: Memory,
    listener: socket.socket,
    settings: Settings,
    *,
    owner: str,
    named: str = "",
    tokens: BearerTokens | None = None,
    read_only: bool = False,
    ready: Callable[[str], None] = lambda address: None,
) -> None:
    """Serve over HTTP until a stop signal. A token determines the owner; without tokens it is `owner`, and only loopback
    addresses are allowed. `named` is the host name as the user gave it, which clients will use. `ready` is called with the
    address as soon as the server can be reached."""
    host, port = listener.getsockname()[:2]
    if tokens is None and not _is_loopback(host):
        raise ConfigError(f"{host} is reachable from other machines, so requests need a token: pass --token-file")
    address = f"http://{_bracketed(host)}:{port}"
    if tokens is None:
        server = create_server(memory, owner=owner, read_only=read_only)
    else:
        server = create_server_for(memory, tokens, address, read_only=read_only)
    app = server.streamable_http_app(
        streamable_http_path=MCP_PATH, stateless_http=True, json_response=True, max_request_body_size=settings.server_body,
        transport_security=_transport_security(host, named, settings),
    )  # fmt: skip
    _run_uvicorn(app, listener, lambda: ready(address + MCP_PATH))


def _run_uvicorn(app: Starlette, listener: socket.socket, ready: Callable[[], None]) -> None:
    config = uvicorn.Config(
        app, log_config=None, access_log=False, server_header=False, timeout_graceful_shutdown=SHUTDOWN_SECONDS, ws="none"
    )
    _McpUvicornServer(config, ready).run(sockets=[listener])


class _McpUvicornServer(uvicorn.Server):
    """Reports when it can be reached, and exits with 0 after a stop signal: uvicorn would raise the signal again."""

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


def _transport_security(host: str, named: str, settings: Settings) -> TransportSecuritySettings:
    """Return the allowed host names and origins. A server on all addresses without configured names accepts any name: every
    request needs a token there, which pages of other sites do not have."""
    names = list(settings.server_names)
    if _is_loopback(host):
        names += ["localhost", "127.0.0.1", "[::1]", _bracketed(host)]
    elif host not in ALL_ADDRESSES:
        names.append(_bracketed(host))
    if named and host not in ALL_ADDRESSES:
        names.append(_bracketed(named))
    # The SDK compares names case-sensitively, and most clients send them in lower case.
    names = list(dict.fromkeys(form for name in names for form in (name, name.lower())))
    hosts = [form for name in names for form in (name, f"{name}:*")]
    own = [f"{scheme}://{form}" for scheme in ("http", "https") for form in hosts]
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=bool(names), allowed_hosts=hosts, allowed_origins=[*own, *settings.server_origins]
    )


def host_of(address: str) -> str:
    """Return the host of HOST:PORT as it was given.

    >>> host_of("memory.example.org:8766"), host_of("[::1]:0"), host_of("8766")
    ('memory.example.org', '::1', '')
    """
    return address.rpartition(":")[0].strip("[]")


def _split(address: str) -> tuple[str, int]:
    """Split HOST:PORT; a port alone means this machine.

    >>> _split("localhost:8766"), _split("[::1]:0"), _split("8766")
    (('127.0.0.1', 8766), ('::1', 0), ('127.0.0.1', 8766))
    """
    host, port = host_of(address), address.rpartition(":")[2]
    if not port.isascii() or not port.isdigit() or int(port) > 65_535:
        raise ConfigError(f"{address!r} is not an address: use HOST:PORT, such as 127.0.0.1:8766")
    return ("127.0.0.1" if host in ("", "localhost") else host), int(port)


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _is_loopback(host: str) -> bool:
    return ip_address(host).is_loopback
