"""Documents: ingest, search, citation, versions, removal, and isolation between owners."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from backends import replicated
from model import pull_model
from test_reading import made_pdf

import keepsaid
from keepsaid.engine.text.terms import terms
from keepsaid.errors import Conflict, InvalidCursor, InvalidInput, NotFound, QuotaExceeded
from keepsaid.ports import NO_FILTERS
from keepsaid.services.documents.document_store import DocumentStore
from keepsaid.testing import HashEmbedder, ManualClock
from keepsaid.types import ChangePosition, ReadWindow, Scope, SessionQuery, SessionStatus

GUIDE = "# Guide\n\n## Install\n\nRun setup.exe and restart.\n\n## Backup\n\nThe backup folder is copied every Sunday.\n"
FILES = {
    "guide.md": (GUIDE.encode(), "§ Guide"),
    "page.html": (b"<title>Guide</title><h1>Backup</h1><p>The backup folder is copied every Sunday.</p>", "§ Backup"),
    "notes.txt": (b"Shopping: milk.\n\nThe backup folder is copied every Sunday.\n", "lines 1"),
    "old.txt": ("The backup folder is copied every Sunday, says José.".encode("latin-1"), "line 1"),
    "report.pdf": (made_pdf("Nothing here.", "The backup folder is copied every Sunday."), "page"),
}
QUESTION = "when is the backup folder copied?"

pytestmark = replicated(reason="how rows go and come is tested elsewhere")


def names(hits):
    return [hit.title for hit in hits]


def search_names(memory, question=QUESTION, **scope):
    return names(memory.search_documents(question, **{"owner": "u1", **scope}))


def bytes_of(path: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(path.parent.glob(path.name + "*")))


class TestIngest:
    @pytest.mark.parametrize("name", FILES)
    @pytest.mark.parametrize("embedder", ["off", "local"])
    def test_ingested_file_of_each_format_is_found_and_cited(self, tmp_path, name, embedder):
        if name.endswith(".pdf"):
            pytest.importorskip("pypdf")
        content, place = FILES[name]
        file = tmp_path / name
        file.write_bytes(content)
        options = {"embedder": "off"} if embedder == "off" else {"embedder": "local", "model_folder": str(pull_model())}
        with keepsaid.open(tmp_path / "chat.db", **options) as memory:
            document = memory.ingest(file, owner="u1")
            assert (document.name, document.version, document.source) == (name, 1, str(file))
            for other in ("Tea is grown in the hills of Assam.", "The train to Porto leaves at noon."):
                memory.ingest(f"{other[:3]}.txt", content=other, owner="u1")
            memory.maintain()
            hit = memory.search_documents(QUESTION, owner="u1")[0]
            assert hit.title == name
            assert hit.message.metadata["place"].startswith(place)
            assert "copied every Sunday" in hit.passage
            assert memory.check().healthy

    def test_document_records_source_name_and_media_type(self, memory, clock):
        document = memory.ingest("example.org/a", content=GUIDE, owner="u1", name="Guide", media_type="text/markdown")
        assert (document.name, document.source, document.media_type) == ("Guide", "example.org/a", "text/markdown")
        assert (document.title, document.added_at, document.notices, document.session) == ("Guide", clock(), (), None)
        chunks = memory._services.storage.read(Scope("u1", document.id, documents=True), ReadWindow())
        assert document.chunks == len(chunks)
        assert document.tokens == sum(chunk.tokens for chunk in chunks)
        assert memory.documents(owner="u1") == [document]

    def test_chunk_tokens_option_controls_chunk_size(self, memory):
        text = "\n\n".join(f"Paragraph {number} tells of the lighthouse and its keeper." for number in range(100))
        few = memory.ingest("a.txt", content=text, owner="u1")
        many = memory.ingest("a.txt", content=text, owner="u1", chunk_tokens=40, overlap_tokens=0)
        assert many.version == 2, "other sizes are another version"
        assert many.chunks > 5 * few.chunks
        with pytest.raises(InvalidInput):
            memory.ingest("a.txt", content=text, owner="u1", chunk_tokens=40, overlap_tokens=40)

    @pytest.mark.parametrize(
        ("arguments", "what"),
        [
            ({"source": "/nowhere/at/all.md"}, "cannot read the document"),
            ({"source": "/"}, "cannot read the document"),
            ({"source": "a\0b"}, "cannot read the document"),
            ({"source": "a.txt", "content": ""}, "no text in the document"),
            ({"source": "a.txt", "content": " \n "}, "no text in the document"),
            ({"source": "", "content": "text"}, "name must not be empty"),
            ({"source": "a.txt", "content": 5}, "bytes or a string"),
            ({"source": "a.png", "content": b"\x89PNG\r\n\x1a\n" + bytes(99)}, "a.png"),
        ],
    )
    def test_ingest_rejects_unreadable_input_and_stores_nothing(self, memory, arguments, what):
        with pytest.raises(InvalidInput, match=what):
            memory.ingest(owner="u1", **arguments)
        assert memory._services.storage.list_sessions(Scope("u1", documents=True), SessionQuery()) == []

    def test_ingest_reports_progress(self, memory):
        told = []
        text = "\n\n".join(f"Line {number} is about {'tea ' * 30}." for number in range(1200))
        document = memory.ingest("a.txt", content=text, owner="u1", chunk_tokens=40, overlap_tokens=0,
                                 progress=lambda *step: told.append(step))  # fmt: skip
        assert document.chunks > 1000
        assert told == [(at, document.chunks) for at in (*range(0, document.chunks, 500), document.chunks)]

    def test_ingest_checks_quota_before_storing(self, memory):
        asked = []

        def refuse(*coming):
            asked.append(coming)
            raise QuotaExceeded("too much")

        with pytest.raises(QuotaExceeded):
            memory.ingest("a.txt", content="Tea " * 1000, owner="u1", quota=refuse)
        ((messages, size),) = asked
        assert memory._services.storage.list_sessions(Scope("u1", documents=True), SessionQuery()) == []
        memory.ingest("a.txt", content="Tea " * 1000, owner="u1", quota=lambda *_: None)
        kept = memory.usage(owner="u1").bytes
        assert messages == 0
        assert kept <= size < kept * 1.01, "backends write the same metadata with and without spaces"


class TestVersions:
    def test_ingest_of_same_bytes_changes_nothing(self, memory):
        first = memory.ingest("guide.md", content=GUIDE, owner="u1")
        mark = memory._services.storage.last_position(Scope("u1", documents=True))
        assert memory.ingest("guide.md", content=GUIDE.encode(), owner="u1") == first
        assert memory._services.storage.last_position(Scope("u1", documents=True)) == mark

    def test_new_version_replaces_old_one(self, memory):
        memory.ingest("guide.md", content="The office code is 4711.", owner="u1")
        second = memory.ingest("guide.md", content="The office code is 9042.", owner="u1")
        assert second.version == 2
        assert memory.documents(owner="u1") == [second]
        hits = memory.search_documents("what is the office code?", owner="u1")
        assert [hit.message.text for hit in hits] == ["The office code is 9042."]
        assert memory.ingest("guide.md", content="The office code is 4711.", owner="u1").version == 3
        assert memory.check().healthy

    def test_old_version_stays_fetchable_until_purge(self, memory, clock):
        memory.ingest("guide.md", content="The office code is 4711.", owner="u1")
        shelf, storage = Scope("u1", documents=True), memory._services.storage
        (hit,) = memory.search_documents("office code", owner="u1")
        (seen,) = storage.look(shelf, [1])
        assert seen.message.id == hit.message.id
        memory.ingest("guide.md", content="The office code is 9042.", owner="u1")
        assert storage.look(shelf, [1]) == []
        assert [seen.message.text for seen in storage.fetch(shelf, [1])] == ["The office code is 4711."]
        clock.advance(days=29)
        assert memory.retention(dry_run=False).purged == 0
        clock.advance(days=2)
        assert memory.retention().purged == 1
        assert storage.fetch(shelf, [1]) == []

    def test_document_never_expires(self, memory, clock):
        memory.ingest("guide.md", content=GUIDE, owner="u1")
        clock.advance(days=900)
        assert memory.retention(dry_run=False).total == 0
        assert search_names(memory) == ["guide.md"]

    def test_document_score_does_not_decay_with_age(self, memory, clock):
        memory.ingest("guide.md", content=GUIDE, owner="u1")
        before = memory.search_documents(QUESTION, owner="u1")[0].score
        clock.advance(days=900)
        assert memory.search_documents(QUESTION, owner="u1")[0].score == before

    def test_ingest_rejects_same_file_name_from_other_folder(self, memory, tmp_path):
        for folder in ("one", "two"):
            (tmp_path / folder).mkdir()
            (tmp_path / folder / "README.md").write_text(f"This is folder {folder}.")
        memory.ingest(tmp_path / "one" / "README.md", owner="u1")
        with pytest.raises(Conflict, match=r"from .*one.README.md: pass `name`"):
            memory.ingest(tmp_path / "two" / "README.md", owner="u1")
        memory.ingest(tmp_path / "two" / "README.md", owner="u1", name="two/README.md")
        assert [document.name for document in memory.documents(owner="u1")] == ["README.md", "two/README.md"]
        assert memory.ingest(tmp_path / "two" / "README.md", owner="u1", name="README.md").version == 2

    def test_crash_before_placing_new_version_keeps_old_one(self, memory, monkeypatch, clock):
        """Simulates a crash before the last step of an ingest."""
        memory.ingest("guide.md", content="The office code is 4711.", owner="u1")
        storage = memory._services.storage
        with monkeypatch.context() as patch:
            patch.setattr(storage, "update_session", raise_crash)
            with pytest.raises(RuntimeError):
                memory.ingest("guide.md", content="The office code is 9042.", owner="u1")
        assert [document.version for document in memory.documents(owner="u1")] == [1]
        texts = [hit.message.text for hit in memory.search_documents("office code", owner="u1", min_score=0)]
        assert texts == ["The office code is 4711."]
        clock.advance(days=1)
        assert memory.ingest("guide.md", content="The office code is 1234.", owner="u1").version == 3
        shelf = storage.list_sessions(Scope("u1", documents=True), SessionQuery())
        assert [session.metadata["version"] for session in shelf] == [3], "the older version is deleted"

    def test_crash_before_deleting_old_version_shows_new_one(self, memory, monkeypatch):
        """Simulates a crash between placing the new version and deleting the old one."""
        memory.ingest("guide.md", content="The office code is 4711.", owner="u1")
        with monkeypatch.context() as patch:
            patch.setattr(DocumentStore, "_keep_only_newest", raise_crash)
            with pytest.raises(RuntimeError):
                memory.ingest("guide.md", content="The office code is 9042.", owner="u1")
        texts = [hit.message.text for hit in memory.search_documents("office code", owner="u1")]
        assert texts == ["The office code is 9042."]
        assert [document.version for document in memory.documents(owner="u1")] == [2]

    def test_old_versions_do_not_fill_search_candidates(self, tmp_path):
        """A search by meaning has a limited number of candidates; old versions must not take them all."""
        with keepsaid.open(tmp_path / "chat.db", embedder=HashEmbedder(tokens=True), durable=False) as memory:
            for version in range(40):
                pages = "\n\n".join(f"Machine {page} has oil of grade {version * 7 + page}." for page in range(4))
                memory.ingest("manual.txt", content=pages, owner="u1", chunk_tokens=16, overlap_tokens=0)
            memory.maintain()
            texts = [hit.message.text for hit in memory.search_documents("machine oil grade", owner="u1", limit=9)]
            assert sorted(texts) == [f"Machine {page} has oil of grade {39 * 7 + page}." for page in range(4)]


def raise_crash(*arguments, **more):
    raise RuntimeError("the lights went out")


class TestSearch:
    def test_document_search_ignores_date_and_message_filters(self, memory):
        memory.ingest("sales.md", content="Sales in March 2024 were 1,200 pieces.", owner="u1")
        assert search_names(memory, "how many pieces did we sell in March 2024?") == ["sales.md"]
        assert search_names(memory, "sales before:2020-01-01 role:user tag:work session:x") == ["sales.md"]
        assert search_names(memory, "last week") == []

    def test_document_search_honours_limit_and_min_score(self, memory):
        for number in range(9):
            memory.ingest(f"{number}.txt", content=f"The backup folder number {number} is copied on Sunday.", owner="u1")
        assert len(search_names(memory)) == 3
        assert len(search_names(memory, limit=5)) == 5
        assert search_names(memory, min_score=1.0) == []
        with pytest.raises(InvalidInput):
            memory.search_documents("", owner="u1")

    def test_document_search_omits_unrelated_documents(self, tmp_path):
        with keepsaid.open(tmp_path / "chat.db", embedder="local", model_folder=str(pull_model())) as memory:
            memory.ingest("guide.md", content=GUIDE, owner="u1")
            memory.maintain()
            assert search_names(memory, "who won the football match?") == []
            assert search_names(memory, "how often are my data saved?") == ["guide.md"]

    def test_documents_and_messages_are_searched_separately(self, memory):
        memory.ingest("guide.md", content=GUIDE, owner="u1")
        memory.chat(owner="u1").add("user", "The backup folder is copied on Monday, says Ada.")
        assert "Monday" in memory.search(QUESTION, owner="u1")[0].message.text
        assert len(memory.search(QUESTION, owner="u1")) == 1
        assert search_names(memory) == ["guide.md"]
        assert [session.title for session in memory.sessions(owner="u1")] == [None]
        assert memory.position(owner="u1").messages == 1

    def test_semantic_search_keeps_documents_and_messages_apart(self, tmp_path):
        with keepsaid.open(tmp_path / "chat.db", embedder=HashEmbedder(tokens=True)) as memory:
            chat = memory.chat(owner="u1")
            for number in range(5):
                chat.add("user", f"The backup folder is copied on day {number}.")
                memory.ingest(f"{number}.txt", content=f"The backup folder is copied in hour {number}.", owner="u1")
            memory.maintain()
            assert memory.coverage().embedded == 10
            for _ in range(2):
                assert {hit.message.role for hit in memory.search(QUESTION, owner="u1")} == {"user"}
                assert {hit.message.role for hit in memory.search_documents(QUESTION, owner="u1", limit=9)} == {"tool"}


class TestScopes:
    def test_documents_are_isolated_between_owners(self, memory):
        memory.ingest("guide.md", content=GUIDE, owner="u1")
        assert memory.documents(owner="u2") == []
        assert search_names(memory, owner="u2") == []
        with pytest.raises(NotFound):
            memory.remove_document("guide.md", owner="u2")
        memory.ingest("guide.md", content="Mine.", owner="u2")
        assert memory.remove_document("guide.md", owner="u2").messages == 1
        assert search_names(memory) == ["guide.md"]

    def test_session_documents_are_visible_in_their_session_only(self, memory):
        one, two = memory.chat(owner="u1"), memory.chat(owner="u1")
        memory.ingest("ours.txt", content="The backup folder is copied on Sunday.", owner="u1")
        memory.ingest("one.txt", content="The backup folder is copied on Monday.", owner="u1", session=one.id)
        memory.ingest("two.txt", content="The backup folder is copied on Friday.", owner="u1", session=two.id)
        assert search_names(memory) == ["ours.txt"]
        assert sorted(search_names(memory, session=one.id)) == ["one.txt", "ours.txt"]
        assert sorted(search_names(memory, session=two.id)) == ["ours.txt", "two.txt"]
        assert [document.name for document in memory.documents(owner="u1", session=one.id)] == ["one.txt", "ours.txt"]
        assert [document.session for document in memory.documents(owner="u1", session=one.id)] == [one.id, None]
        with pytest.raises(NotFound):
            memory.remove_document("one.txt", owner="u1")
        memory.remove_document("one.txt", owner="u1", session=one.id)
        assert search_names(memory, session=one.id) == ["ours.txt"]

    def test_same_name_for_owner_and_session_is_two_documents(self, memory):
        chat = memory.chat(owner="u1")
        memory.ingest("a.txt", content="The backup folder is copied on Sunday.", owner="u1")
        memory.ingest("a.txt", content="The backup folder is copied on Monday.", owner="u1", session=chat.id)
        assert search_names(memory) == ["a.txt"]
        assert search_names(memory, session=chat.id) == ["a.txt", "a.txt"]

    def test_ingest_rejects_unknown_deleted_or_temporary_session(self, memory):
        chat = memory.chat(owner="u1")
        chat.delete()
        for session in ("unknown", chat.id):
            with pytest.raises(NotFound):
                memory.ingest("a.txt", content="text", owner="u1", session=session)
        secret = memory.chat(owner="u1", temporary=True)
        with pytest.raises(InvalidInput, match="temporary"):
            memory.ingest("a.txt", content="text", owner="u1", session=secret.id)
        assert memory.documents(owner="u1") == []

    def test_ingest_fails_if_session_is_erased_meanwhile(self, memory, monkeypatch):
        chat = memory.chat(owner="u1")
        create = memory._services.storage.create_session

        def create_late(*arguments):
            chat.erase()
            return create(*arguments)

        monkeypatch.setattr(memory._services.storage, "create_session", create_late)
        with pytest.raises(NotFound, match="no such session"):
            memory.ingest("a.txt", content="text", owner="u1", session=chat.id)
        assert memory.check().checked["messages"] == 0

    def test_pool_shares_documents_by_access_level(self, memory):
        team = memory.create_pool("team", owner="u1")
        memory.grant(team, to="reader", by="u1")
        memory.grant(team, to="writer", by="u1", access="write")
        memory.ingest("guide.md", content=GUIDE, owner="writer", pool=team)
        assert search_names(memory, owner="reader", pool=team) == ["guide.md"]
        assert search_names(memory, owner="writer") == [], "a pool's document is not the owner's own"
        assert memory.search_documents(QUESTION, owner="reader", pool=team)[0].message.author == "writer"
        for verb in (memory.documents, lambda **scope: memory.search_documents("backup", **scope)):
            with pytest.raises(NotFound):
                verb(owner="stranger", pool=team)
        with pytest.raises(NotFound):
            memory.ingest("mine.md", content="text", owner="reader", pool=team)
        with pytest.raises(NotFound, match="admin"):
            memory.remove_document("guide.md", owner="writer", pool=team)
        memory.remove_document("guide.md", owner="u1", pool=team)
        assert search_names(memory, owner="reader", pool=team) == []


class TestErase:
    def test_remove_document_erases_all_versions_from_file(self, tmp_path):
        path = tmp_path / "store" / "chat.db"
        path.parent.mkdir()
        with keepsaid.open(path, embedder=HashEmbedder(tokens=True)) as memory:
            for number in range(30):
                memory.ingest(f"{number}.txt", content=f"Sheet {number} is about the plover{number}canary.", owner="u1")
            memory.ingest("secret-name.txt", content="The first code is xyzzy4711.", owner="u1")
            memory.ingest("secret-name.txt", content="The second code is plugh9042.", owner="u1")
            memory.maintain()
            for word in (b"xyzzy4711", b"plugh9042", b"secret-name"):
                assert word in bytes_of(path)
            receipt = memory.remove_document("secret-name.txt", owner="u1")
            assert (receipt.sessions, receipt.messages, receipt.pending) == (2, 2, "")
            assert {"rows", "keywords", "vectors", "log", "pages"} <= set(receipt.verified)
            for word in (b"xyzzy4711", b"plugh9042", b"secret-name"):
                assert word not in bytes_of(path)
            assert b"plover7canary" in bytes_of(path)
            assert search_names(memory, "plover7canary")[0] == "7.txt"
            assert memory.check().healthy

    def test_erase_owner_removes_documents(self, memory):
        memory.ingest("guide.md", content=GUIDE, owner="u1")
        memory.ingest("guide.md", content=GUIDE + "More.", owner="u1")
        memory.ingest("guide.md", content=GUIDE, owner="u2")
        receipt = memory.erase(owner="u1")
        assert (receipt.sessions, receipt.messages) == (2, 2), "he never had a conversation"
        assert memory.documents(owner="u1") == []
        assert search_names(memory) == []
        assert search_names(memory, owner="u2") == ["guide.md"]
        assert memory.check().healthy

    def test_erase_session_removes_its_documents(self, memory):
        chat, other = memory.chat(owner="u1"), memory.chat(owner="u1")
        for version in (1, 2):
            memory.ingest("a.txt", content=f"Version {version}.", owner="u1", session=chat.id)
        memory.ingest("b.txt", content="Stays.", owner="u1", session=other.id)
        memory.ingest("c.txt", content="Stays.", owner="u1")
        chat.add("user", "Hello")
        receipt = chat.erase()
        assert (receipt.sessions, receipt.messages) == (3, 3)
        assert [document.name for document in memory.documents(owner="u1", session=chat.id)] == ["c.txt"]
        assert [document.name for document in memory.documents(owner="u1", session=other.id)] == ["b.txt", "c.txt"]
        old = memory._services.storage.list_sessions(Scope("u1", documents=True), SessionQuery(SessionStatus.DELETED))
        assert old == []
        assert memory.check().healthy

    def test_purge_of_session_removes_its_documents(self, memory, clock):
        chat = memory.chat(owner="u1")
        memory.ingest("a.txt", content="The first code is 4711.", owner="u1", session=chat.id)
        memory.ingest("a.txt", content="The second code is 9042.", owner="u1", session=chat.id)
        memory.ingest("b.txt", content="The third code is 1234.", owner="u1")
        chat.delete()
        clock.advance(days=31)
        assert memory.retention(dry_run=False).purged == 2, "the conversation, and the old version in its own right"
        everything = [
            session.title
            for status in SessionStatus
            for session in memory._services.storage.list_sessions(Scope("u1", documents=True), SessionQuery(status))
        ]
        assert everything == ["b.txt"]
        assert memory.check().healthy

    def test_erase_pool_removes_its_documents(self, memory):
        team = memory.create_pool("team", owner="u1")
        memory.ingest("guide.md", content=GUIDE, owner="u1", pool=team)
        receipt = memory.erase(owner="u1", pool=team)
        assert (receipt.sessions, receipt.messages) == (1, 1)
        assert memory.check().checked["messages"] == 0

    def test_erase_author_removes_their_pool_documents(self, memory):
        team = memory.create_pool("team", owner="u1")
        memory.grant(team, to="u2", by="u1", access="write")
        memory.ingest("one.txt", content="The backup folder is copied on Sunday.", owner="u1", pool=team)
        chat = memory.chat(owner="u2", pool=team)
        memory.ingest("two.txt", content="The backup folder is copied on Monday.", owner="u2", pool=team)
        memory.ingest("three.txt", content="It is copied on Friday.", owner="u2", pool=team, session=chat.id)
        receipt = memory.erase(owner="u2")
        assert (receipt.sessions, receipt.messages) == (3, 2)
        assert search_names(memory, pool=team, session=chat.id) == ["one.txt"]
        assert memory.check().checked["messages"] == 1
        assert memory.check().healthy

    def test_erase_only_member_removes_pool_and_documents(self, memory):
        team = memory.create_pool("team", owner="u1")
        memory.ingest("one.txt", content="Ours.", owner="u1", pool=team)
        memory.erase(owner="u1")
        assert memory.check().checked["messages"] == 0
        assert memory.check().checked["sessions"] == 0

    def test_erase_shelf_keeps_conversations(self, memory):
        memory.chat(owner="u1").add("user", "Hello")
        memory.ingest("guide.md", content=GUIDE, owner="u1")
        memory._services.storage.erase(Scope("u1", documents=True), None, 0)
        assert memory.documents(owner="u1") == []
        assert len(memory.sessions(owner="u1")) == 1


class TestStorage:
    """How a storage treats `Scope.documents`, tested below the public methods."""

    def test_shelf_is_separate_from_conversations(self, memory):
        storage = memory._services.storage
        talk, shelf = Scope("u1"), Scope("u1", documents=True)
        memory.chat(owner="u1", session="same", create=True).add("user", "tea")
        document = memory.ingest("a.txt", content="coffee", owner="u1")
        assert [session.id for session in storage.list_sessions(talk, SessionQuery())] == ["same"]
        assert [session.id for session in storage.list_sessions(shelf, SessionQuery())] == [document.id]
        for scope in (talk.of(document.id), shelf.of("same")):
            with pytest.raises(NotFound):
                storage.get_session(scope)
        changes = [
            [change.message.text for change in storage.changes(scope, ChangePosition(), 99)[0] if change.message]
            for scope in (talk, shelf)
        ]
        assert changes == [["tea"], ["coffee"]]
        assert storage.last_position(talk).life != storage.last_position(shelf).life
        assert storage.find(talk, terms("coffee"), NO_FILTERS, 9).messages == []
        assert len(storage.find(shelf, terms("coffee"), NO_FILTERS, 9).messages) == 1

    def test_reading_documents_creates_no_shelf(self, memory):
        assert memory.documents(owner="u1") == []
        assert search_names(memory) == []
        assert memory._services.storage.last_position(Scope("u1", documents=True)).life == 0

    def test_backup_contains_documents(self, store, tmp_path):
        store.ingest("guide.md", content=GUIDE, owner="u1")
        store.backup(tmp_path / "copy.db")
        with keepsaid.open(tmp_path / "copy.db") as copy:
            assert search_names(copy) == ["guide.md"]
            assert copy.check().healthy

    def test_encrypted_store_contains_no_document_plaintext(self, tmp_path):
        path = tmp_path / "chat.db"
        with keepsaid.open(path, key=bytes(range(32))) as memory:
            memory.ingest("secret-name.txt", content="The code is xyzzy4711.", owner="u1")
            assert search_names(memory, "code") == ["secret-name.txt"]
            assert b"xyzzy4711" not in bytes_of(path)
            assert b"secret-name" not in bytes_of(path)
            memory.remove_document("secret-name.txt", owner="u1")
            assert search_names(memory, "code") == []


def test_concurrent_ingests_of_one_name_leave_one_version(memory):
    with ThreadPoolExecutor(6) as pool:
        texts = [f"The office code is {number}." for number in range(6)]
        list(pool.map(lambda text: memory.ingest("a.txt", content=text, owner="u1"), texts))
        (document,) = memory.documents(owner="u1")
        hits = memory.search_documents("office code", owner="u1", min_score=0)
        assert [hit.session for hit in hits] == [document.id]
        live = memory._services.storage.list_sessions(Scope("u1", documents=True), SessionQuery())
        assert [session.id for session in live] == [document.id]


def test_ingest_of_one_megabyte_takes_under_10_seconds(tmp_path):
    words = "harbour lantern copper willow meadow thunder biscuit ribbon marble velvet cinder orchard".split()
    lines = (" ".join(words[(at * step + at // 7) % 12] for step in range(1, 14)) + f" number {at}." for at in range(10_600))
    text = "\n\n".join(lines)
    assert len(text) > 1_000_000
    with keepsaid.open(tmp_path / "chat.db", embedder="off", durable=False) as memory:
        start = time.process_time()
        document = memory.ingest("book.txt", content=text, owner="u1")
        taken = time.process_time() - start
        assert document.chunks > 600
        assert taken < 10, f"{taken:.1f} s"
        assert search_names(memory, "number 7777", limit=1) == ["book.txt"]


def test_async_memory_ingests_searches_and_removes_documents(tmp_path):
    async def main():
        async with await keepsaid.open_async(tmp_path / "chat.db", clock=ManualClock()) as memory:
            await memory.ingest("guide.md", content=GUIDE, owner="u1")
            hits = await memory.search_documents(QUESTION, owner="u1")
            listed = await memory.documents(owner="u1")
            await memory.remove_document("guide.md", owner="u1")
            return names(hits), [document.name for document in listed], await memory.documents(owner="u1")

    assert asyncio.run(main()) == (["guide.md"], ["guide.md"], [])


class TestChunks:
    LONG = "\n\n".join(f"# Part {number}\n\nThe engine number {number} is oiled once a week." for number in range(12))

    def test_chunks_are_in_order_and_paged(self, memory):
        document = memory.ingest("engines.md", content=self.LONG, owner="u1", chunk_tokens=16, overlap_tokens=0)
        everything = memory.chunks("engines.md", owner="u1")
        assert len(everything) == document.chunks > 5
        assert everything.next is None
        assert [piece.metadata["chunk"] for piece in everything] == sorted(p.metadata["chunk"] for p in everything)
        assert everything.items[0].metadata["place"] == "§ Part 0"
        found, cursor = [], None
        while True:
            page = memory.chunks(document.id, owner="u1", limit=5, cursor=cursor)
            found += page.items
            cursor = page.next
            if cursor is None:
                break
        assert found == list(everything)

    def test_chunks_by_any_version_id_are_of_newest_version(self, memory):
        first = memory.ingest("a.md", content="Old words here.", owner="u1")
        second = memory.ingest("a.md", content="New words here.", owner="u1")
        for name in (first.id, second.id, "a.md"):
            assert [piece.text for piece in memory.chunks(name, owner="u1")] == ["New words here."]

    def test_chunk_cursor_is_invalid_after_new_version(self, memory):
        memory.ingest("a.md", content=self.LONG, owner="u1", chunk_tokens=16, overlap_tokens=0)
        cursor = memory.chunks("a.md", owner="u1", limit=2).next
        memory.ingest("a.md", content=self.LONG + "\n\nMore.", owner="u1", chunk_tokens=16, overlap_tokens=0)
        with pytest.raises(InvalidCursor):
            memory.chunks("a.md", owner="u1", cursor=cursor)

    def test_session_document_chunks_need_document_id_or_session(self, memory):
        chat, other = memory.chat(owner="u1"), memory.chat(owner="u1")
        document = memory.ingest("a.md", content="For this talk.", owner="u1", session=chat.id)
        assert [piece.text for piece in memory.chunks(document.id, owner="u1")] == ["For this talk."]
        assert [piece.text for piece in memory.chunks("a.md", owner="u1", session=chat.id)] == ["For this talk."]
        for name, session in (("a.md", None), ("a.md", other.id), (document.id, other.id)):
            with pytest.raises(NotFound):
                memory.chunks(name, owner="u1", session=session)
        chat.delete()
        with pytest.raises(NotFound):
            memory.chunks(document.id, owner="u1")

    def test_chunks_and_removal_reject_foreign_or_unknown_ids(self, memory):
        document = memory.ingest("a.md", content="Mine alone.", owner="u1")
        chat = memory.chat(owner="u1")
        for owner, name in (("u2", document.id), ("u2", "a.md"), ("u1", "unknown"), ("u1", chat.id)):
            with pytest.raises(NotFound):
                memory.chunks(name, owner=owner)
            with pytest.raises(NotFound):
                memory.remove_document(name, owner=owner)
        assert [one.name for one in memory.documents(owner="u1")] == ["a.md"]

    def test_remove_document_by_id_removes_all_versions(self, memory):
        first = memory.ingest("a.md", content="Old words here.", owner="u1")
        memory.ingest("a.md", content="New words here.", owner="u1")
        kept = memory.ingest("b.md", content="Other words.", owner="u1")
        own = memory.ingest("a.md", content="For the talk.", owner="u1", session=memory.chat(owner="u1").id)
        assert memory.remove_document(first.id, owner="u1").messages == 2
        assert [one.id for one in memory.documents(owner="u1")] == [kept.id]
        assert memory.remove_document(own.id, owner="u1").messages == 1
