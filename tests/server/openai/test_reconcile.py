"""Finding the new messages of a request: full or partial histories, edits, regenerations, branches."""

from __future__ import annotations

import pytest
from backends import near

import keepsaid
from keepsaid.memory.chat import Chat
from keepsaid.server.openai.chat_messages import draft_of
from keepsaid.server.openai.reconcile import find_known_messages
from keepsaid.types import ContentPart, MessageDraft, ToolCall

pytestmark = near(reason="what is made of the messages")


@pytest.fixture
def chat(memory: keepsaid.Memory) -> Chat:
    return memory.chat(owner="u1")


def build_drafts(*texts: str) -> list[MessageDraft]:
    """A talk by its texts: the user begins, and they take turns."""
    return [MessageDraft("assistant" if place % 2 else "user", text) for place, text in enumerate(texts)]


def outcome(chat: Chat, sent: list[MessageDraft]) -> tuple[str | None, int, bool]:
    """The text after which it continues, the index of the first new message, and whether the conversation must go back."""
    found = find_known_messages(chat, sent)
    return (None if found.last is None else found.last.text), found.first_new, found.has_branched


def test_all_messages_are_new_in_empty_conversation(chat: Chat):
    assert outcome(chat, build_drafts("a", "b", "c")) == (None, 0, False)


def test_full_history_matches_stored_messages(chat: Chat):
    chat.add_many(build_drafts("a", "b", "c", "d"))
    assert outcome(chat, build_drafts("a", "b", "c", "d", "new")) == ("d", 4, False)


def test_history_matches_despite_trimmed_whitespace(chat: Chat):
    chat.add_many(build_drafts("a", " b\n"))
    assert outcome(chat, build_drafts("a", "b", "new")) == (" b\n", 2, False)


def test_end_of_history_matches_stored_messages(chat: Chat):
    chat.add_many(build_drafts("a", "b", "c", "d"))
    assert outcome(chat, build_drafts("c", "d", "new")) == ("d", 2, False)


def test_single_new_message_continues_conversation(chat: Chat):
    chat.add_many(build_drafts("a", "b"))
    assert outcome(chat, build_drafts("new")) == ("b", 0, False)


def test_repeated_text_after_answer_is_new_message(chat: Chat):
    chat.add_many(build_drafts("yes", "ok"))
    assert outcome(chat, build_drafts("yes")) == ("ok", 0, False)


def test_unanswered_question_sent_again_is_not_new(chat: Chat):
    chat.add_many(build_drafts("a", "b", "c"))
    assert outcome(chat, build_drafts("c")) == ("c", 1, False)
    assert outcome(chat, build_drafts("a", "b", "c")) == ("c", 3, False)


def test_changed_message_branches_after_common_history(chat: Chat):
    chat.add_many(build_drafts("a", "b", "c", "d"))
    assert outcome(chat, build_drafts("a", "b", "changed")) == ("b", 2, True)


def test_changed_answer_branches_after_question(chat: Chat):
    chat.add_many(build_drafts("a", "b", "c", "d"))
    assert outcome(chat, build_drafts("a", "other", "c")) == ("a", 1, True)


def test_history_without_last_answer_regenerates_answer(chat: Chat):
    chat.add_many(build_drafts("a", "b", "c", "d"))
    assert outcome(chat, build_drafts("a", "b", "c")) == ("c", 3, True)


def test_history_of_existing_branch_continues_that_branch(chat: Chat):
    first = chat.add_many(build_drafts("a", "b", "c", "d"))
    chat.add_many([MessageDraft("user", "other"), MessageDraft("assistant", "e")], after=first[1].id)
    assert outcome(chat, build_drafts("a", "b", "c", "d", "new")) == ("d", 4, True)
    assert outcome(chat, build_drafts("a", "b", "other", "e", "new")) == ("e", 4, False)


def test_repeated_history_matches_at_conversation_end(chat: Chat):
    chat.add_many(build_drafts("hi", "hello", "hi", "hello"))
    assert outcome(chat, build_drafts("hi", "hello", "new")) == ("hello", 2, False)
    assert outcome(chat, build_drafts("hi", "hello", "hi", "hello", "new")) == ("hello", 4, False)


def test_single_common_message_in_middle_is_no_match(chat: Chat):
    chat.add_many(build_drafts("a", "b", "continue", "d", "e", "f"))
    assert outcome(chat, build_drafts("continue", "unknown", "new")) == ("f", 0, False)


def test_history_with_summarized_beginning_matches_at_end(chat: Chat):
    chat.add_many(build_drafts("a", "b", "c", "d"))
    sent = [*build_drafts("what was said before, in short", "I see."), *build_drafts("c", "d", "new")]
    assert outcome(chat, sent) == ("d", 4, False)


def test_early_edit_in_long_conversation_creates_branch(chat: Chat):
    chat.add_many(build_drafts(*map(str, range(200))))
    assert outcome(chat, build_drafts("0", "1", "changed")) == ("1", 2, True)
    assert outcome(chat, build_drafts(*map(str, range(200)), "new")) == ("199", 200, False)


def test_tool_calls_match_despite_reformatted_arguments(chat: Chat):
    call = MessageDraft("assistant", "", tool_calls=(ToolCall("c1", "look", '{"a":1}'),))
    result = MessageDraft("tool", "seen", tool_call_id="c1")
    chat.add_many([MessageDraft("user", "look"), call])
    rewritten = MessageDraft("assistant", "", tool_calls=(ToolCall("c1", "look", '{ "a": 1 }'),))
    assert outcome(chat, [MessageDraft("user", "look"), rewritten, result]) == ("", 2, False)
    assert outcome(chat, [rewritten, result]) == ("", 1, False)
    assert outcome(chat, [result]) == ("", 0, False)
    other = MessageDraft("assistant", "", tool_calls=(ToolCall("c2", "look"),))
    assert outcome(chat, [MessageDraft("user", "look"), other]) == ("look", 1, True)


def test_chat_messages_become_drafts():
    picture = {"type": "image_url", "image_url": {"url": "https://example.org/x.png", "detail": "low"}}
    drafts = [
        draft_of(message)
        for message in (
            {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
            {"role": "user", "content": [{"type": "text", "text": "a"}, picture]},
            {"role": "assistant", "content": None, "refusal": "No."},
            {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "custom": {"name": "sh", "input": "ls"}}]},
            {"role": "tool", "content": "x", "tool_call_id": "c"},
        )
    ]
    assert [draft.content for draft in drafts] == [
        "a\nb", (ContentPart("text", "a"), ContentPart("image", uri="https://example.org/x.png", data={"detail": "low"})),
        "No.", "", "x",
    ]  # fmt: skip
    assert drafts[3].tool_calls == (ToolCall("c", "sh", "ls"),)
    assert drafts[4].tool_call_id == "c"
