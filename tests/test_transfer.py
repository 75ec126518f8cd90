"""Exports and imports through `Memory`: nothing is lost or duplicated, and erased data is not restored."""

import io
import json
import stat

import pytest
from backends import near, replicated

import keepsaid
from keepsaid.errors import ImportProblem, InvalidInput, NotFound, StorageError, StoreFull
from keepsaid.services.container import system_clock
from keepsaid.types import ContentPart, ToolCall

pytestmark = replicated(reason="how rows go and come is tested elsewhere")


@pytest.fixture
def memory(opened):
    return opened(clock=system_clock)


@pytest.fixture
def other(tmp_path):
    with keepsaid.open(tmp_path / "b.db", background=False) as memory:
        yield memory


def export_owner(memory, owner="ann", **options):
    file = io.StringIO()
    memory.export(file, owner=owner, **options)
    return file.getvalue()


def transfer_owner(memory, other, tmp_path, owner="ann", **options):
    memory.export(tmp_path / "kept.json", owner=owner, **options)
    return other.import_(tmp_path / "kept.json", owner=owner)


def test_import_restores_all_fields_of_messages(memory, other, tmp_path):
    chat = memory.chat(owner="ann", title="Tools", tags=["work"], metadata={"topic": "x"}, system_prompt="Be brief.")
    chat.add(
        "user",
        [ContentPart("text", text="Look"), ContentPart("image", uri="https://example.org/a.png", media_type="image/png")],
    )
    chat.add(
        "assistant", "", tool_calls=[ToolCall("c1", "weather", '{"city": "Lisbon"}')], metadata={"big": 2**70, "x": 0.1}
    )
    chat.add("tool", "21 °C", tool_call_id="c1", name="weather", importance=0.123456789012345)
    secret = chat.add("user", "Don't remember this: the code is 4711.", pinned=True)
    assert secret.private
    chat.archive()
    transfer_owner(memory, other, tmp_path)
    there = other.chat(owner="ann", session=chat.id)
    assert there.messages() == chat.messages()
    assert there.info()._replace(touched=0, expires=None, revision=0) == chat.info()._replace(
        touched=0, expires=None, revision=0
    )
    assert not other.search("4711", owner="ann")


def test_import_restores_documents_and_facts(memory, other, tmp_path):
    chat = memory.chat(owner="ann")
    chat.add("user", "I live in Lisbon.")
    chat.add("assistant", "Noted!")
    memory.remember("Allergic to nuts", owner="ann", pinned=True)
    memory.ingest("guide.md", content="# Backup\n\nCopy the folder once a week.", owner="ann")
    memory.ingest("guide.md", content="# Backup\n\nCopy the folder twice a week.", owner="ann")
    memory.ingest("notes.md", content="Only here.", owner="ann", session=chat.id)
    memory.maintain()
    report = transfer_owner(memory, other, tmp_path)
    assert (report.documents, report.facts) == (2, 2)
    assert other.documents(owner="ann", session=chat.id) == memory.documents(owner="ann", session=chat.id)
    assert other.search_documents("how often is the folder copied?", owner="ann")[0].message.text.endswith("twice a week.")
    assert other.facts(owner="ann") == memory.facts(owner="ann")
    other.maintain()
    assert other.facts(owner="ann") == memory.facts(owner="ann")  # nothing is noted twice
    other.erase(owner="ann", session=chat.id)
    assert [fact.text for fact in other.facts(owner="ann")] == ["Allergic to nuts"]


def test_exported_fork_is_complete_without_its_origin(memory, other, tmp_path):
    chat = memory.chat(owner="ann", title="Trip")
    said = [chat.add("user", text) for text in ("one", "two", "three")]
    fork = chat.fork(at=said[1].id)
    fork.add("user", "other")
    report = transfer_owner(memory, other, tmp_path, session=fork.id)
    assert (report.conversations, report.messages) == (1, 3)
    assert [message.text for message in other.chat(owner="ann", session=fork.id).messages()] == ["one", "two", "other"]
    # The origin comes later: its messages are taken by the fork, so they get ids of their own.
    assert transfer_owner(memory, other, tmp_path, session=chat.id).messages == 3
    assert [message.text for message in other.chat(owner="ann", session=chat.id).messages()] == ["one", "two", "three"]
    assert transfer_owner(memory, other, tmp_path, session=chat.id).messages == 0


