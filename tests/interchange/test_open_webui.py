"""Import of Open WebUI's export."""

import pytest
from samples import OPEN_WEBUI, list_texts, parents, read_json_export

from keepsaid.types import ContentPart, ToolCall


def read_answer(tmp_path, **message):
    """The messages that become of one answer."""
    fields = {"id": "m", "parentId": None, "role": "assistant"} | message
    (talk,), tally = read_json_export(
        tmp_path, [{"id": "c", "chat": {"history": {"currentId": "m", "messages": {"m": fields}}}}]
    )
    return [node.draft for node in talk.nodes], tally


def test_import_keeps_branches_tags_pin_and_times(tmp_path):
    (talk,), _ = read_json_export(tmp_path, OPEN_WEBUI)
    assert parents(talk) == {"o1-1": None, "o1-2": "o1-1", "o1-3": "o1-1"}
    assert (talk.id, talk.title, talk.leaf, talk.tags, talk.pinned) == ("o1", "Planets", "o1-3", ("space",), True)
    assert talk.nodes[2].draft.metadata == {"model": "llama3"}
    assert talk.created_at.timestamp() == 1_700_000_000


def test_import_accepts_legacy_object_and_message_list(tmp_path):
    chat = OPEN_WEBUI[0]["chat"]
    (talk,), _ = read_json_export(tmp_path, chat)
    assert (len(talk.nodes), talk.leaf) == (3, "o1-3")
    (again,), _ = read_json_export(tmp_path, [chat | {"title": "Renamed"}])
    assert again.id == talk.id
    line = {"chat": {"title": "Old", "messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}}
    (talk,), _ = read_json_export(tmp_path, [line])
    assert list_texts(talk) == [("user", "a"), ("assistant", "b")]
    assert list(parents(talk).values()) == [None, talk.nodes[0].id]


def test_import_keeps_system_prompt(tmp_path):
    chat = OPEN_WEBUI[0] | {"chat": OPEN_WEBUI[0]["chat"] | {"params": {"system": "Be brief."}}}
    assert read_json_export(tmp_path, [chat])[0][0].system_prompt == "Be brief."


def test_model_output_is_preferred_to_rendered_content(tmp_path):
    output = [
        {"type": "reasoning", "content": [{"type": "output_text", "text": "Hm"}]},
        {"type": "function_call", "id": "fc", "call_id": "call_1", "name": "weather", "arguments": '{"city":"Paris"}'},
        {"type": "function_call_output", "call_id": "call_1", "output": [{"type": "input_text", "text": "18C"}]},
        {"type": "message", "content": [{"type": "output_text", "text": "It is 18C."}]},
    ]
    (call, result, answer), tally = read_answer(tmp_path, content="<details>folded</details>", output=output)
    assert call.tool_calls == (ToolCall("call_1", "weather", '{"city":"Paris"}'),)
    assert (result.content, result.tool_call_id) == ("18C", "call_1")
    assert answer.content == "It is 18C."
    assert dict(tally.skipped) == {"passages of reasoning": 1}


def test_details_tags_become_tool_calls_and_drop_reasoning(tmp_path):
    content = (
        '<details type="reasoning" done="true" duration="3">\n<summary>Thought</summary>\n&gt; Hm\n</details>\n'
        "Let me look.\n"
        '<details type="tool_calls" done="true" id="call_1" name="weather" arguments="&quot;{\\&quot;city\\&quot;: 1}&quot;"'
        ' result="&quot;18C&quot;">\n<summary>Tool Executed</summary>\n</details>\nIt is 18C.'
    )
    (call, result, answer), tally = read_answer(tmp_path, content=content)
    assert (call.content, call.tool_calls) == ("Let me look.", (ToolCall("call_1", "weather", '{"city": 1}'),))
    assert (result.role, result.content, result.tool_call_id) == ("tool", "18C", "call_1")
    assert answer.content == "It is 18C."
    assert dict(tally.skipped) == {"passages of reasoning": 1}


@pytest.mark.parametrize("content", ["<details>mine</details>", '<details type="reasoning">never closed', "a < b > c"])
def test_other_details_tags_stay_text(tmp_path, content):
    (draft,), _ = read_answer(tmp_path, content=content)
    assert draft.content == content


def test_files_are_kept_and_inlined_images_dropped(tmp_path):
    files = [
        {"type": "image", "url": "data:image/png;base64,iVBORw0KGgo="},
        {"type": "file", "name": "a.txt", "id": "f1", "file": {"data": {"content": "Milk"}}},
    ]
    (draft,), tally = read_answer(tmp_path, role="user", content="Look", files=files)
    assert draft.content == (
        ContentPart("text", "Look"),
        ContentPart("image", media_type="image/png"),
        ContentPart("file", "Milk", "f1", None, "a.txt"),
    )
    assert dict(tally.skipped) == {"files that were written into the export": 1}


def test_failed_answer_keeps_its_error_text(tmp_path):
    (draft,), _ = read_answer(tmp_path, content="", error={"content": "model not found"})
    assert draft.content == "model not found"


def test_chats_without_messages_are_counted(tmp_path):
    _, tally = read_json_export(tmp_path, [*OPEN_WEBUI, {"id": "x", "chat": {"history": {"messages": {}}}}, {"chat": None}])
    assert dict(tally.skipped) == {"conversations without messages or history": 2}
