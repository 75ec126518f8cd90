"""The measuring stick of the server: the least that a FastAPI program with SQLite in its own hands could do.

One async route, one body that pydantic checks, one insert as durable as ours. `python -m recollect.bench.server_bare FILE`
serves it, and prints its address.
"""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel

from recollect.bench.raw import RawMessages


class Said(BaseModel):
    """A message as it comes in."""

    role: str
    content: str


class Saved(BaseModel):
    """A message as it goes out."""

    session: str
    role: str
    content: str


def create_app(path: Path) -> FastAPI:
    """The whole program."""
    app = FastAPI()
    messages = RawMessages(path, durable=True)

    @app.post("/v1/sessions/{session}/messages", status_code=201)
    async def add(session: str, body: Said) -> Saved:  # pyright: ignore[reportUnusedFunction]  # FastAPI uses it
        messages.append((body.content,))
        return Saved(session=session, role=body.role, content=body.content)

    return app


def main(path: Path) -> None:
    """Serves it the fastest way that uvicorn has, until it is ended."""
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
