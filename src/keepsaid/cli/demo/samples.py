"""The sample conversations, written for this demo, and how they are loaded into a store."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from keepsaid.memory import Memory

OWNER = "me"
PAUSE = timedelta(minutes=3)
"""Time between two messages."""


class LoadedSamples(NamedTuple):
    """What was loaded into the store."""

    conversations: int
    messages: int
    first: datetime
    last: datetime


def read_samples() -> list[dict[str, Any]]:
    """Return the conversations: title, age in days, and the messages with their roles."""
    return json.loads(files("keepsaid.cli.demo").joinpath("samples.json").read_text(encoding="utf-8"))


def demo_store_path() -> Path:
    """Return the path of the demo store, which stays for a look afterwards."""
    import platformdirs

    return platformdirs.user_cache_path("keepsaid") / "demo.db"


def remove_old_store(path: Path) -> Path:
    """Remove the store files at a path and return the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    return path


def load_samples(memory: Memory, now: datetime) -> LoadedSamples:
    """Load the conversations into a store, dated relative to now."""
    conversations = read_samples()
    for conversation in conversations:
        started_at = now - timedelta(days=conversation["days_ago"])
        chat = memory.chat(owner=OWNER, title=conversation["title"], created_at=started_at)
        chat.add_many(
            {"role": role, "content": text, "created_at": started_at + number * PAUSE}
            for number, (role, text) in enumerate(conversation["messages"])
        )
    days = [conversation["days_ago"] for conversation in conversations]
    messages = sum(len(conversation["messages"]) for conversation in conversations)
    return LoadedSamples(len(conversations), messages, now - timedelta(days=max(days)), now - timedelta(days=min(days)))
