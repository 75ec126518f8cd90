"""Import of ChatGPT's export."""

import json
from datetime import UTC, datetime

import pytest
from samples import CHATGPT, FIXTURES, chatgpt, chatgpt_node, list_texts, parents, read_export, read_json_export

from keepsaid.types import ContentPart, SessionStatus, ToolCall


def one(tmp_path, *nodes, **fields):
    conversations, tally = read_json_export(tmp_path, [chatgpt(*nodes, **fields)])
    assert len(conversations) == 1
    return conversations[0], tally


def test_import_keeps_branches_and_active_leaf(tmp_path):
    (talk, other), tally = read_json_export(tmp_path, CHATGPT)
    assert parents(talk) == {"q1": None, "a1": "q1", "a2": "q1", "q2": "a2"}
    assert (talk.id, talk.title, talk.leaf, talk.metadata["imported_from"]) == ("c1", "A talk", "q2", "chatgpt")
    assert talk.created_at == datetime.fromtimestamp(1_700_000_000, UTC)
    assert list_texts(other) == [("user", "A second talk")]
    assert dict(tally.skipped) == {"hidden messages": 1}


def test_active_leaf_is_nearest_kept_ancestor_of_current_node(tmp_path):
    talk, _ = one(
        tmp_path,
        chatgpt_node("q", None, "user", "Hi"),
        chatgpt_node("a", "q", "assistant", "first", create_time=1),
        chatgpt_node("b", "q", "assistant", "second", create_time=2),
        chatgpt_node("s", "a", "system", "a note"),
        current_node="s",
    )
    assert talk.leaf == "a"


def test_missing_current_node_selects_newest_leaf(tmp_path):
    talk, _ = one(
        tmp_path,
        chatgpt_node("q", None, "user", "Hi", create_time=9),
        chatgpt_node("a", "q", "assistant", "newer", create_time=5),
        chatgpt_node("b", "q", "assistant", "older", create_time=2),
        current_node=None,
    )
    assert talk.leaf == "a"


def test_hidden_and_system_messages_are_skipped_in_thread(tmp_path):
    talk, tally = one(
        tmp_path,
        chatgpt_node("q", None, "user", "Hi"),
        chatgpt_node("s", "q", "system", "Be nice"),
        chatgpt_node("t", "s", "assistant", content={"content_type": "thoughts", "thoughts": [{"content": "Hm"}]}),
        chatgpt_node("h", "t", "user", "unseen", metadata={"is_visually_hidden_from_conversation": True}),
        chatgpt_node("a", "h", "assistant", "Hello"),
    )
    assert parents(talk) == {"q": None, "a": "q"}
    assert dict(tally.skipped) == {"system messages": 1, "messages of reasoning": 1, "hidden messages": 1}


def test_parents_precede_children_in_any_file_order(tmp_path):
    nodes = [chatgpt_node(f"n{place}", f"n{place - 1}" if place else None, "user", str(place)) for place in range(20)]
    for node in nodes:
        del node["message"]["create_time"], node["children"], node["message"]["metadata"]
    talk, _ = one(tmp_path, *reversed(nodes), current_node="n19")
    assert [node.id for node in talk.nodes] == [f"n{place}" for place in range(20)]
    assert {node.draft.created_at for node in talk.nodes} == {talk.created_at}


def test_missing_or_circular_parents_lose_no_message(tmp_path):
    talk, tally = one(
        tmp_path,
        chatgpt_node("q", None, "user", "Hi"),
        chatgpt_node("lost", "nobody", "user", "Where am I?"),
        chatgpt_node("x", "y", "user", "after y"),
        chatgpt_node("y", "x", "user", "after x"),
        chatgpt_node("z", "z", "user", "after itself"),
    )
    assert parents(talk) == {"q": None, "lost": None, "x": None, "y": "x", "z": None}
    assert sum(tally.repaired.values()) == 3
    assert not tally.skipped


def test_missing_parent_is_derived_from_children_lists(tmp_path):
    nodes = [chatgpt_node("q", None, "user", "Hi", ["a"]), chatgpt_node("a", None, "assistant", "Hello")]
    del nodes[1]["parent"]
    talk, _ = one(tmp_path, *nodes)
    assert parents(talk) == {"q": None, "a": "q"}


