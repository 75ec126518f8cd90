"""Labeled sentences of the public sets, with the messages they are in.

The labels hold ids, character offsets and hashes (`benchmarks/data/facts/README.md`); the texts come from the data folder.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from benchmarks.common import locomo, longmemeval
from keepsaid.errors import InvalidInput
from keepsaid.types import Message, Role, to_microseconds

LABELS = "labels.jsonl"
OWN, INSTRUCTIONS = "own", "instructions"
"""Folders of our own sentences, one file per language, beside the labels. The second has standing instructions to the
assistant, and sentences that only look like one."""
FILES = {"locomo": "locomo10.json", "longmemeval": "longmemeval_oracle.json"}
BEFORE = 4
"""The number of earlier messages that are passed to `claims`."""
NOW = datetime.fromisoformat("2026-05-13T12:00:00+00:00")
"""The time of our own sentences."""


FRESH = "fresh"
"""The half of the labels that nothing is fitted to."""


@dataclass(frozen=True, slots=True)
class LabelledSentence:
    """One sentence, whether it is worth a note, and where it is."""

    set: str
    half: str
    message: Message = field(repr=False)
    before: Sequence[Message] = field(repr=False)
    start: int
    end: int
    note: bool
    kind: str
    borderline: bool = False
    conversation: str = ""
    """Its conversation: a session of LongMemEval, or a pair of speakers in LoCoMo."""

    @property
    def text(self) -> str:
        """The sentence as typed."""
        return self.message.text[self.start : self.end]


def read_labels(folder: Path, data: Path) -> list[LabelledSentence]:
    """Return the labeled sentences of the public sets. Raise `InvalidInput` if a text is not the labeled one."""
    lines = [json.loads(line) for line in (folder / LABELS).read_text().splitlines() if line]
    sessions = {name: dict(_READERS[name](data / FILES[name])) for name in {line["set"] for line in lines}}
    return [_sentence(line, sessions[line["set"]]) for line in lines]


def read_own(folder: Path) -> list[LabelledSentence]:
    """Return our own sentences in every language, each as a separate message."""
    found: list[LabelledSentence] = []
    for path in sorted(path for name in (OWN, INSTRUCTIONS) for path in (folder / name).glob("*.json")):
        sentences = json.loads(path.read_text())
        name = f"{path.parent.name}/{sentences['language']}"
        for half in ("tune", "report"):
            found.extend(_own_sentence(line, name, half) for line in sentences[half])
    return found


def _own_sentence(line: Mapping[str, Any], name: str, half: str) -> LabelledSentence:
    message = _message("m0", 0, Role.USER, line["text"], NOW, None)
    kind = line["kind"] if line["note"] else ""
    return LabelledSentence(name, half, message, (), 0, len(line["text"]), line["note"], kind)


def _sentence(line: Mapping[str, Any], sessions: Mapping[str, Sequence[Message]]) -> LabelledSentence:
    session, place = sessions[line["session"]], int(line["message"])
    message = session[place]
    before: Sequence[Message] = session[max(0, place - BEFORE) : place]
    if message.name is not None:  # a conversation between two people: only the current speaker is the user
        before = [one if one.name == message.name else _as_assistant(one) for one in before]
    sentence = LabelledSentence(
        line["set"], line["half"], message, before, line["start"], line["end"],
        line["note"], line.get("kind", ""), line.get("borderline", False), line["session"].partition("/")[0],
    )  # fmt: skip
    if hashlib.sha256(sentence.text.encode()).hexdigest()[:16] != line["sha256"]:
        raise InvalidInput(f"message {place} of {line['session']} is not the text that was labeled")
    return sentence


def _locomo_sessions(path: Path) -> Iterator[tuple[str, list[Message]]]:
    for sample in json.loads(path.read_bytes()):
        talk = sample["conversation"]
        for name in (name for name in talk if f"{name}_date_time" in talk):
            started = locomo.parse_time(talk[f"{name}_date_time"])
            said = enumerate(talk[name])
            turns = [_message(one["dia_id"], n, Role.USER, one["text"], started, one["speaker"]) for n, one in said]
            yield f"{sample['sample_id']}/{name}", turns


def _longmemeval_sessions(path: Path) -> Iterator[tuple[str, list[Message]]]:
    for sample in json.loads(path.read_bytes()):
        columns = (sample["haystack_session_ids"], sample["haystack_dates"], sample["haystack_sessions"])
        for session, date, turns in zip(*columns, strict=True):
            started, said = longmemeval.parse_time(date), enumerate(turns)
            yield session, [_message(f"m{n}", n, Role(one["role"]), one["content"], started, None) for n, one in said]


_READERS = {"locomo": _locomo_sessions, "longmemeval": _longmemeval_sessions}


def _as_assistant(message: Message) -> Message:
    return _message(message.id, message.seq, Role.ASSISTANT, message.text, message.created_at, message.name)


def _message(id: str, seq: int, role: Role, text: str, at: datetime, name: str | None) -> Message:
    return Message(id, "s1", seq, 0, role, text, 0, to_microseconds(at), 0.5, False, {}, name=name)
