"""What holds for every test, and for the examples in the documentation of every function."""

import pytest


@pytest.fixture(autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads the settings, uses the model or touches the data of whoever runs it."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    for name in ("DATA", "CACHE", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(home / name.lower()))
    for name in ("URL", "DB", "OWNER", "KEY", "KEY_FILE", "CONFIG"):
        monkeypatch.delenv(f"RECOLLECT_{name}", raising=False)
