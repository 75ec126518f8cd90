"""The recall benchmark: figures computed by hand, the data set format and its errors, converters, the command."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

import keepsaid
from benchmarks.__main__ import bench
from benchmarks.common import chart, dataset, locomo, longmemeval
from benchmarks.common.dataset import BadDataSetLine, DataSetConversation, DataSetMessage, DataSetQuestion
from benchmarks.search import figures, recall, recall_table

# -- figures, worked out by hand

FOUND = ["a", "b", "c", "d", "e", "f"]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({"a"}, {"any@1": 1, "all@1": 1, "recall@1": 1, "any@5": 1, "all@5": 1, "recall@5": 1, "mrr": 1}),
        ({"b"}, {"any@1": 0, "all@1": 0, "recall@1": 0, "any@5": 1, "all@5": 1, "recall@5": 1, "mrr": 1 / 2}),
        ({"c", "f"}, {"any@1": 0, "all@1": 0, "recall@1": 0, "any@5": 1, "all@5": 0, "recall@5": 1 / 2, "mrr": 1 / 3}),
        ({"f"}, {"any@1": 0, "all@1": 0, "recall@1": 0, "any@5": 0, "all@5": 0, "recall@5": 0, "mrr": 1 / 6}),
        ({"x"}, {"any@1": 0, "all@1": 0, "recall@1": 0, "any@5": 0, "all@5": 0, "recall@5": 0, "mrr": 0}),
        ({"a", "b", "x"}, {"any@1": 1, "all@1": 0, "recall@1": 1 / 3, "any@5": 1, "all@5": 0, "recall@5": 2 / 3, "mrr": 1}),
    ],
)
def test_figures_of_one_question_match_hand_computation(wanted: set[str], expected: dict[str, float]) -> None:
    assert figures.figures([(FOUND, wanted)], cuts=(1, 5)) == pytest.approx(
        {k: 100 * v for k, v in expected.items()}, abs=0.01
    )


def test_figures_are_means_over_questions() -> None:
    cases = [(FOUND, {"a"}), (FOUND, {"b", "x"}), ([], {"y"})]
    found = figures.figures(cases)
    assert set(found) == {f"{name}@{k}" for name in ("any", "all", "recall") for k in (1, 5, 10, 20)} | {"mrr"}
    assert (found["any@1"], found["any@5"], found["all@5"]) == (33.33, 66.67, 33.33)
    assert (found["recall@5"], found["mrr"]) == (50.0, 50.0)
    assert figures.figures([]) == {}


@given(st.lists(st.text(max_size=2), unique=True), st.sets(st.text(max_size=2), min_size=1))
def test_figures_never_fall_with_k_and_all_is_at_most_any(found: list[str], wanted: set[str]) -> None:
    values = figures.figures([(found, wanted)])
    for name in ("any", "all", "recall"):
        grown = [values[f"{name}@{k}"] for k in figures.CUTS]
        assert grown == sorted(grown)
    for k in figures.CUTS:
        assert 0 <= values[f"all@{k}"] <= values[f"recall@{k}"] <= values[f"any@{k}"] <= 100
    assert values["any@1"] <= values["mrr"]


@pytest.mark.parametrize(
    ("values", "share", "expected"),
    [([7.0], 95, 7.0), ([1.0, 2.0, 3.0, 4.0], 50, 2.0), ([float(n) for n in range(1, 101)], 95, 95.0), ([2.0, 1.0], 0, 1.0)],
)
def test_percentile_is_the_nearest_rank(values: list[float], share: float, expected: float) -> None:
    assert figures.percentile(values, share) == expected


# -- the neutral form


def write(path: Path, *lines: object) -> Path:
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), encoding="utf-8")
    return path


def talk(session: str = "s1", *ids: str, owner: str = "u1", **more: Any) -> dict[str, Any]:
    messages = [{"id": id, "role": "user", "content": f"about {id}"} for id in ids or ("m1",)]
    return {"type": "session", "owner": owner, "session": session, "messages": messages, **more}


def question(id: str = "q1", *evidence: str, owner: str = "u1", **more: Any) -> dict[str, Any]:
    return {"type": "question", "owner": owner, "id": id, "text": "about what?", "evidence": list(evidence), **more}


def test_message_times_default_to_seconds_after_session_start(tmp_path: Path) -> None:
    spoken = talk("s1", "m1", "m2", "m3", started_at="2026-05-01T09:00:00")
    spoken["messages"][2]["created_at"] = "2026-05-01T12:00:00+02:00"
    (read,) = dataset.read_conversations(write(tmp_path / "set.jsonl", spoken))
    assert read.started_at == datetime(2026, 5, 1, 9, tzinfo=UTC)
    assert [said.created_at for said in read.messages] == [
        datetime(2026, 5, 1, 9, 0, second, tzinfo=UTC) if second < 2 else datetime(2026, 5, 1, 10, tzinfo=UTC)
        for second in range(3)
    ]


def test_messages_without_times_keep_their_order(tmp_path: Path) -> None:
    source = write(tmp_path / "set.jsonl", talk("s1", "m1", "m2"))
    (read,) = dataset.read_conversations(source)
    assert [(said.id, said.created_at) for said in read.messages] == [("m1", None), ("m2", None)]


def test_outline_accepts_lines_in_any_order(tmp_path: Path) -> None:
    lines = (
        question("q1", "m2", category="c"),
        "",
        talk("s1", "m1", "m2"),
        question("q2", owner="nobody"),
        talk("s1", "m3"),
    )
    outline = dataset.read_outline(write(tmp_path / "set.jsonl", *lines))
    assert [question.id for question in outline.questions] == ["q1", "q2"]
    assert outline.owners["u1"].sessions == {"m1": "s1", "m2": "s1", "m3": "s1"}
    assert outline.answers(outline.questions[0]) == ({"m2"}, {"s1"})


def test_evidence_sessions_override_sessions_of_evidence(tmp_path: Path) -> None:
    lines = (talk("s1", "m1"), talk("s2", "m2"), question("q1", "m1", evidence_sessions=["s1", "s2"]))
    outline = dataset.read_outline(write(tmp_path / "set.jsonl", *lines))
    assert outline.answers(outline.questions[0]) == ({"m1"}, {"s1", "s2"})


def test_numeric_ids_are_read_as_strings(tmp_path: Path) -> None:
    lines = (talk("s1") | {"messages": [{"id": 7, "role": "user", "content": "x"}]}, question("q1") | {"evidence": [7]})
    assert dataset.read_outline(write(tmp_path / "set.jsonl", *lines)).questions[0].evidence == ("7",)


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        ("{", "not JSON"),
        ("[1]", "the line must be an object, not list"),
        ({"type": "answer"}, "unknown type 'answer'; known are 'session' and 'question'"),
        (talk("s2", "m2", "m1"), "message 'm1' of 'u1' is a duplicate"),
        (question("q1", "m9"), "evidence of question 'q1': 'u1' has no message 'm9'"),
        (question("q1", "m1", owner="u2"), "'u2' has no message 'm1'"),
        (question("q1", "m1", evidence_sessions=["s9"]), "'u1' has no session 's9'"),
        (question("q1") | {"evidence": "m1"}, "evidence must be a list, not str"),
        (question("q1") | {"text": None}, "text is missing"),
        (question("q1", asked_at="yesterday"), "asked_at is 'yesterday', which is not a time like 2026-05-01T09:00:00Z"),
        (talk("s2", "m2", started_at=5), "started_at must be a string, not int"),
        (talk("", "m2"), "session must not be empty"),
        (talk("s2") | {"messages": [{"id": "m2", "role": "robot", "content": "x"}]}, "messages[0]: unknown role 'robot'"),
        (talk("s2") | {"messages": [{"id": "m2", "role": "user"}]}, "messages[0]: content is missing"),
        (talk("s2") | {"messages": [{"id": "m2", "role": "user", "content": "\0"}]}, "NUL character at position 0"),
        (talk("s2") | {"messages": ["hello"]}, "messages[0] must be an object, not str"),
    ],
)
def test_invalid_line_error_names_file_line_and_problem(tmp_path: Path, bad: object, problem: str) -> None:
    source = write(tmp_path / "set.jsonl", talk("s1", "m1"), bad)
    with pytest.raises(BadDataSetLine) as caught:
        dataset.read_outline(source)
    assert (caught.value.line, caught.value.path) == (2, source)
    assert problem in str(caught.value)
    assert str(caught.value).startswith(f"{source}, line 2: ")


def test_non_utf8_line_is_reported_with_line_number(tmp_path: Path) -> None:
    (tmp_path / "set.jsonl").write_bytes(b'{"type": "\xff"}')
    with pytest.raises(BadDataSetLine, match="line 1: not UTF-8"):
        dataset.read_outline(tmp_path / "set.jsonl")


def test_written_records_are_read_back_equal(tmp_path: Path) -> None:
    start = datetime(2026, 5, 1, 9, tzinfo=UTC)
    records: list[dataset.DataSetRecord] = [
        DataSetConversation(
            "u1",
            "s1",
            (DataSetMessage("m1", "user", "你好\u2028", "Ann", start), DataSetMessage("m2", "tool", "", None, start)),
            start,
        ),
        DataSetConversation("u2", "s1", (DataSetMessage("m1", "assistant", "x"),)),
        DataSetQuestion("u1", "q1", "Wer?", ("m1",), ("s1",), "who", start),
        DataSetQuestion("u2", "q1", "Was?"),
    ]
    dataset.write_records(tmp_path / "set.jsonl", records)
    assert list(dataset.read_records(tmp_path / "set.jsonl")) == records
    assert [path.name for path in tmp_path.iterdir()] == ["set.jsonl"]


def test_failed_write_leaves_no_file(tmp_path: Path) -> None:
    def records() -> Iterable[dataset.DataSetRecord]:
        yield DataSetQuestion("u1", "q1", "Was?")
        raise RuntimeError

    with pytest.raises(RuntimeError):
        dataset.write_records(tmp_path / "set.jsonl", records())
    assert list(tmp_path.iterdir()) == []


# -- the converters

LOCOMO = [
    {
        "sample_id": "talk-1",
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Ben",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ann", "dia_id": "D1:1", "text": "Look!", "blip_caption": "a photo of a dog"},
                {"speaker": "Ben", "dia_id": "D1:2", "text": "Nice."},
            ],
            "session_2_date_time": "12:05 am on 9 May, 2023",
        },
        "qa": [
            {"question": "Who looks?", "evidence": ["D1:1; D1:02", "D", "D9:9"], "category": 1},
            {"question": "When?", "evidence": [], "category": 2},
            {"question": "What?", "evidence": ["D1:1"], "category": 4},
        ],
    }
]
FAULTS = [
    {"question_id": "locomo_0_qa1", "correct_evidence": ["D1:2"]},
    {"question_id": "locomo_0_qa2", "correct_evidence": []},
]


def test_locomo_converts_conversations_and_questions(tmp_path: Path) -> None:
    spoken, *questions = locomo.convert(write(tmp_path / "in.json", LOCOMO))
    assert isinstance(spoken, DataSetConversation)
    assert (spoken.owner, spoken.session, spoken.started_at) == (
        "talk-1",
        "session_1",
        datetime(2023, 5, 8, 13, 56, tzinfo=UTC),
    )
    assert spoken.messages == (
        DataSetMessage("D1:1", "user", "Look! [shares a photo of a dog]", "Ann"),
        DataSetMessage("D1:2", "assistant", "Nice.", "Ben"),
    )
    assert questions == [
        DataSetQuestion("talk-1", "talk-1:0", "Who looks?", ("D1:1", "D1:2"), category="1 multi-hop"),
        DataSetQuestion("talk-1", "talk-1:2", "What?", ("D1:1",), category="4 single-hop"),
    ]


def test_locomo_applies_corrected_labels(tmp_path: Path) -> None:
    faults = write(tmp_path / "errors.json", FAULTS)
    questions = [
        record
        for record in locomo.convert(write(tmp_path / "in.json", LOCOMO), faults)
        if isinstance(record, DataSetQuestion)
    ]
    assert [(question.text, question.evidence) for question in questions] == [
        ("Who looks?", ("D1:1", "D1:2")),
        ("When?", ("D1:2",)),
        ("What?", ("D1:1",)),
    ]


def haystack(id: str, *sessions: tuple[str, str, bool]) -> dict[str, Any]:
    return {
        "question_id": id,
        "question_type": "temporal",
        "question": f"{id}?",
        "question_date": "2023/04/10 (Mon) 23:07",
        "haystack_session_ids": [name for name, _, _ in sessions],
        "haystack_dates": [date for _, date, _ in sessions],
        "haystack_sessions": [
            [{"role": "user", "content": name}, {"role": "assistant", "content": "ok", "has_answer": has}]
            for name, _, has in sessions
        ],
        "answer_session_ids": [name for name, _, _ in sessions],
    }


def test_longmemeval_pools_sessions_of_all_samples(tmp_path: Path) -> None:
    late, early = ("late", "2023/04/02 (Sun) 10:00", True), ("early", "2023/04/01 (Sat) 10:00", False)
    again = ("early", "2023/08/01 (Tue) 10:00", False)
    samples = [haystack("q1", late, early), haystack("q2_abs", late), haystack("q3", again)]
    *talks, first, second = longmemeval.convert(write(tmp_path / "in.json", samples))
    assert [
        (talk.session, talk.started_at.day) for talk in talks if isinstance(talk, DataSetConversation) and talk.started_at
    ] == [
        ("early", 1),
        ("late", 2),
    ]
    asked_at = datetime(2023, 4, 10, 23, 7, tzinfo=UTC)
    owner = longmemeval.OWNER
    assert first == DataSetQuestion(owner, "q1", "q1?", ("late:1",), ("late", "early"), "temporal", asked_at)
    assert second == DataSetQuestion(owner, "q3", "q3?", (), ("early",), "temporal", asked_at)


@pytest.mark.parametrize("kind", ["locomo", "longmemeval"])
@pytest.mark.parametrize("content", ["{", "{}", "[1]", '[{"conversation": 1}]'])
def test_convert_rejects_file_of_another_format(tmp_path: Path, kind: str, content: str) -> None:
    source, target = write(tmp_path / "in.json", content), tmp_path / "out.jsonl"
    result = CliRunner().invoke(bench, ["convert", kind, str(source), str(target)])
    if content == "{}":  # an empty set in either form
        assert (result.exit_code, target.read_text()) == (0, "")
        return
    assert result.exit_code == 2
    assert "in.json is not a Lo" in result.stderr
    assert not target.exists()


def test_convert_accepts_labels_for_locomo_only(tmp_path: Path) -> None:
    source = str(write(tmp_path / "in.json", []))
    result = CliRunner().invoke(bench, ["convert", "longmemeval", source, "out", "--labels", source])
    assert (result.exit_code, "--labels is for LoCoMo" in result.stderr) == (2, True)


# -- asking

CITIES = ("Lisbon", "Oslo", "Prague", "Dublin", "Vienna", "Athens", "Warsaw", "Madrid")


@pytest.fixture
def trips(tmp_path: Path) -> Path:
    """Two owners with four trips each; a question for each trip, and one that no word answers."""
    lines: list[object] = []
    for number, city in enumerate(CITIES):
        owner = "ann" if number < 4 else "ben"
        spoken = talk(f"trip-{number}", f"a{number}", f"b{number}", owner=owner, started_at=f"2025-0{number + 1}-01")
        spoken["messages"][0]["content"] = f"We went to {city} by train."
        spoken["messages"][1]["content"] = f"The food was number {number}."
        lines.append(spoken)
        lines.append(
            question(f"q{number}", f"a{number}", owner=owner, text=f"How did we get to {city}?", category="1 trains")
        )
    lines.append(question("hard", "b0", owner="ann", text="zzz", category="2 hard"))
    lines.append(question("unlabelled", owner="ann"))
    return write(tmp_path / "trips.jsonl", *lines)


def run_recall(*arguments: object) -> Result:
    return CliRunner().invoke(bench, ["recall", *map(str, arguments)])


def run_benchmark(*arguments: object) -> dict[str, Any]:
    result = run_recall(*arguments, "--json")
    assert result.exit_code == 0, result.output
    assert result.stdout.count("\n") == 1
    return json.loads(result.stdout)


def test_recall_command_prints_json_figures(trips: Path, tmp_path: Path) -> None:
    found = run_benchmark(trips, "--mode", "words", "--store", tmp_path / "kept.db")
    assert set(found) >= {"message", "session", "by_category", "latency_ms", "messages", "questions", "mode", "embedder"}
    assert (found["messages"], found["questions"], found["mode"]) == (16, 9, "words")
    # Eight of nine are found at the first place, and the ninth shares no word with anything.
    assert found["message"]["any@1"] == found["message"]["mrr"] == found["session"]["any@5"] == 88.89
    assert found["by_category"]["1 trains"]["message"]["recall@10"] == 100
    assert found["by_category"]["2 hard"] == {
        "message": dict.fromkeys(found["message"], 0.0), "session": dict.fromkeys(found["session"], 0.0), "questions": 1,
    }  # fmt: skip
    assert 0 < found["latency_ms"]["p50"] <= found["latency_ms"]["p95"]


def test_recall_store_is_cached_and_filled_once(trips: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    first = run_benchmark(trips, "--mode", "words", "--owner", "ben")
    second = run_benchmark(trips, "--mode", "words")
    (kept,) = (tmp_path / "cache").rglob("trips-*.db")
    with keepsaid.open(kept) as memory:
        assert [len(memory.sessions(owner=owner)) for owner in ("ann", "ben")] == [4, 4]
        assert sum(session.message_count for session in memory.sessions(owner="ben")) == 8
    assert (first["messages"], second["messages"]) == (8, 16)


def test_recall_options_select_category_owner_and_half(trips: Path, tmp_path: Path) -> None:
    def questions(*arguments: str) -> int:
        return run_benchmark(trips, "--mode", "words", "--store", tmp_path / "kept.db", *arguments)["questions"]

    assert questions("--only", "trains") == questions("--only", "1 trains") == 8
    assert questions("--only", "trains", "--only", "hard", "--owner", "ann") == 5
    assert (questions("--half", "tuning"), questions("--half", "held-out")) == (5, 4)


def test_halves_of_one_owner_are_chosen_by_hash() -> None:
    asked = [DataSetQuestion("u1", f"q{number}", "?", ("m1",)) for number in range(200)]
    outline = dataset.DataSetOutline({"u1": dataset.OwnerMessages({"m1": "s1"})}, asked)
    tuning, held_out = (recall.select_questions(outline, half=half) for half in ("tuning", "held-out"))
    assert sorted([*tuning, *held_out], key=asked.index) == asked
    assert 70 < len(tuning) < 130
    # sha256 of "q0" ends in …be, of "q1" in …cb.
    assert [recall.half_of(outline, question) for question in asked[:2]] == ["tuning", "held-out"]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--only", "planes"], "no question is of 'planes'; there are 1 trains, 2 hard"),
        (["--owner", "cat"], "no question is of 'cat'; there are ann, ben"),
        (["--only", "hard", "--half", "held-out"], "no question is left to ask"),
        (["--limit", "0"], "0 is not in the range"),
        (["--mode", "magic"], "'magic' is not one of"),
    ],
)
def test_invalid_recall_option_is_named_in_error(trips: Path, tmp_path: Path, arguments: list[str], problem: str) -> None:
    result = run_recall(trips, "--store", tmp_path / "kept.db", *arguments)
    assert result.exit_code == 2
    assert problem in result.stderr


def test_limit_omits_figures_above_limit(trips: Path, tmp_path: Path) -> None:
    found = run_benchmark(trips, "--mode", "words", "--limit", "5", "--store", tmp_path / "kept.db")
    assert {"any@1", "any@5", "mrr"} <= set(found["message"])
    assert "any@10" not in found["message"]


def test_recall_command_prints_table(trips: Path, tmp_path: Path) -> None:
    result = run_recall(trips, "--mode", "words", "--store", tmp_path / "kept.db")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0].startswith("16 messages, 9 questions, p50 ")
    assert [line.split() for line in lines if line.startswith("1 trains")] == [["1", "trains", "8", *["100.0"] * 6]]
    assert max(map(len, lines)) <= 100
    assert result.stderr == ""  # progress is for terminals


def test_compare_table_shows_modes_side_by_side() -> None:
    level = {"any@5": 50.0, "all@5": 40.0, "recall@10": 60.0, "mrr": 30.0}
    group = {"message": level, "session": level, "questions": 3}
    result = {**group, "by_category": {"1 trains": group}, "latency_ms": {"p50": 1.0, "p95": 2.0}}
    text = recall_table.compare_table({"words": result, "full": {**result, "message": level | {"recall@10": 80.0}}})
    assert [line.split() for line in text.splitlines()[:3]] == [
        ["words", "full"],
        ["questions", "3", "3"],
        ["message", "recall@10", "60.0", "80.0"],
    ]
    assert ["1", "trains", "60.0", "60.0"] in [line.split() for line in text.splitlines()]


def test_ask_questions_finds_session_beyond_first_results(tmp_path: Path) -> None:
    """A long session fills the first result list, so the question is asked again with a higher limit."""
    spoken = talk("long", *(f"l{number}" for number in range(120)))
    for message in spoken["messages"]:
        message["content"] = "apples " * 5
    lines = (spoken, talk("short", "m1"), question("q1", "m1", text="apples"))
    lines[1]["messages"][0]["content"] = "apples and a long list of other things that make the match weaker"
    source = write(tmp_path / "set.jsonl", *lines)
    outline = dataset.read_outline(source)
    with keepsaid.open("memory://") as memory:
        recall.load_conversations(memory, source, outline, {"u1"}, lambda what, done, total: None)
        (asked,) = recall.ask_questions(memory, outline, outline.questions, "words", lambda what, done, total: None)
    assert "short" in asked.sessions


def test_question_without_time_is_asked_after_last_message(trips: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[datetime | None] = []
    outline = dataset.read_outline(trips)
    with keepsaid.open("memory://") as memory:
        monkeypatch.setattr(memory, "search", lambda query, **options: seen.append(options["now"]) or [])
        recall.ask_questions(memory, outline, [outline.questions[0]], "words", lambda what, done, total: None)
    assert seen[-1] == datetime(2025, 4, 1, 0, 0, 1, tzinfo=UTC)


def test_invalid_data_set_prints_one_line_error(tmp_path: Path) -> None:
    result = run_recall(write(tmp_path / "set.jsonl", talk(), {"type": "x"}), "--store", tmp_path / "kept.db")
    assert result.exit_code == 2
    assert (
        result.stderr == f"Error: {tmp_path / 'set.jsonl'}, line 2: unknown type 'x'; known are 'session' and 'question'\n"
    )
    assert not (tmp_path / "kept.db").exists()


# -- the page


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "benchmarks"))
    module = importlib.import_module("make_benchmarks")
    monkeypatch.setattr(module, "TARGET", tmp_path / "benchmarks.md")
    return module


def test_updating_page_section_keeps_other_sections(page: Any) -> None:
    page.put("store", "fast")
    page.put("recall", r"found \1 much")
    page.put("store", "faster")
    assert page.TARGET.read_text() == (
        "# Benchmarks\n\n<!-- store -->\nfaster\n<!-- /store -->\n\n<!-- recall -->\nfound \\1 much\n<!-- /recall -->\n"
    )


def test_chart_is_svg_with_one_bar_per_figure(page: Any) -> None:
    level = {"any@5": 50.0, "all@5": 40.0, "recall@10": 60.0, "mrr": 30.0}
    modes = {mode: {"message": level, "session": level} for mode in recall.MODES}
    drawn = ElementTree.fromstring(page.chart(modes, {"cats 1–4": modes["full"]}, modes))
    bars = [float(bar.attrib["width"]) for bar in drawn.iter("{http://www.w3.org/2000/svg}rect")]
    assert len(bars) == 3 + 2 + 5 + 4 + 4
    assert bars[0] == pytest.approx(0.6 * chart.WIDTH)
