"""The context benchmark: figures computed by hand, sliding windows, replayed conversations, the command."""

from __future__ import annotations

import importlib
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from model import pull_model

import keepsaid
from benchmarks.__main__ import bench
from benchmarks.common import conversations, dataset
from benchmarks.common.cached_embedder import CachedEmbedder
from benchmarks.common.dataset import DataSetConversation, DataSetMessage, DataSetQuestion
from benchmarks.prompts import context, context_evidence, context_prefix, context_table, context_time
from benchmarks.prompts.context_prefix import PrefixFigures, shared_prefix_tokens
from benchmarks.prompts.window import SlidingWindow, prompt_tokens, question_message
from keepsaid.engine.prompt.chat_format import ChatMessageDict, count_chat_message_tokens
from keepsaid.errors import InvalidInput
from keepsaid.testing import HashEmbedder
from keepsaid.types.prompts import Context, PromptItem, SectionTokens

CITIES = ("Lisbon", "Oslo", "Prague", "Dublin", "Vienna", "Athens", "Warsaw", "Madrid", "Naples", "Geneva")
FILLER = "We talked about the weather for a while, then about nothing in particular, and it was quite late by then."


@pytest.fixture
def trips(tmp_path: Path) -> Path:
    """Two owners with five conversations of six messages each, in no order of time; a question for each trip."""
    records: list[dataset.DataSetRecord] = []
    for number, city in enumerate(CITIES):
        owner = "ann" if number < 5 else "ben"
        start = datetime(2025, 10 - number, 1, tzinfo=UTC)
        said = [
            DataSetMessage(f"{number}-{place}", "assistant" if place % 2 else "user", f"{place} of {number}: {FILLER}")
            for place in range(6)
        ]
        said[2] = DataSetMessage(f"{number}-2", "user", f"We went to {city} by train\nand came back on the {number + 3}th.")
        records.append(DataSetConversation(owner, f"trip-{number}", tuple(said), start))
        records.append(
            DataSetQuestion(owner, f"q{number}", f"How did we get to {city}?", (f"{number}-2",), category="1 trains")
        )
    records.append(DataSetQuestion("ann", "hard", "zzz", ("0-5",), category="2 hard"))
    records.append(DataSetQuestion("ann", "unlabelled", "What?"))
    dataset.write_records(tmp_path / "trips.jsonl", records)
    return tmp_path / "trips.jsonl"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def run_context(*arguments: object) -> Any:
    return CliRunner().invoke(bench, ["context", *map(str, arguments)])


def run_benchmark(*arguments: object) -> dict[str, Any]:
    result = run_context(*arguments, "--json")
    assert result.exit_code == 0, result.output
    assert result.stdout.count("\n") == 1
    return json.loads(result.stdout)


# -- what repeats


def words(text: str) -> int:
    return len(text.split())


def chat_message(role: str, content: str) -> ChatMessageDict:
    return {"role": role, "content": content}


def test_prefix_figures_match_hand_computed_example() -> None:
    """Four tokens for each message's format, three for where the answer begins, and one for each word."""
    first = [chat_message("user", "one two three"), chat_message("assistant", "four"), chat_message("user", "what is five")]
    # 7 + 5 repeat, and of the third message the first two words.
    second = [*first[:2], chat_message("user", "what is six"), chat_message("assistant", "seven")]
    # Nothing repeats: the oldest message slid out.
    third = second[1:]
    made = PrefixFigures(words, str.split)
    for prompt, full in ((first, False), (second, True), (third, False)):
        made.add(prompt, full=full)
    assert (made.repeated, made.total, made.prompts) == (7 + 5 + 2, (3 + 7 + 5 + 7 + 5) + (3 + 5 + 7 + 5), 2)
    assert context_prefix.repeated_share([made]) == round(100 * 14 / 47, 2)
    assert context_prefix.repeated_share([PrefixFigures(words, str.split)]) is None


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ([chat_message("user", "a b"), chat_message("user", "c")], 6 + 5),
        ([chat_message("user", "a b")], 6),
        ([chat_message("assistant", "a b")], 0),
        ([chat_message("user", "a b") | {"name": "Ann"}], 0),
        ([chat_message("user", "a x")], 1),
        ([], 0),
    ],
)
def test_shared_prefix_tokens_stops_at_first_difference(after: list[ChatMessageDict], expected: int) -> None:
    assert (
        shared_prefix_tokens([chat_message("user", "a b"), chat_message("user", "c")], after, words, str.split) == expected
    )


