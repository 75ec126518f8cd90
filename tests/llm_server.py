"""A little server that speaks OpenAI's chat completions, well or badly, as a test tells it to."""

from __future__ import annotations

import json
import select
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Exchange = Callable[["Handler", dict[str, Any]], None]
"""What the server does with one request."""

MAX_HANG_SECONDS = 10.0


class Handler(BaseHTTPRequestHandler):
    """One connection. Whatever it sends, it sends at once."""

    protocol_version = "HTTP/1.1"
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.requests.append((self.path, headers, body))
        self.server.moments.append(time.monotonic())
        exchange = self.server.script.pop(0) if self.server.script else self.server.otherwise
        try:
            exchange(self, body)
        except OSError:
            self.server.closed_early.set()
            self.close_connection = True

    def send(self, status: int, content: bytes, **headers: str) -> None:
        """A whole answer."""
        self.send_response(status)
        for name, value in ({"Content-Type": "application/json"} | headers).items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def begin_stream(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def event(self, data: str) -> None:
        content = f"data: {data}\n\n".encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(content), content))
        self.wfile.flush()

    def end_stream(self) -> None:
        self.event("[DONE]")
        self.wfile.write(b"0\r\n\r\n")

    def cut(self) -> None:
        """Breaks the connection in the middle of things."""
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def wait_for_the_client_to_leave(self, seconds: float = MAX_HANG_SECONDS) -> bool:
        """Says nothing until the client closes the connection; whether it did."""
        readable, _, _ = select.select([self.connection], [], [], seconds)
        left = bool(readable) and self.connection.recv(1, socket.MSG_PEEK) == b""
        if left:
            self.server.closed_early.set()
        self.close_connection = True
        return left

    def log_message(self, format: str, *args: Any) -> None:
        pass


class Server(ThreadingHTTPServer):
    """Answers requests by `script`, one line each, and then by `otherwise`; keeps what it was sent."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.moments: list[float] = []
        self.script: list[Exchange] = []
        self.otherwise: Exchange = answer("Lisbon.")
        self.closed_early = threading.Event()
        self.url = f"http://127.0.0.1:{self.server_port}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that leaves is no error of the server's."""


@contextmanager
def serving() -> Iterator[Server]:
    server = Server()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def completion(text: str | None, **message: Any) -> dict[str, Any]:
    finish = "tool_calls" if message.get("tool_calls") else "stop"
    return {
        "id": "c1", "object": "chat.completion", "created": 1, "model": "m-2026",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text, **message}, "finish_reason": finish}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14},
    }  # fmt: skip


def chunk(finish: str | None = None, **delta: Any) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return json.dumps({"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m-2026", "choices": [choice]})


USAGE = json.dumps(
    {
        "id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m-2026", "choices": [],
        "usage": {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14},
    }
)  # fmt: skip


def answer(text: str) -> Exchange:
    """What a healthy endpoint does, streamed if it is asked to: a word at a time."""

    def exchange(handler: Handler, body: dict[str, Any]) -> None:
        if body.get("stream"):
            words = [chunk(content=word + " ") for word in text.split(" ")[:-1]] + [chunk(content=text.split(" ")[-1])]
            usage = [USAGE] if body.get("stream_options", {}).get("include_usage") else []
            stream_events([chunk(role="assistant", content=""), *words, chunk("stop"), *usage])(handler, body)
        else:
            handler.send(200, json.dumps(completion(text)).encode())

    return exchange


def stream_events(events: Iterable[str]) -> Exchange:
    def exchange(handler: Handler, body: dict[str, Any]) -> None:
        handler.begin_stream()
        for event in events:
            handler.event(event)
        handler.end_stream()

    return exchange


def says(status: int, content: bytes = b"", **headers: str) -> Exchange:
    return lambda handler, body: handler.send(status, content, **headers)


def refuses(status: int, message: str, **headers: str) -> Exchange:
    return says(status, json.dumps({"error": {"message": message, "type": "x", "code": None}}).encode(), **headers)


def slowly(seconds: float, exchange: Exchange) -> Exchange:
    def slow(handler: Handler, body: dict[str, Any]) -> None:
        time.sleep(seconds)
        exchange(handler, body)

    return slow


def hangs(handler: Handler, body: dict[str, Any]) -> None:
    """No answer at all."""
    handler.wait_for_the_client_to_leave()


def hangs_after(events: Iterable[str]) -> Exchange:
    def exchange(handler: Handler, body: dict[str, Any]) -> None:
        handler.begin_stream()
        for event in events:
            handler.event(event)
        handler.wait_for_the_client_to_leave()

    return exchange


def cuts_off(events: Iterable[str], *, politely: bool = False) -> Exchange:
    """A stream that ends too early: with a broken connection, or as if nothing were missing."""

    def exchange(handler: Handler, body: dict[str, Any]) -> None:
        handler.begin_stream()
        for event in events:
            handler.event(event)
        if politely:
            handler.wfile.write(b"0\r\n\r\n")
        else:
            handler.cut()

    return exchange
