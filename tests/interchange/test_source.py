"""Import sources: files, archives and folders, intact or damaged."""

import io
import json
import struct
import tracemalloc
import zipfile
import zlib

import pytest
from samples import CHAT_LINES, CHATGPT, CLAUDE, LIBRECHAT, LLAMA_INDEX, OPEN_WEBUI, read_export

from keepsaid.errors import ImportProblem, InvalidInput
from keepsaid.interchange import FORMATS, detect, read
from keepsaid.interchange.conversation import ImportTally
from keepsaid.interchange.json_split import JsonSplitter
from keepsaid.interchange.source import MAX_EXPANSION_RATIO, MAX_TOTAL_BYTES
from keepsaid.interchange.stream import CHUNK, Utf8Stream


def write_zip(path, members, method=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, value in members.items():
            archive.writestr(name, value if isinstance(value, str | bytes) else json.dumps(value))
    return path


def ids(path, format=None):
    conversations, tally = read_export(path, format)
    return [conversation.id for conversation in conversations], tally


def until_problem(path):
    """What was read before the problem, and the problem."""
    read_so_far, tally = [], ImportTally()
    with pytest.raises(ImportProblem) as problem:  # noqa: PT012  # it is raised by the loop itself
        for conversation in read(path, tally=tally):
            read_so_far.append(conversation.id)  # noqa: PERF401  # a list made at once would be lost with the problem
    return read_so_far, str(problem.value), tally


class TestFormats:
    @pytest.mark.parametrize(
        ("format", "value"),
        [
            ("chatgpt", CHATGPT),
            ("chatgpt", [{"id": "no tree"}, *CHATGPT]),
            ("claude", CLAUDE),
            ("open-webui", OPEN_WEBUI),
            ("open-webui", OPEN_WEBUI[0]["chat"]),
            ("librechat", LIBRECHAT),
            ("llama-index", LLAMA_INDEX),
            ("chat-jsonl", CHAT_LINES),
            ("chat-jsonl", CHAT_LINES[0]),
            ("keepsaid", {"format": "keepsaid", "version": 1}),
        ],
    )
    def test_format_is_detected_by_content_not_file_name(self, tmp_path, format, value):
        path = tmp_path / "export.dat"
        for indent in (None, 2):
            path.write_text(json.dumps(value, indent=indent))
            assert detect(path) == format

    @pytest.mark.parametrize("content", ["", "[]", "{}", "[1, 2]", "hello", "<html></html>", '[{"mapping', "\0\0\0\0"])
    def test_unknown_content_error_lists_known_formats(self, tmp_path, content):
        path = tmp_path / "x.json"
        path.write_text(content)
        with pytest.raises(ImportProblem, match=r"x.json holds no conversations in a known format.*chatgpt, claude"):
            detect(path)

    def test_every_format_has_a_reader(self):
        from keepsaid.interchange import _reader

        assert all(callable(_reader(format)) for format in FORMATS)

    def test_detection_ignores_format_names_in_message_text(self, tmp_path):
        path = tmp_path / "x.json"
        path.write_text(json.dumps([{"messages": [{"role": "user", "content": '[{"mapping": {"chat_messages": 1}}]'}]}]))
        assert detect(path) == "chat-jsonl"

    def test_explicit_format_is_used_and_validated(self, tmp_path):
        path = tmp_path / "x.json"
        path.write_text(json.dumps([{"id": "c1", "messages": [{"role": "user", "content": "Hi"}]}]))
        assert ids(path, "chat-jsonl")[0] == ["c1"]
        with pytest.raises(InvalidInput, match="unknown format 'gpt'; known are keepsaid, chatgpt"):
            read(path, "gpt", tally=ImportTally())
        with pytest.raises(ImportProblem, match=r"x.json is not a SQLite database"):
            read(path, "tables", tally=ImportTally())

    def test_missing_file_is_reported(self, tmp_path):
        with pytest.raises(ImportProblem, match="there is no file"):
            read(tmp_path / "nowhere.zip", tally=ImportTally())


class TestArchives:
    def test_shards_are_read_in_order_and_other_files_skipped(self, tmp_path):
        members = {
            f"export/conversations-{number:03}.json": [CHATGPT[1] | {"id": f"c{number}", "conversation_id": f"c{number}"}]
            for number in (10, 2, 1)
        }
        others = {
            "export/export_manifest.json": {"files": ["conversations-001.json"]},
            "export/user.json": {"id": "u"},
            "export/messages.json": [{"role": "user", "content": "looks like a chat"}],
            "export/chat.html": "<html>",
            "__MACOSX/._conversations.json": b"\0\1",
        }
        found, tally = ids(write_zip(tmp_path / "chatgpt.zip", members | others))
        assert found == ["c1", "c2", "c10"]
        assert dict(tally.skipped) == {"files without conversations": 3}

    def test_shard_numbers_without_zeros_sort_numerically(self, tmp_path):
        members = {f"conversations-{n}.json": [CHATGPT[1] | {"conversation_id": f"c{n}"}] for n in (1, 2, 10)}
        assert ids(write_zip(tmp_path / "x.zip", members))[0] == ["c1", "c2", "c10"]

    def test_claude_archive_is_read(self, tmp_path):
        members = {"conversations.json": CLAUDE, "projects.json": [{"uuid": "p", "docs": []}], "users.json": [{"uuid": "u"}]}
        assert ids(write_zip(tmp_path / "claude.zip", members))[0] == ["k1", "k2"]

    @pytest.mark.parametrize("name", ["../../evil.json", "/etc/evil.json", "C:\\evil.json", "a/../../evil.json"])
    def test_member_names_are_never_used_as_paths(self, tmp_path, name):
        folder = tmp_path / "deep" / "er"
        folder.mkdir(parents=True)
        path = write_zip(folder / "x.zip", {name: CHATGPT})
        before = sorted(tmp_path.rglob("*"))
        assert ids(path)[0] == ["c1", "c2"]
        assert sorted(tmp_path.rglob("*")) == before

    def test_error_messages_escape_control_characters(self, tmp_path):
        path = write_zip(tmp_path / "x.zip", {"\x1b[2Jconversations.json": json.dumps(CHATGPT)[:-1]})
        found, problem, tally = until_problem(path)
        assert found == ["c1", "c2"]
        assert problem.isprintable()
        assert problem in tally.warnings
        with pytest.raises(ImportProblem) as missing:
            read("no\0where\x1b", tally=ImportTally())
        assert str(missing.value).isprintable()

    def test_zip_bomb_is_refused_before_unpacking(self, tmp_path):
        path = tmp_path / "bomb.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("conversations.json", "w") as file:
            file.write(b'[{"mapping": {"a": "')
            for _ in range(64):
                file.write(b"0" * (1 << 20))
        tracemalloc.start()
        with pytest.raises(ImportProblem, match=r"conversations.json claims to unpack to 67,108,884 bytes, 1,\d{3} times"):
            read_export(path)
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
        tracemalloc.stop()

    def test_archive_over_total_size_limit_is_refused(self, tmp_path):
        path = write_zip(tmp_path / "many.zip", {f"conversations-{n}.json": CHATGPT for n in range(3)}, zipfile.ZIP_STORED)
        data = bytearray(path.read_bytes())
        at = -1
        # The sizes in the directory of the archive, as a liar would write them; the ratio stays modest.
        for _ in range(3):
            at = data.index(b"PK\1\2", at + 1)
            struct.pack_into("<II", data, at + 20, 0xFFFF_FF00 // (MAX_EXPANSION_RATIO // 2), 0xFFFF_FF00)
        path.write_bytes(data)
        import keepsaid.interchange.source as source

        assert MAX_TOTAL_BYTES > 3 * 0xFFFF_FF00
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(source, "MAX_TOTAL_BYTES", 2 * 0xFFFF_FF00)
            with pytest.raises(ImportProblem, match=r"many.zip would unpack to 12,884,901,120 bytes"):
                read_export(path)

    def test_member_longer_than_declared_is_refused(self, tmp_path):
        path = write_zip(tmp_path / "liar.zip", {"conversations.json": CHATGPT})
        data = bytearray(path.read_bytes())
        struct.pack_into("<I", data, data.index(b"PK\1\2") + 24, 100)
        path.write_bytes(data)
        with pytest.raises(ImportProblem, match=r"liar.zip"):
            read_export(path, "chatgpt")

    def test_password_protected_archive_is_reported(self, tmp_path):
        path = write_zip(tmp_path / "secret.zip", {"conversations.json": CHATGPT})
        data = bytearray(path.read_bytes())
        data[data.index(b"PK\1\2") + 8] |= 1
        data[data.index(b"PK\3\4") + 6] |= 1
        path.write_bytes(data)
        with pytest.raises(ImportProblem, match=r"secret.zip is protected by a password"):
            read_export(path)

    def test_unknown_compression_method_is_reported(self, tmp_path):
        path = write_zip(tmp_path / "odd.zip", {"conversations.json": CHATGPT})
        data = bytearray(path.read_bytes())
        struct.pack_into("<H", data, data.index(b"PK\1\2") + 10, 9)
        struct.pack_into("<H", data, data.index(b"PK\3\4") + 8, 9)
        path.write_bytes(data)
        with pytest.raises(ImportProblem, match=r"odd.zip: conversations.json is packed in an unknown way"):
            read_export(path)

    def test_damaged_shard_is_reported_and_other_shards_read(self, tmp_path):
        noise = [chat | {"noise": zlib.compress(json.dumps(chat).encode()).hex()} for chat in CHATGPT]
        path = write_zip(
            tmp_path / "x.zip", {"conversations-1.json": noise, "conversations-2.json": CLAUDE}, zipfile.ZIP_STORED
        )
        data = bytearray(path.read_bytes())
        data[data.index(b"Portugal")] ^= 1
        path.write_bytes(data)
        found, problem, _ = until_problem(path)
        assert "k1" in found
        assert "x.zip: conversations-1.json is damaged: Bad CRC-32" in problem

    def test_truncated_archive_is_reported(self, tmp_path):
        path = write_zip(tmp_path / "x.zip", {"conversations.json": CHATGPT})
        path.write_bytes(path.read_bytes()[:-40])
        with pytest.raises(ImportProblem, match=r"x.zip"):
            read_export(path)


class TestFolders:
    def test_folder_with_exports_of_several_programs_is_read(self, tmp_path):
        (tmp_path / "chats").mkdir()
        (tmp_path / "chats" / "bread.json").write_text(json.dumps(LIBRECHAT))
        (tmp_path / "lines.jsonl").write_text("\n".join(map(json.dumps, CHAT_LINES)))
        (tmp_path / "notes.txt").write_text("not for import")
        (tmp_path / "settings.json").write_text('{"theme": "dark"}')
        write_zip(tmp_path / "z.zip", {"conversations.json": CLAUDE})
        found, tally = ids(tmp_path)
        assert found[0] == "l1"
        assert found[2:] == ["j2", "k1", "k2"]
        assert dict(tally.skipped) == {"files without conversations": 1}
        assert ids(tmp_path, "claude")[0] == ["k1", "k2"]

    def test_empty_folder_is_reported(self, tmp_path):
        with pytest.raises(ImportProblem, match="holds no conversations in a known format"):
            read_export(tmp_path)


class TestEncodings:
    @pytest.mark.parametrize(
        "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-16-be-sig"]
    )
    def test_every_utf_encoding_is_read(self, tmp_path, encoding):
        text = json.dumps([CLAUDE[1] | {"name": "Zoë 😀"}], ensure_ascii=False)
        path = tmp_path / "x.json"
        path.write_bytes(("\ufeff" + text).encode("utf-16-be") if encoding.endswith("be-sig") else text.encode(encoding))
        (talk,), tally = read_export(path)
        assert talk.title == "Zoë 😀"
        assert not tally.repaired

    def test_bytes_that_are_not_utf8_are_replaced_and_counted(self, tmp_path):
        path = tmp_path / "x.json"
        path.write_bytes(json.dumps([CLAUDE[1] | {"name": "Zoë"}, CLAUDE[0]], ensure_ascii=False).encode("latin-1"))
        (talk, _), tally = read_export(path)
        assert talk.title == "Zo\ufffd"
        assert dict(tally.repaired) == {"conversations with bytes that are not UTF-8": 1}

    def test_lone_surrogate_is_replaced_and_counted(self, tmp_path):
        path = tmp_path / "x.json"
        path.write_text(json.dumps([CLAUDE[1] | {"name": "cut \ud83d"}]))
        (talk,), tally = read_export(path)
        assert talk.title == "cut \ufffd"
        assert dict(tally.repaired) == {"characters that no text may have": 1}


class TestBrokenJson:
    def test_truncated_file_keeps_earlier_conversations(self, tmp_path):
        path = tmp_path / "x.json"
        chats = [CHATGPT[1] | {"conversation_id": f"c{number}"} for number in range(10)]
        whole = json.dumps(chats).encode()
        path.write_bytes(whole[: whole.index(b'"c7"')])
        found, problem, tally = until_problem(path)
        assert found == [f"c{number}" for number in range(7)]
        assert problem.startswith("x.json ends in the middle; it may not have been downloaded completely: at byte ")
        assert problem.endswith(", after 7 conversations")
        assert tally.warnings == [problem]

    @pytest.mark.parametrize("cut", [1, 2, 10, 300])
    def test_truncation_at_any_byte_is_reported(self, tmp_path, cut):
        path = tmp_path / "x.json"
        path.write_bytes(json.dumps(CHATGPT).encode()[:-cut])
        found, problem, _ = until_problem(path)
        assert found == (["c1", "c2"] if cut == 1 else ["c1"])
        assert "ends in the middle" in problem

    def test_invalid_conversation_is_skipped_and_others_read(self, tmp_path):
        path = tmp_path / "x.json"
        path.write_text(
            "[" + ", ".join([json.dumps(CLAUDE[0]), '{"uuid": tru, "chat_messages": []}', json.dumps(CLAUDE[1])]) + "]"
        )
        found, tally = ids(path)
        assert found == ["k1", "k2"]
        assert dict(tally.skipped) == {"conversations that cannot be read": 1}
        assert f"x.json, at byte {len(json.dumps(CLAUDE[0])) + 3:,}" in tally.warnings[0]

    @pytest.mark.parametrize("broken", ["[{}] rubbish", '{"a" 1}', "[{} {}]", "[,]", "[{}}", '{"a": 1,, "b": 2}', "[1 2]"])
    def test_invalid_separators_between_elements_are_reported(self, broken):
        with pytest.raises(ImportProblem, match=r"x.json .*at byte"):
            list(JsonSplitter(io.BytesIO(broken.encode()), "x.json").documents("b"))

    def test_extremely_nested_conversation_is_skipped(self, tmp_path):
        path = tmp_path / "x.json"
        deep = '{"uuid": "d", "chat_messages": ' + "[" * 100_000 + "]" * 100_000 + "}"
        path.write_text(f"[{json.dumps(CLAUDE[0])}, {deep}, {json.dumps(CLAUDE[1])}]")
        found, tally = ids(path)
        assert found == ["k1", "k2"]
        assert dict(tally.skipped) == {"conversations that cannot be read": 1}

    def test_oversized_conversation_is_skipped(self, tmp_path, monkeypatch):
        monkeypatch.setattr("keepsaid.interchange.json_split.MAX_ELEMENT_BYTES", 5000)
        path = tmp_path / "x.json"
        large = CLAUDE[1] | {"settings": ["x" * 100] * 100}
        path.write_text(json.dumps([CLAUDE[0], large, CLAUDE[1]]))
        found, tally = ids(path)
        assert found == ["k1", "k2"]
        assert dict(tally.skipped) == {"conversations that cannot be read": 1}

    def test_elements_split_across_chunks_are_read(self, monkeypatch):
        values = [{"a": 'x"]\\' * 9}, [1, [2, {}]], 'text ] with \\ "', 12345, True, None, {}, [], -1.5e10]
        data = json.dumps(values, indent=1).encode()
        for size in (1, 2, 3, 7, 64):
            monkeypatch.setattr("keepsaid.interchange.json_split.CHUNK", size)
            elements = JsonSplitter(io.BytesIO(data), "x.json").documents()
            assert [json.loads(element.data) for element in elements] == values

    def test_long_string_needs_few_reads(self):
        reads = []

        class Counted(io.BytesIO):
            def read(self, amount=-1):
                reads.append(amount)
                return super().read(amount)

        data = b'["' + b"x" * (40 * CHUNK) + b'"]'
        (element,) = JsonSplitter(Counted(data), "x.json").documents()
        assert len(element.data) == 40 * CHUNK + 2
        assert len(reads) < 10


class TestProgress:
    def test_progress_reports_bytes_read_and_total(self, tmp_path):
        members = {"conversations-1.json": CHATGPT, "conversations-2.json": CHATGPT, "user.json": {"id": "u"}}
        told = []
        conversations = read(
            write_zip(tmp_path / "x.zip", members), tally=ImportTally(), progress=lambda *now: told.append(now)
        )
        assert len(list(conversations)) == 4
        total = 2 * len(json.dumps(CHATGPT))
        assert told[-1] == (total, total)
        assert told == sorted(told)

    def test_utf8_stream_reports_bytes_read(self):
        told = []
        stream = Utf8Stream(io.BytesIO(b"\xef\xbb\xbf" + b"x" * 100), told.append)
        assert stream.read() == b"x" * 100
        assert sum(told) == 103
