"""Damaged and foreign files: a typed error or a finding, the rest still served, and what can be mended is mended."""

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

import recollect
from recollect import Memory, Message, RecollectError
from recollect.errors import NewerStore, NotAStore, StorageError, StoreCorrupt
from recollect.storage.sqlite import Source
from recollect.storage.sqlite.connection import connect
from recollect.storage.sqlite.salvage import salvage
from recollect.testing.conformance import found

from .rig import assert_gapless, is_whole, marked

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
    with recollect.open(path) as memory:
        for session in SESSIONS:
            chat = memory.chat(owner=OWNER, session=session, create=True, title=f"The {session} one", tags=[session])
            for number in range(EACH):
                chat.add("user", marked(f"{session}{number}q", 500), id=f"{session}-{number}", metadata={"number": number})
        assert memory.check().healthy
    return path


@pytest.fixture
def store(model: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(model, tmp_path))


def kinds(memory: Memory, *, repair: bool = False) -> set[str]:
    """The kinds of findings of a check-up; with `repair`, every one must say that it was mended."""
    findings = memory.check(repair=repair).findings
    assert all(finding.repaired == repair for finding in findings)
    return {finding.kind for finding in findings}


def execute(path: Path, sql: str) -> None:
    """Changes the file behind the store's back."""
    with closing(connect(Source(path))) as db:
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


def test_foreign_database(tmp_path: Path) -> None:
    path = tmp_path / "foreign.db"
    with closing(apsw.Connection(str(path))) as db:
        db.execute("CREATE TABLE messages (text); INSERT INTO messages VALUES ('mine')")
    before = path.read_bytes()
    with pytest.raises(NotAStore, match="another program"):
        recollect.open(path)
    assert path.read_bytes() == before, "a database that is not ours is left as it was"