def test_interrupted_import_can_be_continued(memory, other, tmp_path):
    chat = memory.chat(owner="ann")
    chat.add_many({"role": "user", "content": f"number {number}"} for number in range(1_300))
    edited = chat.edit(chat.messages(last=100)[0].id, "branch")
    memory.export(tmp_path / "kept.json", owner="ann")

    def interrupt(done, total):
        if done > total / 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        other.import_(tmp_path / "kept.json", owner="ann", progress=interrupt)
    report = other.import_(tmp_path / "kept.json", owner="ann")
    assert report.messages + report.already_there == 1_301
    assert other.chat(owner="ann", session=chat.id).messages() == chat.messages()
    assert chat.messages()[-1] == edited
    assert export_owner(other) == export_owner(memory)


def test_import_of_truncated_file_keeps_messages_read_before(memory, other, tmp_path):
    for number in range(20):
        memory.chat(owner="ann", session=f"s{number:02}", create=True).add("user", f"number {number}")
    text = export_owner(memory)
    file = tmp_path / "kept.json"
    file.write_text(text[: len(text) // 2])
    with pytest.raises(ImportProblem, match=r"kept\.json.*byte") as caught:
        other.import_(file, owner="ann")
    assert 5 < caught.value.report.messages < 15
    assert len(other.sessions(owner="ann", limit=100)) >= caught.value.report.conversations
    file.write_text(text)
    assert other.import_(file, owner="ann").messages == 20 - caught.value.report.messages
    assert export_owner(other) == text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"format": "keepsaid", "version": 2, "owner": "a"}', "version 2"),
        ('{"format": "keepsaid", "version": 1, "sessions": {}}', "expected a list"),
        ('{"format": "keepsaid", "version": 1, "sessions": [{"id": "a", "messages": []}]}', "session 'a'"),
        ('{"format": "keepsaid", "sessions": [{"id": "a", "status": "odd", "leaf": "b", "messages": []}]}', "odd"),
        ('{"format": "keepsaid", "version": 1, "artifacts": [{"id": "a"}]}', "artifact 'a'"),
    ],
)
def test_import_of_invalid_structure_names_the_problem(memory, tmp_path, text, says):
    (tmp_path / "odd.json").write_text(text)
    with pytest.raises(ImportProblem, match=says):
        memory.import_(tmp_path / "odd.json", owner="ann")


def test_import_skips_erased_messages(memory, tmp_path):
    chat = memory.chat(owner="ann")
    said = [chat.add("user", text) for text in ("one", "two", "three")]
    memory.export(tmp_path / "kept.json", owner="ann")
    chat.erase(said[1].id)
    report = memory.import_(tmp_path / "kept.json", owner="ann")
    assert (report.messages, report.already_there, report.skipped) == (0, 2, {"messages that were erased here": 1})
    memory.erase(owner="ann")
    report = memory.import_(tmp_path / "kept.json", owner="ann")
    assert (report.conversations, report.messages, report.skipped) == (0, 0, {"messages that were erased here": 3})


def test_import_restores_nothing_of_an_erased_owner(memory, tmp_path):
    chat = memory.chat(owner="ann", title="Secret plans")
    said = chat.add("user", "The code is 4711.")
    chat.fork().add("user", "And the other one is 4712.")
    chat.fork(at=said.id, title="Just a fork")
    memory.remember("Allergic to nuts", owner="ann")
    memory.ingest("guide.md", content="Run setup.exe.", owner="ann")
    before = export_owner(memory)
    (tmp_path / "kept.json").write_text(before)
    memory.erase(owner="ann")
    report = memory.import_(tmp_path / "kept.json", owner="ann")
    assert (report.conversations, report.messages, report.documents, report.facts) == (0, 0, 0, 0)
    assert json.loads(export_owner(memory)) == {
        "format": "keepsaid", "version": 1, "owner": "ann", "sessions": [], "documents": [], "artifacts": [],
    }  # fmt: skip
    # Who wants a document again gives it again.
    memory.ingest("guide.md", content="Run setup.exe.", owner="ann")
    assert memory.search_documents("setup", owner="ann")
    assert memory.import_(tmp_path / "kept.json", owner="bob").messages == 2


def test_import_skips_forgotten_facts(memory, tmp_path):
    fact = memory.remember("Allergic to nuts", owner="ann")
    memory.export(tmp_path / "kept.json", owner="ann")
    memory.forget_fact(fact.id, owner="ann")
    report = memory.import_(tmp_path / "kept.json", owner="ann")
    assert (report.facts, report.skipped) == (0, {"notes that were erased here": 1})


