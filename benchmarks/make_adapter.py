"""Fits the adapter of the local model, src/keepsaid/embed/adapter.json: where messages lie that help with a turn.

    python benchmarks/make_adapter.py LOCOMO.jsonl LONGMEMEVAL.jsonl PREFEVAL.jsonl   # see `python -m benchmarks convert`

The vector of a turn is moved by a linear map and a shift so that, with the present weights of the other ranking signals, the
messages that help with it score above the other candidates. It is fitted to the tuning halves of the sets and of
benchmarks/data/turns, and to all of benchmarks/data/pairs; every set weighs the same. The full map is fitted with a penalty
on large entries, and then reduced to its 16 largest singular directions.
"""

import json
import sys
from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from benchmarks.common import dataset
from benchmarks.common.dataset import (
    DataSetConversation,
    DataSetMessage,
    DataSetOutline,
    DataSetQuestion,
    DataSetRecord,
    OwnerMessages,
)
from benchmarks.prompts.turns import source_file
from benchmarks.search import recall, tune
from keepsaid import wiring
from keepsaid.config import load
from keepsaid.embed import embedder_for
from keepsaid.embed.probes import ADAPTER_FILE, MINILM_DIMENSIONS
from keepsaid.engine.follow_up import complete_question
from keepsaid.engine.query.query import parse_query
from keepsaid.engine.ranking.evidence import RankingEvidence
from keepsaid.engine.ranking.models import FULL
from keepsaid.engine.ranking.signals import SignalWeights, compute_signals
from keepsaid.ports import Embedder
from keepsaid.services.search.searcher import MessageSearcher, SearchRequest, compute_candidate_limit
from keepsaid.types import Scope, to_microseconds