def test_tool_results_refer_to_their_call(tmp_path):
    code = {"content_type": "code", "language": "python", "text": "print(6 * 7)"}
    output = {"content_type": "execution_output", "text": "42"}
    talk, _ = one(
        tmp_path,
        chatgpt_node("q", None, "user", "Six times seven?"),
        chatgpt_node("c", "q", "assistant", content=code, recipient="python"),
        chatgpt_node("t", "c", "assistant", content={"content_type": "thoughts", "thoughts": []}),
        chatgpt_node("r", "t", "tool", content=output, author={"role": "tool", "name": "python"}),
        chatgpt_node("r2", "r", "tool", "and a picture", author={"role": "tool", "name": "python"}),
        chatgpt_node("a", "r2", "assistant", "42."),
    )
    _, call, result, second, answer = [node.draft for node in talk.nodes]
    assert call.tool_calls == (ToolCall("c", "python", '{"code": "print(6 * 7)"}'),)
    assert (result.role, result.content, result.name, result.tool_call_id) == ("tool", "42", "python", "c")
    assert (second.tool_call_id, answer.content) == ("c", "42.")


def test_json_tool_arguments_are_kept_unchanged(tmp_path):
    talk, _ = one(
        tmp_path,
        chatgpt_node("c", None, "assistant", '{"query": "tea"}', recipient="browser.search"),
    )
    assert talk.nodes[0].draft.tool_calls == (ToolCall("c", "browser.search", '{"query": "tea"}'),)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({"content_type": "text", "parts": ["a", "", "b"]}, "a\nb"),
        ({"content_type": "code", "text": "x = 1"}, "x = 1"),
        ({"content_type": "tether_quote", "title": "T", "url": "https://e.org", "text": "words"}, "T\nhttps://e.org\nwords"),
        ({"content_type": "tether_browsing_display", "result": "found it"}, "found it"),
        ({"content_type": "system_error", "name": "Timeout", "text": "slow"}, "Timeout: slow"),
        ({"content_type": "something_new", "text": "words"}, "words"),
        ({"content_type": "something_new", "answer": 7}, (ContentPart("something_new", data={"answer": 7}),)),
        ({"parts": ["no type"]}, "no type"),
        ({"content_type": "text", "parts": ["See \ue200cite\ue202turn0search1\ue201 there"]}, "See  there"),
        (
            {
                "content_type": "multimodal_text",
                "parts": [
                    {"content_type": "image_asset_pointer", "asset_pointer": "sediment://file_1", "width": 10},
                    "What is this?",
                    {"content_type": "audio_transcription", "text": "spoken"},
                ],
            },
            (
                ContentPart("image", uri="sediment://file_1"),
                ContentPart("text", "What is this?"),
                ContentPart("text", "spoken"),
            ),
        ),
        (
            {
                "content_type": "multimodal_text",
                "parts": [
                    {
                        "content_type": "real_time_user_audio_video_asset_pointer",
                        "audio_asset_pointer": {"content_type": "audio_asset_pointer", "asset_pointer": "sediment://a"},
                    }
                ],
            },
            (ContentPart("audio", uri="sediment://a"),),
        ),
    ],
)
def test_content_types_become_text_or_parts(tmp_path, content, expected):
    talk, _ = one(tmp_path, chatgpt_node("n", None, "user", content=content))
    assert talk.nodes[0].draft.content == expected


def test_attachments_model_and_sources_are_kept(tmp_path):
    metadata = {
        "model_slug": "gpt-4o",
        "attachments": [{"id": "file_9", "name": "plan.pdf", "mimeType": "application/pdf", "size": 9}],
        "citations": [{"start_ix": 1, "metadata": {"type": "webpage", "title": "Rain", "url": "https://e.org/rain"}}],
    }
    talk, _ = one(tmp_path, chatgpt_node("n", None, "assistant", "See the plan", metadata=metadata))
    draft = talk.nodes[0].draft
    assert draft.content == (
        ContentPart("text", "See the plan"),
        ContentPart("file", None, "file_9", "application/pdf", "plan.pdf"),
    )
    assert draft.metadata == {"model": "gpt-4o", "sources": [{"url": "https://e.org/rain", "title": "Rain"}]}


