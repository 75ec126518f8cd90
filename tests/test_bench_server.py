"""The benchmark of the server: that it measures what it says, sees what goes wrong, and cleans up."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from recollect.bench import server as measured
from recollect.bench.server_load import Order
from recollect.bench.server_process import loaded, running
from recollect.cli import main
from recollect.errors import ConfigError

OFF = {"RECOLLECT_EMBEDDER": "off", "RECOLLECT_LLM": "off", "RECOLLECT_SERVER_LOG": "off", "RECOLLECT_SERVER_RATE": "off"}


@pytest.fixture(scope="module")
def numbers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("bench")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measured, "ROUNDS", 1)
        patch.setattr(measured, "ROUND", 0.5)
        patch.setattr("tempfile.tempdir", str(folder))
        # A developer's own settings must not reach the servers that are measured.
        patch.setenv("RECOLLECT_KEY", "a passphrase")
        patch.setenv("RECOLLECT_SERVER_AUTH", "on")
        arguments = ["bench", "server", "--seconds", "2", "--clients", "4", "--embedder", "off", "--json"]
        result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    assert list(folder.iterdir()) == []
    return json.loads(result.stdout)


def test_every_request_is_answered(numbers: dict[str, Any]) -> None:
    assert (numbers["clients"], numbers["seconds"], numbers["errors"]) == (4, 2, 0)
    assert numbers["append_errors"] == numbers["mixed"]["errors"] == {}


def test_the_ratio_is_of_what_was_measured(numbers: dict[str, Any]) -> None:
    assert numbers["append_per_second"] > 0
    assert numbers["append_x_bare"] == pytest.approx(
        numbers["append_per_second"] / numbers["append_bare_per_second"], abs=0.001
    )


def test_each_kind_is_timed(numbers: dict[str, Any]) -> None:
    kinds = numbers["mixed"]["kinds"]
    assert set(kinds) == {"append", "context", "search"}
    for found in kinds.values():
        assert 0 < found["p50"] <= found["p95"] <= found["p99"] <= found["longest"]
    assert sum(found["answers"] for found in kinds.values()) == numbers["mixed"]["answers"]


def test_the_table_judges(numbers: dict[str, Any]) -> None:
    good = measured.table(numbers | {"append_x_bare": 0.51})
    assert "ratio 0.51, target ≥ 0.5\n" in good
    bad = measured.table(numbers | {"append_x_bare": 0.49, "errors": 2, "append_errors": {"ours append: status 500": 2}})
    assert "ratio 0.49, target ≥ 0.5  MISSED" in bad
    assert "2 errors  MISSED" in bad
    assert bad.endswith("2 × ours append: status 500")


def test_a_wrong_answer_is_an_error(tmp_path: Path) -> None:
    with running(*measured.ours(tmp_path / "chat.db"), settings=OFF) as server:
        came = loaded(Order(server.url, 0.2, 2))
    assert came["answers"] > 0
    assert came["errors"] == {"append: status 404": came["answers"]}, "nobody made the sessions"


def test_a_server_that_dies_is_an_error(tmp_path: Path) -> None:
    with running(*measured.ours(tmp_path / "chat.db"), settings=OFF) as server:
        measured.prepare(server, 3)

        def die() -> None:
            time.sleep(2)
            server.process.kill()

        dying = threading.Thread(target=die)
        dying.start()
        came = loaded(Order(server.url, 20, 3))
        dying.join()
    assert sum(came["errors"].values()) == 3


def test_a_server_that_does_not_start_says_why(tmp_path: Path) -> None:
    (tmp_path / "chat.db").write_text("This is no store. " * 100)
    with pytest.raises(ConfigError, match="the server does not start"), running(*measured.ours(tmp_path / "chat.db")):
        pass
