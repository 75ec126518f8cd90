"""LongMemEval: conversations with an assistant, pooled, so that the sessions of all questions belong to one owner."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.common.dataset import DataSetConversation, DataSetMessage, DataSetQuestion, DataSetRecord
from keepsaid.errors import InvalidInput

OWNER = "longmemeval"
UNANSWERABLE = "_abs"
"""The suffix of the ids of questions without an answer, which are omitted."""


def convert(source: Path) -> Iterator[DataSetRecord]:
    """Convert the data set to the neutral form: every session once, in order of time, then the questions with an answer.

    A question without labeled turns still has its sessions.
    """
    try:
        samples: Sequence[Mapping[str, Any]] = json.loads(source.read_bytes())
        pooled = {talk.session: talk for sample in reversed(samples) for talk in _conversations(sample)}
        yield from sorted(pooled.values(), key=lambda talk: (talk.started_at, talk.session))
        yield from (_question(sample) for sample in samples if not sample["question_id"].endswith(UNANSWERABLE))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise InvalidInput(f"{source} is not a LongMemEval file: {type(error).__name__}: {error}") from error


def parse_time(text: str) -> datetime:
    """Parse a time in the format of the set.

    >>> parse_time("2023/04/10 (Mon) 23:07").isoformat()
    '2023-04-10T23:07:00+00:00'
    """
    return datetime.strptime(text, "%Y/%m/%d (%a) %H:%M").replace(tzinfo=UTC)


def _conversations(sample: Mapping[str, Any]) -> Iterator[DataSetConversation]:
    columns = (sample["haystack_session_ids"], sample["haystack_dates"], sample["haystack_sessions"])
    for session, date, turns in zip(*columns, strict=True):
        said = (DataSetMessage(_turn_id(session, place), turn["role"], turn["content"]) for place, turn in enumerate(turns))
        yield DataSetConversation(OWNER, session, tuple(said), parse_time(date))


def _question(sample: Mapping[str, Any]) -> DataSetQuestion:
    evidence = (
        _turn_id(session, place)
        for session, turns in zip(sample["haystack_session_ids"], sample["haystack_sessions"], strict=True)
        for place, turn in enumerate(turns)
        if turn.get("has_answer")
    )
    return DataSetQuestion(
        OWNER,
        sample["question_id"],
        sample["question"],
        tuple(evidence),
        tuple(sample["answer_session_ids"]),
        sample["question_type"],
        parse_time(sample["question_date"]),
    )


def _turn_id(session: str, place: int) -> str:
    return f"{session}:{place}"
