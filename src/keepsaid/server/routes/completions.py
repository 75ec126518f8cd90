"""OpenAI's chat completions with memory: a proxy for any compatible model endpoint."""

from __future__ import annotations

import re
import time
from collections.abc import AsyncIterator
from functools import partial
from typing import Any
from urllib.parse import unquote

import httpx
from fastapi import APIRouter, Request
from starlette.responses import Response, StreamingResponse

from keepsaid.engine.messages.validation import MAX_NAME_LENGTH
from keepsaid.errors import InvalidInput, KeepsaidError, LLMError
from keepsaid.interchange.formats.openai_items import new_id
from keepsaid.server.fair_queue import REQUEST_OWNER
from keepsaid.server.idempotency import id_from_key
from keepsaid.server.openai.answers import AnswerCollector
from keepsaid.server.openai.errors import error_response
from keepsaid.server.openai.proxy import ProxyRequest, ProxyTurn, begin_turn
from keepsaid.server.openai.schemas import CompletionRequest, ConversationName, ModelList
from keepsaid.server.openai.upstream import forwarded_headers
from keepsaid.server.problems import FORBIDDEN, RequestRefusal, problem_of
from keepsaid.server.requests import owner_of, principal_of, reply, state_of
from keepsaid.server.routes.conversations import ERRORS
from keepsaid.server.schemas.base import PATH_SAFE
from keepsaid.server.sse import STREAM_HEADERS
from keepsaid.server.state import ServerState

router = APIRouter(prefix="/v1", tags=["openai"], responses=ERRORS)
CONVERSATION_HEADER = "keepsaid-conversation"
COMPLETION_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The endpoint's own answer, unchanged; with `stream`, its events. The headers give the conversation,"
        " the receipt, the number of memories used, and the tokens of the prompt.",
        "content": {"application/json": {}, "text/event-stream": {}},
        "headers": {
            f"Keepsaid-{name}": {"schema": {"type": "string"}} for name in ("Conversation", "Receipt", "Used", "Tokens")
        },
    }
}


@router.post("/chat/completions", response_class=Response, responses=COMPLETION_RESPONSES)
async def complete(request: Request, body: CompletionRequest) -> Response:
    """Answer from memory: save the new messages, build the prompt from memory, and save the answer. A generated conversation
    id that is unknown or belongs to another owner is not found; a name of your own creates a conversation of that name."""
    state, owner = state_of(request), _owner(request, body.user)
    state.upstream.check()
    await state.quotas.check(owner)
    conversation, parameters = _separate(body, request.headers.get(CONVERSATION_HEADER))
    sent = [message.model_dump(exclude_unset=True) for message in body.messages]
    started = time.perf_counter()
    turn = await state.run_search(
        begin_turn, state.memory, state.settings, ProxyRequest(owner, conversation, sent, partial(_id, request))
    )
    state.metrics.recall_seconds.observe(time.perf_counter() - started)
    state.metrics.prompt_tokens.inc(turn.context.tokens)
    payload = {"model": state.upstream.model, **parameters, "messages": turn.messages}
    answer = await state.upstream.send_request("POST", "/chat/completions", payload)
    headers = forwarded_headers(answer) | turn.headers()
    if answer.status_code == 200 and answer.headers.get("content-type", "").startswith("text/event-stream"):
        return StreamingResponse(_relay(state, answer, turn, request), headers=headers | STREAM_HEADERS)
    document = await _read_answer(state, answer)
    if answer.is_success:
        reading = AnswerCollector()
        reading.read_document(document)
        finish = await state.run(turn.save, reading, "stop")
        state.metrics.turns.labels(finish).inc()
    return Response(document, answer.status_code, headers)


@router.get("/models", response_model=ModelList)
async def list_models(request: Request) -> Response:
    """List the models of the model endpoint, or the configured one if the endpoint lists none."""
    state = state_of(request)
    if state.upstream.is_set:
        try:
            answer = await state.upstream.send_request("GET", "/models")
            document = await _read_answer(state, answer)
            if answer.is_success:
                return Response(document, answer.status_code, forwarded_headers(answer))
        except LLMError:
            pass  # a chat completion will report the reason
    named = [] if state.upstream.model is None else [{"id": state.upstream.model}]
    return reply(ModelList, {"data": named})


