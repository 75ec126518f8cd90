"""Build the prompt for a turn, starting from its question.

It reads the session once, searches once, and passes everything to the compiler (`engine.prompt`), whatever the length of the
history. What it had to do without is listed in the result. Only a budget that cannot hold the system prompt and the question
is an error.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from keepsaid.config import Settings
from keepsaid.engine.messages.intake import MESSAGE_OVERHEAD
from keepsaid.engine.prompt import (
    ConversationExcerpt,
    PromptCandidate,
    PromptPlan,
    PromptPlanOptions,
    compile_prompt,
    plan_conversation,
)
from keepsaid.engine.prompt.block_texts import profile_line
from keepsaid.engine.prompt.budget import HYBRID, WINDOW
from keepsaid.engine.prompt.chat_format import count_chat_message_tokens, count_stored_message_tokens, to_chat_message
from keepsaid.engine.prompt.exchanges import group_exchanges
from keepsaid.engine.prompt.profile import ProfileBoundary, ProfileSelection
from keepsaid.engine.redaction import redact
from keepsaid.engine.redaction.messages import PersonalDataRedactor
from keepsaid.errors import InvalidInput, NotFound, StorageError
from keepsaid.ports import ArtifactChanges, SessionSnapshot, Storage, VisibleMessage, prefetch, read_session
from keepsaid.services.prompts.known_facts import PINNED_REASON
from keepsaid.services.prompts.receipts import ReceiptStore, are_receipts_enabled
from keepsaid.services.prompts.request import PromptRequest
from keepsaid.services.prompts.result import PromptResult, compute_summary_limit
from keepsaid.services.prompts.summaries import RollingSummaries
from keepsaid.types import Artifact, Message, ReadWindow, Role, Scope
from keepsaid.types.prompts import Context, PromptItem

if TYPE_CHECKING:
    from keepsaid.services.container import ServiceContainer
    from keepsaid.services.facts.profiles import ProfileBuilder
    from keepsaid.services.prompts.candidates import CandidateFinder, CandidateSearchResult

RECENT = 8
"""Messages from which a follow-up question is completed."""

FIRST = ReadWindow(first=2)
"""The first messages of a conversation, which may be part of its system prompt."""

AROUND_A_PIN = 16
"""Messages on either side of a pinned tool result in which its call is looked for."""

MIN_MESSAGES_READ = 32
"""Messages to read if those that fit the budget are not enough: many tool steps after the question, or one huge message."""

MIN_FREE_SHARE = 0.5
"""Share of a budget that a whole conversation must leave free before messages around the hits are included, too."""

NO_QUESTION = "there is no question: pass one, or save the user's message first"


class PromptBuilder:
    """Builds prompts from one storage."""

    def __init__(
        self,
        services: ServiceContainer,
        settings: Settings,
        home: Storage,
        summaries: RollingSummaries,
        receipts: ReceiptStore | None,
        finder: Callable[[], CandidateFinder],
        profiles: Callable[[], ProfileBuilder],
        *,
        apart: bool = False,
    ) -> None:
        self._services = services
        self._settings = settings
        self._home = home
        self._summaries = summaries
        self._receipts = receipts
        self._candidate_finder = finder
        self._profiles = profiles
        self._apart = apart
        """Whether searches use another storage than the conversation. Its message numbers then mean other messages."""

    def build(self, scope: Scope, request: PromptRequest) -> Context:
        """Return the prompt for a turn."""
        with read_session(self._home, scope):
            return self._build(scope, request)

    def _build(self, scope: Scope, request: PromptRequest) -> Context:
        watch = _StepTimer()
        fallbacks: list[str] = []
        censor = _PromptRedactor(self._settings.redact_sent)
        if request.strategy == HYBRID:
            self._candidate_finder().prefetch(scope)
        if _wants_profile(scope, request):
            self._profiles().prefetch(scope)
        conversation, snapshot = self._read_conversation(scope, request, censor, fallbacks)
        watch.lap("reading")
        plan = plan_conversation(
            conversation,
            self._plan_options(
                scope, request, censor, documents=snapshot is not None and self._has_documents(scope, request)
            ),
        )
        watch.lap("planning")
        if snapshot is None:
            result = PromptResult(
                request, plan, compile_prompt(plan), None, conversation.question.message.text, censor, fallbacks
            )
            return result.context(None, watch.timeline())
        covering = next((one for one in snapshot.summaries if one.upto >= plan.last_older_seq), None)
        self._summaries.prefetch(scope, covering)
        candidates, ended = self._profile_candidates(scope, request, plan, fallbacks)
        watch.lap("profile")
        found = self._find_candidates(scope, request, plan, censor, fallbacks)
        watch.lap("search")
        selection = self._profile(scope, request, plan, candidates, censor, fallbacks)
        watch.lap("profile")
        summary, text = self._summary(scope, request, plan, snapshot, fallbacks)
        watch.lap("summary")
        given = ended.union(entry.fact.id for entry in selection.taken)
        offers = [offer for offer in found.offers if offer.item.kind != "fact" or offer.item.id not in given]
        compiled = compile_prompt(plan, censor(text), offers, selection, asks_when=found.asks_when)
        compiled.items[:] = _with_scores(compiled.items, found.offers)
        # Weak matches are only reported, so they take no part in the planning.
        compiled.refused.extend(found.weak)
        compiled.dropped.extend(offer.item for offer in found.weak)
        watch.lap("planning")
        result = PromptResult(
            request, plan, compiled, summary if compiled.summary else None, found.searched_for, censor, fallbacks
        )
        return result.context(self._receipt(scope, result, watch), watch.timeline())

    # -- the conversation

    def _read_conversation(
        self, scope: Scope, request: PromptRequest, censor: _PromptRedactor, fallbacks: list[str]
    ) -> tuple[ConversationExcerpt, SessionSnapshot | None]:
        """Return the conversation as far as it is needed, and its snapshot. Without a snapshot if the store cannot be read
        and the request allows that."""
        try:
            snapshot, split = self._read(scope, request)
            leading = self._read_leading_messages(scope, snapshot)
            before = [seen for seen in split.before if seen.message.id not in leading]
            # What was read may begin between a tool call and its results.
            cut = [*takewhile(lambda seen: seen.message.role is Role.TOOL, before)] if _is_cut(snapshot) else []
            pinned = self._pinned(scope, [*snapshot.pinned, *(seen for seen in cut if seen.message.pinned)])
        except StorageError as error:
            if not request.allow_without_memory or request.question is None:
                raise
            fallbacks.append(f"without memory: {error}")
            return ConversationExcerpt(
                request.system or "", censor.seen(_to_unsaved_message(request.question, 0, self._services)), (), 0
            ), None
        asked = (split.question, *split.after) if split.question.number else split.after
        elsewhere = [*leading.values(), *(seen.message for seen in asked)]
        system = [request.system if request.system is not None else snapshot.session.system_prompt or ""]
        system += [message.text for message in leading.values()]
        conversation = ConversationExcerpt(
            "\n\n".join(filter(None, system)),
            censor.seen(split.question),
            censor.all_seen(before[len(cut) :]),
            snapshot.session.token_count - sum(message.tokens for message in elsewhere),
            [censor.all_seen(unit) for unit in pinned if not _are_all_known(unit, leading)],
            censor.all_seen(split.after),
        )
        return conversation, snapshot

    def _read(self, scope: Scope, request: PromptRequest) -> tuple[SessionSnapshot, _ConversationSplit]:
        """Read what fits the budget, and more if that contains no question, or nothing before it."""
        last = None if request.last is None else request.last + MIN_MESSAGES_READ
        window = ReadWindow(last=last, max_tokens=request.budget if last is None else None)
        prefetch(self._home, "read", scope, FIRST)
        while True:
            snapshot = self._home.snapshot(scope, window)
            split = _split(snapshot.tail, request.question, self._services)
            if not _is_cut(snapshot):
                break
            if split is not None and (
                len(split.before) >= request.last if request.last else _has_complete_exchange(split.before)
            ):
                break
            window = ReadWindow(last=max(MIN_MESSAGES_READ, 2 * len(snapshot.tail)))
        if split is None:
            raise InvalidInput(NO_QUESTION)
        return snapshot, split

    def _read_leading_messages(self, scope: Scope, snapshot: SessionSnapshot) -> dict[str, Message]:
        """Return the system messages that the conversation begins with. They belong to the system prompt, however old they
        are."""
        first = self._home.read(scope, FIRST) if snapshot.session.message_count else []
        return {message.id: message for message in takewhile(lambda one: one.role is Role.SYSTEM, first)}

    def _pinned(self, scope: Scope, pins: Sequence[VisibleMessage]) -> list[tuple[VisibleMessage, ...]]:
        """Return pinned messages from before the tail. A pinned tool result includes its call."""
        plan: dict[int, tuple[VisibleMessage, ...]] = {}
        for seen in pins:
            unit = (seen,)
            if seen.message.role is Role.TOOL or seen.message.tool_calls:
                window = ReadWindow(before=seen.message.seq + AROUND_A_PIN, last=2 * AROUND_A_PIN)
                around = group_exchanges(self._home.snapshot(scope, window).tail).whole
                unit = next((unit for unit in around if any(one.number == seen.number for one in unit)), ())
            if unit:
                plan.setdefault(unit[0].number, unit)
        return list(plan.values())

    def _plan_options(
        self, scope: Scope, request: PromptRequest, censor: _PromptRedactor, *, documents: bool
    ) -> PromptPlanOptions:
        counter = request.counter or self._services.counter
        count = counter.count
        # The stored token counts are right if the text is sent as stored.
        known = counter.name == self._services.counter.name and not censor.kinds
        measure: Callable[[Message], int] = (
            (lambda message: count_stored_message_tokens(message, count))
            if known
            else (lambda message: count_chat_message_tokens(to_chat_message(message), count))
        )
        # No tokens are reserved for memories if recall is off.
        limits = replace(request.limits, memory=0) if request.recall == "off" else request.limits
        limits = limits if _wants_profile(scope, request) else replace(limits, profile=0)
        return PromptPlanOptions(request.budget, count, measure, request.strategy, limits, documents, request.last)

    def _has_documents(self, scope: Scope, request: PromptRequest) -> bool:
        """Whether there are documents to search."""
        if request.strategy != HYBRID or request.retriever is not None:
            return request.strategy == HYBRID
        try:
            return self._candidate_finder().has_documents(scope)
        except StorageError:
            if not request.allow_without_memory:
                raise
            return False

    # -- the profile

    def _profile_candidates(
        self, scope: Scope, request: PromptRequest, plan: PromptPlan, fallbacks: list[str]
    ) -> tuple[list[list[Artifact]], frozenset[str]]:
        """Return candidates for the profile, and the ids of facts that the newest messages have ended."""
        if not plan.section_budgets.profile:
            return [], frozenset()
        question = plan.conversation.question
        unsaved = None if question.number else question.message._replace(created=self._services.now())
        try:
            known = self._profiles().read_current_facts(scope, unsaved)
        except StorageError as error:
            self._continue_without_profile(request, error, fallbacks)
            return [], frozenset()
        if request.recall == "session":
            known = known._replace(facts=[fact for fact in known.facts if fact.session in (None, scope.session)])
        return self._profiles().candidates(scope, known, self._boundary(plan)), known.ended

    def _profile(
        self,
        scope: Scope,
        request: PromptRequest,
        plan: PromptPlan,
        candidates: Sequence[Sequence[Artifact]],
        censor: _PromptRedactor,
        fallbacks: list[str],
    ) -> ProfileSelection:
        """Return the standing profile."""

        def render(fact: Artifact) -> str:
            return redact(profile_line(fact), censor.kinds).text

        try:
            selection = self._profiles().select(
                scope, candidates, plan.section_budgets.profile, plan.options.count_tokens, render
            )
        except StorageError as error:
            self._continue_without_profile(request, error, fallbacks)
            return ProfileSelection()
        for entry in selection.taken:
            censor(profile_line(entry.fact))  # to count what is removed
        return selection

    def _continue_without_profile(self, request: PromptRequest, error: StorageError, fallbacks: list[str]) -> None:
        if not request.allow_without_memory:
            raise error
        fallbacks.append(f"without a profile: {error}")

    def _boundary(self, plan: PromptPlan) -> ProfileBoundary:
        """Return the boundary of the profile: it has the facts from before the first verbatim message, until that one
        moves."""
        first = plan.recent[0].messages[0] if plan.recent else plan.conversation.question
        if not first.number:
            return ProfileBoundary()
        return ProfileBoundary(None if self._apart else first.number, first.message.created)

    # -- the search

    def _find_candidates(
        self, scope: Scope, request: PromptRequest, plan: PromptPlan, censor: _PromptRedactor, fallbacks: list[str]
    ) -> CandidateSearchResult:
        from keepsaid.services.prompts.candidates import CandidateSearchResult

        question = plan.conversation.question.message.text
        if request.strategy != HYBRID or plan.section_budgets.memory + plan.section_budgets.documents == 0:
            return CandidateSearchResult([], question, [])
        recent = [seen.message for seen in plan.conversation.tail[-RECENT:] if not seen.message.private]
        try:
            included = set[int]() if self._apart else plan.included_numbers
            has_room = not plan.last_older_seq and plan.free_tokens > plan.options.budget * MIN_FREE_SHARE
            question_number = 0 if self._apart else plan.conversation.question.number
            room = plan.section_budgets.memory
            found = self._candidate_finder().find(
                scope, request, question, recent, included, question_number=question_number, room=room, has_room=has_room
            )
        except StorageError as error:
            if not request.allow_without_memory:
                raise
            fallbacks.append(f"nothing recalled: {error}")
            return CandidateSearchResult([], question, [])
        fallbacks += found.fallbacks
        offers, weak = ([censor.offer(offer) for offer in some] for some in (found.offers, found.weak))
        return found._replace(offers=offers, weak=weak)

    # -- the summary

    def _summary(
        self, scope: Scope, request: PromptRequest, plan: PromptPlan, snapshot: SessionSnapshot, fallbacks: list[str]
    ) -> tuple[Artifact | None, str]:
        """Return the summary of the messages before the verbatim part, and its text within the limit.

        The oldest summary that covers them all is used, so that a newer one does not change the head of the prompt before
        the next compaction.
        """
        if request.strategy == WINDOW or not plan.last_older_seq or not plan.section_budgets.summary:
            return None, ""
        covering = next((one for one in snapshot.summaries if one.upto >= plan.last_older_seq), None)
        earlier = next((one for one in reversed(snapshot.summaries) if one.upto < plan.last_older_seq), None)
        chosen = self._summaries.fetch_summary(scope, covering)
        if chosen is None:
            chosen = self._summaries.summarize_up_to(
                scope, self._summaries.fetch_summary(scope, earlier), plan.last_older_seq
            )
        if chosen is None:
            return None, ""
        if not chosen.pinned:
            # A stored summary must not refer to the previous one, which may have been deleted.
            data = {name: value for name, value in chosen.data.items() if not (covering and name == "previous")}
            chosen = replace(chosen, pinned=True, data=data)
            self._keep_summary(scope, chosen, [] if covering else fallbacks)
        return chosen, self._summaries.shorten_summary(chosen, compute_summary_limit(plan), plan.options.count_tokens)

    def _keep_summary(self, scope: Scope, summary: Artifact, fallbacks: list[str]) -> None:
        """Store the summary that the prompt now uses. A user with read-only access to a pool cannot."""
        try:
            self._home.keep_artifacts(scope, ArtifactChanges((summary,)), self._services.now())
        except (NotFound, StorageError) as error:
            fallbacks.append(f"the summary could not be stored: {error}")

    # -- the receipt

    def _receipt(self, scope: Scope, result: PromptResult, watch: _StepTimer) -> str | None:
        """Store a receipt of this turn. Return the id to replay it with."""
        if self._receipts is None or scope.session is None or not are_receipts_enabled():
            return None
        if self._receipts.failure:
            result.fallbacks.append(f"earlier receipts could not be written: {self._receipts.failure}")
        try:
            proof = self._receipts.sign_messages(result.result.messages)
        except StorageError as error:
            if not result.turn.allow_without_memory:
                raise
            result.fallbacks.append(f"without a receipt: {error}")
            return None
        now = self._services.now()
        kept = result.receipt(self._services.new_id(now), scope, now, self._services.counter.name, proof, watch.timeline())
        return self._receipts.save_receipt(
            scope, kept, result.result.messages, result.turn.counter or self._services.counter
        )


class _StepTimer:
    """Measures how long each step takes."""

    def __init__(self) -> None:
        self._start = self._last = time.perf_counter()
        self._steps: dict[str, float] = {}

    def lap(self, step: str) -> None:
        """End a step."""
        now = time.perf_counter()
        self._steps[step] = self._steps.get(step, 0.0) + now - self._last
        self._last = now

    def timeline(self) -> dict[str, float]:
        """Return the milliseconds of each step, and of all steps so far."""
        steps = {**self._steps, "total": time.perf_counter() - self._start}
        return {step: round(1000 * seconds, 2) for step, seconds in steps.items()}


class _PromptRedactor(PersonalDataRedactor):
    """Removes personal data from what is sent to a model."""

    def seen(self, seen: VisibleMessage) -> VisibleMessage:
        return seen._replace(message=self.message(seen.message)) if self.kinds else seen

    def all_seen(self, some: Iterable[VisibleMessage]) -> tuple[VisibleMessage, ...]:
        return tuple(self.seen(seen) for seen in some)

    def offer(self, offer: PromptCandidate) -> PromptCandidate:
        return offer._replace(entry=offer.entry._replace(line=self(offer.entry.line))) if self.kinds else offer


class _ConversationSplit(NamedTuple):
    """The messages before the question, the question, and the messages after it."""

    before: Sequence[VisibleMessage]
    question: VisibleMessage
    after: Sequence[VisibleMessage] = ()


def _split(tail: Sequence[VisibleMessage], question: str | None, services: ServiceContainer) -> _ConversationSplit | None:
    """Split a conversation at its question: the given one, which may be saved already, or the last message of the user."""
    for at in range(len(tail) - 1, -1, -1):
        message = tail[at].message
        if message.role is Role.USER and question in (None, message.text):
            return _ConversationSplit(tail[:at], tail[at], tail[at + 1 :])
        if question is not None and message.role is not Role.TOOL and not message.tool_calls:
            break  # the same question was answered before: this is a new one
    if question is None:
        return None
    return _ConversationSplit(tail, _to_unsaved_message(question, tail[-1].message.seq if tail else 0, services))


def _with_scores(items: Iterable[PromptItem], offers: Iterable[PromptCandidate]) -> list[PromptItem]:
    """Return the items; those of the profile that the search found, too, get its score."""
    found = {
        offer.item.id: offer.item for offer in offers if offer.item.kind == "fact" and offer.item.reason != PINNED_REASON
    }
    return [
        replace(item, score=found[item.id].score, reason=f"{item.reason}; {found[item.id].reason}")
        if item.section == "profile" and item.id in found
        else item
        for item in items
    ]


def _wants_profile(scope: Scope, request: PromptRequest) -> bool:
    """Whether the prompt has a profile. In a pool, where others read along, an owner's private memory is not used."""
    return request.strategy != WINDOW and request.limits.profile > 0 and request.recall != "off" and scope.pool is None


def _is_cut(snapshot: SessionSnapshot) -> bool:
    """Whether the conversation has more messages than were read."""
    return len(snapshot.tail) < snapshot.session.message_count


def _are_all_known(unit: Iterable[VisibleMessage], known: Mapping[str, Message]) -> bool:
    return all(seen.message.id in known for seen in unit)


def _has_complete_exchange(before: Sequence[VisibleMessage]) -> bool:
    """Whether there is a complete exchange. Checks the end first, where there nearly always is one."""
    return bool(group_exchanges(before[-MIN_MESSAGES_READ:]).whole or group_exchanges(before).whole)


def _to_unsaved_message(question: str, parent: int, services: ServiceContainer) -> VisibleMessage:
    tokens = MESSAGE_OVERHEAD + services.counter.count(question)
    return VisibleMessage(0, Message("", "", 0, parent, Role.USER, question, tokens, 0, 0.0, False, {}))
