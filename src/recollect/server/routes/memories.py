"""Search, facts, summaries."""

from __future__ import annotations

import time
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from recollect.memory import Memory
from recollect.server.requests import PROBLEMS, desk_of, owner_of, reply
from recollect.server.shapes.basis import Moment, Name, Text
from recollect.server.shapes.memories import (
    FactChangeList,
    FactChanges,
    FactHidden,
    FactList,
    FactPinned,
    FactShape,
    HitList,
    HitShape,
    NewFact,
    ProfileShape,
    SearchOrder,
    SummaryList,
)
from recollect.types import Fact, Hit, Hits

router = APIRouter(prefix="/v1", tags=["memories"], responses=PROBLEMS)


@router.post("/search", response_model=HitList)
async def search(request: Request, body: SearchOrder) -> Response:
    """Finds by words and by meaning at once, and says why each hit is there."""
    desk, owner = desk_of(request), owner_of(request)
    began = time.perf_counter()
    found = await desk.run(_found, desk.memory, owner, body)
    desk.measures.recall_seconds.observe(time.perf_counter() - began)
    return reply(HitList, found)


def _found(memory: Memory, owner: str, body: SearchOrder) -> dict[str, Any]:
    hits: list[HitShape] = []
    fallbacks: list[str] = []
    if body.since is not None and body.until is not None and body.since >= body.until:
        return {"hits": [], "fallbacks": ["`since` is not before `until`: nothing can be in between"]}
    if "messages" in body.kinds:
        told = memory.search(
            body.query, owner=owner, session=body.session, roles=body.roles, tags=body.tags, since=body.since,
            until=body.until, limit=body.limit, now=body.now, mode=body.mode,
        )  # fmt: skip
        hits += [_hit(hit) for hit in told]
        fallbacks += told.fallbacks
    if "documents" in body.kinds:
        pieces: Hits = memory.search_documents(body.query, owner=owner, session=body.session, limit=body.limit)
        hits += [_piece(hit) for hit in pieces]
        fallbacks += [why for why in pieces.fallbacks if why not in fallbacks]
    hits.sort(key=lambda hit: -(hit.score or 0))
    return {"hits": [*_notes(memory, owner, body), *hits][: body.limit], "fallbacks": fallbacks}


def _notes(memory: Memory, owner: str, body: SearchOrder) -> list[HitShape]:
    """Facts and summaries that share words with the query. They have no score: few, short, and listed first."""
    notes: list[HitShape] = []
    if body.roles or "role:" in body.query:
        return notes  # they are what nobody said
    if "facts" in body.kinds and body.session is None:
        found = memory.facts(body.query, owner=owner, limit=min(5, body.limit))
        notes += [
            _note("fact", fact.id, fact.session, None, fact.since, fact.text, f"known ({fact.kind})") for fact in found
        ]
    if "summaries" in body.kinds:
        for one in memory.summaries(body.query, owner=owner, session=body.session, limit=min(3, body.limit)):
            why = f"a summary of {one.messages} messages"
            notes.append(_note("summary", one.id, one.session, one.title, one.created_at, one.text, why))
    return notes


def _note(kind: Any, id: str, session: str | None, title: str | None, at: Any, text: str, why: str) -> HitShape:
    return HitShape(
        kind=kind, id=id, session=session, title=title, at=at, role=None, passage=text, score=None, signals={},
        reason=f"{why}, shares words",
    )  # fmt: skip


def _hit(hit: Hit) -> HitShape:
    return HitShape(
        kind="message", id=hit.message.id, session=hit.session, title=hit.title, at=hit.at, role=str(hit.message.role),
        passage=hit.passage, score=hit.score, signals=dict(hit.signals), reason=hit.reason,
    )  # fmt: skip


def _piece(hit: Hit) -> HitShape:
    return HitShape(
        kind="document", id=hit.session, session=None, title=hit.title, at=hit.at, role=None, passage=hit.passage,
        score=hit.score, signals=dict(hit.signals), reason=hit.reason, place=str(hit.message.metadata.get("place", "")),
    )  # fmt: skip