def test_conversations_without_tree_or_messages_are_counted(tmp_path):
    empty = chatgpt(chatgpt_node("root", None), id="c3", conversation_id="c3")
    conversations, tally = read_json_export(tmp_path, [{"id": "c9", "title": "Broken"}, empty, None, 7, *CHATGPT])
    assert [conversation.id for conversation in conversations] == ["c1", "c2"]
    assert tally.skipped["conversations without a tree of messages"] == 3
    assert tally.skipped["conversations without messages"] == 1


def test_unknown_role_is_imported_as_assistant(tmp_path):
    talk, tally = one(tmp_path, chatgpt_node("n", None, "narrator", "Once upon a time"))
    assert list_texts(talk) == [("assistant", "Once upon a time")]
    assert talk.nodes[0].draft.metadata == {"role": "narrator"}
    assert sum(tally.repaired.values()) == 1


def test_forbidden_characters_are_replaced_and_counted(tmp_path):
    node = chatgpt_node("n", None, "assistant", "half \ud83d and \0", metadata={"model_slug": "m\0"})
    call = chatgpt_node("c", "n", "assistant", "\ud800", recipient="to\0ol")
    talk, tally = one(tmp_path, node, call, title="cut \ud83d")
    assert talk.title == "cut \ufffd"
    assert talk.nodes[0].draft.content == "half \ufffd and \ufffd"
    assert talk.nodes[0].draft.metadata == {"model": "m\ufffd"}
    assert talk.nodes[1].draft.tool_calls == (ToolCall("c", "to\ufffdol", '{"input": "\ufffd"}'),)
    assert tally.repaired["characters that no text may have"] >= 6


def test_oversized_messages_are_skipped_and_counted(tmp_path):
    conversations, tally = read_json_export(
        tmp_path,
        [chatgpt(chatgpt_node("n", None, "user", "x" * (17 << 20)), chatgpt_node("m", "n", "user", "small"))],
    )
    assert parents(conversations[0]) == {"m": None}
    assert dict(tally.skipped) == {"messages of more than 16 MiB": 1}


def test_missing_or_long_ids_become_stable_ids(tmp_path):
    nameless = chatgpt(chatgpt_node("n" * 600, None, "user", "Hi"))
    del nameless["id"], nameless["conversation_id"]
    (first,), _ = read_json_export(tmp_path, [nameless])
    nameless["title"] = "Another title"
    (again,), _ = read_json_export(tmp_path, [nameless])
    assert first.id == again.id
    assert first.nodes[0].id == again.nodes[0].id
    assert len(first.nodes[0].id) <= 512


def test_archived_and_starred_flags_are_kept(tmp_path):
    talk, _ = one(tmp_path, chatgpt_node("n", None, "user", "Hi"), is_archived=True, is_starred=True)
    assert (talk.status, talk.pinned) == (SessionStatus.ARCHIVED, True)


def test_import_accepts_single_conversation_and_wrapped_list(tmp_path):
    for value in (CHATGPT[0], {"version": 1, "conversations": CHATGPT}, {"data": CHATGPT}):
        conversations, _ = read_json_export(tmp_path, value)
        assert conversations[0].id == "c1"


def test_times_may_be_milliseconds_missing_or_invalid(tmp_path):
    nodes = [
        chatgpt_node("n", None, "user", "Hi", create_time=1_700_000_000_500),
        chatgpt_node("m", "n", "user", "no time", create_time=None),
        chatgpt_node("o", "m", "user", "no time at all", create_time="yesterday"),
    ]
    talk, _ = one(tmp_path, *nodes)
    assert {node.draft.created_at for node in talk.nodes} == {datetime.fromtimestamp(1_700_000_000.5, UTC)}


@pytest.mark.skipif(not FIXTURES.exists(), reason="the shared fixtures are not here")
def test_real_export_keeps_tree_and_active_leaf():
    (talk,), tally = read_export(FIXTURES / "chatgpt-tree.json")
    above = parents(talk)
    active, node = [], talk.leaf
    while node:
        active.append(node)
        node = above[node]
    assert (len(above), len(active)) == (11, 6)
    export = json.loads((FIXTURES / "chatgpt-tree.json").read_text())
    assert talk.leaf == export[0]["current_node"]
    assert dict(tally.skipped) == {"hidden messages": 1}
