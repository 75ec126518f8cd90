"""Problems around a worker: program exit while it runs, a text that is refused, an erase during a search."""

import subprocess
import sys
from functools import partial

import pytest
from model import pull_model

import keepsaid
from keepsaid.embed.callable import CallableEmbedder
from keepsaid.errors import ConfigError, EmbedderError
from keepsaid.testing import HashEmbedder

UNCLOSED = """
import sys, keepsaid
memory = keepsaid.open(sys.argv[1], embedder="local", model_folder=sys.argv[2])
chat = memory.chat(owner="u1")
for number in range(200):
    chat.add("user", f"message {number} about a good many different things, said at some length")
print("done")
"""


def test_program_exits_cleanly_while_worker_embeds(tmp_path):
    ended = subprocess.run(
        [sys.executable, "-c", UNCLOSED, str(tmp_path / "chat.db"), str(pull_model())], capture_output=True, text=True
    )
    assert (ended.returncode, ended.stdout) == (0, "done\n"), ended.stderr
    with keepsaid.open(tmp_path / "chat.db", embedder="off") as memory:
        assert memory.sessions(owner="u1").items[0].message_count == 200


class Picky(HashEmbedder):
    """Refuses one kind of text, as an endpoint refuses what is too long for it."""

    def embed(self, texts, *, asking=False):
        if any("poison" in text for text in texts):
            raise EmbedderError("400: too long")
        return super().embed(texts, asking=asking)


@pytest.mark.parametrize("url", ["memory://", "chat.db"])
def test_refused_text_does_not_block_others(tmp_path, url):
    with keepsaid.open(url if "://" in url else tmp_path / url, embedder=Picky(), background=False) as memory:
        chat = memory.chat(owner="u1")
        for number in range(40):
            chat.add("user", "poison ivy" if number == 7 else f"green tea {number}")
        memory.maintain()
        coverage = memory.coverage()
        assert (coverage.embedded, coverage.messages, coverage.passages) == (40, 40, 39)
        assert memory.search("ivy", owner="u1")[0].message.text == "poison ivy"


def test_session_erased_during_search_is_not_a_hit(monkeypatch):
    with keepsaid.open("memory://", embedder="off") as memory:
        gone, stays = memory.chat(owner="u1", session="gone", create=True), memory.chat(owner="u1")
        gone.add("user", "green tea")
        stays.add("user", "black tea")
        read_titles = memory._services.storage.titles

        def erase_then_read_titles(scope, sessions):
            gone.erase()
            return read_titles(scope, sessions)

        monkeypatch.setattr(memory._services.storage, "titles", erase_then_read_titles)
        assert [hit.message.text for hit in memory.search("tea", owner="u1")] == ["black tea"]


@pytest.mark.parametrize("embedder", [lambda texts: [[1.0]], partial(print), 5, {}, object()])
def test_embedder_without_name_is_refused(embedder):
    with pytest.raises(ConfigError, match="CallableEmbedder"):
        keepsaid.open("memory://", embedder=embedder)


def test_callable_embedder_gives_function_a_name():
    with keepsaid.open(
        "memory://", embedder=CallableEmbedder("lengths", lambda texts: [[1.0, len(t)] for t in texts])
    ) as memory:
        assert memory.embedder == "lengths"
