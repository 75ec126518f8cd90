"""Exports and imports through `Memory`: nothing lost, nothing twice, nothing back that was erased."""

import io
import json
import stat

import pytest
from places import mirrored, near

import recollect
from recollect.errors import ImportProblem, InvalidInput, NotFound
from recollect.kit import system_clock
from recollect.types import Part, ToolCall

pytestmark = mirrored(reason="how rows go and come is tested elsewhere")


@pytest.fixture
def memory(opened):
    return opened(clock=system_clock)


@pytest.fixture
def other(tmp_path):
    with recollect.open(tmp_path / "b.db", background=False) as memory:
        yield memory


def exported(memory, owner="ann", **options):
    file = io.StringIO()
    memory.export(file, owner=owner, **options)
    return file.getvalue()


def moved(memory, other, tmp_path, owner="ann", **options):
    memory.export(tmp_path / "kept.json", owner=owner, **options)
    return other.import_(tmp_path / "kept.json", owner=owner)


def test_everything_of_a_message_comes_back(memory, other, tmp_path):
    chat = memory.chat(owner="ann", title="Tools", tags=["work"], metadata={"topic": "x"}, system_prompt="Be brief.")
    chat.add("user", [Part("text", text="Look"), Part("image", uri="https://example.org/a.png", media_type="image/png")])
    chat.add(
        "assistant", "", tool_calls=[ToolCall("c1", "weather", '{"city": "Lisbon"}')], metadata={"big": 2**70, "x": 0.1}
    )
    chat.add("tool", "21 °C", tool_call_id="c1", name="weather", importance=0.123456789012345)
    secret = chat.add("user", "Don't remember this: the code is 4711.", pinned=True)
    assert secret.private
    chat.archive()
    moved(memory, other, tmp_path)
    there = other.chat(owner="ann", session=chat.id)
    assert there.messages() == chat.messages()
    assert there.info()._replace(touched=0, expires=None, revision=0) == chat.info()._replace(
        touched=0, expires=None, revision=0
    )
    assert not other.search("4711", owner="ann")


def test_documents_facts_and_titles_come_back(memory, other, tmp_path):
    chat = memory.chat(owner="ann")
    chat.add("user", "I live in Lisbon.")
    chat.add("assistant", "Noted!")
    memory.remember("Allergic to nuts", owner="ann", pinned=True)
    memory.ingest("guide.md", content="# Backup\n\nCopy the folder once a week.", owner="ann")
    memory.ingest("guide.md", content="# Backup\n\nCopy the folder twice a week.", owner="ann")
    memory.ingest("notes.md", content="Only here.", owner="ann", session=chat.id)
    memory.maintain()
    report = moved(memory, other, tmp_path)
    assert (report.documents, report.facts) == (2, 2)
    assert other.documents(owner="ann", session=chat.id) == memory.documents(owner="ann", session=chat.id)
    assert other.search_documents("how often is the folder copied?", owner="ann")[0].message.text.endswith("twice a week.")
    assert other.facts(owner="ann") == memory.facts(owner="ann")
    other.maintain()
    assert other.facts(owner="ann") == memory.facts(owner="ann")  # nothing is noted twice
    other.erase(owner="ann", session=chat.id)
    assert [fact.text for fact in other.facts(owner="ann")] == ["Allergic to nuts"]


def test_a_single_fork_is_whole_by_itself(memory, other, tmp_path):
    chat = memory.chat(owner="ann", title="Trip")
    said = [chat.add("user", text) for text in ("one", "two", "three")]
    fork = chat.fork(at=said[1].id)
    fork.add("user", "other")
    report = moved(memory, other, tmp_path, session=fork.id)
    assert (report.conversations, report.messages) == (1, 3)
    assert [message.text for message in other.chat(owner="ann", session=fork.id).messages()] == ["one", "two", "other"]
    # The origin comes later: its messages are taken by the fork, so they get ids of their own.
    assert moved(memory, other, tmp_path, session=chat.id).messages == 3
    assert [message.text for message in other.chat(owner="ann", session=chat.id).messages()] == ["one", "two", "three"]
    assert moved(memory, other, tmp_path, session=chat.id).messages == 0


def test_an_import_goes_on_where_it_was_interrupted(memory, other, tmp_path):
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
    assert exported(other) == exported(memory)


