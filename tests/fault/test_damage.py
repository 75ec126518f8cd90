"""Damaged and foreign files: a typed error or a finding, the intact data is still served, and repair fixes what it can."""

from __future__ import annotations

import random
import re
import shutil
import traceback
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import pytest

import keepsaid
from keepsaid import KeepsaidError, Memory, Message
from keepsaid.errors import NewerStore, NotAStore, StorageError, StoreCorrupt
from keepsaid.storage.sqlite import SqliteSource
from keepsaid.storage.sqlite.connection.source import connect
from keepsaid.storage.sqlite.health.salvage import salvage
from keepsaid.testing.conformance import find_messages

from .rig import assert_gapless, build_text, is_whole

OWNER = "ada"
SESSIONS = ("early", "middle", "late")
EACH = 50
PAGE = 4096

UNINDEX = """
INSERT INTO keywords (keywords, rowid, text) SELECT 'delete', rid, text FROM keyword_texts
    WHERE rid = (SELECT rid FROM messages WHERE id = 'early-7')"""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A healthy store of three sessions, one written after the other; the tests damage copies of it."""
    path = tmp_path_factory.mktemp("model") / "chat.db"
    with keepsaid.open(path) as memory:
        for session in SESSIONS:
            chat = memory.chat(owner=OWNER, session=session, create=True, title=f"The {session} one", tags=[session])
            for number in range(EACH):
                chat.add(
                    "user", build_text(f"{session}{number}q", 500), id=f"{session}-{number}", metadata={"number": number}
                )
        assert memory.check().healthy
    return path


@pytest.fixture
def store(model: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(model, tmp_path))


def kinds(memory: Memory, *, repair: bool = False) -> set[str]:
    """The kinds of findings of a check; with `repair`, every finding must be marked as repaired."""
    findings = memory.check(repair=repair).findings
    assert all(finding.repaired == repair for finding in findings)
    return {finding.kind for finding in findings}


def execute(path: Path, sql: str) -> None:
    """Changes the file directly, without the store."""
    with closing(connect(SqliteSource(path))) as db:
        db.execute(sql).fetchall()


def overwrite(path: Path, page: int, content: bytes) -> None:
    with path.open("rb+") as file:
        file.seek(page * PAGE)
        file.write(content)


def page_of(path: Path, text: str) -> int:
    """The page (from 0) on which a text begins."""
    offset = path.read_bytes().find(text.encode())
    assert offset > 0
    return offset // PAGE


def everything(memory: Memory) -> list[Message]:
    return [message for session in SESSIONS for message in memory.chat(owner=OWNER, session=session).messages()]


# -- files that are no stores of ours


def test_open_refuses_database_of_other_program(tmp_path: Path) -> None:
    path = tmp_path / "foreign.db"
    with closing(apsw.Connection(str(path))) as db:
        db.execute("CREATE TABLE messages (text); INSERT INTO messages VALUES ('mine')")
    before = path.read_bytes()
    with pytest.raises(NotAStore, match="another program"):
        keepsaid.open(path)
    assert path.read_bytes() == before, "a database that is not ours is left as it was"


@pytest.mark.parametrize("content", [b"Dear diary,\n" * 500, b"x", bytes(8192)])
def test_open_refuses_other_file(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(NotAStore, match=r"notes\.txt is not a Keepsaid store"):
        keepsaid.open(path)
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_open_turns_empty_file_into_store(tmp_path: Path) -> None:
    """`mktemp` creates such files; there is no content to lose."""
    (tmp_path / "chat.db").touch()
    with keepsaid.open(tmp_path / "chat.db") as memory:
        assert memory.check().healthy


def test_open_refuses_newer_store(store: Path) -> None:
    execute(store, "INSERT INTO migrations VALUES ('9999-from-the-future', 0)")
    before = store.read_bytes()
    with pytest.raises(NewerStore, match="9999-from-the-future"):
        keepsaid.open(store)
    assert store.read_bytes() == before


# -- damaged pages


def is_healthy(path: Path) -> bool:
    """Whether a store opens, reads and checks without an error of ours; any other error is a failure."""
    try:
        with keepsaid.open(path) as memory:
            return memory.check().healthy and len(everything(memory)) == 3 * EACH
    except StorageError:
        return False


@pytest.mark.parametrize("kept", [0.9, 0.5, 0.1])
def test_truncated_file_is_detected(store: Path, kept: float) -> None:
    """The damage is detected when the store is opened, read or checked."""
    assert is_healthy(store)
    with store.open("rb+") as file:
        file.truncate(int(store.stat().st_size * kept))
    assert not is_healthy(store)


def test_damaged_page_affects_only_its_session(store: Path, tmp_path: Path) -> None:
    """Reading the session on the damaged page raises `StoreCorrupt`; others are served, and salvage saves all other rows."""
    page = page_of(store, "middle25q ")
    hit = re.findall(rb"(?:early|middle|late)\d+q ", store.read_bytes()[page * PAGE : (page + 1) * PAGE])
    overwrite(store, page, random.Random(1).randbytes(PAGE))
    with keepsaid.open(store) as memory:
        assert len(memory.chat(owner=OWNER, session="early").messages()) == EACH
        assert len(memory.chat(owner=OWNER, session="late").messages()) == EACH
        assert memory.chat(owner=OWNER, session="late").add("user", "still here").seq == EACH + 1
        with pytest.raises(StoreCorrupt, match="keepsaid doctor"):
            memory.chat(owner=OWNER, session="middle").messages()
        assert "file" in _findings_or_corrupt(memory)
    saved = salvage(SqliteSource(store), tmp_path / "saved.db")
    with keepsaid.open(tmp_path / "saved.db") as memory:
        messages = everything(memory)
        assert 3 * EACH + 1 - len(messages) == len(hit) > 0
        assert saved["messages"] == len(messages)
        assert all(is_whole(message.text) for message in messages if message.text != "still here")
        assert [h.message.id for h in find_messages(memory, "late7q", owner=OWNER)] == ["late-7"]
        assert memory.check().healthy


def _findings_or_corrupt(memory: Memory) -> set[str]:
    try:
        return kinds(memory)
    except StoreCorrupt:
        return {"file"}


def surprises(path: Path, verbs: Sequence[Callable[[Memory], object]]) -> list[str]:
    """Opens a store, runs the verbs on it, and salvages it. Returns the errors that are not Keepsaid's."""
    found: list[str] = []

    def tried(call: Callable[[], Any]) -> Any:
        try:
            return call()
        except KeepsaidError:
            return None
        except Exception as error:
            found.append(f"{path.name}: {error!r} from {traceback.extract_tb(error.__traceback__)[-1]}")
            return None

    if memory := tried(lambda: keepsaid.open(path)):
        with memory:
            for verb in verbs:
                tried(partial(verb, memory))
    tried(lambda: salvage(SqliteSource(path), path.with_suffix(".saved")))
    return found


