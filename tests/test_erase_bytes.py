"""Erase at byte level: texts of 4 to 40 characters in every field that can hold text.

A search alone cannot tell a short text from equal bytes of other owners. So besides the search for each canary, no byte of
the file may be left that belongs to no row (`page_gaps`): then the file holds nothing but its rows.
"""

from __future__ import annotations

import os
import random
import re
import signal
import struct
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import cast

import apsw
import pytest
from page_gaps import unowned_bytes
from test_erase import KEY, bytes_of

import keepsaid
from keepsaid.memory import Memory
from keepsaid.storage.sqlite import SqliteSource
from keepsaid.storage.sqlite.connection.source import connect
from keepsaid.storage.sqlite.erase import completion, page_gaps

ALL = ("rows", "keywords", "vectors", "artifacts", "log", "pages")
LETTERS = "gjkqvwxyzGJKQVWXYZ"
"""None of them stands in hexadecimal numbers, and words made of them in no language."""


class Writer:
    """Fills a store with many owners in turns, so that pages split; hands out canaries and remembers them."""

    def __init__(self, memory: Memory, seed: int = 1) -> None:
        self.memory = memory
        self.chance = random.Random(seed)
        self.words: set[str] = set()

    def canary(self, most: int = 40) -> str:
        """A text that stands nowhere else, of 4 characters or more."""
        while True:
            length = self.chance.choice((4, 5, 7, 9, 12, 16, 40))
            word = "".join(self.chance.choice(LETTERS) for _ in range(min(length, most)))
            if not any(word.lower() in other.lower() or other.lower() in word.lower() for other in self.words):
                self.words.add(word)
                return word

    def others(self, number: int) -> None:
        """Rows before, between and after, of owners who stay."""
        for _ in range(number):
            owner = f"other{self.chance.randrange(12)}"
            chat = self.memory.chat(owner=owner, session=f"{owner}-{self.chance.randrange(5)}", create=True)
            id = f"{self.chance.getrandbits(40):010d}"[-10:]
            text = "so it is " * self.chance.randrange(1, 40)
            chat.add_many([{"role": "user", "content": text, "id": f"o{id}{self.chance.random()}", "metadata": {"n": id}}])
            if self.chance.random() < 0.1:
                chat.update(tags=[f"tag{self.chance.randrange(1000)}" for _ in range(4)], title=f"about {id}")
                self.memory.blobs(owner=owner, session=chat.id).put({f"name{id}": id.encode() * 20})

    def message(self, owner: str, session: str) -> tuple[str, set[str]]:
        """A message whose every text is a canary; returns its id, and them."""
        texts = [self.canary() for _ in range(8)]
        text, id, key, value, call, tool, argument, part = texts
        self.memory.chat(owner=owner, session=session, create=True).add_many(
            [
                {
                    "role": "assistant",
                    "content": f"{text} {part}",
                    "id": id,
                    "metadata": {key: value},
                    "tool_calls": [{"id": call, "name": tool, "arguments": f'{{"{argument}": 1}}'}],
                }
            ]
        )
        return id, set(texts)

    def session(self, owner: str) -> tuple[str, set[str]]:
        """A session whose every text is a canary, with a document and a blob."""
        texts = [self.canary() for _ in range(11)]
        id, title, first, second, key, value, prompt, name, words, blob, content = texts
        chat = self.memory.chat(owner=owner, session=id, create=True, title=title)
        chat.update(tags=[first, second], metadata={key: value}, system_prompt=prompt)
        self.memory.ingest(f"{name}.md", content=words, owner=owner, session=id)
        self.memory.blobs(owner=owner, session=id).put({blob: content.encode()})
        return id, set(texts)


def find_words(path: Path, key: bytes | None, words: set[str], scratch: Path) -> set[str]:
    """Which of the words stand in a file of the store, as they were written or as the index has them."""
    data = bytes_of(path, key, scratch)
    if key is not None:  # short words stand in what is encrypted by chance
        data = (scratch / "decrypted.db").read_bytes()
    lower = data.lower()
    return {word for word in words if word.encode() in data or word.lower().encode() in lower}


def open_store(path: Path, key: bytes | None = None, **settings: object) -> Memory:
    return keepsaid.open(path, key=key, durable=False, background=False, embedder="off", **settings)


@pytest.fixture(params=[None, KEY], ids=["plain", "encrypted"])
def key(request: pytest.FixtureRequest) -> bytes | None:
    return request.param


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "store").mkdir()
    return tmp_path / "store" / "chat.db"