def test_a_broken_file_keeps_what_was_read(memory, other, tmp_path):
    for number in range(20):
        memory.chat(owner="ann", session=f"s{number:02}", create=True).add("user", f"number {number}")
    text = exported(memory)
    file = tmp_path / "kept.json"
    file.write_text(text[: len(text) // 2])
    with pytest.raises(ImportProblem, match=r"kept\.json.*byte") as caught:
        other.import_(file, owner="ann")
    assert 5 < caught.value.report.messages < 15
    assert len(other.sessions(owner="ann", limit=100)) >= caught.value.report.conversations
    file.write_text(text)
    assert other.import_(file, owner="ann").messages == 20 - caught.value.report.messages
    assert exported(other) == text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"format": "recollect", "version": 2, "owner": "a"}', "version 2"),
        ('{"format": "recollect", "version": 1, "sessions": {}}', "a list was expected"),
        ('{"format": "recollect", "version": 1, "sessions": [{"id": "a", "messages": []}]}', "session 'a'"),
        ('{"format": "recollect", "sessions": [{"id": "a", "status": "odd", "leaf": "b", "messages": []}]}', "odd"),
        ('{"format": "recollect", "version": 1, "artifacts": [{"id": "a"}]}', "artifact 'a'"),
    ],
)
def test_what_we_never_wrote_is_named(memory, tmp_path, text, says):
    (tmp_path / "odd.json").write_text(text)
    with pytest.raises(ImportProblem, match=says):
        memory.import_(tmp_path / "odd.json", owner="ann")


def test_what_was_erased_does_not_come_back(memory, tmp_path):
    chat = memory.chat(owner="ann")
    said = [chat.add("user", text) for text in ("one", "two", "three")]
    memory.export(tmp_path / "kept.json", owner="ann")
    chat.erase(said[1].id)
    report = memory.import_(tmp_path / "kept.json", owner="ann")
    assert (report.messages, report.already_there, report.skipped) == (0, 2, {"messages that were erased here": 1})
    memory.erase(owner="ann")
    report = memory.import_(tmp_path / "kept.json", owner="ann")
    assert (report.conversations, report.messages, report.skipped) == (0, 0, {"messages that were erased here": 3})


def test_nothing_at_all_comes_back_of_an_owner_who_was_erased(memory, tmp_path):
    chat = memory.chat(owner="ann", title="Secret plans")
    said = chat.add("user", "The code is 4711.")
    chat.fork().add("user", "And the other one is 4712.")
    chat.fork(at=said.id, title="Just a fork")
    memory.remember("Allergic to nuts", owner="ann")
    memory.ingest("guide.md", content="Run setup.exe.", owner="ann")
    before = exported(memory)
    (tmp_path / "kept.json").write_text(before)
    memory.erase(owner="ann")
    report = memory.import_(tmp_path / "kept.json", owner="ann")
    assert (report.conversations, report.messages, report.documents, report.facts) == (0, 0, 0, 0)
    assert json.loads(exported(memory)) == {
        "format": "recollect", "version": 1, "owner": "ann", "sessions": [], "documents": [], "artifacts": [],
    }  # fmt: skip
    # Who wants a document again gives it again.
    memory.ingest("guide.md", content="Run setup.exe.", owner="ann")
    assert memory.search_documents("setup", owner="ann")
    assert memory.import_(tmp_path / "kept.json", owner="bob").messages == 2


def test_a_forgotten_fact_does_not_come_back(memory, tmp_path):
    fact = memory.remember("Allergic to nuts", owner="ann")
    memory.export(tmp_path / "kept.json", owner="ann")
    memory.forget_fact(fact.id, owner="ann")
    report = memory.import_(tmp_path / "kept.json", owner="ann")
    assert (report.facts, report.skipped) == (0, {"notes that were erased here": 1})


def test_what_was_said_here_since_is_kept(memory, tmp_path):
    chat = memory.chat(owner="ann", title="Trip")
    chat.add("user", "one")
    memory.export(tmp_path / "kept.json", owner="ann")
    chat.add("user", "two")
    chat.update(title="Journey")
    memory.import_(tmp_path / "kept.json", owner="ann")
    assert ([message.text for message in chat.messages()], chat.info().title) == (["one", "two"], "Journey")


def test_both_sides_went_on(memory, other, tmp_path):
    """Two copies of a conversation continued apart: the import brings the other end as a branch, and hides nothing."""
    chat = memory.chat(owner="ann")
    chat.add("user", "one")
    moved(memory, other, tmp_path)
    there = other.chat(owner="ann", session=chat.id)
    there.add("user", "there")
    chat.add("user", "here")
    report = moved(memory, other, tmp_path)
    assert (report.messages, report.already_there) == (1, 1)
    assert [message.text for message in there.messages()] == ["one", "there"]
    assert report.mended == {"conversations that went on here, and stand where they stood": 1}
    assert len(there.branches()) == 2
    assert moved(memory, other, tmp_path).messages == 0


