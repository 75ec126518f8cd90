"""LoCoMo (snap-research/locomo): ten long conversations between two friends, and questions about them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.common.dataset import DataSetConversation, DataSetMessage, DataSetQuestion, DataSetRecord
from keepsaid.errors import InvalidInput

CATEGORIES = {1: "1 multi-hop", 2: "2 temporal", 3: "3 open-domain", 4: "4 single-hop", 5: "5 adversarial"}

_SESSION = re.compile(r"session_(\d+)")
_TURN = re.compile(r"D(\d+):(\d+)")
_FAULT = re.compile(r"locomo_(\d+)_qa(\d+)")

EvidenceLabels = Mapping[tuple[int, int], list[str]]
"""The turns that actually contain an answer, by the number of the conversation and of the question in it."""


def convert(source: Path, corrections: Path | None = None) -> Iterator[DataSetRecord]:
    """Convert the data set to the neutral form, with an owner for each conversation.

    Questions whose evidence names no turn are omitted. `corrections` is the list of label faults of dial481/locomo-audit.
    """
    labels: EvidenceLabels = {} if corrections is None else _labels(corrections)
    try:
        for number, sample in enumerate(json.loads(source.read_bytes())):
            yield from _conversations(sample)
            yield from _questions(sample, number, labels)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise InvalidInput(f"{source} is not a LoCoMo file: {type(error).__name__}: {error}") from error


def parse_time(text: str) -> datetime:
    """Parse a time in the format of the set.

    >>> parse_time("1:56 pm on 8 May, 2023").isoformat()
    '2023-05-08T13:56:00+00:00'
    """
    return datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)


def cited_turns(evidence: Iterable[str]) -> list[str]:
    """Return the turns that a label names: sometimes several in one string, or with an extra zero.

    >>> cited_turns(["D8:6; D9:17", "D30:05", "D"])
    ['D8:6', 'D9:17', 'D30:5']
    """
    cited = (f"D{int(session)}:{int(turn)}" for session, turn in _TURN.findall(" ".join(evidence)))
    return list(dict.fromkeys(cited))


def _conversations(sample: Mapping[str, Any]) -> Iterator[DataSetConversation]:
    talk: Mapping[str, Any] = sample["conversation"]
    # Some dates have no session.
    for name in filter(_SESSION.fullmatch, talk):
        started = parse_time(talk[f"{name}_date_time"])
        said = tuple(_said(turn, talk["speaker_a"]) for turn in talk[name])
        yield DataSetConversation(sample["sample_id"], name, said, started)


def _said(turn: Mapping[str, Any], first_speaker: str) -> DataSetMessage:
    caption = turn.get("blip_caption")
    shown = f" [shares {caption}]" if caption else ""
    role = "user" if turn["speaker"] == first_speaker else "assistant"
    return DataSetMessage(turn["dia_id"], role, turn["text"] + shown, turn["speaker"])


def _questions(sample: Mapping[str, Any], number: int, labels: EvidenceLabels) -> Iterator[DataSetQuestion]:
    known = {said.id for conversation in _conversations(sample) for said in conversation.messages}
    for place, asked in enumerate(sample["qa"]):
        evidence = tuple(id for id in cited_turns(labels.get((number, place)) or asked["evidence"]) if id in known)
        if evidence:
            owner, category = sample["sample_id"], CATEGORIES[asked["category"]]
            yield DataSetQuestion(owner, f"{owner}:{place}", asked["question"], evidence, category=category)


def _labels(path: Path) -> EvidenceLabels:
    try:
        faults = [(_FAULT.fullmatch(fault["question_id"]), fault) for fault in json.loads(path.read_bytes())]
        return {(int(id[1]), int(id[2])): fault["correct_evidence"] for id, fault in faults if id}
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidInput(f"{path} is not a list of label faults: {type(error).__name__}: {error}") from error
