"""One question, one answer: for the shell."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from recollect.cli.chat.answering import Stop, answered, followed
from recollect.cli.chat.opening import say_whether_alone
from recollect.cli.chat.talk import Talk
from recollect.cli.words import echo_json

if TYPE_CHECKING:
    from recollect.agent.answer import Answer, Cited

INTERRUPTED = 130
UNFINISHED = 1


def answer_once(talk: Talk, question: str, as_json: bool) -> int:
    """Answers on stdout, and says all else on stderr. Returns the exit code."""
    if not as_json:
        say_whether_alone(talk, briefly=True)
        answer = answered(talk, question)
        return INTERRUPTED if answer is None else _code(answer)
    with Stop() as stop:
        answer = followed(talk, question, lambda event: None, stop)
    if answer is None:
        return INTERRUPTED
    echo_json(as_object(answer))
    sys.stdout.flush()
    return _code(answer)


def _code(answer: Answer) -> int:
    return {"stop": 0, "length": 0, "stopped": INTERRUPTED}.get(answer.finish, UNFINISHED)


def as_object(answer: Answer) -> dict[str, Any]:
    """An answer for programs.

    >>> from recollect.agent.answer import Answer
    >>> as_object(Answer("s1", "In Lisbon."))["answer"]
    'In Lisbon.'
    """
    return {
        "answer": answer.text,
        "session": answer.session,
        "model": answer.model,
        "finish": answer.finish,
        "receipt": answer.receipt_id,
        "tokens": answer.context.tokens if answer.context else None,
        "sources": [_source(cited) for cited in answer.sources],
        "fallbacks": list(answer.fallbacks),
        "noted": [{"id": fact.id, "kind": fact.kind, "text": fact.text} for fact in answer.noted],
    }


def _source(cited: Cited) -> dict[str, Any]:
    return {
        "kind": cited.kind,
        "id": cited.id,
        "title": cited.title,
        "place": cited.place,
        "session": cited.session,
        "at": cited.at.isoformat() if cited.at else None,
        "score": None if cited.score is None else round(cited.score, 4),
        "reason": cited.reason,
        "named": cited.named,
        "text": cited.text,
    }
