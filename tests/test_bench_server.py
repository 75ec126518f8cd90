"""The server benchmark: correct figures, detection of errors, and clean-up."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from benchmarks.__main__ import bench
from benchmarks.server import server as measured
from benchmarks.server.load import LoadSpec
from benchmarks.server.process import run_load, run_server
from keepsaid.errors import ConfigError

OFF = {"KEEPSAID_EMBEDDER": "off", "KEEPSAID_LLM": "off", "KEEPSAID_SERVER_LOG": "off", "KEEPSAID_SERVER_RATE": "off"}


@pytest.fixture(scope="module")
def numbers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("bench")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measured, "ROUNDS", 1)
        patch.setattr(measured, "ROUND", 0.5)
        patch.setattr("tempfile.tempdir", str(folder))
        # A developer's own settings must not reach the servers that are measured.
        patch.setenv("KEEPSAID_KEY", "a passphrase")
        patch.setenv("KEEPSAID_SERVER_AUTH", "on")
        arguments = ["server", "--seconds", "2", "--clients", "4", "--embedder", "off", "--json"]
        result = CliRunner().invoke(bench, arguments)
    assert result.exit_code == 0, result.output
    assert list(folder.iterdir()) == []
    return json.loads(result.stdout)


def test_benchmark_run_has_no_errors(numbers: dict[str, Any]) -> None:
    assert (numbers["clients"], numbers["seconds"], numbers["errors"]) == (4, 2, 0)
    assert numbers["append_errors"] == numbers["mixed"]["errors"] == {}


def test_ratio_equals_quotient_of_measured_rates(numbers: dict[str, Any]) -> None:
    assert numbers["append_per_second"] > 0
    assert numbers["append_x_bare"] == pytest.approx(
        numbers["append_per_second"] / numbers["append_bare_per_second"], abs=0.001
    )


def test_mixed_load_times_each_request_kind(numbers: dict[str, Any]) -> None:
    kinds = numbers["mixed"]["kinds"]
    assert set(kinds) == {"append", "context", "search"}
    for found in kinds.values():
        assert 0 < found["p50"] <= found["p95"] <= found["p99"] <= found["longest"]
    assert sum(found["answers"] for found in kinds.values()) == numbers["mixed"]["answers"]


def test_table_marks_missed_targets_and_errors(numbers: dict[str, Any]) -> None:
    good = measured.table(numbers | {"append_x_bare": 0.51})
    assert "ratio 0.51, target ≥ 0.5\n" in good
    bad = measured.table(numbers | {"append_x_bare": 0.49, "errors": 2, "append_errors": {"ours append: status 500": 2}})
    assert "ratio 0.49, target ≥ 0.5  MISSED" in bad
    assert "2 errors  MISSED" in bad
    assert bad.endswith("2 × ours append: status 500")


def test_unexpected_status_counts_as_error(tmp_path: Path) -> None:
    with run_server(*measured.server_arguments(tmp_path / "chat.db"), settings=OFF) as server:
        came = run_load(LoadSpec(server.url, 0.2, 2))
    assert came["answers"] > 0
    assert came["errors"] == {"append: status 404": came["answers"]}, "nobody made the sessions"


def test_killed_server_counts_as_error_per_client(tmp_path: Path) -> None:
    with run_server(*measured.server_arguments(tmp_path / "chat.db"), settings=OFF) as server:
        measured.create_sessions(server, 3)

        def die() -> None:
            time.sleep(2)
            server.process.kill()

        dying = threading.Thread(target=die)
        dying.start()
        came = run_load(LoadSpec(server.url, 20, 3))
        dying.join()
    assert sum(came["errors"].values()) == 3


def test_failed_server_start_raises_config_error(tmp_path: Path) -> None:
    (tmp_path / "chat.db").write_text("This is no store. " * 100)
    with (
        pytest.raises(ConfigError, match="the server did not start"),
        run_server(*measured.server_arguments(tmp_path / "chat.db")),
    ):
        pass
