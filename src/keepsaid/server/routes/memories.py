"""Routes for search, facts, the profile and summaries."""

from __future__ import annotations

import time
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from keepsaid.memory import Memory
from keepsaid.server.requests import PROBLEMS, owner_of, reply, state_of
from keepsaid.server.schemas.base import Name, Text, Timestamp
from keepsaid.server.schemas.memories import (
    FactChangeList,
    FactChanges,
    FactList,
    FactPinChange,
    FactResponse,
    FactVisibilityChange,
    MemorySearchRequest,
    NewFact,
    ProfileResponse,
    SearchHitList,
    SearchHitResponse,
    SummaryList,
)
from keepsaid.types import Fact, SearchHit, SearchHits

router = APIRouter(prefix="/v1", tags=["memories"], responses=PROBLEMS)


@router.post("/search", response_model=SearchHitList)
async def search(request: Request, body: MemorySearchRequest) -> Response:
    """Search by words and by meaning at once, with the reason for each hit."""
    state, owner = state_of(request), owner_of(request)
    began = time.perf_counter()
    found = await state.run_search(_search, state.memory, owner, body)
    state.metrics.recall_seconds.observe(time.perf_counter() - began)
    return reply(SearchHitList, found)


def _search(memory: Memory, owner: str, body: MemorySearchRequest) -> dict[str, Any]:
    hits: list[SearchHitResponse] = []
    fallbacks: list[str] = []
    if body.since is not None and body.until is not None and body.since >= body.until:
        return {"hits": [], "fallbacks": ["`since` is not before `until`: nothing can match"]}
    if "messages" in body.kinds:
        found = memory.search(
            body.query, owner=owner, session=body.session, roles=body.roles, tags=body.tags, since=body.since,
            until=body.until, limit=body.limit, now=body.now, mode=body.mode,
        )  # fmt: skip
        hits += [_message_hit(hit) for hit in found]
        fallbacks += found.fallbacks
    if "documents" in body.kinds:
        pieces: SearchHits = memory.search_documents(body.query, owner=owner, session=body.session, limit=body.limit)
        hits += [_document_hit(hit) for hit in pieces]
        fallbacks += [why for why in pieces.fallbacks if why not in fallbacks]
    hits.sort(key=lambda hit: -(hit.score or 0))
    return {"hits": [*_facts_and_summaries(memory, owner, body), *hits][: body.limit], "fallbacks": fallbacks}


def _facts_and_summaries(memory: Memory, owner: str, body: MemorySearchRequest) -> list[SearchHitResponse]:
    """Return facts and summaries that share words with the query. They have no score: few, short, and listed first."""
    notes: list[SearchHitResponse] = []
    if body.roles or "role:" in body.query:
        return notes  # facts and summaries have no role
    if "facts" in body.kinds and body.session is None:
        found = memory.facts(body.query, owner=owner, limit=min(5, body.limit))
        notes += [
            _word_hit("fact", fact.id, fact.session, None, fact.since, fact.text, f"known ({fact.kind})") for fact in found
        ]
    if "summaries" in body.kinds:
        for one in memory.summaries(body.query, owner=owner, session=body.session, limit=min(3, body.limit)):
            why = f"a summary of {one.messages} messages"
            notes.append(_word_hit("summary", one.id, one.session, one.title, one.created_at, one.text, why))
    return notes


def _word_hit(kind: Any, id: str, session: str | None, title: str | None, at: Any, text: str, why: str) -> SearchHitResponse:
    return SearchHitResponse(
        kind=kind, id=id, session=session, title=title, at=at, role=None, passage=text, score=None, signals={},
        reason=f"{why}, shares words",
    )  # fmt: skip


def _message_hit(hit: SearchHit) -> SearchHitResponse:
    return SearchHitResponse(
        kind="message", id=hit.message.id, session=hit.session, title=hit.title, at=hit.at, role=str(hit.message.role),
        passage=hit.passage, score=hit.score, signals=dict(hit.signals), reason=hit.reason,
    )  # fmt: skip


def _document_hit(hit: SearchHit) -> SearchHitResponse:
    return SearchHitResponse(
        kind="document", id=hit.session, session=None, title=hit.title, at=hit.at, role=None, passage=hit.passage,
        score=hit.score, signals=dict(hit.signals), reason=hit.reason, place=str(hit.message.metadata.get("place", "")),
    )  # fmt: skip


