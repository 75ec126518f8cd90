"""A memory in which nothing happens by itself, in this process and on disk, and a script's way to call tools."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.testing import HandClock


@pytest.fixture(params=["memory", "sqlite"])
def memory(request: pytest.FixtureRequest, tmp_path: Path, clock: HandClock) -> Iterator[recollect.Memory]:
    url = "memory://" if request.param == "memory" else tmp_path / "chat.db"
    with recollect.open(url, clock=clock, durable=False, background=False, embedder="off") as memory:
        yield memory
