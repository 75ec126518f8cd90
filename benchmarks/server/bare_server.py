"""The baseline of the server: the minimum that a FastAPI program with raw SQLite has to do.

One async route, one body validated by pydantic, one insert as durable as ours. `python -m benchmarks.server.bare_server
FILE` serves it, and prints its address.
"""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel

from benchmarks.store.bare_sqlite import RawMessages


class BareMessage(BaseModel):
    """The message in a request."""

    role: str
    content: str


class BareSavedMessage(BaseModel):
    """The message in a response."""

    session: str
    role: str
    content: str


def create_app(path: Path) -> FastAPI:
    """Create the app."""
    app = FastAPI()
    messages = RawMessages(path, durable=True)

    @app.post("/v1/sessions/{session}/messages", status_code=201)
    async def add(session: str, body: BareMessage) -> BareSavedMessage:  # pyright: ignore[reportUnusedFunction]  # FastAPI uses it
        messages.append((body.content,))
        return BareSavedMessage(session=session, role=body.role, content=body.content)

    return app


def main(path: Path) -> None:
    """Serve the app with uvicorn's fastest options, until the process ends."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(2048)
    fastest = "uvloop" if sys.platform != "win32" else "asyncio"
    config = uvicorn.Config(create_app(path), loop=fastest, http="httptools", log_config=None, access_log=False)
    sys.stdout.write(f"http://127.0.0.1:{listener.getsockname()[1]}\n")
    sys.stdout.flush()
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
