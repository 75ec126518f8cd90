"""LlamaIndex's SimpleChatStore."""

import json

from samples import LLAMA_INDEX, imported_json, parents, said

from recollect.types import Part, ToolCall


def test_a_conversation_for_each_key(tmp_path):
    (first, second), tally = imported_json(tmp_path, LLAMA_INDEX)
    assert (first.id, said(first)) == ("user1", [("user", "Hi"), ("assistant", "Hello")])
    assert parents(first) == {"user1:0": None, "user1:1": "user1:0"}
    assert (second.id, said(second)) == ("user2", [("user", "An older shape")])
    assert not tally.skipped


def test_tools_in_the_particular_arguments_and_in_blocks(tmp_path):
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
    (talk,), tally = imported_json(tmp_path, {"store": {"k": messages}, "class_name": "SimpleChatStore"})
    assert talk.system_prompt == "Be brief."
    assert talk.nodes[0].draft.tool_calls == (ToolCall("c1", "add", '{"a": 1}'),)
    assert (talk.nodes[1].draft.tool_call_id, talk.nodes[1].draft.name) == ("c1", "add")
    assert talk.nodes[2].draft.tool_calls == (ToolCall("c2", "sub", '{"a": 2}'),)
    assert dict(tally.skipped) == {"passages of reasoning": 1}


def test_pictures_are_named_and_their_bytes_left_out(tmp_path):
    blocks = [{"block_type": "image", "image": "aGVsbG8=", "url": None}, {"block_type": "image", "url": "http://x/cat.png"}]
    (talk,), tally = imported_json(tmp_path, {"store": {"k": [{"role": "user", "blocks": blocks}]}})
    assert [(part.kind, part.uri) for part in talk.nodes[0].draft.content] == [
        ("image", None),
        ("image", "http://x/cat.png"),
    ]
    assert isinstance(talk.nodes[0].draft.content[0], Part)
    assert dict(tally.skipped) == {"files that were written into the export": 1}


def test_the_string_of_json_that_older_versions_wrote(tmp_path):
    (first, second), _ = imported_json(tmp_path, json.dumps(LLAMA_INDEX))
    assert (first.id, said(second)) == ("user1", [("user", "An older shape")])


def test_an_empty_key_is_counted(tmp_path):
    conversations, tally = imported_json(tmp_path, {"store": {"a": [], "b": None, "c": LLAMA_INDEX["store"]["user1"]}})
    assert [conversation.id for conversation in conversations] == ["c"]
    assert dict(tally.skipped) == {"conversations without a list of messages": 2}
