"""The composer: from a question to the prompt for its turn.

It reads the session once, searches once, and hands everything to the compiler (`engine.compile`), whatever the length of the
history. What it had to do without is told in the context; only a budget that cannot hold the system prompt and the question
is an error.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from recollect.config import Settings
from recollect.engine.compile import Offer, Order, Plan, Talk, compiled, plan
from recollect.engine.compile.budget import HYBRID, WINDOW
from recollect.engine.compile.chat_format import as_chat, cost, stored_cost
from recollect.engine.compile.layout import profile_line
from recollect.engine.compile.profile import ProfileBoundary, ProfileSelection
from recollect.engine.compile.units import units
from recollect.engine.intake import OVERHEAD
from recollect.engine.redact import redacted
from recollect.engine.redact.censor import Censor
from recollect.errors import InvalidInput, NotFound, StorageError
from recollect.kit import Kit
from recollect.knowledge import PINNED
from recollect.outcome import Outcome, summary_limit
from recollect.ports import Artifacts, Seen, Settled, Snapshot, Storage, moment, soon
from recollect.prompt import Context, Item
from recollect.receipts import Receipts
from recollect.summaries import Summaries
from recollect.turn import Turn
from recollect.types import Artifact, Message, Role, Scope, Window

if TYPE_CHECKING:
    from recollect.finder import Finder, Found
    from recollect.profiles import Profiles

RECENT = 8
"""Messages from which a follow-up question is completed."""

FIRST = Window(first=2)
"""Messages at the beginning of a conversation that may belong to its system prompt."""

AROUND_A_PIN = 16
"""Messages on either side of a pinned tool result among which its call is looked for."""

AT_LEAST = 32
"""Messages that are read where what fits the budget is not enough: a question before many steps of tools, a huge message."""

ROOMY = 0.5
"""The share of a budget that a whole conversation must leave free for more to be recalled than what matches."""

NO_QUESTION = "there is no question: pass one, or save the user's message first"


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
        profiles: Callable[[], Profiles],
        *,
        apart: bool = False,
    ) -> None:
        self._kit = kit
        self._settings = settings
        self._home = home
        self._summaries = summaries
        self._receipts = receipts
        self._finder = finder
        self._profiles = profiles
        self._apart = apart
        """Whether what is found is of another storage than the conversation, whose numbers mean other messages."""

    def compose(self, scope: Scope, turn: Turn) -> Context:
        """The prompt for a turn."""
        with moment(self._home, scope):
            return self._compose(scope, turn)

    def _compose(self, scope: Scope, turn: Turn) -> Context:
        watch = _Stopwatch()
        fallbacks: list[str] = []
        censor = _Censor(self._settings.redact_sent)
        if turn.strategy == HYBRID:
            self._finder().foresee(scope)
        if _wants_profile(scope, turn):
            self._profiles().foresee(scope)
        talk, snapshot = self._talk(scope, turn, censor, fallbacks)
        watch.lap("reading")
        made = plan(talk, self._order(scope, turn, censor, shelf=snapshot is not None and self._has_shelf(scope, turn)))
        watch.lap("planning")
        if snapshot is None:
            outcome = Outcome(turn, made, compiled(made), None, talk.question.message.text, censor, fallbacks)
            return outcome.context(None, watch.timeline())
        covering = next((one for one in snapshot.summaries if one.upto >= made.older), None)
        self._summaries.foresee(scope, covering)
        candidates, ended = self._profile_candidates(scope, turn, made, fallbacks)
        watch.lap("profile")
        found = self._found(scope, turn, made, censor, fallbacks)
        watch.lap("search")
        selection = self._profile(scope, turn, made, candidates, censor, fallbacks)
        watch.lap("profile")
        summary, text = self._summary(scope, turn, made, snapshot, fallbacks)
        watch.lap("summary")
        given = ended.union(entry.fact.id for entry in selection.taken)
        offers = [offer for offer in found.offers if offer.item.kind != "fact" or offer.item.id not in given]
        result = compiled(made, censor(text), offers, selection, asks_when=found.asks_when)
        result.items[:] = _with_scores(result.items, found.offers)
        # Costing nothing, they take no part in the planning: they are only told of.
        result.refused.extend(found.weak)
        result.dropped.extend(offer.item for offer in found.weak)
        watch.lap("planning")
        outcome = Outcome(turn, made, result, summary if result.summary else None, found.searched_for, censor, fallbacks)
        return outcome.context(self._receipt(scope, outcome, watch), watch.timeline())

    # -- the conversation

    def _talk(self, scope: Scope, turn: Turn, censor: _Censor, fallbacks: list[str]) -> tuple[Talk, Snapshot | None]:
        """The conversation as far as it is needed; without a snapshot if the store cannot be read and that must do."""
        try:
            snapshot, split = self._read(scope, turn)
            leading = self._leading(scope, snapshot)
            before = [seen for seen in split.before if seen.message.id not in leading]
            # What was read may begin in the middle of a unit.
            cut = [*takewhile(lambda seen: seen.message.role is Role.TOOL, before)] if _is_cut(snapshot) else []
            pinned = self._pinned(scope, [*snapshot.pinned, *(seen for seen in cut if seen.message.pinned)])
        except StorageError as error:
            if not turn.go_on or turn.question is None:
                raise
            fallbacks.append(f"without memory: {error}")
            return Talk(turn.system or "", censor.seen(_asked(turn.question, 0, self._kit)), (), 0), None
        asked = (split.question, *split.after) if split.question.number else split.after
        elsewhere = [*leading.values(), *(seen.message for seen in asked)]
        system = [turn.system if turn.system is not None else snapshot.session.system_prompt or ""]
        system += [message.text for message in leading.values()]
        talk = Talk(
            "\n\n".join(filter(None, system)),
            censor.seen(split.question),
            censor.all_seen(before[len(cut) :]),
            snapshot.session.token_count - sum(message.tokens for message in elsewhere),
            [censor.all_seen(unit) for unit in pinned if not _is_among(unit, leading)],
            censor.all_seen(split.after),
        )
        return talk, snapshot

    def _read(self, scope: Scope, turn: Turn) -> tuple[Snapshot, _Split]:
        """What fits the budget, and more where that has no question, or nothing before it."""
        last = None if turn.last is None else turn.last + AT_LEAST
        window = Window(last=last, max_tokens=turn.budget if last is None else None)
        soon(self._home, "read", scope, FIRST)
        while True:
            snapshot = self._desk.snapshot(scope, window)
            split = _split(snapshot.tail, turn.question, self._kit)
            if not _is_cut(snapshot):
                break
            if split is not None and (len(split.before) >= turn.last if turn.last else _has_whole(split.before)):
                break
            window = Window(last=max(AT_LEAST, 2 * len(snapshot.tail)))
        if split is None:
            raise InvalidInput(NO_QUESTION)
        return snapshot, split

    def _leading(self, scope: Scope, snapshot: Snapshot) -> dict[str, Message]:
        """System messages that the conversation begins with: they belong to the system prompt, however long ago."""
        first = self._home.read(scope, FIRST) if snapshot.session.message_count else []
        return {message.id: message for message in takewhile(lambda one: one.role is Role.SYSTEM, first)}

    def _pinned(self, scope: Scope, pins: Sequence[Seen]) -> list[tuple[Seen, ...]]:
        """Pins from before the tail. A pinned tool result brings its call along."""
        made: dict[int, tuple[Seen, ...]] = {}
        for seen in pins:
            unit = (seen,)
            if seen.message.role is Role.TOOL or seen.message.tool_calls:
                window = Window(before=seen.message.seq + AROUND_A_PIN, last=2 * AROUND_A_PIN)
                around = units(self._desk.snapshot(scope, window).tail).whole
                unit = next((unit for unit in around if any(one.number == seen.number for one in unit)), ())
            if unit:
                made.setdefault(unit[0].number, unit)
        return list(made.values())

    def _order(self, scope: Scope, turn: Turn, censor: _Censor, *, shelf: bool) -> Order:
        counter = turn.counter or self._kit.counter
        count = counter.count
        # What was counted when it was saved need not be counted again, if it is what will be sent.
        known = counter.name == self._kit.counter.name and not censor.kinds
        measure: Callable[[Message], int] = (
            (lambda message: stored_cost(message, count)) if known else (lambda message: cost(as_chat(message), count))
        )
        # Nothing is set aside for memories that nobody wants.
        limits = replace(turn.limits, memory=0) if turn.recall == "off" else turn.limits
        limits = limits if _wants_profile(scope, turn) else replace(limits, profile=0)
        return Order(turn.budget, count, measure, turn.strategy, limits, shelf, turn.last)

    def _has_shelf(self, scope: Scope, turn: Turn) -> bool:
        """Whether there are documents that something may be found in."""
        if turn.strategy != HYBRID or turn.retriever is not None:
            return turn.strategy == HYBRID
        try:
            return self._finder().has_documents(scope)
        except StorageError:
            if not turn.go_on:
                raise
            return False

    # -- the profile

    def _profile_candidates(
        self, scope: Scope, turn: Turn, made: Plan, fallbacks: list[str]
    ) -> tuple[list[list[Artifact]], frozenset[str]]:
        """What may stand in the profile, and the ids of facts that are over by what was said a moment ago."""
        if not made.rooms.profile:
            return [], frozenset()
        question = made.talk.question
        unsaved = None if question.number else question.message._replace(created=self._kit.now())
        try:
            known = self._profiles().known_facts(scope, unsaved)
        except StorageError as error:
            self._go_on_without_profile(turn, error, fallbacks)
            return [], frozenset()
        if turn.recall == "session":
            known = known._replace(facts=[fact for fact in known.facts if fact.session in (None, scope.session)])
        return self._profiles().candidates(scope, known, self._boundary(made)), known.ended

    def _profile(
        self,
        scope: Scope,
        turn: Turn,
        made: Plan,
        candidates: Sequence[Sequence[Artifact]],
        censor: _Censor,
        fallbacks: list[str],
    ) -> ProfileSelection:
        """The standing profile."""

        def render(fact: Artifact) -> str:
            return redacted(profile_line(fact), censor.kinds).text

        try:
            selection = self._profiles().select(scope, candidates, made.rooms.profile, made.order.count, render)
        except StorageError as error:
            self._go_on_without_profile(turn, error, fallbacks)
            return ProfileSelection()
        for entry in selection.taken:
            censor(profile_line(entry.fact))  # to count what is removed
        return selection

    def _go_on_without_profile(self, turn: Turn, error: StorageError, fallbacks: list[str]) -> None:
        if not turn.go_on:
            raise error
        fallbacks.append(f"without a profile: {error}")

    def _boundary(self, made: Plan) -> ProfileBoundary:
        """The first message that is told word for word: a profile has the facts from before it, until it moves."""
        first = made.recent[0].unit[0] if made.recent else made.talk.question
        if not first.number:
            return ProfileBoundary()
        return ProfileBoundary(None if self._apart else first.number, first.message.created)

    # -- what is found

    def _found(self, scope: Scope, turn: Turn, made: Plan, censor: _Censor, fallbacks: list[str]) -> Found:
        from recollect.finder import Found

        question = made.talk.question.message.text
        if turn.strategy != HYBRID or made.rooms.memory + made.rooms.documents == 0:
            return Found([], question, [])
        recent = [seen.message for seen in made.talk.tail[-RECENT:] if not seen.message.private]
        try:
            told = set[int]() if self._apart else made.told
            roomy = not made.older and made.left > made.order.budget * ROOMY
            own = 0 if self._apart else made.talk.question.number
            room = made.rooms.memory
            found = self._finder().find(scope, turn, question, recent, told, own=own, room=room, roomy=roomy)
        except StorageError as error:
            if not turn.go_on:
                raise
            fallbacks.append(f"nothing recalled: {error}")
            return Found([], question, [])
        fallbacks += found.fallbacks
        offers, weak = ([censor.offer(offer) for offer in some] for some in (found.offers, found.weak))
        return found._replace(offers=offers, weak=weak)

    # -- the summary

    def _summary(
        self, scope: Scope, turn: Turn, made: Plan, snapshot: Snapshot, fallbacks: list[str]
    ) -> tuple[Artifact | None, str]:
        """The summary of what is too old to be told, and its text within the limit. The oldest that covers all of it is
        taken, so that a newer one does not change the head of the prompt before the next compaction."""
        if turn.strategy == WINDOW or not made.older or not made.rooms.summary:
            return None, ""
        covering = next((one for one in snapshot.summaries if one.upto >= made.older), None)
        earlier = next((one for one in reversed(snapshot.summaries) if one.upto < made.older), None)
        chosen = self._summaries.kept(scope, covering)
        if chosen is None:
            chosen = self._summaries.upto(scope, self._summaries.kept(scope, earlier), made.older)
        if chosen is None:
            return None, ""
        if not chosen.pinned:
            # One that is in the store stands by itself: what it was made of may have been let go of.
            data = {name: value for name, value in chosen.data.items() if not (covering and name == "previous")}
            chosen = replace(chosen, pinned=True, data=data)
            self._keep(scope, chosen, [] if covering else fallbacks)
        return chosen, self._summaries.shortened(chosen, summary_limit(made), made.order.count)

    def _keep(self, scope: Scope, summary: Artifact, fallbacks: list[str]) -> None:
        """Holds on to the summary that the head of the prompt now has. Who may only read a pool cannot."""
        try:
            self._desk.keep_artifacts(scope, Settled((summary,)), self._kit.now())
        except (NotFound, StorageError) as error:
            fallbacks.append(f"the summary could not be kept: {error}")

    # -- the receipt

    def _receipt(self, scope: Scope, outcome: Outcome, watch: _Stopwatch) -> str | None:
        """Keeps what this turn is given; returns the id to replay it with."""
        if self._receipts is None or scope.session is None:
            return None
        if self._receipts.failure:
            outcome.fallbacks.append(f"earlier receipts could not be written: {self._receipts.failure}")
        try:
            proof = self._receipts.sign(outcome.result.messages)
        except StorageError as error:
            if not outcome.turn.go_on:
                raise
            outcome.fallbacks.append(f"without a receipt: {error}")
            return None
        now = self._kit.now()
        kept = outcome.receipt(self._kit.new_id(now), scope, now, self._kit.counter.name, proof, watch.timeline())
        return self._receipts.issue(scope, kept, outcome.result.messages, outcome.turn.counter or self._kit.counter)

    @property
    def _desk(self) -> Artifacts:
        if not isinstance(self._home, Artifacts):
            raise StorageError("this backend keeps nothing to make prompts of")
        return self._home


class _Stopwatch:
    """How long each step takes."""

    def __init__(self) -> None:
        self._start = self._last = time.perf_counter()
        self._steps: dict[str, float] = {}

    def lap(self, step: str) -> None:
        """Ends a step."""
        now = time.perf_counter()
        self._steps[step] = self._steps.get(step, 0.0) + now - self._last
        self._last = now

    def timeline(self) -> dict[str, float]:
        """Milliseconds of each step, and of all up to now."""
        steps = {**self._steps, "total": time.perf_counter() - self._start}
        return {step: round(1000 * seconds, 2) for step, seconds in steps.items()}


class _Censor(Censor):
    """Removes personal data from what is given out."""

    def seen(self, seen: Seen) -> Seen:
        return seen._replace(message=self.message(seen.message)) if self.kinds else seen

    def all_seen(self, some: Iterable[Seen]) -> tuple[Seen, ...]:
        return tuple(self.seen(seen) for seen in some)

    def offer(self, offer: Offer) -> Offer:
        return offer._replace(entry=offer.entry._replace(line=self(offer.entry.line))) if self.kinds else offer


class _Split(NamedTuple):
    """What comes before the question, the question, and what was done for it since."""

    before: Sequence[Seen]
    question: Seen
    after: Sequence[Seen] = ()


def _split(tail: Sequence[Seen], question: str | None, kit: Kit) -> _Split | None:
    """A conversation around its question: what is asked, which may be saved already, or the last thing the user said."""
    for at in range(len(tail) - 1, -1, -1):
        message = tail[at].message
        if message.role is Role.USER and question in (None, message.text):
            return _Split(tail[:at], tail[at], tail[at + 1 :])
        if question is not None and message.role is not Role.TOOL and not message.tool_calls:
            break  # the question that was asked has been answered: this is a new one
    if question is None:
        return None
    return _Split(tail, _asked(question, tail[-1].message.seq if tail else 0, kit))


def _with_scores(items: Iterable[Item], offers: Iterable[Offer]) -> list[Item]:
    """Items, where those of the profile that were found for the question, too, have the score they were found with."""
    found = {offer.item.id: offer.item for offer in offers if offer.item.kind == "fact" and offer.item.reason != PINNED}
    return [
        replace(item, score=found[item.id].score, reason=f"{item.reason}; {found[item.id].reason}")
        if item.section == "profile" and item.id in found
        else item
        for item in items
    ]


def _wants_profile(scope: Scope, turn: Turn) -> bool:
    """Whether a prompt has a profile. In a pool others read along, and nothing of an owner's own memory is used there."""
    return turn.strategy != WINDOW and turn.limits.profile > 0 and turn.recall != "off" and scope.pool is None


def _is_cut(snapshot: Snapshot) -> bool:
    """Whether there is more of the conversation than was read."""
    return len(snapshot.tail) < snapshot.session.message_count


def _is_among(unit: Iterable[Seen], known: Mapping[str, Message]) -> bool:
    return all(seen.message.id in known for seen in unit)


def _has_whole(before: Sequence[Seen]) -> bool:
    """Whether there is anything to tell. Looks from the end, where there nearly always is."""
    return bool(units(before[-AT_LEAST:]).whole or units(before).whole)


def _asked(question: str, parent: int, kit: Kit) -> Seen:
    tokens = OVERHEAD + kit.counter.count(question)
    return Seen(0, Message("", "", 0, parent, Role.USER, question, tokens, 0, 0.0, False, {}))
