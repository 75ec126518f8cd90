"""`recollect stats`: how the memory is used, and how it grows, as charts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import accumulate, pairwise

import click

from recollect.cli.charts import brief, chart, room
from recollect.cli.door import Door
from recollect.cli.options import json_option, whose
from recollect.cli.text import fitted, printable, screen_width, speaks_unicode
from recollect.cli.words import count, echo_json, size
from recollect.reports import Period, Stats

LENGTHS = {1: "day", 7: "week", 30: "30 days", 91: "quarter"}
WIDEST = 120


@click.command()
@whose
@click.option("--all-owners", is_flag=True, help="Of everybody in the store.")
@click.option("--days", type=click.IntRange(1, 36_500), default=30, show_default=True, metavar="N", help="The last N days.")
@json_option
@click.pass_obj
def stats(door: Door, owner: str, all_owners: bool, days: int, as_json: bool) -> None:
    """Draw how the memory is used, and how it grows.

    Days are those of your time zone; messages count on the day they were said.
    """
    whose_figures = None if all_owners else owner
    with door.reading(background=False) as memory:
        found = memory.stats(owner=whose_figures, days=days)
    if as_json:
        periods = [{**asdict(period), "start": period.start_at.isoformat()} for period in found.periods]
        totals = {name: value for name, value in asdict(found).items() if name != "periods"}
        echo_json({"store": door.where(), "owner": whose_figures, "days": days, **totals, "periods": periods})
        return
    width = min(WIDEST, screen_width())
    named = "everybody" if all_owners else printable(owner)
    click.echo(fitted(f"{named} in {door.where()}, the last {count(days, 'day')}", width) + "\n")
    for line in [*_totals(found), *_charts(found, days, width)]:
        click.echo(line)


def _totals(found: Stats) -> Iterator[str]:
    of = f" of {count(found.owners, 'owner')}" if found.owners > 1 else ""
    others = [f"{number:,} {name}" for number, name in ((found.archived, "archived"), (found.deleted, "deleted")) if number]
    beside = f" ({', '.join(others)})" if others else ""
    yield f"  {count(found.sessions, 'session')}{of}{beside}, {found.session_length:.1f} messages long on average"
    yield f"  {count(found.messages, 'message')}, {count(found.tokens, 'token')}"
    yield f"  {count(found.facts, 'fact')}, {count(found.documents, 'document')}"
    yield f"  {size(found.size)} on disk, with indexes and vectors"


def _charts(found: Stats, days: int, width: int) -> Iterator[str]:
    length = next((size for size in LENGTHS if -(-days // size) <= room(width)), max(LENGTHS))
    steps = grouped(found.periods, length)
    ends = _ends(steps)
    by = f"by {LENGTHS[length]}"
    prompts = sum(step.prompts for step in steps)
    said = sum(step.bytes for step in steps)
    latency = "no prompt was made" if found.recall_p50 is None or found.recall_p95 is None else (
        f"{count(prompts, 'prompt')}: 50 % within {found.recall_p50:.1f} ms, 95 % within {found.recall_p95:.1f} ms"
    )  # fmt: skip
    drawn: list[tuple[str, str, Sequence[float]]] = [
        ("Sessions", f"{sum(step.sessions for step in steps):,} begun, {by}", [step.sessions for step in steps]),
        ("Messages", f"{sum(step.messages for step in steps):,} said, {by}", [step.messages for step in steps]),
        ("Tokens", f"{sum(step.tokens for step in steps):,}, {by}", [step.tokens for step in steps]),
        ("Condensations", f"{sum(step.summaries for step in steps):,} summaries made, {by}",
         [step.summaries for step in steps]),
        ("Recall", f"{latency} (bars: 95 %)", [step.recall_p95 or 0.0 for step in steps]),
        ("Reuse", _reuse(steps), [_share(step) for step in steps]),
        ("Growth", f"{size(said)} of messages came in, all told {by}", list(accumulate(step.bytes for step in steps))),
    ]  # fmt: skip
    for title, note, values in drawn:
        yield ""
        if not any(values):
            yield f"{click.style(title, bold=True)}  {note.partition(' (')[0]}"
            continue
        shown = _bytes if title == "Growth" else brief
        yield from chart(title, fitted(note, width - len(title) - 2), values, ends, width, shown, unicode=speaks_unicode())


def _reuse(steps: Sequence[Period]) -> str:
    sent = sum(step.prompt_tokens for step in steps)
    share = 100 * sum(step.reused_tokens for step in steps) / sent if sent else 0.0
    return f"{share:.0f} % of {count(sent, 'token')} sent stood in the prompt before (bars: per cent)"


def _share(step: Period) -> float:
    return 100 * step.reused_tokens / step.prompt_tokens if step.prompt_tokens else 0.0


def grouped(periods: Sequence[Period], length: int) -> list[Period]:
    """Days put together, the last ones whole; of their latencies, the slowest day's.

    >>> days = [Period(start, messages=1, recall_p95=float(start)) for start in range(5)]
    >>> [(period.start, period.messages, period.recall_p95) for period in grouped(days, 2)]
    [(0, 1, 0.0), (1, 2, 2.0), (3, 2, 4.0)]
    """
    first = len(periods) % length
    cuts = [0, *range(first, len(periods), length), len(periods)]
    made: list[Period] = []
    for start, end in pairwise(cuts):
        if some := periods[start:end]:
            made.append(_together(some))
    return made


def _together(some: Sequence[Period]) -> Period:
    return Period(
        some[0].start,
        sum(one.sessions for one in some),
        sum(one.messages for one in some),
        sum(one.tokens for one in some),
        sum(one.bytes for one in some),
        sum(one.summaries for one in some),
        sum(one.prompts for one in some),
        max((one.recall_p50 for one in some if one.recall_p50 is not None), default=None),
        max((one.recall_p95 for one in some if one.recall_p95 is not None), default=None),
        sum(one.prompt_tokens for one in some),
        sum(one.reused_tokens for one in some),
    )


def _ends(steps: Sequence[Period]) -> tuple[str, str]:
    first, last = (steps[at].start_at.astimezone() for at in (0, -1))
    pattern = "%Y-%m-%d" if len(steps) > 20 else "%m-%d"
    return f"{first:{pattern}}", "" if len(steps) == 1 else f"{last:{pattern}}"


def _bytes(number: float) -> str:
    return size(int(number)).replace(" bytes", " B").replace(" byte", " B")
