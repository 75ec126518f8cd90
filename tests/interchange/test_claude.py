"""Import of Claude's export."""

import pytest
from samples import CLAUDE, FIXTURES, list_texts, parents, read_export, read_json_export

from keepsaid.types import ContentPart, ToolCall


def one(tmp_path, *messages, **fields):
    (talk,), tally = read_json_export(tmp_path, [{"uuid": "c", "name": "Talk", "chat_messages": list(messages)} | fields])
    return talk, tally


def test_import_keeps_parents_titles_and_texts(tmp_path):
    (talk, other), tally = read_json_export(tmp_path, CLAUDE)
    assert parents(talk) == {"k1-1": None, "k1-2": "k1-1"}
    assert list_texts(talk) == [("user", "Will it rain?"), ("assistant", "It will.")]
    assert (talk.title, other.title, other.metadata) == ("Weather", None, {"imported_from": "claude"})
    assert not tally.skipped
    assert not tally.repaired


def test_messages_without_parents_form_a_line_and_others_branch(tmp_path):
    line = [{"uuid": f"m{place}", "sender": "human", "text": str(place)} for place in range(3)]
    assert parents(one(tmp_path, *line)[0]) == {"m0": None, "m1": "m0", "m2": "m1"}
    line[1]["parent_message_uuid"] = line[2]["parent_message_uuid"] = "m0"
    talk, _ = one(tmp_path, *line, current_leaf_message_uuid="m1")
    assert parents(talk) == {"m0": None, "m1": "m0", "m2": "m0"}
    assert talk.leaf == "m1"


def test_content_blocks_become_tool_calls_results_and_text(tmp_path):
    content = [
        {"type": "thinking", "thinking": "Hm."},
        {"type": "text", "text": "Let me look."},
        {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {"city": "Köln"}},
        {"type": "tool_use", "name": "time", "input": None},
        {"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "text", "text": "Rain"}]},
        {"type": "tool_result", "content": "Noon", "is_error": True},
        {"type": "token_budget"},
        {"type": "text", "text": "It rains at noon."},
    ]
    talk, tally = one(tmp_path, {"uuid": "m", "sender": "assistant", "text": "fallback", "content": content})
    asked, rain, noon, answer = [node.draft for node in talk.nodes]
    assert asked.content == "Let me look."
    assert asked.tool_calls == (ToolCall("toolu_1", "weather", '{"city": "Köln"}'), ToolCall("m:call:2", "time", "{}"))
    assert (rain.role, rain.content, rain.tool_call_id, rain.name) == ("tool", "Rain", "toolu_1", "weather")
    assert (noon.content, noon.tool_call_id, noon.metadata) == ("Noon", "m:call:2", {"error": True})
    assert answer.content == "It rains at noon."
    assert parents(talk) == {"m": None, "m:2": "m", "m:3": "m:2", "m:4": "m:3"}
    assert talk.leaf == "m:4"
    assert dict(tally.skipped) == {"passages of reasoning": 1}


def test_search_result_keeps_title_url_and_text(tmp_path):
    found = {
        "type": "knowledge",
        "title": "Tides",
        "url": "https://e.org",
        "text": "High at noon",
        "metadata": {"name": "x"},
    }
    content = [
        {"type": "tool_use", "id": "t", "name": "web_search"},
        {"type": "tool_result", "tool_use_id": "t", "content": [found]},
    ]
    talk, _ = one(tmp_path, {"uuid": "m", "sender": "assistant", "content": content})
    assert talk.nodes[1].draft.content == "Tides\nhttps://e.org\nHigh at noon"


@pytest.mark.parametrize("content", [None, [], [{"type": "thinking", "thinking": "Hm"}], "absent"])
def test_message_text_replaces_empty_content_blocks(tmp_path, content):
    message = {"uuid": "m", "sender": "human", "text": "Hello", "content": content}
    if content == "absent":
        del message["content"]
    assert list_texts(one(tmp_path, message)[0]) == [("user", "Hello")]


def test_attachment_text_is_kept_and_files_are_named(tmp_path):
    message = {
        "uuid": "m",
        "sender": "human",
        "text": "Read this",
        "attachments": [{"file_name": "a.txt", "file_type": "txt", "extracted_content": "Milk, eggs"}],
        "files": [{"file_name": "b.png", "file_uuid": "f1", "file_kind": "image"}],
        "files_v2": [{"file_name": "b.png", "file_uuid": "f1", "file_kind": "image"}],
    }
    talk, _ = one(tmp_path, message)
    assert talk.nodes[0].draft.content == (
        ContentPart("text", "Read this"),
        ContentPart("file", "Milk, eggs", None, "txt", "a.txt"),
        ContentPart("image", None, "f1", None, "b.png"),
    )


def test_attachment_without_text_message_is_kept(tmp_path):
    talk, _ = one(tmp_path, {"uuid": "m", "sender": "human", "attachments": [{"extracted_content": "Milk"}]})
    assert talk.nodes[0].draft.content == (ContentPart("file", "Milk"),)


def test_empty_conversations_and_messages_are_counted(tmp_path):
    value = [
        {"uuid": "c"},
        {"uuid": "d", "chat_messages": []},
        {"uuid": "e", "chat_messages": [{"sender": "human"}]},
        *CLAUDE,
    ]
    conversations, tally = read_json_export(tmp_path, value)
    assert len(conversations) == 2
    assert dict(tally.skipped) == {
        "conversations without a list of messages": 1,
        "conversations without messages": 2,
        "empty messages": 1,
    }


def test_repeated_message_is_dropped_and_duplicate_id_renamed(tmp_path):
    message = {"uuid": "m", "sender": "human", "text": "Hi", "parent_message_uuid": None}
    talk, tally = one(tmp_path, message, message, message | {"text": "Another"})
    assert list_texts(talk) == [("user", "Hi"), ("user", "Another")]
    assert [node.id for node in talk.nodes] == ["m", "m~2"]
    assert dict(tally.skipped) == {"repeated messages": 1}


@pytest.mark.skipif(not FIXTURES.exists(), reason="the shared fixtures are not here")
def test_real_export_imports_every_message():
    conversations, tally = read_export(FIXTURES / "amx-claude-conversations.json")
    assert [(one.id, len(one.nodes)) for one in conversations] == [("conv-weather-123", 4), ("conv-recipe-456", 4)]
    assert not tally.skipped
