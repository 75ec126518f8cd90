"""ChatGPT's export."""

import json
from datetime import UTC, datetime

import pytest
from samples import CHATGPT, FIXTURES, chatgpt, chatgpt_node, imported, imported_json, parents, said

from recollect.types import Part, Status, ToolCall


def one(tmp_path, *nodes, **fields):
    conversations, tally = imported_json(tmp_path, [chatgpt(*nodes, **fields)])
    assert len(conversations) == 1
    return conversations[0], tally


def test_branches_are_kept_and_the_active_one_is_known(tmp_path):
    (talk, other), tally = imported_json(tmp_path, CHATGPT)
    assert parents(talk) == {"q1": None, "a1": "q1", "a2": "q1", "q2": "a2"}
    assert (talk.id, talk.title, talk.leaf, talk.metadata["imported_from"]) == ("c1", "A talk", "q2", "chatgpt")
    assert talk.created_at == datetime.fromtimestamp(1_700_000_000, UTC)
    assert said(other) == [("user", "A second talk")]
    assert dict(tally.skipped) == {"hidden messages": 1}


def test_the_active_node_may_be_an_older_branch_or_passed_over(tmp_path):
    talk, _ = one(
        tmp_path,
        chatgpt_node("q", None, "user", "Hi"),
        chatgpt_node("a", "q", "assistant", "first", create_time=1),
        chatgpt_node("b", "q", "assistant", "second", create_time=2),
        chatgpt_node("s", "a", "system", "a note"),
        current_node="s",
    )
    assert talk.leaf == "a"


def test_without_an_active_node_it_is_the_newest_that_nothing_follows(tmp_path):
    talk, _ = one(
        tmp_path,
        chatgpt_node("q", None, "user", "Hi", create_time=9),
        chatgpt_node("a", "q", "assistant", "newer", create_time=5),
        chatgpt_node("b", "q", "assistant", "older", create_time=2),
        current_node=None,
    )
    assert talk.leaf == "a"


def test_what_is_hidden_or_of_the_system_in_mid_thread_is_passed_over(tmp_path):
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


def test_parents_come_first_whatever_the_order_of_the_file(tmp_path):
    nodes = [chatgpt_node(f"n{place}", f"n{place - 1}" if place else None, "user", str(place)) for place in range(20)]
    for node in nodes:
        del node["message"]["create_time"], node["children"], node["message"]["metadata"]
    talk, _ = one(tmp_path, *reversed(nodes), current_node="n19")
    assert [node.id for node in talk.nodes] == [f"n{place}" for place in range(20)]
    assert {node.draft.created_at for node in talk.nodes} == {talk.created_at}


def test_a_missing_parent_or_a_circle_loses_nothing(tmp_path):
    talk, tally = one(
        tmp_path,
        chatgpt_node("q", None, "user", "Hi"),
        chatgpt_node("lost", "nobody", "user", "Where am I?"),
        chatgpt_node("x", "y", "user", "after y"),
        chatgpt_node("y", "x", "user", "after x"),
        chatgpt_node("z", "z", "user", "after itself"),
    )
    assert parents(talk) == {"q": None, "lost": None, "x": None, "y": "x", "z": None}
    assert sum(tally.mended.values()) == 3
    assert not tally.skipped


def test_a_node_that_does_not_say_its_parent_is_found_among_the_children(tmp_path):
    nodes = [chatgpt_node("q", None, "user", "Hi", ["a"]), chatgpt_node("a", None, "assistant", "Hello")]
    del nodes[1]["parent"]
    talk, _ = one(tmp_path, *nodes)
    assert parents(talk) == {"q": None, "a": "q"}


def test_calls_of_tools_and_their_results_stay_together(tmp_path):
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


def test_arguments_that_are_json_stay_as_they_are(tmp_path):
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
        ({"content_type": "something_new", "answer": 7}, (Part("something_new", data={"answer": 7}),)),
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
            (Part("image", uri="sediment://file_1"), Part("text", "What is this?"), Part("text", "spoken")),
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
            (Part("audio", uri="sediment://a"),),
        ),
    ],
)
def test_types_of_content(tmp_path, content, expected):
    talk, _ = one(tmp_path, chatgpt_node("n", None, "user", content=content))
    assert talk.nodes[0].draft.content == expected


