"""New messages are embedded once, whether a search or the embedding job comes first."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

import keepsaid
from keepsaid.ports import VisibleMessage
from keepsaid.services.search import recent_embeddings
from keepsaid.services.search.recent_embeddings import RecentEmbeddings
from keepsaid.testing import HashEmbedder
from keepsaid.types import Message, Role, Scope

ANN, BOB = Scope("ann"), Scope("bob")


class RecordingEmbedder(HashEmbedder):
    """Remembers the texts of messages that it embedded."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def embed(self, texts, *, asking=False):
        if not asking:
            self.texts += texts
        return super().embed(texts, asking=asking)


def said(*texts: str, first: int = 1) -> list[VisibleMessage]:
    return [
        VisibleMessage(number, Message(f"m{number}", "s", number, 0, Role.USER, text, 5, 0, 0.5, False, {}))
        for number, text in enumerate(texts, first)
    ]


def numbers(passages: Sequence[keepsaid.ports.EmbeddedPassage]) -> list[int]:
    return [passage.number for passage in passages]


def test_message_is_embedded_once_by_searches_and_job(tmp_path):
    embedder = RecordingEmbedder()
    with keepsaid.open(tmp_path / "chat.db", embedder=embedder, background=False, durable=False) as memory:
        memory.chat(owner="ann").add_many(
            {"role": "user", "content": f"The train to Porto leaves at {n}."} for n in range(5)
        )
        for question in ("Which train?", "When does the train to Porto leave?"):
            assert len(memory.search(question, owner="ann")) == 5
        memory.maintain()
        memory.search("a train", owner="ann")
    assert sorted(text for text in embedder.texts if "Porto" in text) == [
        f"The train to Porto leaves at {n}." for n in range(5)
    ]


def test_vectors_that_the_job_stores_are_those_of_their_messages(tmp_path):
    stored = {}
    for searched in (True, False):
        path = tmp_path / f"{searched}.db"
        with keepsaid.open(path, embedder=HashEmbedder(), background=False, durable=False) as memory:
            memory.chat(owner="ann").add_many({"role": "user", "content": f"Train {n} to Porto."} for n in range(20))
            if searched:
                memory.search("train 7 to Porto", owner="ann")
            memory.maintain()
            storage, name = memory._services.storage, HashEmbedder().name
            stored[searched] = storage.passages(ANN, name, range(1, 21))
    assert stored[True] == stored[False]
    assert len(stored[True]) == 20


def test_number_of_an_erased_owner_is_not_taken_for_the_new_message():
    recent, embedder = RecentEmbeddings(), RecordingEmbedder()
    recent.embed(ANN, embedder, said("Green tea."))
    assert recent.find(ANN, embedder.name, said("Black tea.")) == {}
    again = recent.find(ANN, embedder.name, said("Green tea.", first=9))
    assert numbers(again[9]) == [9]


def test_other_owners_and_generations_do_not_share_embeddings():
    recent, embedder = RecentEmbeddings(), RecordingEmbedder()
    recent.embed(ANN, embedder, said("Green tea."))
    assert recent.find(BOB, embedder.name, said("Green tea.")) == {}
    assert recent.find(Scope("ann", None, "team"), embedder.name, said("Green tea.")) == {}
    assert recent.find(ANN, "another", said("Green tea.")) == {}
    recent.embed(BOB, embedder, said("Green tea."))
    assert embedder.texts == ["Green tea."] * 2


def test_embeddings_are_dropped_after_a_minute_and_beyond_a_size(monkeypatch):
    now = [0.0]
    recent, embedder = RecentEmbeddings(lambda: now[0]), HashEmbedder()
    recent.embed(ANN, embedder, said("Green tea."))
    now[0] = recent_embeddings.MAX_SECONDS + 1
    assert recent.find(ANN, embedder.name, said("Green tea.")) == {}
    monkeypatch.setattr(recent_embeddings, "MAX_BYTES", 3 * 2 * embedder.dimensions)
    recent.embed(ANN, embedder, said(*(f"Tea {n}." for n in range(5))))
    assert list(recent.find(ANN, embedder.name, said(*(f"Tea {n}." for n in range(5))))) == [3, 4, 5]


def test_erase_drops_recent_embeddings(tmp_path):
    with keepsaid.open(tmp_path / "chat.db", embedder=HashEmbedder(), background=False, durable=False) as memory:
        chat = memory.chat(owner="ann")
        message = chat.add("user", "The train to Porto leaves at nine.")
        memory.search("Which train?", owner="ann")
        recent = memory._services.recent_embeddings
        assert recent.find(ANN, HashEmbedder().name, [VisibleMessage(1, message)])
        chat.erase(message.id)
        assert recent.find(ANN, HashEmbedder().name, [VisibleMessage(1, message)]) == {}


def test_search_does_not_wait_for_another_one_that_embeds(tmp_path):
    go_on, started = threading.Event(), threading.Event()

    class SlowEmbedder(HashEmbedder):
        needs_timeout = False

        def embed(self, texts, *, asking=False):
            if not asking and "Porto" in texts[0]:
                started.set()
                go_on.wait(10)
            return super().embed(texts, asking=asking)

    with keepsaid.open(tmp_path / "chat.db", embedder=SlowEmbedder(), background=False, durable=False) as memory:
        memory.chat(owner="ann").add("user", "The train to Porto leaves at nine.")
        first = threading.Thread(target=lambda: memory.search("Which train?", owner="ann"))
        first.start()
        assert started.wait(10)
        start = time.monotonic()
        hits = memory.search("When does the train leave?", owner="ann")
        taken = time.monotonic() - start
        go_on.set()
        first.join()
        assert hits[0].passage == "The train to Porto leaves at nine."
        assert any("searched by words alone: another search" in why for why in hits.fallbacks)
        assert taken < 5
        assert memory.search("When does the train leave?", owner="ann").fallbacks == ()
