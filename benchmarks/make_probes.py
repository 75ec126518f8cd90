"""Fits the probes of the local model, src/keepsaid/embed/probes.json: linear classifiers on its multilingual vectors.

    python benchmarks/make_probes.py DATA     # with locomo10.json, longmemeval_oracle.json, prefeval_dev.jsonl

*need*: whether a turn needs memories. The turns in benchmarks/data/need, turns of the tuning worlds in
benchmarks/data/turns that need something, and questions of the tuning halves of the public sets, against turns that need
nothing, filler, and turns of ordinary chats. Turns for which only a standing instruction matters are left out: they look
like any general question, and the profile has the instruction. *statement*: whether a message states something lasting about
its author. Messages of the tuning worlds that are evidence, and sentences of benchmarks/data/facts/own that are worth a
note, against all other messages and sentences of users.

Both are logistic regressions with a penalty on large weights; both sides weigh the same. Only tuning halves are read.

Also prints the turn model for `engine/ranking/models.py`, fitted on the values of *need* for turns in worlds that it was not
fitted to: a probe is overconfident about turns that it was fitted to.
"""

import hashlib
import json
import random
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.prompts.turns import source_file
from benchmarks.prompts.worlds import FILLER, NOTHING
from benchmarks.search import tune, tune_relevance
from benchmarks.search.tune import minimize
from keepsaid.embed import embedder_for
from keepsaid.embed.local import english_share
from keepsaid.embed.model_folder import local_model_folder
from keepsaid.embed.probes import PROBES_FILE
from keepsaid.embed.use_multilingual import UseMultilingual
from keepsaid.engine.ranking.models import FULL
from keepsaid.engine.ranking.relevance import TurnModel

ROOT = Path(__file__).parent.parent
TARGET = ROOT / "src" / "keepsaid" / "embed" / PROBES_FILE
OF_A_SET = 150
"""Questions and turns sampled from each public set."""
PER_TEMPLATE = 2
STANDING = "standing"
"""The kind of turns for which a standing instruction matters."""
FOLDS = 5
PENALTIES = {"need": 0.3, "statement": 1.0}
Labelled = tuple[str, bool]


def tuning_worlds() -> list[dict]:
    """The worlds with odd numbers."""
    paths = sorted((ROOT / "benchmarks" / "data" / "turns").glob("*-[0-9][13579].json"))
    return [json.loads(path.read_text(encoding="utf-8")) for path in paths]


def filler(chance: random.Random) -> Iterator[str]:
    """Yield some messages of every template."""
    for templates in json.loads((ROOT / "benchmarks" / "data" / "turns" / FILLER).read_text(encoding="utf-8")).values():
        for template in templates:
            for _ in range(PER_TEMPLATE):
                filled = template["user"]
                for slot in ("a", "b"):
                    filled = filled.replace(f"{{{slot}}}", chance.choice(template.get(slot, [""])))
                yield filled


