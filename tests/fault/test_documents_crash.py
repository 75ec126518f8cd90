"""A program that is killed while it ingests: afterwards the whole document is there, or the one before it, never a part."""

from __future__ import annotations

import random
import time
from pathlib import Path

from recollect.documents import AT_ONCE
from recollect.memory import Memory
from recollect.storage.sqlite import Source
from recollect.types import Scope, SessionQuery, Window

from .ingester import PARAGRAPHS, version
from .rig import over, start


def found_versions(memory: Memory) -> set[str]:
    """The versions that any search comes up with: of the beginning, the middle and the end of the text."""
    asked = ["quick brown fox", *(f"p{paragraph}q" for paragraph in (0, PARAGRAPHS // 2, PARAGRAPHS - 1))]
    hits = [hit for words in asked for hit in memory.search_documents(words, owner="u1", limit=50, min_score=0.0)]
    return {hit.message.text.partition("p")[0] for hit in hits}


def test_killed_while_ingesting(tmp_path: Path) -> None:
    path, chance, told, begun, halves = tmp_path / "chat.db", random.Random(), 0, 0, 0
    for moment in ("begun", "stored 0", "stored 500", "stored 1000", "stored 1200", "done", "stored 500", "done"):
        with start("ingester", path, begun + 1) as child:
            assert child.stdout is not None
            lines = [child.stdout.readline()]
            while not lines[-1].startswith(moment):
                lines.append(child.stdout.readline())
            time.sleep(chance.uniform(0.0, 0.02))
            child.kill()
            lines += child.stdout
        assert child.returncode == -9, "the child ended by itself"
        begun = max(int(line.split()[1]) for line in lines if line.startswith("begun"))
        told = max([told, *(int(line.split()[1]) for line in lines if line.startswith("done"))])
        with over(Source(path)) as memory:
            there = whole_version(memory)
            assert told <= there <= begun, "what was said to be done is there"
            assert found_versions(memory) == ({f"v{there}"} if there else set())
            assert memory.check().healthy
            shelf = memory._storage.list_sessions(Scope("u1", shelf=True), SessionQuery(limit=99))  # pyright: ignore[reportPrivateUsage]
            halves = max(halves, sum(session.metadata["placed"] is False for session in shelf))
    assert told, "no version was ever finished: this proves little"
    assert halves, "nobody was killed in the middle: this proves nothing"


def whole_version(memory: Memory) -> int:
    """The number of the version that is there, which must be whole; 0 if there is none."""
    documents = memory.documents(owner="u1")
    if not documents:
        return 0
    (document,) = documents
    assert document.chunks > 2 * AT_ONCE
    chunks = memory._storage.read(Scope("u1", document.id, shelf=True), Window())  # pyright: ignore[reportPrivateUsage]
    number = int(chunks[0].text[1:].partition("p")[0])
    assert " ".join(chunk.text for chunk in chunks).split() == version(number).split()
    return number
