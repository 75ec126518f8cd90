"""Import of LlamaIndex's SimpleChatStore."""

import json

from samples import LLAMA_INDEX, list_texts, parents, read_json_export

from keepsaid.types import ContentPart, ToolCall


def test_import_reads_one_conversation_per_key(tmp_path):
    (first, second), tally = read_json_export(tmp_path, LLAMA_INDEX)
    assert (first.id, list_texts(first)) == ("user1", [("user", "Hi"), ("assistant", "Hello")])
    assert parents(first) == {"user1:0": None, "user1:1": "user1:0"}
    assert (second.id, list_texts(second)) == ("user2", [("user", "An older shape")])
    assert not tally.skipped


def test_tool_calls_are_read_from_kwargs_and_blocks(tmp_path):
    call = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}
    messages = [
        {"role": "system", "blocks": [{"block_type": "text", "text": "Be brief."}]},
        {"role": "assistant", "content": None, "additional_kwargs": {"tool_calls": [call]}},
        {"role": "tool", "content": "2", "additional_kwargs": {"tool_call_id": "c1", "name": "add"}},
        {
            "role": "assistant",
            "blocks": [
                {"block_type": "thinking", "content": "Hm"},
                {"block_type": "tool_call", "tool_call_id": "c2", "tool_name": "sub", "tool_kwargs": {"a": 2}},
            ],
        },
    ]
    (talk,), tally = read_json_export(tmp_path, {"store": {"k": messages}, "class_name": "SimpleChatStore"})
    assert talk.system_prompt == "Be brief."
    assert talk.nodes[0].draft.tool_calls == (ToolCall("c1", "add", '{"a": 1}'),)
    assert (talk.nodes[1].draft.tool_call_id, talk.nodes[1].draft.name) == ("c1", "add")
    assert talk.nodes[2].draft.tool_calls == (ToolCall("c2", "sub", '{"a": 2}'),)
    assert dict(tally.skipped) == {"passages of reasoning": 1}


def test_image_bytes_are_dropped_and_urls_kept(tmp_path):
    blocks = [{"block_type": "image", "image": "aGVsbG8=", "url": None}, {"block_type": "image", "url": "http://x/cat.png"}]
    (talk,), tally = read_json_export(tmp_path, {"store": {"k": [{"role": "user", "blocks": blocks}]}})
    assert [(part.kind, part.uri) for part in talk.nodes[0].draft.content] == [
        ("image", None),
        ("image", "http://x/cat.png"),
    ]
    assert isinstance(talk.nodes[0].draft.content[0], ContentPart)
    assert dict(tally.skipped) == {"files that were written into the export": 1}


def test_import_reads_json_string_of_older_versions(tmp_path):
    (first, second), _ = read_json_export(tmp_path, json.dumps(LLAMA_INDEX))
    assert (first.id, list_texts(second)) == ("user1", [("user", "An older shape")])


def test_key_without_messages_is_counted(tmp_path):
    conversations, tally = read_json_export(tmp_path, {"store": {"a": [], "b": None, "c": LLAMA_INDEX["store"]["user1"]}})
    assert [conversation.id for conversation in conversations] == ["c"]
    assert dict(tally.skipped) == {"conversations without a list of messages": 2}
