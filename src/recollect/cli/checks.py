"""What the doctor looks at besides the store's own rows: each check says what it found and, if need be, one cure."""

from __future__ import annotations

import os
import secrets
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Literal, NamedTuple

from recollect import wiring
from recollect.cli.survey import describe_change, survey_vectors
from recollect.cli.words import count, size
from recollect.config import Settings
from recollect.errors import RecollectError
from recollect.memory import Memory

LITTLE_SPACE = 100_000_000
PATIENCE = 20.0
"""Seconds that a language model is waited for."""

State = Literal["ok", "note", "wrong"]


class Check(NamedTuple):
    """What was looked at, and what came of it. A note is worth knowing; only what is wrong makes the exit code 1."""

    name: str
    state: State
    detail: str
    cure: str = ""


def of_files(path: Path) -> Iterator[Check]:
    """Who may read and write the store's files, and whether there is room for them."""
    folder = path.absolute().parent
    if not os.access(path, os.W_OK):
        yield Check("permissions", "wrong", f"{path} cannot be written", f"chmod u+w {path}")
    elif not os.access(folder, os.W_OK):
        yield Check("permissions", "wrong", f"nothing can be made in {folder}", f"chmod u+w {folder}")
    elif stat.S_IMODE(path.stat().st_mode) & 0o077:
        yield Check("permissions", "note", "others on this machine can read the store", f"chmod 600 {path}")
    else:
        yield Check("permissions", "ok", "the store is yours alone")
    free, there = shutil.disk_usage(folder).free, path.stat().st_size
    if free < LITTLE_SPACE:
        yield Check("disk", "wrong", f"only {size(free)} are free in {folder}", "make room: a full disk refuses messages")
    elif free < there:
        # A backup beside it, or an erase that rebuilds the file.
        yield Check("disk", "note", f"{size(free)} are free, less than the store takes ({size(there)})",
                    "make room before a backup or a large erase")  # fmt: skip
    else:
        yield Check("disk", "ok", f"{size(free)} are free")


def of_server(memory: Memory) -> list[Check]:
    """What the server of a store says of itself that whoever runs it should know."""
    return [Check("server", "note", warning) for warning in memory.warnings()]


def round_trip(memory: Memory) -> Check:
    """Writes a message as an owner whom nobody else knows, reads it, finds it, and erases him."""
    owner, word = f"recollect-doctor-{secrets.token_hex(4)}", f"w{secrets.token_hex(6)}"
    start = time.perf_counter()
    try:
        try:
            chat = memory.chat(owner=owner)
            said = chat.add("user", f"The doctor says {word}.")
            if [message.text for message in chat.messages()] != [said.text]:
                return Check("round trip", "wrong", "what was written is not what is read", "`recollect doctor --repair`")
            if [hit.message.id for hit in memory.search(word, owner=owner, mode="words")] != [said.id]:
                return Check("round trip", "wrong", "what was written is not found", "`recollect doctor --repair`")
        finally:
            memory.erase(owner=owner)
    except RecollectError as error:
        return Check("round trip", "wrong", str(error), "restore a backup with `recollect restore`, or make room")
    took = (time.perf_counter() - start) * 1000
    return Check("round trip", "ok", f"a message was written, read, found and erased again in {took:.0f} ms")


def of_model(settings: Settings) -> Iterator[Check]:
    """Whether messages can be found by meaning, and whether all of them are."""
    if settings.embedder in (None, "off"):
        yield Check("model", "ok", "none, as the settings say: messages are found by words")
        return
    try:
        embedder = wiring.open_embedder(settings)
        if embedder is None:
            yield Check("model", "note", "the local model is not there, so messages are found by words alone",
                        "`recollect model pull` fetches it")  # fmt: skip
            return
        embedder.embed(["Is everything in order?"], asking=True)
    except RecollectError as error:
        yield Check("model", "wrong", str(error), "`recollect model pull`, or another `embedder` in the settings")
        return
    yield Check("model", "ok", embedder.name)
    with closing(wiring.open_storage(settings)) as storage:
        survey = survey_vectors(storage, embedder.name)
    if survey.waiting:
        detail = describe_change(survey, embedder) or f"{count(survey.waiting, 'message')} cannot be found by meaning yet"
        yield Check("vectors", "note", detail, "`recollect reindex` does it now, `recollect worker` as they come")


def of_llm(settings: Settings) -> Iterator[Check]:
    """Whether the language model answers, if the settings name one."""
    if settings.llm is None:
        return
    from recollect.llm import llm_for

    timeout = min(PATIENCE, settings.llm_timeout)
    try:
        llm = llm_for(settings.llm, base_url=settings.llm_url, api_key=settings.llm_key, timeout=timeout, retries=0)
        llm.complete([{"role": "user", "content": "Say yes."}], max_tokens=1)
    except RecollectError as error:
        yield Check("llm", "wrong", str(error), "start it, or correct `llm`, `llm_url` and `llm_key` in the settings")
        return
    yield Check("llm", "ok", f"{llm.name} answers")
