"""Result of building a prompt: for the caller, and as a receipt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from keepsaid.engine.prompt import CompiledPrompt, PromptExchange, PromptPlan
from keepsaid.engine.prompt.block_texts import LAYOUT, summary_block
from keepsaid.engine.prompt.profile import NTH, ProfileEntry
from keepsaid.engine.redaction.messages import PersonalDataRedactor
from keepsaid.ports import StoredReceipt, VisibleMessage
from keepsaid.services.prompts.receipts import to_number_ranges
from keepsaid.services.prompts.request import PromptRequest
from keepsaid.types import Artifact, Microseconds, Scope
from keepsaid.types.prompts import Context, PromptItem

MAX_LEFT_OUT = 10
"""Candidates left out of the prompt, weak hits included, that a receipt stores."""


class PromptResult(NamedTuple):
    """A compiled prompt, and how it was built."""

    turn: PromptRequest
    plan: PromptPlan
    result: CompiledPrompt
    summary: Artifact | None
    searched: str
    censor: PersonalDataRedactor
    fallbacks: list[str]

    def context(self, receipt: str | None, timeline: Mapping[str, float]) -> Context:
        """Return the prompt for the caller."""
        plan, result = self.plan, self.result
        items = [_to_item("pinned", exchange, seen) for exchange in plan.pinned for seen in exchange.messages]
        items += [
            _to_item("recent", exchange, seen) for exchange in (*plan.recent, *plan.after) for seen in exchange.messages
        ]
        if (summary := self.summary) is not None:
            why = f"covers the conversation up to message {summary.upto}"
            items.insert(
                0, PromptItem("summary", "summary", summary.id, summary.tokens, why, summary.text, at=summary.created)
            )
        return Context(
            result.messages,
            result.sections,
            result.tokens,
            self.turn.budget,
            plan.conversation.question.message.text,
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
        """Return the receipt: the prompt by reference, with the milliseconds that building it took."""
        talk = self.plan.conversation
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
            "head": to_number_ranges(_list_numbers([*plan.pinned, *plan.recent])),
            "after": to_number_ranges(_list_numbers(plan.after)),
            "cuts": _list_cuts([*plan.recent, *plan.after]),
            "question": plan.conversation.question.number or None,
            # The first items are those of the profile.
            "profile": [
                {**build_profile_reference(entry), **_to_score_data(item)}
                for entry, item in zip(result.profile, result.items, strict=False)
            ],
            "summary": self.summary.id if self.summary else None,
            "summary_limit": compute_summary_limit(plan),
            "entries": [
                {"section": offer.entry.section, "at": offer.entry.at, **offer.reference, **_to_score_data(offer.item)}
                for offer in result.taken
            ],
            "near": [
                {"section": offer.entry.section, "at": offer.entry.at, **offer.reference, **_to_score_data(offer.item)}
                for offer in result.refused[:MAX_LEFT_OUT]
            ],
            "fallbacks": self.fallbacks + result.fallbacks,
            "redact": list(self.censor.kinds),
            "redacted": dict(self.censor.counts),
            "hash": proof,
            "ms": timeline["total"],
            "timeline": dict(timeline),
        }


def build_profile_reference(entry: ProfileEntry) -> dict[str, Any]:
    """Return a receipt's reference to a fact of the profile: its id or, if it is not stored yet, the place in its
    message."""
    fact = entry.fact
    return {"id": fact.id} if NTH not in fact.data else {"number": fact.sources[0].number, "nth": fact.data[NTH]}


def compute_summary_limit(made: PromptPlan) -> int:
    """Return the tokens for the summary's own text, without the block around it."""
    return max(0, made.section_budgets.summary - made.options.count_tokens(summary_block("")))


def _list_numbers(exchanges: Sequence[PromptExchange]) -> list[int]:
    return [seen.number for exchange in exchanges for seen in exchange.messages]


def _list_cuts(exchanges: Sequence[PromptExchange]) -> dict[str, int]:
    return {
        str(seen.number): exchange.limit
        for exchange in exchanges
        for seen, text in zip(exchange.messages, exchange.texts, strict=False)
        if text is not None
    }


def _to_score_data(item: PromptItem) -> dict[str, Any]:
    signals = {name: round(value, 4) for name, value in item.signals.items() if value}
    return {
        "tokens": item.tokens,
        "why": item.reason,
        **({"score": round(item.score, 4)} if item.score is not None else {}),
        **({"signals": signals} if signals else {}),
    }


def _to_item(section: str, exchange: PromptExchange, seen: VisibleMessage) -> PromptItem:
    message = seen.message
    why = "pinned" if section == "pinned" else "among the newest messages"
    return PromptItem(
        section, "message", message.id, message.tokens, why, message.text, session=message.session, at=message.created,
        whole=not exchange.texts,
    )  # fmt: skip
