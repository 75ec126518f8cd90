"""`keepsaid stats`: charts of how the memory is used and how it grows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import accumulate, pairwise

import click

from keepsaid.cli.open_store import StoreOpener
from keepsaid.cli.options import json_option, owner_option
from keepsaid.cli.output.charts import abbreviate_number, chart_columns, draw_chart
from keepsaid.cli.output.formatting import echo_json, format_count, format_size
from keepsaid.cli.output.text import screen_width, supports_unicode, to_printable, truncate_to_width
from keepsaid.types.reports import MemoryStats, StatsPeriod

LENGTHS = {1: "day", 7: "week", 30: "30 days", 91: "quarter"}
MAX_COLUMNS = 120


@click.command()
@owner_option
@click.option("--all-owners", is_flag=True, help="Count all owners in the store.")
@click.option("--days", type=click.IntRange(1, 36_500), default=30, show_default=True, metavar="N", help="The last N days.")
@json_option
@click.pass_obj
def stats(opener: StoreOpener, owner: str, all_owners: bool, days: int, as_json: bool) -> None:
    """Chart how the memory is used and how it grows.

    Days are in your time zone; a message counts on the day of its date.
    """
    stats_owner = None if all_owners else owner
    with opener.open_for_reading(background=False) as memory:
        found = memory.stats(owner=stats_owner, days=days)
    if as_json:
        periods = [{**asdict(period), "start": period.start_at.isoformat()} for period in found.periods]
        totals = {name: value for name, value in asdict(found).items() if name != "periods"}
        echo_json({"store": opener.location(), "owner": stats_owner, "days": days, **totals, "periods": periods})
        return
    width = min(MAX_COLUMNS, screen_width())
    named = "all owners" if all_owners else to_printable(owner)
    click.echo(truncate_to_width(f"{named} in {opener.location()}, the last {format_count(days, 'day')}", width) + "\n")
    for line in [*_totals(found), *_charts(found, days, width)]:
        click.echo(line)


def _totals(found: MemoryStats) -> Iterator[str]:
    of = f" of {format_count(found.owners, 'owner')}" if found.owners > 1 else ""
    others = [f"{number:,} {name}" for number, name in ((found.archived, "archived"), (found.deleted, "deleted")) if number]
    other_statuses = f" ({', '.join(others)})" if others else ""
    yield (
        f"  {format_count(found.sessions, 'session')}{of}{other_statuses},"
        f" {found.session_length:.1f} messages long on average"
    )
    yield f"  {format_count(found.messages, 'message')}, {format_count(found.tokens, 'token')}"
    yield f"  {format_count(found.facts, 'fact')}, {format_count(found.documents, 'document')}"
    yield f"  {format_size(found.size)} on disk, with indexes and vectors"


def _charts(found: MemoryStats, days: int, width: int) -> Iterator[str]:
    length = next((days_each for days_each in LENGTHS if -(-days // days_each) <= chart_columns(width)), max(LENGTHS))
    steps = group_periods(found.periods, length)
    ends = _date_labels(steps)
    by = f"by {LENGTHS[length]}"
    prompts = sum(step.prompts for step in steps)
    added = sum(step.bytes for step in steps)
    latency = "no prompts" if found.recall_p50 is None or found.recall_p95 is None else (
        f"{format_count(prompts, 'prompt')}: 50 % within {found.recall_p50:.1f} ms, 95 % within {found.recall_p95:.1f} ms"
    )  # fmt: skip
    drawn: list[tuple[str, str, Sequence[float]]] = [
        ("Sessions", f"{sum(step.sessions for step in steps):,} started, {by}", [step.sessions for step in steps]),
        ("Messages", f"{sum(step.messages for step in steps):,} added, {by}", [step.messages for step in steps]),
        ("Tokens", f"{sum(step.tokens for step in steps):,}, {by}", [step.tokens for step in steps]),
        ("Condensations", f"{sum(step.summaries for step in steps):,} summaries made, {by}",
         [step.summaries for step in steps]),
        ("Recall", f"{latency} (bars: 95 %)", [step.recall_p95 or 0.0 for step in steps]),
        ("Reuse", _describe_reuse(steps), [_reuse_percent(step) for step in steps]),
        ("Growth", f"{format_size(added)} of messages added, in total {by}", list(accumulate(step.bytes for step in steps))),
    ]  # fmt: skip
    for title, note, values in drawn:
        yield ""
        if not any(values):
            yield f"{click.style(title, bold=True)}  {note.partition(' (')[0]}"
            continue
        shown = _format_bytes if title == "Growth" else abbreviate_number
        yield from draw_chart(
            title, truncate_to_width(note, width - len(title) - 2), values, ends, width, shown, unicode=supports_unicode()
        )


def _describe_reuse(steps: Sequence[StatsPeriod]) -> str:
    sent = sum(step.prompt_tokens for step in steps)
    share = 100 * sum(step.reused_tokens for step in steps) / sent if sent else 0.0
    return f"{share:.0f} % of {format_count(sent, 'token')} sent were in the previous prompt (bars: percent)"


def _reuse_percent(step: StatsPeriod) -> float:
    return 100 * step.reused_tokens / step.prompt_tokens if step.prompt_tokens else 0.0


def group_periods(periods: Sequence[StatsPeriod], length: int) -> list[StatsPeriod]:
    """Group days into periods, the last ones complete; a period has the latencies of its slowest day.

    >>> days = [StatsPeriod(start, messages=1, recall_p95=float(start)) for start in range(5)]
    >>> [(period.start, period.messages, period.recall_p95) for period in group_periods(days, 2)]
    [(0, 1, 0.0), (1, 2, 2.0), (3, 2, 4.0)]
    """
    first = len(periods) % length
    cuts = [0, *range(first, len(periods), length), len(periods)]
    made: list[StatsPeriod] = []
    for start, end in pairwise(cuts):
        if some := periods[start:end]:
            made.append(_merge_periods(some))
    return made


def _merge_periods(some: Sequence[StatsPeriod]) -> StatsPeriod:
    return StatsPeriod(
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


def _date_labels(steps: Sequence[StatsPeriod]) -> tuple[str, str]:
    first, last = (steps[at].start_at.astimezone() for at in (0, -1))
    pattern = "%Y-%m-%d" if len(steps) > 20 else "%m-%d"
    return f"{first:{pattern}}", "" if len(steps) == 1 else f"{last:{pattern}}"


def _format_bytes(number: float) -> str:
    return format_size(int(number)).replace(" bytes", " B").replace(" byte", " B")
