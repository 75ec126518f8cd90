"""Open WebUI's export."""

import pytest
from samples import OPEN_WEBUI, imported_json, parents, said

from recollect.types import Part, ToolCall


def answered(tmp_path, **message):
    """The messages that become of one answer."""
    fields = {"id": "m", "parentId": None, "role": "assistant"} | message
    (talk,), tally = imported_json(
        tmp_path, [{"id": "c", "chat": {"history": {"currentId": "m", "messages": {"m": fields}}}}]
    )
    return [node.draft for node in talk.nodes], tally


def test_branches_marks_and_times(tmp_path):
    (talk,), _ = imported_json(tmp_path, OPEN_WEBUI)
    assert parents(talk) == {"o1-1": None, "o1-2": "o1-1", "o1-3": "o1-1"}
    assert (talk.id, talk.title, talk.leaf, talk.tags, talk.pinned) == ("o1", "Planets", "o1-3", ("space",), True)
    assert talk.nodes[2].draft.metadata == {"model": "llama3"}
    assert talk.created_at.timestamp() == 1_700_000_000


def test_the_legacy_bare_object_and_the_bare_list(tmp_path):
    chat = OPEN_WEBUI[0]["chat"]
    (talk,), _ = imported_json(tmp_path, chat)
    assert (len(talk.nodes), talk.leaf) == (3, "o1-3")
    (again,), _ = imported_json(tmp_path, [chat | {"title": "Renamed"}])
    assert again.id == talk.id
    line = {"chat": {"title": "Old", "messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}}
    (talk,), _ = imported_json(tmp_path, [line])
    assert said(talk) == [("user", "a"), ("assistant", "b")]
    assert list(parents(talk).values()) == [None, talk.nodes[0].id]


def test_the_system_prompt(tmp_path):
    chat = OPEN_WEBUI[0] | {"chat": OPEN_WEBUI[0]["chat"] | {"params": {"system": "Be brief."}}}
    assert imported_json(tmp_path, [chat])[0][0].system_prompt == "Be brief."


def test_what_the_model_put_out_is_preferred_to_the_page(tmp_path):
    output = [
        {"type": "reasoning", "content": [{"type": "output_text", "text": "Hm"}]},
        {"type": "function_call", "id": "fc", "call_id": "call_1", "name": "weather", "arguments": '{"city":"Paris"}'},
        {"type": "function_call_output", "call_id": "call_1", "output": [{"type": "input_text", "text": "18C"}]},
        {"type": "message", "content": [{"type": "output_text", "text": "It is 18C."}]},
    ]
    (call, result, answer), tally = answered(tmp_path, content="<details>folded</details>", output=output)
    assert call.tool_calls == (ToolCall("call_1", "weather", '{"city":"Paris"}'),)
    assert (result.content, result.tool_call_id) == ("18C", "call_1")
    assert answer.content == "It is 18C."
    assert dict(tally.skipped) == {"passages of reasoning": 1}


def test_folds_of_the_page_become_calls_and_thoughts_are_left_out(tmp_path):
    content = (
        '<details type="reasoning" done="true" duration="3">\n<summary>Thought</summary>\n&gt; Hm\n</details>\n'
        "Let me look.\n"
        '<details type="tool_calls" done="true" id="call_1" name="weather" arguments="&quot;{\\&quot;city\\&quot;: 1}&quot;"'
        ' result="&quot;18C&quot;">\n<summary>Tool Executed</summary>\n</details>\nIt is 18C.'
    )
    (call, result, answer), tally = answered(tmp_path, content=content)
    assert (call.content, call.tool_calls) == ("Let me look.", (ToolCall("call_1", "weather", '{"city": 1}'),))
    assert (result.role, result.content, result.tool_call_id) == ("tool", "18C", "call_1")
    assert answer.content == "It is 18C."
    assert dict(tally.skipped) == {"passages of reasoning": 1}


@pytest.mark.parametrize("content", ["<details>mine</details>", '<details type="reasoning">never closed', "a < b > c"])
def test_other_folds_are_the_authors_own(tmp_path, content):
    (draft,), _ = answered(tmp_path, content=content)
    assert draft.content == content


def test_files_and_inlined_pictures(tmp_path):
    files = [
        {"type": "image", "url": "data:image/png;base64,iVBORw0KGgo="},
        {"type": "file", "name": "a.txt", "id": "f1", "file": {"data": {"content": "Milk"}}},
    ]
    (draft,), tally = answered(tmp_path, role="user", content="Look", files=files)
    assert draft.content == (
        Part("text", "Look"),
        Part("image", media_type="image/png"),
        Part("file", "Milk", "f1", None, "a.txt"),
    )
    assert dict(tally.skipped) == {"files that were written into the export": 1}


def test_an_answer_that_failed_shows_how(tmp_path):
    (draft,), _ = answered(tmp_path, content="", error={"content": "model not found"})
    assert draft.content == "model not found"


def test_chats_without_messages_are_counted(tmp_path):
    _, tally = imported_json(tmp_path, [*OPEN_WEBUI, {"id": "x", "chat": {"history": {"messages": {}}}}, {"chat": None}])
    assert dict(tally.skipped) == {"conversations without messages or history": 2}