def _owner(request: Request, user: str | None) -> str:
    """Return the owner of the request: a service key acts for the named user, any other key only for its own user."""
    principal = principal_of(request)
    if user is not None and principal.via == "loopback" and user != principal.owner:
        raise RequestRefusal(
            FORBIDDEN,
            f"without keys this server has one user, {principal.owner!r}: leave out `user`, or serve several users with a"
            " service key (`keepsaid keys create --tenant NAME`)",
        )
    request.state.principal = principal.acting_for(user)
    owner = owner_of(request)
    REQUEST_OWNER.set(owner)
    return owner


def _id(request: Request, what: str) -> str:
    """Create an id for what a request creates: a repeated request with the same key gets the same id."""
    key, prefix = id_from_key(request, what), what.partition("_")[0]
    return new_id(prefix) if key is None else f"{prefix}_{key}"


def _separate(body: CompletionRequest, header: str | None) -> tuple[str | None, dict[str, Any]]:
    """Separate the conversation that a request names from the parameters for the endpoint.

    >>> said = [{"role": "user", "content": "Hi"}]
    >>> _separate(CompletionRequest(messages=said, user="ann", metadata={"conversation_id": "c1"}, n=1), None)
    ('c1', {'n': 1})
    """
    named, labels = body.conversation, dict(body.metadata or {})
    conversation = named.id if isinstance(named, ConversationName) else named
    parameters = body.model_dump(exclude_unset=True, exclude={"user", "conversation", "messages"})
    if isinstance(labels.get("conversation_id"), str):
        label = str(labels.pop("conversation_id"))
        conversation = conversation or label
        del parameters["metadata"]
        parameters |= {"metadata": labels} if labels else {}
    return _check_conversation(conversation or (unquote(header) if header else None)), parameters


def _check_conversation(conversation: str | None) -> str | None:
    if conversation is not None and not (len(conversation) <= MAX_NAME_LENGTH and re.fullmatch(PATH_SAFE, conversation)):
        raise InvalidInput("a conversation id must not contain a slash, a control character, or any of ? # % \\")
    return conversation


async def _read_answer(state: ServerState, answer: httpx.Response) -> bytes:
    try:
        return await answer.aread()
    except httpx.HTTPError as error:
        raise state.upstream.describe_failure(error) from None
    finally:
        state.upstream.close_later(answer)


async def _relay(state: ServerState, answer: httpx.Response, turn: ProxyTurn, request: Request) -> AsyncIterator[bytes]:
    """Relay the endpoint's events. When the client disconnects, the endpoint is stopped and the partial answer is saved."""
    reading = AnswerCollector()
    saved = False

    async def save(otherwise: str) -> None:
        nonlocal saved
        saved = True
        finish = await state.run(turn.save, reading, otherwise)
        state.metrics.turns.labels(finish).inc()

    try:
        async for piece in answer.aiter_bytes():
            reading.add_piece(piece)
            # A client that has read the end may send the next request at once, which must find the answer.
            if reading.has_ended and not saved:
                await save("stop")
            yield piece
        if not saved:
            await save("error")
    except httpx.HTTPError as error:
        if not saved:
            await save("error")
        yield _error_event(state.upstream.describe_failure(error), request)
    except KeepsaidError as error:
        yield _error_event(error, request)
    finally:
        if not saved:
            state.metrics.turns.labels("left").inc()
            state.submit_save(partial(_save_partial, turn, reading))
        state.upstream.close_later(answer)


def _save_partial(turn: ProxyTurn, reading: AnswerCollector) -> None:
    turn.save(reading, "stopped")


def _error_event(error: KeepsaidError, request: Request) -> bytes:
    """Encode an error in the middle of a stream, in OpenAI's format."""
    return b"data: " + bytes(error_response(problem_of(error, request.state.request_id)).body) + b"\n\n"
