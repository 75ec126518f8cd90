"""Answers a single question, for use in a shell."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from keepsaid.cli.chat.answering import InterruptHandler, follow_turn, show_answer
from keepsaid.cli.chat.start import report_missing_model
from keepsaid.cli.chat.state import ChatState
from keepsaid.cli.output.formatting import echo_json

if TYPE_CHECKING:
    from keepsaid.agent.answer import Answer, Cited

INTERRUPTED = 130
UNFINISHED = 1


def answer_once(state: ChatState, question: str, as_json: bool) -> int:
    """Print the answer to stdout and everything else to stderr. Return the exit code."""
    if not as_json:
        report_missing_model(state, briefly=True)
        answer = show_answer(state, question)
        return INTERRUPTED if answer is None else _exit_code(answer)
    with InterruptHandler() as stop:
        answer = follow_turn(state, question, lambda event: None, stop)
    if answer is None:
        return INTERRUPTED
    echo_json(answer_as_json(answer))
    sys.stdout.flush()
    return _exit_code(answer)


def _exit_code(answer: Answer) -> int:
    return {"stop": 0, "length": 0, "stopped": INTERRUPTED}.get(answer.finish, UNFINISHED)


def answer_as_json(answer: Answer) -> dict[str, Any]:
    """Return an answer as a JSON object.

    >>> from keepsaid.agent.answer import Answer
    >>> answer_as_json(Answer("s1", "In Lisbon."))["answer"]
    'In Lisbon.'
    """
    return {
        "answer": answer.text,
        "session": answer.session,
        "model": answer.model,
        "finish": answer.finish,
        "receipt": answer.receipt_id,
        "tokens": answer.context.tokens if answer.context else None,
        "sources": [_source_as_json(cited) for cited in answer.sources],
        "fallbacks": list(answer.fallbacks),
        "noted": [{"id": fact.id, "kind": fact.kind, "text": fact.text} for fact in answer.noted],
    }


def _source_as_json(cited: Cited) -> dict[str, Any]:
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
