"""Fixtures for every test and every doctest."""

import importlib
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent / "src"

collect_ignore = ["benchmarks/peers/drivers"]
"""Their libraries are installed apart, by `make peers`."""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Skip the examples of an adapter whose framework is not installed."""
    if collection_path.suffix != ".py" or SOURCE not in collection_path.parents:
        return None
    module = ".".join(collection_path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
    try:
        importlib.import_module(module.rpartition(".")[0] or module)  # a module may be loaded although its package failed
        importlib.import_module(module)
    except ImportError as error:
        return is_elsewhere(error) or None
    return None


def is_elsewhere(error: ImportError) -> bool:
    """Whether a framework is missing: some can only be installed apart from others."""
    from keepsaid.errors import MissingExtra

    return isinstance(error, MissingExtra) or not str(error.name).startswith("keepsaid")


@pytest.fixture(autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test an empty home: it must not use the settings, models or data of the person who runs it."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    for name in ("DATA", "CACHE", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(home / name.lower()))
    for name in ("URL", "DB", "OWNER", "KEY", "KEY_FILE", "CONFIG"):
        monkeypatch.delenv(f"KEEPSAID_{name}", raising=False)