@router.get("/facts", response_model=FactList)
async def list_facts(
    request: Request,
    query: Text | None = None,
    as_of: Moment | None = None,
    history: bool = False,
    limit: Annotated[int, Query(ge=1, le=1000)] = 200,
) -> Response:
    """What is known about the owner: current facts, newest first; with `history` also those that no longer hold."""
    desk, owner = desk_of(request), owner_of(request)
    found = await desk.run(desk.memory.facts, query, owner=owner, as_of=as_of, history=history, limit=limit)
    return reply(FactList, {"items": found})


@router.post("/facts", status_code=201, response_model=FactShape)
async def remember(request: Request, body: NewFact) -> Response:
    """Writes a fact down by hand."""
    desk, owner = desk_of(request), owner_of(request)
    await desk.quotas.check(owner)
    made = await desk.run(
        desk.memory.remember, body.text, owner=owner, kind=body.kind, subject=body.subject, about=body.about,
        pinned=body.pinned,
    )  # fmt: skip
    return reply(FactShape, made, 201)


@router.patch("/facts/{fact}", response_model=FactShape)
async def change_fact(request: Request, fact: str, body: FactChanges) -> Response:
    """Pins a fact, keeps it out of prompts, or says it in other words: the old ones stay in the history."""
    desk, owner = desk_of(request), owner_of(request)

    def change() -> Fact:
        if isinstance(body, FactPinned):
            return desk.memory.pin_fact(fact, body.pinned, owner=owner)
        if isinstance(body, FactHidden):
            hide = desk.memory.hide_fact if body.hidden else desk.memory.unhide_fact
            return hide(fact, owner=owner)
        made = desk.memory.edit_fact(fact, body.text, owner=owner)
        return made if body.pinned is None else desk.memory.pin_fact(made.id, body.pinned, owner=owner)

    return reply(FactShape, await desk.run(change))


@router.delete("/facts/{fact}", status_code=204, response_class=Response)
async def forget_fact(request: Request, fact: str) -> Response:
    """Removes a fact for good. What was said stays; `/v1/erase` removes that."""
    desk, owner = desk_of(request), owner_of(request)
    await desk.run(desk.memory.forget_fact, fact, owner=owner)
    await desk.forget(owner)
    return Response(status_code=204)


@router.get("/profile", response_model=ProfileShape)
async def profile(request: Request, budget: Annotated[int | None, Query(ge=1, le=100_000)] = None) -> Response:
    """What holds for the owner whatever is asked: it stands in the head of the prompts of a new conversation."""
    desk, owner = desk_of(request), owner_of(request)
    return reply(ProfileShape, await desk.run(desk.memory.profile, owner=owner, budget=budget))


@router.get("/fact-changes", response_model=FactChangeList)
async def list_fact_changes(request: Request, fact: Name | None = None) -> Response:
    """What was changed by hand about the owner's facts, or about one of them, newest first."""
    desk, owner = desk_of(request), owner_of(request)
    found = await desk.run(desk.memory.fact_history, owner=owner, fact=fact)
    return reply(FactChangeList, {"items": found})


@router.post("/fact-changes/{change}/undo", response_model=FactShape)
async def undo_fact_change(request: Request, change: str) -> Response:
    """Takes a change of a fact back."""
    desk, owner = desk_of(request), owner_of(request)
    return reply(FactShape, await desk.run(desk.memory.undo_fact_change, change, owner=owner))


@router.get("/summaries", response_model=SummaryList)
async def list_summaries(
    request: Request, session: Name | None = None, limit: Annotated[int, Query(ge=1, le=500)] = 50
) -> Response:
    """The rolling summaries, newest first, and how far each goes."""
    desk, owner = desk_of(request), owner_of(request)
    found = await desk.run(desk.memory.summaries, owner=owner, session=session, limit=limit)
    return reply(SummaryList, {"items": found})
