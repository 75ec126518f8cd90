"""Charts: the numbers of each day, drawn and as a table, by mouse, keyboard and screen reader."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from .conftest import RunningServer
from .looks import is_fit_for_all

Visit = Callable[..., Page]
TITLES = [
    "Sessions", "Messages", "Tokens", "Prefix reuse", "Condensations", "Recall latency", "Storage growth",
]  # fmt: skip


@pytest.fixture(scope="module")
def server_with_history(running_server: RunningServer) -> RunningServer:
    """A server whose owner talked on some days, and asked for two prompts today."""
    now = datetime.now(UTC)
    for days, count in ((0, 3), (2, 5), (20, 8), (200, 2)):
        session = running_server.session(f"{days} days ago")
        at = (now - timedelta(days=days)).isoformat()
        said = [{"role": "user", "content": f"The bridge is {number} m long.", "created_at": at} for number in range(count)]
        running_server.http.post(f"/v1/sessions/{session}/messages/batch", json={"messages": said}).raise_for_status()
        if days == 0:
            for question in ("How long is the bridge?", "How long is it again?"):
                running_server.http.post("/v1/context", json={"session": session, "question": question}).raise_for_status()
    return running_server


def stats(running_server: RunningServer, days: int) -> dict[str, Any]:
    return running_server.http.get("/v1/stats", params={"days": days}).raise_for_status().json()


def chart(page: Page, title: str) -> Locator:
    return page.get_by_role("region", name=title, exact=True)


def plot(page: Page, title: str) -> Locator:
    return chart(page, title).get_by_role("slider")


def table(page: Page, title: str) -> list[list[str]]:
    """The rows of a chart's table, newest first."""
    box = chart(page, title)
    box.get_by_role("button", name="Table").click()
    expect(box.get_by_role("table")).to_be_visible()
    rows = box.get_by_role("table").locator("tbody tr")
    return [[cell.inner_text() for cell in rows.nth(at).locator("th, td").all()] for at in range(rows.count())]


def test_every_chart_is_drawn_with_accessible_name(visit: Visit, server_with_history: RunningServer) -> None:
    page = visit(server_with_history, "/charts")
    for title in TITLES:
        expect(plot(page, title)).to_have_accessible_name(f"{title}, by day")
        expect(plot(page, title)).to_have_accessible_description(re.compile("arrow keys"))
        expect(plot(page, title).locator("svg .axes text").first).to_be_visible()
    expect(chart(page, "Messages").locator(".bars rect")).to_have_count(3)
    expect(chart(page, "Messages")).to_contain_text("16 said")


def test_bar_heights_match_their_numbers(visit: Visit, server_with_history: RunningServer) -> None:
    page = visit(server_with_history, "/charts")
    bars = chart(page, "Messages").locator(".bars rect")
    expect(bars).to_have_count(3)
    heights = [float(bar.get_attribute("height") or 0) for bar in bars.all()]
    assert [round(height / heights[0] * 8, 3) for height in heights] == [8, 5, 3]


def test_table_lists_numbers_of_every_day(visit: Visit, server_with_history: RunningServer) -> None:
    page = visit(server_with_history, "/charts")
    told = stats(server_with_history, 30)["periods"][::-1]
    rows = table(page, "Messages")
    assert len(rows) == 30
    assert [row[1] for row in rows] == [f"{day['messages']} message{'' if day['messages'] == 1 else 's'}" for day in told]
    assert rows[0][1] == "3 messages"
    assert rows[1][1] == "0 messages"
    assert rows[2][1] == "5 messages"
    assert [len(row) for row in table(page, "Recall latency")] == [3] * 30


def test_day_without_measurement_is_a_gap(visit: Visit, server_with_history: RunningServer) -> None:
    page = visit(server_with_history, "/charts")
    expect(chart(page, "Recall latency").locator("svg .line-1 .dot").first).to_be_visible()
    assert chart(page, "Recall latency").locator(".plot .line-1 .dot").count() == 1
    assert chart(page, "Prefix reuse").locator(".plot .dot").count() == 1
    rows = table(page, "Recall latency")
    assert "ms" in rows[0][1]
    assert rows[1][1:] == ["not measured", "not measured"]
    expected = stats(server_with_history, 30)["periods"][-1]
    share = expected["reused_tokens"] / expected["prompt_tokens"]
    assert abs(float(table(page, "Prefix reuse")[0][1].rstrip("%")) - 100 * share) < 0.06


