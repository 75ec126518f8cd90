"""Receipts: what each turn was given, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from recollect.errors import NotFound
from recollect.memory import Memory
from recollect.prompt import Receipt, empty_replay
from recollect.server.requests import PROBLEMS, desk_of, owner_of, reply
from recollect.server.shapes.basis import Name
from recollect.server.shapes.prompts import EntryShape, ReceiptPage, ReceiptShape
from recollect.types import moment

router = APIRouter(prefix="/v1/receipts", tags=["receipts"], responses=PROBLEMS)


@router.get("", response_model=ReceiptPage)
async def list_receipts(
    request: Request, session: Name | None = None, limit: Annotated[int, Query(ge=1, le=200)] = 20
) -> Response:
    """What turns were given, newest first."""
    desk, owner = desk_of(request), owner_of(request)
    found = await desk.run(desk.memory.receipts, owner=owner, session=session, limit=limit)
    return reply(ReceiptPage, {"items": [_line(receipt) for receipt in found]})


@router.get("/{receipt}", response_model=ReceiptShape)
async def get_receipt(request: Request, receipt: str) -> Response:
    """One turn's prompt word for word, what was injected and why, and what was considered and dropped."""
    desk, owner = desk_of(request), owner_of(request)
    return reply(ReceiptShape, await desk.run(_whole, desk.memory, receipt, owner))


def _line(receipt: Receipt) -> dict[str, Any]:
    data = receipt.data
    used = len(data["entries"]) + sum("score" in line for line in receipt.profile)
    told = {"tokens": data["tokens"], "budget": data["budget"], "used": used}
    head = {"id": receipt.id, "session": receipt.session, "created_at": receipt.created_at, "question": receipt.question}
    return head | told


def _whole(memory: Memory, id: str, owner: str) -> dict[str, Any]:
    receipt = memory.receipt(id, owner=owner)
    data = receipt.data
    try:
        again = memory.replay(id, owner=owner)
    except NotFound as error:
        # Its prompt cannot be rebuilt, but what it was made of is known.
        again = empty_replay(receipt, str(error))
    profile = _entries(receipt.profile, again.profile, again.profile_sources)
    return _line(receipt) | {
        "strategy": data["strategy"],
        "sections": data["sections"],
        "messages": again.messages,
        "intact": again.intact,
        "missing": again.missing,
        "profile": profile,
        "used": [
            *(line for line in profile if line.score is not None),
            *_entries(data["entries"], again.entries, again.entry_sources),
        ],
        "considered": _entries(data["near"], again.near, again.near_sources),
        "fallbacks": data.get("fallbacks", []),
        "timeline": data.get("timeline") or ({"total": data["ms"]} if data.get("ms") is not None else {}),
    }


def _entries(rows: Sequence[Mapping[str, Any]], words: Sequence[str], sources: Sequence[Any]) -> list[EntryShape]:
    known = sources or (None,) * len(rows)
    return [_entry(row, said, source) for row, said, source in zip(rows, words, known, strict=True)]


def _entry(row: Mapping[str, Any], said: str, source: Any) -> EntryShape:
    """A receipt names a message by its number; the replay knows which that is."""
    return EntryShape(
        section=row.get("section", ""),
        kind=row["kind"],
        id=source.id if source is not None else row.get("id"),
        session=source.session if source is not None else None,
        text=said,
        tokens=row.get("tokens", 0),
        score=row.get("score"),
        signals=row.get("signals", {}),
        reason=row.get("why", ""),
        at=None if row.get("at") is None else moment(row["at"]),
        title=(source.title if source is not None else None) or row.get("source", ""),
        place=row.get("place", ""),
    )
