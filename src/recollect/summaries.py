"""Rolling summaries: when one is due, what it covers, and who writes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Protocol

from recollect.config import Settings
from recollect.engine import digest as digests
from recollect.engine.digest import Digest, digest
from recollect.engine.terms import may_have, terms
from recollect.errors import NotFound, RecollectError, StorageError
from recollect.kit import Kit
from recollect.ports import ALL, ArtifactQuery, Artifacts, Covered, Storage, soon
from recollect.types import Artifact, Message, Scope, Session, SessionQuery, Source, Status, Summary, Window

AT_ONCE = 300
"""Messages that are summarised while somebody waits for a prompt; if more wait, the newest of them."""

IN_A_BATCH = 1_000
"""Messages that one summary is made of at the most: a worker must not outlast its lease over an import. It comes back."""


LISTED = 200
"""Sessions that are looked at together."""


class Writer(Protocol):
    """Writes a summary better than rules can: a language model."""

    @property
    def name(self) -> str: ...

    def write(self, previous: str, messages: Sequence[Message], made: Digest, limit: int) -> str:
        """The summary of an earlier one and of the messages since. `made` is what rules make of it: no exact value of it
        may be missing."""
        ...


class Summaries:
    """Makes the summaries of one storage's sessions."""

    def __init__(self, kit: Kit, storage: Storage, settings: Settings, writer: Writer | None = None) -> None:
        self._kit = kit
        self._storage = storage
        self._settings = settings
        self._writer = writer

    def due(self, scope: Scope, previous: Artifact | None) -> Artifact | None:
        """The session's next summary, if enough was said since the previous one."""
        most = IN_A_BATCH + self._settings.keep_recent
        since = self._storage.read(scope, Window(after=previous.upto if previous else None, first=most))
        new = since[: max(0, len(since) - self._settings.keep_recent)]
        if previous is None and len(since) < self._settings.summary_min_messages:
            return None
        if len(new) < self._settings.summary_every and (
            not new or sum(message.tokens for message in new) <= self._settings.summary_tail_tokens
        ):
            return None
        return self._made(scope, previous, new, self._writer)

    def upto(self, scope: Scope, previous: Artifact | None, seq: int) -> Artifact | None:
        """A summary of everything up to a message, made at once and so without a language model."""
        window = Window(after=previous.upto if previous else None, before=seq + 1, last=AT_ONCE)
        new = self._desk.snapshot(scope, window).tail
        if not new:
            return previous
        made = self._made(scope, previous, [seen.message for seen in new], None)
        # There is no lease that an erase could break: if any of these messages goes meanwhile, it must not be kept.
        sources = tuple(Source(seen.number) for seen in new if not seen.message.private)
        return None if made is None else replace(made, sources=sources)

    def foresee(self, scope: Scope, covered: Covered | None) -> None:
        """Tells the storage that a summary will be wanted."""
        if covered is not None:
            soon(self._storage, "artifacts", scope, _of(covered))

    def kept(self, scope: Scope, covered: Covered | None) -> Artifact | None:
        """A summary that is in the store, if it still is."""
        if covered is None:
            return None
        return next(iter(self._desk.artifacts(scope, _of(covered))), None)

    def listed(self, scope: Scope, words: Sequence[str], limit: int) -> list[Summary]:
        """What conversations were about: of each, or of the scope's own, the newest summary of the way it went. Those with
        the latest activity first or, if words are given, those that have most of them."""
        found: list[Summary] = []
        for session in self._having(scope, words) if words else self._summarised(scope):
            summary = self._shown(scope.of(session.id), session)
            if summary is not None and (not words or _shared(words, summary.text)):
                found.append(summary)
            if len(found) == limit:
                break
        return found

    def _summarised(self, scope: Scope, at_once: int = LISTED) -> Iterator[Session]:
        """Sessions that have a summary, by their latest activity."""
        if scope.session is not None:
            session = self._storage.get_session(scope)
            yield from () if session.status is Status.DELETED else (session,)
            return
        after: tuple[int, str] | None = None
        while page := self._storage.list_sessions(scope, SessionQuery(limit=at_once, after=after)):
            yield from (one for one in page if one.summary is not None)
            if len(page) < at_once:
                return
            after = page[-1].updated, page[-1].id

    def _having(self, scope: Scope, words: Sequence[str]) -> list[Session]:
        """Those of them whose summary has some of the words, best first."""
        scored = [(_shared(words, one.summary or ""), one) for one in self._summarised(scope, ALL)]
        best = sorted((one for one in scored if one[0]), key=lambda one: one[0], reverse=True)
        return [session for _, session in best]

    def _shown(self, scope: Scope, session: Session) -> Summary | None:
        try:
            covered = self._desk.snapshot(scope, Window(last=0)).summaries
            made = self.kept(scope, covered[-1] if covered else None)
            last = [] if made is None else self._storage.read(scope, Window(after=made.upto - 1, first=1))
        except NotFound:
            return None  # it was deleted since it was listed
        if made is None:
            return None
        count = made.data.get("messages")
        return Summary(
            made.id,
            session.id,
            session.title,
            made.text,
            made.tokens,
            made.created,
            count if isinstance(count, int) else 0,
            last[0].id if last and last[0].seq == made.upto else None,
        )

    @property
    def _desk(self) -> Artifacts:
        if not isinstance(self._storage, Artifacts):
            raise StorageError("this backend keeps no summaries")
        return self._storage

    def shortened(self, summary: Artifact, limit: int, count: Callable[[str], int]) -> str:
        """A summary's text within a limit, as a model's tokenizer counts."""
        if count(summary.text) <= limit:
            return summary.text
        return digest(_digest(summary), (), count, limit).text

    def _made(
        self, scope: Scope, previous: Artifact | None, new: Sequence[Message], writer: Writer | None
    ) -> Artifact | None:
        count, limit = self._kit.counter.count, self._settings.summary_tokens
        said = [message for message in new if not message.private]
        made = digest(_digest(previous) if previous else None, said, count, limit)
        upto = new[-1].seq
        text, by = made.text, "local"
        data: dict[str, Any] = {}
        if writer is not None and said:
            try:
                text, by = writer.write(previous.text if previous else "", said, made, limit), writer.name
            except RecollectError as error:
                data["fallback"] = str(error)
        if not text:
            return None
        now = self._kit.now()
        data |= {
            "digest": digests.pack(made),
            "topics": list(made.topics),
            "ratio": round(made.ratio, 4),
            "messages": made.messages,
            "by": by,
            "nth": (previous.data.get("nth", 1) if previous else 0) + 1,
            **({"previous": previous.id} if previous else {}),
        }
        return Artifact(
            self._kit.new_id(now), "summary", text, count(text), now, scope.session, valid_from=now, upto=upto, data=data
        )


def _shared(words: Sequence[str], text: str) -> int:
    """How many of the words a text has."""
    return len({*words} & {*terms(text)}) if may_have(text, words) else 0


def _digest(summary: Artifact) -> Digest:
    return digests.unpack(summary.data["digest"])


def _of(covered: Covered) -> ArtifactQuery:
    return ArtifactQuery("summary", ids=(covered.id,))
