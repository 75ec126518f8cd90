"""Invalid input is rejected with a specific error; nothing is lost, and the store keeps working."""

from datetime import datetime

import pytest
from backends import near

import keepsaid
from keepsaid import ContentPart, MessageDraft, ToolCall, errors
from keepsaid.engine.messages.cursor import encode_cursor

NAIVE = datetime(2026, 5, 1)  # noqa: DTZ001  # that it is naive is the point

BAD_MESSAGES = {
    "unknown role": {"role": "robot"},
    "role of a wrong type": {"role": 3},
    "NUL": {"role": "user", "content": "a\0b"},
    "lone surrogate": {"role": "user", "content": "a\ud800b"},
    "content of a wrong type": {"role": "user", "content": 5},
    "part of a wrong type": {"role": "user", "content": ["text"]},
    "part with an unknown field": {"role": "user", "content": [{"kind": "text", "txt": "x"}]},
    "NUL in a part": {"role": "user", "content": [ContentPart("text", "\0")]},
    "tool call without a name": {"role": "assistant", "tool_calls": [{"id": "c"}]},
    "NUL in tool arguments": {"role": "assistant", "tool_calls": [ToolCall("c", "f", "\0")]},
    "metadata that is not JSON": {"role": "user", "metadata": {"x": object()}},
    "metadata with NaN": {"role": "user", "metadata": {"x": float("nan")}},
    "NUL in metadata": {"role": "user", "metadata": {"x": ["a\0"]}},
    "surrogate in a metadata key": {"role": "user", "metadata": {"\udc00": 1}},
    "empty id": {"role": "user", "id": ""},
    "endless id": {"role": "user", "id": "x" * 513},
    "importance out of range": {"role": "user", "importance": 1.5},
    "importance that is not a number": {"role": "user", "importance": "high"},
    "naive time": {"role": "user", "created_at": NAIVE},
    "time of a wrong type": {"role": "user", "created_at": "yesterday"},
    "unknown field": {"role": "user", "colour": "blue"},
    "no role": {"content": "x"},
    "not a message": "hello",
}


@pytest.mark.parametrize("message", BAD_MESSAGES.values(), ids=BAD_MESSAGES)
@near(reason="refused before anything is kept")
def test_invalid_message_is_rejected_with_its_batch(memory, message):
    chat = memory.chat(owner="u1")
    chat.add("user", "before")
    with pytest.raises(errors.InvalidInput) as caught:
        chat.add_many([MessageDraft("user", "good"), message])
    assert len(str(caught.value)) > 10
    assert [m.text for m in chat.messages()] == ["before"]
    assert chat.add("user", "after").seq == 2


def test_literal_escapes_are_not_mistaken_for_nul(memory):
    chat = memory.chat(owner="u1")
    said = chat.add("user", "x", metadata={"a": "\\u0000", "b": "\\ud800", "c": "😀"})
    assert chat.messages()[0].metadata == said.metadata == {"a": "\\u0000", "b": "\\ud800", "c": "😀"}


