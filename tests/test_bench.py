"""The store benchmark: correct figures, the table, and clean-up."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from benchmarks.__main__ import bench
from benchmarks.common import clock
from benchmarks.common.texts import make_sentences
from benchmarks.store import report, store
from benchmarks.store.bare_sqlite import RawMessages, RawSessions

ROOT = Path(__file__).parent.parent
KEYS = (
    "append_x_raw", "append_x_raw_fsync", "append_x_bare", "append_batch_us", "append_batch_raw_us", "last20_x_raw",
    "last20_growth", "sessions_x_raw", "open_ms", "import_ms",
)  # fmt: skip

TINY = store.StoreSizes(
    append_rounds=1, fsync_rounds=1, messages=200, sessions=1000, owners=10, read_rounds=1, megabytes=10, starts=1,
    append_messages=64, batch=100, reads=5,
)  # fmt: skip


@pytest.fixture(scope="module")
def numbers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("bench")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "QUICK", TINY)
        # A developer's own settings must not reach the stores that are measured.
        patch.setenv("KEEPSAID_KEY", "a passphrase")
        patch.setenv("KEEPSAID_TOKENIZER", "estimate")
        result = CliRunner().invoke(bench, ["store", "--quick", "--json", "--folder", str(folder)])
    assert result.exit_code == 0, result.output
    assert list(folder.iterdir()) == []
    assert result.stdout.count("\n") == 1
    return json.loads(result.stdout)


def test_every_figure_is_positive(numbers: dict[str, Any]) -> None:
    assert {key: numbers[key] for key in KEYS if not numbers[key] > 0} == {}
    assert numbers["quick"] is True
    assert numbers["open_mb"] >= TINY.megabytes


def test_ratios_equal_quotients_of_measured_times(numbers: dict[str, Any]) -> None:
    for ratio, ours, raw in (
        ("append_x_raw", "append_us", "append_raw_us"),
        ("append_x_raw_fsync", "append_fsync_us", "append_raw_fsync_us"),
        ("last20_x_raw", "last20_us", "last20_raw_us"),
        ("last20_growth", "last20_us", "last20_of_100_us"),
        ("sessions_x_raw", "sessions_us", "sessions_raw_us"),
    ):
        assert numbers[ratio] == pytest.approx(numbers[ours] / numbers[raw], rel=0.01)


def test_table_of_quick_run_shows_figures_without_verdict(numbers: dict[str, Any]) -> None:
    text = report.table(numbers)
    assert "quick" in text
    assert "MISSED" not in text
    assert f"large store of {numbers['open_mb']} MB" in text
    for line in report.LINES:
        assert f"{numbers[line.ours]:,.1f} {line.unit}" in text
    assert max(map(len, text.splitlines()[2:])) < 100


def test_table_of_full_run_marks_missed_targets(numbers: dict[str, Any]) -> None:
    fine = dict(numbers, quick=False, open_ms=1.0, import_ms=1.0, append_batch_us=9.0, append_batch_raw_us=1.0)
    fine |= dict.fromkeys(("append_x_raw", "append_x_raw_fsync", "last20_x_raw", "last20_growth", "sessions_x_raw"), 1.2)
    assert "MISSED" not in report.table(fine)
    for key, value in (("append_x_raw", 4.1), ("last20_growth", 1.4), ("open_ms", 51.0), ("append_batch_us", 11.0)):
        (missed,) = [line for line in report.table(fine | {key: value}).splitlines() if "MISSED" in line]
        assert f"{value:.2f} ×" in missed or f"{value:.1f}" in missed


def test_command_prints_table(monkeypatch: pytest.MonkeyPatch, numbers: dict[str, Any]) -> None:
    monkeypatch.setattr(store, "run", lambda **options: numbers)
    result = CliRunner().invoke(bench, ["store", "--quick"])
    assert result.stdout == report.table(numbers) + "\n"


def test_missing_folder_is_refused(tmp_path: Path) -> None:
    result = CliRunner().invoke(bench, ["store", "--quick", "--folder", str(tmp_path / "none")])
    assert result.exit_code == 2
    assert "none" in result.stderr


def test_temporary_folders_are_removed_on_failure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def break_down(here: Path, sizes: store.StoreSizes) -> store.Numbers:
        (here / "left.db").touch()
        raise RuntimeError

    monkeypatch.setattr(store, "appends", break_down)
    with pytest.raises(RuntimeError):
        store.run(quick=True, folder=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_best_times_alternates_and_keeps_shortest() -> None:
    order: list[str] = []
    naps = iter((0.02, 0.0, 0.02))

    def first() -> None:
        order.append("first")
        time.sleep(next(naps))

    shortest, second = clock.best_times(3, first, lambda: order.append("second"))
    assert order == ["first", "second"] * 3
    assert 0 < shortest < 0.02
    assert 0 < second < 0.02


def test_time_in_new_interpreter_excludes_setup() -> None:
    assert 0.05 <= clock.time_in_new_interpreter(1, "time.sleep(0.3)", "time.sleep(float(sys.argv[1]))", "0.05") < 0.3


def test_make_sentences_is_deterministic() -> None:
    many = make_sentences(200)
    assert many == make_sentences(200)
    assert len(set(many)) == 200
    assert 100 < sum(map(len, many)) / 200 < 140
    assert make_sentences(3, seed=8) != many[:3]


@pytest.mark.parametrize("bare", [False, True])
def test_raw_messages_append_and_read_last(tmp_path: Path, bare: bool) -> None:
    with closing(RawMessages(tmp_path / "raw.db", durable=True, bare=bare)) as raw:
        raw.append(["one", "two"])
        raw.append_batch(["three", "four"])
        found = raw.last(3)
    assert [(row[2], row[4]) for row in found] == [(2, "two"), (3, "three"), (4, "four")]
    ids = [row[0] for row in found]
    assert len(set(ids)) == 3
    assert all(len(id) == 32 for id in ids)


def test_raw_sessions_list_newest_of_owner(tmp_path: Path) -> None:
    with closing(RawSessions(tmp_path / "raw.db")) as raw:
        raw.fill(["a", "b", "a", "a"], ["1", "2", "3", "4"])
        assert [row[2] for row in raw.newest("a", 2)] == ["4", "3"]


def test_benchmarks_run_as_a_module():
    """The group lists its commands when it is run as a program, not only when it is called by a test."""
    command = [sys.executable, "-m", "benchmarks", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert "turns" in done.stdout, done.stderr