ROOT = Path(__file__).parent.parent
PAIRS = ROOT / "benchmarks" / "data" / "pairs"
TARGET = ROOT / "src" / "keepsaid" / "embed" / ADAPTER_FILE
OF_AN_OWNER = 60
"""Pairs per owner, so that each owner has enough messages to choose from."""
CANDIDATES = 40
"""The best candidates of a turn, with and without the adapter, that the helpful ones are compared with."""
PENALTY = 0.02
STEPS = 60
RANK = 16
SIGNALS = SignalWeights._fields
USEFULNESS = SIGNALS.index("usefulness")
SAID, ASKED = datetime(2026, 3, 1, 9, tzinfo=UTC), datetime(2026, 8, 1, 9, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class AdapterExample:
    """A turn, its best candidates, and which of them help."""

    turn: np.ndarray
    vectors: np.ndarray
    others: np.ndarray
    """The contribution of all other signals to the candidates' scores."""
    helps: np.ndarray


def pairs() -> Iterator[DataSetRecord]:
    """Yield the pairs in the neutral form, with a separate conversation for every message."""
    questions: list[DataSetQuestion] = []
    for path in sorted(PAIRS.glob("*.jsonl")):
        for place, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
            pair = json.loads(line)
            owner = f"{path.stem}-{pair['lang']}-{place // OF_AN_OWNER}"
            for role in ("memory", "near"):
                name = f"{owner}/{place}/{role}"
                yield DataSetConversation(
                    owner, name, (DataSetMessage(name, "user", pair[role], pair.get("name"), SAID),), SAID
                )
            questions += [
                DataSetQuestion(owner, f"{owner}/{place}/{turn}", text, (f"{owner}/{place}/memory",), (), path.stem, ASKED)
                for turn, text in enumerate(pair["turns"])
            ]
    yield from questions


def examples(source: Path, embedder: Embedder, *, every: bool) -> list[AdapterExample]:
    """Collect the turns of the tuning half of a set (or every turn) for which a helpful message is found."""
    outline = dataset.read_outline(source)
    asked = [one for one in recall.select_questions(outline) if every or recall.half_of(outline, one) == "tuning"]
    kept = recall.kept_store_path(source)
    with recall.open_kept_store(kept, embedder) as memory:
        recall.load_conversations(memory, source, outline, {one.owner for one in asked}, lambda *_: None)
        memory.maintain()
    with closing(wiring.open_storage(load({"url": str(kept), "durable": False}, {}))) as storage:
        asking = tune._recall(storage, embedder)
        found = [example(asking, outline, one, embedder) for one in asked]
    return [one for one in found if one is not None]


def example(
    asking: MessageSearcher, outline: DataSetOutline, question: DataSetQuestion, embedder: Embedder
) -> AdapterExample | None:
    """Return the example of one turn; None if no helpful message is among its candidates."""
    now = question.asked_at or outline.owners.get(question.owner, OwnerMessages()).last or datetime.now(UTC)
    before = [tune._message(said) for said in question.before]
    text = complete_question(question.text, before).text if before else question.text
    meant = parse_query(text, now, plain=True)
    request = SearchRequest(text, Scope(question.owner), now, meant.filters, recall.DEPTH, plain=True)
    evidence, _ = asking.gather_evidence(meant, request, compute_candidate_limit(request.limit))
    messages = evidence.candidates.messages
    answers = set(outline.answers(question)[0])
    helps = np.array(
        [allowed and message.id in answers for allowed, message in zip(evidence.find_allowed(), messages, strict=True)], bool
    )
    if not helps.any() or evidence.vectors is None:
        return None
    table = compute_signals(meant, evidence.candidates, to_microseconds(now))
    scores = np.asarray(sum(weight * table[name] for name, weight in FULL.weights._asdict().items()))
    others = scores - FULL.weights.usefulness * table["usefulness"]
    # Messages without a vector are compared by words; nothing is learned from them.
    others = np.where(evidence.vectors.any(axis=1), others, scores)
    # The best with the present adapter, and the best without one: a map learns only from its mistakes.
    plain = others + FULL.weights.usefulness * table["closeness"]
    best = [at for ranked in (scores, plain) for at in _best(ranked, evidence)]
    chosen = list(dict.fromkeys([*best, *np.flatnonzero(helps).tolist()]))
    (made,) = embedder.embed([text], asking=True)
    turn = np.asarray(made.vector, np.float32)[MINILM_DIMENSIONS:]
    return AdapterExample(turn / np.linalg.norm(turn), evidence.vectors[chosen], others[chosen], helps[chosen])


def _best(scores: np.ndarray, evidence: RankingEvidence) -> list[int]:
    allowed = evidence.find_allowed()
    return [at for at in np.argsort(-scores).tolist() if allowed[at]][:CANDIDATES]


def fitted(sets: Sequence[Sequence[AdapterExample]]) -> tuple[np.ndarray, np.ndarray]:
    """Fit the map and the shift that bring turns closest to the messages that help with them."""
    taught = [(one, 1 / (len(sets) * len(some))) for some in sets for one in some]
    turns = np.stack([one.turn for one, _ in taught])
    vectors = np.concatenate([one.vectors for one, _ in taught])
    others = np.concatenate([one.others for one, _ in taught])
    wanted = np.concatenate([weight * one.helps / one.helps.sum() for one, weight in taught])
    groups = tune.RowGroups([len(one.helps) for one, _ in taught])
    lengths = [len(one.helps) for one, _ in taught]
    of_turn = np.repeat(np.arange(len(taught)), lengths)
    starts = (np.cumsum(lengths) - lengths).astype(np.int64)
    size = turns.shape[1]

    def loss(at: np.ndarray) -> tuple[float, np.ndarray]:
        linear, shift = at[:-size].reshape(size, size).astype(np.float32), at[-size:].astype(np.float32)
        moved = turns + turns @ linear + shift
        length = np.linalg.norm(moved, axis=1, keepdims=True)
        unit = moved / length
        scores = others + FULL.weights.usefulness * np.einsum("ij,ij->i", vectors, unit[of_turn])
        badly, steep = groups.cross_entropy(scores, wanted)
        pulls = np.add.reduceat(vectors * (FULL.weights.usefulness * steep[:, None]).astype(np.float32), starts, axis=0)
        pulls = (pulls - (pulls * unit).sum(1, keepdims=True) * unit) / length
        slope = np.concatenate([(turns.T @ pulls).ravel(), pulls.sum(0)]).astype(np.float64)
        return badly + PENALTY * float(at @ at), slope + 2 * PENALTY * at

    tune.STEPS = STEPS
    at = tune.minimize(loss, np.zeros(size * size + size))
    return at[:-size].reshape(size, size), at[-size:]


def packed(numbers: np.ndarray) -> dict[str, object]:
    """Pack numbers as int8 in base64, with a scale."""
    scale = float(np.abs(numbers).max() / 127)
    return {"scale": round(scale, 8), "int8": b64encode(np.round(numbers / scale).astype(np.int8).tobytes()).decode()}


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: python benchmarks/make_adapter.py FILE...")
    local = embedder_for("local")
    made_pairs = recall.cache_folder() / "pairs.jsonl"
    made_pairs.parent.mkdir(parents=True, exist_ok=True)
    dataset.write_records(made_pairs, pairs())
    files = [source_file(ROOT / "benchmarks" / "data" / "turns"), *map(Path, sys.argv[1:])]
    lessons = [*(examples(file, local, every=False) for file in files), examples(made_pairs, local, every=True)]
    print([len(some) for some in lessons], "turns")
    linear, shift = fitted(lessons)
    left, sizes, right = np.linalg.svd(linear)
    roots = np.sqrt(sizes[:RANK])
    print("the largest directions:", sizes[: RANK + 1].round(2).tolist())
    record = {"down": packed(left[:, :RANK] * roots), "up": packed(roots[:, None] * right[:RANK]), "shift": packed(shift)}
    TARGET.write_text(json.dumps(record) + "\n", encoding="utf-8")
