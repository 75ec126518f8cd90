"""Commands as a shell runs them: in this process for most tests, in one of their own where it matters."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

import keepsaid
from keepsaid.cli import main

KEEPSAID = [sys.executable, "-c", "from keepsaid.cli import main; main()"]
NOON = datetime(2026, 5, 2, 12, 30, tzinfo=UTC)
"""Around noon, so that the dates are the same nearly everywhere."""


def call(store: Path | str | None, *arguments: str, **options: Any) -> Result:
    """A command, in this process."""
    before = [] if store is None else ["--db", str(store)]
    return CliRunner().invoke(main, [*before, *arguments], catch_exceptions=False, **options)


def answer(result: Result, code: int = 0) -> Any:
    """The one JSON object on stdout."""
    assert result.exit_code == code, result.output
    assert result.stdout.count("\n") == 1
    return json.loads(result.stdout)


def assert_refused(result: Result, *words: str) -> None:
    """Not done, with one line that says why."""
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    last = result.stderr.strip().splitlines()[-1]
    assert last.startswith("Error: ")
    assert "Traceback" not in result.stderr
    for word in words:
        assert word in last, last


def start_command(*arguments: str, **options: Any) -> subprocess.Popen[str]:
    """A command in a process of its own."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([*KEEPSAID, *arguments], **{**pipes, **options})


def run_command(
    *arguments: str, environment: dict[str, str] | None = None, **options: Any
) -> subprocess.CompletedProcess[str]:
    """A command in a process of its own, to its end."""
    env = {**os.environ, **(environment or {})}
    return subprocess.run(
        [*KEEPSAID, *arguments], capture_output=True, text=True, check=False, env=env, timeout=120, **options
    )


def wait_for(happened: Callable[[], bool], seconds: float = 60.0) -> None:
    """Waits for something; an error if it never happens."""
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def make_store(path: Path) -> Path:
    """`me` has three conversations, one of them archived and one branched; somebody else has one."""
    with keepsaid.open(path, embedder="off", background=False, clock=lambda: NOON + timedelta(hours=1)) as memory:
        trip = memory.chat(owner="me", session="trip", create=True, title="Lisbon", tags=["family"], created_at=NOON)
        asked = trip.add("user", "My sister moved to Lisbon in May.", id="m1", created_at=NOON)
        trip.add("assistant", "How nice!", id="m2", created_at=NOON + timedelta(minutes=1))
        trip.edit(asked.id, "My brother moved to Porto in May.", id="m3")
        work = memory.chat(owner="me", session="work", create=True, title="Office", created_at=NOON)
        work.add("user", "The office code is 4711.", id="w1", created_at=NOON + timedelta(days=2))
        work.archive()
        memory.chat(owner="me", session="untitled", create=True, created_at=NOON).add("user", "ok", created_at=NOON)
        memory.chat(owner="other", session="theirs", create=True, title="Secret").add("user", "Nobody's business")
    return path


def texts(store: Path, owner: str, session: str) -> list[str]:
    """What was said in a conversation."""
    with keepsaid.open(store, embedder="off", background=False) as memory:
        return [message.text for message in memory.chat(owner=owner, session=session).messages()]