@pytest.mark.parametrize("garbage", ["noise", "zeros"])
def test_garbage_in_any_page_raises_only_keepsaid_errors(model: Path, tmp_path: Path, garbage: str) -> None:
    """Whichever page is damaged, callers get Keepsaid's errors and no others."""
    verbs: list[Callable[[Memory], object]] = [
        everything,
        lambda memory: memory.sessions(owner=OWNER, tag="late"),
        lambda memory: memory.search("middle7q fox", owner=OWNER),
        lambda memory: memory.chat(owner=OWNER).add("user", build_text("new")),
        lambda memory: memory.check(),
        lambda memory: memory.check(repair=True),
        everything,
    ]
    found: list[str] = []
    for page in range(model.stat().st_size // PAGE):
        path = Path(shutil.copy(model, tmp_path / f"{page}.db"))
        overwrite(path, page, bytes(PAGE) if garbage == "zeros" else random.Random(page).randbytes(PAGE))
        found += surprises(path, verbs)
    assert found == []


def test_check_handles_page_overwritten_with_another(model: Path, tmp_path: Path) -> None:
    """A misplaced write: each page is valid in itself, but its rows do not fit the table."""
    chance = random.Random(1)
    content = model.read_bytes()
    found: list[str] = []
    for page in range(1, len(content) // PAGE):
        path = Path(shutil.copy(model, tmp_path / f"{page}.db"))
        other = chance.randrange(1, len(content) // PAGE) * PAGE
        overwrite(path, page, content[other : other + PAGE])
        found += surprises(path, [lambda memory: memory.check(), lambda memory: memory.check(repair=True)])
    assert found == []


@pytest.mark.parametrize("garbage", ["noise", "zeros"])
def test_salvage_with_any_lost_page_gives_healthy_store(model: Path, tmp_path: Path, garbage: str) -> None:
    """Whichever page is lost, the salvaged store is healthy, its messages are whole, and mostly nearly all are saved."""
    content = model.read_bytes()
    pages = len(content) // PAGE
    saved: list[int] = []
    for page in range(pages):
        path, target = Path(shutil.copy(model, tmp_path / f"{page}.db")), tmp_path / f"{page}.saved"
        overwrite(path, page, bytes(PAGE) if garbage == "zeros" else random.Random(page).randbytes(PAGE))
        with suppress(StorageError):
            salvage(SqliteSource(path), target)
            with keepsaid.open(target) as memory:
                messages = everything_there(memory)
                assert memory.check().healthy, f"page {page}"
            assert len({message.id for message in messages}) == len(messages), f"page {page}: messages are there twice"
            assert all(is_whole(message.text) for message in messages), f"page {page}"
            saved.append(len(messages))
    assert sum(count >= 3 * EACH - 10 for count in saved) > 0.8 * pages


def test_salvage_skips_several_lost_pages(tmp_path: Path) -> None:
    """Several lost pages cost the messages on them, not those on the pages between."""
    path, target = tmp_path / "chat.db", tmp_path / "saved.db"
    with keepsaid.open(path, durable=False) as memory:
        chat = memory.chat(owner=OWNER)
        for number in range(40):
            chat.add_many([{"role": "user", "content": f"message {number * 25 + part} " + "x" * 100} for part in range(25)])
    holes = {page_of(path, f"message {number} ") for number in (200, 500, 800)}
    assert len(holes) == 3
    for page in holes:
        overwrite(path, page, random.Random(page).randbytes(PAGE))
    saved = salvage(SqliteSource(path), target)
    assert 1000 - 3 * 40 < saved["messages"] < 1000
    with keepsaid.open(target) as memory:
        assert len(everything_there(memory)) == saved["messages"]
        assert memory.check().healthy


def everything_there(memory: Memory) -> list[Message]:
    """All messages of all sessions that are listed, whatever they are called after a repair."""
    found = memory.sessions(owner=OWNER, limit=1000)
    return [message for session in found for message in memory.chat(owner=OWNER, session=session.id).messages()]


# -- values that do not fit each other


@pytest.mark.parametrize("damage", ["{half", "", "[1]", "nonsense"])
def test_damaged_metadata_is_served_and_repaired(store: Path, damage: str) -> None:
    """The message is still served with the damaged metadata as a string; a repair wraps that string without loss."""
    execute(store, f"UPDATE messages SET metadata = '{damage}' WHERE id = 'middle-7'")
    with keepsaid.open(store) as memory:
        message = memory.chat(owner=OWNER, session="middle").message("middle-7")
        assert is_whole(message.text)
        assert message.metadata == {"keepsaid.damaged": damage}
        assert len(everything(memory)) == 3 * EACH
        assert kinds(memory) == {"values"}
        assert kinds(memory, repair=True) == {"values"}
        assert memory.check().healthy
        assert memory.chat(owner=OWNER, session="middle").message("middle-7").metadata == {"keepsaid.damaged": damage}


@pytest.mark.parametrize(
    ("kind", "sql"),
    [
        ("counters", "UPDATE sessions SET messages = messages + 1 WHERE id = 'middle'"),
        ("counters", "UPDATE sessions SET tokens = 0 WHERE id = 'early'"),
        ("counters", "UPDATE sessions SET leaf = 3 WHERE id = 'early'"),
        ("counters", "UPDATE sessions SET head = 3 WHERE id = 'early'"),
        ("statistics", "UPDATE owners SET indexed_messages = 5"),
        ("keywords", "INSERT INTO keywords (keywords) VALUES ('delete-all')"),
        ("keywords", UNINDEX),
        ("keywords", "INSERT INTO keywords (rowid, text) SELECT rid, '1:stray' FROM messages WHERE id = 'early-7'"),
        ("keywords", "UPDATE messages SET text = 'replaced' WHERE id = 'early-7'"),
        ("orphans", "DELETE FROM branches WHERE session = (SELECT no FROM sessions WHERE id = 'middle')"),
        ("orphans", "INSERT INTO details (session, summary) VALUES (999, 'lost')"),
        ("orphans", "UPDATE sessions SET branch = 999 WHERE id = 'late'"),
    ],
    ids=lambda value: "_".join(value.split()[:2]).lower(),
)
def test_check_finds_and_repairs_inconsistencies(store: Path, kind: str, sql: str) -> None:
    execute(store, sql)
    with keepsaid.open(store) as memory:
        assert kind in kinds(memory)
        assert kind in kinds(memory, repair=True)
        assert memory.check().healthy
        assert len(everything_there(memory)) == 3 * EACH


def test_repair_makes_lost_keyword_entry_searchable(store: Path) -> None:
    execute(store, UNINDEX)
    with keepsaid.open(store) as memory:
        assert find_messages(memory, "early7q", owner=OWNER) == []
        memory.check(repair=True)
        assert [hit.message.id for hit in find_messages(memory, "early7q", owner=OWNER)] == ["early-7"]


def test_search_ignores_keyword_entry_of_missing_message(store: Path) -> None:
    """The index has an entry for a message without a row; all other messages are still found."""
    execute(store, "DELETE FROM messages WHERE id = 'early-7'")
    with keepsaid.open(store) as memory:
        assert find_messages(memory, "early7q", owner=OWNER) == []
        assert len(find_messages(memory, "fox", owner=OWNER, limit=1000)) == 3 * EACH - 1
        assert {"keywords", "counters"} <= kinds(memory, repair=True)
        assert memory.check().healthy


def test_check_finds_messages_without_owner(store: Path) -> None:
    """No call can reach such messages, so a check must not report the store as healthy."""
    execute(store, "DELETE FROM owners")
    with keepsaid.open(store) as memory:
        assert "orphans" in kinds(memory)
        memory.check(repair=True)
        assert memory.check().healthy
        assert memory.check().checked["messages"] == 3 * EACH, "a repair throws no messages away"


def test_repair_recovers_lost_session(store: Path) -> None:
    """Messages whose session row is lost get a new session, in their order."""
    execute(store, "DELETE FROM sessions WHERE id = 'middle'")
    with keepsaid.open(store) as memory:
        assert "orphans" in kinds(memory, repair=True)
        recovered = [s for s in memory.sessions(owner=OWNER) if s.id not in SESSIONS]
        assert [session.message_count for session in recovered] == [EACH]
        assert_gapless(memory.chat(owner=OWNER, session=recovered[0].id).messages())
        assert memory.check().healthy
