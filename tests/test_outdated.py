"""Prompts mark statements that a later message has changed, and omit answers that only repeat a message."""

import numpy as np
import pytest

import keepsaid
from keepsaid.engine.languages.change_words import CHANGE_WORDS, says_changed
from keepsaid.engine.prompt.budget import Limits
from keepsaid.engine.ranking.outdated import find_newer
from keepsaid.testing import ManualClock
from keepsaid.types import Message, Role

TUESDAYS = "Choir practice is on Tuesdays at half past seven."
THURSDAYS = "Choir has been moved, practice is now on Thursdays at eight."


def build_messages(*texts, role=Role.USER):
    return [Message(f"m{n}", f"s{n}", 1, 0, role, text, 9, n, 0.5, False, {}) for n, text in enumerate(texts)]


def test_find_newer_returns_newer_statement_for_older_one():
    assert find_newer(build_messages(TUESDAYS, "I like tea.", THURSDAYS)) == [2, None, None]


@pytest.mark.parametrize(
    "later",
    [
        "Choir practice is fun.",  # nothing changed
        "My piano lesson is now on Mondays.",  # something else
        "Is choir practice still on Tuesdays now?",  # a question
    ],
)
def test_find_newer_ignores_unrelated_or_unchanged_statements(later):
    assert find_newer(build_messages(TUESDAYS, later)) == [None, None]


def test_find_newer_ignores_assistant_messages():
    messages = [
        *build_messages(TUESDAYS),
        *(one._replace(created=9, session="x") for one in build_messages(THURSDAYS, role=Role.ASSISTANT)),
    ]
    assert find_newer(messages) == [None, None]


def test_find_newer_compares_topics_by_vectors():
    messages = build_messages("Choir is on Tuesdays.", "Choir is now on Thursdays.")
    assert find_newer(messages, np.array([[1, 0], [0.8, 0.6]], np.float32)) == [1, None]
    assert find_newer(messages, np.array([[1, 0], [0, 1]], np.float32)) == [None, None]


@pytest.mark.parametrize(
    "text",
    ["ab jetzt donnerstags, wir sind umgezogen", "maintenant c'est le jeudi pour moi", "ahora es los jueves y ya no puedo",
     "теперь по четвергам", "artık perşembe günleri yüzüyorum", "现在改到星期四了",
     "木曜日に変更になった", "이제 목요일로 바뀜"],
)  # fmt: skip
def test_says_changed_recognizes_other_languages(text):
    assert says_changed(text)


def test_every_language_has_change_words():
    assert len(CHANGE_WORDS) == 16


def test_prompt_marks_outdated_statement_and_replay_matches():
    clock = ManualClock()
    with keepsaid.open("memory://", embedder="off", background=False, clock=clock) as memory:
        memory.chat(owner="ann").add("user", TUESDAYS)
        clock.advance(days=20)
        memory.chat(owner="ann").add("user", THURSDAYS)
        clock.advance(days=1)
        context = memory.chat(owner="ann").context("When is choir practice?", budget=2_000)
        block = context.messages[-1]["content"]
        assert f"{TUESDAYS} (older: see " in block
        assert f"{THURSDAYS}\n" in block
        older = next(item for item in context.items if item.text == TUESDAYS and item.kind == "message")
        assert older.changed == THURSDAYS
        assert memory.replay(context.receipt_id).messages == context.messages
        assert "(older: see " in memory.relevant_context("When is choir practice?", owner="ann").text


def test_profile_follows_news_about_named_person():
    clock = ManualClock()
    with keepsaid.open("memory://", embedder="off", background=False, clock=clock) as memory:
        memory.chat(owner="ann").add("user", "My sister Nora lives in Lisbon.")
        memory.maintain()
        clock.advance(days=20)
        memory.chat(owner="ann").add("user", "Nora moved, she lives in Porto now.")
        assert "Lisbon" not in memory.profile(owner="ann").text  # read ahead, before notes are taken
        assert "Porto" in memory.profile(owner="ann").text
        memory.maintain()
        assert "Lisbon" not in memory.profile(owner="ann").text
        assert "Porto" in memory.profile(owner="ann").text


def test_prompt_omits_assistant_answer_that_repeats_its_source():
    with keepsaid.open("memory://", embedder="off", background=False, clock=ManualClock()) as memory:
        memory.chat(owner="ann").add("user", "My sister Ana moved to Lisbon.")
        asked = memory.chat(owner="ann")
        asked.add("user", "Where does my sister Ana live?")
        asked.add("assistant", "Your sister Ana lives in Lisbon.")
        limits = Limits(profile=0, facts=0)
        context = memory.chat(owner="ann").context("Where does my sister Ana live now?", budget=2_000, limits=limits)
        block = context.messages[-1]["content"]
        assert "My sister Ana moved to Lisbon." in block
        assert "Your sister Ana lives in Lisbon." not in block
        found = memory.search("my sister Ana in Lisbon", owner="ann")  # who searches is shown it, below what it repeats
        texts = [hit.message.text for hit in found]
        assert texts.index("My sister Ana moved to Lisbon.") < texts.index("Your sister Ana lives in Lisbon.")