def test_attachments_model_and_sources(tmp_path):
    metadata = {
        "model_slug": "gpt-4o",
        "attachments": [{"id": "file_9", "name": "plan.pdf", "mimeType": "application/pdf", "size": 9}],
        "citations": [{"start_ix": 1, "metadata": {"type": "webpage", "title": "Rain", "url": "https://e.org/rain"}}],
    }
    talk, _ = one(tmp_path, chatgpt_node("n", None, "assistant", "See the plan", metadata=metadata))
    draft = talk.nodes[0].draft
    assert draft.content == (Part("text", "See the plan"), Part("file", None, "file_9", "application/pdf", "plan.pdf"))
    assert draft.metadata == {"model": "gpt-4o", "sources": [{"url": "https://e.org/rain", "title": "Rain"}]}


def test_conversations_without_a_tree_or_messages_are_counted(tmp_path):
    empty = chatgpt(chatgpt_node("root", None), id="c3", conversation_id="c3")
    conversations, tally = imported_json(tmp_path, [{"id": "c9", "title": "Broken"}, empty, None, 7, *CHATGPT])
    assert [conversation.id for conversation in conversations] == ["c1", "c2"]
    assert tally.skipped["conversations without a tree of messages"] == 3
    assert tally.skipped["conversations without messages"] == 1


def test_words_of_an_unknown_role_are_kept_and_never_as_the_users(tmp_path):
    talk, tally = one(tmp_path, chatgpt_node("n", None, "narrator", "Once upon a time"))
    assert said(talk) == [("assistant", "Once upon a time")]
    assert talk.nodes[0].draft.metadata == {"role": "narrator"}
    assert sum(tally.mended.values()) == 1


def test_forbidden_characters_are_replaced_everywhere_and_counted(tmp_path):
    node = chatgpt_node("n", None, "assistant", "half \ud83d and \0", metadata={"model_slug": "m\0"})
    call = chatgpt_node("c", "n", "assistant", "\ud800", recipient="to\0ol")
    talk, tally = one(tmp_path, node, call, title="cut \ud83d")
    assert talk.title == "cut \ufffd"
    assert talk.nodes[0].draft.content == "half \ufffd and \ufffd"
    assert talk.nodes[0].draft.metadata == {"model": "m\ufffd"}
    assert talk.nodes[1].draft.tool_calls == (ToolCall("c", "to\ufffdol", '{"input": "\ufffd"}'),)
    assert tally.mended["characters that no text may have"] >= 6


def test_messages_that_no_store_keeps_are_counted(tmp_path):
    conversations, tally = imported_json(
        tmp_path,
        [chatgpt(chatgpt_node("n", None, "user", "x" * (17 << 20)), chatgpt_node("m", "n", "user", "small"))],
    )
    assert parents(conversations[0]) == {"m": None}
    assert dict(tally.skipped) == {"messages of more than 16 MiB": 1}


def test_ids_are_the_exports_own_or_always_the_same(tmp_path):
    nameless = chatgpt(chatgpt_node("n" * 600, None, "user", "Hi"))
    del nameless["id"], nameless["conversation_id"]
    (first,), _ = imported_json(tmp_path, [nameless])
    nameless["title"] = "Another title"
    (again,), _ = imported_json(tmp_path, [nameless])
    assert first.id == again.id
    assert first.nodes[0].id == again.nodes[0].id
    assert len(first.nodes[0].id) <= 512


def test_archived_and_starred(tmp_path):
    talk, _ = one(tmp_path, chatgpt_node("n", None, "user", "Hi"), is_archived=True, is_starred=True)
    assert (talk.status, talk.pinned) == (Status.ARCHIVED, True)


def test_a_single_conversation_and_a_wrapped_list(tmp_path):
    for value in (CHATGPT[0], {"version": 1, "conversations": CHATGPT}, {"data": CHATGPT}):
        conversations, _ = imported_json(tmp_path, value)
        assert conversations[0].id == "c1"


def test_times_in_milliseconds_or_absent(tmp_path):
    nodes = [
        chatgpt_node("n", None, "user", "Hi", create_time=1_700_000_000_500),
        chatgpt_node("m", "n", "user", "no time", create_time=None),
        chatgpt_node("o", "m", "user", "no time at all", create_time="yesterday"),
    ]
    talk, _ = one(tmp_path, *nodes)
    assert {node.draft.created_at for node in talk.nodes} == {datetime.fromtimestamp(1_700_000_000.5, UTC)}


@pytest.mark.skipif(not FIXTURES.exists(), reason="the shared fixtures are not here")
def test_a_real_export():
    (talk,), tally = imported(FIXTURES / "chatgpt-tree.json")
    above = parents(talk)
    active, node = [], talk.leaf
    while node:
        active.append(node)
        node = above[node]
    assert (len(above), len(active)) == (11, 6)
    export = json.loads((FIXTURES / "chatgpt-tree.json").read_text())
    assert talk.leaf == export[0]["current_node"]
    assert dict(tally.skipped) == {"hidden messages": 1}
