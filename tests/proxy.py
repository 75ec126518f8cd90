"""A wire that can be bad: everything to and from a server goes through it, as a test tells it to."""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

CHUNK = 1 << 16


class Proxy:
    """Passes bytes on between whoever connects to `port` and a server on this machine."""

    def __init__(self, target: int, tls: ssl.SSLContext | None = None) -> None:
        self._target, self._tls = ("127.0.0.1", target), tls
        self._lock = threading.Lock()
        self._wires: set[socket.socket] = set()
        self._losing: bytes | None = None
        self._to_lose = 0
        self.delay = 0.0
        """Seconds that every answer takes longer."""
        self.silent = False
        """Whether everything that is sent, either way, gets lost while connections stay."""
        self.lost = 0
        """Answers that were lost on the way."""
        self.port = 0
        self.allow()

    def lose_answer_to(self, request: bytes, times: int = 1) -> None:
        """The server gets requests with these bytes in them and does what they say, but so many times the connection breaks
        before the answer arrives."""
        with self._lock:
            self._losing, self._to_lose = request, times

    def cut(self) -> None:
        """Breaks all connections."""
        with self._lock:
            wires, self._wires = self._wires, set()
        for wire in wires:
            _close(wire)

    def refuse(self) -> None:
        """Breaks all connections and lets nobody connect."""
        _close(self._listener)
        self._accepting.join()
        self.cut()

    def allow(self) -> None:
        """Lets everybody connect, at the same port as before."""
        self._listener = socket.create_server(("127.0.0.1", self.port))
        self.port = self._listener.getsockname()[1]
        self._accepting = threading.Thread(target=self._accept, args=(self._listener,), daemon=True)
        self._accepting.start()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                caller, _ = listener.accept()
            except OSError:
                return
            try:
                if self._tls is not None:
                    caller = self._tls.wrap_socket(caller, server_side=True)
                server = socket.create_connection(self._target)
            except OSError:
                _close(caller)
                continue
            with self._lock:
                self._wires |= {caller, server}
            wire = _Wire(self, caller, server)
            for work in (wire.pass_requests, wire.pass_answers):
                threading.Thread(target=work, daemon=True).start()

    def takes(self, request: bytes) -> bool:
        """Whether the answer to a request is to be lost."""
        with self._lock:
            is_one = self._to_lose > 0 and self._losing is not None and self._losing in request
            self._to_lose -= is_one
            return is_one


class _Wire:
    """One connection."""

    def __init__(self, proxy: Proxy, caller: socket.socket, server: socket.socket) -> None:
        self._proxy, self._caller, self._server = proxy, caller, server
        self._loses_next = False

    def pass_requests(self) -> None:
        """Passes on what the caller sends."""
        with suppress(OSError):
            while request := self._caller.recv(CHUNK):
                if self._proxy.silent:
                    continue
                self._loses_next = self._loses_next or self._proxy.takes(request)
                self._server.sendall(request)
        self._close()

    def pass_answers(self) -> None:
        """Passes on what the server sends."""
        with suppress(OSError):
            while answer := self._server.recv(CHUNK):
                if self._loses_next:
                    self._proxy.lost += 1
                    break
                if self._proxy.delay:
                    time.sleep(self._proxy.delay)
                if not self._proxy.silent:
                    self._caller.sendall(answer)
        self._close()

    def _close(self) -> None:
        _close(self._caller)
        _close(self._server)


def _close(one: socket.socket) -> None:
    with suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()


@contextmanager
def run_proxy(target: int, tls: ssl.SSLContext | None = None) -> Iterator[Proxy]:
    """A wire to a server on this machine; with `tls`, whoever calls must speak it."""
    proxy = Proxy(target, tls)
    try:
        yield proxy
    finally:
        proxy.refuse()
