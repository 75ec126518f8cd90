"""Large exports: memory does not grow with the file."""

import json
import random
import subprocess
import sys

import pytest

MEGABYTE = 1 << 20
READER = """
import json, pathlib, resource, sys, time
from keepsaid.interchange import read
from keepsaid.interchange.conversation import ImportTally
started, conversations, messages, told, tally = time.perf_counter(), 0, 0, [0, 0], ImportTally()
def progress(done, total):
    told[:] = done, total
for conversation in read(sys.argv[1], tally=tally, progress=progress):
    conversations += 1
    messages += sum(1 for _ in conversation.nodes)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
status = pathlib.Path("/proc/self/status")
if status.exists():
    # What getrusage tells here includes what the process had before it became this one: the tests themselves.
    peak = int(status.read_text().split("VmHWM:")[1].split()[0]) * 1024
print(json.dumps({
    "conversations": conversations,
    "messages": messages,
    "told": told,
    "skipped": dict(tally.skipped),
    "seconds": time.perf_counter() - started,
    "peak": peak,
}))
"""


def write_export(path, size, largest=0):
    """An export of ChatGPT of about `size` bytes; one of its conversations has `largest` bytes. How many there are of
    conversations and messages."""
    rng = random.Random(5)
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyzäöü", k=rng.randint(2, 9))) for _ in range(2000)]
    texts = [" ".join(rng.choices(words, k=rng.randint(5, 400))) + " 😀" * (place % 5 == 0) for place in range(300)]
    done, messages, conversations = 0, 0, 0
    with path.open("w", encoding="utf-8") as file:
        file.write("[")
        while done < size:
            wanted = largest if largest and conversations == 3 else rng.randint(1000, 60_000)
            mapping, parent, length = {"root": {"message": None, "parent": None}}, "root", 0
            while length < wanted:
                text = rng.choice(texts)
                id = f"{conversations}-{len(mapping)}"
                message = {
                    "author": {"role": "user" if len(mapping) % 2 else "assistant", "metadata": {}},
                    "create_time": 1_700_000_000.25 + messages,
                    "content": {"content_type": "text", "parts": [text]},
                    "metadata": {"model_slug": "gpt-4o", "citations": [], "finish_details": {"type": "stop"}},
                    "recipient": "all",
                }
                mapping[id] = {"id": id, "message": message, "parent": parent, "children": []}
                parent = id
                length += len(text)
                messages += 1
            chat = {"title": "Talk", "mapping": mapping, "current_node": parent, "id": f"c{conversations}"}
            packed = json.dumps(chat, ensure_ascii=conversations % 2 == 0)
            file.write(",\n" * (conversations > 0) + packed)
            done += len(packed)
            conversations += 1
        file.write("]")
    return conversations, messages


def measure_import(path):
    result = subprocess.run([sys.executable, "-c", READER, str(path)], capture_output=True, text=True, check=True)
    return json.loads(result.stdout)


def test_import_of_60_mb_stays_below_100_mb_of_memory(tmp_path):
    path = tmp_path / "conversations.json"
    conversations, messages = write_export(path, 60 * MEGABYTE)
    figures = measure_import(path)
    assert (figures["conversations"], figures["messages"], figures["skipped"]) == (conversations, messages, {})
    assert figures["told"] == [path.stat().st_size] * 2
    assert figures["peak"] < 100 * MEGABYTE


def test_import_of_30_mb_conversation_stays_below_300_mb(tmp_path):
    path = tmp_path / "conversations.json"
    conversations, messages = write_export(path, 31 * MEGABYTE, largest=30 * MEGABYTE)
    figures = measure_import(path)
    assert (figures["conversations"], figures["messages"]) == (conversations, messages)
    assert figures["peak"] < 300 * MEGABYTE


@pytest.mark.long
def test_import_of_500_mb_stays_below_300_mb_of_memory(tmp_path):
    path = tmp_path / "conversations.json"
    conversations, messages = write_export(path, 500 * MEGABYTE, largest=30 * MEGABYTE)
    figures = measure_import(path)
    assert (figures["conversations"], figures["messages"], figures["skipped"]) == (conversations, messages, {})
    assert figures["peak"] < 300 * MEGABYTE
