"""Import of chats in OpenAI's format, with a conversation or a message per line."""

import json

import pytest
from samples import CHAT_LINES, list_texts, parents, read_export, read_json_export

from keepsaid.types import ContentPart, ToolCall


def lines(tmp_path, *values, name="chats.jsonl"):
    path = tmp_path / name
    path.write_text("\n".join(value if isinstance(value, str) else json.dumps(value) for value in values), encoding="utf-8")
    return read_export(path)


def one(tmp_path, *messages, **fields):
    (talk,), tally = lines(tmp_path, {"id": "j", "messages": list(messages)} | fields)
    return talk, tally


def test_import_reads_one_conversation_per_line(tmp_path):
    (first, second), _ = lines(tmp_path, *CHAT_LINES)
    assert (list_texts(first), first.system_prompt) == ([("user", "Hi")], "Be brief.")
    assert (second.id, list_texts(second)) == ("j2", [("user", "Bye"), ("assistant", "See you")])
    assert parents(second) == {"j2:0": None, "j2:1": "j2:0"}


def test_import_ids_do_not_depend_on_line_position(tmp_path):
    (first, _), _ = lines(tmp_path, *CHAT_LINES)
    (_, later), _ = lines(tmp_path, {"messages": [{"role": "user", "content": "New"}]}, CHAT_LINES[0])
    assert (later.id, parents(later)) == (first.id, parents(first))


def test_import_skips_only_invalid_lines(tmp_path):
    conversations, tally = lines(tmp_path, CHAT_LINES[0], '{"messages": [{"role": "us', "", "not json", CHAT_LINES[1])
    assert len(conversations) == 2
    assert dict(tally.skipped) == {"conversations that cannot be read": 2}
    assert "chats.jsonl, at byte 94" in tally.warnings[0]


def test_import_skips_invalid_first_line(tmp_path):
    conversations, tally = lines(tmp_path, '{"messages": [{"role": "us', CHAT_LINES[1])
    assert [conversation.id for conversation in conversations] == ["j2"]
    assert dict(tally.skipped) == {"conversations that cannot be read": 1}


def test_message_per_line_keeps_ids_when_extended(tmp_path):
    messages = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
    (talk,), _ = lines(tmp_path, *messages)
    (longer,), _ = lines(tmp_path, *messages, {"role": "user", "content": "Bye"})
    assert list_texts(talk) == [("user", "Hi"), ("assistant", "Hello")]
    assert longer.id == talk.id
    assert parents(longer).items() >= parents(talk).items()


@pytest.mark.parametrize("indent", [None, 2])
def test_import_accepts_lists_and_single_objects(tmp_path, indent):
    path = tmp_path / "chats.json"
    for value, number in ((CHAT_LINES, 2), (CHAT_LINES[1], 1), ([CHAT_LINES[1]["messages"]], 1)):
        path.write_text(json.dumps(value, indent=indent))
        conversations, _ = read_export(path, "chat-jsonl")
        assert len(conversations) == number
        assert list_texts(conversations[-1])[-1] == ("assistant", "See you")


def test_import_reads_list_of_messages_as_conversation(tmp_path):
    (talk,), _ = read_json_export(tmp_path, CHAT_LINES[1]["messages"])
    assert list_texts(talk) == [("user", "Bye"), ("assistant", "See you")]


def test_import_reads_sharegpt_format(tmp_path):
    value = {"id": "s1", "conversations": [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello"}]}
    (talk,), _ = read_json_export(tmp_path, [value])
    assert (talk.id, list_texts(talk)) == ("s1", [("user", "Hi"), ("assistant", "Hello")])


def test_import_keeps_tool_calls_and_results(tmp_path):
    call = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Bonn"}'}}
    talk, _ = one(
        tmp_path,
        {"role": "user", "content": "Rain?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "Rain"},
        {"role": "assistant", "content": "Yes."},
    )
    assert talk.nodes[1].draft.tool_calls == (ToolCall("call_1", "weather", '{"city": "Bonn"}'),)
    assert talk.nodes[2].draft.tool_call_id == "call_1"


def test_import_pairs_legacy_function_calls_with_results(tmp_path):
    talk, _ = one(
        tmp_path,
        {"role": "assistant", "content": None, "function_call": {"name": "a", "arguments": "{}"}},
        {"role": "function", "name": "a", "content": "1"},
        {"role": "assistant", "content": None, "function_call": {"name": "b", "arguments": "{}"}},
        {"role": "function", "name": "b", "content": "2"},
    )
    calls = [node.draft.tool_calls[0].id for node in talk.nodes[::2]]
    assert calls == [node.draft.tool_call_id for node in talk.nodes[1::2]]
    assert len(set(calls)) == 2


def test_import_reads_anthropic_and_openai_content_blocks(tmp_path):
    talk, _ = one(
        tmp_path,
        {
            "role": "user",
            "content": [{"type": "text", "text": "Look"}, {"type": "image_url", "image_url": {"url": "http://x"}}],
        },
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "see", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "a cat"}]},
    )
    assert talk.nodes[0].draft.content == (ContentPart("text", "Look"), ContentPart("image", uri="http://x"))
    assert talk.nodes[1].draft.tool_calls == (ToolCall("t1", "see", "{}"),)
    assert (talk.nodes[2].draft.role, talk.nodes[2].draft.tool_call_id) == ("tool", "t1")


def test_import_keeps_position_of_later_system_message(tmp_path):
    talk, tally = one(tmp_path, {"role": "user", "content": "Hi"}, {"role": "developer", "content": "Be nice"})
    assert list_texts(talk) == [("user", "Hi"), ("system", "Be nice")]
    assert not tally.repaired
