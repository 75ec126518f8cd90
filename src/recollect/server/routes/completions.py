"""OpenAI's chat completions with a memory: a proxy in front of any endpoint that speaks them."""

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

from recollect.engine.hygiene import LONGEST_NAME
from recollect.errors import InvalidInput, LLMError, RecollectError
from recollect.interchange.openai_items import new_id
from recollect.server.desk import Desk
from recollect.server.idempotency import id_from_key
from recollect.server.openai.answers import Reading
from recollect.server.openai.errors import error_response
from recollect.server.openai.proxy import Asking, Turn, begun
from recollect.server.openai.shapes import CompletionOrder, ConversationName, ModelList
from recollect.server.openai.upstream import told_headers
from recollect.server.problems import FORBIDDEN, Refusal, problem_of
from recollect.server.requests import desk_of, owner_of, principal_of, reply
from recollect.server.routes.conversations import ERRORS
from recollect.server.shapes.basis import PATH_SAFE
from recollect.server.sse import HEADERS

router = APIRouter(prefix="/v1", tags=["openai"], responses=ERRORS)
CONVERSATION = "recollect-conversation"
ANSWERED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The endpoint's own answer, unchanged; with `stream`, its events. The headers say which conversation"
        " it is of, which receipt, how many memories were used, and how many tokens the prompt has.",
        "content": {"application/json": {}, "text/event-stream": {}},
        "headers": {
            f"Recollect-{name}": {"schema": {"type": "string"}} for name in ("Conversation", "Receipt", "Used", "Tokens")
        },
    }
}


@router.post("/chat/completions", response_class=Response, responses=ANSWERED)
async def complete(request: Request, body: CompletionOrder) -> Response:
    """Answers from memory: what is new in the messages is saved, the prompt is made of what is known, and the answer is
    saved, too. An id of a conversation that is unknown or somebody else's is not found; a name of your own making begins a
    conversation of that name."""
    desk, owner = desk_of(request), _owner(request, body.user)
    desk.upstream.check()
    await desk.quotas.check(owner)
    conversation, passed = _apart(body, request.headers.get(CONVERSATION))
    said = [message.model_dump(exclude_unset=True) for message in body.messages]
    started = time.perf_counter()
    turn = await desk.run(begun, desk.memory, desk.settings, Asking(owner, conversation, said, partial(_id, request)))
    desk.measures.recall_seconds.observe(time.perf_counter() - started)
    desk.measures.prompt_tokens.inc(turn.context.tokens)
    asked = {"model": desk.upstream.model, **passed, "messages": turn.messages}
    answer = await desk.upstream.ask("POST", "/chat/completions", asked)
    headers = told_headers(answer) | turn.headers()
    if answer.status_code == 200 and answer.headers.get("content-type", "").startswith("text/event-stream"):
        return StreamingResponse(_relayed(desk, answer, turn, request), headers=headers | HEADERS)
    document = await _whole(desk, answer)
    if answer.is_success:
        reading = Reading()
        reading.read(document)
        finish = await desk.run(turn.save, reading, "stop")
        desk.measures.turns.labels(finish).inc()
    return Response(document, answer.status_code, headers)


@router.get("/models", response_model=ModelList)
async def list_models(request: Request) -> Response:
    """The models of the endpoint behind us, as it tells them; or the one of the settings, if it tells none."""
    desk = desk_of(request)
    if desk.upstream.is_set:
        try:
            answer = await desk.upstream.ask("GET", "/models")
            document = await _whole(desk, answer)
            if answer.is_success:
                return Response(document, answer.status_code, told_headers(answer))
        except LLMError:
            pass  # a chat with it will say why
    named = [] if desk.upstream.model is None else [{"id": desk.upstream.model}]
    return reply(ModelList, {"data": named})


def _owner(request: Request, user: str | None) -> str:
    """Whose memory it is: a service's key acts for the user that the request names, any other for its own user alone."""
    principal = principal_of(request)
    if user is not None and principal.via == "loopback" and user != principal.owner:
        raise Refusal(
            FORBIDDEN,
            f"without keys this server has one user, {principal.owner!r}: leave `user` out, or let it serve many with the"
            " key of a service (`recollect keys create --tenant NAME`)",
        )
    request.state.principal = principal.acting_for(user)
    return owner_of(request)


def _id(request: Request, what: str) -> str:
    """An id for what a request makes: the same again, if it is sent once more with the same key."""
    key, prefix = id_from_key(request, what), what.partition("_")[0]
    return new_id(prefix) if key is None else f"{prefix}_{key}"


def _apart(body: CompletionOrder, header: str | None) -> tuple[str | None, dict[str, Any]]:
    """The conversation that a request names, and what of the request is not meant for us alone.

    >>> said = [{"role": "user", "content": "Hi"}]
    >>> _apart(CompletionOrder(messages=said, user="ann", metadata={"conversation_id": "c1"}, n=1), None)
    ('c1', {'n': 1})
    """
    named, labels = body.conversation, dict(body.metadata or {})
    conversation = named.id if isinstance(named, ConversationName) else named
    passed = body.model_dump(exclude_unset=True, exclude={"user", "conversation", "messages"})
    if isinstance(labels.get("conversation_id"), str):
        inside = str(labels.pop("conversation_id"))
        conversation = conversation or inside
        del passed["metadata"]
        passed |= {"metadata": labels} if labels else {}
    return _addressable(conversation or (unquote(header) if header else None)), passed


def _addressable(conversation: str | None) -> str | None:
    if conversation is not None and not (len(conversation) <= LONGEST_NAME and re.fullmatch(PATH_SAFE, conversation)):
        raise InvalidInput("the id of a conversation has no slash, control character or any of ? # % \\ in it")
    return conversation


async def _whole(desk: Desk, answer: httpx.Response) -> bytes:
    try:
        return await answer.aread()
    except httpx.HTTPError as error:
        raise desk.upstream.failed(error) from None
    finally:
        desk.upstream.leave(answer)


async def _relayed(desk: Desk, answer: httpx.Response, turn: Turn, request: Request) -> AsyncIterator[bytes]:
    """The endpoint's events as they come. Whoever goes away stops it, and the part of the answer that came is kept."""
    reading = Reading()
    saved = False

    async def save(otherwise: str) -> None:
        nonlocal saved
        saved = True
        finish = await desk.run(turn.save, reading, otherwise)
        desk.measures.turns.labels(finish).inc()

    try:
        async for piece in answer.aiter_bytes():
            reading.take(piece)
            # Who has read the end may ask again at once, and must find it.
            if reading.ended and not saved:
                await save("stop")
            yield piece
        if not saved:
            await save("error")
    except httpx.HTTPError as error:
        if not saved:
            await save("error")
        yield _told(desk.upstream.failed(error), request)
    except RecollectError as error:
        yield _told(error, request)
    finally:
        if not saved:
            desk.measures.turns.labels("left").inc()
            desk.keep(partial(_kept, turn, reading))
        desk.upstream.leave(answer)


def _kept(turn: Turn, reading: Reading) -> None:
    turn.save(reading, "stopped")


def _told(error: RecollectError, request: Request) -> bytes:
    """An error in the middle of a stream, as OpenAI's clients know it."""
    return b"data: " + bytes(error_response(problem_of(error, request.state.request_id)).body) + b"\n\n"
