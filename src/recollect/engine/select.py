"""The last step of a search: of the ranked messages, the ones to show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from recollect.engine.rank import Ranked
from recollect.types import Message

SAME_TALK = 0.4
"""What each earlier hit from the same conversation costs where a question asks for several things: they are seldom all
said in one."""


def select(ranked: Iterable[Ranked], messages: Sequence[Message], limit: int, *, several: bool = False) -> list[Ranked]:
    """The best `limit` of them: what was said twice is one hit that names the others, too (`also`), and with `several`
    conversations take turns."""
    places: dict[tuple[str, str], list[int]] = {}
    chosen: list[Ranked] = []
    for one in ranked:
        message = messages[one.at]
        same = places.setdefault((message.role, message.text), [])
        same.append(one.at)
        if len(same) == 1:
            chosen.append(one)
    if several:
        chosen = _taking_turns(chosen, messages)
    return [one._replace(also=tuple(_same(places, messages[one.at])[1:])) for one in chosen[:limit]]


def _same(places: Mapping[tuple[str, str], list[int]], message: Message) -> list[int]:
    return places[message.role, message.text]


def _taking_turns(ranked: Sequence[Ranked], messages: Sequence[Message]) -> list[Ranked]:
    hits: Counter[str] = Counter()
    scores: list[tuple[float, int]] = []
    for place, one in enumerate(ranked):
        talk = messages[one.at].session
        scores.append((one.score - SAME_TALK * hits[talk], -place))
        hits[talk] += 1
    return [Ranked(ranked[-place].at, score) for score, place in sorted(scores, reverse=True)]
