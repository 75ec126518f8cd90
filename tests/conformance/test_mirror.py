"""A storage over a ledger passes what every storage must pass: here over the ledger that is only in memory."""

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from turns import Turns

from recollect.ports import Storage
from recollect.storage.mirror.memory import MemoryLedger, MemoryPlace
from recollect.storage.mirror.storage import MirrorStorage
from recollect.storage.sqlite import keywords
from recollect.testing import ArtifactConformance, IndexConformance, StorageConformance, lifecycles_match


class TestMirrorStorage(StorageConformance):
    @pytest.fixture
    def place(self) -> MemoryPlace:
        return MemoryPlace()

    @pytest.fixture
    def storage(self, place: MemoryPlace) -> Iterator[Storage]:
        with closing(MirrorStorage(MemoryLedger(place))) as storage:
            yield storage


class TestMirrorVectors(IndexConformance):
    place = TestMirrorStorage.place
    storage = TestMirrorStorage.storage

    @pytest.fixture
    def second(self, place: MemoryPlace) -> Iterator[Storage]:
        with closing(MirrorStorage(MemoryLedger(place))) as second:
            yield second


class TestMirrorArtifacts(ArtifactConformance):
    place = TestMirrorStorage.place
    storage = TestMirrorStorage.storage


@pytest.mark.parametrize("examples", [4, pytest.param(1000, marks=pytest.mark.long)])
def test_lifecycles(monkeypatch: pytest.MonkeyPatch, examples: int) -> None:
    monkeypatch.setattr(keywords, "TAIL", 4)  # so that short histories reach the index, too
    lifecycles_match(lambda: MirrorStorage(MemoryLedger()), examples=examples, steps=40)


@pytest.mark.parametrize("log", [1000, 1], ids=["by what changed", "all anew"])
@pytest.mark.parametrize("examples", [6, pytest.param(500, marks=pytest.mark.long)])
def test_processes_that_take_turns_see_the_same(monkeypatch: pytest.MonkeyPatch, examples: int, log: int) -> None:
    monkeypatch.setattr(keywords, "TAIL", 4)

    def two() -> Any:
        place = MemoryPlace()
        return Turns(*(MirrorStorage(MemoryLedger(place, log)) for _ in range(2)))

    lifecycles_match(two, examples=examples, steps=40)