@router.get("/facts", response_model=FactList)
async def list_facts(
    request: Request,
    query: Text | None = None,
    as_of: Timestamp | None = None,
    history: bool = False,
    message: Name | None = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 200,
) -> Response:
    """List the owner's current facts, newest first; with `history` also those that no longer hold. With `message`, list the
    current facts extracted from that message and ignore the other parameters."""
    state, owner = state_of(request), owner_of(request)
    if message is not None:
        return reply(FactList, {"items": await state.run(state.memory.noted_facts, message, owner=owner)})
    found = await (state.run if query is None else state.run_search)(
        state.memory.facts, query, owner=owner, as_of=as_of, history=history, limit=limit
    )
    return reply(FactList, {"items": found})


@router.post("/facts", status_code=201, response_model=FactResponse)
async def remember(request: Request, body: NewFact) -> Response:
    """Add a fact by hand."""
    state, owner = state_of(request), owner_of(request)
    await state.quotas.check(owner)
    fact = await state.run(
        state.memory.remember, body.text, owner=owner, kind=body.kind, subject=body.subject, about=body.about,
        pinned=body.pinned,
    )  # fmt: skip
    return reply(FactResponse, fact, 201)


@router.patch("/facts/{fact}", response_model=FactResponse)
async def change_fact(request: Request, fact: str, body: FactChanges) -> Response:
    """Pin a fact, hide it from prompts, or change its text; old texts stay in the history."""
    state, owner = state_of(request), owner_of(request)
    if not isinstance(body, FactPinChange | FactVisibilityChange):
        await state.quotas.check(owner)

    def change() -> Fact:
        if isinstance(body, FactPinChange):
            return state.memory.pin_fact(fact, body.pinned, owner=owner)
        if isinstance(body, FactVisibilityChange):
            hide = state.memory.hide_fact if body.hidden else state.memory.unhide_fact
            return hide(fact, owner=owner)
        edited = state.memory.edit_fact(fact, body.text, owner=owner)
        return edited if body.pinned is None else state.memory.pin_fact(edited.id, body.pinned, owner=owner)

    return reply(FactResponse, await state.run(change))


@router.delete("/facts/{fact}", status_code=204, response_class=Response)
async def forget_fact(request: Request, fact: str, reopen: bool = False) -> Response:
    """Erase a fact permanently. The messages stay; `/v1/erase` removes those. With `reopen`, the facts that it replaced are
    current again, as if it had never existed."""
    state, owner = state_of(request), owner_of(request)
    await state.run_erasure(state.memory.forget_fact, fact, owner=owner, reopen=reopen)
    await state.invalidate_owner(owner)
    return Response(status_code=204)


@router.get("/profile", response_model=ProfileResponse)
async def profile(request: Request, budget: Annotated[int | None, Query(ge=1, le=100_000)] = None) -> Response:
    """Return the owner's standing profile, which is at the start of the prompts of a new conversation."""
    state, owner = state_of(request), owner_of(request)
    return reply(ProfileResponse, await state.run(state.memory.profile, owner=owner, budget=budget))


@router.get("/fact-changes", response_model=FactChangeList)
async def list_fact_changes(request: Request, fact: Name | None = None) -> Response:
    """List the changes made by hand to the owner's facts, or to one fact, newest first."""
    state, owner = state_of(request), owner_of(request)
    found = await state.run(state.memory.fact_history, owner=owner, fact=fact)
    return reply(FactChangeList, {"items": found})


@router.post("/fact-changes/{change}/undo", response_model=FactResponse)
async def undo_fact_change(request: Request, change: str) -> Response:
    """Undo a change of a fact."""
    state, owner = state_of(request), owner_of(request)
    return reply(FactResponse, await state.run(state.memory.undo_fact_change, change, owner=owner))


@router.get("/summaries", response_model=SummaryList)
async def list_summaries(
    request: Request, session: Name | None = None, limit: Annotated[int, Query(ge=1, le=500)] = 50
) -> Response:
    """List the rolling summaries, newest first, with the last message each covers."""
    state, owner = state_of(request), owner_of(request)
    found = await state.run(state.memory.summaries, owner=owner, session=session, limit=limit)
    return reply(SummaryList, {"items": found})
