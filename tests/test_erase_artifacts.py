"""Erase removes derived data: each word of an erased message that facts, summaries, labels and receipts repeat is searched
for in every byte of the store.

Many owners write in turns while notes are taken, so that pages split and rows leave copies behind. The search is first
shown to find words that are not erased.
"""

import random
from pathlib import Path

import apsw
import pytest
from test_erase import KEY, bytes_of

from keepsaid.memory import Memory
from keepsaid.ports import ArtifactChanges, ArtifactQuery, StoredReceipt
from keepsaid.storage.inmemory.storage import MemoryStorage
from keepsaid.storage.sqlite import SqliteSource, SqliteStorage
from keepsaid.storage.sqlite.erase import residue
from keepsaid.testing import ManualClock
from keepsaid.testing.conformance import COUNTER
from keepsaid.types import Artifact, PoolAccess, Scope
from keepsaid.types import ArtifactSource as Place

ALL = ("rows", "keywords", "vectors", "artifacts", "log", "pages")


def open_memory(path: Path, key: bytes | None = None, clock: ManualClock | None = None) -> Memory:
    """A memory in which nobody takes notes but the test."""
    return Memory(
        SqliteStorage(SqliteSource(path, key, durable=False)),
        MemoryStorage(),
        COUNTER,
        clock=ManualClock() if clock is None else clock,
    )


class Talks:
    """Conversations of many owners, with all that can be made of a message; each has a word that stands nowhere else."""

    def __init__(self, memory: Memory, seed: int, owners: int) -> None:
        self.memory = memory
        self.storage = memory._services.storage
        self.chance = random.Random(seed)
        self.chats = [memory.chat(owner=f"owner{number}") for number in range(owners)]
        self.said = {id(chat): [] for chat in self.chats}
        self.numbers = 0

    def turn(self, chat):
        """One message, with a fact, a tool note, a label, a receipt and, at times, a summary of all so far."""
        self.numbers += 1
        word = f"w{self.chance.getrandbits(32):08x}"
        before = self.said[id(chat)]
        message = chat.add("user", f"{word} {'filler ' * self.chance.randint(0, 40)}")
        owner, session = chat.owner, chat.id
        number = self.storage.last_position(Scope(owner)).messages
        rests, at = (Place(number, 0, 9),), self.numbers
        made = [
            Artifact(f"f{at}", "fact", f"User said fact{word} {word}", 9, at, session, rests, data={"about": f"data{word}"}),
            Artifact(f"t{at}", "tool", f"result {word} tool{word}", 9, at, session, rests),
        ]
        before.append(word)
        if len(before) % 4 == 0:
            words = " ".join(f"sum{each}" for each in before)
            made.append(Artifact(f"s{at}", "summary", words, 9, at, session, upto=message.seq))
        if len(before) == 1:
            made.append(Artifact(f"l{at}", "label", f"Talk of {word}", 9, at, session, rests, data={"tags": [f"tag{word}"]}))
        self.storage.keep_artifacts(Scope(owner), ArtifactChanges(made), 0)
        if len(before) == 1:
            chat.update(title=f"Talk of {word}", tags=[f"tag{word}"])
        given = StoredReceipt(
            f"r{at}", session, at, message.parent, f"asked{word}", f"meant{word}", f"Be brief, {owner}.", {"facts": [number]}
        )
        self.storage.keep_receipts(Scope(owner), [given])
        return chat, message, word


def fill(talks: Talks, turns: int) -> list:
    made = [talks.turn(talks.chance.choice(talks.chats)) for _ in range(turns)]
    talks.chance.shuffle(made)
    return made


@pytest.mark.parametrize("key", [None, KEY], ids=["plain", "encrypted"])
@pytest.mark.parametrize("seed", [1, 2])
def test_erase_removes_everything_derived_from_message(tmp_path: Path, key: bytes | None, seed: int) -> None:
    path = tmp_path / "store" / "chat.db"
    path.parent.mkdir()
    with open_memory(path, key) as memory:
        talks = Talks(memory, seed, owners=20)
        made = fill(talks, 500)
        data = bytes_of(path, key, tmp_path)
        missed = [word for _, _, word in made if data.count(word.encode()) < 4]
        assert not missed, f"{missed[:3]} cannot be seen: the look proves nothing"
        gone, kept = made[: 80 if key is None else 8], made[400:]
        receipts = [chat.erase(message.id) for chat, message, _ in gone]
        assert {receipt.verified for receipt in receipts} == {ALL}
        assert min(receipt.derived for receipt in receipts) >= 2
        assert memory.check().healthy
        data = bytes_of(path, key, tmp_path)
        assert [word for _, _, word in gone if word.encode() in data] == []
        assert [word for _, _, word in kept if f"fact{word}".encode() not in data] == []
        owner = talks.chats[0].owner
        assert memory.erase(owner=owner).verified == ALL
        assert memory.erase(owner=talks.chats[1].owner, session=talks.chats[1].id).verified == ALL
        assert memory.check().healthy
    data = bytes_of(path, key, tmp_path)
    theirs = [word for chat, _, word in made if chat in talks.chats[:2]]
    assert theirs
    assert [word for word in theirs if word.encode() in data] == []
    assert f"Be brief, {owner}.".encode() not in data
    assert b"Be brief, owner5." in data


