"""The composer: from a question to the prompt for its turn.

It reads the session once, searches once, and hands everything to the compiler (`engine.compile`), whatever the length of the
history. What it had to do without is told in the context; only a budget that cannot hold the system prompt and the question
is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from recollect.config import Settings
from recollect.engine.compile import Compiled, Offer, Order, Plan, Talk, Told, compiled, plan
from recollect.engine.compile.budget import HYBRID, WINDOW
from recollect.engine.compile.chat_format import as_chat, cost, stored_cost
from recollect.engine.compile.layout import LAYOUT
from recollect.engine.compile.units import units
from recollect.engine.intake import OVERHEAD
from recollect.engine.redact import redacted
from recollect.errors import InvalidInput, NotFound, StorageError
from recollect.kit import Kit
from recollect.ports import Artifacts, Seen, Settled, Snapshot, Storage, StoredReceipt, TokenCounter
from recollect.prompt import Context, Item
from recollect.receipts import Receipts, runs
from recollect.summaries import Summaries
from recollect.turn import Turn
from recollect.types import Artifact, Message, Role, Scope, Window

if TYPE_CHECKING:
    from recollect.finder import Finder, Found

RECENT = 8
"""Messages from which a follow-up question is completed."""

AROUND_A_PIN = 16
"""Messages on either side of a pinned tool result among which its call is looked for."""


class Composer:
    """Puts prompts together from one storage."""

    def __init__(
        self,
        kit: Kit,
        settings: Settings,
        home: Storage,
        summaries: Summaries,
        receipts: Receipts | None,
        finder: Callable[[], Finder],
    ) -> None:
        self._kit = kit
        self._settings = settings
        self._home = home
        self._summaries = summaries
        self._receipts = receipts
        self._finder = finder

    def compose(self, scope: Scope, turn: Turn) -> Context:
        """The prompt for a turn."""
        fallbacks: list[str] = []
        talk, snapshot, censor = self._talk(scope, turn, fallbacks)
        order = self._order(scope, turn)
        made = plan(talk, order)
        offers, searched = self._found(scope, turn, made, censor, fallbacks)
        summary, text = self._summary(scope, turn, made, snapshot, fallbacks)
        result = compiled(made, censor(text), offers)
        if not result.summary:
            summary = None
        receipt = self._receipt(scope, turn, made, result, summary, searched, censor, fallbacks)
        return _context(turn, made, result, summary, searched, censor, [*result.fallbacks, *fallbacks], receipt)

    # -- the conversation

    def _talk(self, scope: Scope, turn: Turn, fallbacks: list[str]) -> tuple[Talk, Snapshot | None, _Censor]:
        censor = _Censor(self._settings.redact_sent, self._kit.counter)
        try:
            snapshot = self._desk.snapshot(scope, Window(last=turn.last, max_tokens=turn.budget))
            leading = self._leading(scope, snapshot)
            pinned = self._pinned(scope, snapshot)
        except StorageError as error:
            if not turn.go_on or turn.question is None:
                raise
            fallbacks.append(f"without memory: {error}")
            return Talk(turn.system or "", _asked(turn.question, 0, self._kit), (), 0), None, censor
        tail = [censor.seen(seen) for seen in snapshot.tail if seen.number not in leading]
        before, question, after = _split(tail, turn.question, self._kit, censor)
        total = snapshot.session.token_count - sum(seen.message.tokens for seen in snapshot.tail)
        total += sum(seen.message.tokens for seen in before)
        system = [turn.system if turn.system is not None else snapshot.session.system_prompt or ""]
        system += [message.text for message in leading.values()]
        units_pinned = [tuple(censor.seen(seen) for seen in unit) for unit in pinned]
        return Talk("\n\n".join(filter(None, system)), question, before, total, units_pinned, after), snapshot, censor

    def _leading(self, scope: Scope, snapshot: Snapshot) -> dict[int, Message]:
        """System messages that the conversation begins with: they belong to the system prompt, however long ago."""
        first = self._desk.snapshot(scope, Window(first=2)).tail if snapshot.session.message_count else []
        if not first or first[0].message.role is not Role.SYSTEM:
            return {}
        alike = [first[0], *(seen for seen in first[1:] if seen.message.role is Role.SYSTEM)]
        return {seen.number: seen.message for seen in alike}

    def _pinned(self, scope: Scope, snapshot: Snapshot) -> list[tuple[Seen, ...]]:
        """Pins from before the tail. A pinned tool result brings its call along."""
        made: dict[int, tuple[Seen, ...]] = {}
        for seen in snapshot.pinned:
            unit = (seen,)
            if seen.message.role is Role.TOOL or seen.message.tool_calls:
                window = Window(before=seen.message.seq + AROUND_A_PIN, last=2 * AROUND_A_PIN)
                around = units(self._desk.snapshot(scope, window).tail).whole
                unit = next((unit for unit in around if any(one.number == seen.number for one in unit)), ())
            if unit:
                made.setdefault(unit[0].number, unit)
        return list(made.values())

    def _order(self, scope: Scope, turn: Turn) -> Order:
        counter = turn.counter or self._kit.counter
        count = counter.count
        same = counter.name == self._kit.counter.name
        measure: Callable[[Message], int] = (
            (lambda message: stored_cost(message, count)) if same else (lambda message: cost(as_chat(message), count))
        )
        shelf = turn.strategy == HYBRID and (turn.retriever is not None or self._finder().has_documents(scope))
        return Order(turn.budget, count, measure, turn.strategy, turn.limits, shelf, turn.last)

    # -- what is found

    def _found(self, scope: Scope, turn: Turn, made: Plan, censor: _Censor, fallbacks: list[str]) -> tuple[list[Offer], str]:
        question = made.talk.question.message.text
        if turn.strategy != HYBRID or made.rooms.memory + made.rooms.documents == 0:
            return [], question
        recent = [seen.message for seen in made.talk.tail[-RECENT:] if not seen.message.private]
        try:
            found: Found = self._finder().find(scope, turn, question, recent, made.told)
        except StorageError as error:
            if not turn.go_on:
                raise
            fallbacks.append(f"nothing recalled: {error}")
            return [], question
        fallbacks += found.fallbacks
        return [censor.offer(offer) for offer in found.offers], found.searched_for

    # -- the summary

    def _summary(
        self, scope: Scope, turn: Turn, made: Plan, snapshot: Snapshot | None, fallbacks: list[str]
    ) -> tuple[Artifact | None, str]:
        """The summary of what is too old to be told, and its text within the limit. The oldest that covers all of it is
        taken, so that a newer one does not change the head of the prompt before the next compaction."""
        if turn.strategy == WINDOW or not made.older or snapshot is None or not made.rooms.summary:
            return None, ""
        covering = [one for one in snapshot.summaries if one.upto >= made.older]
        earlier = [one for one in snapshot.summaries if one.upto < made.older]
        chosen = covering[0] if covering else self._summaries.upto(scope, earlier[-1] if earlier else None, made.older)
        if chosen is None:
            return None, ""
        if not chosen.pinned:
            chosen = replace(chosen, pinned=True)
            self._keep(scope, chosen, fallbacks)
        return chosen, self._summaries.shortened(chosen, made.rooms.summary)

    def _keep(self, scope: Scope, summary: Artifact, fallbacks: list[str]) -> None:
        """Holds on to the summary that the head of the prompt now has. Who may only read a pool cannot."""
        try:
            self._desk.keep_artifacts(scope, Settled((summary,)), self._kit.now())
        except (NotFound, StorageError) as error:
            fallbacks.append(f"the summary could not be kept: {error}")

    # -- the receipt

    def _receipt(
        self,
        scope: Scope,
        turn: Turn,
        made: Plan,
        result: Compiled,
        summary: Artifact | None,
        searched: str,
        censor: _Censor,
        fallbacks: list[str],
    ) -> str | None:
        if self._receipts is None or scope.session is None:
            return None
        if self._receipts.failure:
            fallbacks.append(f"earlier receipts could not be written: {self._receipts.failure}")
        question = made.talk.question
        now = self._kit.now()
        data = {
            "layout": LAYOUT,
            "budget": turn.budget,
            "strategy": turn.strategy,
            "recall": turn.recall,
            "tokenizer": (turn.counter or self._kit.counter).name,
            "tokens": result.tokens,
            "sections": dict(result.sections),
            "head": runs(_numbers([*made.pinned, *made.recent])),
            "after": runs(_numbers(made.after)),
            "cuts": _cuts([*made.recent, *made.after]),
            "question": question.number or None,
            "summary": summary.id if summary else None,
            "summary_limit": made.rooms.summary,
            "entries": [
                {"section": offer.entry.section, "at": offer.entry.at, **offer.reference, **_scored(offer.item)}
                for offer in result.taken
            ],
            "near": [{**offer.reference, **_scored(offer.item)} for offer in result.refused],
            "fallbacks": fallbacks + result.fallbacks,
            "redact": list(censor.kinds),
            "redacted": dict(censor.counts),
            "hash": self._receipts.sign(result.messages),
        }
        receipt = StoredReceipt(
            self._kit.new_id(now),
            scope.session,
            now,
            made.talk.tail[-1].message.seq if made.talk.tail else 0,
            None if question.number else censor.original,
            searched if searched != question.message.text else None,
            made.talk.system or None,
            data,
            scope.owner,
        )
        return self._receipts.issue(scope, receipt)

    @property
    def _desk(self) -> Artifacts:
        if not isinstance(self._home, Artifacts):
            raise StorageError("this backend keeps nothing to make prompts of")
        return self._home


class _Censor:
    """Removes personal data from what is given out, and counts it."""

    def __init__(self, kinds: Sequence[str], counter: TokenCounter) -> None:
        self.kinds = tuple(kinds)
        self.counts: dict[str, int] = {}
        self.original = ""
        """The question as it was asked."""
        self._counter = counter

    def __call__(self, text: str) -> str:
        if not self.kinds or not text:
            return text
        made = redacted(text, self.kinds)
        for kind, count in made.counts.items():
            self.counts[kind] = self.counts.get(kind, 0) + count
        return made.text

    def seen(self, seen: Seen) -> Seen:
        text = self(seen.message.text)
        if text == seen.message.text:
            return seen
        tokens = seen.message.tokens - self._counter.count(seen.message.text) + self._counter.count(text)
        return seen._replace(message=seen.message._replace(text=text, tokens=tokens))

    def offer(self, offer: Offer) -> Offer:
        return offer._replace(entry=offer.entry._replace(line=self(offer.entry.line))) if self.kinds else offer


def _split(tail: list[Seen], question: str | None, kit: Kit, censor: _Censor) -> tuple[list[Seen], Seen, list[Seen]]:
    """What comes before the question, the question, and what was done for it since."""
    if question is not None:
        censor.original = question
        last = tail[-1] if tail else None
        if last is not None and last.message.role is Role.USER and last.message.text == question:
            return tail[:-1], last, []  # it was saved before it was asked
        return tail, censor.seen(_asked(question, tail[-1].message.seq if tail else 0, kit)), []
    for at in range(len(tail) - 1, -1, -1):
        if tail[at].message.role is Role.USER:
            return tail[:at], tail[at], tail[at + 1 :]
    raise InvalidInput("there is no question: pass one, or save the user's message first")


def _asked(question: str, parent: int, kit: Kit) -> Seen:
    tokens = OVERHEAD + kit.counter.count(question)
    return Seen(0, Message("", "", 0, parent, Role.USER, question, tokens, 0, 0.0, False, {}))


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
    signals = {name: round(value, 4) for name, value in item.signals.items()}
    return {
        "tokens": item.tokens,
        "why": item.reason,
        **({"score": round(item.score, 4)} if item.score is not None else {}),
        **({"signals": signals} if signals else {}),
    }


def _context(
    turn: Turn,
    made: Plan,
    result: Compiled,
    summary: Artifact | None,
    searched: str,
    censor: _Censor,
    fallbacks: list[str],
    receipt: str | None,
) -> Context:
    items = [_of_message("pinned", told, seen) for told in made.pinned for seen in told.unit]
    items += [_of_message("recent", told, seen) for told in (*made.recent, *made.after) for seen in told.unit]
    if summary is not None:
        why = f"covers the conversation up to message {summary.upto}"
        items.insert(0, Item("summary", "summary", summary.id, summary.tokens, why, summary.text, at=summary.created))
    return Context(
        result.messages,
        result.sections,
        result.tokens,
        turn.budget,
        made.talk.question.message.text,
        searched,
        (*items, *result.items),
        tuple(result.dropped),
        tuple(dict.fromkeys(fallbacks)),
        dict(censor.counts),
        receipt,
    )


def _of_message(section: str, told: Told, seen: Seen) -> Item:
    message = seen.message
    why = "pinned" if section == "pinned" else "among the newest messages"
    return Item(
        section, "message", message.id, message.tokens, why, message.text, session=message.session, at=message.created,
        whole=not told.texts,
    )  # fmt: skip
