"""`keepsaid demo`: shows an answer, its reasons and the next steps within seconds, with the package alone."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from model import pull_model

from keepsaid.cli.demo.samples import read_samples

QUICK = 10.0
"""Seconds that the demo may take once everything is set up."""


def run(tmp_path, *arguments, **variables):
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "LANG": "C.UTF-8",
        "KEEPSAID_EMBEDDER": "off",
        **variables,
    }
    start = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "keepsaid", "demo", *arguments], env=environment, capture_output=True, text=True, check=False
    )
    return done, time.monotonic() - start


@pytest.fixture(scope="module")
def with_model(tmp_path_factory):
    """One run with the model for all tests that look at it."""
    folder = pull_model()
    return run(tmp_path_factory.mktemp("home"), KEEPSAID_EMBEDDER="local", KEEPSAID_MODEL_FOLDER=str(folder))


def test_demo_shows_answer_reasons_and_next_steps(with_model):
    done, seconds = with_model
    assert done.returncode == 0, done.stderr
    assert seconds < QUICK
    answer, _, rest = done.stdout.partition("What it remembered, and why:")
    assert "your sister Nora is allergic to hazelnuts" in answer
    assert "she lives in Porto now" in answer
    why, _, prompt = rest.partition("The prompt that a language model would get:")
    assert "0.67" in why
    assert "a fact about what is asked" in why
    assert "tokens (" in prompt
    assert "recalled" in prompt
    assert "keepsaid chat" in prompt.partition("What to type next:")[2]
    assert "no language model was used" in answer
    assert "\x1b" not in done.stdout


def test_demo_without_model_searches_by_words(tmp_path):
    done, seconds = run(tmp_path)
    assert done.returncode == 0, done.stderr
    assert seconds < QUICK
    assert "the search uses words only" in done.stdout
    assert "allergic to hazelnuts" in done.stdout


def test_demo_without_matches_claims_no_quotes(tmp_path):
    done, _ = run(tmp_path, "What is the capital of Mongolia?")
    assert done.returncode == 0, done.stderr
    assert "remember nothing" in done.stdout
    assert "These are quotes" not in done.stdout
    assert "What it remembered" not in done.stdout


def test_demo_does_not_touch_user_store(tmp_path):
    mine = tmp_path / "mine.db"
    done, _ = run(tmp_path, "--json", "Which port was it?", KEEPSAID_DB=str(mine), KEEPSAID_LLM="openai:nowhere")
    told = json.loads(done.stdout)
    assert not mine.exists()
    assert told["messages"] == sum(len(talk["messages"]) for talk in read_samples())
    assert told["question"] == "Which port was it?"
    assert "8443" in told["answer"]
    assert Path(told["store"]).is_relative_to(tmp_path)
    assert sum(told["sections"].values()) == told["tokens"]
    assert run(tmp_path, "--json")[0].returncode == 0  # and once more, over the one before