# -- the window


@given(st.lists(st.text("ab ", max_size=40), max_size=30), st.text("ab ", max_size=10), st.integers(16, 120))
def test_sliding_window_fills_budget_without_exceeding_budget(texts: list[str], question: str, budget: int) -> None:
    window = SlidingWindow(words)
    for text in texts:
        window.add(chat_message("user", text))
    prompt = window.prompt(question_message(question), budget)
    assert prompt_tokens(prompt, words) <= budget
    assert prompt == [
        *(chat_message("user", text) for text in texts[len(texts) - len(prompt) + 1 :]),
        question_message(question),
    ]
    if len(prompt) <= len(texts):
        one_more = chat_message("user", texts[len(texts) - len(prompt)])
        assert prompt_tokens(prompt, words) + count_chat_message_tokens(one_more, words) > budget


def test_sliding_window_keeps_question_over_budget() -> None:
    window = SlidingWindow(words)
    window.add(chat_message("user", "a"))
    assert window.prompt(question_message("a b c d"), 5) == [question_message("a b c d")]


# -- what is in


def context_of(items: Sequence[PromptItem], text: str, dropped: Sequence[PromptItem] = ()) -> Context:
    return Context([chat_message("user", text)], SectionTokens(recalled=7), 7, 100, "?", "?", tuple(items), tuple(dropped))


def test_why_missing_names_reason_for_absent_message() -> None:
    whole = PromptItem("recalled", "message", "m1", 5, "matches")
    passage = PromptItem("recalled", "message", "m1", 5, "matches", whole=False)
    dropped = PromptItem("recalled", "message", "m1", 5, "matches 'x; y'; did not fit the budget")
    text = "Dear Ann,\nsee </memory> you"
    shown = "- [1 May] Dear Ann,\n  see ‹/memory> you"
    for items, out, prompt, expected in (
        ([whole], [], shown, ""),
        ([whole], [], text, ""),
        ([whole], [], "Dear Ann, …", "said to be in, but is not"),
        ([passage], [], shown, "only a passage of it"),
        ([], [dropped], shown, "did not fit the budget"),
        ([PromptItem("facts", "fact", "m1", 5, "a fact")], [], shown, "not found"),
    ):
        assert context_evidence.why_missing(context_of(items, prompt, out), "m1", text) == expected


def test_evidence_counts_only_if_all_messages_are_in_prompt() -> None:
    held = context_evidence.EvidenceFigures()
    made = context_of([PromptItem("recent", "message", "m1", 5, "new")], "tea")
    context_evidence.count_evidence(held, made, {"m1": "tea"})
    context_evidence.count_evidence(held, made, {"m1": "tea", "m2": "milk"})
    assert (held.ours, dict(held.missed), dict(held.spent)) == ([True, False], {"not found": 1}, {"recalled": 14})


# -- conversations


def test_conversations_of_owner_are_joined_in_time_order(trips: Path) -> None:
    read = conversations.read_owner_conversations(
        trips, dataset.read_outline(trips), ["ben"], "off", lambda what, done, total: None
    )
    assert list(read.said) == ["ben"]
    assert [one.id for one in read.said["ben"]] == [f"{number}-{place}" for number in range(9, 4, -1) for place in range(6)]


def test_question_sample_is_deterministic() -> None:
    questions = [DataSetQuestion("u1", f"q{number}", "?", ("m1",) if number % 2 else ()) for number in range(40)]
    few = context_evidence.sample_questions(questions, 5)
    assert few == context_evidence.sample_questions(questions[::-1], 5)[::-1]
    assert (
        context_evidence.sample_questions(questions, None)
        == context_evidence.sample_questions(questions, 20)
        == questions[1::2]
    )


