"""Items survive conversion to messages and back, and messages from other sources convert to items."""

from __future__ import annotations

from typing import Any

import pytest
from backends import near

import keepsaid
from keepsaid.errors import InvalidInput
from keepsaid.interchange.formats.openai_items import drafts_of, items_of
from keepsaid.types import ContentPart, ToolCall

pytestmark = near(reason="what is made of the messages")

TEXT = {"type": "output_text", "text": "In Lisbon.", "annotations": [], "logprobs": []}
CITED = {"type": "url_citation", "url": "https://example.org", "title": "A", "start_index": 0, "end_index": 2}


def message(role: str, *content: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": list(content), "status": "completed", "id": "msg_1", **more}


WHOLE: list[dict[str, Any]] = [
    message("user", {"type": "input_text", "text": "Hi"}),
    message("user", {"type": "input_text", "text": "one"}, {"type": "input_text", "text": "two"}),
    message("system", {"type": "input_text", "text": "Be brief."}),
    message("developer", {"type": "input_text", "text": "Be brief."}),
    message("assistant", TEXT, phase="commentary"),
    message("assistant", TEXT, status="incomplete"),
    message("assistant", TEXT | {"annotations": [CITED]}),
    message("assistant", {"type": "refusal", "refusal": "No."}),
    message("assistant", {"type": "input_text", "text": "of the other type"}),
    message("user", {"type": "input_image", "image_url": "https://example.org/cat.png", "detail": "low"}),
    message("user", {"type": "input_image", "file_id": "file_1", "detail": "auto"}),
    message("user", {"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,AAAA"}),
    message("user", {"type": "input_file", "file_url": "https://example.org/a.pdf"}),
    message("user", {"type": "computer_screenshot", "file_id": "file_1", "image_url": None, "detail": "auto"}),
    message("user"),
    {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "weather", "arguments": '{"city": 1}',
     "status": "completed", "namespace": "tools"},
    {"type": "function_call_output", "id": "fco_1", "call_id": "call_1", "output": "19 °C", "status": "completed"},
    {"type": "function_call_output", "id": "fco_1", "call_id": "call_1", "status": "incomplete",
     "output": [{"type": "input_image", "image_url": "https://example.org/sky.png", "detail": "auto"}]},
    {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "hm"}], "encrypted_content": None},
    {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "Lisbon"}},
    {"type": "custom_tool_call", "id": "ctc_1", "call_id": "c", "name": "shell", "input": "ls"},
    {"type": "something_new", "id": "new_1", "deep": {"er": [1, None, "x"]}, "flag": False},
]  # fmt: skip


@pytest.mark.parametrize("item", WHOLE, ids=lambda item: f"{item['type']}-{WHOLE.index(item)}")
def test_item_round_trips_through_message(memory: keepsaid.Memory, item: dict[str, Any]):
    chat = memory.chat(owner="u1")
    chat.add_many(drafts_of([item]))
    assert items_of(chat.messages()[0]) == [item]


def test_consecutive_tool_calls_form_one_message_and_keep_ids(memory: keepsaid.Memory):
    chat = memory.chat(owner="u1")
    calls = [
        {
            "type": "function_call",
            "id": f"fc_{name}",
            "call_id": name,
            "name": name,
            "arguments": "{}",
            "status": "completed",
        }
        for name in ("a", "b", "c")
    ]
    outputs = [
        {"type": "function_call_output", "id": f"fco_{name}", "call_id": name, "output": name, "status": "completed"}
        for name in ("a", "b", "c")
    ]
    chat.add_many(drafts_of([{"role": "user", "content": "Do it."}, *calls, *outputs]))
    messages = chat.messages()
    assert [message.role.value for message in messages] == ["user", "assistant", "tool", "tool", "tool"]
    assert [item for message in messages[1:] for item in items_of(message)] == [*calls, *outputs]
    # So a prompt can have them: a provider refuses a call whose results do not follow it.
    assert [message["role"] for message in chat.context(budget=1_000).messages] == ["user", "assistant", *["tool"] * 3]


def test_reasoning_items_are_left_out_of_prompts(memory: keepsaid.Memory):
    chat = memory.chat(owner="u1")
    thought = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]}
    chat.add_many(drafts_of([{"role": "user", "content": "Hi"}, thought, {"role": "assistant", "content": "Hello"}]))
    prompt = chat.context("How are you?", budget=1_000).messages
    assert [message["content"] for message in prompt] == ["Hi", "Hello", "How are you?"]


def test_native_messages_convert_to_items(memory: keepsaid.Memory):
    chat = memory.chat(owner="u1")
    chat.add("assistant", "Let me look.", id="m1", tool_calls=[ToolCall("c1", "look"), ToolCall("c2", "see")])
    chat.add("tool", "seen", id="m2", tool_call_id="c1")
    chat.add("user", [ContentPart("text", "and this:"), ContentPart("image", uri="https://example.org/x.png")], id="m3")
    chat.add("assistant", "Half an ans", id="m4", metadata={"finish": "stopped"})
    chat.add("user", "x", id="m5", metadata={"adapters": {"openai": "nonsense"}})
    items = [item for message in chat.messages() for item in items_of(message)]
    assert [(item["id"], item["type"]) for item in items] == [
        ("m1", "message"), ("m1:1", "function_call"), ("m1:2", "function_call"), ("m2", "function_call_output"),
        ("m3", "message"), ("m4", "message"), ("m5", "message"),
    ]  # fmt: skip
    assert [content["type"] for content in items[4]["content"]] == ["input_text", "input_image"]
    assert items[5]["status"] == "incomplete"


def test_item_reference_is_rejected():
    with pytest.raises(InvalidInput, match="send the item itself"):
        drafts_of([{"type": "item_reference", "id": "msg_1"}])
