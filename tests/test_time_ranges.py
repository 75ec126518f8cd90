"""Filtering by time reads only a few row ranges and finds all messages, in whatever order they were saved."""

import random
from datetime import UTC, datetime, timedelta

import pytest

import keepsaid
from keepsaid.storage.sqlite.search import time_ranges
from keepsaid.types import MessageDraft, Scope, SearchFilters, to_microseconds

START = datetime(2026, 1, 1, tzinfo=UTC)
SCOPE = Scope("u1")


def fill(memory, days, owner="u1", at_once=50):
    chat = memory.chat(owner=owner)
    drafts = [
        MessageDraft("user", f"tea {number}", created_at=START + timedelta(days=day)) for number, day in enumerate(days)
    ]
    for start in range(0, len(drafts), at_once):
        chat.add_many(drafts[start : start + at_once])
    return chat


@pytest.mark.parametrize("order", ["as said", "shuffled", "imported in the middle"])
@pytest.mark.parametrize("at_once", [1, 50, 1000])
def test_time_filter_finds_all_messages_in_range(tmp_path, order, at_once):
    days = list(range(700))
    if order == "shuffled":
        random.Random(1).shuffle(days)
    elif order == "imported in the middle":
        days = days[:200] + days[500:] + days[200:500]
    with keepsaid.open(tmp_path / "chat.db", durable=False) as memory:
        fill(memory, days, at_once=at_once)
        fill(memory, range(300), owner="u2")
        for since, until in ((0, 1), (250, 260), (699, None), (None, 3), (None, None), (900, None)):
            wanted = [n for n, day in enumerate(days, 1) if (since or 0) <= day < (10_000 if until is None else until)]
            filters = SearchFilters(
                since=None if since is None else to_microseconds(START + timedelta(days=since)),
                until=None if until is None else to_microseconds(START + timedelta(days=until)),
            )
            assert memory._services.storage.numbers(SCOPE, filters) == wanted
        assert memory.check().healthy


def test_a_week_needs_few_row_ranges(tmp_path):
    with keepsaid.open(tmp_path / "chat.db", durable=False) as memory:
        fill(memory, range(2000), at_once=500)
        week = to_microseconds(START + timedelta(days=1000)), to_microseconds(START + timedelta(days=1007))
        ranges = memory._services.storage._readers.run(lambda db: time_ranges.find_row_ranges(db, 1, *week))
        assert len(ranges) <= 3
        assert sum(end - start + 1 for start, end in ranges[:-1]) <= 2 * time_ranges.RANGE_LENGTH


def test_erase_removes_times_from_row_ranges(tmp_path):
    with keepsaid.open(tmp_path / "chat.db", durable=False) as memory:
        chat = fill(memory, [*range(50), 9999, *range(50, 200)])
        told = to_microseconds(START + timedelta(days=9999))
        count = "SELECT count(*) FROM stretches WHERE last = ?"
        assert memory._services.storage._readers.run(lambda db: db.execute(count, (told,)).fetchall()) == [(1,)]
        chat.erase(chat.messages()[50].id)
        assert memory._services.storage._readers.run(lambda db: db.execute(count, (told,)).fetchall()) == [(0,)]
        assert memory.check().healthy
        memory.erase(owner="u1")
        assert memory._services.storage._readers.run(lambda db: db.execute("SELECT count(*) FROM stretches").fetchall()) == [
            (0,)
        ]


def test_check_finds_and_repairs_wrong_row_ranges(tmp_path):
    with keepsaid.open(tmp_path / "chat.db", durable=False) as memory:
        fill(memory, range(300))
        memory._services.storage._writer.run(lambda db: db.execute("UPDATE stretches SET last = first WHERE start < upto"))
        assert [finding.kind for finding in memory.check().findings] == ["time ranges"]
        assert memory.check(repair=True).healthy
        assert not memory.check().findings
