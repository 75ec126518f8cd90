"""Tuning: the fit finds the informative signals, is deterministic, and never uses the held-out half."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from benchmarks.__main__ import bench
from benchmarks.common import dataset
from benchmarks.common.dataset import DataSetConversation, DataSetMessage, DataSetQuestion
from benchmarks.search import recall, tune
from keepsaid.engine.ranking import models, signals
from keepsaid.engine.ranking.relevance import compute_likelihoods
from keepsaid.errors import InvalidInput
from keepsaid.testing import HashEmbedder

START = datetime(2025, 1, 1, 9, tzinfo=UTC)
THINGS = "kettle lantern violin compass ladder blanket hammer teapot saddle mirror anchor basket".split()
MONTHS = "January February March April May June July August September October November December".split()

Asking = Callable[[str, int], DataSetQuestion]


def by_time(owner: str, month: int) -> DataSetQuestion:
    """All messages have the same words; only the month tells which one is meant."""
    text = f"What did we mend in {MONTHS[month]} 2025?"
    return DataSetQuestion(owner, f"{owner}-q{month}", text, (f"{owner}-{month}",), asked_at=START + timedelta(days=700))


def by_words(owner: str, month: int) -> DataSetQuestion:
    """Only the name of a thing tells which one is meant."""
    text = f"How did we mend the {THINGS[month]}?"
    return DataSetQuestion(owner, f"{owner}-q{month}", text, (f"{owner}-{month}",), asked_at=START + timedelta(days=700))


def by_both(owner: str, month: int) -> DataSetQuestion:
    """The first questions are about what was said word for word in every conversation."""
    asked = by_words(owner, month)
    return replace(asked, text="What is good to hear?", evidence=(f"{owner}-{month}-reply",)) if month < 5 else asked


def talks(owner: str) -> Iterator[DataSetConversation]:
    for month, thing in enumerate(THINGS):
        started = START.replace(month=month + 1, day=10)
        # The replies came a year later, the last first: their order is another than that of what they follow.
        replied = START.replace(year=2026, month=12 - month)
        said = (
            DataSetMessage(f"{owner}-{month}", "user", f"We had to mend the {thing} again, and so we did.", None, started),
            DataSetMessage(f"{owner}-{month}-reply", "assistant", "Good to hear that it works.", None, replied),
        )
        yield DataSetConversation(owner, f"{owner}-s{month}", said, started)


def write(path: Path, asking: Asking, owners: int = 4) -> Path:
    names = [f"u{number}" for number in range(owners)]
    records: list[dataset.DataSetRecord] = [talk for owner in names for talk in talks(owner)]
    records += [asking(owner, month) for owner in names for month in range(len(THINGS))]
    dataset.write_records(path, records)
    return path


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def collect_evidence(path: Path, kind: tune.Kind = "words") -> tune.TuningSet:
    return tune.collect_evidence(path, kind, None if kind == "words" else HashEmbedder(tokens=True), lambda *_: None)


def select_fit(result: dict[str, Any]) -> dict[str, Any]:
    return {key: result[key] for key in ("weights", "candidate", "turn", "background")}


# -- what is learnt


def test_fit_gives_weight_to_the_informative_signal(tmp_path: Path) -> None:
    timely = tune.fit_model([collect_evidence(write(tmp_path / "time.jsonl", by_time))], tune.RECIPES["words"]).weights
    wordy = tune.fit_model([collect_evidence(write(tmp_path / "words.jsonl", by_words))], tune.RECIPES["words"]).weights
    assert timely.time > 3
    assert wordy.time == 0
    assert wordy.words + wordy.nearby_words + wordy.conversation_words > 3 * (
        timely.words + timely.nearby_words + timely.conversation_words
    )


def test_fitted_weights_improve_recall(tmp_path: Path) -> None:
    measured = collect_evidence(write(tmp_path / "time.jsonl", by_time))
    blind = signals.SignalWeights(words=1.0)
    weights = tune.fit_model([measured], tune.RECIPES["words"]).weights
    for half in tune.HALVES:
        before, after = measured.figures(half, blind), measured.figures(half, weights)
        assert before["session any@5"] < 60
        assert after == dict.fromkeys(after, 100.0)


@pytest.mark.parametrize("kind", ["full", "vectors"])
def test_fit_learns_meaning_with_and_without_token_vectors(tmp_path: Path, kind: tune.Kind) -> None:
    result = tune.run([write(tmp_path / "words.jsonl", by_words)], kind, HashEmbedder(tokens=True))
    assert sum(result["weights"][name] for name in ("meaning", "nearby_meaning", "conversation_meaning")) > 0
    assert (result["weights"]["words"] == 0) is (kind == "full")


def test_fit_keeps_fixed_weights(tmp_path: Path) -> None:
    weights = tune.fit_model([collect_evidence(write(tmp_path / "time.jsonl", by_time))], tune.RECIPES["words"]).weights
    assert {name: getattr(weights, name) for name in tune.FIXED} == tune.FIXED | {"recent": 0.5}
    assert weights.meaning == weights.nearby_meaning == weights.conversation_meaning == 0


def test_answers_are_likelier_than_other_candidates(tmp_path: Path) -> None:
    measured = collect_evidence(write(tmp_path / "words.jsonl", by_words))
    weights, model = tune.fit_model([measured], tune.RECIPES["words"])
    answers: list[float] = []
    others: list[float] = []
    for case in measured.cases["tuning"]:
        scores = case.scores(weights)
        likelihoods = compute_likelihoods(model, scores, case.statistics(scores, model.background))
        for at, likelihood in enumerate(likelihoods):
            right = case.messages[at].id in case.question.evidence
            (answers if right else others).append(likelihood)
    assert np.mean(answers) > 0.5 > 0.2 > np.mean(others)


def test_fit_learns_turn_model_from_tasks(tmp_path: Path) -> None:
    asked = write(tmp_path / "some.jsonl", by_words)
    owners = list(dataset.read_outline(asked).owners)
    both = tmp_path / "both.jsonl"
    tasks = [
        DataSetQuestion(owners[at % len(owners)], f"task {at}", f"Translate {thing}?") for at, thing in enumerate(THINGS)
    ]
    dataset.write_records(both, [*dataset.read_records(asked), *tasks])
    result = tune.run([both], "words")
    assert result["turn"] is not None
    assert any(result["turn"].values())


# -- how it is learnt


@pytest.mark.parametrize("kind", ["words", "full"])
def test_gradient_matches_finite_differences_of_loss(tmp_path: Path, kind: tune.Kind) -> None:
    sets = [
        collect_evidence(write(tmp_path / name, asking), kind)
        for name, asking in (("a.jsonl", by_time), ("b.jsonl", by_words))
    ]
    lessons = tune.TuningLoss(sets, tune.RECIPES[kind])
    at = np.random.default_rng(1).normal(0, 1, len(tune.RECIPES[kind].free))
    _, steep = lessons(at)
    small = 1e-5
    for place, expected in enumerate(steep):
        step = small * np.eye(len(at))[place]
        assert (lessons(at + step)[0] - lessons(at - step)[0]) / (2 * small) == pytest.approx(expected, abs=1e-6)


def test_loss_does_not_depend_on_set_size(tmp_path: Path) -> None:
    one, other = (
        collect_evidence(write(tmp_path / "a.jsonl", by_time)),
        collect_evidence(write(tmp_path / "b.jsonl", by_words)),
    )
    larger = replace(other, cases={half: 5 * cases for half, cases in other.cases.items()})
    at = np.ones(len(tune.RECIPES["words"].free))
    once, many = (tune.TuningLoss([one, second], tune.RECIPES["words"])(at) for second in (other, larger))
    assert many[0] == pytest.approx(once[0])
    assert many[1] == pytest.approx(once[1])


def test_tuning_is_deterministic(tmp_path: Path) -> None:
    source = write(tmp_path / "words.jsonl", by_words)
    assert tune.run([source], "words") == tune.run([source], "words")


# -- what is never looked at


def poison_record(record: dataset.DataSetRecord, outline: dataset.DataSetOutline) -> dataset.DataSetRecord:
    """A held-out question with a wrong answer."""
    if isinstance(record, DataSetConversation) or recall.half_of(outline, record) == "tuning":
        return record
    return replace(record, evidence=(f"{record.owner}-0-reply",))


@pytest.mark.parametrize("owners", [4, 1], ids=["halves by owner", "halves by question"])
def test_held_out_half_does_not_affect_fit(tmp_path: Path, owners: int) -> None:
    clean = write(tmp_path / "clean.jsonl", by_words, owners)
    poison = tmp_path / "poison.jsonl"
    outline = dataset.read_outline(clean)
    dataset.write_records(poison, (poison_record(record, outline) for record in dataset.read_records(clean)))
    one, other = tune.run([clean], "words"), tune.run([poison], "words")
    assert select_fit(other) == select_fit(one)
    assert other["sets"][0]["tuning"] == one["sets"][0]["tuning"]
    assert other["sets"][0]["held-out"] != one["sets"][0]["held-out"]


# -- the figures, and what is printed


def test_figures_match_bench_recall(tmp_path: Path) -> None:
    source = write(tmp_path / "both.jsonl", by_both)
    outline = dataset.read_outline(source)
    result = tune.run([source], "words")["sets"][0]
    for half in tune.HALVES:
        questions = recall.select_questions(outline, half=half)
        found = recall.summary(outline, recall.run(source, questions, outline, modes=["words"]).asked["words"])
        assert result[half]["questions"] == len(questions)
        assert result[half]["present"] == {f"{level} {name}": found[level][name] for level, name in tune.HEADLINES}


def test_printed_source_defines_the_fitted_model(tmp_path: Path) -> None:
    result = tune.run([write(tmp_path / "time.jsonl", by_time)], "words")
    names = dict(vars(models))
    text = tune.model_source(result)
    exec(text, names)
    assert names["WORDS"].weights == signals.SignalWeights(**result["weights"])
    assert names["WORDS"].relevance.candidate == models.CandidateModel(**result["candidate"])
    assert max(map(len, text.splitlines())) <= 125


def test_tune_command_prints_model_and_figures(tmp_path: Path) -> None:
    sources = [str(write(tmp_path / name, by_words)) for name in ("one.jsonl", "two.jsonl")]
    told = CliRunner().invoke(bench, ["tune", *sources, "--model", "words"])
    assert told.exit_code == 0, told.output
    assert told.output.startswith("WORDS = RankingModel(\n")
    assert "two.jsonl, held-out, 24 questions" in told.output
    numbers = json.loads(CliRunner().invoke(bench, ["tune", *sources, "--model", "words", "--json"]).output)
    assert [one["file"] for one in numbers["sets"]] == ["one.jsonl", "two.jsonl"]


# -- what cannot be tuned


def test_full_model_needs_token_vectors(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="the full model needs an embedder with token vectors"):
        tune.run([write(tmp_path / "words.jsonl", by_words)], "full", HashEmbedder())


def test_tuning_without_findable_answers_is_refused(tmp_path: Path) -> None:
    def elsewhere(owner: str, month: int) -> DataSetQuestion:
        return replace(by_words(owner, month), text="xylophone?")

    with pytest.raises(InvalidInput, match="there is nothing to learn"):
        tune.run([write(tmp_path / "set.jsonl", elsewhere)], "words")
