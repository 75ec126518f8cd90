"""The neutral form of an evaluation set: JSONL, a line for each conversation and for each question.

    {"type": "session", "owner": "u1", "session": "s1", "started_at": "2026-05-01T09:00:00Z",
     "messages": [{"id": "m1", "role": "user", "name": "Ann", "content": "My sister moved to Lisbon."}]}
    {"type": "question", "owner": "u1", "id": "q1", "text": "Where does my sister live?",
     "asked_at": "2026-06-01T09:00:00Z", "category": "single-hop", "evidence": ["m1"]}

(one line each). `name`, `started_at`, `asked_at`, `category` and a message's own `created_at` are optional. A question may
have `evidence_sessions`, a `language`, the messages `before` it in its own conversation, and `stale` messages, which say
what is no longer true. A time without a zone is in UTC. Lines come in any order; other keys are ignored.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar, cast

from keepsaid.engine.messages.intake import ROLES
from keepsaid.engine.messages.validation import clean_name, clean_text
from keepsaid.errors import InvalidInput

Item = TypeVar("Item")


class BadDataSetLine(InvalidInput):
    """An invalid line of a data set: where it is, and what is wrong with it."""

    def __init__(self, path: Path, line: int, problem: str) -> None:
        super().__init__(f"{path}, line {line}: {problem}")
        self.path = path
        self.line = line
        self.problem = problem


@dataclass(frozen=True, slots=True)
class DataSetMessage:
    """One message of a conversation. `created_at` is None if neither it nor its conversation has a time."""

    id: str
    role: str
    content: str
    name: str | None = None
    created_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class DataSetConversation:
    """A session line: its messages, in order."""

    owner: str
    session: str
    messages: tuple[DataSetMessage, ...]
    started_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class DataSetQuestion:
    """A question line. `evidence_sessions` contain the answer; if empty, these are the sessions of the evidence.

    `before` are the messages of its own conversation that precede it; `stale` messages say what is no longer true.
    """

    owner: str
    id: str
    text: str
    evidence: tuple[str, ...] = ()
    evidence_sessions: tuple[str, ...] = ()
    category: str | None = None
    asked_at: datetime | None = None
    language: str | None = None
    before: tuple[DataSetMessage, ...] = ()
    stale: tuple[str, ...] = ()


DataSetRecord = DataSetConversation | DataSetQuestion


@dataclass(slots=True)
class OwnerMessages:
    """The messages of one owner in a data set: the session of each, and the time of the last."""

    sessions: dict[str, str] = field(default_factory=dict[str, str])
    last: datetime | None = None


@dataclass(frozen=True, slots=True)
class DataSetOutline:
    """A data set without its message texts, with every line checked. Owners are in the order of the file."""

    owners: dict[str, OwnerMessages]
    questions: list[DataSetQuestion]

    def answers(self, question: DataSetQuestion) -> tuple[frozenset[str], frozenset[str]]:
        """The messages and the sessions that contain a question's answer.

        >>> outline = DataSetOutline({"u1": OwnerMessages({"m1": "s1", "m2": "s1"})}, [])
        >>> [sorted(ids) for ids in outline.answers(DataSetQuestion("u1", "q1", "Where?", evidence=("m1", "m2")))]
        [['m1', 'm2'], ['s1']]
        """
        home = self.owners.get(question.owner, OwnerMessages()).sessions
        sessions = question.evidence_sessions or [home[id] for id in question.evidence]
        return frozenset(question.evidence), frozenset(sessions)


def read_records(path: Path) -> Iterator[DataSetRecord]:
    """Yield the records of a data set, each checked by itself."""
    for _, record in _numbered(path):
        yield record


def read_conversations(path: Path) -> Iterator[DataSetConversation]:
    """Yield the conversations of a data set."""
    return (record for record in read_records(path) if isinstance(record, DataSetConversation))


def read_outline(path: Path) -> DataSetOutline:
    """Read and check the whole data set, also across lines: no duplicate messages, no missing evidence."""
    owners: dict[str, OwnerMessages] = {}
    asked: list[tuple[int, DataSetQuestion]] = []
    for line, record in _numbered(path):
        if isinstance(record, DataSetConversation):
            _enter(owners.setdefault(record.owner, OwnerMessages()), record, path, line)
        else:
            asked.append((line, record))
    for line, question in asked:
        _look_up(owners.get(question.owner, OwnerMessages()), question, path, line)
    return DataSetOutline(owners, [question for _, question in asked])


def write_records(path: Path, records: Iterable[DataSetRecord]) -> None:
    """Write a data set. The file appears only when it is complete."""
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with unfinished.open("w", encoding="utf-8") as file:
            for record in records:
                file.write(to_line(record) + "\n")
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def to_line(record: DataSetRecord) -> str:
    """Convert a record to its line, without empty keys.

    >>> to_line(DataSetQuestion("u1", "q1", "Where?", ("m1",)))
    '{"type": "question", "owner": "u1", "id": "q1", "text": "Where?", "evidence": ["m1"]}'
    """
    if isinstance(record, DataSetConversation):
        head = {"type": "session", "owner": record.owner, "session": record.session, "started_at": record.started_at}
        # A time that follows from that of the conversation is not written.
        spoken = enumerate(record.messages)
        body = {"messages": [_message(said, _later(record.started_at, place)) for place, said in spoken]}
    else:
        head = {"type": "question", "owner": record.owner, "id": record.id, "text": record.text}
        head |= {"asked_at": record.asked_at, "category": record.category}
        body = {"evidence": record.evidence, "evidence_sessions": record.evidence_sessions or None}
        body |= {"language": record.language, "stale": record.stale or None}
        body |= {"before": [_message(said, None) for said in record.before] or None}
    kept = {key: value for key, value in {**head, **body}.items() if value is not None}
    return json.dumps(kept, ensure_ascii=False, default=datetime.isoformat)


def _message(said: DataSetMessage, follows: datetime | None) -> dict[str, Any]:
    own = None if said.created_at == follows else said.created_at
    line = {"id": said.id, "role": said.role, "name": said.name, "content": said.content, "created_at": own}
    return {key: value for key, value in line.items() if value is not None}


def _later(started: datetime | None, place: int) -> datetime | None:
    """The time of a message without one: a second after the previous message, so that order and time agree."""
    return None if started is None else started + timedelta(seconds=place)


def _numbered(path: Path) -> Iterator[tuple[int, DataSetRecord]]:
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                yield number, _record(line)
            except InvalidInput as error:
                raise BadDataSetLine(path, number, str(error)) from None


def _record(line: bytes) -> DataSetRecord:
    try:
        value = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InvalidInput(f"not UTF-8: {error.reason} at byte {error.start}") from None
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"not JSON: {error}") from None
    fields = _object(value, "the line")
    kind = fields.get("type")
    if kind == "session":
        return _conversation(fields)
    if kind == "question":
        return _question(fields)
    raise InvalidInput(f"unknown type {kind!r}; known are 'session' and 'question'")


def _conversation(fields: Mapping[str, Any]) -> DataSetConversation:
    started = _optional(fields, "started_at", _moment)
    messages = enumerate(_many(fields, "messages", _object))
    return DataSetConversation(
        _need(fields, "owner", _name),
        _need(fields, "session", _name),
        tuple(_said(message, place, started) for place, message in messages),
        started,
    )


def _said(fields: Mapping[str, Any], place: int, started: datetime | None) -> DataSetMessage:
    try:
        return DataSetMessage(
            _need(fields, "id", _name),
            _need(fields, "role", _role),
            _need(fields, "content", clean_text),
            _optional(fields, "name", _name),
            _optional(fields, "created_at", _moment) or _later(started, place),
        )
    except InvalidInput as error:
        raise InvalidInput(f"messages[{place}]: {error}") from None


def _question(fields: Mapping[str, Any]) -> DataSetQuestion:
    return DataSetQuestion(
        _need(fields, "owner", _name),
        _need(fields, "id", _name),
        _need(fields, "text", clean_text),
        tuple(_many(fields, "evidence", _name)),
        tuple(_some(fields, "evidence_sessions", _name)),
        _optional(fields, "category", _name),
        _optional(fields, "asked_at", _moment),
        _optional(fields, "language", _name),
        tuple(_said(message, place, None) for place, message in enumerate(_some(fields, "before", _object))),
        tuple(_some(fields, "stale", _name)),
    )


def _some(fields: Mapping[str, Any], key: str, parse: Callable[[object, str], Item]) -> list[Item]:
    return _many(fields, key, parse) if fields.get(key) is not None else []


def _need(fields: Mapping[str, Any], key: str, parse: Callable[[object, str], Item]) -> Item:
    if fields.get(key) is None:
        raise InvalidInput(f"{key} is missing")
    return parse(fields[key], key)


def _optional(fields: Mapping[str, Any], key: str, parse: Callable[[object, str], Item]) -> Item | None:
    return None if fields.get(key) is None else parse(fields[key], key)


def _many(fields: Mapping[str, Any], key: str, parse: Callable[[object, str], Item]) -> list[Item]:
    values = _need(fields, key, lambda value, _: value)
    if not isinstance(values, list):
        raise InvalidInput(f"{key} must be a list, not {type(values).__name__}")
    return [parse(value, f"{key}[{place}]") for place, value in enumerate(cast(list[object], values))]


def _object(value: object, what: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise InvalidInput(f"{what} must be an object, not {type(value).__name__}")
    return cast(dict[str, Any], value)


def _name(value: object, what: str) -> str:
    """Parse an id, an owner or a category. Integers are accepted for sets that number their messages."""
    return clean_name(str(value) if isinstance(value, int) and not isinstance(value, bool) else value, what)


def _role(value: object, what: str) -> str:
    if value not in ROLES:
        raise InvalidInput(f"unknown {what} {value!r}; known are {', '.join(ROLES)}")
    return cast(str, value)


def _moment(value: object, what: str) -> datetime:
    try:
        moment = datetime.fromisoformat(clean_text(value, what))
    except ValueError as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput(f"{what} is {value!r}, which is not a time like 2026-05-01T09:00:00Z") from None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


def _enter(memories: OwnerMessages, conversation: DataSetConversation, path: Path, line: int) -> None:
    for said in conversation.messages:
        if said.id in memories.sessions:
            raise BadDataSetLine(path, line, f"message {said.id!r} of {conversation.owner!r} is a duplicate")
        memories.sessions[said.id] = conversation.session
        if said.created_at is not None and (memories.last is None or said.created_at > memories.last):
            memories.last = said.created_at


def _look_up(memories: OwnerMessages, question: DataSetQuestion, path: Path, line: int) -> None:
    known = set(memories.sessions.values())
    for kind, wanted, there in (
        ("message", question.evidence, memories.sessions),
        ("session", question.evidence_sessions, known),
    ):
        for id in wanted:
            if id not in there:
                problem = f"evidence of question {question.id!r}: {question.owner!r} has no {kind} {id!r}"
                raise BadDataSetLine(path, line, problem)
