"""Stores for the tests: one in this process, one on disk."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.testing import HandClock


@pytest.fixture(autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads the settings or touches the data of whoever runs it."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "data"))
    for name in ("URL", "KEY", "KEY_FILE", "CONFIG"):
        monkeypatch.delenv(f"RECOLLECT_{name}", raising=False)


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