def test_import_keeps_newer_messages_and_title(memory, tmp_path):
    chat = memory.chat(owner="ann", title="Trip")
    chat.add("user", "one")
    memory.export(tmp_path / "kept.json", owner="ann")
    chat.add("user", "two")
    chat.update(title="Journey")
    memory.import_(tmp_path / "kept.json", owner="ann")
    assert ([message.text for message in chat.messages()], chat.info().title) == (["one", "two"], "Journey")


def test_import_adds_diverged_messages_as_a_branch(memory, other, tmp_path):
    """When both copies of a conversation have new messages, the import adds the other ones as a branch."""
    chat = memory.chat(owner="ann")
    chat.add("user", "one")
    transfer_owner(memory, other, tmp_path)
    there = other.chat(owner="ann", session=chat.id)
    there.add("user", "there")
    chat.add("user", "here")
    report = transfer_owner(memory, other, tmp_path)
    assert (report.messages, report.already_there) == (1, 1)
    assert [message.text for message in there.messages()] == ["one", "there"]
    assert report.repaired == {"conversations with newer messages here, whose current position was kept": 1}
    assert len(there.branches()) == 2
    assert transfer_owner(memory, other, tmp_path).messages == 0


def test_import_can_change_the_owner(memory, other, tmp_path):
    memory.chat(owner="ann").add("user", "Hello")
    memory.export(tmp_path / "kept.json", owner="ann")
    assert other.import_(tmp_path / "kept.json", owner="bob").messages == 1
    assert not other.sessions(owner="ann").items
    assert export_owner(memory, owner="bob").count("Hello") == 0


def test_import_dry_run_changes_nothing(memory, other, tmp_path):
    chat = memory.chat(owner="ann")
    chat.add_many({"role": "user", "content": f"number {number}"} for number in range(700))
    memory.remember("Allergic to nuts", owner="ann")
    memory.export(tmp_path / "kept.json", owner="ann")
    report = other.import_(tmp_path / "kept.json", owner="ann", dry_run=True)
    assert (report.conversations, report.messages, report.facts, report.repaired) == (1, 700, 1, {})
    assert not other.sessions(owner="ann").items
    assert not other.facts(owner="ann")


def test_pool_entries_are_exported_but_not_imported(memory, other, tmp_path):
    team = memory.create_pool("team", owner="ann")
    memory.grant(team, to="bob", by="ann", access="write")
    chat = memory.chat(owner="ann", pool=team)
    chat.add("user", "mine")
    memory.chat(owner="bob", pool=team, session=chat.id).add("user", "yours")
    told = json.loads(export_owner(memory))["pools"]
    assert [entry.get("content") for entry in told] == [None, "mine"]
    report = transfer_owner(memory, other, tmp_path)
    assert (report.messages, report.skipped) == (0, {"entries about shared pools": 2})
    assert json.loads(export_owner(memory, pool=team))["sessions"][0]["messages"][1]["content"] == "yours"


def test_export_excludes_other_owners(memory):
    chat = memory.chat(owner="ann")
    chat.add("user", "secret")
    with pytest.raises(NotFound):
        export_owner(memory, owner="bob", session=chat.id)
    assert "secret" not in export_owner(memory, owner="bob")


def test_import_keeps_deleted_session_deleted(memory, other, tmp_path):
    chat = memory.chat(owner="ann")
    fork = None
    for text in ("one", "two"):
        chat.add("user", text)
    fork = chat.fork()
    chat.delete()
    transfer_owner(memory, other, tmp_path)
    assert [session.id for session in other.sessions(owner="ann", status="deleted")] == [chat.id]
    assert [message.text for message in other.chat(owner="ann", session=fork.id).messages()] == ["one", "two"]
    assert [message.text for message in other.restore(owner="ann", session=chat.id).messages()] == ["one", "two"]


