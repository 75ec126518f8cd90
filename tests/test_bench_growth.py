"""The growth benchmark: stores of growing size, and figures of every call."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import keepsaid
from benchmarks.__main__ import bench
from benchmarks.growth import growing_store, growth, growth_calls, growth_table
from benchmarks.search import search
from keepsaid import wiring
from keepsaid.config import load
from keepsaid.embed.callable import CallableEmbedder
from keepsaid.ports import VectorMark
from keepsaid.types import Scope

CALLS = ("save_ms", "last_ms", "search_ms", "prompt_ms")


def letters(many: Sequence[str]) -> list[list[float]]:
    return [[1.0 + text.lower().count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in many]


EMBEDDER = CallableEmbedder("letters/1", letters)


def tell(what: str, done: int, total: int) -> None:
    pass


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few calls, in this process, with an embedder that needs no model."""
    for module, name, value in (
        (search, "QUESTIONS", 3), (search, "ROUNDS", 1), (growth_calls, "ROUNDS", 1), (growth_calls, "SAVES", 3),
        (growth_calls, "READS", 3), (growth_calls, "PROMPTS", 2), (growth_calls, "CALLS", 3),
        (growing_store, "NOTED", 50), (growing_store, "LONGEST", 100),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, value)
    monkeypatch.setattr(growth, "embedder_for", lambda spec: EMBEDDER)

    def measure(function: Any, spec: str, path: Path, tell: Any, size: int, *options: Any) -> Any:
        return growth.run_measurement(function, spec, path, size, *options)

    monkeypatch.setattr(growth, "measure", measure)


def test_all_parts_are_measured(tmp_path: Path) -> None:
    sizes = growth.GrowthSizes((60, 130), (2, 3), active=((3, 40),), texts=20)
    numbers = growth.run("letters", sizes, folder=tmp_path)
    for part, keys in (("messages", ["60", "130"]), ("owners", ["2", "3"])):
        assert list(numbers[part]) == keys
        for step in numbers[part].values():
            assert all(value > 0 for name in CALLS for value in step[name].values())
            assert step["index"] > 0
    assert list(numbers["active"]) == ["3 40 512", "3 40 128"]
    assert not list(tmp_path.glob("growth-*"))
    json.dumps(numbers)
    shown = growth_table.table(numbers)
    assert all(title in shown for title in ("messages of one owner", "owners of 5 messages", "active owners"))
    assert growth_table.chart(numbers).count("<rect") == 4 * 2 * 2


def test_store_can_be_used_again_after_saves(tmp_path: Path) -> None:
    pool = growing_store.embed_pool(tmp_path, EMBEDDER, tell, 20)
    for _ in range(2):
        path = growing_store.build_message_store(tmp_path, EMBEDDER, (130,), pool, tell)
        growth_calls.measure_owner(path, EMBEDDER, 130, pool.texts)
    with keepsaid.open(path, embedder=EMBEDDER, background=False) as memory:
        assert memory.position(owner="owner-of-130").messages == 130 + 2 * 3
        sizes = {session.id: session.message_count for session in memory.sessions(owner="owner-of-130")}
    assert sizes == {growing_store.TALK: 50 + 6, "s1": 50, "s2": 30}


def test_copies_have_the_messages_and_vectors_of_the_first_owner(tmp_path: Path) -> None:
    pool = growing_store.embed_pool(tmp_path, EMBEDDER, tell, 20)
    path = growing_store.build_active_store(tmp_path, EMBEDDER, 3, 40, pool, tell)
    growing_store.build_active_store(tmp_path, EMBEDDER, 4, 40, pool, tell)
    with keepsaid.open(path, embedder=EMBEDDER, background=False) as memory:
        first, *others = [memory.chat(owner=f"owner-{number}", session="talk").messages() for number in range(3)]
        assert len(first) == 40
        assert all([one.text for one in other] == [one.text for one in first] for other in others)
        assert memory.search("what", owner="owner-2", mode="meaning")
    with closing(wiring.open_storage(load({"url": str(path)}, {}))) as storage:
        vectors = [storage.vectors(Scope(f"owner-{number}"), EMBEDDER.name, VectorMark()).vectors for number in range(3)]
    assert vectors[0] == vectors[1] == vectors[2]
    assert len(vectors[0]) == 40


def test_headline_says_whether_target_is_missed() -> None:
    found = {
        "p50": 40.0,
        "p95": 61.0,
        "p50_without_model": 30.0,
        "p95_without_model": 50.0,
        "p50_bare": 15.0,
        "p95_bare": 20.0,
    }
    step = {"own": 9 << 20, "grown": 5 << 20, "mapped": 1, "index": 1, "first_search_ms": 3.0, "search_ms": found}
    step |= {name: {"p50": 1.0, "p95": 2.0} for name in ("save_ms", "last_ms", "prompt_ms")}
    shown = growth_table.table({"embedder": "x", "messages": {"1000000": step}})
    assert "search p95 61.0 ms, with the model (≤ 60, MISSED), 2.0 × the bare reference;\nmemory 9 MB, 5 of them" in shown


def test_growth_command_prints_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growth, "GrowthSizes", partial(growth.GrowthSizes, texts=20))
    result = CliRunner().invoke(bench, ["growth", "--messages", "60", "--only", "messages", "--folder", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert "save a message" in result.output
