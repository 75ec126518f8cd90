"""Receipts: what each turn was given, kept by reference, and rebuilt from it to the byte.

A receipt is written in the background, and names messages by number, so that nothing of a message outlives its erasure. Only
what no reference could bring back is kept as text: the question as it was asked, the system prompt, pieces that an
application's own retriever brought.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import threading
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

from recollect.engine.compile import Parts, assembled
from recollect.engine.compile.chat_format import ChatMessage
from recollect.engine.compile.layout import (
    READABLE,
    Entry,
    document_line,
    fact_line,
    message_line,
    profile_line,
    tool_line,
)
from recollect.engine.compile.prefix import Prefixes
from recollect.engine.compile.shorten import shortened
from recollect.engine.hygiene import clean_name
from recollect.engine.redact import redacted
from recollect.engine.redact.censor import Censor
from recollect.errors import NotFound, RecollectError
from recollect.factbook import FactBook
from recollect.kit import Kit
from recollect.ports import ArtifactQuery, Artifacts, Seen, Storage, StoredReceipt, TokenCounter
from recollect.prompt import Receipt, Reference, Replay
from recollect.summaries import Summaries
from recollect.tokens import counter_for
from recollect.types import Artifact, Message, Role, Scope

KEY = "receipt_key"
WAIT = 0.05
"""Seconds that a receipt may wait for others to be written with it."""
FAREWELL = 10.0


class Given(NamedTuple):
    """The prompt of a receipt that is not written yet, and who counts its tokens."""

    messages: Sequence[ChatMessage]
    counter: TokenCounter


class Receipts:
    """Keeps and replays the receipts of one storage. What was found for a prompt may be of another."""

    def __init__(self, kit: Kit, storage: Storage, summaries: Summaries, found_in: Storage, facts: FactBook) -> None:
        self._kit = kit
        self._storage = storage
        self._summaries = summaries
        self._found_in = found_in
        self._facts = facts
        self._waiting: dict[str, tuple[Scope, StoredReceipt]] = {}
        self._given: dict[str, Given] = {}
        self._prefixes = Prefixes()
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._thread: threading.Thread | None = None
        self._secret: bytes | None = None
        self.failure = ""

    # -- keeping

    def issue(self, scope: Scope, receipt: StoredReceipt, messages: Sequence[ChatMessage], counter: TokenCounter) -> str:
        """Takes a receipt to be written soon, and the prompt that it is for; returns the id to replay it with."""
        # The prompt is the caller's by now, who may add to it.
        given = Given([dict(message) for message in messages], counter)
        with self._lock:
            self._waiting[receipt.id] = scope, receipt
            self._given[receipt.id] = given
            if self._thread is None:
                self._thread = threading.Thread(target=self._write_soon, name="recollect-receipts", daemon=False)
                self._thread.start()
        return _seal(scope, receipt.id)

    def sign(self, messages: Sequence[ChatMessage]) -> str:
        """A keyed hash of a prompt: proves that a replay is the same, and tells nothing to those without the store."""
        if self._secret is None:
            self._secret = bytes.fromhex(self._storage.settle(KEY, secrets.token_hex(32)))
        text = json.dumps(messages, ensure_ascii=False, sort_keys=True)
        return hmac.digest(self._secret, text.encode("utf-8", "surrogatepass"), hashlib.sha256).hex()

    def flush(self) -> None:
        """Writes what waits."""
        with self._writing:
            with self._lock:
                found = [(scope, receipt, self._given[receipt.id]) for scope, receipt in self._waiting.values()]
            waiting = [(scope, self._told(scope, receipt, given)) for scope, receipt, given in found]
            for scope in {scope for scope, _ in waiting}:
                try:
                    self._desk.keep_receipts(scope, [receipt for of, receipt in waiting if of == scope])
                    self.failure = ""
                except RecollectError as error:
                    # The turn has gone on; the next prompt tells of it.
                    self.failure = str(error)
            with self._lock:
                for _, receipt in waiting:
                    self._waiting.pop(receipt.id, None)
                    self._given.pop(receipt.id, None)

    def _told(self, scope: Scope, receipt: StoredReceipt, given: Given) -> StoredReceipt:
        """With how many tokens of the prompt's beginning are those of the prompt before it."""
        messages, counter = given
        whose = scope.owner, scope.pool, receipt.session
        reused = self._prefixes.repeated(whose, messages, counter.count, counter.name)
        return replace(receipt, data={**receipt.data, "reused": reused})

    def _write_soon(self) -> None:
        threading.Event().wait(WAIT)
        with self._lock:
            self._thread = None
        self.flush()

    def close(self) -> None:
        """Writes what waits, and lets the thread end."""
        with self._lock:
            thread = self._thread
        if thread is not None:
            thread.join(FAREWELL)
        self.flush()

    # -- reading

    def find(self, scope: Scope | None, receipt_id: str) -> tuple[Scope, StoredReceipt]:
        """A receipt by its id; of another owner than the scope's it does not exist."""
        of, id = _unseal(receipt_id)
        if scope is not None and scope.owner != of.owner:
            raise NotFound("there is no such receipt")
        with self._lock:
            waiting = self._waiting.get(id)
        return waiting if waiting is not None else (of, self._desk.receipt(of, id))

    def one(self, scope: Scope, receipt_id: str) -> Receipt:
        """One receipt of an owner."""
        _, found = self.find(scope, receipt_id)
        return Receipt(receipt_id, found.session, found.created, found.question, found.data)

    def listed(self, scope: Scope, limit: int) -> list[Receipt]:
        """The newest receipts of an owner, or of one session."""
        self.flush()
        found = self._desk.receipts(scope, limit=limit)
        return [Receipt(_seal(scope, one.id), one.session, one.created, one.question, one.data) for one in found]

    def replay(self, scope: Scope | None, receipt_id: str) -> Replay:
        """The messages that a turn was given, as far as they still exist."""
        of, receipt = self.find(scope, receipt_id)
        data = receipt.data
        if data.get("layout") not in READABLE:
            raise NotFound("this receipt was made by another version of Recollect, which wrote prompts differently")
        rebuilt = _Rebuilt(self._storage, self._found_in, self._summaries, self._facts, of, receipt)
        messages = assembled(rebuilt.parts())
        intact = hmac.compare_digest(self.sign(messages), data["hash"])
        missing = tuple(rebuilt.missing)
        words = rebuilt.words(data["entries"]), rebuilt.words(data["near"])
        places = rebuilt.places(data["entries"]), rebuilt.places(data["near"])
        profile = rebuilt.profile_words(), rebuilt.profile_places()
        return Replay(messages, intact, missing, *words, *places, *profile)

    @property
    def _desk(self) -> Artifacts:
        assert isinstance(self._storage, Artifacts)
        return self._storage


