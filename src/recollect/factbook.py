"""The fact book: facts about an owner, taken from what he said or written by hand, each with its time.

A newer fact about the same thing ends the older one, which is kept and dated and never given out as current.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Protocol

from recollect.engine.facts import claims
from recollect.engine.facts.claim import Claim, supersedes
from recollect.engine.redact import redacted
from recollect.engine.stopwords import telling
from recollect.engine.terms import terms
from recollect.errors import NotFound, RecollectError, StorageError
from recollect.kit import Kit
from recollect.ports import ArtifactQuery, Artifacts, Seen, Settled, Storage
from recollect.types import Artifact, Fact, FactKind, Message, Microseconds, Role, Scope, Source

BEFORE = 4
"""Earlier messages that help to understand one."""

BY_HAND = "by hand"

EVER = ALL = 1 << 62
"""A moment that nothing is true until, unless it has no end."""


class Extractor(Protocol):
    """Finds facts better than rules can: a language model."""

    def extract(self, messages: Sequence[Message]) -> list[tuple[int, Claim]]:
        """Claims, each with the place of its message among these."""
        ...


class FactBook:
    """The facts of one storage's owners."""

    def __init__(self, kit: Kit, storage: Storage, extractor: Extractor | None = None) -> None:
        self._kit = kit
        self._storage = storage
        self._extractor = extractor

    # -- from what was said

    def taken_from(self, scope: Scope, said: Sequence[Seen], before: Mapping[int, Sequence[Message]]) -> Settled:
        """The facts in these messages, and which older ones they end. `before` has the messages before each number."""
        told = [seen for seen in said if seen.message.role is Role.USER and not seen.message.private]
        made: list[Artifact] = []
        ended: dict[str, Microseconds] = {}
        for seen, claim in self._claims(told, before):
            fact = self._fact(claim, seen)
            rivals = (*self._current(scope, claim), *made)
            known = [one for one in rivals if one.is_current and one.id not in ended and _is_on(one, claim)]
            newer = [old for old in known if supersedes(claim_of(old), claim) and old.valid_from > claim.valid_from]
            if newer:
                # Something that was said later, but is older news.
                fact = replace(fact, valid_to=min(old.valid_from for old in newer))
            else:
                gone = {old.id for old in known if supersedes(claim, claim_of(old)) and (claim.ends or not _same(fact, old))}
                ended |= dict.fromkeys(gone, claim.valid_from)
                made = [replace(one, valid_to=claim.valid_from) if one.id in gone else one for one in made]
            made.append(fact)
        return Settled(made, {id: at for id, at in ended.items() if all(one.id != id for one in made)})

    def _claims(self, told: Sequence[Seen], before: Mapping[int, Sequence[Message]]) -> Iterable[tuple[Seen, Claim]]:
        if self._extractor is not None and told:
            with suppress(RecollectError):
                found = self._extractor.extract([seen.message for seen in told])
                return [(told[place], claim) for place, claim in found]
        return [(seen, claim) for seen in told for claim in claims(seen.message, before.get(seen.number, ()))]

    def _current(self, scope: Scope, claim: Claim) -> list[Artifact]:
        """Current facts that may be about the same as a claim: those found by what it is about, or by its value."""
        words = tuple(telling(terms(f"{claim.about} {claim.value}")))
        return self._artifacts.artifacts(scope, ArtifactQuery("fact", terms=words, as_of=EVER, limit=ALL)) if words else []

    def _fact(self, claim: Claim, seen: Seen) -> Artifact:
        now = self._kit.now()
        return Artifact(
            self._kit.new_id(now),
            "fact",
            claim.text,
            self._kit.counter.count(claim.text),
            now,
            seen.message.session,
            (Source(seen.number, claim.start, claim.end),),
            claim.valid_from,
            data=_data(claim),
        )

    # -- by hand

    def remember(self, scope: Scope, text: str, kind: FactKind, subject: str, about: str, pinned: bool) -> Fact:
        """A fact in the owner's own words; it ends an older one about the same thing."""
        now, text = self._kit.now(), redacted(text, self._kit.redact).text
        claim = Claim(text, kind, subject, about, text, 0, 0, 1.0, now)
        gone = [old.id for old in (self._current(scope, claim) if about else ()) if supersedes(claim, claim_of(old))]
        fact = self._by_hand(text, now, pinned, _data(claim))
        self._artifacts.keep_artifacts(scope, Settled((fact,), dict.fromkeys(gone, now)), now)
        return _shown(fact, {})

    def edit(self, scope: Scope, id: str, text: str) -> Fact:
        """Says a fact in other words. The old one stays, ended now."""
        old, now, text = self._get(scope, id), self._kit.now(), redacted(text, self._kit.redact).text
        fact = self._by_hand(text, now, old.pinned, {**old.data, "value": text, "confidence": 1.0})
        self._artifacts.keep_artifacts(scope, Settled((fact,), {old.id: now}), now)
        return _shown(fact, {})

    def pin(self, scope: Scope, id: str, pinned: bool) -> Fact:
        """Makes a fact one that every prompt has, or not."""
        fact = replace(self._get(scope, id), pinned=pinned)
        self._artifacts.keep_artifacts(scope, Settled((fact,)), self._kit.now())
        return self.shown(scope, [fact])[0]

    def forget(self, scope: Scope, id: str) -> None:
        """Removes a fact for good."""
        self._artifacts.discard_artifacts(scope, (self._get(scope, id).id,))

    def _by_hand(self, text: str, now: Microseconds, pinned: bool, data: Mapping[str, object]) -> Artifact:
        tokens = self._kit.counter.count(text)
        made = {**data, "source": BY_HAND}
        return Artifact(self._kit.new_id(now), "fact", text, tokens, now, valid_from=now, pinned=pinned, data=made)

    def _get(self, scope: Scope, id: str) -> Artifact:
        found = self._artifacts.artifacts(scope, ArtifactQuery("fact", ids=(id,)))
        if not found:
            raise NotFound(f"there is no fact {id!r}")
        return found[0]

    # -- reading

    def successors(self, scope: Scope, ended: Sequence[Artifact]) -> dict[str, Artifact]:
        """For facts that are no longer true, by id: the current one that has taken its place."""
        found: dict[str, Artifact] = {}
        for old in ended:
            claim = claim_of(old)
            new = next((new for new in self._current(scope, claim) if supersedes(claim_of(new), claim)), None)
            if new is not None:
                found[old.id] = new
        return found

    def listed(self, scope: Scope, query: ArtifactQuery) -> list[Fact]:
        """Facts whose messages can be seen, newest first."""
        return self.shown(scope, self.visible(scope, self._artifacts.artifacts(scope, query)))

    def visible(self, scope: Scope, found: Sequence[Artifact], known: Iterable[int] = ()) -> list[Artifact]:
        """Those of the artifacts that rest on messages which can be seen; what a person deleted or said differently is no
        fact any more. `known` are numbers of messages that were seen a moment ago."""
        seen = set(known)
        numbers = {source.number for fact in found for source in fact.sources} - seen
        seen |= {one.number for one in self._storage.look(scope, sorted(numbers))} if numbers else set()
        return [fact for fact in found if all(source.number in seen for source in fact.sources)]

    def shown(self, scope: Scope, found: Sequence[Artifact]) -> list[Fact]:
        """Facts with the ids of the messages they rest on."""
        numbers = sorted({source.number for fact in found for source in fact.sources})
        ids = {seen.number: seen.message.id for seen in self._storage.fetch(scope, numbers)} if numbers else {}
        return [_shown(fact, ids) for fact in found]

    @property
    def _artifacts(self) -> Artifacts:
        if not isinstance(self._storage, Artifacts):
            raise StorageError("this backend keeps no facts")
        return self._storage