def turns(data: Path, chance: random.Random) -> Iterator[Labelled]:
    """Yield turns, and whether each needs memories."""
    for world in tuning_worlds():
        cases = [case for case in world["cases"] if case["kind"] != STANDING]
        yield from ((case["turn"], case["kind"] != NOTHING) for case in cases)
    for texts in json.loads((ROOT / "benchmarks" / "data" / "need" / "turns.json").read_text(encoding="utf-8")).values():
        yield from ((text, True) for text in texts["needs"])
        yield from ((text, False) for text in texts["nothing"])
    yield from ((text, False) for text in filler(chance))
    locomo = json.loads((data / "locomo10.json").read_text(encoding="utf-8"))[:5]
    questions = [one["question"] for talk in locomo for one in talk["qa"]]
    yield from ((text, True) for text in chance.sample(questions, OF_A_SET // 2))
    oracle = json.loads((data / "longmemeval_oracle.json").read_text(encoding="utf-8"))
    oracle = [one for one in oracle if hashlib.sha256(one["question_id"].encode()).digest()[-1] % 2 == 0]
    yield from ((one["question"], True) for one in chance.sample(oracle, OF_A_SET))
    lines = [json.loads(line) for line in (data / "prefeval_dev.jsonl").read_text(encoding="utf-8").splitlines()]
    lines = [line for line in lines if int(line["owner"][1:]) < 25]
    asked = [line["text"] for line in lines if line["type"] == "question"]
    yield from ((text, True) for text in chance.sample(asked, OF_A_SET))
    talk = [one["content"] for line in lines if line["type"] == "session" for one in line["messages"][2:]
            if one["role"] == "user"]  # fmt: skip
    yield from ((text[:600], False) for text in chance.sample(talk, min(len(talk), OF_A_SET)))


def messages(chance: random.Random) -> Iterator[Labelled]:
    """Yield user messages, and whether each is a lasting statement."""
    for world in tuning_worlds():
        evidence = {id for case in world["cases"] for id in case["evidence"]}
        said = [one for session in world["sessions"] for one in session["messages"] if one["role"] == "user"]
        yield from ((one["text"], one["id"] in evidence) for one in said)
    for _ in range(4):
        yield from ((text, False) for text in filler(chance))
    for path in sorted((ROOT / "benchmarks" / "data" / "facts" / "own").glob("*.json")):
        tune = json.loads(path.read_text(encoding="utf-8"))["tune"]
        yield from ((one["text"], one["note"]) for one in tune)


def vector_of(text: str, model: UseMultilingual) -> np.ndarray:
    """The multilingual part of a text's vector."""
    return np.asarray(model.vector(text)) * (1 - english_share(text)) ** 0.5


def fitted(examples: Iterable[Labelled], model: UseMultilingual, penalty: float) -> dict:
    """Fit the weights that separate the two classes best, and print the accuracy on the fitted examples."""
    texts, labels = zip(*dict(examples).items(), strict=True)
    rows = np.stack([vector_of(text, model) for text in texts]).astype(float)
    rows = np.hstack([rows, np.ones((len(rows), 1))])
    right = np.array(labels, float)
    weigh = np.where(right == 1, 0.5 / right.sum(), 0.5 / (1 - right).sum()) * len(right)

    def loss(at: np.ndarray) -> tuple[float, np.ndarray]:
        odds = rows @ at
        shrunk = np.concatenate([at[:-1], [0.0]])
        value = float(weigh @ (np.logaddexp(0, odds) - right * odds)) + penalty * float(shrunk @ shrunk)
        return value, rows.T @ (weigh * (1 / (1 + np.exp(-odds)) - right)) + 2 * penalty * shrunk

    at = minimize(loss, np.zeros(rows.shape[1]))
    correct = float(np.mean((rows @ at > 0) == (right == 1)))
    print(f"{len(right):,} examples, {int(right.sum()):,} of them true; {100 * correct:.1f} % right")
    return {"weights": [round(float(value), 2) for value in at[:-1]], "bias": round(float(at[-1]), 2)}


def turn_model(examples: list[Labelled], model: UseMultilingual) -> TurnModel:
    """Fit the turn model for the present ranking weights."""
    cases = tune.collect_evidence(
        source_file(ROOT / "benchmarks" / "data" / "turns"), "full", embedder_for("local"), lambda *_: None
    )
    needing = [case for case in cases.cases["tuning"] if case.question.category != STANDING]
    nothing = cases.nothing["tuning"]
    owners = sorted({case.question.owner for case in needing})
    folds = {owner: place % FOLDS for place, owner in enumerate(random.Random(1).sample(owners, len(owners)))}
    unseen: dict[str, float] = {}
    for fold in range(FOLDS):
        here = {case.question.text for case in (*needing, *nothing) if folds[case.question.owner] == fold}
        probe = fitted([one for one in examples if one[0] not in here], model, PENALTIES["need"])
        unseen |= {text: float(vector_of(text, model) @ probe["weights"]) + probe["bias"] for text in here}
    needing, nothing = ([replace(case, need=unseen[case.question.text]) for case in some] for some in (needing, nothing))
    return TurnModel(*tune_relevance.fit_turns(needing, nothing, FULL.weights, FULL.relevance.background))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python benchmarks/make_probes.py FOLDER_OF_PUBLIC_SETS")
    multilingual = UseMultilingual.load(local_model_folder(), 1)
    seeded = random.Random(16)
    statements = list(messages(seeded))
    asked = list(turns(Path(sys.argv[1]), seeded))
    made = {
        "statement": fitted(statements, multilingual, PENALTIES["statement"]),
        "need": fitted(asked, multilingual, PENALTIES["need"]),
    }
    TARGET.write_text(json.dumps(made) + "\n", encoding="utf-8")
    print(turn_model(asked, multilingual))