class _Rebuilt:
    """A prompt put together again from its receipt."""

    def __init__(
        self,
        storage: Storage,
        found_in: Storage,
        summaries: Summaries,
        facts: FactBook,
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

    def parts(self) -> Parts:
        data, receipt = self._data, self._receipt
        numbers = [*_numbers(data["head"]), *_numbers(data["after"])]
        asked = data["question"]
        known = self._messages([*numbers, *([asked] if asked else [])])
        head = self._told(known, _numbers(data["head"]))
        after = self._told(known, _numbers(data["after"]))
        question, profile = self._question(known, asked), self._profile()
        return Parts(receipt.system or "", self._summary(), head, self._entries(), question, after, profile)

    def _profile(self) -> list[str]:
        """The lines of the profile, of facts that are still there."""
        scope = Scope(self._scope.owner)
        self._profile_facts = [self._profile_fact(scope, row) for row in self._data.get("profile", ())]
        return [redacted(profile_line(fact), self._kinds).text for fact in self._profile_facts if fact is not None]

    def profile_words(self) -> tuple[str, ...]:
        """What each line of the profile says, once `parts` has found them."""
        lines = ("" if fact is None else profile_line(fact) for fact in self._profile_facts)
        return tuple(redacted(line, self._kinds).text.removeprefix("- ") for line in lines)

    def profile_places(self) -> tuple[Reference | None, ...]:
        """Where each line of the profile is from: its fact, or the message that it was read in."""
        return tuple(
            None if fact is None
            else Reference(fact.id, fact.session, None) if "id" in row
            else self._place({"kind": "message", "number": row["number"]})
            for row, fact in zip(self._data.get("profile", ()), self._profile_facts, strict=True)
        )  # fmt: skip

    def _profile_fact(self, scope: Scope, row: Mapping[str, Any]) -> Artifact | None:
        if "id" in row:
            return self._artifact(self._found_in, scope, "fact", row["id"])
        fact = self._facts.said_in(scope, row["number"], row["nth"])
        if fact is None:
            self.missing.append(f"message number {row['number']} was erased")
        return fact

    def _messages(self, numbers: Sequence[int]) -> dict[int, Message]:
        found = {seen.number: seen.message for seen in self._storage.fetch(self._scope, sorted(set(numbers)))}
        self.missing += [f"message number {number} was erased" for number in numbers if number not in found]
        return {number: Censor(self._kinds).message(message) for number, message in found.items()}

    def _told(self, known: Mapping[int, Message], numbers: Iterable[int]) -> list[tuple[Message, str | None]]:
        cuts = self._data.get("cuts", {})
        made: list[tuple[Message, str | None]] = []
        for number in numbers:
            if number in known:
                message, limit = known[number], cuts.get(str(number))
                text = None if limit is None else shortened(message.text, limit, self._count)
                made.append((message, text))
        return made

    def _question(self, known: Mapping[int, Message], asked: int | None) -> Message:
        if asked and asked in known:
            return known[asked]
        text = self._receipt.question
        if text is None:
            self.missing.append("the question was erased")
        return Message("", "", 0, 0, Role.USER, redacted(text or "", self._kinds).text, 0, 0, 0.0, False, {})

    def _summary(self) -> str:
        if not self._data.get("summary"):
            return ""
        found = self._artifact(self._storage, self._scope, "summary", self._data["summary"])
        text = "" if found is None else self._summaries.shortened(found, self._data["summary_limit"], self._count)
        return redacted(text, self._kinds).text

    def _entries(self) -> list[Entry]:
        made: list[Entry] = []
        for row in self._data["entries"]:
            line = self._line(row)
            if line is not None:
                made.append(Entry(row["section"], row["at"], redacted(line, self._kinds).text))
        return made

    def words(self, rows: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
        """What each of some entries says."""
        lines = (self._line(row) or "" for row in rows)
        return tuple(redacted(line, self._kinds).text.removeprefix("- ") for line in lines)

    def places(self, rows: Iterable[Mapping[str, Any]]) -> tuple[Reference | None, ...]:
        """Where each of some entries is, as far as it still is."""
        return tuple(self._place(row) for row in rows)

    def _place(self, row: Mapping[str, Any]) -> Reference | None:
        scope, found = self._where(row), None
        if row["kind"] in ("fact", "tool"):
            found = self._artifact(self._found_in, scope, row["kind"], row["id"])
            return None if found is None else Reference(found.id, found.session, None)
        if row["kind"] != "snippet":
            with suppress(NotFound):
                found = next(iter(self._found_in.fetch(scope, [row["number"]])), None)
        if found is None:
            return None
        # A document is a session of its own, in a space where there are no others.
        here = found.message
        if scope.shelf:
            return Reference(here.session, None, row.get("source"))
        return Reference(here.id, here.session, self._title(scope.of(here.session)))

    def _title(self, scope: Scope) -> str | None:
        with suppress(NotFound):
            return self._found_in.get_session(scope).title
        return None

    def _where(self, row: Mapping[str, Any]) -> Scope:
        return Scope(self._scope.owner, None, row.get("pool"), bool(row.get("shelf")))

    def _line(self, row: Mapping[str, Any]) -> str | None:
        scope = self._where(row)
        kind = row["kind"]
        if kind in ("fact", "tool"):
            found = self._artifact(self._found_in, scope, kind, row["id"])
            return None if found is None else (fact_line if kind == "fact" else tool_line)(found)
        if kind == "snippet":
            return document_line(row["text"], row["source"], row["place"])
        said = self._said(scope, row["number"])
        if said is None:
            return None
        if kind == "chunk":
            return document_line(said.text, row["source"], row["place"])
        passage = None if row.get("passage") is None else said.text[row["passage"][0] : row["passage"][1]]
        changed = self._artifact(self._found_in, scope, "fact", row["changed"]) if row.get("changed") else None
        return message_line(said, passage, changed.text if changed else None, row.get("newer"))

    def _said(self, scope: Scope, number: int) -> Message | None:
        """A message that was found; of a pool that one may no longer read, there is none."""
        found: list[Seen] = []
        with suppress(NotFound):
            found = self._found_in.fetch(scope, [number])
        if not found:
            self.missing.append(f"message number {number} was erased")
        return found[0].message if found else None

    def _artifact(self, storage: Storage, scope: Scope, kind: Any, id: str) -> Artifact | None:
        assert isinstance(storage, Artifacts)
        found: list[Artifact] = []
        with suppress(NotFound):
            found = storage.artifacts(scope, ArtifactQuery(kind, ids=(id,)))
        if not found:
            self.missing.append(f"the {kind} {id} is gone")
        return found[0] if found else None


def runs(numbers: Iterable[int]) -> list[list[int]]:
    """Numbers as runs of neighbours, first and last: a conversation's are nearly all neighbours.

    >>> runs([3, 4, 5, 9])
    [[3, 5], [9, 9]]
    """
    made: list[list[int]] = []
    for number in numbers:
        if made and number == made[-1][1] + 1:
            made[-1][1] = number
        else:
            made.append([number, number])
    return made


def _numbers(some: Iterable[Sequence[int]]) -> list[int]:
    return [number for first, last in some for number in range(first, last + 1)]


def _seal(scope: Scope, id: str) -> str:
    """An id that says whose receipt it is, so that nobody has to be asked twice."""
    text = json.dumps([scope.owner, scope.pool, id], ensure_ascii=False, separators=(",", ":"))
    return urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _unseal(receipt_id: str) -> tuple[Scope, str]:
    try:
        owner, pool, id = json.loads(urlsafe_b64decode(receipt_id + "=" * (-len(receipt_id) % 4)))
        where = None if pool is None else clean_name(pool, "pool")
        return Scope(clean_name(owner, "owner"), None, where), clean_name(id, "receipt id")
    except (ValueError, TypeError, RecursionError):
        raise NotFound("there is no such receipt") from None
