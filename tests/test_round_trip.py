"""Export, import and export again give the same bytes, after random operations on a store."""

import io
import random

import pytest

from keepsaid.storage.inmemory.storage import MemoryStorage
from keepsaid.storage.sqlite import SqliteSource, SqliteStorage
from keepsaid.testing.state_machine import OWNERS, WORDS, StorageStateMachine
from keepsaid.types import SessionStatus

STEPS = 90
SEEDS = 60


class Lived(StorageStateMachine):
    """A store through which a random life went: the rules of the state machine, driven by a seed."""

    def make_storage(self):
        return MemoryStorage()

    def live(self, seed):
        chance = random.Random(seed)
        rules = "create add add add add edit edit add_after switch fork fork mark erase_message step update hide".split()
        rules += "keep take_notes erase_session purge turn_clock discard transplant".split()
        for _ in range(STEPS):
            rule = chance.choice(rules) if self.sessions and self.messages else chance.choice(["create", "create", "add"])
            if rule in ("add", "update") and not self.sessions:
                continue
            getattr(self, rule)(**self.arguments(rule, chance))

    def arguments(self, rule, chance):
        def pick():
            return chance.randrange(10_000)

        def text():
            return " ".join(chance.choices(WORDS, k=chance.randrange(4)))

        place = {"at": pick(), "elsewhere": chance.randrange(10), "pick": pick()}
        return {
            "create": lambda: {"owner": chance.choice(OWNERS), "tag": chance.choice(["", "work"])},
            "add": lambda: {
                "pick": pick(),
                "contents": [text() for _ in range(chance.randint(1, 3))],
                "role": chance.choice(["user", "assistant", "tool"]),
                "name": chance.choice([None, "Ann"]),
            },
            "edit": lambda: {**place, "text": text()},
            "add_after": lambda: {**place, "text": text()},
            "switch": lambda: place,
            "fork": lambda: place,
            "erase_message": lambda: place,
            "mark": lambda: {**place, "importance": chance.random()},
            "step": lambda: {"pick": pick(), "step": chance.choice("archive unarchive delete restore pop clear".split())},
            "update": lambda: {"pick": pick(), "title": text(), "pinned": chance.random() < 0.5, "revision": None},
            "hide": lambda: {"at": pick(), "private": chance.random() < 0.5},
            "keep": lambda: {
                "pick": pick(),
                "at": chance.randrange(13),
                "number": chance.randint(1, 30),
                "text": text(),
            },
            "take_notes": lambda: {"owner": chance.choice(OWNERS), "limit": chance.randint(1, 6)},
            "erase_session": lambda: {"pick": pick()},
            "purge": lambda: {"pick": pick()},
            "turn_clock": lambda: {"days": chance.choice([-1, 0.5, 3])},
            "discard": lambda: {"owner": chance.choice(OWNERS), "at": chance.randrange(13), "before": 3},
            "transplant": lambda: {
                "pick": pick(),
                "end": pick(),
                "status": chance.choice(list(SessionStatus)),
                "forked": chance.random() < 0.5,
            },
        }[rule]()


def export_owner(memory, owner, **options):
    file = io.StringIO()
    memory.export(file, owner=owner, **options)
    return file.getvalue()


def over(storage):
    from keepsaid.llm.tokens import counter_for
    from keepsaid.memory import Memory

    return Memory(storage, MemoryStorage(), counter_for("o200k_base"))


def same_again(text, owner, fresh, tmp_path):
    (tmp_path / "kept.json").write_text(text, encoding="utf-8")
    with over(fresh) as memory:
        report = memory.import_(tmp_path / "kept.json", owner=owner)
        assert (report.skipped, report.repaired, report.warnings) == ({}, {}, ())
        assert export_owner(memory, owner) == text
        assert memory.check().healthy
        again = memory.import_(tmp_path / "kept.json", owner=owner)
        assert (again.conversations, again.messages, again.facts, again.documents) == (0, 0, 0, 0)
        assert export_owner(memory, owner) == text


def round_trips(seeds, tmp_path):
    forks = purged = 0
    for seed in seeds:
        lived = Lived()
        lived.live(seed)
        for owner in OWNERS:
            text = export_owner(lived.memories[1], owner)
            forks += text.count('"fork"')
            same_again(text, owner, MemoryStorage(), tmp_path)
            same_again(text, owner, SqliteStorage(SqliteSource(tmp_path / f"{seed}{owner}.db", None, False, 5.0)), tmp_path)
            purged += any(one.purged for one in lived.storages[1]._known(("owner", owner)).sessions.values())
        lived.teardown()
    return forks, purged


def test_random_stores_survive_export_and_import(tmp_path):
    forks, purged = round_trips(range(SEEDS), tmp_path)
    assert forks > SEEDS
    assert purged


@pytest.mark.long
def test_a_thousand_random_stores_survive_export_and_import(tmp_path):
    round_trips(range(SEEDS, 1_000), tmp_path)