def test_one_may_take_over_what_was_anothers(memory, other, tmp_path):
    memory.chat(owner="ann").add("user", "Hello")
    memory.export(tmp_path / "kept.json", owner="ann")
    assert other.import_(tmp_path / "kept.json", owner="bob").messages == 1
    assert not other.sessions(owner="ann").items
    assert exported(memory, owner="bob").count("Hello") == 0


def test_a_dry_run_changes_nothing(memory, other, tmp_path):
    chat = memory.chat(owner="ann")
    chat.add_many({"role": "user", "content": f"number {number}"} for number in range(700))
    memory.remember("Allergic to nuts", owner="ann")
    memory.export(tmp_path / "kept.json", owner="ann")
    report = other.import_(tmp_path / "kept.json", owner="ann", dry_run=True)
    assert (report.conversations, report.messages, report.facts, report.mended) == (1, 700, 1, {})
    assert not other.sessions(owner="ann").items
    assert not other.facts(owner="ann")


def test_pools_are_told_and_not_imported(memory, other, tmp_path):
    team = memory.create_pool("team", owner="ann")
    memory.grant(team, to="bob", by="ann", access="write")
    chat = memory.chat(owner="ann", pool=team)
    chat.add("user", "mine")
    memory.chat(owner="bob", pool=team, session=chat.id).add("user", "yours")
    told = json.loads(exported(memory))["pools"]
    assert [entry.get("content") for entry in told] == [None, "mine"]
    report = moved(memory, other, tmp_path)
    assert (report.messages, report.skipped) == (0, {"entries about shared pools": 2})
    assert json.loads(exported(memory, pool=team))["sessions"][0]["messages"][1]["content"] == "yours"


def test_one_cannot_export_anothers(memory):
    chat = memory.chat(owner="ann")
    chat.add("user", "secret")
    with pytest.raises(NotFound):
        exported(memory, owner="bob", session=chat.id)
    assert "secret" not in exported(memory, owner="bob")


def test_a_deleted_session_stays_deleted(memory, other, tmp_path):
    chat = memory.chat(owner="ann")
    fork = None
    for text in ("one", "two"):
        chat.add("user", text)
    fork = chat.fork()
    chat.delete()
    moved(memory, other, tmp_path)
    assert [session.id for session in other.sessions(owner="ann", status="deleted")] == [chat.id]
    assert [message.text for message in other.chat(owner="ann", session=fork.id).messages()] == ["one", "two"]
    assert [message.text for message in other.restore(owner="ann", session=chat.id).messages()] == ["one", "two"]


def test_markdown_is_for_people(memory):
    chat = memory.chat(owner="ann", title="Family", tags=["home"])
    chat.add("user", "My sister moved to Lisbon.")
    question = chat.add("user", "Wrong question")
    chat.edit(question.id, "Where is *she*?")
    chat.add("assistant", "", tool_calls=[ToolCall("c1", "look", '{"a": "```"}')])
    chat.add("tool", "# not a heading", tool_call_id="c1", name="look")
    memory.remember("Likes tea", owner="ann")
    text = exported(memory, format="markdown")
    assert text.startswith("# Family\n\n*begun ")
    assert "tags: home" in text
    assert "Where is *she*?" in text
    assert "Wrong question" not in text
    assert '````\n{"a": "```"}\n````' in text
    assert "```\n# not a heading\n```" in text
    assert "# What is remembered\n\n- Likes tea (since " in text
    with pytest.raises(InvalidInput, match="json, markdown"):
        exported(memory, format="pdf")


def test_an_export_is_for_its_owner_alone(memory, tmp_path):
    memory.chat(owner="ann").add("user", "Hello")
    target = tmp_path / "kept.json"
    report = memory.export(target, owner="ann")
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert report.bytes == target.stat().st_size
    with pytest.raises(FileNotFoundError):
        memory.export(tmp_path / "nowhere" / "kept.json", owner="ann")
    assert [path.name for path in tmp_path.glob("*.part")] == []


def test_a_temporary_chat_can_be_taken_along(memory):
    chat = memory.chat(owner="ann", temporary=True)
    chat.add("user", "Hello")
    assert "Hello" in exported(memory, session=chat.id)
    assert "Hello" not in exported(memory)