def _data(claim: Claim) -> dict[str, object]:
    return {
        "kind": claim.kind,
        "subject": claim.subject,
        "about": claim.about,
        "value": claim.value,
        "confidence": claim.confidence,
        **({"corrects": True} if claim.corrects else {}),
    }


def claim_of(fact: Artifact) -> Claim:
    """A kept fact as it was claimed."""
    data = fact.data
    return Claim(
        fact.text, data["kind"], data["subject"], data["about"], data["value"], 0, 0, data["confidence"], fact.valid_from,
        data.get("corrects", False),
    )  # fmt: skip


def _is_on(fact: Artifact, claim: Claim) -> bool:
    return fact.data["subject"].casefold() == claim.subject.casefold()


def _same(one: Artifact, other: Artifact) -> bool:
    """Whether two facts say the same: it was said again."""
    return one.data["value"].casefold() == other.data["value"].casefold() and one.data["about"] == other.data["about"]


def _shown(fact: Artifact, ids: Mapping[int, str]) -> Fact:
    data = fact.data
    return Fact(
        fact.id,
        fact.text,
        data.get("kind", "identity"),
        data.get("subject", "user"),
        data.get("confidence", 1.0),
        fact.valid_from,
        fact.valid_to,
        fact.pinned,
        fact.session,
        tuple(ids[source.number] for source in fact.sources if source.number in ids),
    )