def test_markdown_export_shows_active_messages_and_facts(memory):
    chat = memory.chat(owner="ann", title="Family", tags=["home"])
    chat.add("user", "My sister moved to Lisbon.")
    question = chat.add("user", "Wrong question")
    chat.edit(question.id, "Where is *she*?")
    chat.add("assistant", "", tool_calls=[ToolCall("c1", "look", '{"a": "```"}')])
    chat.add("tool", "# not a heading", tool_call_id="c1", name="look")
    memory.remember("Likes tea", owner="ann")
    text = export_owner(memory, format="markdown")
    assert text.startswith("# Family\n\n*begun ")
    assert "tags: home" in text
    assert "Where is *she*?" in text
    assert "Wrong question" not in text
    assert '````\n{"a": "```"}\n````' in text
    assert "```\n# not a heading\n```" in text
    assert "# What is remembered\n\n- Likes tea (since " in text
    with pytest.raises(InvalidInput, match="json, markdown"):
        export_owner(memory, format="pdf")


def test_export_file_is_accessible_only_to_its_user(memory, tmp_path):
    memory.chat(owner="ann").add("user", "Hello")
    target = tmp_path / "kept.json"
    report = memory.export(target, owner="ann")
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert report.bytes == target.stat().st_size
    with pytest.raises(FileNotFoundError):
        memory.export(tmp_path / "nowhere" / "kept.json", owner="ann")
    assert [path.name for path in tmp_path.glob("*.part")] == []


def test_temporary_session_is_exported_only_by_id(memory):
    chat = memory.chat(owner="ann", temporary=True)
    chat.add("user", "Hello")
    assert "Hello" in export_owner(memory, session=chat.id)
    assert "Hello" not in export_owner(memory)


def test_import_redacts_messages(memory, tmp_path):
    memory.chat(owner="ann").add("user", "My mail is ann@example.org.")
    memory.export(tmp_path / "kept.json", owner="ann")
    with keepsaid.open("memory://", redact_stored="mail") as other:
        other.import_(tmp_path / "kept.json", owner="ann")
        assert "ann@example.org" not in export_owner(other)


def document(**parts):
    """An export that somebody wrote, or changed, by hand."""
    return json.dumps({"format": "keepsaid", "version": 1, "owner": "ann", **parts})


def talk(id="s1", messages=(), **fields):
    return {"id": id, "status": "active", "leaf": None} | fields | {"messages": list(messages)}


def message_fields(id="m1", **fields):
    return {"id": id, "seq": 1, "parent": None, "role": "user", "content": "Hello", **fields}


ODD = [
    *({"seq": seq} for seq in (2**62, 2**63, -1, "7", None, True)),
    *({"parent": []}, {"content": 5}, {"role": "king"}, {"metadata": []}, {"importance": "x"}, {"importance": 7}),
    *({"created_at": at} for at in ("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "2026-01-01", 5)),
    *({"tool_calls": [{"id": "c"}]}, {"tool_calls": [[]]}, {"content": [{"kind": "text", "text": "a\0b"}]}, {"private": 1}),
]


@pytest.mark.parametrize("fields", ODD, ids=str)
@near(reason="refused before anything is kept")
def test_import_refuses_or_skips_malformed_message(memory, tmp_path, fields):
    (tmp_path / "odd.json").write_text(
        document(sessions=[talk(messages=[message_fields(), message_fields("m2", **{"seq": 2, **fields})])])
    )
    try:
        skipped = memory.import_(tmp_path / "odd.json", owner="ann").skipped
    except ImportProblem as problem:
        skipped = {"m2" if "m2" in str(problem) else str(problem): 1}
    assert skipped in ({"m2": 1}, {"messages that cannot be kept": 1})
    chat = memory.chat(owner="ann", session="s1")
    chat.add("user", "next")
    assert chat.messages()[-1].text == "next"
    export_owner(memory)


@pytest.mark.parametrize(
    "fields",
    [
        {"id": ""}, {"id": 5}, {"title": "a\0b"}, {"title": 5}, {"pinned": "yes"}, {"system_prompt": []}, {"metadata": [1]},
        {"created_at": "2026-01-01T00:00:00"}, {"created_at": "0001-01-01T00:00:00+14:00"}, {"tags": "abc"}, {"tags": [5]},
        {"system_prompt": "a\0b"}, {"fork": 5}, {"fork": {"session": "x"}}, {"leaf": 5}, {"status": "gone"},
    ],
    ids=str,
)  # fmt: skip
@near(reason="refused before anything is kept")
def test_import_refuses_or_skips_malformed_session(memory, tmp_path, fields):
    many = [message_fields(f"m{number}", seq=number) for number in range(1, 700)]
    fine = talk("s2", [message_fields("x1")])
    (tmp_path / "odd.json").write_text(document(sessions=[talk(messages=many, **fields), fine]))
    try:
        report = memory.import_(tmp_path / "odd.json", owner="ann")
        here = [session.id for session in memory.sessions(owner="ann")]
    except ImportProblem as problem:
        report, here = problem.report, ["session" if "session" in str(problem) else str(problem)]
    assert (here, report.skipped) in ((["s2"], {"conversations that cannot be kept": 1}), (["session"], {}))
    export_owner(memory)


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "summary", "upto": 1}, {"kind": "summary", "upto": 1, "data": {"digest": {"lines": [5]}}},
        {"kind": "tool"}, {"kind": "tool", "data": {"tool": 5, "source": ""}}, {"kind": "fact"}, {"kind": "poem"},
        {"kind": "fact", "data": {"kind": "identity", "subject": [], "about": "", "value": "", "confidence": 1}},
        {"kind": "label", "data": {"tags": [5]}}, {"kind": "label"}, {"kind": "fact", "text": "a\0b"},
    ],
    ids=str,
)  # fmt: skip
@near(reason="refused before anything is kept")
def test_import_skips_malformed_artifacts(memory, tmp_path, fields):
    made = {"id": "a1", "text": "tea", "session": "s1", "created_at": "2026-01-01T00:00:00Z",
            "valid_from": "2026-01-01T00:00:00Z", **fields}  # fmt: skip
    (tmp_path / "odd.json").write_text(document(sessions=[talk(messages=[message_fields()], leaf="m1")], artifacts=[made]))
    report = memory.import_(tmp_path / "odd.json", owner="ann")
    assert report.skipped == {"notes in an unexpected form": 1}
    chat = memory.chat(owner="ann", session="s1")
    for number in range(30):
        chat.add("user", f"I like tea number {number}.")
    memory.maintain()
    assert chat.info().summary
    chat.context("What does the weather tool say about tea today?")
    export_owner(memory)