def test_message_over_size_limit_is_rejected(memory):
    chat = memory.chat(owner="u1")
    for content in ("x" * 50_000_000, "ü" * 25_000_000):
        with pytest.raises(errors.MessageTooLarge, match=r"50,000,000 bytes"):
            chat.add("user", content)
    with pytest.raises(errors.MessageTooLarge):
        chat.add("user", "x", metadata={"log": "y" * 50_000_000})
    large = chat.add("user", "word " * min(1_000_000, memory._services.storage.largest_message // 10))
    assert chat.messages() == [large]


OWNERS = {"empty": "", "NUL": "a\0b", "surrogate": "\ud800", "endless": "x" * 513, "number": 7, "none": None}


@pytest.mark.parametrize("owner", OWNERS.values(), ids=OWNERS)
@near(reason="refused before anything is kept")
def test_invalid_owner_is_rejected_by_every_method(memory, owner):
    for use in (
        lambda: memory.chat(owner=owner),
        lambda: memory.sessions(owner=owner),
        lambda: memory.search("x", owner=owner),
        lambda: memory.erase(owner=owner),
        lambda: memory.watch(owner=owner),
        lambda: memory.create_pool("team", owner=owner),
        lambda: memory.pools(owner=owner),
    ):
        with pytest.raises(errors.InvalidInput, match="owner"):
            use()


@near(reason="refused before anything is kept")
def test_invalid_limits_are_rejected(memory):
    chat = memory.chat(owner="u1")
    for use in (
        lambda: chat.messages(last=-1),
        lambda: chat.messages(max_tokens=-1),
        lambda: chat.messages(last=2.5),
        lambda: chat.messages(last=True),
        lambda: chat.page(limit=0),
        lambda: memory.sessions(owner="u1", limit=0),
        lambda: memory.sessions(owner="u1", limit="many"),
        lambda: memory.search("x", owner="u1", limit=-3),
    ):
        with pytest.raises(errors.InvalidInput):
            use()


def test_huge_limit_returns_everything(memory):
    chat = memory.chat(owner="u1")
    chat.add("user", "x")
    assert len(chat.messages(last=10**30)) == len(memory.sessions(owner="u1", limit=10**30)) == 1


@near(reason="refused before anything is kept")
def test_cursor_of_another_query_is_rejected(memory):
    chat, other = memory.chat(owner="u1"), memory.chat(owner="u1")
    for _ in range(3):
        chat.add("user", "x")
        other.add("user", "x")
    messages = chat.page(limit=1).next
    sessions = memory.sessions(owner="u1", limit=1).next
    for use in (
        lambda: other.page(limit=1, cursor=messages),
        lambda: chat.page(limit=1, cursor=messages, newest_first=True),
        lambda: chat.page(limit=1, cursor=sessions),
        lambda: memory.sessions(owner="u1", cursor=messages),
        lambda: memory.sessions(owner="u2", cursor=sessions),
        lambda: memory.sessions(owner="u1", status="active", cursor=sessions),
        lambda: memory.sessions(owner="u1", cursor="not a cursor"),
        lambda: memory.sessions(owner="u1", cursor="ü"),
        lambda: memory.sessions(owner="u1", cursor=""),
        lambda: memory.sessions(owner="u1", cursor=sessions[:-3]),
        lambda: memory.sessions(owner="u1", cursor=encode_cursor(("sessions", "u1", None, None, None, None, None), 10**30)),
    ):
        with pytest.raises(errors.InvalidCursor):
            use()
    assert len(memory.sessions(owner="u1", limit=1, cursor=sessions)) == 1


def test_session_of_another_owner_is_not_found(memory):
    mine = memory.chat(owner="u1", session="s1", create=True)
    message = mine.add("user", "secret", id="m1")
    for use in (
        lambda: memory.chat(owner="u2", session="s1"),
        lambda: memory.restore(owner="u2", session="s1"),
        lambda: memory.erase(owner="u2", session="s1"),
        lambda: memory.erase(owner="u2", session="s1", message="m1"),
        lambda: memory.watch(owner="u2", session="s1"),
    ):
        with pytest.raises(errors.NotFound):
            use()
    theirs = memory.chat(owner="u2", session="s1", create=True)
    for use in (lambda: theirs.message("m1"), lambda: theirs.pin("m1"), lambda: theirs.fork(at="m1")):
        with pytest.raises(errors.NotFound):
            use()
    assert mine.messages() == [message]


@near(reason="refused before anything is kept")
def test_other_invalid_arguments_are_rejected(memory):
    chat = memory.chat(owner="u1")
    for use in (
        lambda: memory.sessions(owner="u1", status="purged"),
        lambda: memory.sessions(owner="u1", since=NAIVE),
        lambda: memory.chat(owner="u1", tags="work"),
        lambda: memory.chat(owner="u1", title="\0"),
        lambda: memory.chat(owner="u1", metadata=[1]),
        lambda: memory.chat(owner="u1", created_at=NAIVE),
        lambda: memory.chat(owner="u1", pool="p", temporary=True),
        lambda: memory.grant("p", to="u2", by="u1", access="all"),
        lambda: memory.erase(owner="u1", message="m1"),
        lambda: memory.search(None, owner="u1"),
        lambda: chat.fork(),
        lambda: chat.update(tags=[""]),
    ):
        with pytest.raises(errors.InvalidInput):
            use()
    assert memory.check().healthy


@pytest.mark.parametrize("url", ["memory://", "chat.db"])
def test_closed_store_rejects_every_call(tmp_path, monkeypatch, url):
    monkeypatch.chdir(tmp_path)
    memory = keepsaid.open(url)
    chat = memory.chat(owner="u1")
    memory.close()
    memory.close()
    for use in (lambda: chat.add("user", "x"), chat.messages, lambda: memory.sessions(owner="u1"), memory.retention):
        with pytest.raises(errors.StoreClosed):
            use()
