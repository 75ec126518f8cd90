"""What of a request is new: clients that send everything, the end, or the last message; edits, regenerations, branches."""

from __future__ import annotations

import pytest
from places import near

import recollect
from recollect.chat import Chat
from recollect.server.openai.reconcile import known
from recollect.server.openai.speech import draft_of
from recollect.types import Draft, Part, ToolCall

pytestmark = near(reason="what is made of the messages")


@pytest.fixture
def chat(memory: recollect.Memory) -> Chat:
    return memory.chat(owner="u1")


def said(*texts: str) -> list[Draft]:
    """A talk by its texts: the user begins, and they take turns."""
    return [Draft("assistant" if place % 2 else "user", text) for place, text in enumerate(texts)]


def outcome(chat: Chat, sent: list[Draft]) -> tuple[str | None, int, bool]:
    """Behind which text it goes on, from which place of what was sent, and whether the conversation must go back."""
    found = known(chat, sent)
    return (None if found.last is None else found.last.text), found.new, found.moved


def test_an_empty_conversation_takes_everything(chat: Chat):
    assert outcome(chat, said("a", "b", "c")) == (None, 0, False)


def test_the_whole_history(chat: Chat):
    chat.add_many(said("a", "b", "c", "d"))
    assert outcome(chat, said("a", "b", "c", "d", "new")) == ("d", 4, False)


def test_a_history_whose_texts_were_trimmed(chat: Chat):
    chat.add_many(said("a", " b\n"))
    assert outcome(chat, said("a", "b", "new")) == (" b\n", 2, False)


def test_the_end_of_the_history(chat: Chat):
    chat.add_many(said("a", "b", "c", "d"))
    assert outcome(chat, said("c", "d", "new")) == ("d", 2, False)


def test_the_last_message_alone(chat: Chat):
    chat.add_many(said("a", "b"))
    assert outcome(chat, said("new")) == ("b", 0, False)


def test_the_same_words_once_more_are_said_once_more(chat: Chat):
    chat.add_many(said("yes", "ok"))
    assert outcome(chat, said("yes")) == ("ok", 0, False)


def test_what_nobody_has_answered_is_not_said_twice(chat: Chat):
    chat.add_many(said("a", "b", "c"))
    assert outcome(chat, said("c")) == ("c", 1, False)
    assert outcome(chat, said("a", "b", "c")) == ("c", 3, False)


def test_a_changed_message_goes_on_behind_what_is_common(chat: Chat):
    chat.add_many(said("a", "b", "c", "d"))
    assert outcome(chat, said("a", "b", "changed")) == ("b", 2, True)


def test_a_changed_answer(chat: Chat):
    chat.add_many(said("a", "b", "c", "d"))
    assert outcome(chat, said("a", "other", "c")) == ("a", 1, True)


def test_an_answer_that_is_wanted_anew(chat: Chat):
    chat.add_many(said("a", "b", "c", "d"))
    assert outcome(chat, said("a", "b", "c")) == ("c", 3, True)


def test_a_branch_that_is_there_is_gone_on_with(chat: Chat):
    first = chat.add_many(said("a", "b", "c", "d"))
    chat.add_many([Draft("user", "other"), Draft("assistant", "e")], after=first[1].id)
    assert outcome(chat, said("a", "b", "c", "d", "new")) == ("d", 4, True)
    assert outcome(chat, said("a", "b", "other", "e", "new")) == ("e", 4, False)


def test_repetitions_end_where_the_conversation_does(chat: Chat):
    chat.add_many(said("hi", "hello", "hi", "hello"))
    assert outcome(chat, said("hi", "hello", "new")) == ("hello", 2, False)
    assert outcome(chat, said("hi", "hello", "hi", "hello", "new")) == ("hello", 4, False)


def test_one_common_word_in_the_middle_proves_nothing(chat: Chat):
    chat.add_many(said("a", "b", "continue", "d", "e", "f"))
    assert outcome(chat, said("continue", "unknown", "new")) == ("f", 0, False)


def test_a_beginning_in_other_words(chat: Chat):
    chat.add_many(said("a", "b", "c", "d"))
    sent = [*said("what was said before, in short", "I see."), *said("c", "d", "new")]
    assert outcome(chat, sent) == ("d", 4, False)


def test_an_edit_far_back_in_a_long_conversation(chat: Chat):
    chat.add_many(said(*map(str, range(200))))
    assert outcome(chat, said("0", "1", "changed")) == ("1", 2, True)
    assert outcome(chat, said(*map(str, range(200)), "new")) == ("199", 200, False)


def test_results_of_tools(chat: Chat):
    call = Draft("assistant", "", tool_calls=(ToolCall("c1", "look", '{"a":1}'),))
    result = Draft("tool", "seen", tool_call_id="c1")
    chat.add_many([Draft("user", "look"), call])
    rewritten = Draft("assistant", "", tool_calls=(ToolCall("c1", "look", '{ "a": 1 }'),))
    assert outcome(chat, [Draft("user", "look"), rewritten, result]) == ("", 2, False)
    assert outcome(chat, [rewritten, result]) == ("", 1, False)
    assert outcome(chat, [result]) == ("", 0, False)
    other = Draft("assistant", "", tool_calls=(ToolCall("c2", "look"),))
    assert outcome(chat, [Draft("user", "look"), other]) == ("look", 1, True)


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
        "a\nb", (Part("text", "a"), Part("image", uri="https://example.org/x.png", data={"detail": "low"})), "No.", "", "x",
    ]  # fmt: skip
    assert drafts[3].tool_calls == (ToolCall("c", "sh", "ls"),)
    assert drafts[4].tool_call_id == "c"
