"""Import of LangChain's SQL message table."""

import json
import sqlite3

from samples import list_texts, parents, read_export

from keepsaid.types import ToolCall


def history(tmp_path, *messages, table="message_store"):
    """A database as SQLChatMessageHistory makes it: session and message for each row."""
    path = tmp_path / "history.db"
    with sqlite3.connect(path) as db:
        db.execute(f"CREATE TABLE {table} (id INTEGER PRIMARY KEY, session_id TEXT, message TEXT)")
        rows = [(session, message if isinstance(message, str) else json.dumps(message)) for session, message in messages]
        db.executemany(f"INSERT INTO {table} (session_id, message) VALUES (?, ?)", rows)
    db.close()
    return path


def build_message(type, content="", **data):
    return {"type": type, "data": {"content": content, "additional_kwargs": {}, "type": type} | data}


def test_interleaved_sessions_are_separated(tmp_path):
    path = history(
        tmp_path,
        ("a", build_message("human", "Hi")),
        ("b", build_message("human", "Hey")),
        ("a", build_message("ai", "Hello")),
    )
    (first, second), tally = read_export(path)
    assert (first.id, list_texts(first)) == ("a", [("user", "Hi"), ("assistant", "Hello")])
    assert parents(first) == {"a:1": None, "a:3": "a:1"}
    assert list_texts(second) == [("user", "Hey")]
    assert first.metadata == {"imported_from": "langchain-sql"}
    assert not tally.skipped


def test_tools_models_and_roles_are_kept(tmp_path):
    blocks = [{"type": "text", "text": "Adding."}, {"type": "tool_use", "id": "c1", "name": "add", "input": {"a": 1}}]
    path = history(
        tmp_path,
        ("a", build_message("system", "Be brief.")),
        ("a", build_message("ai", blocks, tool_calls=[{"name": "add", "args": {"a": 1}, "id": "c1", "type": "tool_call"}])),
        ("a", build_message("tool", "2", tool_call_id="c1", name="add", status="error")),
        ("a", build_message("AIMessageChunk", "Two.", response_metadata={"model_name": "gpt-4o"})),
        ("a", build_message("chat", "Indeed.", role="narrator")),
        table="my_history",
    )
    (talk,), _ = read_export(path)
    assert talk.system_prompt == "Be brief."
    call, result, answer, narrated = [node.draft for node in talk.nodes]
    assert (call.content, call.tool_calls) == ("Adding.", (ToolCall("c1", "add", '{"a": 1}'),))
    assert (result.role, result.tool_call_id, result.metadata) == ("tool", "c1", {"error": True})
    assert (answer.role, answer.content, answer.metadata) == ("assistant", "Two.", {"model": "gpt-4o"})
    assert (narrated.role, narrated.metadata) == ("assistant", {"role": "narrator"})


def test_invalid_rows_are_skipped_and_counted(tmp_path):
    path = history(
        tmp_path,
        ("a", "not json"),
        ("a", build_message("human", "Hi")),
        ("a", "[1]"),
        (None, build_message("human", "lost")),
    )
    (talk,), tally = read_export(path)
    assert list_texts(talk) == [("user", "Hi")]
    assert dict(tally.skipped) == {"messages that cannot be read": 2, "messages without a session": 1}
    assert tally.warnings == [f"conversation a: row {number} is not a JSON message" for number in (1, 3)]
