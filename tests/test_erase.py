"""Erase removes every byte: canaries among 50,000 messages are erased, then searched for in files, index and rows.

Each kind of search is first shown to find a canary that is not erased.
"""

import random
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
from page_gaps import read_in_another_process

import keepsaid
from keepsaid.storage.sqlite import SqliteSource
from keepsaid.storage.sqlite.connection.source import connect, format_key
from keepsaid.storage.sqlite.erase import erasure, residue
from keepsaid.testing import HashEmbedder
from keepsaid.testing.index_conformance import embed_waiting, pack_vector
from keepsaid.types import Scope

MESSAGES = 50_000
OWNERS = 25
KEY = bytes(range(32))
WORDS = (
    "harbour lantern copper willow meadow thunder biscuit ribbon marble velvet cinder orchard pebble saddle timber "
    "walnut anchor basket candle dragon"
).split()


def canary(number: int) -> str:
    """A word that stands nowhere else, and whose beginning does not either."""
    return f"{chr(97 + number % 26)}{number * 7919 % 10007:05d}canary{number:05d}q"


def plant(path: Path, key: bytes | None) -> dict[str, tuple[str, str, str]]:
    """Fills a store; returns every canary with its owner, session and message."""
    planted = {}
    with keepsaid.open(path, key=key, durable=False, background=False) as memory:
        for number in range(MESSAGES // 250):
            owner = f"owner{number % OWNERS}"
            chat = memory.chat(
                owner=owner, session=f"session{number}", create=True, title=f"Talk {canary(900_000 + number)}"
            )
            drafts = []
            for index in range(250):
                words = " ".join(WORDS[(number * index + step) % len(WORDS)] for step in range(index % 18 + 3))
                drafts.append({"role": "user", "content": words, "metadata": {"n": index}})
            for nth, index in enumerate((3, 60, 249)):
                word = canary(number * 10 + nth)
                drafts[index] = {
                    "role": "user",
                    "content": f"{drafts[index]['content']} {word} and so on",
                    "metadata": {"note": f"meta-{word}"},
                    "tool_calls": [{"id": f"call-{word}", "name": "look", "arguments": f'{{"q": "{word}"}}'}],
                    "id": f"id-{word}",
                }
                planted[word] = (owner, chat.id, f"id-{word}")
            chat.add_many(drafts)
            # Some branches, and some pages filled by single appends, so that canaries move about.
            chat.edit(drafts[3]["id"], "edited")
            chat.switch(chat.branches()[0].leaf or "")
    return planted


def bytes_of(path: Path, key: bytes | None, scratch: Path) -> bytes:
    """Every byte of every file of the store; of an encrypted one, its decrypted pages as well."""
    files = sorted(path.parent.glob(path.name + "*"))
    data = b"".join(map(read_in_another_process, files))
    if key is None:
        return data
    copy = scratch / "decrypted.db"
    for file in files:
        (scratch / file.name.replace(path.name, copy.name)).write_bytes(read_in_another_process(file))
    db = apsw.Connection(str(copy))
    db.pragma("key", format_key(key))
    db.pragma("journal_mode", "delete")
    db.execute("PRAGMA rekey = ''")  # decrypts page by page, slack included
    db.close()
    plain = copy.read_bytes()
    assert plain.startswith(b"SQLite format 3")
    return data + plain


def in_bytes(path: Path, key: bytes | None, scratch: Path) -> Callable[[str], bool]:
    data = bytes_of(path, key, scratch)
    return lambda word: word.encode() in data


def in_vocabulary(path: Path, key: bytes | None, scratch: Path) -> Callable[[str], bool]:
    db = connect(SqliteSource(path, key))
    terms = {term for (term,) in db.execute("SELECT term FROM vocabulary")}
    signposts = b" ".join(
        bytes(t if isinstance(t, bytes) else t.encode()) for (t,) in db.execute("SELECT term FROM keywords_idx")
    )
    db.close()
    # A signpost may hold only the beginning of a word.
    return lambda word: any(term.endswith(word) for term in terms) or word[:9].encode() in signposts


def in_rows(path: Path, key: bytes | None, scratch: Path) -> Callable[[str], bool]:
    db = connect(SqliteSource(path, key))
    tables = [name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql IS NOT NULL")]
    shadows = ("keywords", "vocabulary")
    text = "\n".join(
        str(row) for table in tables if not table.startswith(shadows) for row in db.execute(f"SELECT * FROM {table}")
    )
    db.close()
    return lambda word: word in text


LOOKS = (in_bytes, in_vocabulary, in_rows)


@pytest.mark.parametrize("key", [None, KEY], ids=["plain", "encrypted"])
def test_erase_leaves_no_bytes_index_terms_or_rows(tmp_path: Path, key: bytes | None) -> None:
    path = tmp_path / "store" / "chat.db"
    path.parent.mkdir()
    planted = plant(path, key)
    for look in LOOKS:
        sees = look(path, key, tmp_path)
        missed = [word for word in planted if not sees(word)]
        assert not missed, f"{look.__name__} cannot see {missed[:3]} of {len(missed)}: it proves nothing"

    erased, kept = erase_some(path, key, planted)
    for look in LOOKS:
        sees = look(path, key, tmp_path)
        assert not [word for word in erased if sees(word)], look.__name__
        assert not [word for word in kept if not sees(word)], look.__name__


def erase_some(path: Path, key: bytes | None, planted: dict[str, tuple[str, str, str]]) -> tuple[list[str], list[str]]:
    """Erases one owner whole, one session of another, and single messages of a third."""
    with keepsaid.open(path, key=key, background=False) as memory:
        assert memory.check().healthy
        receipts = [memory.erase(owner="owner0"), memory.erase(owner="owner1", session="session1")]
        single = [word for word, (owner, _, _) in planted.items() if owner == "owner2"][::2]
        for word in single:
            owner, session, message = planted[word]
            receipts.append(memory.erase(owner=owner, session=session, message=message))
        assert not [receipt for receipt in receipts if receipt.pending]
        everywhere = {"rows", "keywords", "vectors", "artifacts", "log", "pages"}
        assert all(set(receipt.verified) == everywhere for receipt in receipts)
        assert memory.check().healthy
        erased = [w for w, (owner, session, _) in planted.items() if owner == "owner0" or session == "session1"] + single
        erased += [canary(900_000 + number) for number in (0, 1)]
        kept = [word for word in planted if word not in set(erased)]
        assert not [word for word in erased[:20] if memory.search(word, owner=planted.get(word, ("owner0",))[0])]
        # What was not erased is still found.
        assert all(memory.search(word, owner=planted[word][0]) for word in kept[:50])
        return erased, kept


def test_maintain_finishes_erase_blocked_by_reader(tmp_path: Path) -> None:
    path = tmp_path / "chat.db"
    with keepsaid.open(path) as memory:
        chat = memory.chat(owner="u1")
        message = chat.add("user", "my pin is xyzzy4711")
        reader = connect(SqliteSource(path))
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM messages").fetchall()
        receipt = chat.erase(message.id)
        assert "reader" in receipt.pending
        assert "log" not in receipt.verified
        assert not memory.search("xyzzy4711", owner="u1")
        assert in_bytes(path, None, tmp_path)("xyzzy4711")
        reader.execute("COMMIT")
        reader.close()
        memory.maintain()
        assert not in_bytes(path, None, tmp_path)("xyzzy4711")


def test_next_open_finishes_erase_blocked_by_reader(tmp_path: Path) -> None:
    path = tmp_path / "chat.db"
    reader = None
    with keepsaid.open(path) as memory:
        chat = memory.chat(owner="u1")
        message = chat.add("user", "my pin is xyzzy4711")
        reader = connect(SqliteSource(path))
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM messages").fetchall()
        assert chat.erase(message.id).pending
    assert in_bytes(path, None, tmp_path)("xyzzy4711")
    reader.execute("COMMIT")
    reader.close()
    keepsaid.open(path).close()
    assert not in_bytes(path, None, tmp_path)("xyzzy4711")


def test_retention_purge_leaves_no_bytes(tmp_path: Path) -> None:
    from keepsaid.testing import ManualClock

    path, clock = tmp_path / "chat.db", ManualClock()
    with keepsaid.open(path, clock=clock) as memory:
        chat = memory.chat(owner="u1", title="about xyzzy4711")
        for number in range(200):
            chat.add("user", f"my pin is xyzzy4711 {number}")
        chat.delete()
        clock.advance(days=31)
        assert memory.retention(dry_run=False).purged == 1
    assert not in_bytes(path, None, tmp_path)("xyzzy4711")


@pytest.mark.parametrize("key", [None, KEY], ids=["plain", "encrypted"])
@pytest.mark.parametrize("seed", [1, 2])
def test_erase_leaves_no_message_bytes_in_split_pages(tmp_path: Path, key: bytes | None, seed: int) -> None:
    """Many owners write in turns, so pages split again and again, and rows leave copies in the unused parts of pages."""
    chance = random.Random(seed)
    path = tmp_path / "store" / "chat.db"
    path.parent.mkdir()
    with keepsaid.open(path, key=key, durable=False) as memory:
        chats = [memory.chat(owner=f"owner{number}") for number in range(40)]
        said = []
        for _ in range(2500):
            chat, word = chance.choice(chats), f"{chance.getrandbits(64):016x}"
            text = f"secret{word} " + "word " * chance.randint(0, 80)
            said.append((chat, chat.add("user", text, metadata={"m": f"meta{word}"}), word))
        chance.shuffle(said)
        gone, kept = said[: 250 if key is None else 12], said[1000:1100]
        receipts = [chat.erase(message.id) for chat, message, _ in gone]
        assert all(receipt.verified == ("rows", "keywords", "vectors", "artifacts", "log", "pages") for receipt in receipts)
        assert memory.check().healthy
    sees = in_bytes(path, key, tmp_path)
    assert not [word for _, message, word in gone if sees(f"secret{word}") or sees(f"meta{word}") or sees(message.id)]
    assert all(sees(f"secret{word}") for _, _, word in kept)


@pytest.mark.parametrize("key", [None, KEY], ids=["plain", "encrypted"])
def test_erase_removes_vectors(tmp_path: Path, key: bytes | None) -> None:
    """An embedding can be turned back into much of its text, so it counts as data. Many owners are embedded in turns, so
    that pages split; every piece of a vector is looked for, wherever it would lie."""
    chance, path = random.Random(3), tmp_path / "store" / "chat.db"
    path.parent.mkdir()
    with keepsaid.open(path, key=key, durable=False, background=False) as memory:
        storage = memory._services.storage
        chats = [memory.chat(owner=f"owner{number}") for number in range(20)]
        said = []
        for _ in range(400):
            chat = chance.choice(chats)
            # Short texts: it shall not be for their sake that the file is rebuilt.
            word = f"{chance.getrandbits(28):07x}"
            said.append(
                (chat, chat.add("user", word if chance.random() < 0.8 else " ".join(f"{word}{n}" for n in range(30))))
            )
            if chance.random() < 0.5:
                embed_waiting(storage, VECTORS, limit=2)
        embed_waiting(storage, VECTORS)
        made = {message.id: pieces_of(message.text) for _, message in said}
        sees = bytes_of(path, key, tmp_path)
        assert all(any(piece in sees for piece in pieces) for pieces in made.values()), "the look proves nothing"
        chance.shuffle(said)
        gone = said[: 60 if key is None else 8]
        receipts = [chat.erase(message.id) for chat, message in gone]
        assert all(receipt.verified == ("rows", "keywords", "vectors", "artifacts", "log", "pages") for receipt in receipts)
        assert all(receipt.derived == 1 for receipt in receipts)
        sees = bytes_of(path, key, tmp_path)
        assert not [message for _, message in gone if any(piece in sees for piece in made[message.id])]
        gone += [(chat, message) for chat, message in said if chat is chats[0]]
        assert memory.erase(owner="owner0").derived > 0
        assert memory.check().healthy
        erased = {message.id for _, message in gone}
        sees = bytes_of(path, key, tmp_path)
        assert not [id for id in erased if any(piece in sees for piece in made[id])]
        assert all(any(piece in sees for piece in made[message.id]) for _, message in said if message.id not in erased)
        storage.drop_generation(VECTORS.name)
        assert memory.check().healthy
    sees = bytes_of(path, key, tmp_path)
    assert not [id for id, pieces in made.items() if any(piece in sees for piece in pieces)]


def test_erase_returns_vector_pieces_for_residue_search(tmp_path: Path) -> None:
    with keepsaid.open(tmp_path / "chat.db") as memory:
        chat = memory.chat(owner="u1")
        message = chat.add("user", "short")
        embed_waiting(memory._services.storage, VECTORS)
        scope = Scope("u1", chat.id)
        pieces = memory._services.storage._writer.run(lambda db: erasure.erase(db, scope, message.id)).pieces
    for blob in (pack_vector(VECTORS.embed(["short"])[0].vector), VECTORS.embed(["short"])[0].tokens):
        assert [piece for piece in pieces if piece in blob]


VECTORS = HashEmbedder(384, tokens=True)


def pieces_of(text: str) -> list[bytes]:
    """The vectors of a text, cut to pieces as wide as what nobody could meet by chance."""
    made = VECTORS.embed([text])[0]
    vector = pack_vector(made.vector)
    tokens = made.tokens if len(set(made.tokens)) > 8 else b""
    return [blob[start : start + 12] for blob in (vector, tokens) for start in range(0, len(blob) - 12, 96)]


def test_has_residue_finds_bytes_in_unused_page_space(tmp_path: Path) -> None:
    """Bytes planted in the unused part of a page are found; bytes of a live row are not."""
    path = tmp_path / "chat.db"
    with keepsaid.open(path) as memory:
        memory.chat(owner="u1").add("user", "a live row with its text")
    assert not residue.has_residue(path, set(residue.split_texts("a live row with its text")))
    content = bytearray(path.read_bytes())
    one_row = (start for start in range(4096, len(content), 4096) if content[start : start + 5] == b"\x0d\0\0\0\1")
    page = next(one_row)
    content[page + 100 : page + 130] = b"left over from a page split..."
    path.write_bytes(content)
    assert residue.has_residue(path, set(residue.split_texts("left over from a page split...")))
    assert residue.has_residue(path, set(residue.sample_vectors(b"left over from a page split...")))
    assert not residue.has_residue(path, set(residue.sample_vectors(bytes(100), b"\1" * 100)))
