"""Routes for receipts: what the prompt of each turn had, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from keepsaid.errors import NotFound
from keepsaid.memory import Memory
from keepsaid.server.requests import PROBLEMS, owner_of, reply, state_of
from keepsaid.server.schemas.base import Name
from keepsaid.server.schemas.prompts import ReceiptEntryResponse, ReceiptPage, ReceiptResponse
from keepsaid.types import to_datetime
from keepsaid.types.prompts import PromptReceipt, empty_replay

router = APIRouter(prefix="/v1/receipts", tags=["receipts"], responses=PROBLEMS)


@router.get("", response_model=ReceiptPage)
async def list_receipts(
    request: Request, session: Name | None = None, limit: Annotated[int, Query(ge=1, le=200)] = 20
) -> Response:
    """List receipts, newest first."""
    state, owner = state_of(request), owner_of(request)
    found = await state.run(state.memory.receipts, owner=owner, session=session, limit=limit)
    return reply(ReceiptPage, {"items": [_summary_fields(receipt) for receipt in found]})


@router.get("/{receipt}", response_model=ReceiptResponse)
async def get_receipt(request: Request, receipt: str) -> Response:
    """Return the exact prompt of a turn, what was included and why, and what was considered and dropped."""
    state, owner = state_of(request), owner_of(request)
    return reply(ReceiptResponse, await state.run_search(_receipt_fields, state.memory, receipt, owner))


def _summary_fields(receipt: PromptReceipt) -> dict[str, Any]:
    data = receipt.data
    used = len(data["entries"]) + sum("score" in line for line in receipt.profile)
    figures = {"tokens": data["tokens"], "budget": data["budget"], "used": used}
    head = {"id": receipt.id, "session": receipt.session, "created_at": receipt.created_at, "question": receipt.question}
    return head | figures


def _receipt_fields(memory: Memory, id: str, owner: str) -> dict[str, Any]:
    receipt = memory.receipt(id, owner=owner)
    data = receipt.data
    try:
        again = memory.replay(id, owner=owner)
    except NotFound as error:
        # The prompt cannot be rebuilt, but the receipt still lists its entries.
        again = empty_replay(receipt, str(error))
    profile = _entries(receipt.profile, again.profile, again.profile_sources)
    return _summary_fields(receipt) | {
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


def _entries(rows: Sequence[Mapping[str, Any]], words: Sequence[str], sources: Sequence[Any]) -> list[ReceiptEntryResponse]:
    known = sources or (None,) * len(rows)
    return [_entry(row, text, source) for row, text, source in zip(rows, words, known, strict=True)]


def _entry(row: Mapping[str, Any], text: str, source: Any) -> ReceiptEntryResponse:
    """Build one entry. A receipt names a message by its number; the replay resolves it."""
    return ReceiptEntryResponse(
        section=row.get("section", ""),
        kind=row["kind"],
        id=source.id if source is not None else row.get("id"),
        session=source.session if source is not None else None,
        text=text,
        tokens=row.get("tokens", 0),
        score=row.get("score"),
        signals=row.get("signals", {}),
        reason=row.get("why", ""),
        at=None if row.get("at") is None else to_datetime(row["at"]),
        title=(source.title if source is not None else None) or row.get("source", ""),
        place=row.get("place", ""),
    )
