"""The doctor's checks other than of the store's rows. Each reports what it found and, if needed, one fix."""

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

from keepsaid import wiring
from keepsaid.cli.output.formatting import format_count, format_size
from keepsaid.cli.store.vector_survey import describe_change, survey_vectors
from keepsaid.config import Settings
from keepsaid.errors import KeepsaidError
from keepsaid.memory import Memory

MIN_FREE_BYTES = 100_000_000
LLM_TIMEOUT = 20.0
"""Seconds to wait for a language model."""

State = Literal["ok", "note", "wrong"]


class DoctorCheck(NamedTuple):
    """The result of a check. A note is for information; only `wrong` makes the exit code 1."""

    name: str
    state: State
    detail: str
    cure: str = ""


def check_files(path: Path) -> Iterator[DoctorCheck]:
    """Check the permissions of the store's file and the free disk space."""
    folder = path.absolute().parent
    if not os.access(path, os.W_OK):
        yield DoctorCheck("permissions", "wrong", f"{path} is not writable", f"chmod u+w {path}")
    elif not os.access(folder, os.W_OK):
        yield DoctorCheck("permissions", "wrong", f"no files can be created in {folder}", f"chmod u+w {folder}")
    elif stat.S_IMODE(path.stat().st_mode) & 0o077:
        yield DoctorCheck("permissions", "note", "other users on this machine can read the store", f"chmod 600 {path}")
    else:
        yield DoctorCheck("permissions", "ok", "only you can read the store")
    free, used = shutil.disk_usage(folder).free, path.stat().st_size
    if free < MIN_FREE_BYTES:
        yield DoctorCheck(
            "disk", "wrong", f"only {format_size(free)} are free in {folder}", "free space: a full disk refuses messages"
        )
    elif free < used:
        # A backup next to it, or an erase that rebuilds the file, needs as much again.
        yield DoctorCheck("disk", "note",
                          f"{format_size(free)} are free, less than the size of the store ({format_size(used)})",
                    "free some space before a backup or a large erase")  # fmt: skip
    else:
        yield DoctorCheck("disk", "ok", f"{format_size(free)} are free")


def report_warnings(memory: Memory, name: str) -> list[DoctorCheck]:
    """Return the warnings of a store or its server for its operator."""
    return [DoctorCheck(name, "note", warning) for warning in memory.warnings()]


def check_round_trip(memory: Memory) -> DoctorCheck:
    """Write, read, find and erase a message of a temporary random owner."""
    owner, word = f"keepsaid-doctor-{secrets.token_hex(4)}", f"w{secrets.token_hex(6)}"
    start = time.perf_counter()
    try:
        try:
            chat = memory.chat(owner=owner)
            saved = chat.add("user", f"The doctor says {word}.")
            if [message.text for message in chat.messages()] != [saved.text]:
                return DoctorCheck(
                    "round trip", "wrong", "what was read is not what was written", "`keepsaid doctor --repair`"
                )
            if [hit.message.id for hit in memory.search(word, owner=owner, mode="words")] != [saved.id]:
                return DoctorCheck(
                    "round trip", "wrong", "a message that was written is not found", "`keepsaid doctor --repair`"
                )
        finally:
            memory.erase(owner=owner)
    except KeepsaidError as error:
        return DoctorCheck(
            "round trip", "wrong", str(error), "restore a backup with `keepsaid restore`, or free some disk space"
        )
    took = (time.perf_counter() - start) * 1000
    return DoctorCheck("round trip", "ok", f"a message was written, read, found and erased in {took:.0f} ms")


def check_embedder(settings: Settings) -> Iterator[DoctorCheck]:
    """Check whether messages can be found by meaning, and whether all of them have vectors."""
    if settings.embedder in (None, "off"):
        yield DoctorCheck("model", "ok", "off in the settings: messages are found by words")
        return
    try:
        embedder = wiring.open_embedder(settings)
        if embedder is None:
            yield DoctorCheck("model", "note", "there is no local model, so messages are found by words only",
                        "`keepsaid model pull` downloads it")  # fmt: skip
            return
        embedder.embed(["Is everything in order?"], asking=True)
    except KeepsaidError as error:
        yield DoctorCheck("model", "wrong", str(error), "`keepsaid model pull`, or another `embedder` in the settings")
        return
    yield DoctorCheck("model", "ok", embedder.name)
    with closing(wiring.open_storage(settings)) as storage:
        survey = survey_vectors(storage, embedder.name)
    if survey.waiting:
        detail = (
            describe_change(survey, embedder) or f"{format_count(survey.waiting, 'message')} cannot be found by meaning yet"
        )
        yield DoctorCheck("vectors", "note", detail, "`keepsaid reindex` embeds them now, `keepsaid worker` continuously")


def check_llm(settings: Settings) -> Iterator[DoctorCheck]:
    """Check whether the language model answers, if the settings name one."""
    if settings.llm is None:
        return
    if settings.llm == "off":
        yield DoctorCheck("llm", "ok", "off in the settings")
        return
    from keepsaid.llm import llm_for

    timeout = min(LLM_TIMEOUT, settings.llm_timeout)
    try:
        llm = llm_for(settings.llm, base_url=settings.llm_url, api_key=settings.llm_key, timeout=timeout, retries=0)
        llm.complete([{"role": "user", "content": "Say yes."}], max_tokens=1)
    except KeepsaidError as error:
        yield DoctorCheck("llm", "wrong", str(error), "start it, or correct `llm`, `llm_url` and `llm_key` in the settings")
        return
    yield DoctorCheck("llm", "ok", f"{llm.name} answers")
