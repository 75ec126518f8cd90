"""Store what each prompt contained, by reference, and rebuild the prompt byte for byte.

A receipt is written in the background. It refers to messages by number, so no part of a message outlives its erasure. Only
what cannot be looked up again is stored as text: the question as asked, the system prompt, and snippets from an
application's own retriever.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import threading
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Generator, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from keepsaid.engine.messages.validation import clean_name
from keepsaid.engine.prompt import PromptParts, assemble_messages
from keepsaid.engine.prompt.block_texts import (
    LAYOUT,
    MemoryBlockEntry,
    document_line,
    fact_line,
    message_line,
    profile_line,
    tool_line,
)
from keepsaid.engine.prompt.cache_prefix import PromptPrefixTracker
from keepsaid.engine.prompt.chat_format import ChatMessageDict
from keepsaid.engine.prompt.shorten import shorten_text
from keepsaid.engine.redaction import redact
from keepsaid.engine.redaction.messages import PersonalDataRedactor
from keepsaid.errors import KeepsaidError, NotFound
from keepsaid.llm.tokens import counter_for
from keepsaid.ports import ArtifactQuery, Storage, StoredReceipt, TokenCounter, VisibleMessage
from keepsaid.services.facts.fact_store import FactStore
from keepsaid.services.prompts.summaries import RollingSummaries
from keepsaid.types import Artifact, Message, Role, Scope
from keepsaid.types.prompts import MessageReference, PromptReceipt, PromptReplay

if TYPE_CHECKING:
    from keepsaid.services.container import ServiceContainer

RECEIPT_KEY = "receipt_key"
WRITE_DELAY = 0.05
"""Seconds that a receipt may wait to be written together with others."""
CLOSE_TIMEOUT = 10.0
"""Seconds that closing waits for the writer thread."""


_ENABLED: ContextVar[bool] = ContextVar("receipts_kept", default=True)


@contextmanager
def without_receipts() -> Generator[None]:
    """Store no receipts for prompts that the current thread builds meanwhile, such as those of an owner whose quota is used
    up."""
    before = _ENABLED.set(False)
    try:
        yield
    finally:
        _ENABLED.reset(before)


def are_receipts_enabled() -> bool:
    """Whether receipts are stored for prompts that the current thread builds."""
    return _ENABLED.get()


class PendingPrompt(NamedTuple):
    """The prompt of a receipt that is not written yet, and the counter for its tokens."""

    messages: Sequence[ChatMessageDict]
    counter: TokenCounter


class ReceiptStore:
    """Stores and replays the receipts of one storage. What was found for a prompt may come from another storage
    (`found_in`)."""

    def __init__(
        self, services: ServiceContainer, storage: Storage, summaries: RollingSummaries, found_in: Storage, facts: FactStore
    ) -> None:
        self._services = services
        self._storage = storage
        self._summaries = summaries
        self._found_in = found_in
        self._facts = facts
        self._waiting: dict[str, tuple[Scope, StoredReceipt]] = {}
        self._pending_prompts: dict[str, PendingPrompt] = {}
        self._prefixes = PromptPrefixTracker()
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._writer = ThreadPoolExecutor(1, "keepsaid-receipts")
        """Its thread is reused: starting one for every prompt takes longer than some searches."""
        self._scheduled: Future[None] | None = None
        self._secret: bytes | None = None
        self.failure = ""

    # -- writing

    def save_receipt(
        self, scope: Scope, receipt: StoredReceipt, messages: Sequence[ChatMessageDict], counter: TokenCounter
    ) -> str:
        """Queue a receipt to be written soon, with the prompt it belongs to. Return the id to replay it with."""
        # The caller owns the prompt now and may change it, so it is copied.
        given = PendingPrompt([dict(message) for message in messages], counter)
        with self._lock:
            self._waiting[receipt.id] = scope, receipt
            self._pending_prompts[receipt.id] = given
            if self._scheduled is None:
                self._scheduled = self._schedule_flush()
        return _encode_id(scope, receipt.id)

    def sign_messages(self, messages: Sequence[ChatMessageDict]) -> str:
        """Return a keyed hash of a prompt. It proves that a replay is identical, and reveals nothing without the store's
        key."""
        if self._secret is None:
            self._secret = bytes.fromhex(self._storage.settle(RECEIPT_KEY, secrets.token_hex(32)))
        text = json.dumps(messages, ensure_ascii=False, sort_keys=True)
        return hmac.digest(self._secret, text.encode("utf-8", "surrogatepass"), hashlib.sha256).hex()

    def flush(self) -> None:
        """Write all queued receipts."""
        with self._writing:
            with self._lock:
                found = [(scope, receipt, self._pending_prompts[receipt.id]) for scope, receipt in self._waiting.values()]
            waiting = [(scope, self._with_reused_tokens(scope, receipt, given)) for scope, receipt, given in found]
            for scope in {scope for scope, _ in waiting}:
                try:
                    self._storage.keep_receipts(scope, [receipt for of, receipt in waiting if of == scope])
                    self.failure = ""
                except KeepsaidError as error:
                    # The turn is over; the next prompt reports the failure.
                    self.failure = str(error)
            with self._lock:
                for _, receipt in waiting:
                    self._waiting.pop(receipt.id, None)
                    self._pending_prompts.pop(receipt.id, None)

    def _with_reused_tokens(self, scope: Scope, receipt: StoredReceipt, given: PendingPrompt) -> StoredReceipt:
        """Return the receipt with the number of tokens that its prompt has in common with the start of the previous
        prompt."""
        messages, counter = given
        conversation = scope.owner, scope.pool, receipt.session
        reused = self._prefixes.count_repeated_tokens(conversation, messages, counter.count, counter.name)
        return replace(receipt, data={**receipt.data, "reused": reused})

    def _schedule_flush(self) -> Future[None] | None:
        try:
            return self._writer.submit(self._write_after_delay)
        except RuntimeError:  # the program ends: what is queued is written when the store is closed
            return None

    def _write_after_delay(self) -> None:
        threading.Event().wait(WRITE_DELAY)
        with self._lock:
            self._scheduled = None
        self.flush()

    def close(self) -> None:
        """Write all queued receipts and stop the thread."""
        with self._lock:
            scheduled = self._scheduled
        if scheduled is not None:
            wait([scheduled], CLOSE_TIMEOUT)
        self._writer.shutdown(wait=False)
        self.flush()

    # -- reading

    def find(self, scope: Scope | None, receipt_id: str) -> tuple[Scope, StoredReceipt]:
        """Return a receipt by its id. For the scope of another owner it does not exist."""
        of, id = _decode_id(receipt_id)
        if scope is not None and scope.owner != of.owner:
            raise NotFound("there is no such receipt")
        with self._lock:
            waiting = self._waiting.get(id)
        if waiting is not None and (waiting[0].owner, waiting[0].pool) == (of.owner, of.pool):
            return waiting
        # An id can be forged, so the stored owner is checked, for queued receipts as well.
        return of, self._storage.receipt(of, id)

    def read_receipt(self, scope: Scope, receipt_id: str) -> PromptReceipt:
        """Return one receipt of an owner."""
        _, found = self.find(scope, receipt_id)
        return PromptReceipt(receipt_id, found.session, found.created, found.question, found.data)

    def list_receipts(self, scope: Scope, limit: int) -> list[PromptReceipt]:
        """Return the newest receipts of an owner, or of one session."""
        self.flush()
        found = self._storage.receipts(scope, limit=limit)
        return [PromptReceipt(_encode_id(scope, one.id), one.session, one.created, one.question, one.data) for one in found]

    def replay(self, scope: Scope | None, receipt_id: str) -> PromptReplay:
        """Return the messages of a prompt, as far as they still exist."""
        of, receipt = self.find(scope, receipt_id)
        data = receipt.data
        if data.get("layout") != LAYOUT:
            raise NotFound("this receipt was made by another version of Keepsaid, which wrote prompts differently")
        rebuilt = _PromptRebuilder(self._storage, self._found_in, self._summaries, self._facts, of, receipt)
        messages = assemble_messages(rebuilt.parts())
        intact = hmac.compare_digest(self.sign_messages(messages), data["hash"])
        missing = tuple(rebuilt.missing)
        words = rebuilt.words(data["entries"]), rebuilt.words(data["near"])
        places = rebuilt.places(data["entries"]), rebuilt.places(data["near"])
        profile = rebuilt.profile_words(), rebuilt.profile_places()
        return PromptReplay(messages, intact, missing, *words, *places, *profile)


class _PromptRebuilder:
    """Rebuilds a prompt from its receipt."""

    def __init__(
        self,
        storage: Storage,
        found_in: Storage,
        summaries: RollingSummaries,
        facts: FactStore,
        scope: Scope,
        receipt: StoredReceipt,
    ) -> None:
        self._storage = storage
        self._found_in = found_in
        self._summaries = summaries
        self._facts = facts
        self._count = counter_for(receipt.data["tokenizer"]).count
        self._scope = scope
        self._receipt = receipt
        self._data = receipt.data
        self._kinds = tuple(self._data.get("redact", ()))
        self._profile_facts: list[Artifact | None] = []
        self.missing: list[str] = []

    def parts(self) -> PromptParts:
        data, receipt = self._data, self._receipt
        numbers = [*_expand_ranges(data["head"]), *_expand_ranges(data["after"])]
        asked = data["question"]
        known = self._messages([*numbers, *([asked] if asked else [])])
        head = self._shorten_messages(known, _expand_ranges(data["head"]))
        after = self._shorten_messages(known, _expand_ranges(data["after"]))
        question, profile = self._question(known, asked), self._profile()
        return PromptParts(receipt.system or "", self._summary(), head, self._entries(), question, after, profile)

    def _profile(self) -> list[str]:
        """Return the lines of the profile, for facts that still exist."""
        scope = Scope(self._scope.owner)
        self._profile_facts = [self._profile_fact(scope, row) for row in self._data.get("profile", ())]
        return [redact(profile_line(fact), self._kinds).text for fact in self._profile_facts if fact is not None]

    def profile_words(self) -> tuple[str, ...]:
        """Return the text of each profile line. Call `parts` first."""
        lines = ("" if fact is None else profile_line(fact) for fact in self._profile_facts)
        return tuple(redact(line, self._kinds).text.removeprefix("- ") for line in lines)

    def profile_places(self) -> tuple[MessageReference | None, ...]:
        """Return the source of each profile line: its fact, or the message that it was extracted from."""
        return tuple(
            None if fact is None
            else MessageReference(fact.id, fact.session, None) if "id" in row
            else self._to_reference({"kind": "message", "number": row["number"]})
            for row, fact in zip(self._data.get("profile", ()), self._profile_facts, strict=True)
        )  # fmt: skip

    def _profile_fact(self, scope: Scope, row: Mapping[str, Any]) -> Artifact | None:
        if "id" in row:
            return self._artifact(self._found_in, scope, "fact", row["id"])
        fact = self._facts.find_previewed_fact(scope, row["number"], row["nth"])
        if fact is None:
            self.missing.append(f"message number {row['number']} was erased")
        return fact

    def _messages(self, numbers: Sequence[int]) -> dict[int, Message]:
        found = {seen.number: seen.message for seen in self._storage.fetch(self._scope, sorted(set(numbers)))}
        self.missing += [f"message number {number} was erased" for number in numbers if number not in found]
        return {number: PersonalDataRedactor(self._kinds).message(message) for number, message in found.items()}

    def _shorten_messages(self, known: Mapping[int, Message], numbers: Iterable[int]) -> list[tuple[Message, str | None]]:
        cuts = self._data.get("cuts", {})
        made: list[tuple[Message, str | None]] = []
        for number in numbers:
            if number in known:
                message, limit = known[number], cuts.get(str(number))
                text = None if limit is None else shorten_text(message.text, limit, self._count)
                made.append((message, text))
        return made

    def _question(self, known: Mapping[int, Message], asked: int | None) -> Message:
        if asked and asked in known:
            return known[asked]
        text = self._receipt.question
        if text is None:
            self.missing.append("the question was erased")
        return Message("", "", 0, 0, Role.USER, redact(text or "", self._kinds).text, 0, 0, 0.0, False, {})

    def _summary(self) -> str:
        if not self._data.get("summary"):
            return ""
        found = self._artifact(self._storage, self._scope, "summary", self._data["summary"])
        text = "" if found is None else self._summaries.shorten_summary(found, self._data["summary_limit"], self._count)
        return redact(text, self._kinds).text

    def _entries(self) -> list[MemoryBlockEntry]:
        made: list[MemoryBlockEntry] = []
        for row in self._data["entries"]:
            line = self._render_line(row)
            if line is not None:
                made.append(MemoryBlockEntry(row["section"], row["at"], redact(line, self._kinds).text))
        return made

    def words(self, rows: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
        """Return the text of each entry."""
        lines = (self._render_line(row) or "" for row in rows)
        return tuple(redact(line, self._kinds).text.removeprefix("- ") for line in lines)

    def places(self, rows: Iterable[Mapping[str, Any]]) -> tuple[MessageReference | None, ...]:
        """Return the source of each entry, or None if it no longer exists."""
        return tuple(self._to_reference(row) for row in rows)

    def _to_reference(self, row: Mapping[str, Any]) -> MessageReference | None:
        scope, found = self._to_scope(row), None
        if row["kind"] in ("fact", "tool"):
            found = self._artifact(self._found_in, scope, row["kind"], row["id"])
            return None if found is None else MessageReference(found.id, found.session, None)
        if row["kind"] != "snippet":
            with suppress(NotFound):
                found = next(iter(self._found_in.fetch(scope, [row["number"]])), None)
        if found is None:
            return None
        # A document is a session of its own, in a space that holds nothing else.
        here = found.message
        if scope.documents:
            return MessageReference(here.session, None, row.get("source"))
        return MessageReference(here.id, here.session, self._read_title(scope.of(here.session)))

    def _read_title(self, scope: Scope) -> str | None:
        with suppress(NotFound):
            return self._found_in.get_session(scope).title
        return None

    def _to_scope(self, row: Mapping[str, Any]) -> Scope:
        return Scope(self._scope.owner, None, row.get("pool"), bool(row.get("documents")))

    def _render_line(self, row: Mapping[str, Any]) -> str | None:
        scope = self._to_scope(row)
        kind = row["kind"]
        if kind in ("fact", "tool"):
            found = self._artifact(self._found_in, scope, kind, row["id"])
            return None if found is None else (fact_line if kind == "fact" else tool_line)(found)
        if kind == "snippet":
            return document_line(row["text"], row["source"], row["place"])
        message = self._read_message(scope, row["number"])
        if message is None:
            return None
        if kind == "chunk":
            return document_line(message.text, row["source"], row["place"])
        passage = None if row.get("passage") is None else message.text[row["passage"][0] : row["passage"][1]]
        changed = self._artifact(self._found_in, scope, "fact", row["changed"]) if row.get("changed") else None
        return message_line(message, passage, changed.text if changed else None, row.get("newer"))

    def _read_message(self, scope: Scope, number: int) -> Message | None:
        """Return a message that was found, or None if it is erased or in a pool that the owner may no longer read."""
        found: list[VisibleMessage] = []
        with suppress(NotFound):
            found = self._found_in.fetch(scope, [number])
        if not found:
            self.missing.append(f"message number {number} was erased")
        return found[0].message if found else None

    def _artifact(self, storage: Storage, scope: Scope, kind: Any, id: str) -> Artifact | None:
        found: list[Artifact] = []
        with suppress(NotFound):
            found = storage.artifacts(scope, ArtifactQuery(kind, ids=(id,)))
        if not found:
            self.missing.append(f"the {kind} {id} no longer exists")
        return found[0] if found else None


def to_number_ranges(numbers: Iterable[int]) -> list[list[int]]:
    """Return numbers as ranges, each with its first and last number. Those of a conversation are mostly consecutive.

    >>> to_number_ranges([3, 4, 5, 9])
    [[3, 5], [9, 9]]
    """
    made: list[list[int]] = []
    for number in numbers:
        if made and number == made[-1][1] + 1:
            made[-1][1] = number
        else:
            made.append([number, number])
    return made


def _expand_ranges(some: Iterable[Sequence[int]]) -> list[int]:
    return [number for first, last in some for number in range(first, last + 1)]


def _encode_id(scope: Scope, id: str) -> str:
    """Return an id that includes the owner and pool of the receipt, so that one lookup suffices."""
    text = json.dumps([scope.owner, scope.pool, id], ensure_ascii=False, separators=(",", ":"))
    return urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _decode_id(receipt_id: str) -> tuple[Scope, str]:
    try:
        owner, pool, id = json.loads(urlsafe_b64decode(receipt_id + "=" * (-len(receipt_id) % 4)))
        where = None if pool is None else clean_name(pool, "pool")
        return Scope(clean_name(owner, "owner"), None, where), clean_name(id, "receipt id")
    except (ValueError, TypeError, RecursionError):
        raise NotFound("there is no such receipt") from None