def check_unowned(path: Path, key: bytes | None, scratch: Path) -> None:
    """No byte is left that belongs to no row."""
    plain = path if key is None else scratch / "decrypted.db"
    # The mark that the erase is finished goes last; of its row, the two bytes of a pointer may be left.
    left = {page: some for page, some in unowned_bytes(plain).items() if len(some.strip(b"\0")) > 2}
    if key is not None:  # rebuilding itself moves the rows of the schema, which has no texts of anybody
        left = {page: some for page, some in left.items() if re.search(rb"[%s]{4}" % LETTERS.encode(), some)}
    assert not left, (
        f"{len(left)} pages hold what belongs to nobody, such as {next(iter(left.values())).strip(bytes(1))[:60]}"
    )


@pytest.mark.parametrize("others", [0, 300], ids=["alone", "among others"])
def test_erase_leaves_no_bytes_of_any_text_field(path: Path, key: bytes | None, others: int, tmp_path: Path) -> None:
    with open_store(path, key) as memory:
        writer = Writer(memory)
        messages, sessions = [], []
        for _ in range(8):
            writer.others(others // 8)
            messages.append(writer.message("ann", "talk"))
            sessions.append(writer.session("ann"))
        writer.others(others // 8)
        words = {word for _, some in (*messages, *sessions) for word in some}
        assert find_words(path, key, words, tmp_path) == words, "the look proves nothing"
        receipts = [memory.erase(owner="ann", session="talk", message=id) for id, _ in messages[:4]]
        receipts += [memory.erase(owner="ann", session=id) for id, _ in sessions[:4]]
        assert {receipt.verified for receipt in receipts} == {ALL}
        gone = {word for _, some in (*messages[:4], *sessions[:4]) for word in some}
        assert find_words(path, key, gone, tmp_path) == set()
        assert find_words(path, key, words - gone, tmp_path) == words - gone
        receipt = memory.erase(owner="ann")
        assert (receipt.verified, receipt.pending) == (ALL, "")
        assert find_words(path, key, words, tmp_path) == set()
        assert memory.check().healthy
    find_words(path, key, words, tmp_path)
    check_unowned(path, key, tmp_path)


def test_erase_leaves_no_short_texts_or_tags_in_split_pages(path: Path, tmp_path: Path) -> None:
    """Short texts, ids and tags stand among longer rows of owners who write in turns. Only those with a copy in a page gap
    are erased; they are too short for a search for pieces of 16 bytes."""
    with open_store(path) as memory:
        writer = Writer(memory, 11)
        said: list[tuple[str, str, str | None, set[str]]] = []
        for number in range(1000):
            owner = f"w{writer.chance.randrange(40)}"
            text, id, tag = (writer.canary(7) for _ in range(3))
            chat = memory.chat(owner=owner, session=f"{owner}s", create=True)
            longer = {"role": "user", "content": "so " * writer.chance.randrange(200)}
            chat.add_many([{"role": "user", "content": text, "id": id}, longer])
            said.append((owner, chat.id, id, {text, id}))
            if number % 3 == 0:
                tags = memory.chat(owner=owner, session=f"{owner}t{number}", create=True)
                tags.update(tags=[tag, "x" * writer.chance.randrange(1, 60)])
                said.append((owner, tags.id, None, {tag}))
        checkpoint_log(path)
        gaps = b"|".join(unowned_bytes(path).values())
        going = [one for one in said if any(text.encode() in gaps for text in one[3])]
        assert len(going) >= 5, "the look proves nothing"
        for owner, session, id, _ in going:
            assert memory.erase(owner=owner, session=session, message=id).verified == ALL
        words = {text for *_, some in going for text in some}
        left = find_words(path, None, words, tmp_path)
        assert left == set(), f"{len(left)} of {len(words)}"
    check_unowned(path, None, tmp_path)


def checkpoint_log(path: Path) -> None:
    """Has all that is in the log in the file."""
    db = connect(SqliteSource(path))
    db.pragma("wal_checkpoint(TRUNCATE)")
    db.close()


def test_erase_owner_and_pool_leaves_no_bytes(path: Path, key: bytes | None, tmp_path: Path) -> None:
    with open_store(path, key) as memory:
        writer = Writer(memory, 2)
        owners = [_whole_owner(writer) for _ in range(6)]
        words = {word for _, some in owners for word in some}
        writer.others(100)
        assert find_words(path, key, words, tmp_path) == words, "the look proves nothing"
        for owner, _ in owners:
            receipt = memory.erase(owner=owner)
            assert (receipt.verified, receipt.pending) == (ALL, "")
        for grant in memory.pools(owner="watcher"):
            assert memory.erase(owner="watcher", pool=grant.pool).verified == ALL
        assert find_words(path, key, words, tmp_path) == set()
        assert memory.check().healthy
    find_words(path, key, words, tmp_path)
    check_unowned(path, key, tmp_path)


def _whole_owner(writer: Writer) -> tuple[str, set[str]]:
    """An owner with a name that is a canary, who keeps something in a pool, facts, documents and blobs."""
    memory = writer.memory
    owner, name, said, fact, document, words, blob = (writer.canary() for _ in range(7))
    pool = memory.create_pool(name, owner="watcher")
    memory.grant(pool, to=owner, by="watcher", access="write")
    writer.others(20)
    memory.chat(owner=owner, pool=pool, create=True, title=said).add("user", said)
    memory.remember(fact, owner=owner)
    memory.ingest(f"{document}.md", content=words, owner=owner)
    memory.blobs(owner=owner).put({blob: blob.encode()})
    _, texts = writer.session(owner)
    memory.chat(owner=owner).context(said)
    return owner, {owner, name, said, fact, document, words, blob} | texts


def test_removed_blobs_facts_and_documents_leave_no_bytes(path: Path, tmp_path: Path) -> None:
    """Each kind is removed by its own method instead of `erase`."""
    with open_store(path) as memory:
        writer = Writer(memory, 3)
        words: set[str] = set()
        facts, names, documents = [], [], []
        for _ in range(30):
            writer.others(6)
            fact, name, content, document, text = (writer.canary() for _ in range(5))
            facts.append(memory.remember(fact, owner="ann").id)
            memory.blobs(owner="ann").put({name: content.encode()})
            memory.ingest(f"{document}.md", content=text, owner="ann")
            names.append(name)
            documents.append(f"{document}.md")
            words |= {fact, name, content, document, text}
        assert find_words(path, None, words, tmp_path) == words, "the look proves nothing"
        memory.blobs(owner="ann").put(dict.fromkeys(names))
        for fact in facts:
            memory.forget_fact(fact, owner="ann")
        for document in documents:
            assert memory.remove_document(document, owner="ann").verified == ALL
        left = find_words(path, None, words, tmp_path)
        assert left == set()
    check_unowned(path, None, tmp_path)


# -- readers and other processes


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """A reader who looks at the store as it is now, all the while."""
    db = connect(SqliteSource(path))
    db.execute("BEGIN")
    db.execute("SELECT count(*) FROM messages").fetchall()
    try:
        yield
    finally:
        db.execute("COMMIT")
        db.close()


def wait_until_gone(path: Path, words: set[str], scratch: Path, seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while (left := find_words(path, None, words, scratch)) and time.monotonic() < end:
        time.sleep(0.05)
    assert left == set()


def test_blocked_erase_finishes_when_reader_ends(path: Path, tmp_path: Path) -> None:
    """No further call is needed: the storage retries until the erase is finished."""
    with open_store(path) as memory:
        writer = Writer(memory, 4)
        id, words = writer.message("ann", "talk")
        writer.others(20)
        with reading(path):
            receipt = memory.erase(owner="ann", session="talk", message=id)
            assert "as soon as" in receipt.pending
            assert "log" not in receipt.verified
            assert "pages" not in receipt.verified
            assert any("erase" in warning for warning in memory.warnings())
            assert find_words(path, None, words, tmp_path)
        wait_until_gone(path, words, tmp_path)
        end = time.monotonic() + 20
        while memory.warnings() and time.monotonic() < end:
            time.sleep(0.05)
        assert not memory.warnings()
        check_unowned(path, None, tmp_path)


def test_open_store_finishes_erase_of_another_process(path: Path, tmp_path: Path) -> None:
    """A running server finishes an erase that another process left unfinished, without being told."""
    with open_store(path) as memory:
        writer = Writer(memory, 5)
        id, words = writer.message("ann", "talk")
        writer.others(20)
        with reading(path):
            script = f"""
            import keepsaid
            memory = keepsaid.open({str(path)!r}, background=False, embedder="off")
            print(memory.erase(owner="ann", session="talk", message={id!r}).pending, flush=True)
            import os
            os._exit(0)  # dies before it can do more
            """
            done = subprocess.run(
                [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=True
            )
            assert "reader" in done.stdout
        end = time.monotonic() + 20
        while find_words(path, None, words, tmp_path) and time.monotonic() < end:
            writer.others(1)
            time.sleep(0.1)
        assert find_words(path, None, words, tmp_path) == set()


def test_page_cache_of_other_process_restores_no_erased_bytes(path: Path, tmp_path: Path) -> None:
    """Another process has the old pages in its cache and writes to them after the erase."""
    script = f"""
    import sys, random
    import keepsaid
    memory = keepsaid.open({str(path)!r}, durable=False, background=False, embedder="off")
    storage = memory._services.storage
    storage._writer.run(lambda db: db.execute("SELECT sum(length(text) + length(id)) FROM messages").fetchall())
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(12):
        for session in range(5):
            chat = memory.chat(owner=f"other{{number}}", session=f"other{{number}}-{{session}}", create=True)
            chat.add("user", "and on it goes", id=f"o{{random.random()}}")
    print("done", flush=True)
    sys.stdin.readline()
    """
    with open_store(path) as memory:
        writer = Writer(memory, 6)
        gone = []
        for _ in range(12):
            writer.others(20)
            gone.append(writer.message("ann", "talk"))
        words = {word for _, some in gone for word in some}
        process = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert process.stdin
        assert process.stdout
        try:
            assert process.stdout.readline() == "ready\n"
            for id, _ in gone:
                assert memory.erase(owner="ann", session="talk", message=id).pending == ""
            process.stdin.write("\n")
            process.stdin.flush()
            assert process.stdout.readline() == "done\n"
            assert find_words(path, None, words, tmp_path) == set()
        finally:
            process.kill()
            process.communicate()
        assert memory.check().healthy


def test_erase_keeps_concurrent_writes_intact(path: Path, tmp_path: Path) -> None:
    """A thread and another process write while pages are cleaned; none of their messages is lost or damaged."""
    script = f"""
    import itertools, keepsaid
    memory = keepsaid.open({str(path)!r}, durable=False, background=False, embedder="off")
    chat = memory.chat(owner="else", session="s", create=True)
    for number in itertools.count():
        chat.add("user", f"number {{number}} " + "word " * (number % 60), id=f"else-{{number * 7919 % 100003}}")
        print(number, flush=True)
    """
    stop, wrote = threading.Event(), []
    with open_store(path) as memory:
        writer = Writer(memory, 7)
        writer.others(50)

        def write() -> None:
            chat = memory.chat(owner="here", session="s", create=True)
            while not stop.is_set():
                wrote.append(chat.add("user", "here " * (len(wrote) % 50)).id)

        process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, text=True)
        assert process.stdout
        process.stdout.readline()
        thread = threading.Thread(target=write)
        thread.start()
        words = set()
        for _ in range(12):
            id, some = writer.message("ann", "talk")
            words |= some
            memory.erase(owner="ann", session="talk", message=id)
        stop.set()
        thread.join()
        os.kill(process.pid, signal.SIGKILL)
        numbers = [int(line) for line in process.communicate()[0].split()]
        memory.maintain()
        wait_until_gone(path, words, tmp_path)
        assert memory.check().healthy
        assert {message.id for message in memory.chat(owner="here", session="s").messages()} == set(wrote)
        theirs = {message.id for message in memory.chat(owner="else", session="s").messages()}
        assert theirs >= {f"else-{number * 7919 % 100003}" for number in range(numbers[-1] + 1)}


# -- the ways it is done


def test_encrypted_rebuild_writes_no_plaintext_temporary_file(path: Path) -> None:
    """A large file is rebuilt in a temporary file, which must be encrypted as well."""
    if not Path("/proc/self/fd").is_dir():
        pytest.skip("open files cannot be looked into here")
    with open_store(path, KEY) as memory:
        memory.blobs(owner="ann").put({f"{number}": b"plain words " * 100_000 for number in range(6)})
    written: list[bytes] = []

    def look() -> bool:
        for link in Path("/proc/self/fd").iterdir():
            try:
                if str(link.readlink()).endswith("(deleted)") and link.stat().st_size > 1_000_000:
                    written.append(link.read_bytes())
            except OSError:
                continue
        return len(written) > 2  # seen enough: ends it

    db = cast("apsw.Connection", connect(SqliteSource(path, KEY)))
    db.pragma("temp_store", 1)
    db.set_progress_handler(look, 200)
    with suppress(apsw.InterruptError):
        db.execute("VACUUM")
    db.close()
    assert written
    assert not any(b"plain words" in content for content in written)


def test_small_removal_defers_encrypted_rebuild_to_maintain(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rebuilding takes long, so small removals without a receipt wait for the next maintenance, and a warning says so."""
    monkeypatch.setattr(completion, "MAX_SIZE_IN_MEMORY", 0)
    with open_store(path, KEY) as memory:
        writer = Writer(memory, 8)
        words = set()
        for _ in range(20):
            name, content = writer.canary(), writer.canary()
            memory.blobs(owner="ann").put({name: content.encode()})
            words |= {name, content}
            writer.others(3)
        memory.blobs(owner="ann").clear()
        assert "yet to be rebuilt" in memory.warnings()[0]
    with open_store(path, KEY) as memory:
        assert memory.warnings(), "opening a large store does not take long"
        memory.maintain()
        assert not memory.warnings()
        assert find_words(path, KEY, words, tmp_path) == set()


def test_dirty_gaps_stay_within_malformed_page() -> None:
    """On pages with random content, every gap to overwrite lies within the page."""
    chance = random.Random(9)
    for _ in range(3000):
        page = bytearray(chance.randbytes(512))
        page[0] = chance.choice((2, 5, 10, 13))
        if chance.random() < 0.7:
            page[1:7] = struct.pack(">HHH", *(chance.choice((0, 1, 8, 60, 300, 510, 512, 65535)) for _ in range(3)))
        ends = list(page_gaps._dirty_gaps(bytes(page), 0, 512))
        assert all(8 <= first < last <= 512 for first, last in ends)


@pytest.mark.parametrize("kills", [3, pytest.param(60, marks=pytest.mark.long)])
def test_killed_process_during_erase_damages_nothing(path: Path, tmp_path: Path, kills: int) -> None:
    script = f"""
    import keepsaid
    memory = keepsaid.open({str(path)!r}, background=False, embedder="off")
    print("ready", flush=True)
    for message in memory.chat(owner="ann", session="talk").messages():
        memory.erase(owner="ann", session="talk", message=message.id)
    """
    chance = random.Random(10)
    with open_store(path) as memory:
        writer = Writer(memory, 10)
        kept = writer.message("bob", "kept")[1]
        for _ in range(kills):
            gone = [writer.message("ann", "talk") for _ in range(30) if writer.others(3) is None]
            process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, text=True)
            assert process.stdout
            assert process.stdout.readline() == "ready\n"
            time.sleep(chance.random() * 0.3)
            process.kill()
            process.communicate()
            memory.maintain()
            assert memory.check().healthy
            left = {message.id for message in memory.chat(owner="ann", session="talk").messages()}
            words = {word for id, some in gone for word in some if id not in left}
            assert find_words(path, None, words, tmp_path) == set()
            assert find_words(path, None, kept, tmp_path) == kept


def test_check_accepts_index_merged_by_another_process(path: Path) -> None:
    """A process that checked the index before must not report a merge by another process as damage."""
    with open_store(path) as memory:
        chat = memory.chat(owner="ann")
        for _ in range(3):
            chat.add_many([{"role": "user", "content": f"word{number}"} for number in range(200)])
        assert memory.check().healthy
        other = connect(SqliteSource(path))
        other.execute("INSERT INTO keywords (keywords) VALUES ('optimize')")
        other.close()
        assert memory.check().findings == ()


# -- at random


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20))
def test_random_writes_and_erases_leave_no_bytes(tmp_path: Path, seed: int) -> None:
    """Message and session erases alternate with writes; the file is searched after each."""
    path = tmp_path / "store" / "chat.db"
    path.parent.mkdir()
    with open_store(path) as memory:
        writer = Writer(memory, seed)
        for _ in range(12):
            owner = f"owner{writer.chance.randrange(3)}"
            writer.others(writer.chance.randrange(60))
            id, texts = writer.session(owner)
            said, more = writer.message(owner, id)
            writer.others(writer.chance.randrange(60))
            if writer.chance.random() < 0.5:
                assert memory.erase(owner=owner, session=id, message=said).verified == ALL
                assert find_words(path, None, more, tmp_path) == set()
            assert memory.erase(owner=owner, session=id).verified == ALL
            assert find_words(path, None, texts | more, tmp_path) == set()
            check_unowned(path, None, tmp_path)
            assert memory.check().healthy
