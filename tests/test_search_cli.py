"""`keepsaid search` and `keepsaid reindex`: what they print, what they refuse, and what they change."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner
from model import pull_model

import keepsaid
from keepsaid import wiring
from keepsaid.cli import main
from keepsaid.cli.memory.search import bold, display_width, excerpt_around_terms, to_printable
from keepsaid.cli.store.reindex import format_duration
from keepsaid.testing import HashEmbedder

SAID, LATER, MINUTE = datetime(2026, 5, 2, 12, 30, tzinfo=UTC), datetime(2026, 6, 1, 12, tzinfo=UTC), timedelta(minutes=1)


@pytest.fixture
def store(tmp_path):
    # Around noon, so that the dates are the same nearly everywhere.
    path = tmp_path / "chat.db"
    with keepsaid.open(path, embedder="off") as memory:
        trip = memory.chat(owner="u1", session="trip", create=True, title="Family", tags=["private"])
        trip.add("user", "My sister moved to Lisbon in May.", id="m1", created_at=SAID)
        trip.add("assistant", "How nice!", id="m2", created_at=SAID + MINUTE)
        work = memory.chat(owner="u1", session="work", create=True, tags=["office"])
        work.add("user", "Ben's sister is our new boss.", name="Ana", id="m3", created_at=LATER)
    return path


@pytest.fixture
def hashing(monkeypatch):
    """The settings can only name embedders; this lets them name the one for tests."""
    embedder = HashEmbedder(16)
    real = wiring.embedder_for
    monkeypatch.setattr(
        wiring, "embedder_for", lambda spec, **more: embedder if spec == "ollama:hash" else real(spec, **more)
    )
    monkeypatch.setenv("KEEPSAID_EMBEDDER", "ollama:hash")
    return embedder


def call(store, *arguments, **options):
    return CliRunner().invoke(main, ["--store", str(store), *arguments], catch_exceptions=False, **options)


def answer(result):
    assert result.exit_code == 0, result.output
    assert result.stdout.count("\n") == 1
    return json.loads(result.stdout)


def assert_refused(result, *words):
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    for word in words:
        assert word in result.stderr.strip().splitlines()[-1], result.stderr


# -- search


def test_search_prints_hits_as_text(store):
    result = call(store, "search", "where does my sister live?", "--owner", "u1")
    assert result.exit_code == 0
    assert result.stderr == ""
    lines = result.stdout.splitlines()
    assert lines[0].endswith(f"  {SAID.astimezone():%Y-%m-%d %H:%M}  Family  (user)")
    assert 0 < float(lines[0].split()[0]) <= 1
    assert lines[1] == "       My sister moved to Lisbon in May."
    assert lines[2].startswith("       matches 'sister'")
    assert any(line.endswith(f"{LATER.astimezone():%Y-%m-%d %H:%M}  work  (user Ana)") for line in lines)
    assert len(lines) % 3 == 0


def test_search_joins_unquoted_words(store):
    quoted = call(store, "search", "sister moved", "--owner", "u1").stdout
    assert call(store, "search", "sister", "moved", "--owner", "u1").stdout == quoted
    assert call(store, "search", "--owner", "u1", "--", "-boss", "sister").stdout.count("matches 'sister'") == 1


def test_search_prints_matched_words_bold_on_a_terminal(store):
    plain = call(store, "search", "sister", "--owner", "u1").stdout
    assert "\x1b" not in plain
    coloured = call(store, "search", "sister", "--owner", "u1", color=True).stdout
    assert "My \x1b[1msister\x1b[0m moved" in coloured
    assert "\x1b[2mmatches 'sister'" in coloured


def test_search_prints_hits_as_json(store):
    found = answer(call(store, "search", "sister Lisbon", "--owner", "u1", "--limit", "1", "--json"))
    assert found["store"] == str(store)
    assert (found["query"], found["fallbacks"]) == ("sister Lisbon", [])
    (hit,) = found["hits"]
    assert 0 < hit.pop("score") <= 1
    assert hit.pop("signals")["words"] > 0
    assert hit.pop("reason").startswith("matches 'Lisbon', 'sister'")
    assert hit == {
        "message": "m1", "session": "trip", "title": "Family", "role": "user", "name": None,
        "at": "2026-05-02T12:30:00+00:00", "passage": "My sister moved to Lisbon in May.",
        "also": [],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--session", "work"), {"m3"}),
        (("--role", "assistant"), {"m2"}),
        (("--role", "assistant", "--role", "user"), {"m1", "m2", "m3"}),
        (("--tag", "office"), {"m3"}),
        (("--tag", "nothing"), set()),
        (("--since", "2026-06-01"), {"m3"}),
        (("--until", "2026-05-02"), {"m1", "m2"}),
        (("--until", "2026-05-02T12:30:30+00:00"), {"m1"}),
        (("--since", "2026-05", "--until", "2026-05"), {"m1", "m2"}),
        (("--mode", "words", "--limit", "1"), None),
    ],
)
def test_search_options_filter_hits(store, options, expected):
    found = answer(call(store, "search", "sister nice", "--owner", "u1", "--json", *options))
    ids = {hit["message"] for hit in found["hits"]}
    assert len(ids) == 1 if expected is None else ids == expected


def test_search_shows_repeated_message_once(store):
    with keepsaid.open(store, embedder="off") as memory:
        for session in ("a", "b"):
            memory.chat(owner="u2", session=session, create=True).add("user", "Feed the cat.")
    (hit,) = answer(call(store, "search", "cat", "--owner", "u2", "--json"))["hits"]
    assert {hit["session"], hit["also"][0]["session"]} == {"a", "b"}
    assert call(store, "search", "cat", "--owner", "u2").stdout.rstrip().endswith("; said 1 more time")


def test_search_without_hits_says_nothing_found(store):
    result = call(store, "search", "elephant", "--owner", "u1")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "Nothing found.\n", "")
    assert call(store, "search", "sister", "--owner", "nobody").stdout == "Nothing found.\n"
    assert answer(call(store, "search", "sister", "--owner", "nobody", "--json"))["hits"] == []


def test_search_refuses_invalid_arguments(store, tmp_path):
    assert_refused(call(store, "search", "--owner", "u1"), "QUERY")
    assert_refused(call(store, "search", " ", "--owner", "u1"), "the query is empty")
    assert_refused(call(store, "search", "sister", "--owner", "u1", "--role", "king"), "king")
    assert_refused(call(store, "search", "sister", "--owner", "u1", "--limit", "0"), "limit")
    assert_refused(call(store, "search", "sister", "--owner", "u1", "--since", "soonish"), "soonish", "not a date")
    assert_refused(call(store, "search", "sister", "--owner", "u1", "--since", "2026-06", "--until", "2026-05"), "before")
    assert_refused(call(store, "search", "sister", "--owner", "u1", "--mode", "magic"), "magic")
    assert_refused(call(store, "search", "sister", "--owner", "u1", "--mode", "meaning"), "keepsaid model pull")
    assert_refused(call(tmp_path / "none.db", "search", "sister", "--owner", "u1"), "no store at")


def test_search_reports_fallback_on_stderr(store, hashing, monkeypatch):
    def fail(texts, *, asking=False):
        raise RuntimeError("the model is gone")

    monkeypatch.setattr(hashing, "embed", fail)
    result = call(store, "search", "sister", "--owner", "u1")
    assert result.exit_code == 0
    assert result.stderr == "Note: searched by words alone: hash-16 failed: RuntimeError: the model is gone\n"
    assert "My sister moved" in result.stdout
    assert len(answer(call(store, "search", "sister", "--owner", "u1", "--json"))["fallbacks"]) == 1


def test_search_leaves_no_worker_running(store, hashing):
    call(store, "search", "sister", "--owner", "u1")
    assert not [thread for thread in threading.enumerate() if thread.name == "keepsaid-worker"]
    with keepsaid.open(store, embedder=hashing, background=False) as memory:
        assert memory.coverage().embedded == 0


def test_search_shortens_long_passage_to_one_line(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    path = tmp_path / "chat.db"
    with keepsaid.open(path, embedder="off") as memory:
        memory.chat(owner="u1").add("user", "blah\n" * 60 + "the lighthouse key\x1b[2J is here " + "blah " * 60)
    shown = call(path, "search", "lighthouse", "--owner", "u1").stdout.splitlines()[1]
    assert "the lighthouse key" in shown
    assert len(shown) <= 60
    assert "\x1b" not in shown


@pytest.mark.parametrize("room", [10, 24, 33, 60])
@pytest.mark.parametrize(
    "text", ["blah " * 40 + "tea " + "blah " * 40, "tea" * 50, "お茶がとても好きです。" * 20, "tea " + "x" * 300]
)
def test_excerpt_fits_width_and_keeps_term(room, text):
    for wanted in ({"tea"}, {"茶"}, set()):
        short = excerpt_around_terms(text, room, wanted)
        assert display_width(short) <= room
        assert short.endswith("…")
        assert "tea" in short or "tea" not in text or wanted != {"tea"}


def test_terminal_text_is_printable_with_bold_terms():
    assert to_printable("a\tb\r\nc\x07\u202ed 👩\u200d🚀") == "a b c d 👩\u200d🚀"
    assert bold("Green teas, tea-time.", {"tea"}) == "Green \x1b[1mteas\x1b[0m, \x1b[1mtea\x1b[0m-time."
    assert excerpt_around_terms("short", 10, {"tea"}) == "short"


# -- reindex


def test_reindex_needs_embedder_and_store(store):
    assert_refused(call(store, "reindex"), "keepsaid model pull")
    assert_refused(call(store, "reindex", "--dry-run"), "keepsaid model pull")
    assert_refused(call(store.with_name("none.db"), "reindex"), "no store at")


def test_reindex_dry_run_changes_nothing(store, hashing):
    before = store.read_bytes()
    result = call(store, "reindex", "--dry-run")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        f"{store}, embedder hash-16:",
        "3 messages without vectors: about 1 second and 96 bytes.",
        "Nothing was changed: this was a dry run.",
    ]
    found = answer(call(store, "reindex", "--dry-run", "--json"))
    assert 0 < found.pop("estimated_seconds") + 0.1 < 5
    assert found == {
        "store": str(store), "embedder": "hash-16", "generations": [], "dry_run": True, "waiting": 3, "estimated_bytes": 96,
    }  # fmt: skip
    assert store.read_bytes() == before


def test_reindex_embeds_all_messages(store, hashing):
    result = call(store, "reindex")
    assert result.exit_code == 0
    assert result.stdout == f"Embedded 3 messages of {store} with hash-16.\nNow 3 of 3 messages have vectors (96 bytes).\n"
    assert "Embedding" in result.stderr
    again = call(store, "reindex")
    assert "Embedded 0 messages" in again.stdout
    plan = call(store, "reindex", "--dry-run").stdout.splitlines()
    assert plan[1:] == [
        "  hash-16: 3 of 3 messages, 3 passages, 96 bytes, complete",
        "Nothing to do: every message has vectors.",
    ]
    assert answer(call(store, "reindex", "--dry-run", "--json"))["estimated_seconds"] == 0


def test_reindex_prints_json(store, hashing):
    found = answer(call(store, "reindex", "--json"))
    assert found.pop("seconds") >= 0
    (generation,) = found.pop("generations")
    assert generation == {
        "name": "hash-16", "dimensions": 16, "complete": True, "embedded": 3, "messages": 3, "passages": 3, "bytes": 96,
    }  # fmt: skip
    assert found == {
        "store": str(store), "embedder": "hash-16", "dry_run": False, "embedded": 3, "waiting": 0, "stopped": False,
    }  # fmt: skip


def test_reindex_replaces_vectors_of_old_model(store, hashing):
    with keepsaid.open(store, embedder=HashEmbedder(64), background=False) as memory:
        memory.maintain()
    plan = call(store, "reindex", "--dry-run").stdout
    assert "  hash-64: 3 of 3 messages, 3 passages, 384 bytes, complete\n" in plan
    assert "Then the vectors of hash-64 are removed; until then they are used." in plan
    assert "The vectors of hash-64 were removed.\n" in call(store, "reindex").stdout
    assert len(answer(call(store, "reindex", "--dry-run", "--json"))["generations"]) == 1


def test_interrupted_reindex_can_be_continued(store, hashing, monkeypatch):
    with keepsaid.open(store, embedder="off") as memory:
        memory.chat(owner="u2").add_many([{"role": "user", "content": f"Message {number}"} for number in range(97)])
    embed, calls = hashing.embed, []

    def interrupted(texts, *, asking=False):
        calls.append(texts)
        if len(calls) == 5:
            raise KeyboardInterrupt
        return embed(texts, asking=asking)

    monkeypatch.setattr(hashing, "embed", interrupted)
    result = call(store, "reindex")
    assert result.exit_code == 1
    assert result.stdout.startswith("Stopped. ")
    assert result.stdout.endswith("have vectors and keep them; `keepsaid reindex` continues.\n")
    done = int(result.stdout.split()[1])
    assert 0 < done < 100
    found = answer(call(store, "reindex", "--json"))
    assert (found["embedded"], found["waiting"]) == (100 - done, 0)


def test_reindex_reports_failing_embedder(store, hashing, monkeypatch):
    def fail(texts, *, asking=False):
        raise RuntimeError("the model is gone")

    monkeypatch.setattr(hashing, "embed", fail)
    assert_refused(call(store, "reindex"), "the model is gone")
    assert_refused(call(store, "reindex", "--dry-run"), "the model is gone")


def test_durations_are_formatted():
    assert [format_duration(seconds) for seconds in (0, 1.4, 59, 60, 150, 3600, 90_000)] == [
        "1 second", "1 second", "59 seconds", "1 minute", "2 minutes", "1 hour", "25 hours",
    ]  # fmt: skip


# -- as processes


def run(store, *arguments):
    command = Path(sys.executable).with_name("keepsaid")
    environment = os.environ | {"KEEPSAID_MODEL_FOLDER": str(pull_model()), "COLUMNS": "90"}
    return subprocess.Popen(
        [command, "--store", store, *arguments], env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def test_search_and_reindex_processes_use_the_real_model(store):
    found, told = run(store, "search", "in which town is her home?", "--owner", "u1").communicate(timeout=120)
    assert "My sister moved to Lisbon in May." in found.splitlines()[1]
    assert told == ""
    plan, _ = run(store, "reindex", "--dry-run", "--json").communicate(timeout=120)
    assert json.loads(plan)["waiting"] == 3
    done, _ = run(store, "reindex", "--json").communicate(timeout=120)
    assert json.loads(done)["embedded"] == 3
    found, _ = run(store, "search", "in which town is her home?", "--owner", "u1", "--mode", "meaning").communicate(
        timeout=120
    )
    assert "My sister moved to Lisbon in May." in found.splitlines()[1]


def test_ctrl_c_stops_reindex_and_keeps_progress(store):
    with keepsaid.open(store, embedder="off") as memory:
        chat = memory.chat(owner="u2")
        chat.add_many(
            [{"role": "user", "content": f"Message {number}: {'so much to tell, ' * 60}"} for number in range(1500)]
        )
    process = run(store, "reindex")
    with keepsaid.open(store, embedder="local", model_folder=str(pull_model()), background=False) as memory:
        end = time.monotonic() + 60
        while memory.coverage().embedded < 20:
            assert process.poll() is None
            assert time.monotonic() < end
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        said, told = process.communicate(timeout=60)
        assert (process.returncode, "Traceback" in told) == (1, False)
        assert "`keepsaid reindex` continues" in said
        done = memory.coverage().embedded
        assert 20 <= done < 1503
        assert said.startswith(f"Stopped. {done:,} of 1,503 messages")
