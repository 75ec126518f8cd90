"""Stores for the tests: one in this process, one on disk."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.testing import HandClock


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture(params=["memory", "sqlite"])
def memory(request: pytest.FixtureRequest, tmp_path: Path, clock: HandClock) -> Iterator[recollect.Memory]:
    url = "memory://" if request.param == "memory" else tmp_path / "chat.db"
    with recollect.open(url, clock=clock, durable=False) as memory:
        yield memory


@pytest.fixture
def store(tmp_path: Path) -> Iterator[recollect.Memory]:
    with recollect.open(tmp_path / "chat.db") as memory:
        yield memory
