"""Erased means gone, also from what was made of it: every word of a message that its facts, summaries, labels and receipts
repeat is looked for in every byte of the store, once the message is erased.

Many owners write in turns and are taken notes of all the while, so that pages split and rows leave copies behind. The look
is first shown to find what was not erased.
"""

import random
from pathlib import Path

import apsw
import pytest
from test_erase import KEY, bytes_of

from recollect.memory import Memory
from recollect.ports import ArtifactQuery, Settled, StoredReceipt
from recollect.storage.memory import MemoryStorage
from recollect.storage.sqlite import Source, SqliteStorage, residue
from recollect.testing import HandClock
from recollect.testing.conformance import COUNTER
from recollect.types import Access, Artifact, Scope
from recollect.types import Source as Place

ALL = ("rows", "keywords", "vectors", "artifacts", "log", "pages")


def opened(path: Path, key: bytes | None = None, clock: HandClock | None = None) -> Memory:
    """A memory in which nobody takes notes but the test."""
    return Memory(
        SqliteStorage(Source(path, key, durable=False)),
        MemoryStorage(),
        COUNTER,
        clock=HandClock() if clock is None else clock,
    )


class Talks:
    """Conversations of many owners, with all that can be made of a message; each has a word that stands nowhere else."""

    def __init__(self, memory: Memory, seed: int, owners: int) -> None:
        self.memory = memory
        self.storage = memory._storage
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
        number = self.storage.last_mark(Scope(owner)).messages
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
        self.storage.keep_artifacts(Scope(owner), Settled(made), 0)
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
def test_nothing_made_of_an_erased_message_is_left(tmp_path: Path, key: bytes | None, seed: int) -> None:
    path = tmp_path / "store" / "chat.db"
    path.parent.mkdir()
    with opened(path, key) as memory:
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


def test_a_discarded_fact_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "chat.db"
    with opened(path) as memory:
        talks = Talks(memory, 3, owners=20)
        made = fill(talks, 300)
        scope = Scope(talks.chats[0].owner)
        facts = memory._storage.artifacts(scope, ArtifactQuery("fact"))
        words = [fact.text.split()[2] for fact in facts[::2]]
        assert memory._storage.discard_artifacts(scope, [fact.id for fact in facts[::2]]) == len(words) > 3
        data = bytes_of(path, None, tmp_path)
        assert [word for word in words if word.encode() in data] == []
        assert [word for _, _, word in made if word.encode() not in data] == []


def test_receipts_past_their_time_are_gone(tmp_path: Path) -> None:
    path = tmp_path / "chat.db"
    with opened(path) as memory:
        made = fill(Talks(memory, 4, owners=5), 60)
        assert memory._storage.drop_receipts(31, 1000) == 30
        memory.maintain()
        data = bytes_of(path, None, tmp_path)
        assert sum(f"asked{word}".encode() in data for _, _, word in made) == 30


def test_purged_by_retention_is_gone_too(tmp_path: Path) -> None:
    path, clock = tmp_path / "chat.db", HandClock()
    with opened(path, clock=clock) as memory:
        talks = Talks(memory, 5, owners=1)
        made = fill(talks, 40)
        talks.chats[0].delete()
        clock.turn(days=31)
        assert memory.retention(dry_run=False).purged == 1
    data = bytes_of(path, None, tmp_path)
    assert [word for _, _, word in made if word.encode() in data] == []


def test_an_author_takes_his_receipts_out_of_a_pool(tmp_path: Path) -> None:
    path = tmp_path / "chat.db"
    with opened(path) as memory:
        team = memory.create_pool("team", owner="ann")
        memory.grant(team, to="bob", by="ann", access=Access.WRITE)
        chat = memory.chat(owner="ann", pool=team, session="s", create=True)
        chat.add("user", "shared by everybody")
        for owner in ("ann", "bob"):
            given = StoredReceipt(owner, "s", 1, 1, f"asked-by-{owner}", None, f"prompt-of-{owner}", {})
            memory._storage.keep_receipts(Scope(owner, None, team), [given])
        mine = memory.chat(owner="bob", pool=team, session="s").add("user", "bob's own words")
        fact = Artifact("f", "fact", "The secret of bob", 4, 1, "s", (Place(2, 0, 5),))
        memory._storage.keep_artifacts(Scope("ann", None, team), Settled([fact]), 0)
        assert mine.author == "bob"
        assert memory.erase(owner="bob").verified == ALL
        assert memory.check().healthy
    data = bytes_of(path, None, tmp_path)
    left = [text for text in ("asked-by-bob", "prompt-of-bob", "secret of bob", "own words") if text.encode() in data]
    assert left == []
    assert all(text.encode() in data for text in ("asked-by-ann", "prompt-of-ann", "shared by everybody"))


@pytest.mark.parametrize("owner", [1, 2, 127, 128, 40_000, 9_000_000, 2**31 - 1])
@pytest.mark.parametrize("word", ["tea", "lisbon", "東京", "w" * 57, "w" * 64])
def test_pieces_of_words_are_as_they_are_stored(tmp_path: Path, owner: int, word: str) -> None:
    """With both ends of the row, with the front overwritten, and with the rear overwritten."""
    path, rid = tmp_path / "chat.db", owner << 32 | 5
    db = apsw.Connection(str(path))
    db.execute("CREATE TABLE t (owner INT, term TEXT, artifact INT, PRIMARY KEY (owner, term, artifact)) WITHOUT ROWID")
    db.execute("INSERT INTO t VALUES (?, ?, ?)", (owner, word, rid))
    db.close()
    data, pieces = path.read_bytes(), set(residue.row_pieces(owner, word, rid))
    assert pieces
    assert all(piece in data for piece in pieces)
    at = data.find(word.encode())
    for start, end in ((0, at), (at + len(word.encode()), len(data))):
        damaged = data[:start] + bytes(end - start) + data[end:]
        assert any(piece in damaged for piece in pieces)
