"""The sample conversations, which were written for this demo, as they are put into a store."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from recollect.memory import Memory

OWNER = "me"
PAUSE = timedelta(minutes=3)
"""Time between two messages."""


class Loaded(NamedTuple):
    """What was put into the store."""

    conversations: int
    messages: int
    first: datetime
    last: datetime


def samples() -> list[dict[str, Any]]:
    """The conversations: title, how many days ago they were held, and who said what."""
    return json.loads(files("recollect.cli.demo").joinpath("samples.json").read_text(encoding="utf-8"))


def place() -> Path:
    """The store of the demo: where one can look at it afterwards, and nothing else is."""
    import platformdirs

    return platformdirs.user_cache_path("recollect") / "demo.db"


def emptied(path: Path) -> Path:
    """The same place, with nothing there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    return path


def load(memory: Memory, now: datetime) -> Loaded:
    """Puts the conversations into a store, at their times as seen from now."""
    talks = samples()
    for talk in talks:
        said_at = now - timedelta(days=talk["days_ago"])
        chat = memory.chat(owner=OWNER, title=talk["title"], created_at=said_at)
        chat.add_many(
            {"role": role, "content": text, "created_at": said_at + number * PAUSE}
            for number, (role, text) in enumerate(talk["messages"])
        )
    days = [talk["days_ago"] for talk in talks]
    messages = sum(len(talk["messages"]) for talk in talks)
    return Loaded(len(talks), messages, now - timedelta(days=max(days)), now - timedelta(days=min(days)))
