"""A process killed during ingestion leaves the complete new document or the complete previous one, never a part."""

from __future__ import annotations

import random
import time
from pathlib import Path

from keepsaid.memory import Memory
from keepsaid.services.documents.document_store import AT_ONCE
from keepsaid.storage.sqlite import SqliteSource
from keepsaid.types import ReadWindow, Scope, SessionQuery

from .ingester import PARAGRAPHS, version
from .rig import over, start


def found_versions(memory: Memory) -> set[str]:
    """The versions found by searches for the beginning, the middle and the end of the text."""
    asked = ["quick brown fox", *(f"p{paragraph}q" for paragraph in (0, PARAGRAPHS // 2, PARAGRAPHS - 1))]
    hits = [hit for words in asked for hit in memory.search_documents(words, owner="u1", limit=50, min_score=0.0)]
    return {hit.message.text.partition("p")[0] for hit in hits}


def test_killed_ingest_leaves_one_complete_version(tmp_path: Path) -> None:
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
        with over(SqliteSource(path)) as memory:
            there = whole_version(memory)
            assert told <= there <= begun, "what was said to be done is there"
            assert found_versions(memory) == ({f"v{there}"} if there else set())
            assert memory.check().healthy
            shelf = memory._services.storage.list_sessions(Scope("u1", documents=True), SessionQuery(limit=99))  # pyright: ignore[reportPrivateUsage]
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
    chunks = memory._services.storage.read(Scope("u1", document.id, documents=True), ReadWindow())  # pyright: ignore[reportPrivateUsage]
    number = int(chunks[0].text[1:].partition("p")[0])
    assert " ".join(chunk.text for chunk in chunks).split() == version(number).split()
    return number