def test_personal_data_is_redacted_on_the_way_in(memory, tmp_path):
    memory.chat(owner="ann").add("user", "My mail is ann@example.org.")
    memory.export(tmp_path / "kept.json", owner="ann")
    with recollect.open("memory://", redact_stored="mail") as other:
        other.import_(tmp_path / "kept.json", owner="ann")
        assert "ann@example.org" not in exported(other)


def document(**parts):
    """An export that somebody wrote, or changed, by hand."""
    return json.dumps({"format": "recollect", "version": 1, "owner": "ann", **parts})


def talk(id="s1", messages=(), **fields):
    return {"id": id, "status": "active", "leaf": None} | fields | {"messages": list(messages)}


def said(id="m1", **fields):
    return {"id": id, "seq": 1, "parent": None, "role": "user", "content": "Hello", **fields}


ODD = [
    *({"seq": seq} for seq in (2**62, 2**63, -1, "7", None, True)),
    *({"parent": []}, {"content": 5}, {"role": "king"}, {"metadata": []}, {"importance": "x"}, {"importance": 7}),
    *({"created_at": at} for at in ("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "2026-01-01", 5)),
    *({"tool_calls": [{"id": "c"}]}, {"tool_calls": [[]]}, {"content": [{"kind": "text", "text": "a\0b"}]}, {"private": 1}),
]


@pytest.mark.parametrize("fields", ODD, ids=str)
@near(reason="refused before anything is kept")
def test_an_odd_message_is_refused_or_left_out(memory, tmp_path, fields):
    (tmp_path / "odd.json").write_text(document(sessions=[talk(messages=[said(), said("m2", **{"seq": 2, **fields})])]))
    try:
        skipped = memory.import_(tmp_path / "odd.json", owner="ann").skipped
    except ImportProblem as problem:
        skipped = {"m2" if "m2" in str(problem) else str(problem): 1}
    assert skipped in ({"m2": 1}, {"messages that cannot be kept": 1})
    chat = memory.chat(owner="ann", session="s1")
    chat.add("user", "next")
    assert chat.messages()[-1].text == "next"
    exported(memory)


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
def test_an_odd_conversation_costs_only_itself_or_is_named(memory, tmp_path, fields):
    many = [said(f"m{number}", seq=number) for number in range(1, 700)]
    fine = talk("s2", [said("x1")])
    (tmp_path / "odd.json").write_text(document(sessions=[talk(messages=many, **fields), fine]))
    try:
        report = memory.import_(tmp_path / "odd.json", owner="ann")
        here = [session.id for session in memory.sessions(owner="ann")]
    except ImportProblem as problem:
        report, here = problem.report, ["session" if "session" in str(problem) else str(problem)]
    assert (here, report.skipped) in ((["s2"], {"conversations that cannot be kept": 1}), (["session"], {}))
    exported(memory)


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
def test_odd_notes_stop_nobody(memory, tmp_path, fields):
    made = {"id": "a1", "text": "tea", "session": "s1", "created_at": "2026-01-01T00:00:00Z",
            "valid_from": "2026-01-01T00:00:00Z", **fields}  # fmt: skip
    (tmp_path / "odd.json").write_text(document(sessions=[talk(messages=[said()], leaf="m1")], artifacts=[made]))
    report = memory.import_(tmp_path / "odd.json", owner="ann")
    assert report.skipped == {"notes that are not as we write them": 1}
    chat = memory.chat(owner="ann", session="s1")
    for number in range(30):
        chat.add("user", f"I like tea number {number}.")
    memory.maintain()
    assert chat.info().summary
    chat.context("What does the weather tool say about tea today?")
    exported(memory)


def test_an_odd_document_is_left_out(memory, tmp_path):
    shelf = [talk("d1", [said("c1")], metadata={"placed": True})]
    (tmp_path / "odd.json").write_text(document(documents=shelf))
    assert memory.import_(tmp_path / "odd.json", owner="ann").skipped == {"conversations that cannot be kept": 1}
    assert memory.documents(owner="ann") == []
    memory.chat(owner="ann").context("Hello?")


@pytest.mark.parametrize("value", ["1" * 5_000, "[" * 100_000, '{"a":' * 5_000], ids=["digits", "deep list", "deep object"])
def test_a_hostile_value_is_a_clear_problem(memory, tmp_path, value):
    (tmp_path / "odd.json").write_text(f'{{"format": "recollect", "version": 1, "sessions": [{{"id": {value}')
    with pytest.raises(ImportProblem, match=r"odd\.json, before byte"):
        memory.import_(tmp_path / "odd.json", owner="ann")


def test_a_summary_that_tells_of_an_erased_message_stays_out(memory, other, tmp_path):
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
    with recollect.open(tmp_path / "b.db", background=False, retention_deleted_days=0) as later:
        later.retention(dry_run=False)
        later.import_(tmp_path / "kept.json", owner="ann")
        assert "Oberhauser" not in exported(later)


def test_notes_follow_messages_that_got_other_ids(memory, tmp_path):
    memory.chat(owner="ann", session="old", create=True).add("user", "Something else.", id="1")
    data = {"kind": "identity", "subject": "user", "about": "home", "value": "Rome", "confidence": 1.0}
    made = {"id": "a1", "kind": "fact", "text": "Lives in Rome", "session": "new", "created_at": "2026-01-01T00:00:00Z",
            "valid_from": "2026-01-01T00:00:00Z", "rests": [["1", 0, 3]], "data": data}  # fmt: skip
    parts = document(sessions=[talk("new", [said("1", content="I live in Rome.")], leaf="1")], artifacts=[made])
    (tmp_path / "kept.json").write_text(parts)
    memory.import_(tmp_path / "kept.json", owner="ann")
    assert memory.facts(owner="ann")[0].messages == ("new:1",)
    memory.erase(owner="ann", session="new")
    assert memory.facts(owner="ann") == []


def test_an_interrupted_import_gets_its_summaries_in_the_end(memory, other, tmp_path):
    chat = memory.chat(owner="ann")
    for number in range(30):
        chat.add("user", f"I like tea number {number}.")
    memory.maintain()
    text = exported(memory)
    file = tmp_path / "kept.json"
    file.write_text(text[: text.index('"artifacts"') + 20])
    with pytest.raises(ImportProblem):
        other.import_(file, owner="ann")
    file.write_text(text)
    other.import_(file, owner="ann")
    assert exported(other) == text


def test_an_export_goes_on_without_what_is_erased_meanwhile(memory):
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


def test_titles_and_facts_are_redacted_on_the_way_in(memory, tmp_path):
    memory.chat(owner="ann", title="Mail of ann@example.org", system_prompt="Write to ann@example.org.")
    memory.remember("Has the mail ann@example.org", owner="ann")
    memory.export(tmp_path / "kept.json", owner="ann")
    with recollect.open("memory://", redact_stored="mail") as other:
        other.import_(tmp_path / "kept.json", owner="ann")
        assert "ann@example.org" not in exported(other)


def test_renames_reach_over_batches_and_long_ids(memory, tmp_path):
    long = "x" * 510
    memory.chat(owner="ann", session="old", create=True).add_many(
        {"role": "user", "content": "taken", "id": id} for id in ("m1", long)
    )
    chain = [said("m1"), said(long, seq=2, parent="m1")]
    chain += [said(f"n{number}", seq=number, parent=f"n{number - 1}" if number > 3 else long) for number in range(3, 700)]
    chain.append(said("last", seq=700, parent="m1", content="beside"))
    (tmp_path / "kept.json").write_text(document(sessions=[talk("new", chain, leaf="last")]))
    report = memory.import_(tmp_path / "kept.json", owner="ann")
    assert (report.messages, report.mended) == (700, {})
    new = memory.chat(owner="ann", session="new")
    assert [message.id for message in new.messages()] == ["new:m1", "last"]
    new.switch("n699")
    assert len(new.messages()) == 699
    assert memory.import_(tmp_path / "kept.json", owner="ann").already_there == 700


def test_what_followed_an_erased_message_moves_up(memory, other, tmp_path):
    chat = memory.chat(owner="ann", session="s1", create=True)
    ids = [chat.add("user", text).id for text in ("one", "two", "three")]
    memory.export(tmp_path / "kept.json", owner="ann")
    there = other.chat(owner="ann", session="s1", create=True)
    there.add("user", "two", id=ids[1])
    there.erase(ids[1])
    other.import_(tmp_path / "kept.json", owner="ann")
    there.switch(ids[2])
    assert [message.text for message in there.messages()] == ["one", "three"]


def test_a_failed_export_leaves_nothing_behind(memory, tmp_path, monkeypatch):
    memory.chat(owner="ann").add("user", "Hello")

    def full(*_):
        raise OSError("no space left")

    monkeypatch.setattr("recollect.transfer._write", full)
    with pytest.raises(OSError, match="no space"):
        memory.export(tmp_path / "kept.json", owner="ann")
    assert list(tmp_path.glob("kept*")) == []
