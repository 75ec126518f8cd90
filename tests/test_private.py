"""Detecting requests not to remember a message, and keeping answers to private messages private."""

import pytest

import keepsaid
from keepsaid.engine.messages.privacy_requests import EDGE, asks_for_privacy

ASKING = (
    "Never remember this: my PIN is 4711.",
    "My PIN is 4711. Don't remember that.",
    "my pin is 4711, please do not save this",
    "Please don’t store this anywhere, but I am going to resign.",
    "Do not record this conversation",
    "I have been ill. Please don't keep any of this in your memory.",
    "Off the record, I think the project is dead.",
    "I think the project is dead. This is strictly off the record.",
    "Keep this off the record: we are selling.",
    "Forget I said that.",
    "Please forget that I ever mentioned this, ok?",
    "Pretend I never said that.",
    "Please do not remember what I just told you.",
    "You must never memorize this, it is my sister's address.",
    "Leave that out of your notes: I failed the exam.",
    "This should never be stored: 4111 1111 1111 1111",
    "Please don't remember that I cried.",
    "DON'T SAVE THIS!",
    "don't remember this",
)

NOT_ASKING = (
    "I don't remember that film.",
    "I do not remember this at all.",
    "We never save this much in a month.",
    "Don't save this file yet.",
    "Do not store this medicine above 25 degrees.",
    "Why don't you remember this?",
    "You don't remember that, do you?",
    "Don't forget that I said Tuesday.",
    "Forget what I said about Paris, I meant Rome.",
    "Remember this: the door code is 12.",
    "He told the reporters off the record that it was over.",
    "What does 'off the record' mean?",
    "Keep it in mind.",
    "Let's keep this short.",
    "Does this not record it?",
    "Never keep a dog that bites.",
    "She broke the record in Lisbon.",
    "",
)


@pytest.mark.parametrize("text", ASKING)
def test_privacy_request_is_detected(text: str) -> None:
    assert asks_for_privacy(text)


@pytest.mark.parametrize("text", NOT_ASKING)
def test_similar_wording_is_not_a_privacy_request(text: str) -> None:
    assert not asks_for_privacy(text)


def test_privacy_request_counts_only_at_edges_of_long_text() -> None:
    filler = "The rain in Lisbon never stopped that week. " * 20
    ask = "Please don't save this."
    assert asks_for_privacy(f"{ask} {filler}")
    assert asks_for_privacy(f"{filler} {ask}")
    assert not asks_for_privacy(f"{filler} {ask} {filler}")
    assert len(filler) > 2 * EDGE


def test_repetitive_text_is_not_a_privacy_request() -> None:
    for text in ("please " * 70, "don't " * 80, "," * 480, " " * 480, "never ever " * 40, "forget i " * 50):
        assert not asks_for_privacy(text)


# -- the answer to something private


def test_answer_to_private_message_is_private():
    memory = keepsaid.open("memory://", background=False)
    chat = memory.chat(owner="u1")
    chat.add("user", "Don't remember this: my PIN is 4711.")
    assert chat.add("assistant", "All right, your PIN 4711 stays between us.").private
    assert not chat.add("user", "What is the capital of Peru?").private
    assert not chat.add("assistant", "Lima.").private
    assert memory.search("PIN 4711", owner="u1") == []


def test_answer_in_resumed_chat_to_private_message_is_private():
    memory = keepsaid.open("memory://", background=False)
    first = memory.chat(owner="u1")
    first.add("user", "Off the record, I am leaving.")
    assert memory.chat(owner="u1", session=first.id).add("assistant", "You are leaving, I see.").private


def test_answer_in_same_batch_is_private_unless_overridden():
    chat = keepsaid.open("memory://", background=False).chat(owner="u1")
    asked = {"role": "user", "content": "Don't remember this: I smoke."}
    saved = chat.add_many([asked, {"role": "assistant", "content": "You smoke."}])
    assert [message.private for message in saved] == [True, True]
    said = chat.add_many([asked, {"role": "assistant", "content": "Noted elsewhere.", "private": False}])
    assert [message.private for message in said] == [True, False]
