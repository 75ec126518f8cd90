"""What holds for every test, and for the examples in the documentation of every function."""

import importlib
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent / "src"


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A door has no examples to run where its framework is not installed."""
    if collection_path.suffix != ".py" or SOURCE not in collection_path.parents:
        return None
    try:
        importlib.import_module(
            ".".join(collection_path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
        )
    except ImportError as error:
        return is_elsewhere(error) or None
    return None


def is_elsewhere(error: ImportError) -> bool:
    """Whether what is missing is a framework: some can only be installed apart from others."""
    from recollect.errors import MissingExtra

    return isinstance(error, MissingExtra) or not str(error.name).startswith("recollect")


@pytest.fixture(autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads the settings, uses the model or touches the data of whoever runs it."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    for name in ("DATA", "CACHE", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(home / name.lower()))
    for name in ("URL", "DB", "OWNER", "KEY", "KEY_FILE", "CONFIG"):
        monkeypatch.delenv(f"RECOLLECT_{name}", raising=False)