def test_cached_embedder_reuses_vectors_of_store(tmp_path: Path) -> None:
    inner = HashEmbedder(tokens=True)
    texts = ["My sister moved to Lisbon.", "tea " * 300]
    with keepsaid.open(tmp_path / "chat.db", embedder=inner, background=False) as memory:
        memory.chat(owner="u1").add_many([{"role": "user", "content": text, "name": "Ann"} for text in texts])
        memory.maintain()
    calls = inner.calls
    known = CachedEmbedder(inner)
    known.learn(tmp_path / "chat.db", ["u1", "nobody"])
    with keepsaid.open(tmp_path / "again.db", embedder=known, background=False) as memory:
        chat = memory.chat(owner="u1")
        chat.add_many([{"role": "user", "content": text, "name": "Ann"} for text in texts])
        memory.maintain()
        assert memory.coverage().passages > 2
        # Only the text that asks for the dimensions was new.
        assert inner.calls == calls + 1
        assert memory.search("sister in Lisbon", owner="u1")[0].message.text == texts[0]
    assert known.seconds > 0


# -- the command


def test_context_command_prints_json_figures(trips: Path) -> None:
    found = run_benchmark(trips, "--embedder", "off", "--budgets", "512,2k", "--no-time")
    assert set(found) >= {"evidence_at", "window_evidence_at", "compile_ms", "prefix_share", "window_prefix_share"}
    assert (found["conversations"], found["messages"], found["questions"], found["embedder"]) == (2, 60, 11, None)
    # Ten trips are found by their cities, and all of one conversation fits into 2,048 tokens.
    assert found["evidence_by_category"]["1 trains"]["evidence_at"] == {"512": 100.0, "2k": 100.0}
    assert found["evidence_at"]["2k"] == found["window_evidence_at"]["2k"] == 100.0
    # A small window holds the trips of the three newest conversations of each owner, and the very last message.
    assert found["window_evidence_at"]["512"] == pytest.approx(100 * 7 / 11, abs=0.01)
    assert found["compile_ms"] is None
    assert found["tokens_at"]["512"]["recalled"] > 0


def test_context_command_skips_disabled_measurements(trips: Path) -> None:
    found = run_benchmark(trips, "--embedder", "off", "--budgets", "1k", "--questions", "3", "--no-prefix", "--no-time")
    assert (found["questions"], found["prefix_share"], found["window_prefix_share"]) == (3, None, None)
    assert "compactions" not in found


def test_replay_measures_prefix_share_and_compactions(trips: Path) -> None:
    outline = dataset.read_outline(trips)
    read = conversations.read_owner_conversations(trips, outline, ["ann", "ben"], "off", lambda what, done, total: None)
    prompts: list[Sequence[ChatMessageDict]] = []

    def last_two(messages: Sequence[ChatMessageDict], budget: int) -> list[ChatMessageDict]:
        prompts.append(messages)
        return list(messages[-2:])

    questions = context_evidence.sample_questions(outline.questions, None)
    told: list[tuple[str, int, int]] = []
    found = context_prefix.replay(
        read, outline, questions, {"last two": last_two}, lambda *step: told.append(step), budget=400
    )
    assert told[-1] == ("replaying", 30, 30)
    assert len(prompts) == 30
    assert found["window_prefix_share"] == 0.0 < found["prefix_share"] < 100
    # Two messages and then the next two have nothing in common.
    assert found["peers"] == {"last two": 0.0}
    assert found["compactions"] > 0
    assert found["prefix_turns"] < 30
    assert 0 < found["new_tokens"] < 400
    # Asked at the end, what was said long ago is recalled.
    assert found["prefix_evidence"] > 50


