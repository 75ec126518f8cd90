"""What came of a turn: the prompt as the caller gets it, and as its receipt keeps it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from recollect.engine.compile import Compiled, Plan, Told
from recollect.engine.compile.layout import LAYOUT, summary_block
from recollect.engine.compile.profile import NTH, ProfileEntry
from recollect.engine.redact.censor import Censor
from recollect.ports import Seen, StoredReceipt
from recollect.prompt import Context, Item
from recollect.receipts import runs
from recollect.turn import Turn
from recollect.types import Artifact, Microseconds, Scope

NEAR = 10
"""Near misses that a receipt keeps."""


class Outcome(NamedTuple):
    """A compiled prompt, and how it came about."""

    turn: Turn
    plan: Plan
    result: Compiled
    summary: Artifact | None
    searched: str
    censor: Censor
    fallbacks: list[str]

    def context(self, receipt: str | None, timeline: Mapping[str, float]) -> Context:
        """The prompt, for the caller."""
        plan, result = self.plan, self.result
        items = [_of_message("pinned", told, seen) for told in plan.pinned for seen in told.unit]
        items += [_of_message("recent", told, seen) for told in (*plan.recent, *plan.after) for seen in told.unit]
        if (summary := self.summary) is not None:
            why = f"covers the conversation up to message {summary.upto}"
            items.insert(0, Item("summary", "summary", summary.id, summary.tokens, why, summary.text, at=summary.created))
        return Context(
            result.messages,
            result.sections,
            result.tokens,
            self.turn.budget,
            plan.talk.question.message.text,
            self.searched,
            (*items, *result.items),
            tuple(result.dropped),
            tuple(dict.fromkeys([*result.fallbacks, *self.fallbacks])),
            dict(self.censor.counts),
            receipt,
            timeline,
        )

    def receipt(
        self, id: str, scope: Scope, now: Microseconds, tokenizer: str, proof: str, timeline: Mapping[str, float]
    ) -> StoredReceipt:
        """The prompt by reference, for the store, with the milliseconds that making it took."""
        talk = self.plan.talk
        question = talk.question
        return StoredReceipt(
            id,
            scope.session or "",
            now,
            talk.tail[-1].message.seq if talk.tail else 0,
            None if question.number else self.turn.question or "",
            self.searched if self.searched != question.message.text else None,
            talk.system or None,
            self._data(tokenizer if self.turn.counter is None else self.turn.counter.name, proof, timeline),
            scope.owner,
        )

    def _data(self, tokenizer: str, proof: str, timeline: Mapping[str, float]) -> dict[str, Any]:
        plan, result = self.plan, self.result
        return {
            "layout": LAYOUT,
            "budget": self.turn.budget,
            "strategy": self.turn.strategy,
            "recall": self.turn.recall,
            "tokenizer": tokenizer,
            "tokens": result.tokens,
            "sections": dict(result.sections),
            "head": runs(_numbers([*plan.pinned, *plan.recent])),
            "after": runs(_numbers(plan.after)),
            "cuts": _cuts([*plan.recent, *plan.after]),
            "question": plan.talk.question.number or None,
            # The items begin with those of the profile.
            "profile": [
                {**profile_reference(entry), **_scored(item)}
                for entry, item in zip(result.profile, result.items, strict=False)
            ],
            "summary": self.summary.id if self.summary else None,
            "summary_limit": summary_limit(plan),
            "entries": [
                {"section": offer.entry.section, "at": offer.entry.at, **offer.reference, **_scored(offer.item)}
                for offer in result.taken
            ],
            "near": [
                {"section": offer.entry.section, "at": offer.entry.at, **offer.reference, **_scored(offer.item)}
                for offer in result.refused[:NEAR]
            ],
            "fallbacks": self.fallbacks + result.fallbacks,
            "redact": list(self.censor.kinds),
            "redacted": dict(self.censor.counts),
            "hash": proof,
            "ms": timeline["total"],
            "timeline": dict(timeline),
        }


def profile_reference(entry: ProfileEntry) -> dict[str, Any]:
    """Return how a receipt names a fact of the profile: by its id, or by where it was said if no note was taken yet."""
    fact = entry.fact
    return {"id": fact.id} if NTH not in fact.data else {"number": fact.sources[0].number, "nth": fact.data[NTH]}


def summary_limit(made: Plan) -> int:
    """Tokens for the summary's own text: what stands around it is part of its section."""
    return max(0, made.rooms.summary - made.order.count(summary_block("")))


def _numbers(told: Sequence[Told]) -> list[int]:
    return [seen.number for one in told for seen in one.unit]


def _cuts(told: Sequence[Told]) -> dict[str, int]:
    return {
        str(seen.number): one.limit
        for one in told
        for seen, text in zip(one.unit, one.texts, strict=False)
        if text is not None
    }


def _scored(item: Item) -> dict[str, Any]:
    told = {name: round(value, 4) for name, value in item.signals.items() if value}
    return {
        "tokens": item.tokens,
        "why": item.reason,
        **({"score": round(item.score, 4)} if item.score is not None else {}),
        **({"signals": told} if told else {}),
    }


def _of_message(section: str, told: Told, seen: Seen) -> Item:
    message = seen.message
    why = "pinned" if section == "pinned" else "among the newest messages"
    return Item(
        section, "message", message.id, message.tokens, why, message.text, session=message.session, at=message.created,
        whole=not told.texts,
    )  # fmt: skip
