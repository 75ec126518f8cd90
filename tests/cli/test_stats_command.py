"""`keepsaid stats`: its figures, and charts that fit the screen."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from shell import answer, call, make_store, run_command

import keepsaid
from keepsaid.cli.output.charts import draw_bars, draw_chart
from keepsaid.cli.output.text import display_width

SAID = "On day {} I bought two kilos of green tea in Lisbon for my sister Ana."


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """`me` said one message a day for 100 days, and asked for three prompts today."""
    path = make_store(tmp_path / "chat.db")
    now = datetime.now(UTC)
    with keepsaid.open(path, embedder="off", background=False, durable=False) as memory:
        chat = memory.chat(owner="long", session="s", create=True, created_at=now - timedelta(days=99))
        chat.add_many(
            [{"role": "user", "content": SAID.format(n), "created_at": now - timedelta(days=99 - n)} for n in range(100)]
        )
        for question in ("Tea?", "Coffee?", "Water?"):
            chat.context(question)
        memory.maintain()
    return path


def test_stats_counts_messages_prompts_and_tokens(store: Path):
    found = answer(call(store, "--owner", "long", "stats", "--json"))
    assert (found["active"], found["messages"], found["owners"]) == (1, 100, 1)
    assert found["size"] == store.stat().st_size
    assert len(found["periods"]) == 30
    assert sum(period["messages"] for period in found["periods"]) == 30
    assert found["periods"][-1]["prompts"] == 3
    assert found["periods"][-1]["summaries"] > 0
    assert 0 < found["recall_p50"] <= found["recall_p95"]
    sent, reused = (sum(period[name] for period in found["periods"]) for name in ("prompt_tokens", "reused_tokens"))
    assert 0 < reused < sent
    assert (
        f"{100 * reused / sent:.0f} % of {sent:,} tokens sent were in the previous prompt"
        in call(store, "--owner", "long", "stats", env={"COLUMNS": "120"}).stdout
    )
    year = answer(call(store, "--owner", "long", "stats", "--days", "365", "--json"))
    assert sum(period["messages"] for period in year["periods"]) == 100
    assert sum(period["bytes"] for period in year["periods"]) == sum(len(SAID.format(n)) for n in range(100))


def test_stats_covers_one_owner_or_all_owners(store: Path):
    assert answer(call(store, "stats", "--json"))["messages"] == 3
    everybody = answer(call(store, "stats", "--all-owners", "--json"))
    assert (everybody["owners"], everybody["messages"], everybody["owner"]) == (3, 104, None)
    assert answer(call(store, "--owner", "nobody", "stats", "--json"))["active"] == 0
    assert call(store, "--owner", "nobody", "stats").exit_code == 0


@pytest.mark.parametrize("columns", [60, 80, 120])
@pytest.mark.parametrize("days", [1, 7, 30, 100, 400, 3650])
def test_stats_charts_fit_screen_width(store: Path, columns: int, days: int):
    shown = call(store, "--owner", "long", "stats", "--days", str(days), env={"COLUMNS": str(columns)}).stdout
    lines = shown.splitlines()
    assert max(map(display_width, lines)) <= columns
    assert "Messages" in shown
    assert "█" in shown
    assert "\x1b" not in shown


def test_stats_prints_ascii_on_limited_terminals(store: Path):
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}
    done = run_command("--db", str(store), "--owner", "long", "stats", environment=plain)
    assert done.returncode == 0, done.stderr
    assert all(line.isascii() for line in done.stdout.splitlines()[1:])  # the first one names a file
    assert "#" in done.stdout
    dumb = run_command(
        "--db", str(store), "--owner", "long", "stats", environment={"TERM": "dumb", "PYTHONIOENCODING": "utf-8"}
    )
    assert "█" not in dumb.stdout


def test_draw_bars_scales_values_to_width_and_height():
    assert draw_bars([0, 1, 1000], 1, 3) == [" ▁█"]  # a little is never nothing
    assert draw_bars([], 2, 10) == ["", ""]
    assert draw_bars([0, 0], 1, 2) == ["  "]
    assert all(len(row) <= 20 for row in draw_bars(range(20), 3, 20))
    assert len(draw_bars([5] * 7, 1, 71)[0]) == 21  # bars of a week stand apart, and are not blown up
    assert "Messages" in draw_chart("Messages", "none", [], ("a", ""), 40, str)[0]


def test_stats_of_month_in_long_history_takes_under_100_ms(tmp_path: Path):
    start = datetime.now(UTC) - timedelta(days=365)
    with keepsaid.open(tmp_path / "big.db", embedder="off", background=False, durable=False) as memory:
        for session in range(100):
            at = start + timedelta(days=3.65 * session)
            memory.chat(owner="me", session=f"s{session}", create=True).add_many(
                [{"role": "user", "content": f"n{n} and tea", "created_at": at + timedelta(minutes=n)} for n in range(200)]
            )
        took = []
        for _ in range(5):
            begun = datetime.now(UTC)
            stats = memory.stats(owner="me", days=30)
            took.append(datetime.now(UTC) - begun)
    assert 1_000 < sum(period.messages for period in stats.periods) < 2_500
    assert min(took) < timedelta(milliseconds=100)
