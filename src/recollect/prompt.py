"""The nouns of a prompt: what goes to the model for a turn, what it was made of, and what was left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from recollect.types import FactKind, Hit, Microseconds, moment

SHOWN = 60
"""Characters of an item that a list of them shows."""


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that was considered for a prompt: what it is, what it costs, and why it is in or out.

    `kind` is `message`, `messages` (a run of them: `id` is "first–last" by `seq`), `summary`, `fact`, `tool`, `chunk` or
    `snippet`; `section` is where it went or would have gone. `whole` is False for something shortened. `title` is the name
    of the document or conversation that it is from, or a tool's source, where that is known; `place` is where in a document.
    `changed` is a fact that has taken the place of what a message says.

    >>> Item("recalled", "message", "m1", 12, "matches 'sister'", score=0.8).whole
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


class Sections(dict[str, int]):
    """The tokens of each section of a prompt, in the order they stand in it.

    >>> print(Sections(system=212, recent=5940))
    system 212 · recent 5,940
    """

    def __str__(self) -> str:
        return " · ".join(f"{name} {tokens:,}" for name, tokens in self.items())


@dataclass(frozen=True, slots=True)
class Context:
    """The prompt for a turn, and why it is what it is.

    >>> import recollect
    >>> chat = recollect.open("memory://").chat(owner="u1", system_prompt="Be brief.")
    >>> _ = chat.add("user", "My sister moved to Lisbon in May.")
    >>> context = chat.context("Where does she live?", budget=1000)
    >>> [message["role"] for message in context.messages], context.tokens <= 1000
    (['system', 'user', 'user'], True)
    """

    messages: list[dict[str, Any]]
    """Ready for any chat-completions API."""
    sections: Sections
    tokens: int
    budget: int
    question: str
    searched_for: str
    """The question as it was searched for, when a follow-up had to be completed from the talk before it."""
    items: tuple[Item, ...]
    dropped: tuple[Item, ...]
    fallbacks: tuple[str, ...] = ()
    redacted: Mapping[str, int] = field(default_factory=dict[str, int])
    receipt_id: str | None = None
    timeline: Mapping[str, float] = field(default_factory=dict[str, float], compare=False)
    """Milliseconds of each step: reading, planning, search, summary, and in `total`."""

    def explain(self) -> str:
        """What went in and why, what was considered and dropped, and what fell back, for a person to read.

        >>> import recollect
        >>> chat = recollect.open("memory://").chat(owner="u1")
        >>> print(chat.context("Hello?", budget=100).explain())
        9 of 100 tokens: question 6 · format 3
        """
        head = f"{self.tokens:,} of {self.budget:,} tokens: {self.sections}"
        lines = [head, *(f"fell back: {why}" for why in self.fallbacks)]
        if self.searched_for != self.question:
            lines.append(f"searched for: {self.searched_for}")
        lines += [f"removed before sending: {count} × {kind}" for kind, count in self.redacted.items()]
        lines += _listed("in", self.items) + _listed("left out", self.dropped)
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class ProfileLine:
    """A fact as it stands in a profile, with the messages it rests on (none if it was written by hand).

    `fact` is its id; empty for something said a moment ago, of which no note was taken yet. `text` is the line as the model
    reads it, `fact_text` what the fact itself says. `session` is the conversation of the messages.

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
        """Since when it is true."""
        return moment(self.since)


@dataclass(frozen=True, slots=True)
class Profile:
    """What holds for a user whatever is asked, as a new conversation begins with it: `text` is the block in its prompts.
    `limit` is the most tokens that it may take.

    >>> import recollect
    >>> memory = recollect.open("memory://")
    >>> _ = memory.remember("Allergic to nuts", owner="u1", kind="constraint")
    >>> [(line.kind, line.text) for line in memory.profile(owner="u1").lines]
    [('constraint', 'Allergic to nuts')]
    """

    lines: tuple[ProfileLine, ...] = ()
    text: str = ""
    tokens: int = 0
    limit: int = 0


class Reference(NamedTuple):
    """Where something is that was found: the id of a message or document, or of a fact and the conversation it is from.

    >>> Reference("m1", "s1", "Family").session
    's1'
    """

    id: str
    session: str | None
    title: str | None


@dataclass(frozen=True, slots=True)
class Replay:
    """What a turn was given, rebuilt from its receipt. `intact` says that it is the same to the byte; if something was
    erased since, `missing` names it and it is left out of the messages. `entries`, `near` and `profile` say what those of
    the receipt say, one by one; nothing, for what is gone. `entry_sources`, `near_sources` and `profile_sources` tell where
    each of them is.

    >>> Replay([], True).missing
    ()
    """

    messages: list[dict[str, Any]]
    intact: bool
    missing: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    entry_sources: tuple[Reference | None, ...] = ()
    near_sources: tuple[Reference | None, ...] = ()
    profile: tuple[str, ...] = ()
    profile_sources: tuple[Reference | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a turn was given, by reference: for `replay`, and to be looked at later.

    `data` has budget, strategy, sections, and for each entry its source, scores, tokens and why it was taken; `near` in it
    has what was considered and dropped, `timeline` the milliseconds of each step, and `reused` how many tokens at its
    beginning are those of the prompt before.

    >>> Receipt("r", "s1", 0, "Hello?", {"tokens": 8}).data["tokens"]
    8
    """

    id: str
    session: str
    created: Microseconds
    question: str | None
    data: Mapping[str, Any]

    @property
    def created_at(self) -> datetime:
        """When the prompt was made."""
        return moment(self.created)

    @property
    def profile(self) -> list[dict[str, Any]]:
        """The lines of the profile in the prompt, described like the entries in `data`. Those with a score were found for
        the question, too."""
        rows = self.data.get("profile", ())
        return [{"section": "profile", "kind": "fact" if "id" in row else "message", **row} for row in rows]


def empty_replay(receipt: Receipt, *missing: str) -> Replay:
    """The replay of a receipt whose prompt cannot be rebuilt: as many entries as there are, and none says anything."""
    entries, near, profile = (("",) * len(rows) for rows in (receipt.data["entries"], receipt.data["near"], receipt.profile))
    return Replay([], False, missing, entries, near, profile=profile)


@dataclass(frozen=True, slots=True)
class Relevant:
    """What a memory has on a question, within a number of tokens.

    >>> Relevant("", 0, ()).dropped
    ()
    """

    text: str
    tokens: int
    hits: tuple[Hit, ...]
    dropped: tuple[Hit, ...] = ()
    fallbacks: tuple[str, ...] = ()


def _listed(title: str, items: Iterable[Item]) -> list[str]:
    lines = [_line(item) for item in items]
    return [f"{title}:", *lines] if lines else []


def _line(item: Item) -> str:
    score = "" if item.score is None else f" {item.score:.2f}"
    date = "" if item.at is None else f", {moment(item.at).date()}"
    text = " ".join(item.text.split())
    text = text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
    said = f": {text}" if text else ""
    named = f"{item.kind} {item.id}".rstrip()
    return f"  {item.section}{score} · {named}{date} · {item.tokens:,} tokens · {item.reason}{said}"
