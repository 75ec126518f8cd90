"""Last step of a search: selects the hits from the ranked messages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from keepsaid.engine.ranking.signals import RankedCandidate
from keepsaid.types import Message

SAME_CONVERSATION_COST = 0.4
"""Cost of each earlier hit from the same conversation, if a question asks for several things: they are seldom all in one."""


def select_candidates(
    ranked: Iterable[RankedCandidate], messages: Sequence[Message], limit: int, *, several: bool = False
) -> list[RankedCandidate]:
    """Return the best `limit` candidates. Messages with the same text are one hit that lists the others (`also`). With
    `several`, conversations take turns."""
    places: dict[tuple[str, str], list[int]] = {}
    chosen: list[RankedCandidate] = []
    for one in ranked:
        message = messages[one.at]
        same = places.setdefault((message.role, message.text), [])
        same.append(one.at)
        if len(same) == 1:
            chosen.append(one)
    if several:
        chosen = _alternate_conversations(chosen, messages)
    return [one._replace(also=tuple(_find_same(places, messages[one.at])[1:])) for one in chosen[:limit]]


def _find_same(places: Mapping[tuple[str, str], list[int]], message: Message) -> list[int]:
    return places[message.role, message.text]


def _alternate_conversations(ranked: Sequence[RankedCandidate], messages: Sequence[Message]) -> list[RankedCandidate]:
    hits: Counter[str] = Counter()
    scores: list[tuple[float, int]] = []
    for place, one in enumerate(ranked):
        session = messages[one.at].session
        scores.append((one.score - SAME_CONVERSATION_COST * hits[session], -place))
        hits[session] += 1
    return [RankedCandidate(ranked[-place].at, score) for score, place in sorted(scores, reverse=True)]