def test_storage_growth_is_cumulative(visit: Visit, server_with_history: RunningServer) -> None:
    page = visit(server_with_history, "/charts")
    rows = [row[1] for row in table(page, "Storage growth")]
    total = sum(day["bytes"] for day in stats(server_with_history, 30)["periods"])
    assert rows[0] == (f"{total:,} bytes" if total < 1000 else f"{round(total / 1000, 1):g} kB")
    assert rows[-1] == "0 bytes"


def test_arrow_keys_move_day_by_day(visit: Visit, server_with_history: RunningServer) -> None:
    page = visit(server_with_history, "/charts")
    messages = plot(page, "Messages")
    messages.focus()
    expect(messages).to_have_attribute("aria-valuetext", re.compile(": 3 messages$"))
    expect(chart(page, "Messages").get_by_text(re.compile(": 3 messages$"))).to_be_visible()
    page.keyboard.press("ArrowLeft")
    expect(messages).to_have_attribute("aria-valuetext", re.compile(": 0 messages$"))
    page.keyboard.press("ArrowLeft")
    expect(messages).to_have_attribute("aria-valuetext", re.compile(": 5 messages$"))
    page.keyboard.press("Home")
    expect(messages).to_have_attribute("aria-valuenow", "1")
    page.keyboard.press("Tab")
    expect(chart(page, "Messages").get_by_text("16 said", exact=True)).to_be_visible()


def test_hover_shows_numbers_of_day(visit: Visit, server_with_history: RunningServer) -> None:
    page = visit(server_with_history, "/charts")
    bars = chart(page, "Messages").locator(".bars rect")
    expect(bars).to_have_count(3)
    bars.last.hover()
    expect(chart(page, "Messages").get_by_text(re.compile(": 3 messages$"))).to_be_visible()
    bars.first.hover()
    expect(chart(page, "Messages").get_by_text(re.compile(": 8 messages$"))).to_be_visible()
    page.mouse.move(0, 0)
    expect(chart(page, "Messages").get_by_text("16 said", exact=True)).to_be_visible()


def test_period_buttons_change_range_and_granularity(visit: Visit, server_with_history: RunningServer) -> None:
    page = visit(server_with_history, "/charts")
    page.get_by_role("button", name="7 days").click()
    expect(chart(page, "Messages")).to_contain_text("8 said")
    assert len(table(page, "Messages")) == 7
    page.get_by_role("button", name="A year").click()
    expect(chart(page, "Messages")).to_contain_text("18 said")
    rows = chart(page, "Messages").get_by_role("table").locator("tbody tr")
    expect(rows).to_have_count(53)
    expect(plot(page, "Sessions")).to_have_accessible_name("Sessions, by week")


def test_totals_match_server_statistics(visit: Visit, server_with_history: RunningServer) -> None:
    page = visit(server_with_history, "/charts")
    told = stats(server_with_history, 30)
    for name in ("sessions", "messages", "tokens", "facts", "documents"):
        figure = page.locator(".total").filter(has=page.locator(f"dt:text-is('{name.title()}')")).locator(".total-value")
        expect(figure).to_have_text(f"{told[name]:,}")


def test_empty_store_shows_hint_to_import(start: Callable[..., RunningServer], visit: Visit) -> None:
    page = visit(start(), "/charts")
    expect(page.get_by_text("Nothing to draw yet")).to_be_visible()
    expect(page.get_by_role("link", name="import conversations")).to_have_attribute("href", "/settings")


def test_charts_page_is_accessible_and_fits_small_screens(visit: Visit, server_with_history: RunningServer) -> None:
    is_fit_for_all(visit, server_with_history, "/charts", "16 said")
