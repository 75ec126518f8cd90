"""Limits that apply before a key is checked: header size, time, and connections."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress

import httpx
import pytest

from .conftest import Server

PATIENCE = 1.0
CONNECTIONS = 12


@pytest.fixture(scope="module")
def impatient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that waits for nobody."""
    limits = {"KEEPSAID_SERVER_PATIENCE": str(PATIENCE), "KEEPSAID_SERVER_CONNECTIONS": str(CONNECTIONS)}
    running = Server(tmp_path_factory.mktemp("server") / "chat.db", **limits)
    yield running
    assert running.stop() == 0


def connect(server: Server) -> socket.socket:
    host, port = server.url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=10)


def rest_of(line: socket.socket) -> bytes:
    """All that a server still says, until it closes the connection."""
    said = b""
    try:
        while piece := line.recv(65_536):
            said += piece
    except ConnectionResetError:
        pass
    return said


def memory_of(server: Server) -> int:
    with open(f"/proc/{server.process.pid}/statm") as file:
        return int(file.read().split()[1]) * 4096


@pytest.mark.parametrize(
    "begin",
    [b"GET / HTTP/1.1\r\nX-A: ", b"GET /", b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-A: "],
    ids=["a header without end", "an address without end", "a trailer without end"],
)  # fmt: skip
def test_endless_request_head_is_cut_off(impatient: Server, begin: bytes):
    before = memory_of(impatient)
    with closing(connect(impatient)) as line:
        line.sendall(begin)
        sent = 0
        with suppress(OSError):  # a reset or a broken pipe, as the system likes
            while sent < 64_000_000:
                sent += line.send(b"a" * 65_536)
    assert sent < 16_000_000
    assert memory_of(impatient) - before < 30_000_000


def test_too_many_headers_return_431_naming_setting(impatient: Server):
    many = {f"X-{number}": "x" * 100 for number in range(500)}
    with impatient.client() as http:
        answer = http.get("/healthz", headers=many)
        assert (answer.status_code, answer.json()["type"]) == (431, "/docs#head-too-large")
        assert "server_header" in answer.json()["detail"]
        assert http.get("/healthz").status_code == 200


@pytest.mark.parametrize(
    "half",
    [b"", b"GET / HTTP/1.1\r\nHost: x\r\n", b"POST /v1/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n{"],
    ids=["nothing", "half a head", "half a body"],
)  # fmt: skip
def test_incomplete_request_times_out_with_408(impatient: Server, half: bytes):
    with closing(connect(impatient)) as line:
        line.sendall(half)
        begun = time.monotonic()
        said = rest_of(line)
        assert time.monotonic() - begun < PATIENCE + 3
    assert said.startswith(b"HTTP/1.1 408")
    assert b"server_patience" in said


def test_slowly_sent_request_head_is_cut_off(impatient: Server):
    with closing(connect(impatient)) as line:
        begun = time.monotonic()
        line.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ")
        with suppress(OSError):
            while time.monotonic() - begun < 10:
                line.sendall(b"a")
                time.sleep(0.1)
        assert time.monotonic() - begun < PATIENCE + 3


def test_steadily_sent_large_body_is_accepted(impatient: Server):
    def steadily() -> Iterator[bytes]:
        for _ in range(8):
            yield b"The train to Lisbon leaves at nine. " * 200
            time.sleep(PATIENCE / 4)

    with impatient.client() as http:
        answer = http.post("/v1/documents?name=trains.txt", content=steadily())
    assert answer.status_code == 201


def test_open_watch_outlives_request_timeout(impatient: Server):
    with impatient.client() as http, http.stream("GET", "/v1/watch") as watch:
        lines = watch.iter_lines()
        next(lines)
        time.sleep(2 * PATIENCE)
        http.post("/v1/sessions", json={"id": "still-here"})
        assert next(line for line in lines if line.startswith("event: ")) == "event: session"


def test_connections_per_address_are_limited_and_freed(impatient: Server):
    with ExitStack() as stack:
        lines = [stack.enter_context(closing(connect(impatient))) for _ in range(CONNECTIONS)]
        time.sleep(0.1)
        with closing(connect(impatient)) as one_more:
            said = rest_of(one_more)
        assert said.startswith(b"HTTP/1.1 429")
        assert b"server_connections" in said
        lines[0].close()
        end = time.monotonic() + 5
        with impatient.client() as http:
            status = 0
            while status != 200:
                with suppress(httpx.TransportError):
                    status = http.get("/healthz").status_code
                assert time.monotonic() < end


@pytest.mark.parametrize(
    "header", ["X-Forwarded-For", "Forwarded", "X-Real-IP", "Via", "CF-Connecting-IP", "True-Client-IP", "X-Forwarded-Host"]
)
def test_forwarded_request_without_key_is_unauthorized(impatient: Server, header: str):
    with impatient.client() as http:
        assert http.get("/v1/me", headers={header: "8.8.8.8"}).status_code == 401