def test_discarded_facts_leave_no_bytes(tmp_path: Path) -> None:
    path = tmp_path / "chat.db"
    with open_memory(path) as memory:
        talks = Talks(memory, 3, owners=20)
        made = fill(talks, 300)
        scope = Scope(talks.chats[0].owner)
        facts = memory._services.storage.artifacts(scope, ArtifactQuery("fact"))
        words = [fact.text.split()[2] for fact in facts[::2]]
        assert memory._services.storage.discard_artifacts(scope, [fact.id for fact in facts[::2]]) == len(words) > 3
        data = bytes_of(path, None, tmp_path)
        assert [word for word in words if word.encode() in data] == []
        assert [word for _, _, word in made if word.encode() not in data] == []


def test_dropped_receipts_leave_no_bytes(tmp_path: Path) -> None:
    path = tmp_path / "chat.db"
    with open_memory(path) as memory:
        made = fill(Talks(memory, 4, owners=5), 60)
        assert memory._services.storage.drop_receipts(31, 1000) == 30
        memory.maintain()
        data = bytes_of(path, None, tmp_path)
        assert sum(f"asked{word}".encode() in data for _, _, word in made) == 30


def test_retention_purge_removes_derived_data(tmp_path: Path) -> None:
    path, clock = tmp_path / "chat.db", ManualClock()
    with open_memory(path, clock=clock) as memory:
        talks = Talks(memory, 5, owners=1)
        made = fill(talks, 40)
        talks.chats[0].delete()
        clock.advance(days=31)
        assert memory.retention(dry_run=False).purged == 1
    data = bytes_of(path, None, tmp_path)
    assert [word for _, _, word in made if word.encode() in data] == []


def test_erase_author_removes_their_receipts_from_pool(tmp_path: Path) -> None:
    path = tmp_path / "chat.db"
    with open_memory(path) as memory:
        team = memory.create_pool("team", owner="ann")
        memory.grant(team, to="bob", by="ann", access=PoolAccess.WRITE)
        chat = memory.chat(owner="ann", pool=team, session="s", create=True)
        chat.add("user", "shared by everybody")
        for owner in ("ann", "bob"):
            given = StoredReceipt(owner, "s", 1, 1, f"asked-by-{owner}", None, f"prompt-of-{owner}", {})
            memory._services.storage.keep_receipts(Scope(owner, None, team), [given])
        mine = memory.chat(owner="bob", pool=team, session="s").add("user", "bob's own words")
        fact = Artifact("f", "fact", "The secret of bob", 4, 1, "s", (Place(2, 0, 5),))
        memory._services.storage.keep_artifacts(Scope("ann", None, team), ArtifactChanges([fact]), 0)
        assert mine.author == "bob"
        assert memory.erase(owner="bob").verified == ALL
        assert memory.check().healthy
    data = bytes_of(path, None, tmp_path)
    left = [text for text in ("asked-by-bob", "prompt-of-bob", "secret of bob", "own words") if text.encode() in data]
    assert left == []
    assert all(text.encode() in data for text in ("asked-by-ann", "prompt-of-ann", "shared by everybody"))


@pytest.mark.parametrize("owner", [1, 2, 127, 128, 40_000, 9_000_000, 2**31 - 1])
@pytest.mark.parametrize("word", ["tea", "lisbon", "東京", "w" * 57, "w" * 64])
def test_row_signatures_match_whole_and_damaged_rows(tmp_path: Path, owner: int, word: str) -> None:
    """The signatures match the whole row, the row with its front overwritten, and the row with its rear overwritten."""
    path, rid = tmp_path / "chat.db", owner << 32 | 5
    db = apsw.Connection(str(path))
    db.execute("CREATE TABLE t (owner INT, term TEXT, artifact INT, PRIMARY KEY (owner, term, artifact)) WITHOUT ROWID")
    db.execute("INSERT INTO t VALUES (?, ?, ?)", (owner, word, rid))
    db.close()
    data, pieces = path.read_bytes(), set(residue.row_signatures(owner, word, rid))
    assert pieces
    assert all(piece in data for piece in pieces)
    at = data.find(word.encode())
    for start, end in ((0, at), (at + len(word.encode()), len(data))):
        damaged = data[:start] + bytes(end - start) + data[end:]
        assert any(piece in damaged for piece in pieces)
