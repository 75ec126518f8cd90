"""PostgreSQL on a full disk: a typed error, no lost messages, and normal work once there is room."""

from __future__ import annotations

import random
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
from servers import OwnPostgres, own_postgres

import keepsaid
from keepsaid.errors import StoreFull


def mount(folder: Path, *options: str) -> None:
    subprocess.run(["mount", "-o", *options, str(folder)], check=True, capture_output=True)


@pytest.fixture
def small_disk() -> Iterator[Path]:
    """A disk of 48 MB, if the process may mount one. Its folder is accessible to the user of the server."""
    with tempfile.TemporaryDirectory(prefix="keepsaid-disk-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        try:
            mount(folder, "size=48m,mode=0777", "-t", "tmpfs", "tmpfs")
        except (OSError, subprocess.CalledProcessError) as error:
            pytest.skip(f"no small disk can be mounted here: {error}")
        yield folder
        subprocess.run(["umount", "--lazy", name], check=True)


@pytest.fixture
def server(small_disk: Path) -> Iterator[OwnPostgres]:
    """A server with its tables on the small disk and its log elsewhere."""
    with own_postgres() as server:
        place = small_disk / "tables"
        place.mkdir()
        if server.user is not None:
            shutil.chown(place, server.user)
        with psycopg.connect(server.url, autocommit=True) as db:
            db.execute(f"CREATE TABLESPACE small LOCATION '{place}'")  # type: ignore[arg-type]
            db.execute("ALTER DATABASE postgres SET default_tablespace = small")
        yield server
        with suppress(psycopg.Error), psycopg.connect(server.url, autocommit=True) as db:
            db.execute("DROP SCHEMA keepsaid CASCADE")


def noise(seed: int) -> str:
    """A text that the server cannot compress."""
    return random.Random(seed).randbytes(150_000).hex()


def fill(chat: keepsaid.Chat) -> list[str]:
    """Adds messages until the disk is full; returns which ones were acknowledged."""
    acknowledged: list[str] = []
    with suppress(StoreFull):
        while len(acknowledged) < 2_000:
            acknowledged.append(chat.add("user", f"Kettle {noise(len(acknowledged))}", id=f"m{len(acknowledged)}").id)
    return acknowledged


def test_full_disk_raises_store_full_without_loss(server: OwnPostgres, small_disk: Path) -> None:
    with keepsaid.open(server.url, embedder="off", background=False) as memory:
        chat = memory.chat(owner="ann", session="trip", create=True)
        acknowledged = fill(chat)
        assert 10 < len(acknowledged) < 2_000
        assert [message.id for message in chat.messages()] == acknowledged, "failed changes stored nothing"
        assert memory.search("kettle", owner="ann", limit=1), "what there is can still be read"
        with pytest.raises(StoreFull):
            chat.add_many([keepsaid.MessageDraft("user", noise(10_000 + number)) for number in range(100)])
        assert chat.info().message_count == len(chat.messages()) == len(acknowledged)
        mount(small_disk, "remount,size=200m")
        chat.add("user", "There is room again.", id="again")
        assert [message.id for message in chat.messages()] == [*acknowledged, "again"]
        assert memory.check().findings == ()
