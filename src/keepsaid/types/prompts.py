"""Prompts: what is sent to the model for a turn, what it was made of, and what was left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from keepsaid.types import FactKind, Microseconds, SearchHit, to_datetime

SHOWN = 60
"""How many characters of an item's text are shown in a list."""


@dataclass(frozen=True, slots=True)
class PromptItem:
    """One candidate for a prompt: what it is, its tokens, and why it was taken or left out.

    `kind` is `message`, `messages` (consecutive ones: `id` is "first–last" by `seq`), `summary`, `fact`, `tool`, `chunk` or
    `snippet`; `section` is the section that it is in or would have been in. `whole` is False if it was shortened. `title` is
    the name of its document or conversation, or the source of a tool, if known; `place` is the position in a document.
    `changed` is a newer fact that replaces what a message says.

    >>> PromptItem("recalled", "message", "m1", 12, "matches 'sister'", score=0.8).whole
    True
    """

    section: str
    kind: str
    id: str
    tokens: int
    reason: str
    text: str = ""
    score: float | None = None
    signals: Mapping[str, float] = field(default_factory=dict[str, float])
    session: str | None = None
    at: Microseconds | None = None
    whole: bool = True
    title: str = ""
    place: str = ""
    changed: str = ""


class SectionTokens(dict[str, int]):
    """The tokens of each section of a prompt, in the order of the prompt.

    >>> print(SectionTokens(system=212, recent=5940))
    system 212 · recent 5,940
    """

    def __str__(self) -> str:
        return " · ".join(f"{name} {tokens:,}" for name, tokens in self.items())


@dataclass(frozen=True, slots=True)
class Context:
    """The prompt for a turn, with what it was made of and why.

    >>> import keepsaid
    >>> chat = keepsaid.open("memory://").chat(owner="u1", system_prompt="Be brief.")
    >>> _ = chat.add("user", "My sister moved to Lisbon in May.")
    >>> context = chat.context("Where does she live?", budget=1000)
    >>> [message["role"] for message in context.messages], context.tokens <= 1000
    (['system', 'user', 'user'], True)
    """

    messages: list[dict[str, Any]]
    """Ready for any chat-completions API."""
    sections: SectionTokens
    tokens: int
    budget: int
    question: str
    searched_for: str
    """The text of the search: the question or, for a follow-up, the question completed from earlier messages."""
    items: tuple[PromptItem, ...]
    dropped: tuple[PromptItem, ...]
    fallbacks: tuple[str, ...] = ()
    redacted: Mapping[str, int] = field(default_factory=dict[str, int])
    receipt_id: str | None = None
    timeline: Mapping[str, float] = field(default_factory=dict[str, float], compare=False)
    """Milliseconds of each step (reading, planning, search, summary) and in `total`."""

    def explain(self) -> str:
        """Describe for a person what the prompt contains and why, what was dropped, and what had to be left out.

        >>> import keepsaid
        >>> chat = keepsaid.open("memory://").chat(owner="u1")
        >>> print(chat.context("Hello?", budget=100).explain())
        9 of 100 tokens: question 6 · format 3
        """
        head = f"{self.tokens:,} of {self.budget:,} tokens: {self.sections}"
        lines = [head, *(f"fell back: {why}" for why in self.fallbacks)]
        if self.searched_for != self.question:
            lines.append(f"searched for: {self.searched_for}")
        lines += [f"removed before sending: {count} × {kind}" for kind, count in self.redacted.items()]
        lines += _format_items("in", self.items) + _format_items("left out", self.dropped)
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class ProfileLine:
    """A line of a profile, with the messages it is based on (none if the fact was saved by hand).

    `fact` is the fact's id, or empty for a recent message from which no fact was extracted yet. `text` is the line as the
    model reads it, `fact_text` the text of the fact. `session` is the conversation of the messages.

    >>> ProfileLine("a1", "identity", "User is a nurse", 0).since_at.year
    1970
    """

    fact: str
    kind: FactKind
    text: str
    since: Microseconds
    pinned: bool = False
    messages: tuple[str, ...] = ()
    session: str | None = None
    fact_text: str = ""

    @property
    def since_at(self) -> datetime:
        """The time since which it is true."""
        return to_datetime(self.since)


