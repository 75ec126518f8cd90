"""Stores for the tests, on every backend."""

import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from backends import BACKENDS, is_quick, place_of, stop_servers

import keepsaid
from keepsaid.testing import ManualClock


def pytest_configure(config: pytest.Config) -> None:
    # A shell that was told to run something in the background has it, and all that it starts, ignore Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    quick = "quick_on(*backends): on other backends the test is a long one; see tests/backends.py"
    config.addinivalue_line("markers", quick)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if not is_quick(item):
            item.add_marker(pytest.mark.long)


def pytest_sessionfinish() -> None:
    stop_servers()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture(params=BACKENDS)
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str | Path]:
    """What `keepsaid.open` takes: an empty place on each backend."""
    if request.param == "encrypted":
        key = tmp_path / "key"
        key.write_bytes(bytes(range(32)))
        monkeypatch.setenv("KEEPSAID_KEY_FILE", str(key))
    with place_of(request.param, tmp_path) as place:
        yield place


@pytest.fixture
def opened(place: str | Path, clock: ManualClock) -> Iterator[Callable[..., keepsaid.Memory]]:
    """Opens the store at that place, and closes it in the end. Nothing happens by itself."""
    with ExitStack() as stack:

        def open(embedder: Any = "off", **options: Any) -> keepsaid.Memory:
            options = {"clock": clock, "durable": False, "background": False, **options}
            return stack.enter_context(keepsaid.open(place, embedder=embedder, **options))

        yield open


@pytest.fixture
def memory(opened: Callable[..., keepsaid.Memory]) -> keepsaid.Memory:
    return opened()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[keepsaid.Memory]:
    with keepsaid.open(tmp_path / "chat.db") as memory:
        yield memory
