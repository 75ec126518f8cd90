"""The search benchmark: a synthetic store that is complete and resumable, and correct figures."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import keepsaid
from benchmarks.__main__ import bench
from benchmarks.common import texts
from benchmarks.search import haystack, search
from keepsaid import wiring
from keepsaid.config import load
from keepsaid.embed.callable import CallableEmbedder
from keepsaid.errors import InvalidInput
from keepsaid.types import Scope, SearchFilters

KINDS = "", "_without_model", "_words", "_bare", "_bare_words"
SIZES = haystack.HaystackSizes((60, 130), owners=4, texts=20)


def letters(many: Sequence[str]) -> list[list[float]]:
    return [[1.0 + text.lower().count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in many]


EMBEDDER = CallableEmbedder("letters/1", letters)


@pytest.fixture
def few_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "QUESTIONS", 5)
    monkeypatch.setattr(search, "ROUNDS", 1)


def test_every_message_has_vectors_of_its_text(tmp_path: Path) -> None:
    path = haystack.build_store(tmp_path, EMBEDDER, SIZES, lambda what, done, total: None)
    storage = wiring.open_storage(load({"url": str(path)}, {}))
    with closing(storage):
        coverage = storage.coverage(EMBEDDER.name)
        assert coverage.embedded == coverage.messages == SIZES.total == 60 + 130 + 2 * haystack.SMALL
        scope = Scope("owner-of-60")
        seen = {seen.number: seen.message for seen in storage.look(scope, storage.numbers(scope, SearchFilters()))}
        pool = texts.make_passages(SIZES.texts)
        found = storage.passages(scope, EMBEDDER.name, sorted(seen))
        assert {passage.number for passage in found} == set(seen)
        for passage in found:
            origin = pool[int(seen[passage.number].id.partition("-")[2])]
            text = seen[passage.number].text
            assert 0 <= passage.start < passage.end <= len(text)
            same = sum(here == there for here, there in zip(text.split(), origin.split(), strict=True))
            assert same >= 0.5 * len(origin.split())
        assert len({passage.vector for passage in found}) == len(found)


def test_interrupted_build_can_be_resumed(tmp_path: Path) -> None:
    def stop(at: str) -> Any:
        def tell(what: str, done: int, total: int) -> None:
            if what == at:
                raise KeyboardInterrupt

        return tell

    for step in ("saving owners", "storing vectors"):
        with pytest.raises(KeyboardInterrupt):
            haystack.build_store(tmp_path, EMBEDDER, SIZES, stop(step))
    path = haystack.build_store(tmp_path, EMBEDDER, SIZES, lambda what, done, total: None)
    with keepsaid.open(path, embedder=EMBEDDER) as memory:
        sizes = [sum(s.message_count for s in memory.sessions(owner=haystack.owner_with(size))) for size in SIZES.messages]
    assert sizes == list(SIZES.messages)


@pytest.mark.usefixtures("few_questions")
def test_every_size_is_measured(tmp_path: Path) -> None:
    numbers = search.run(EMBEDDER, SIZES, folder=tmp_path)
    assert (numbers["owners"], numbers["messages"], numbers["embedder"]) == (4, SIZES.total, "letters/1")
    for size in ("60", "130"):
        for kind in ("", "_without_model", "_words"):
            assert 0 < numbers[size][f"p50{kind}"] <= numbers[size][f"p95{kind}"]
    json.dumps(numbers)


def test_replaying_embedder_reuses_vectors_of_known_questions() -> None:
    asked: list[str] = []
    inner = CallableEmbedder("letters/1", letters, lambda many: asked.extend(many) or letters(many))
    embedder = search.ReplayingEmbedder(inner)
    first = embedder.embed(["Where?"], asking=True)
    embedder.from_memory = True
    assert embedder.embed(["Where?"], asking=True) is first
    embedder.embed(["Who?"], asking=True)
    embedder.embed(["Where?"])
    assert asked == ["Where?", "Who?"]
    embedder.from_memory = False
    embedder.embed(["Where?"], asking=True)
    assert asked == ["Where?", "Who?", "Where?"]


def test_table_marks_missed_targets() -> None:
    numbers = {f"p{share}{kind}": 3.0 for share in (50, 95) for kind in KINDS}
    shown = {"owners": 1000, "messages": 5, "embedder": "x", "10000": numbers, "77": numbers}
    assert "MISSED" not in search.table(shown)
    slow = search.table({**shown, "10000": {**numbers, "p95_without_model": 8.1}})
    (missed,) = [line for line in slow.splitlines() if "MISSED" in line]
    assert missed.split() == ["…", "without", "the", "model", "3.0", "8.1", "≤", "8", "MISSED"]
    assert "1.0 × the bare reference, by words 1.0 ×" in slow


def test_made_passages_resemble_real_messages() -> None:
    many = texts.make_passages(1500)
    lengths = sorted(len(text.split()) for text in many)
    assert (lengths[0], lengths[-1]) == (5, 250)
    assert 15 < lengths[750] < 40
    words = [word.strip(".").lower() for text in many for word in text.split()]
    # A few words are everywhere, and many are rare, as in any language.
    assert 0.02 < words.count("the") / len(words) < 0.08
    assert len(set(words)) > 5000
    assert len(set(many)) == 1500


def test_more_sizes_than_owners_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="2 sizes need as many owners, not 1"):
        search.run(EMBEDDER, haystack.HaystackSizes((60, 130), owners=1), folder=tmp_path)


def test_search_command_without_model_names_pull_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    result = CliRunner().invoke(bench, ["search", "--messages", "10", "--owners", "1"])
    assert result.exit_code == 2
    assert "keepsaid model pull" in result.stderr