@dataclass(frozen=True, slots=True)
class Profile:
    """What holds for a user whatever the question, as in the prompts of a new conversation.

    `text` is the block in the prompts, `limit` the maximum of its `tokens`.

    >>> import keepsaid
    >>> memory = keepsaid.open("memory://")
    >>> _ = memory.remember("Allergic to nuts", owner="u1", kind="constraint")
    >>> [(line.kind, line.text) for line in memory.profile(owner="u1").lines]
    [('constraint', 'Allergic to nuts')]
    """

    lines: tuple[ProfileLine, ...] = ()
    text: str = ""
    tokens: int = 0
    limit: int = 0


class MessageReference(NamedTuple):
    """The source of something found: the id of a message, document or fact, and the conversation it is from.

    >>> MessageReference("m1", "s1", "Family").session
    's1'
    """

    id: str
    session: str | None
    title: str | None


@dataclass(frozen=True, slots=True)
class PromptReplay:
    """The prompt of a turn, rebuilt from its receipt.

    `intact` is True if it is the same to the byte. What was erased since is left out of `messages` and named in `missing`.
    `entries`, `near` and `profile` are the texts of those in the receipt, in the same order (empty for what is gone), and
    `entry_sources`, `near_sources` and `profile_sources` their sources.

    >>> PromptReplay([], True).missing
    ()
    """

    messages: list[dict[str, Any]]
    intact: bool
    missing: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    entry_sources: tuple[MessageReference | None, ...] = ()
    near_sources: tuple[MessageReference | None, ...] = ()
    profile: tuple[str, ...] = ()
    profile_sources: tuple[MessageReference | None, ...] = ()


@dataclass(frozen=True, slots=True)
class PromptReceipt:
    """A record of the prompt of a turn, with references instead of texts: for `replay` and for later inspection.

    `data` has the budget, strategy and sections, and for each entry its source, scores, tokens and why it was taken. In it,
    `near` lists what was considered and dropped, `timeline` the milliseconds of each step, and `reused` is the number of
    tokens at the beginning that are the same as in the previous prompt.

    >>> PromptReceipt("r", "s1", 0, "Hello?", {"tokens": 8}).data["tokens"]
    8
    """

    id: str
    session: str
    created: Microseconds
    question: str | None
    data: Mapping[str, Any]

    @property
    def created_at(self) -> datetime:
        """The time when the prompt was built."""
        return to_datetime(self.created)

    @property
    def profile(self) -> list[dict[str, Any]]:
        """Return the lines of the profile in the prompt, in the form of the entries in `data`. Those with a score were also
        found by the search."""
        rows = self.data.get("profile", ())
        return [{"section": "profile", "kind": "fact" if "id" in row else "message", **row} for row in rows]


def empty_replay(receipt: PromptReceipt, *missing: str) -> PromptReplay:
    """Return the replay of a receipt whose prompt cannot be rebuilt: the entries are there, but their texts are empty."""
    entries, near, profile = (("",) * len(rows) for rows in (receipt.data["entries"], receipt.data["near"], receipt.profile))
    return PromptReplay([], False, missing, entries, near, profile=profile)


@dataclass(frozen=True, slots=True)
class RelevantContext:
    """What is relevant to a question, within a number of tokens.

    >>> RelevantContext("", 0, ()).dropped
    ()
    """

    text: str
    tokens: int
    hits: tuple[SearchHit, ...]
    dropped: tuple[SearchHit, ...] = ()
    fallbacks: tuple[str, ...] = ()


def _format_items(title: str, items: Iterable[PromptItem]) -> list[str]:
    lines = [_format_item(item) for item in items]
    return [f"{title}:", *lines] if lines else []


def _format_item(item: PromptItem) -> str:
    score = "" if item.score is None else f" {item.score:.2f}"
    date = "" if item.at is None else f", {to_datetime(item.at).date()}"
    text = " ".join(item.text.split())
    text = text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
    said = f": {text}" if text else ""
    named = f"{item.kind} {item.id}".rstrip()
    return f"  {item.section}{score} · {named}{date} · {item.tokens:,} tokens · {item.reason}{said}"