def test_import_skips_malformed_document(memory, tmp_path):
    shelf = [talk("d1", [message_fields("c1")], metadata={"placed": True})]
    (tmp_path / "odd.json").write_text(document(documents=shelf))
    assert memory.import_(tmp_path / "odd.json", owner="ann").skipped == {"conversations that cannot be kept": 1}
    assert memory.documents(owner="ann") == []
    memory.chat(owner="ann").context("Hello?")


@pytest.mark.parametrize("value", ["1" * 5_000, "[" * 100_000, '{"a":' * 5_000], ids=["digits", "deep list", "deep object"])
def test_import_of_hostile_json_names_file_and_position(memory, tmp_path, value):
    (tmp_path / "odd.json").write_text(f'{{"format": "keepsaid", "version": 1, "sessions": [{{"id": {value}')
    with pytest.raises(ImportProblem, match=r"odd\.json, before byte"):
        memory.import_(tmp_path / "odd.json", owner="ann")


def test_import_skips_summary_of_erased_message(memory, other, tmp_path):
    chat = memory.chat(owner="ann", session="s1", create=True)
    secret = chat.add("user", "My doctor is called Oberhauser.")
    for number in range(30):
        chat.add("user", f"I like tea number {number}.")
    memory.maintain()
    assert "Oberhauser" in (chat.info().summary or "")
    memory.export(tmp_path / "kept.json", owner="ann")
    other.import_(tmp_path / "kept.json", owner="ann")
    other.chat(owner="ann", session="s1").erase(secret.id)
    other.chat(owner="ann", session="s1").delete()
    with keepsaid.open(tmp_path / "b.db", background=False, retention_deleted_days=0) as later:
        later.retention(dry_run=False)
        later.import_(tmp_path / "kept.json", owner="ann")
        assert "Oberhauser" not in export_owner(later)


def test_import_links_facts_to_renamed_messages(memory, tmp_path):
    memory.chat(owner="ann", session="old", create=True).add("user", "Something else.", id="1")
    data = {"kind": "identity", "subject": "user", "about": "home", "value": "Rome", "confidence": 1.0}
    made = {"id": "a1", "kind": "fact", "text": "Lives in Rome", "session": "new", "created_at": "2026-01-01T00:00:00Z",
            "valid_from": "2026-01-01T00:00:00Z", "rests": [["1", 0, 3]], "data": data}  # fmt: skip
    parts = document(sessions=[talk("new", [message_fields("1", content="I live in Rome.")], leaf="1")], artifacts=[made])
    (tmp_path / "kept.json").write_text(parts)
    memory.import_(tmp_path / "kept.json", owner="ann")
    assert memory.facts(owner="ann")[0].messages == ("new:1",)
    memory.erase(owner="ann", session="new")
    assert memory.facts(owner="ann") == []


