"""The comparison with other libraries: our own driver, what a run reports, and its tables and chart."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from benchmarks.__main__ import bench
from benchmarks.peers import conversation, measure, table
from benchmarks.peers.driver import LIBRARIES, PeerLibrary
from benchmarks.peers.drivers.keepsaid import KeepsaidDriver
from keepsaid.testing import HashEmbedder

SIZES = conversation.PeerSizes(
    messages=60, sessions=25, questions=2, texts=10, batch=30, rounds=1, seconds=0.001, most_calls=3
)
OURS, RAW = LIBRARIES[:2]
ABSENT = PeerLibrary("Absent", "absent:Driver", ("absent",))


def quiet(what: str, done: int, total: int) -> None:
    """Report nothing."""


@pytest.fixture(scope="module")
def numbers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("peers")
    return measure.run(HashEmbedder(), SIZES, libraries=[OURS, RAW, ABSENT], folder=folder)


def library(title: str, messages: int = 10_000, **seconds: float) -> dict[str, Any]:
    return {"title": title, "version": "1.0", "prompt": "", "messages": messages, "seconds": seconds}


def comparison(*libraries: dict[str, Any]) -> dict[str, Any]:
    ours = library("Keepsaid", **{operation: 0.001 for operation, _, _ in table.COLUMNS})
    return {
        "messages": 10_000, "sessions": 1_000, "python": "3.11", "cores": 2, "sqlite": {"ours": "3.54", "theirs": "3.40"},
        "libraries": [ours, *libraries], "missing": {"Absent": "absent is not installed"},
    }  # fmt: skip


def test_our_driver_returns_what_was_saved(tmp_path: Path) -> None:
    data = conversation.make_data(tmp_path, HashEmbedder(), SIZES, quiet)
    driver = KeepsaidDriver(tmp_path, data.vectors)
    driver.add_sessions(data.titles)
    driver.save(data.messages)
    driver.prepare()
    texts = [message.text for message in data.messages]
    assert driver.last(20) == texts[-20:]
    fitting = driver.newest_fitting(500)
    assert 0 < len(fitting) < len(texts)
    assert fitting == texts[-len(fitting) :]
    assert len(set(driver.newest_sessions(20))) == 20
    assert set(driver.search(texts[7])) <= set(texts)
    assert texts[7] in driver.search(texts[7])
    assert driver.prompt("What did I say?")[-1]["content"].endswith("What did I say?")
    driver.save(data.later[:1])
    assert driver.last(1) == [data.later[0].text]
    driver.close()


def test_every_message_has_a_vector_of_its_own(tmp_path: Path) -> None:
    data = conversation.make_data(tmp_path, HashEmbedder(), SIZES, quiet)
    texts = [message.text for message in [*data.messages, *data.later]]
    assert len({tuple(vector) for vector in data.vectors.vectors(texts)}) == len(set(texts))
    assert data.vectors.vector("never said") == data.vectors.vector("never said")
    assert len(data.vectors.vector("never said")) == data.vectors.dimensions == 64


def test_run_measures_every_operation_of_installed_libraries(numbers: dict[str, Any]) -> None:
    ours, raw = numbers["libraries"]
    assert set(ours["seconds"]) == {operation for operation, _, _ in table.COLUMNS}
    assert set(raw["seconds"]) == {"save", "save_batch", "last", "newest_sessions"}
    assert all(seconds > 0 for one in (ours, raw) for seconds in one["seconds"].values())
    assert numbers["missing"] == {"Absent": "benchmarks.peers.drivers.absent is not installed"}


def test_failing_library_is_left_out(tmp_path: Path) -> None:
    data = conversation.make_data(tmp_path, HashEmbedder(), SIZES, quiet)

    class ForgetfulDriver:
        def save(self, messages: object) -> None:
            pass

        def last(self, count: int) -> list[str]:
            return []

        def close(self) -> None:
            pass

    run = measure.PeerRun(PeerLibrary("Forgetful", "", ("forgetful",)), ForgetfulDriver())
    measure.fill([run], data, SIZES, quiet)
    assert set(run.seconds) == {"save_batch"}
    measure.measure_operation([run], "last", data, SIZES, quiet)
    assert run.failure == "failed: ValueError: last did not return the end of the conversation"
    assert run.seconds == {}


def test_table_shows_ratios_and_who_is_faster() -> None:
    text = table.table(comparison(library("Fast", save=0.0005, last=0.012), library("Short", messages=2_000, search=1.5)))
    lines = text.splitlines()
    (fast,) = [line for line in lines if line.startswith("Fast") and "12" in line]
    assert fast.split() == ["Fast", "0.50", "–", "12", "–", "–", "–", "–"]
    assert any(line.startswith("Short (2,000)") and "1,500" in line for line in lines)
    assert lines[lines.index("faster than Keepsaid") + 1] == "  Fast: save one"
    assert "left out: Absent: absent is not installed" in lines
    assert max(map(len, lines)) < 140


def test_markdown_table_marks_who_is_faster() -> None:
    lines = table.markdown_table(comparison(library("Fast", save=0.0005, last=0.012))).splitlines()
    assert len(lines) == 4
    assert lines[3] == "| Fast | **0.50** | – | 12 | – | – | – | – |"


def test_chart_draws_the_fastest_as_hundred() -> None:
    drawn = table.chart(comparison(library("Fast", save=0.0005)))
    assert drawn.count("<rect") == len(table.COLUMNS) + 1
    assert ">Fast</text>" in drawn
    assert ">50.0</text>" in drawn


def test_command_prints_table(monkeypatch: pytest.MonkeyPatch) -> None:
    found = comparison(library("Fast", save=0.0005))
    monkeypatch.setattr(measure, "run", lambda *arguments, **options: found)
    monkeypatch.setattr("keepsaid.embed.embedder_for", lambda spec: HashEmbedder())
    result = CliRunner().invoke(bench, ["peers", "--quick"])
    assert result.stdout == table.table(found) + "\n"
    assert json.loads(CliRunner().invoke(bench, ["peers", "--json"]).stdout)["missing"] == found["missing"]
