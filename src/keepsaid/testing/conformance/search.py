"""Conformance tests of the keyword search."""

from __future__ import annotations

from keepsaid.memory import Memory
from keepsaid.testing.conformance.base import StorageFixtures, find_messages
from keepsaid.types import MessageDraft


class SearchConformance(StorageFixtures):
    """Tests of the keyword search."""

    def test_saved_message_is_found_at_once(self, memory: Memory) -> None:
        chat = memory.chat(owner="u1")
        for number in range(150):
            chat.add("user", f"The code of door {number} is x{number}y.")
            assert [h.message.text for h in find_messages(memory, f"x{number}y", owner="u1")] == [
                chat.messages(last=1)[0].text
            ]
        assert len(find_messages(memory, "door", owner="u1", limit=500)) == 150

    def test_search_finds_words_of_many_languages(self, memory: Memory) -> None:
        chat = memory.chat(owner="u1")
        for text in (
            "妹は東京に引っ越しました。",
            "我妹妹住在里斯本。",
            "Meine Schwester wohnt in München.",
            "누나는 서울에 산다",
        ):
            chat.add("user", text)
        for query, answer in (
            ("東京", "妹は東京に引っ越しました。"),
            ("里斯本", "我妹妹住在里斯本。"),
            ("munchen", "Meine Schwester wohnt in München."),
            ("서울", "누나는 서울에 산다"),
        ):
            assert memory.search(query, owner="u1", mode="words")[0].message.text == answer

    def test_search_ranks_better_match_first(self, memory: Memory) -> None:
        chat = memory.chat(owner="u1")
        for text in ("tea", "tea and cake", "tea and coffee and cake and bread and butter", "nothing"):
            chat.add("user", text)
        assert [h.message.text for h in find_messages(memory, "coffee cake", owner="u1")] == [
            "tea and coffee and cake and bread and butter",
            "tea and cake",
        ]

    def test_scores_do_not_depend_on_other_owners(self, memory: Memory) -> None:
        chat = memory.chat(owner="u1")
        for text in ("tea and cake", "coffee and cake", "tea"):
            chat.add("user", text)
        before = [(h.message.id, h.score) for h in find_messages(memory, "tea cake", owner="u1")]
        memory.chat(owner="u2").add_many([MessageDraft("user", "tea tea cake cake") for _ in range(200)])
        assert [(h.message.id, h.score) for h in find_messages(memory, "tea cake", owner="u1")] == before

    def test_search_accepts_special_characters(self, memory: Memory) -> None:
        memory.chat(owner="u1").add("user", 'a "quoted" AND (odd) text* ^x NEAR(y)')
        for query in ("", "   ", '"', "AND", "NEAR(", "*", "x OR", "a:b", "'; DROP TABLE messages", "🙂", "^"):
            find_messages(memory, query, owner="u1")
        assert find_messages(memory, '"quoted"', owner="u1")