def test_continued_import_restores_summaries(memory, other, tmp_path):
    chat = memory.chat(owner="ann")
    for number in range(30):
        chat.add("user", f"I like tea number {number}.")
    memory.maintain()
    text = export_owner(memory)
    file = tmp_path / "kept.json"
    file.write_text(text[: text.index('"artifacts"') + 20])
    with pytest.raises(ImportProblem):
        other.import_(file, owner="ann")
    file.write_text(text)
    other.import_(file, owner="ann")
    assert export_owner(other) == text


def test_export_skips_sessions_erased_meanwhile(memory):
    chats = [memory.chat(owner="ann") for _ in range(3)]
    for chat in chats:
        chat.add("user", "Hello")

    class Eraser(io.StringIO):
        def write(self, text):
            if '"messages"' in text and chats:
                chats.pop().erase()
            return super().write(text)

    file = Eraser()
    memory.export(file, owner="ann")
    assert len(json.loads(file.getvalue())["sessions"]) < 3


def test_import_redacts_titles_prompts_and_facts(memory, tmp_path):
    memory.chat(owner="ann", title="Mail of ann@example.org", system_prompt="Write to ann@example.org.")
    memory.remember("Has the mail ann@example.org", owner="ann")
    memory.export(tmp_path / "kept.json", owner="ann")
    with keepsaid.open("memory://", redact_stored="mail") as other:
        other.import_(tmp_path / "kept.json", owner="ann")
        assert "ann@example.org" not in export_owner(other)


def test_import_follows_renamed_ids_across_batches(memory, tmp_path):
    long = "x" * 510
    memory.chat(owner="ann", session="old", create=True).add_many(
        {"role": "user", "content": "taken", "id": id} for id in ("m1", long)
    )
    chain = [message_fields("m1"), message_fields(long, seq=2, parent="m1")]
    chain += [
        message_fields(f"n{number}", seq=number, parent=f"n{number - 1}" if number > 3 else long) for number in range(3, 700)
    ]
    chain.append(message_fields("last", seq=700, parent="m1", content="beside"))
    (tmp_path / "kept.json").write_text(document(sessions=[talk("new", chain, leaf="last")]))
    report = memory.import_(tmp_path / "kept.json", owner="ann")
    assert (report.messages, report.repaired) == (700, {})
    new = memory.chat(owner="ann", session="new")
    assert [message.id for message in new.messages()] == ["new:m1", "last"]
    new.switch("n699")
    assert len(new.messages()) == 699
    assert memory.import_(tmp_path / "kept.json", owner="ann").already_there == 700


def test_import_links_successor_past_erased_message(memory, other, tmp_path):
    chat = memory.chat(owner="ann", session="s1", create=True)
    ids = [chat.add("user", text).id for text in ("one", "two", "three")]
    memory.export(tmp_path / "kept.json", owner="ann")
    there = other.chat(owner="ann", session="s1", create=True)
    there.add("user", "two", id=ids[1])
    there.erase(ids[1])
    other.import_(tmp_path / "kept.json", owner="ann")
    there.switch(ids[2])
    assert [message.text for message in there.messages()] == ["one", "three"]


def test_failed_export_leaves_no_file(memory, tmp_path, monkeypatch):
    memory.chat(owner="ann").add("user", "Hello")

    def full(*_):
        raise OSError("no space left")

    monkeypatch.setattr("keepsaid.transfer.export_import._write", full)
    with pytest.raises(OSError, match="no space"):
        memory.export(tmp_path / "kept.json", owner="ann")
    assert list(tmp_path.glob("kept*")) == []


@near(reason="a matter of the file")
def test_export_to_full_disk_names_the_file(memory, tmp_path):
    memory.chat(owner="u1").add("user", "The kettle is broken.")
    (tmp_path / "all.json.part").symlink_to("/dev/full")
    with pytest.raises(StoreFull, match=r"all\.json could not be written: No space left.*free some space"):
        memory.export(tmp_path / "all.json", owner="u1")
    assert list(tmp_path.glob("all*")) == []
    with pytest.raises(StorageError, match=r"could not be written: File name too long"):
        memory.export(tmp_path / ("a" * 300), owner="u1", format="markdown")
