"""Tuning: the fit finds what matters, always the same, and never looks at the held-out half."""

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

from recollect.bench import dataset, recall, tune
from recollect.bench.dataset import Conversation, Question, Said
from recollect.cli import main
from recollect.engine import rank, ranking_models
from recollect.engine.relevance import likelihood
from recollect.errors import InvalidInput
from recollect.testing import HashEmbedder

START = datetime(2025, 1, 1, 9, tzinfo=UTC)
THINGS = "kettle lantern violin compass ladder blanket hammer teapot saddle mirror anchor basket".split()
MONTHS = "January February March April May June July August September October November December".split()

Asking = Callable[[str, int], Question]


def by_time(owner: str, month: int) -> Question:
    """All messages have the same words; only the month tells which one is meant."""
    text = f"What did we mend in {MONTHS[month]} 2025?"
    return Question(owner, f"{owner}-q{month}", text, (f"{owner}-{month}",), asked_at=START + timedelta(days=700))


def by_words(owner: str, month: int) -> Question:
    """Only the name of a thing tells which one is meant."""
    text = f"How did we mend the {THINGS[month]}?"
    return Question(owner, f"{owner}-q{month}", text, (f"{owner}-{month}",), asked_at=START + timedelta(days=700))


def by_both(owner: str, month: int) -> Question:
    """The first questions are about what was said word for word in every conversation."""
    asked = by_words(owner, month)
    return replace(asked, text="What is good to hear?", evidence=(f"{owner}-{month}-reply",)) if month < 5 else asked


def talks(owner: str) -> Iterator[Conversation]:
    for month, thing in enumerate(THINGS):
        started = START.replace(month=month + 1, day=10)
        # The replies came a year later, the last first: their order is another than that of what they follow.
        replied = START.replace(year=2026, month=12 - month)
        said = (
            Said(f"{owner}-{month}", "user", f"We had to mend the {thing} again, and so we did.", None, started),
            Said(f"{owner}-{month}-reply", "assistant", "Good to hear that it works.", None, replied),
        )
        yield Conversation(owner, f"{owner}-s{month}", said, started)


def write(path: Path, asking: Asking, owners: int = 4) -> Path:
    names = [f"u{number}" for number in range(owners)]
    records: list[dataset.Record] = [talk for owner in names for talk in talks(owner)]
    records += [asking(owner, month) for owner in names for month in range(len(THINGS))]
    dataset.write(path, records)
    return path


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def collected(path: Path, kind: tune.Kind = "words") -> tune.Set:
    return tune.collect(path, kind, None if kind == "words" else HashEmbedder(tokens=True), lambda *_: None)


def fitted(result: dict[str, Any]) -> dict[str, Any]:
    return {key: result[key] for key in ("weights", "candidate", "turn", "background")}


# -- what is learnt


def test_the_signal_that_decides_gets_the_weight(tmp_path: Path) -> None:
    timely = tune.fit([collected(write(tmp_path / "time.jsonl", by_time))], tune.RECIPES["words"]).weights
    wordy = tune.fit([collected(write(tmp_path / "words.jsonl", by_words))], tune.RECIPES["words"]).weights
    assert timely.time > 3
    assert wordy.time == 0
    assert wordy.words + wordy.nearby_words + wordy.talk_words > 3 * (timely.words + timely.nearby_words + timely.talk_words)


def test_fitted_weights_find_what_others_do_not(tmp_path: Path) -> None:
    measured = collected(write(tmp_path / "time.jsonl", by_time))
    blind = rank.Weights(words=1.0)
    weights = tune.fit([measured], tune.RECIPES["words"]).weights
    for half in tune.HALVES:
        before, after = measured.figures(half, blind), measured.figures(half, weights)
        assert before["session any@5"] < 60
        assert after == dict.fromkeys(after, 100.0)


@pytest.mark.parametrize("kind", ["full", "vectors"])
def test_meaning_is_learnt_with_and_without_token_vectors(tmp_path: Path, kind: tune.Kind) -> None:
    result = tune.run([write(tmp_path / "words.jsonl", by_words)], kind, HashEmbedder(tokens=True))
    assert sum(result["weights"][name] for name in ("meaning", "nearby_meaning", "talk_meaning")) > 0
    assert (result["weights"]["words"] == 0) is (kind == "full")


def test_what_is_held_by_hand_stays_as_it_is(tmp_path: Path) -> None:
    weights = tune.fit([collected(write(tmp_path / "time.jsonl", by_time))], tune.RECIPES["words"]).weights
    assert {name: getattr(weights, name) for name in tune.FIXED} == tune.FIXED | {"recent": 0.5}
    assert weights.meaning == weights.nearby_meaning == weights.talk_meaning == 0


def test_answers_are_likelier_than_other_candidates(tmp_path: Path) -> None:
    measured = collected(write(tmp_path / "words.jsonl", by_words))
    weights, model = tune.fit([measured], tune.RECIPES["words"])
    answers: list[float] = []
    others: list[float] = []
    for case in measured.cases["tuning"]:
        scores = case.scores(weights)
        for at, score in enumerate(scores):
            right = case.messages[at].id in case.question.evidence
            (answers if right else others).append(likelihood(model, score, case.statistics(scores, model.background)))
    assert np.mean(answers) > 0.5 > 0.2 > np.mean(others)


