"""Rolling summaries: when one is due, what it covers, and what writes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from keepsaid.config import Settings
from keepsaid.engine import summary as digests
from keepsaid.engine.summary import ExtractiveSummary, summarize_messages
from keepsaid.engine.text.terms import may_contain_terms, terms
from keepsaid.errors import KeepsaidError, NotFound
from keepsaid.ports import NO_LIMIT, ArtifactQuery, Storage, SummaryCoverage, prefetch
from keepsaid.types import (
    Artifact,
    ArtifactSource,
    Message,
    ReadWindow,
    Scope,
    Session,
    SessionQuery,
    SessionStatus,
    Summary,
)

if TYPE_CHECKING:
    from keepsaid.services.container import ServiceContainer

AT_ONCE = 300
"""Messages summarized while a caller waits for a prompt; if there are more, the newest of them."""

IN_A_BATCH = 1_000
"""Maximum number of messages in one summary, so that a worker's lease does not expire during an import. The rest follows."""


LISTED = 200
"""Sessions read together."""


class SummaryWriter(Protocol):
    """Writes summaries with a language model, better than rules can."""

    @property
    def name(self) -> str: ...

    def write(self, previous: str, messages: Sequence[Message], made: ExtractiveSummary, limit: int) -> str:
        """Return the summary of an earlier summary and the messages since.

        `made` is the summary made by rules. None of its exact values may be missing.
        """
        ...


class RollingSummaries:
    """Makes the summaries of the sessions of one storage."""

    def __init__(
        self, services: ServiceContainer, storage: Storage, settings: Settings, writer: SummaryWriter | None = None
    ) -> None:
        self._services = services
        self._storage = storage
        self._settings = settings
        self._writer = writer

    def summarize_if_due(self, scope: Scope, previous: Artifact | None) -> Artifact | None:
        """Return the session's next summary, if enough was said since the previous one."""
        most = IN_A_BATCH + self._settings.keep_recent
        since = self._storage.read(scope, ReadWindow(after=previous.upto if previous else None, first=most))
        new = since[: max(0, len(since) - self._settings.keep_recent)]
        if previous is None and len(since) < self._settings.summary_min_messages:
            return None
        if len(new) < self._settings.summary_every and (
            not new or sum(message.tokens for message in new) <= self._settings.summary_tail_tokens
        ):
            return None
        return self._summarize(scope, previous, new, self._writer)

    def summarize_up_to(self, scope: Scope, previous: Artifact | None, seq: int) -> Artifact | None:
        """Return a summary of everything up to a message. It is made immediately, so without a language model."""
        window = ReadWindow(after=previous.upto if previous else None, before=seq + 1, last=AT_ONCE)
        new = self._storage.snapshot(scope, window).tail
        if not new:
            return previous
        made = self._summarize(scope, previous, [seen.message for seen in new], None)
        # No lease protects this: if any of these messages is erased meanwhile, the storage must reject the summary.
        sources = tuple(ArtifactSource(seen.number) for seen in new if not seen.message.private)
        return None if made is None else replace(made, sources=sources)

    def prefetch(self, scope: Scope, covered: SummaryCoverage | None) -> None:
        """Prefetch a summary that will be needed."""
        if covered is not None:
            prefetch(self._storage, "artifacts", scope, _query(covered))

    def fetch_summary(self, scope: Scope, covered: SummaryCoverage | None) -> Artifact | None:
        """Return a stored summary, or None if it no longer exists."""
        if covered is None:
            return None
        return next(iter(self._storage.artifacts(scope, _query(covered))), None)

    def list_summaries(self, scope: Scope, words: Sequence[str], limit: int) -> list[Summary]:
        """Return the newest summary of each conversation, or of the scope's own one.

        Conversations with the latest activity come first or, if words are given, those whose summaries have most of them.
        """
        found: list[Summary] = []
        for session in self._find_with_words(scope, words) if words else self._list_summarized(scope):
            summary = self._to_summary(scope.of(session.id), session)
            if summary is not None and (not words or _count_shared_words(words, summary.text)):
                found.append(summary)
            if len(found) == limit:
                break
        return found

    def _list_summarized(self, scope: Scope, at_once: int = LISTED) -> Iterator[Session]:
        """Yield the sessions that have a summary, those with the latest activity first."""
        if scope.session is not None:
            session = self._storage.get_session(scope)
            yield from () if session.status is SessionStatus.DELETED else (session,)
            return
        after: tuple[int, str] | None = None
        while page := self._storage.list_sessions(scope, SessionQuery(limit=at_once, after=after)):
            yield from (one for one in page if one.summary is not None)
            if len(page) < at_once:
                return
            after = page[-1].updated, page[-1].id

    def _find_with_words(self, scope: Scope, words: Sequence[str]) -> list[Session]:
        """Return the sessions whose summary has some of the words, best first."""
        scored = [(_count_shared_words(words, one.summary or ""), one) for one in self._list_summarized(scope, NO_LIMIT)]
        best = sorted((one for one in scored if one[0]), key=lambda one: one[0], reverse=True)
        return [session for _, session in best]

    def _to_summary(self, scope: Scope, session: Session) -> Summary | None:
        try:
            covered = self._storage.snapshot(scope, ReadWindow(last=0)).summaries
            made = self.fetch_summary(scope, covered[-1] if covered else None)
            last = [] if made is None else self._storage.read(scope, ReadWindow(after=made.upto - 1, first=1))
        except NotFound:
            return None  # deleted meanwhile
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

    def shorten_summary(self, summary: Artifact, limit: int, count: Callable[[str], int]) -> str:
        """Return a summary's text within a limit, as a model's tokenizer counts."""
        if count(summary.text) <= limit:
            return summary.text
        return summarize_messages(_unpack(summary), (), count, limit).text

    def _summarize(
        self, scope: Scope, previous: Artifact | None, new: Sequence[Message], writer: SummaryWriter | None
    ) -> Artifact | None:
        count, limit = self._services.counter.count, self._settings.summary_tokens
        non_private = [message for message in new if not message.private]
        made = summarize_messages(_unpack(previous) if previous else None, non_private, count, limit)
        upto = new[-1].seq
        text, by = made.text, "local"
        data: dict[str, Any] = {}
        if writer is not None and non_private:
            try:
                text, by = writer.write(previous.text if previous else "", non_private, made, limit), writer.name
            except KeepsaidError as error:
                data["fallback"] = str(error)
        if not text:
            return None
        now = self._services.now()
        data |= {
            "digest": digests.pack_summary(made),
            "topics": list(made.topics),
            "ratio": round(made.ratio, 4),
            "messages": made.messages,
            "by": by,
            "nth": (previous.data.get("nth", 1) if previous else 0) + 1,
            **({"previous": previous.id} if previous else {}),
        }
        return Artifact(
            self._services.new_id(now),
            "summary",
            text,
            count(text),
            now,
            scope.session,
            valid_from=now,
            upto=upto,
            data=data,
        )


def _count_shared_words(words: Sequence[str], text: str) -> int:
    """Return how many of the words occur in a text."""
    return len({*words} & {*terms(text)}) if may_contain_terms(text, words) else 0


def _unpack(summary: Artifact) -> ExtractiveSummary:
    return digests.unpack_summary(summary.data["digest"])


def _query(covered: SummaryCoverage) -> ArtifactQuery:
    return ArtifactQuery("summary", ids=(covered.id,))
