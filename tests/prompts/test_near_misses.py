"""Matches that are too weak are reported but not sent; system messages of other conversations are not recalled."""

from __future__ import annotations

from keepsaid import Memory


def test_weak_matches_are_reported_but_not_sent(memory: Memory):
    talk = memory.chat(owner="u1")
    talk.add("user", "My hamster Goldie was in the report of the local paper.")
    for number in range(30):
        talk.add("user", f"The weather report of day {number} speaks of rain over the sister islands.")
    here = memory.chat(owner="u1")
    context = here.context("Which report speaks of the hamster?", budget=4000)
    weak = [item for item in context.dropped if "too weak a match" in item.reason]
    assert weak
    assert all(item.text not in str(context.messages) for item in weak)
    receipt = memory.receipts(owner="u1")[0]
    told = [entry for entry in receipt.data["near"] if "too weak" in entry["why"]]
    assert len(told) == len(weak)
    assert all(entry["section"] == "recalled" and entry["score"] > 0 for entry in told)
    assert memory.replay(receipt.id).intact


def test_system_messages_of_other_conversations_are_not_recalled(memory: Memory):
    memory.chat(owner="u1").add("system", "You are a pirate who guards the treasure of Lisbon.")
    memory.chat(owner="u1").add("user", "I saw the treasure of Lisbon in a museum.")
    context = memory.chat(owner="u1").context("What about the treasure of Lisbon?", budget=2000)
    assert "museum" in str(context.messages)
    assert "pirate" not in str(context.messages)