def test_turns_that_need_nothing_become_unlikely(tmp_path: Path) -> None:
    asked = write(tmp_path / "some.jsonl", by_words)
    owners = list(dataset.outline(asked).owners)
    both = tmp_path / "both.jsonl"
    tasks = [Question(owners[at % len(owners)], f"task {at}", f"Translate {thing}?") for at, thing in enumerate(THINGS)]
    dataset.write(both, [*dataset.read(asked), *tasks])
    result = tune.run([both], "words")
    assert result["turn"] is not None
    assert any(result["turn"].values())


# -- how it is learnt


@pytest.mark.parametrize("kind", ["words", "full"])
def test_the_gradient_is_that_of_the_loss(tmp_path: Path, kind: tune.Kind) -> None:
    sets = [
        collected(write(tmp_path / name, asking), kind) for name, asking in (("a.jsonl", by_time), ("b.jsonl", by_words))
    ]
    lessons = tune.Lessons(sets, tune.RECIPES[kind])
    at = np.random.default_rng(1).normal(0, 1, len(tune.RECIPES[kind].free))
    _, steep = lessons(at)
    small = 1e-5
    for place, expected in enumerate(steep):
        step = small * np.eye(len(at))[place]
        assert (lessons(at + step)[0] - lessons(at - step)[0]) / (2 * small) == pytest.approx(expected, abs=1e-6)


def test_a_larger_set_weighs_no_more(tmp_path: Path) -> None:
    one, other = collected(write(tmp_path / "a.jsonl", by_time)), collected(write(tmp_path / "b.jsonl", by_words))
    larger = replace(other, cases={half: 5 * cases for half, cases in other.cases.items()})
    at = np.ones(len(tune.RECIPES["words"].free))
    once, many = (tune.Lessons([one, second], tune.RECIPES["words"])(at) for second in (other, larger))
    assert many[0] == pytest.approx(once[0])
    assert many[1] == pytest.approx(once[1])


def test_the_same_data_give_the_same_weights(tmp_path: Path) -> None:
    source = write(tmp_path / "words.jsonl", by_words)
    assert tune.run([source], "words") == tune.run([source], "words")


# -- what is never looked at


def poisoned(record: dataset.Record, outline: dataset.Outline) -> dataset.Record:
    """A held-out question with a wrong answer."""
    if isinstance(record, Conversation) or recall.half_of(outline, record) == "tuning":
        return record
    return replace(record, evidence=(f"{record.owner}-0-reply",))


@pytest.mark.parametrize("owners", [4, 1], ids=["halves by owner", "halves by question"])
def test_the_held_out_half_changes_nothing(tmp_path: Path, owners: int) -> None:
    clean = write(tmp_path / "clean.jsonl", by_words, owners)
    poison = tmp_path / "poison.jsonl"
    outline = dataset.outline(clean)
    dataset.write(poison, (poisoned(record, outline) for record in dataset.read(clean)))
    one, other = tune.run([clean], "words"), tune.run([poison], "words")
    assert fitted(other) == fitted(one)
    assert other["sets"][0]["tuning"] == one["sets"][0]["tuning"]
    assert other["sets"][0]["held-out"] != one["sets"][0]["held-out"]


# -- the figures, and what is printed


def test_the_figures_are_those_of_bench_recall(tmp_path: Path) -> None:
    source = write(tmp_path / "both.jsonl", by_both)
    outline = dataset.outline(source)
    result = tune.run([source], "words")["sets"][0]
    for half in tune.HALVES:
        questions = recall.select(outline, half=half)
        found = recall.summary(outline, recall.run(source, questions, outline, modes=["words"]).asked["words"])
        assert result[half]["questions"] == len(questions)
        assert result[half]["present"] == {f"{level} {name}": found[level][name] for level, name in tune.HEADLINES}


def test_the_literal_is_the_model(tmp_path: Path) -> None:
    result = tune.run([write(tmp_path / "time.jsonl", by_time)], "words")
    names = dict(vars(ranking_models))
    text = tune.literal(result)
    exec(text, names)
    assert names["WORDS"].weights == rank.Weights(**result["weights"])
    assert names["WORDS"].relevance.candidate == ranking_models.CandidateModel(**result["candidate"])
    assert max(map(len, text.splitlines())) <= 125


def test_the_command(tmp_path: Path) -> None:
    sources = [str(write(tmp_path / name, by_words)) for name in ("one.jsonl", "two.jsonl")]
    told = CliRunner().invoke(main, ["bench", "tune", *sources, "--model", "words"])
    assert told.exit_code == 0, told.output
    assert told.output.startswith("WORDS = RankingModel(\n")
    assert "two.jsonl, held-out, 24 questions" in told.output
    numbers = json.loads(CliRunner().invoke(main, ["bench", "tune", *sources, "--model", "words", "--json"]).output)
    assert [one["file"] for one in numbers["sets"]] == ["one.jsonl", "two.jsonl"]


# -- what cannot be tuned


def test_token_vectors_are_needed_for_the_full_model(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="the full model needs an embedder with token vectors"):
        tune.run([write(tmp_path / "words.jsonl", by_words)], "full", HashEmbedder())


def test_nothing_to_learn_from(tmp_path: Path) -> None:
    def elsewhere(owner: str, month: int) -> Question:
        return replace(by_words(owner, month), text="xylophone?")

    with pytest.raises(InvalidInput, match="there is nothing to learn"):
        tune.run([write(tmp_path / "set.jsonl", elsewhere)], "words")
