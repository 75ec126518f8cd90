"""Imports of files with the same message ids at the same time, as when someone uploads an export twice."""

from concurrent.futures import ThreadPoolExecutor

import pytest

import keepsaid

COUNT = 1200


def write_export(path, session):
    """Export a conversation whose message ids are the same whatever the session's id."""
    with keepsaid.open("memory://", embedder="off", background=False) as memory:
        chat = memory.chat(owner="x", session=session, create=True)
        chat.add_many({"role": "user", "content": f"Message {n} about trains", "id": f"m{n}"} for n in range(COUNT))
        memory.export(path, owner="x")
    return path


@pytest.fixture
def memory(tmp_path):
    with keepsaid.open(tmp_path / "chat.db", embedder="off", background=False, durable=False) as memory:
        yield memory


@pytest.mark.parametrize("other", ["one", "two"])
def test_import_between_check_and_write_loses_nothing(memory, tmp_path, monkeypatch, other):
    first, second = write_export(tmp_path / "first.json", "one"), write_export(tmp_path / "second.json", other)
    storage = memory._services.storage
    plant, planted = storage.plant, []

    def import_the_other_first(*arguments):
        if not planted:
            planted.append(True)
            memory.import_(second, owner="u")
        return plant(*arguments)

    monkeypatch.setattr(storage, "plant", import_the_other_first)
    report = memory.import_(first, owner="u")
    assert report.messages + report.already_there == COUNT
    for session in {"one", other}:
        texts = [message.text for message in memory.chat(owner="u", session=session).messages()]
        assert texts == [f"Message {n} about trains" for n in range(COUNT)]


def test_same_ids_imported_by_many_at_once(memory, tmp_path):
    names = [f"talk{n}" for n in range(4)]
    files = [write_export(tmp_path / f"{name}.json", name) for name in names]
    with ThreadPoolExecutor(8) as pool:
        reports = list(pool.map(lambda path: memory.import_(path, owner="u"), files + files))
    assert sum(report.messages for report in reports) == 4 * COUNT
    assert sum(report.already_there for report in reports) == 4 * COUNT
    for name in names:
        assert [m.text for m in memory.chat(owner="u", session=name).messages()] == [
            f"Message {n} about trains" for n in range(COUNT)
        ]