def test_context_command_works_with_local_model(trips: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEEPSAID_MODEL_FOLDER", str(pull_model()))
    first = run_benchmark(trips, "--budgets", "512", "--no-prefix", "--no-time")
    assert first["embedder"].startswith("local:")
    assert first["evidence_by_category"]["1 trains"]["evidence_at"]["512"] == 100.0
    second = run_benchmark(trips, "--budgets", "512", "--no-prefix", "--no-time")
    assert second["evidence_at"] == first["evidence_at"]


@pytest.mark.parametrize("embedder", [HashEmbedder(), None])
def test_context_time_measures_each_size_and_budget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, embedder: HashEmbedder | None
) -> None:
    for name, value in (("QUESTIONS", 3), ("ROUNDS", 1), ("TEXTS", 20), ("BATCH", 20)):
        monkeypatch.setattr(context_time, name, value)
    known = None if embedder is None else CachedEmbedder(embedder)
    for _ in range(2):
        found = context_time.run(known, (30, 50), folder=tmp_path)
    assert set(found["sizes"]) == {"30", "50"}
    for budgets in found["sizes"].values():
        assert set(budgets) == {"8k", "120k"}
        assert all(0 < of["p50_processor"] <= of["p95_processor"] <= 2 * of["p95"] for of in budgets.values())
    assert found["tokens_per_message"] > 5
    (kept,) = tmp_path.glob("context-*.db")
    with keepsaid.open(kept) as memory:
        assert [memory.position(owner=f"owner-of-{size}").messages for size in (30, 50)] == [30, 50]


def test_context_command_prints_table(trips: Path) -> None:
    result = run_context(trips, "--embedder", "off", "--budgets", "512,2k", "--no-time", "--no-prefix")
    assert result.exit_code == 0
    lines = [line.split() for line in result.stdout.splitlines()]
    assert lines[0][:3] == ["60", "messages", "in"]
    assert ["1", "trains", "(10)", "100.0", "100.0"] in lines
    assert result.stderr == ""  # progress is for terminals


def test_table_marks_missed_targets() -> None:
    at = {"4k": 50.0}
    time = {"p50": 9.0, "p50_processor": 8.0, "p95_processor": 18.0}
    result = {
        "conversations": 2, "messages": 9, "questions": 3, "embedder": "x", "evidence_at": at, "window_evidence_at": at,
        "evidence_by_category": {}, "tokens_at": {"4k": {}}, "prefix_share": 84.9, "window_prefix_share": None,
        "peers": {"other": 3.0}, "prefix_evidence": 50.0, "prefix_tokens": {"recalled": 90.0}, "compactions": 4.0,
        "new_tokens": 120.0,
        "compile_ms": {"p50": 9.0, "p95": 19.0}, "tokens_per_message": 61.8,
        "compile_ms_by": {"10000": {"8k": time | {"p95": 19.0}, "120k": time | {"p95": 60.1}}},
    }  # fmt: skip
    text = context_table.table(result)
    missed = [line.split() for line in text.splitlines() if "MISSED" in line]
    assert missed == [
        ["Keepsaid", "84.9", "≥", "85", "MISSED"],
        ["10,000", "messages,", "120k", "9.0", "60.1", "≤", "60", "MISSED", "18.0"],
    ]
    assert max(map(len, text.splitlines())) <= 100


def test_invalid_budget_is_named_in_error(trips: Path) -> None:
    result = run_context(trips, "--budgets", "512,many", "--no-time")
    assert (result.exit_code, "not 'many'" in result.stderr) == (2, True)
    with pytest.raises(InvalidInput):
        context.budget_of("0")


def test_missing_peer_libraries_name_install_command(trips: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(importlib.import_module("sys").modules, "langchain_core.messages", None)
    result = run_context(trips, "--peers", "--no-time", "--no-prefix")
    assert result.exit_code != 0
    assert "`make peers`" in result.stderr


# -- the page


def test_charts_are_svg_with_one_bar_per_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "benchmarks"))
    page = importlib.import_module("make_benchmarks")
    result = {
        "evidence_at": {"512": 40.0, "4k": 60.0}, "window_evidence_at": {"512": 1.0, "4k": 20.0},
        "prefix_share": 86.0, "window_prefix_share": 3.0, "peers": {"other": 9.0},
    }  # fmt: skip
    for drawn, bars in ((page.evidence_chart({"LoCoMo": result}), 4), (page.prefix_chart(result), 3)):
        picture = ElementTree.fromstring(drawn)
        assert len(list(picture.iter("{http://www.w3.org/2000/svg}rect"))) == bars
