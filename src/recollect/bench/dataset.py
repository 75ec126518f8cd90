"""The neutral form of an evaluation set: JSONL, a line for each conversation and for each question.

    {"type": "session", "owner": "u1", "session": "s1", "started_at": "2026-05-01T09:00:00Z",
     "messages": [{"id": "m1", "role": "user", "name": "Ann", "content": "My sister moved to Lisbon."}]}
    {"type": "question", "owner": "u1", "id": "q1", "text": "Where does my sister live?",
     "asked_at": "2026-06-01T09:00:00Z", "category": "single-hop", "evidence": ["m1"]}

(one line each). `name`, `started_at`, `asked_at`, `category` and a message's own `created_at` may be left out. A question
may name its `evidence_sessions`, its `language`, the messages `before` it in its own conversation, and `stale` ones, which
say what is no longer so. A time without a zone is in UTC. Lines come in any order; other keys are passed over.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar, cast

from recollect.engine.hygiene import clean_name, clean_text
from recollect.engine.intake import ROLES
from recollect.errors import InvalidInput

Item = TypeVar("Item")


class BadLine(InvalidInput):
    """A line of a data set that cannot be used: where it is, and what is wrong with it."""

    def __init__(self, path: Path, line: int, problem: str) -> None:
        super().__init__(f"{path}, line {line}: {problem}")
        self.path = path
        self.line = line
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Said:
    """One message of a conversation. `created_at` is None if neither it nor its conversation has a time."""

    id: str
    role: str
    content: str
    name: str | None = None
    created_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    """A session line: what was said, in order."""

    owner: str
    session: str
    messages: tuple[Said, ...]
    started_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A question line. `evidence_sessions` are where the answer is; if empty, the sessions of the evidence are.

    `before` are the messages of its own conversation that precede it; `stale` messages say what is no longer so.
    """

    owner: str
    id: str
    text: str
    evidence: tuple[str, ...] = ()
    evidence_sessions: tuple[str, ...] = ()
    category: str | None = None
    asked_at: datetime | None = None
    language: str | None = None
    before: tuple[Said, ...] = ()
    stale: tuple[str, ...] = ()


Record = Conversation | Question


@dataclass(slots=True)
class Memories:
    """What a data set says about one owner: which session each message is in, and when the last one was said."""

    sessions: dict[str, str] = field(default_factory=dict[str, str])
    last: datetime | None = None


@dataclass(frozen=True, slots=True)
class Outline:
    """A data set without its texts, every line checked. Owners come in the order of the file."""

    owners: dict[str, Memories]
    questions: list[Question]

    def answers(self, question: Question) -> tuple[frozenset[str], frozenset[str]]:
        """The messages and the sessions in which a question's answer is.

        >>> outline = Outline({"u1": Memories({"m1": "s1", "m2": "s1"})}, [])
        >>> [sorted(ids) for ids in outline.answers(Question("u1", "q1", "Where?", evidence=("m1", "m2")))]
        [['m1', 'm2'], ['s1']]
        """
        home = self.owners.get(question.owner, Memories()).sessions
        sessions = question.evidence_sessions or [home[id] for id in question.evidence]
        return frozenset(question.evidence), frozenset(sessions)


def read(path: Path) -> Iterator[Record]:
    """The lines of a data set, one after the other, each checked for itself."""
    for _, record in _numbered(path):
        yield record


def conversations(path: Path) -> Iterator[Conversation]:
    """The conversations of a data set."""
    return (record for record in read(path) if isinstance(record, Conversation))


def outline(path: Path) -> Outline:
    """Checks the whole data set, also across its lines: no message twice, no evidence that is not there."""
    owners: dict[str, Memories] = {}
    asked: list[tuple[int, Question]] = []
    for line, record in _numbered(path):
        if isinstance(record, Conversation):
            _enter(owners.setdefault(record.owner, Memories()), record, path, line)
        else:
            asked.append((line, record))
    for line, question in asked:
        _look_up(owners.get(question.owner, Memories()), question, path, line)
    return Outline(owners, [question for _, question in asked])


def write(path: Path, records: Iterable[Record]) -> None:
    """Writes a data set; the file is there only when it is whole."""
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with unfinished.open("w", encoding="utf-8") as file:
            for record in records:
                file.write(to_line(record) + "\n")
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def to_line(record: Record) -> str:
    """A record as its line, without the keys that have nothing to say.

    >>> to_line(Question("u1", "q1", "Where?", ("m1",)))
    '{"type": "question", "owner": "u1", "id": "q1", "text": "Where?", "evidence": ["m1"]}'
    """
    if isinstance(record, Conversation):
        head = {"type": "session", "owner": record.owner, "session": record.session, "started_at": record.started_at}
        # A time that follows from the conversation's own is not written again.
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


def _message(said: Said, follows: datetime | None) -> dict[str, Any]:
    own = None if said.created_at == follows else said.created_at
    line = {"id": said.id, "role": said.role, "name": said.name, "content": said.content, "created_at": own}
    return {key: value for key, value in line.items() if value is not None}


def _later(started: datetime | None, place: int) -> datetime | None:
    """When a message without a time was said: a second after the one before, so that order and time agree."""
    return None if started is None else started + timedelta(seconds=place)


def _numbered(path: Path) -> Iterator[tuple[int, Record]]:
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                yield number, _record(line)
            except InvalidInput as error:
                raise BadLine(path, number, str(error)) from None


def _record(line: bytes) -> Record:
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


def _conversation(fields: Mapping[str, Any]) -> Conversation:
    started = _optional(fields, "started_at", _moment)
    messages = enumerate(_many(fields, "messages", _object))
    return Conversation(
        _need(fields, "owner", _name),
        _need(fields, "session", _name),
        tuple(_said(message, place, started) for place, message in messages),
        started,
    )


def _said(fields: Mapping[str, Any], place: int, started: datetime | None) -> Said:
    try:
        return Said(
            _need(fields, "id", _name),
            _need(fields, "role", _role),
            _need(fields, "content", clean_text),
            _optional(fields, "name", _name),
            _optional(fields, "created_at", _moment) or _later(started, place),
        )
    except InvalidInput as error:
        raise InvalidInput(f"messages[{place}]: {error}") from None


def _question(fields: Mapping[str, Any]) -> Question:
    return Question(
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
    """An id, an owner, a category; sets that number their messages may leave the quotes out."""
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


def _enter(memories: Memories, conversation: Conversation, path: Path, line: int) -> None:
    for said in conversation.messages:
        if said.id in memories.sessions:
            raise BadLine(path, line, f"message {said.id!r} of {conversation.owner!r} is there already")
        memories.sessions[said.id] = conversation.session
        if said.created_at is not None and (memories.last is None or said.created_at > memories.last):
            memories.last = said.created_at


def _look_up(memories: Memories, question: Question, path: Path, line: int) -> None:
    known = set(memories.sessions.values())
    for kind, wanted, there in (
        ("message", question.evidence, memories.sessions),
        ("session", question.evidence_sessions, known),
    ):
        for id in wanted:
            if id not in there:
                problem = f"evidence of question {question.id!r}: {question.owner!r} has no {kind} {id!r}"
                raise BadLine(path, line, problem)