@pytest.mark.parametrize("content", [b"Dear diary,\n" * 500, b"x", bytes(8192)])
def test_other_file(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(NotAStore, match=r"notes\.txt is not a Recollect store"):
        recollect.open(path)
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_empty_file_becomes_a_store(tmp_path: Path) -> None:
    """As `mktemp` makes them: there is nothing in it that could be lost."""
    (tmp_path / "chat.db").touch()
    with recollect.open(tmp_path / "chat.db") as memory:
        assert memory.check().healthy


def test_newer_store(store: Path) -> None:
    execute(store, "INSERT INTO migrations VALUES ('9999-from-the-future', 0)")
    before = store.read_bytes()
    with pytest.raises(NewerStore, match="9999-from-the-future"):
        recollect.open(store)
    assert store.read_bytes() == before


# -- damaged pages


def is_healthy(path: Path) -> bool:
    """Whether a store opens, reads and checks without an error of ours; any other error is a failure."""
    try:
        with recollect.open(path) as memory:
            return memory.check().healthy and len(everything(memory)) == 3 * EACH
    except StorageError:
        return False


@pytest.mark.parametrize("kept", [0.9, 0.5, 0.1])
def test_truncated_file(store: Path, kept: float) -> None:
    """It is found out, when it is opened, read or checked."""
    assert is_healthy(store)
    with store.open("rb+") as file:
        file.truncate(int(store.stat().st_size * kept))
    assert not is_healthy(store)


def test_garbage_in_a_page_of_messages(store: Path, tmp_path: Path) -> None:
    """The session on the damaged page is a `StoreCorrupt`; the others are served, and the salvage saves all other rows."""
    page = page_of(store, "middle25q ")
    hit = re.findall(rb"(?:early|middle|late)\d+q ", store.read_bytes()[page * PAGE : (page + 1) * PAGE])
    overwrite(store, page, random.Random(1).randbytes(PAGE))
    with recollect.open(store) as memory:
        assert len(memory.chat(owner=OWNER, session="early").messages()) == EACH
        assert len(memory.chat(owner=OWNER, session="late").messages()) == EACH
        assert memory.chat(owner=OWNER, session="late").add("user", "still here").seq == EACH + 1
        with pytest.raises(StoreCorrupt, match="recollect doctor"):
            memory.chat(owner=OWNER, session="middle").messages()
        assert "file" in _findings_or_corrupt(memory)
    saved = salvage(Source(store), tmp_path / "saved.db")
    with recollect.open(tmp_path / "saved.db") as memory:
        messages = everything(memory)
        assert 3 * EACH + 1 - len(messages) == len(hit) > 0
        assert saved["messages"] == len(messages)
        assert all(is_whole(message.text) for message in messages if message.text != "still here")
        assert [h.message.id for h in found(memory, "late7q", owner=OWNER)] == ["late-7"]
        assert memory.check().healthy


def _findings_or_corrupt(memory: Memory) -> set[str]:
    try:
        return kinds(memory)
    except StoreCorrupt:
        return {"file"}


def surprises(path: Path, verbs: Sequence[Callable[[Memory], object]]) -> list[str]:
    """Opens a store, does these things with it, and salvages it. Returns the errors that are not ours."""
    found: list[str] = []

    def tried(call: Callable[[], Any]) -> Any:
        try:
            return call()
        except RecollectError:
            return None
        except Exception as error:
            found.append(f"{path.name}: {error!r} from {traceback.extract_tb(error.__traceback__)[-1]}")
            return None

    if memory := tried(lambda: recollect.open(path)):
        with memory:
            for verb in verbs:
                tried(partial(verb, memory))
    tried(lambda: salvage(Source(path), path.with_suffix(".saved")))
    return found


@pytest.mark.parametrize("garbage", ["noise", "zeros"])
def test_garbage_in_any_page(model: Path, tmp_path: Path, garbage: str) -> None:
    """Whichever page it hits, callers see our errors and no others."""
    verbs: list[Callable[[Memory], object]] = [
        everything,
        lambda memory: memory.sessions(owner=OWNER, tag="late"),
        lambda memory: memory.search("middle7q fox", owner=OWNER),
        lambda memory: memory.chat(owner=OWNER).add("user", marked("new")),
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


def test_the_doctor_bears_any_page_in_the_place_of_another(model: Path, tmp_path: Path) -> None:
    """A write that went astray: every page is good in itself, but rows are not what their table promises."""
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
def test_salvage_of_any_page(model: Path, tmp_path: Path, garbage: str) -> None:
    """Whichever page is lost, what the salvage brings is healthy and whole, and mostly it is nearly everything."""
    content = model.read_bytes()
    pages = len(content) // PAGE
    saved: list[int] = []
    for page in range(pages):
        path, target = Path(shutil.copy(model, tmp_path / f"{page}.db")), tmp_path / f"{page}.saved"
        overwrite(path, page, bytes(PAGE) if garbage == "zeros" else random.Random(page).randbytes(PAGE))
        with suppress(StorageError):
            salvage(Source(path), target)
            with recollect.open(target) as memory:
                messages = everything_there(memory)
                assert memory.check().healthy, f"page {page}"
            assert len({message.id for message in messages}) == len(messages), f"page {page}: messages are there twice"
            assert all(is_whole(message.text) for message in messages), f"page {page}"
            saved.append(len(messages))
    assert sum(count >= 3 * EACH - 10 for count in saved) > 0.8 * pages


def test_salvage_steps_over_every_hole(tmp_path: Path) -> None:
    """Several lost pages cost the messages on them, not those in between."""
    path, target = tmp_path / "chat.db", tmp_path / "saved.db"
    with recollect.open(path, durable=False) as memory:
        chat = memory.chat(owner=OWNER)
        for number in range(40):
            chat.add_many([{"role": "user", "content": f"message {number * 25 + part} " + "x" * 100} for part in range(25)])
    holes = {page_of(path, f"message {number} ") for number in (200, 500, 800)}
    assert len(holes) == 3
    for page in holes:
        overwrite(path, page, random.Random(page).randbytes(PAGE))
    saved = salvage(Source(path), target)
    assert 1000 - 3 * 40 < saved["messages"] < 1000
    with recollect.open(target) as memory:
        assert len(everything_there(memory)) == saved["messages"]
        assert memory.check().healthy


def everything_there(memory: Memory) -> list[Message]:
    """All messages of all sessions that are listed, whatever they are called after a repair."""
    found = memory.sessions(owner=OWNER, limit=1000)
    return [message for session in found for message in memory.chat(owner=OWNER, session=session.id).messages()]


# -- values that do not fit each other


@pytest.mark.parametrize("damage", ["{half", "", "[1]", "nonsense"])
def test_damaged_metadata(store: Path, damage: str) -> None:
    """The message is still served, with what is left of its metadata; a repair wraps it, and loses nothing."""
    execute(store, f"UPDATE messages SET metadata = '{damage}' WHERE id = 'middle-7'")
    with recollect.open(store) as memory:
        message = memory.chat(owner=OWNER, session="middle").message("middle-7")
        assert is_whole(message.text)
        assert message.metadata == {"recollect.damaged": damage}
        assert len(everything(memory)) == 3 * EACH
        assert kinds(memory) == {"values"}
        assert kinds(memory, repair=True) == {"values"}
        assert memory.check().healthy
        assert memory.chat(owner=OWNER, session="middle").message("middle-7").metadata == {"recollect.damaged": damage}


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
def test_what_does_not_match_is_found_and_mended(store: Path, kind: str, sql: str) -> None:
    execute(store, sql)
    with recollect.open(store) as memory:
        assert kind in kinds(memory)
        assert kind in kinds(memory, repair=True)
        assert memory.check().healthy
        assert len(everything_there(memory)) == 3 * EACH


def test_a_lost_keyword_entry_is_searchable_again(store: Path) -> None:
    execute(store, UNINDEX)
    with recollect.open(store) as memory:
        assert found(memory, "early7q", owner=OWNER) == []
        memory.check(repair=True)
        assert [hit.message.id for hit in found(memory, "early7q", owner=OWNER)] == ["early-7"]


def test_a_search_passes_over_a_stray_keyword_entry(store: Path) -> None:
    """The index knows a message whose row is gone: the others are found all the same."""
    execute(store, "DELETE FROM messages WHERE id = 'early-7'")
    with recollect.open(store) as memory:
        assert found(memory, "early7q", owner=OWNER) == []
        assert len(found(memory, "fox", owner=OWNER, limit=1000)) == 3 * EACH - 1
        assert {"keywords", "counters"} <= kinds(memory, repair=True)
        assert memory.check().healthy


def test_messages_that_have_lost_their_owner_are_found(store: Path) -> None:
    """Nobody can reach them: a check-up must not call that healthy."""
    execute(store, "DELETE FROM owners")
    with recollect.open(store) as memory:
        assert "orphans" in kinds(memory)
        memory.check(repair=True)
        assert memory.check().healthy
        assert memory.check().checked["messages"] == 3 * EACH, "a repair throws no messages away"


def test_a_session_that_was_lost_is_recovered(store: Path) -> None:
    """Messages are the truth: without their session's row they get a new session, in their order."""
    execute(store, "DELETE FROM sessions WHERE id = 'middle'")
    with recollect.open(store) as memory:
        assert "orphans" in kinds(memory, repair=True)
        recovered = [s for s in memory.sessions(owner=OWNER) if s.id not in SESSIONS]
        assert [session.message_count for session in recovered] == [EACH]
        assert_gapless(memory.chat(owner=OWNER, session=recovered[0].id).messages())
        assert memory.check().healthy
