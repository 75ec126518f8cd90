"""What must not happen around a worker: a crash at exit, one bad text that holds up all others, a race with an erase."""

import subprocess
import sys
from functools import partial

import pytest
from model import pulled_model

import recollect
from recollect.embed.callable import CallableEmbedder
from recollect.errors import ConfigError, EmbedderError, NotFound
from recollect.testing import HashEmbedder

UNCLOSED = """
import sys, recollect
memory = recollect.open(sys.argv[1], embedder="local", model_folder=sys.argv[2])
chat = memory.chat(owner="u1")
for number in range(200):
    chat.add("user", f"message {number} about a good many different things, said at some length")
print("done")
"""


def test_a_program_may_end_while_the_model_works(tmp_path):
    ended = subprocess.run(
        [sys.executable, "-c", UNCLOSED, str(tmp_path / "chat.db"), str(pulled_model())], capture_output=True, text=True
    )
    assert (ended.returncode, ended.stdout) == (0, "done\n"), ended.stderr
    with recollect.open(tmp_path / "chat.db", embedder="off") as memory:
        assert memory.sessions(owner="u1").items[0].message_count == 200


class Picky(HashEmbedder):
    """Refuses one kind of text, as an endpoint refuses what is too long for it."""

    def embed(self, texts, *, asking=False):
        if any("poison" in text for text in texts):
            raise EmbedderError("400: too long")
        return super().embed(texts, asking=asking)


@pytest.mark.parametrize("url", ["memory://", "chat.db"])
def test_one_refused_text_holds_up_no_other(tmp_path, url):
    with recollect.open(url if "://" in url else tmp_path / url, embedder=Picky(), background=False) as memory:
        chat = memory.chat(owner="u1")
        for number in range(40):
            chat.add("user", "poison ivy" if number == 7 else f"green tea {number}")
        memory.maintain()
        coverage = memory.coverage()
        assert (coverage.embedded, coverage.messages, coverage.passages) == (40, 40, 39)
        assert memory.search("ivy", owner="u1")[0].message.text == "poison ivy"


def test_a_session_erased_meanwhile_is_no_hit(tmp_path, monkeypatch):
    with recollect.open(tmp_path / "chat.db", embedder="off") as memory:
        gone, stays = memory.chat(owner="u1", session="gone", create=True), memory.chat(owner="u1")
        gone.add("user", "green tea")
        stays.add("user", "black tea")
        get_session = memory._storage.get_session

        def erased_just_now(scope):
            if scope.session == "gone":
                raise NotFound("no such session")
            return get_session(scope)

        monkeypatch.setattr(memory._storage, "get_session", erased_just_now)
        assert [hit.message.text for hit in memory.search("tea", owner="u1")] == ["black tea"]


@pytest.mark.parametrize("embedder", [lambda texts: [[1.0]], partial(print), 5, {}, object()])
def test_an_embedder_needs_a_name(embedder):
    with pytest.raises(ConfigError, match="CallableEmbedder"):
        recollect.open("memory://", embedder=embedder)


def test_any_function_can_be_given_a_name():
    with recollect.open(
        "memory://", embedder=CallableEmbedder("lengths", lambda texts: [[1.0, len(t)] for t in texts])
    ) as memory:
        assert memory.embedder == "lengths"
