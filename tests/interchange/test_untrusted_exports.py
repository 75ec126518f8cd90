"""Malicious archives and exports: small files that take long to read or unpack to a large size."""

import copy
import json
import struct
import time
import zipfile

import pytest
from samples import CHATGPT, read_export

from keepsaid.errors import ImportProblem
from keepsaid.interchange import detect, json_split
from keepsaid.interchange.assemble import ConversationHeader
from keepsaid.interchange.conversation import ConversationNode, ImportTally
from keepsaid.interchange.formats.chatgpt import convert as from_chatgpt
from keepsaid.interchange.formats.open_webui import convert as from_open_webui
from keepsaid.interchange.openai_messages import build_linear_conversation
from keepsaid.interchange.tree import RawMessage, build_tree
from keepsaid.transfer.import_merge import ConversationMerge
from keepsaid.types import MessageDraft

SECONDS = 2
"""Processor time for any of these files; before they were mended, each took from ten seconds to hours."""


@pytest.fixture(autouse=True)
def _at_once():
    start = time.process_time()
    yield
    assert time.process_time() - start < SECONDS


def archive_of(path, members, method=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return path


def lines_of(size):
    """A conversation with one message of so many bytes."""
    return json.dumps({"id": "c1", "messages": [{"role": "user", "content": "x" * size}]})


class TestArchives:
    def test_archive_listing_one_member_many_times_is_refused(self, tmp_path):
        path = tmp_path / "x.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("chats.jsonl", lines_of(200_000))
            for _ in range(59):
                archive.filelist.append(copy.copy(archive.filelist[0]))
        with pytest.raises(ImportProblem, match=r"x\.zip is not read: its files chats\.jsonl and chats\.jsonl share bytes"):
            read_export(path)
        with pytest.raises(ImportProblem, match="share bytes"):
            detect(path)

    def test_archive_with_member_inside_another_is_refused(self, tmp_path):
        """The uncompressed data of one member contains the entry of another."""
        inner = archive_of(tmp_path / "inner.zip", [("chats.jsonl", lines_of(10))]).read_bytes()
        path = tmp_path / "x.zip"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("outer.bin", inner)
            info = zipfile.ZipFile(tmp_path / "inner.zip").infolist()[0]
            info.header_offset = 30 + len("outer.bin")
            archive.filelist.append(info)
        with pytest.raises(ImportProblem, match=r"its files outer\.bin and chats\.jsonl share bytes"):
            read_export(path)

    def test_archive_with_high_total_ratio_is_refused(self, tmp_path):
        """Each member is below the size from which its own compression ratio is checked."""
        path = archive_of(tmp_path / "x.zip", [(f"chats-{n}.jsonl", lines_of(4_000_000)) for n in range(8)])
        with pytest.raises(ImportProblem, match=r"x\.zip claims to unpack to 32,000,\d{3} bytes, \d{3} times its size"):
            read_export(path)

    def test_archive_with_duplicate_names_and_own_data_is_read(self, tmp_path):
        """An archive to which a newer version of a file was appended contains both versions."""
        with pytest.warns(UserWarning, match="Duplicate name"):
            path = archive_of(tmp_path / "x.zip", [("conversations.json", json.dumps([chat])) for chat in CHATGPT])
        assert [talk.id for talk in read_export(path)[0]] == ["c1", "c2"]

    @pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
    def test_bzip2_and_lzma_members_are_refused(self, tmp_path, method):
        """bzip2 unpacks 100 bytes to 100 MB in one step, whatever size the directory declares."""
        path = archive_of(tmp_path / "x.zip", [("chats.jsonl", lines_of(30_000_000))], method)
        content = bytearray(path.read_bytes())
        struct.pack_into("<I", content, content.index(b"PK\1\2") + 24, 1000)
        path.write_bytes(content)
        with pytest.raises(ImportProblem, match="is packed in an unknown way"):
            read_export(path)

    def test_archive_with_too_many_members_is_refused(self, tmp_path, monkeypatch):
        monkeypatch.setattr("keepsaid.interchange.source.MAX_MEMBERS", 10)
        path = archive_of(tmp_path / "x.zip", [(f"{n}.json", "[]") for n in range(11)])
        with pytest.raises(ImportProblem, match=r"x\.zip has 11 files"):
            read_export(path)


class TestJson:
    @pytest.mark.parametrize("part", ["[],", '{"a":1},', "[[]],"])
    def test_conversation_with_too_many_containers_is_skipped(self, tmp_path, monkeypatch, part):
        monkeypatch.setattr(json_split, "MAX_ELEMENT_CONTAINERS", 20_000)
        path = tmp_path / "x.json"
        harmful = '{"uuid": "bad", "chat_messages": [' + part * 30_000 + "0]}"
        good = json.dumps({"uuid": "good", "chat_messages": [{"uuid": "m", "sender": "human", "text": "Hi"}]})
        path.write_text(f"[{harmful}, {good}]")
        (talk,), tally = read_export(path)
        assert talk.id == "good"
        assert dict(tally.skipped) == {"conversations that cannot be read": 1}

    def test_detection_reads_a_limited_part_of_each_file(self, tmp_path):
        path = archive_of(tmp_path / "x.zip", [(f"{n}.json", '[{"a":' * 600_000) for n in range(3)])
        with pytest.raises(ImportProblem, match="no conversations"):
            detect(path)

    @pytest.mark.parametrize("number", ["9" * 4_000_000, "1e" + "9" * 1_000_000, "0." + "1" * 4_000_000])
    def test_conversation_with_huge_number_is_skipped(self, tmp_path, number):
        path = tmp_path / "x.json"
        path.write_text('[{"uuid": "c", "name": %s, "chat_messages": []}]' % number)  # noqa: UP031  # braces are JSON's
        conversations, tally = read_export(path)
        assert not conversations
        assert sum(tally.skipped.values()) == 1

    @pytest.mark.parametrize("number", ["9" * 4_000_000, "0." + "1" * 3_000_000])
    def test_huge_number_as_timestamp_is_read_quickly(self, tmp_path, number):
        path = tmp_path / "x.json"
        message = {"uuid": "m", "sender": "human", "text": "Hi", "created_at": number}
        path.write_text(json.dumps([{"uuid": "c", "chat_messages": [message]}]))
        assert len(read_export(path)[0]) == 1


class TestTrees:
    def test_20000_messages_with_one_id_get_unique_ids(self):
        raws = [RawMessage("m", None, (MessageDraft("user", str(number)),)) for number in range(20_000)]
        tree = build_tree(raws, None, None, ImportTally())
        assert len({node.id for node in tree.nodes}) == 20_000
        assert {"m", "m~2", "m~20000"} < {node.id for node in tree.nodes}

    def test_long_chain_of_tool_results_refers_to_its_call(self):
        def message(role, **fields):
            return {"author": {"role": role}, "content": {"content_type": "text", "parts": ["x"]}, **fields}

        mapping = {"0": {"message": message("assistant", recipient="web")}}
        mapping |= {str(n): {"message": message("tool"), "parent": str(n - 1)} for n in range(1, 8_000)}
        talk = from_chatgpt(None, {"id": "c", "mapping": mapping}, ImportTally())
        assert {node.draft.tool_call_id for node in talk.nodes} == {None, "0"}

    def test_many_unmatched_tool_results_are_paired_in_order(self):
        calls = [{"role": "assistant", "tool_calls": [{"id": f"c{n}", "name": "f"}]} for n in range(8_000)]
        answers = [{"role": "tool", "content": "x", "name": "g"} for _ in range(8_000)]
        named = [(f"m{place}", message) for place, message in enumerate(calls + answers)]
        talk = build_linear_conversation(ConversationHeader("c", "test"), named, ImportTally())
        assert [node.draft.tool_call_id for node in talk.nodes[8_000:]] == [f"c{n}" for n in range(8_000)]

    @pytest.mark.parametrize("end", ["", ">", "</details>"])
    @pytest.mark.parametrize(
        "text", ['<details type="reasoning"' * 40_000, '<details type="reasoning">' + " " * 400_000, "<details " * 100_000]
    )
    def test_unclosed_details_tags_are_read_quickly(self, text, end):
        messages = {"m1": {"id": "m1", "parentId": None, "role": "assistant", "content": "Hi" + text + end}}
        assert from_open_webui(None, {"id": "c", "chat": {"history": {"messages": messages}}}, ImportTally()).nodes

    def test_tool_call_tag_with_many_spaces_is_read_quickly(self):
        text = '<details type="tool_calls" id="c1" name="f">' + " " * 200_000 + "x</details>"
        messages = {"m1": {"id": "m1", "parentId": None, "role": "assistant", "content": text}}
        talk = from_open_webui(None, {"id": "c", "chat": {"history": {"messages": messages}}}, ImportTally())
        assert [node.draft.content for node in talk.nodes] == ["", "x"]


class TestConversationMerge:
    @pytest.fixture
    def growth(self):
        return ConversationMerge(None, None, None, ImportTally(), dry_run=False)

    def test_circular_parents_of_skipped_messages_resolve_to_none(self, growth):
        growth.left_out |= {"a": "b", "b": "a", "c": "c"}
        assert [growth.resolve_id(id) for id in "abcd"] == [None, None, None, "d"]

    @pytest.mark.parametrize("order", [1, -1])
    def test_long_chain_of_skipped_messages_is_resolved_quickly(self, growth, order):
        nodes = [ConversationNode(str(n), str(n - 1), MessageDraft("user", "")) for n in range(1, 100_000)][::order]
        for node in nodes:
            growth.left_out[node.id] = node.parent
            assert growth.resolve_id(node.parent) is not None
        assert growth.resolve_id("99999") == "0"
