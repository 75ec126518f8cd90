"""Import of LibreChat's export."""

import json

import pytest
from samples import FIXTURES, LIBRECHAT, list_texts, parents, read_export, read_json_export

from keepsaid.types import ContentPart, ToolCall


def one(tmp_path, value):
    (talk,), tally = read_json_export(tmp_path, value)
    return talk, tally


def with_messages(*messages, **fields):
    return {"conversationId": "l", "title": "T", "messages": list(messages)} | fields


def test_import_reads_nested_messages(tmp_path):
    talk, tally = one(tmp_path, LIBRECHAT)
    assert parents(talk) == {"l1-1": None, "l1-2": "l1-1", "l1-3": "l1-1"}
    assert (talk.id, talk.title, talk.leaf, talk.system_prompt) == ("l1", "Bread", "l1-3", "You are a baker.")
    assert talk.nodes[1].draft.metadata == {"model": "gpt-4o", "sender": "GPT-4"}
    assert talk.created_at.isoformat() == "2024-05-01T16:35:11.530000+00:00"
    assert not tally.skipped


def test_import_reads_flat_messages_under_both_list_names(tmp_path):
    flat = [
        {"messageId": "a", "parentMessageId": None, "isCreatedByUser": True, "text": "Hi"},
        {"messageId": "b", "parentMessageId": "a", "isCreatedByUser": False, "text": "Hello"},
        {"messageId": "c", "parentMessageId": "a", "isCreatedByUser": False, "text": "Good day"},
    ]
    for name in ("messages", "messagesTree"):
        talk, _ = one(tmp_path, {"conversationId": "l", name: flat})
        assert parents(talk) == {"a": None, "b": "a", "c": "a"}


def test_messages_without_parents_form_a_line(tmp_path):
    talk, _ = one(tmp_path, with_messages({"sender": "user", "text": "Hi"}, {"sender": "GPT", "text": "Hello"}))
    assert list_texts(talk) == [("user", "Hi"), ("assistant", "Hello")]
    assert parents(talk) == {"l:0": None, "l:1": "l:0"}


def test_content_parts_become_tool_calls_results_and_text(tmp_path):
    content = [
        {"type": "think", "think": "Hm"},
        {"type": "text", "text": "Let me look."},
        {"type": "tool_call", "tool_call": {"id": "t1", "name": "search", "args": '{"q": 1}', "output": "found"}},
        {"type": "text", "text": {"value": "Here."}},
    ]
    message = {"messageId": "m", "isCreatedByUser": False, "text": "", "content": content}
    talk, tally = one(tmp_path, with_messages(message))
    call, result, answer = [node.draft for node in talk.nodes]
    assert (call.content, call.tool_calls) == ("Let me look.", (ToolCall("t1", "search", '{"q": 1}'),))
    assert (result.content, result.tool_call_id, result.name, answer.content) == ("found", "t1", "search", "Here.")
    assert dict(tally.skipped) == {"passages of reasoning": 1}


def test_files_are_imported_by_name(tmp_path):
    file = {"file_id": "f1", "filename": "cat.png", "type": "image/png", "filepath": "/images/cat.png"}
    talk, _ = one(tmp_path, with_messages({"messageId": "m", "isCreatedByUser": True, "text": "Look", "files": [file]}))
    assert talk.nodes[0].draft.content == (ContentPart("text", "Look"), ContentPart("image", None, "f1", None, "cat.png"))


def test_import_reads_3000_levels_of_nested_messages(tmp_path):
    depth = 3000
    path = tmp_path / "deep.json"
    opened = "".join(
        f'{{"messageId": "m{place}", "isCreatedByUser": {json.dumps(place % 2 == 0)}, "text": "{place}", "children": ['
        for place in range(depth)
    )
    path.write_text('{"conversationId": "d", "messages": [' + opened + "]}" * depth + "]}")
    (talk,), tally = read_export(path)
    assert (len(talk.nodes), talk.leaf) == (depth, f"m{depth - 1}")
    assert not tally.skipped


def test_conversation_without_messages_is_counted(tmp_path):
    conversations, tally = read_json_export(tmp_path, [{"conversationId": "x", "messages": []}, LIBRECHAT])
    assert len(conversations) == 1
    assert dict(tally.skipped) == {"conversations without a list of messages": 1}


@pytest.mark.skipif(not FIXTURES.exists(), reason="the shared fixtures are not here")
def test_real_exports_import_every_message():
    (flat,), _ = read_export(FIXTURES / "librechat-linear.json")
    (tree,), _ = read_export(FIXTURES / "librechat-tree.json")
    assert len(flat.nodes) == 2
    assert len(tree.nodes) == 9
    assert sum(parent == "4c395510-fdfd-4556-b034-f9440f025e91" for parent in parents(tree).values()) == 2
