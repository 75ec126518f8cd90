"""The benchmark of turns in the repository: fictional lives in 16 languages, each a JSON file, and filler to pad them with.

A world is one person's earlier conversations with an assistant, and turns of a new conversation for which some of them
matter, or none. `benchmarks/data/turns/README.md` says how they were written.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from typing import Any

from benchmarks.common.dataset import DataSetConversation, DataSetMessage, DataSetQuestion, DataSetRecord
from keepsaid.errors import InvalidInput

FILLER = "filler.json"
NOTHING = "nothing"
"""The kind of turns that need no memory."""

CROSSLINGUAL_FILE = "crosslingual.json"
"""Some turns repeated in another language than the messages: the language and the turn, by case."""
CROSSLINGUAL = "crosslingual"
"""The kind of those turns."""

EXCHANGES = 3
"""Questions and answers in a session of filler."""


def convert(folder: Path) -> Iterator[DataSetRecord]:
    """Convert all worlds to the neutral form, with an owner for each.

    Worlds with an odd number come first, because the first half of the owners is for tuning.
    """
    try:
        worlds = [json.loads(path.read_bytes()) for path in sorted(folder.glob("*-[0-9][0-9].json"))]
        templates = json.loads((folder / FILLER).read_bytes())
        translated = json.loads((folder / CROSSLINGUAL_FILE).read_bytes())
        for world in sorted(worlds, key=lambda world: (_number(world) % 2 == 0, world["world"])):
            yield from _records(world, templates.get(world["language"], []), translated)
    except (OSError, KeyError, TypeError, AttributeError, ValueError) as error:
        raise InvalidInput(f"{folder} does not contain the benchmark of turns: {type(error).__name__}: {error}") from error


def _number(world: Mapping[str, Any]) -> int:
    return int(world["world"].rpartition("-")[2])


def _records(
    world: Mapping[str, Any], templates: Sequence[Mapping[str, Any]], translated: Mapping[str, Sequence[str]]
) -> Iterator[DataSetRecord]:
    owner, today = world["world"], _day(world["today"])
    for number, session in enumerate(world["sessions"]):
        said = [DataSetMessage(one["id"], one["role"], one["text"]) for one in session["messages"]]
        yield _conversation(owner, f"{owner}/{number:03}", said, _day(session["date"]))
    yield from _filler(owner, templates, world["filler"], _day(world["sessions"][0]["date"]), today)
    for case in world["cases"]:
        before = case.get("before", ())
        asked = DataSetQuestion(
            owner, case["id"], case["turn"], tuple(case["evidence"]), (), case["kind"], today, world["language"],
            tuple(DataSetMessage(f"{case['id']}/{place}", one["role"], one["text"]) for place, one in enumerate(before)),
            tuple(case.get("stale", ())),
        )  # fmt: skip
        yield asked
        if case["id"] in translated:
            language, text = translated[case["id"]]
            yield replace(asked, id=f"{asked.id}/{language}", text=text, language=language, category=CROSSLINGUAL, stale=())


def _conversation(owner: str, session: str, said: Sequence[DataSetMessage], started: datetime) -> DataSetConversation:
    later = (started + timedelta(seconds=30 * place) for place in range(len(said)))
    return DataSetConversation(
        owner,
        session,
        tuple(DataSetMessage(one.id, one.role, one.content, None, at) for one, at in zip(said, later, strict=True)),
        started,
    )


def _filler(
    owner: str, templates: Sequence[Mapping[str, Any]], count: int, first: datetime, today: datetime
) -> Iterator[DataSetConversation]:
    """Yield conversations of irrelevant messages, always the same, spread over the time of the others."""
    chance = random.Random(owner)
    exchanges = [exchange for template in templates for exchange in _filled(template)]
    wanted = count // 2
    if wanted > len(exchanges):
        exchanges *= -(-wanted // len(exchanges)) if exchanges else 0
    chosen = chance.sample(exchanges, min(wanted, len(exchanges)))
    for number, start in enumerate(range(0, len(chosen), EXCHANGES)):
        texts = [text for exchange in chosen[start : start + EXCHANGES] for text in exchange]
        said = [
            DataSetMessage(f"{owner}/f{number}-{place}", ("user", "assistant")[place % 2], text)
            for place, text in enumerate(texts)
        ]
        began = first + (today - first) * chance.random()
        yield _conversation(owner, f"{owner}/f{number:04}", said, began)


def _filled(template: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for a, b in product(template.get("a", [""]), template.get("b", [""])):
        yield tuple(template[role].replace("{a}", a).replace("{b}", b) for role in ("user", "assistant"))  # pyright: ignore[reportReturnType]


def _day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(hour=9, tzinfo=UTC)
